"""Writing many items at once, by the fastest way each engine has."""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db import connection
from django.utils import timezone

from labeling.corpus.models import Item, Project

COLUMNS = ["project_id", "kind", "key", "group", "title", "payload", "digest", "sameness", "imported_at"]
CHUNK = 1 << 20  # what COPY takes at once: each time it waits until the thread that reads ahead lets it
# PostgreSQL's binary form of COPY: how it begins and ends, from when it counts time, and the version of its JSON.
SIGNATURE = b"PGCOPY\n\xff\r\n\0" + bytes(8)
END = b"\xff\xff"
EPOCH, MICROSECOND = datetime(2000, 1, 1, tzinfo=UTC), timedelta(microseconds=1)
JSONB = b"\x01"


@dataclass(slots=True)
class Entry:
    """What an item will consist of: a row that was checked. A Django model costs as much as all the checks."""

    kind: str
    key: str
    group: str
    title: str
    payload: bytes  # canonical JSON, encoded once for the digest and the database
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
        rows = [
            (project.pk, e.kind, e.key, e.group, e.title, e.payload.decode(), e.digest, e.sameness, at) for e in entries
        ]
        cursor.executemany(f"INSERT INTO labeling_item ({names}) VALUES ({marks})", rows)  # noqa: S608 (our own names)


def copy_entries(entries: list[Entry], project: Project) -> None:
    """COPY instead of INSERT: no statement to build and parse for each row. Its binary form has no signs of its own
    that would have to be told from those of the texts, by us and then by the server."""
    names = ", ".join(map(connection.ops.quote_name, COLUMNS))
    with connection.cursor() as cursor, connection.wrap_database_errors:
        rows = io.BytesIO(b"".join([SIGNATURE, *copy_rows(entries, project, timezone.now()), END]))
        cursor.copy_expert(f"COPY labeling_item ({names}) FROM STDIN (FORMAT binary)", rows, CHUNK)


def copy_rows(entries: list[Entry], project: Project, at: datetime) -> Iterator[bytes]:
    """Each row is the number of its columns, and each column its length and its bytes."""
    start = struct.pack("!hiq", len(COLUMNS), 8, project.pk)
    end = struct.pack("!iq", 8, (at - EPOCH) // MICROSECOND)
    length = struct.Struct("!i").pack
    for e in entries:
        kind, key, group, title = e.kind.encode(), e.key.encode(), e.group.encode(), e.title.encode()
        payload, digest, sameness = e.payload, e.digest.encode(), e.sameness.encode()
        yield b"".join((
            start,
            length(len(kind)), kind,
            length(len(key)), key,
            length(len(group)), group,
            length(len(title)), title,
            length(len(JSONB) + len(payload)), JSONB, payload,
            length(len(digest)), digest,
            length(len(sameness)), sameness,
            end,
        ))  # fmt: skip
