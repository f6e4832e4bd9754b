"""Items as rows of a file, such that importing the file gives the same items again."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from typing import IO, Any

from labeling.corpus.kinds import KINDS
from labeling.corpus.models import Item, Project
from labeling.corpus.payloads import EXTRA, field_types, to_cell
from labeling.spreadsheets import neutralise

BATCH = 1000


def write_items(file: IO[str], project: Project, *, kind: str, form: str) -> Iterator[int]:
    """Writes the project's items of a kind, oldest first, and says after each batch how many it had."""
    columns = ["key", *field_types(KINDS[kind])]
    writer = csv.DictWriter(file, columns)
    if form == "csv":
        writer.writeheader()
    items = Item.objects.filter(project=project, kind=kind).order_by("pk")
    last = 0
    while batch := list(items.filter(pk__gt=last)[:BATCH]):
        if form == "csv":
            writer.writerows(cells(item, columns) for item in batch)
        else:
            file.writelines(json.dumps(fields(item), ensure_ascii=False) + "\n" for item in batch)
        last = batch[-1].pk
        yield len(batch)


def fields(item: Item) -> dict[str, Any]:
    return {"key": item.key, **item.payload}


def cells(item: Item, columns: list[str]) -> dict[str, str]:
    """One cell a field, with dotted names for those inside another; what the kind does not know is JSON in `extra`."""
    found: dict[str, str] = {}
    extra: dict[str, Any] = {}
    for name, value in fields(item).items():
        inside = {f"{name}.{inner}": deeper for inner, deeper in value.items()} if isinstance(value, dict) else {}
        if name in columns:
            found[name] = neutralise(to_cell(value))
        elif inside and set(inside) <= set(columns):
            found |= {inner: neutralise(to_cell(deeper)) for inner, deeper in inside.items()}
        else:
            extra[name] = value
    return {**found, EXTRA: to_cell(extra)} if extra else found
