"""Every page in a real browser: nothing for axe-core to complain about, nothing wider than the screen, both themes."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from labeling.corpus.models import Project
from labeling.people.models import User
from labeling.study.models import Method, Name
from labeling.study.taking.models import Line
from tests.access.routes import QUERIES, Places, Row, address, matrix, routes
from tests.browsing import THEMES, accessibility_faults
from tests.site.lively import furnished
from tests.study.driving import Taker
from tests.study.studies import study_of

pytestmark = pytest.mark.django_db(transaction=True)
NewPage = Callable[..., Page]

# Pages that look different by what they are asked for.
VARIANTS = [
    "/projects/names/items/?duplicates=1",
    "/projects/names/items/{text_pair}/",
    "/projects/names/items/{method_pair}/",
    "/projects/names/items/upload/{upload/pk}/?kind=method_pair",
    "/projects/names/agreement/?round={judged}",
    "/projects/names/agreement/?round={judged}&question=criteria&over=groups",
    "/projects/names/cases/{decided}/",
    "/projects/names/cases/{handed}/",
    "/projects/names/studies/{planned_study}/",
    "/projects/names/studies/{frozen_study}/",
    "/projects/names/studies/{frozen_study}/texts/",
    *(
        "/projects/names/studies/{leaky_study}/preview/?part=" + part
        for part in ("background", "instructions", "practice", "method", "end")
    ),
    "/projects/names/studies/sample-size/?population=400&confidence=0.95&margin=0.05&proportion=2&cluster_size=1&icc=0",
    (
        "/projects/names/studies/simulator/?sheets=4&methods_per_sheet=3&shared=0&shared_by=2&rates=a+0.2,b+0.6"
        "&participant_sd=0&preference_sd=0&method_sd=0&name_sd=0&alpha=0.05&repetitions=9&seed=1"
    ),
]
# Pages for somebody who came by a link to a study, in the order in which they come.
TAKING_PAGES = {
    "taking:home": "",
    "taking:background": "about-you/",
    "taking:instructions": "instructions/",
    "taking:practice": "practice/",
    "taking:page": "page/{page}/",
    "taking:end": "end/",
    "taking:thanks": "thanks/",
    "taking:leave": "leave/",
}


def pages() -> list[Row]:
    """What the matrix marks as a page."""
    return [row for row in matrix() if row["page"]]


def url_of(row: Row, places: Places) -> str:
    """Pages of a design show one with leaks, those of a plan one with a plan, all others one that was answered."""
    name = row["route"]
    study = "planned_study" if name == "study:plan" else "leaky_study" if name.startswith("study:") else "study"
    return address(routes()[name], {**places, "studies/pk": places[study]}, QUERIES.get(name, ""))


@pytest.fixture
def places(project: Project, alice: User) -> Places:
    return furnished(project, alice)


def test_pages_of_a_participant_are_all_of_them() -> None:
    assert set(TAKING_PAGES) == {row["route"] for row in pages() if row["route"].startswith("taking:")}


def look_at(page: Page, url: str) -> None:
    page.goto(url)
    assert accessibility_faults(page) == [], url
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= page.viewport_size["width"], f"{url} is {width} px wide"  # type: ignore[index]
    expect(page.locator("h1")).to_have_count(1)
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((element) => element.id)")
    assert len(ids) == len(set(ids)), f"{url} uses an id twice: {ids}"


@pytest.mark.timeout(600)  # it looks at every page, and axe takes its time
@pytest.mark.parametrize("scheme", THEMES)
@pytest.mark.parametrize("width", [1440, 360])
def test_pages_of_a_coordinator(new_page: NewPage, places: Places, alice: User, scheme: str, width: int) -> None:
    page = new_page(alice, width=width, scheme=scheme)
    rows = [row for row in pages() if row["anonymous"] != "200" and not row["route"].startswith("taking:")]
    assert len(rows) > 50
    for url in [*(url_of(row, places) for row in rows), *(url.format(**places) for url in VARIANTS)]:
        look_at(page, url)


@pytest.mark.parametrize("scheme", THEMES)
@pytest.mark.parametrize("width", [1440, 360])
def test_pages_of_a_participant(new_page: NewPage, project: Project, scheme: str, width: int) -> None:
    study = study_of(project, methods=3, sheets=3)
    wide = "veryLongNameWithoutAnyBlank" * 6
    Name.objects.filter(pk__in=[name for _, names in study.sheets.all()[0].plan for name in names[:1]]).update(
        shown=wide
    )
    Method.objects.update(shown=f"void ___() {{\n\t{wide}();\n}}\n" * 30)
    page = new_page(width=width, scheme=scheme)
    taker = Taker(study)
    root = f"/s/{study.code}/"
    page.goto(urlsplit(taker.link).path)
    look_at(page, root)
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("heading", name="About you")).to_be_visible()
    taker.begin()  # the same person on another device
    code = taker.participant.pages.get(position=1).code
    for path in list(TAKING_PAGES.values())[1:-2]:
        look_at(page, root + path.format(page=code))
    page.goto(f"{root}page/{code}/")
    page.keyboard.press("n")
    page.get_by_role("button", name="Next method").click()
    expect(page.get_by_text("Each name needs an answer")).to_be_visible()
    assert accessibility_faults(page) == []
    Line.objects.update(answer="", reason="", revision=0)  # what was pressed here is unknown over there
    taker.judge_all()
    taker.finish()
    for path in ("thanks/", "leave/", "nothing/"):
        look_at(page, root + path)
    taker.post(taker.url("leave/"), {"choice": "delete"})
    look_at(page, f"{root}leave/")


@pytest.mark.parametrize("scheme", THEMES)
@pytest.mark.parametrize("width", [1440, 360])
def test_pages_of_a_stranger(new_page: NewPage, places: Places, scheme: str, width: int) -> None:
    page = new_page(width=width, scheme=scheme)
    urls = [url_of(row, places) for row in pages() if row["anonymous"] == "200"]
    for url in [*urls, "/nothing/"]:
        look_at(page, url)


@pytest.mark.parametrize("scheme", THEMES)
def test_pages_of_an_annotator_and_of_an_empty_account(
    new_page: NewPage, project: Project, bob: User, charlie: User, scheme: str
) -> None:
    look_at(new_page(bob, scheme=scheme), "/projects/names/")
    look_at(new_page(bob, scheme=scheme), "/projects/names/members/")
    look_at(new_page(charlie, scheme=scheme), "/")


@pytest.mark.parametrize("scheme", THEMES)
def test_forms_with_errors_and_an_open_menu(new_page: NewPage, project: Project, alice: User, scheme: str) -> None:
    page = new_page(alice, scheme=scheme)
    page.goto("/projects/names/settings/")
    page.get_by_label("Name of the project").fill("something else")
    page.get_by_role("button", name="Archive Names").click()
    expect(page.get_by_text("Type the name as it stands")).to_be_visible()
    page.locator("summary", has_text="Alice").click()
    assert accessibility_faults(page) == []
