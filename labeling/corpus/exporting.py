"""Items as rows of a file, such that importing the file gives the same items again."""

from __future__ import annotations

import csv
import json
from array import array
from collections.abc import Iterator
from typing import IO, Any

from labeling.corpus.kinds import KINDS
from labeling.corpus.models import Item, Project
from labeling.corpus.payloads import EXTRA, field_types, to_cell
from labeling.spreadsheets import neutralise

BATCH = 1000


def item_numbers(project: Project, kind: str) -> array[int]:
    """All that there are now: what comes in meanwhile may get a smaller number than what is there already."""
    numbers = Item.objects.filter(project=project, kind=kind).order_by("pk").values_list("pk", flat=True)
    return array("q", numbers.iterator(chunk_size=10_000))


def write_items(file: IO[str], numbers: array[int], *, kind: str, form: str) -> Iterator[int]:
    """Writes these items of a kind in their order, and says after each batch how many it had."""
    columns = ["key", *field_types(KINDS[kind])]
    writer = csv.DictWriter(file, columns)
    if form == "csv":
        writer.writeheader()
    for start in range(0, len(numbers), BATCH):
        batch = Item.objects.filter(pk__in=numbers[start : start + BATCH]).order_by("pk")
        if form == "csv":
            writer.writerows(cells(item, columns) for item in batch)
        else:
            file.writelines(json.dumps(fields(item), ensure_ascii=False) + "\n" for item in batch)
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
