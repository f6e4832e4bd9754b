"""What a file that somebody made probably means: its columns, and the kind of its items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from labeling.corpus.kinds import KINDS
from labeling.corpus.payloads import field_types

# Names that other data sets use for our fields.
SYNONYMS = {
    "buggyname": "buggy_name",
    "buggy_method_name": "buggy_name",
    "fixedname": "fixed_name",
    "fixed_method_name": "fixed_name",
    "methodbody": "body_before",
    "method_body": "body_before",
    "reviewcomment": "review_comment",
    "comment": "review_comment",
    "id": "key",
    "repo": "repository",
    "project": "repository",
}


def guess_field(column: str) -> str:
    """The field that a column is probably for: its own name, unless other data sets call one of ours so."""
    return SYNONYMS.get(column.strip().lower(), column)


def guess_kind(names: Iterable[str]) -> str:
    """The kind that knows most of the names; the first of several."""
    fields = {guess_field(name) for name in names}
    return max(KINDS, key=lambda kind: len(fields & set(field_types(KINDS[kind]))))


def dotted_names(data: Mapping[str, Any]) -> Iterator[str]:
    """The fields of a row by their names, and of a field that is an object its own: `first`, `first.code`."""
    for name, value in data.items():
        yield name
        yield from (f"{name}.{inner}" for inner in value) if isinstance(value, dict) else ()
