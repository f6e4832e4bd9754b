"""Writing many items at once, by the fastest way each engine has."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db import connection
from django.utils import timezone

from labeling.corpus.models import Item, Project

COLUMNS = ["project_id", "kind", "key", "group", "title", "payload", "digest", "sameness", "imported_at"]
CHUNK = 1 << 20  # what COPY takes at once: each time it waits until the thread that reads ahead lets it
# What COPY's text format reads as something else.
ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


@dataclass(slots=True)
class Entry:
    """What an item will consist of: a row that was checked. A Django model costs as much as all the checks."""

    kind: str
    key: str
    group: str
    title: str
    payload: str  # canonical JSON, encoded once for the digest and the database
    digest: str
    sameness: str


def known_digests(keys: list[str], project: Project) -> dict[str, str]:
    """The digests of those items of the project that have one of these keys, by key."""
    if connection.vendor != "postgresql":
        return dict(Item.objects.filter(project=project, key__in=keys).values_list("key", "digest"))
    # In the middle of an import PostgreSQL does not know yet how many rows the project has, takes it to be small and
    # reads all of it for each batch. Asked for one key after the other it goes by the index of the keys, as long as it
    # cannot look up what it believes of this very project: so the project comes with each key, and is no constant.
    one = "SELECT key, digest FROM labeling_item WHERE project_id = wanted.project AND key = wanted.key LIMIT 1"
    wanted = "unnest(%s::bigint[], %s::text[]) AS wanted(project, key)"
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT found.* FROM {wanted}, LATERAL ({one}) AS found",  # noqa: S608 (our own names)
            [[project.pk] * len(keys), keys],
        )
        return dict(cursor.fetchall())


def insert_entries(entries: list[Entry], project: Project) -> None:
    if connection.vendor == "postgresql":
        copy_entries(entries, project)
        return
    names = ", ".join(map(connection.ops.quote_name, COLUMNS))
    marks = ", ".join(["%s"] * len(COLUMNS))
    at = connection.ops.adapt_datetimefield_value(timezone.now())
    with connection.cursor() as cursor:
        rows = [(project.pk, e.kind, e.key, e.group, e.title, e.payload, e.digest, e.sameness, at) for e in entries]
        cursor.executemany(f"INSERT INTO labeling_item ({names}) VALUES ({marks})", rows)  # noqa: S608 (our own names)


def copy_entries(entries: list[Entry], project: Project) -> None:
    """COPY instead of INSERT: no statement to build and parse for each row."""
    names = ", ".join(map(connection.ops.quote_name, COLUMNS))
    with connection.cursor() as cursor, connection.wrap_database_errors:
        lines = io.BytesIO("".join(copy_lines(entries, project, timezone.now())).encode())
        cursor.copy_expert(f"COPY labeling_item ({names}) FROM STDIN", lines, CHUNK)


def copy_lines(entries: list[Entry], project: Project, at: datetime) -> Iterator[str]:
    start, end = str(project.pk), at.isoformat()
    for e in entries:
        key, group, title = map(escaped, (e.key, e.group, e.title))
        payload = e.payload.replace("\\", "\\\\")  # JSON has no tabs and line ends of its own
        yield f"{start}\t{e.kind}\t{key}\t{group}\t{title}\t{payload}\t{e.digest}\t{e.sameness}\t{end}\n"


def escaped(text: str) -> str:
    """To look whether there is anything to escape takes a fraction of looking for it."""
    return text if text.isprintable() and "\\" not in text else text.translate(ESCAPES)
