"""Full-text search over items: by words, by parts of names (`connection` finds getConnectionSession), by beginnings."""

from __future__ import annotations

import io
import re
from array import array
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import lru_cache

from django.db import connection
from django.db.models.expressions import RawSQL

from labeling.corpus.kinds import KINDS
from labeling.corpus.models import Item, ItemQuerySet, Project
from labeling.corpus.names import subtokens

Step = Callable[[int], AbstractContextManager[object]]

BATCH = 500
NOTHING: frozenset[str] = frozenset()
LONGEST_TEXT = 100_000
LONGEST_WORD = 100
WORD = re.compile(r"[^\W_]+")

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


def words_in(text: str) -> frozenset[str]:
    """Every word of a text once, and beside a compound name its parts."""
    return NOTHING.union(*map(forms_of, set(WORD.findall(text))))


@lru_cache(maxsize=1 << 16)
def forms_of(word: str) -> frozenset[str]:
    """A word as it is found: whole and in parts. Texts repeat their words, so most are known already."""
    return frozenset(form.lower() for form in (word, *subtokens(word)) if len(form) <= LONGEST_WORD)


def index_words(project: Project, *, step: Step, after: int = 0) -> int:
    """Makes the words of every item (after one) that has none yet; a batch is one `step`. How many there were."""
    missing = Item.objects.filter(project=project, pk__gt=after, words=None).order_by("pk")
    # Asked once, not for each batch: what is left out would be looked through again and again.
    waiting = array("q", missing.values_list("pk", flat=True).iterator(chunk_size=10_000))
    for start in range(0, len(waiting), BATCH):
        batch = waiting[start : start + BATCH]
        with step(len(batch)):
            index_batch(list(batch))
    return len(waiting)


def index_batch(items: list[int]) -> None:
    """Under locks of the items alone, so that an import which brings others does not wait."""
    locked = Item.objects.filter(pk__in=items).order_by("pk").select_for_update(no_key=True)
    held = list(locked.values_list("pk", flat=True))
    # Asked anew under the locks: somebody else may have come to the same items meanwhile.
    missing = Item.objects.filter(pk__in=held, words=None).values_list("pk", "kind", "payload")
    texts = ((pk, KINDS[kind].read(payload).words[:LONGEST_TEXT]) for pk, kind, payload in missing)
    store_words([(pk, " ".join(words_in(text))) for pk, text in texts])


def store_words(rows: list[tuple[int, str]]) -> None:
    """A text of words with blanks between is also how a tsvector is written."""
    with connection.cursor() as cursor, connection.wrap_database_errors:
        if connection.vendor == "postgresql":
            lines = io.StringIO("".join(f"{pk}\t{words}\n" for pk, words in rows))
            cursor.copy_expert("COPY labeling_itemwords (item_id, words) FROM STDIN", lines)
        else:
            cursor.executemany("INSERT INTO labeling_itemwords (item_id, words) VALUES (%s, %s)", rows)
