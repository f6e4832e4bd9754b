"""Every route of the app as the URL configuration has it, its address in a project, and who gets what there."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver

PEOPLE = ("anonymous", "outsider", "viewer", "annotator", "adjudicator", "coordinator", "participant", "superuser")
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
ARGUMENT = re.compile(r"<(?:\w+:)?(\w+)>")
# What a page needs to be asked to show what it is for.
QUERIES = {
    "annotation:round_items": "?state=in_progress",
    "agreement:questions": "?round={judged}",
    "agreement:pair": "?round={judged}&a=1&b=2&cell=0-1",
    "agreement:items": "?round={judged}&state=disagreed",
    "agreement:chart": "?round={judged}",
    "consensus:overview": "?round={judged}",
    "release:new": "?filter=include%3Dyes",
}
# What a call needs to be sent to show who may make it, where it looks at its body first.
SENT: dict[str, dict[str, Any]] = {
    "api:vote": {"submission": "00000000-0000-4000-8000-000000000001", "answers": {"include": "no"}},
    "api:skip": {"reason": "I know the author."},
    "api:draft": {"content": {"note": "Later."}},
}
Row = dict[str, str]
Places = dict[str, Any]


def matrix() -> list[Row]:
    """One row a route and method: the status that each of the people gets, and whether a browser shows it as a page."""
    with Path(__file__).with_name("matrix.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def routes() -> dict[str, str]:
    """The pattern of each route by its name; the admin's own are left to Django, and tested as one."""
    return {name: pattern for name, pattern in walk(get_resolver()) if not name.startswith("admin:")}


def admin_routes() -> dict[str, str]:
    return {name: pattern for name, pattern in walk(get_resolver()) if name.startswith("admin:")}


def walk(resolver: URLResolver, namespace: str = "", before: str = "") -> Iterator[tuple[str, str]]:
    for pattern in resolver.url_patterns:
        whole = before + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield f"{namespace}{pattern.name}", whole
        else:
            yield from walk(pattern, f"{pattern.namespace}:" if pattern.namespace else namespace, whole)


def address(pattern: str, places: Places, query: str = "") -> str:
    """Each argument is filled in by its name and by the word that stands before it, such as `rounds/pk`."""

    def value(match: re.Match[str]) -> str:
        words = [word for word in ARGUMENT.sub("", pattern[: match.start()]).split("/") if word.strip(".")]
        return str(places[f"{words[-1]}/{match[1]}"])

    return "/" + ARGUMENT.sub(value, pattern) + query.format(**places)
