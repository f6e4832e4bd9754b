"""Writing many items at once, by the fastest way each engine has."""

from __future__ import annotations

import io
import json

from django.db import connection

from labeling.corpus.models import Item

COLUMNS = ["project_id", "kind", "key", "group", "title", "payload", "digest", "sameness", "imported_at"]


def insert_items(items: list[Item]) -> None:
    if connection.vendor == "postgresql":
        copy_items(items)
    else:
        Item.objects.bulk_create(items, batch_size=500)


def copy_items(items: list[Item]) -> None:
    """COPY instead of INSERT: no statement to build and parse for each row."""
    names = ", ".join(connection.ops.quote_name(column) for column in COLUMNS)
    with connection.cursor() as cursor:
        cursor.copy_expert(f"COPY labeling_item ({names}) FROM STDIN", table_text(items))


def table_text(items: list[Item]) -> io.StringIO:
    return io.StringIO("".join("\t".join(map(copy_cell, values_of(item))) + "\n" for item in items))


def values_of(item: Item) -> list[str]:
    payload = json.dumps(item.payload, ensure_ascii=False)
    at = item.imported_at.isoformat()
    return [str(item.project_id), item.kind, item.key, item.group, item.title, payload, item.digest, item.sameness, at]


def copy_cell(text: str) -> str:
    """Escaped as COPY's text format wants it."""
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")
