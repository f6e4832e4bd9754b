"""Full-text search over items: by words, by parts of names (`connection` finds getConnectionSession), by beginnings."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractContextManager

from django.db import connection
from django.db.models.expressions import RawSQL
from psycopg2.extras import execute_values

from labeling.corpus.models import Item, ItemQuerySet, Project

BATCH = 500
LONGEST_TEXT = 100_000
LONGEST_WORD = 100
WORD = re.compile(r"[^\W_]+")
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")

ADD_WORDS = "INSERT INTO labeling_itemwords (item_id, words) VALUES %s"
SQLITE = "SELECT rowid FROM labeling_itemwords_fts WHERE labeling_itemwords_fts MATCH %s"
POSTGRESQL = "SELECT item_id FROM labeling_itemwords WHERE words @@ to_tsquery('simple', %s)"


def search(items: ItemQuerySet, text: str) -> ItemQuerySet:
    """Those items that have every word, or a word that begins so."""
    words = [word.lower() for word in WORD.findall(text)]
    if not words:
        return items.none() if text.strip() else items
    if connection.vendor == "postgresql":
        return items.filter(pk__in=RawSQL(POSTGRESQL, [" & ".join(f"{word}:*" for word in words)]))  # noqa: S611
    return items.filter(pk__in=RawSQL(SQLITE, [" ".join(f'"{word}"*' for word in words)]))  # noqa: S611


def words_in(text: str) -> list[str]:
    """Every word of a text once, and beside a compound name its parts."""
    found: set[str] = set()
    for word in set(WORD.findall(text)):
        found.add(word)
        found.update(PART.findall(word))
    return sorted({word.lower() for word in found if len(word) <= LONGEST_WORD})


def index_words(project: Project, *, step: Callable[[int], AbstractContextManager[object]]) -> int:
    """Makes the words of every item that has none yet; a batch is one `step`. How many there were."""
    count = last = 0
    missing = Item.objects.filter(project=project, words=None).order_by("pk")
    while batch := list(missing.filter(pk__gt=last)[:BATCH]):
        with step(len(batch)):
            store_words([(item.pk, words_in(item.content.words[:LONGEST_TEXT])) for item in batch])
        last, count = batch[-1].pk, count + len(batch)
    return count


def store_words(rows: list[tuple[int, list[str]]]) -> None:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":  # the words are found already: PostgreSQL need not look for them again
            execute_values(cursor.cursor, ADD_WORDS, rows, template="(%s, array_to_tsvector(%s))")
        else:
            texts = [(item, " ".join(words)) for item, words in rows]
            cursor.executemany(f"{ADD_WORDS.removesuffix('%s')} (%s, %s)", texts)
