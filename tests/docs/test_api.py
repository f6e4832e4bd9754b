"""docs/api.md lists every call of the API, in the words that the API itself uses, and no other."""

from __future__ import annotations

from drf_spectacular.generators import SchemaGenerator

from labeling.api.docs import operations
from labeling.api.urls import urlpatterns
from tests.docs.pages import names_in, part, rows, text_of

PAGE = text_of("api.md")
ROWS = [(row[0], names_in(row[1])[0], row[2]) for row in rows(part(PAGE, "## Who and where", "\n## About the API"))]
ABOUT = [names_in(row[1])[0] for row in rows(part(PAGE, "## About the API"))]


def test_every_call_is_documented_and_every_documented_call_exists() -> None:
    schema = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    calls = {(call.method.upper(), call.path.removeprefix("/api/v1")): call.summary for call in operations(schema)}
    documented = {(method, path): words for method, path, words in ROWS}
    assert documented.keys() == calls.keys()
    assert documented == {call: " ".join(words.split()) for call, words in calls.items()}


def test_no_call_is_documented_twice() -> None:
    assert len({(method, path) for method, path, _ in ROWS}) == len(ROWS)


def test_every_route_is_either_a_call_or_about_the_api() -> None:
    assert len({path for _, path, _ in ROWS}) + len(ABOUT) == len(urlpatterns)
