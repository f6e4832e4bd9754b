"""Links lead somewhere, pictures are there and used, the pages they show answer, and words of the app are its words."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from django.test import Client

from labeling.overview.questionnaire import growing
from labeling.people.models import User
from tests.docs.demo import PICTURES, address, built_demo
from tests.docs.pages import DOCS, PAGES, place_of
from tests.servers import ROOT

LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
LARGEST = 100_000  # bytes
FOR_PEOPLE = ["annotators.md", "coordinators.md"]
WORDS = "\n".join(
    path.read_text(encoding="utf-8")
    for folder, ending in (("templates", "*.html"), ("labeling", "*.py"))
    for path in (ROOT / folder).rglob(ending)
)


def links_of(page: Path) -> list[str]:
    found = LINK.findall(page.read_text(encoding="utf-8"))
    return [link for link in found if not link.startswith(("https://", "http://"))]


def anchors_of(page: Path) -> set[str]:
    """As a reader of Markdown makes them of headings."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=place_of)
def test_every_link_leads_somewhere(page: Path) -> None:
    for link in links_of(page):
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.exists(), link
        assert not anchor or anchor in anchors_of(target), link


def test_every_page_is_in_the_index() -> None:
    listed = {(DOCS / link.partition("#")[0]).resolve() for link in links_of(DOCS / "README.md")}
    assert {page for page in DOCS.glob("*.md") if page.name != "README.md"} <= listed


def test_every_picture_is_taken_by_the_script_and_shown_somewhere() -> None:
    shown = {Path(link).stem for page in PAGES for link in links_of(page) if link.endswith(".png")}
    kept = {path.stem for path in (DOCS / "img").iterdir()}
    assert kept == PICTURES.keys()
    assert kept == shown
    assert all(path.stat().st_size < LARGEST for path in (DOCS / "img").iterdir())


@pytest.mark.parametrize("name", FOR_PEOPLE)
def test_every_word_of_the_app_is_one(name: str) -> None:
    text = (DOCS / name).read_text(encoding="utf-8")
    phrases = {part for phrase in re.findall(r"(?<!\*)\*([^*\n]+)\*(?!\*)", text) for part in phrase.split(" → ")}
    assert phrases
    assert [phrase for phrase in sorted(phrases) if phrase not in WORDS] == []


def test_every_page_that_is_pictured_answers(
    db: None, enter: Callable[[User], Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(growing, "DESIGN", {**growing.DESIGN, "sheets": 3, "methods_per_sheet": 2, "shared": 0})
    demo = built_demo()
    for name, (who, path) in PICTURES.items():
        client = enter(User.objects.get(email=f"{who}@example.org"))
        answer = client.get(address(path, demo), follow=True)
        assert answer.status_code == 200, name
        assert "<h1" in answer.text, name
