"""Items for tests, written by us."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from labeling.corpus.importing import new_entry
from labeling.corpus.models import Item, Project


def new_item(project: Project, kind: str, data: dict[str, Any], *, key: Any = "") -> Item:
    """One item that is checked but not stored; raises FieldError."""
    entry = asdict(new_entry(kind, data, key=key))
    return Item(project=project, **{**entry, "payload": json.loads(entry["payload"])})


def review_rename(number: int = 1, **changes: Any) -> dict[str, Any]:
    """A review–rename item as plain data."""
    return {
        "buggy_name": f"load{number}",
        "fixed_name": f"fetchConnection{number}",
        "body_before": f"Connection load{number}() {{\n    return pool.take();\n}}",
        "body_after": f"Connection fetchConnection{number}() {{\n    return pool.take();\n}}",
        "repository": "acme/rockets",
        "pull_request": {"number": number, "title": "Speed up start", "state": "merged", "reviewers": ["wile"]},
        "thread": [
            {
                "body": "What does it load? Please name it after the result.",
                "author": "wile",
                "linked": True,
                "line": 12,
            },
            {"body": "Done.", "author": "road"},
        ],
        "commit": f"{number:040x}",
        "path": "src/main/java/acme/Rockets.java",
        **changes,
    }


def text_pair(number: int = 1, **changes: Any) -> dict[str, Any]:
    return {
        "first": f"Sort the {number} zebras by their age.",
        "second": f"Put {number} zebras in the order of their age.",
        "group": "task",
        **changes,
    }


def method_pair(number: int = 1, **changes: Any) -> dict[str, Any]:
    return {
        "first": {"code": f"int sum{number}() {{ return a + b; }}", "name": f"sum{number}", "repository": "acme/zebra"},
        "second": {"code": f"int add{number}() {{ return b + a; }}", "name": f"add{number}", "path": "Add.java"},
        **changes,
    }


SAMPLES = {"review_rename": review_rename, "method_pair": method_pair, "text_pair": text_pair}
