"""The editor in a real browser, with and without JavaScript, and the questions as an annotator meets them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from labeling.annotation.protocols import editing
from labeling.annotation.protocols.codebook import Codebook
from labeling.annotation.protocols.models import Protocol
from labeling.corpus.models import Project
from labeling.people.models import User
from tests.annotation.protocols.samples import FULL
from tests.browsing import accessibility_faults

pytestmark = pytest.mark.django_db(transaction=True)
NewPage = Callable[..., Page]


@pytest.fixture
def protocol(project: Project, alice: User) -> Protocol:
    return editing.create_protocol(project, codebook=Codebook.read(FULL), by=alice)


def open_editor(page: Page, protocol: Protocol) -> None:
    page.goto(f"/projects/names/protocols/{protocol.pk}/edit/")


def write_an_option(page: Page) -> None:
    """Adds a third option to the first question and saves."""
    page.get_by_role("button", name="Add an option to question 1").click()
    added = page.get_by_role("group", name="Option 3 of question 1")
    added.get_by_label("Option", exact=True).fill("Hard to say")
    added.get_by_label("Hotkey").fill("z")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved as version 1")).to_be_visible()
    expect(page.get_by_label("z Hard to say")).to_be_visible()


@pytest.mark.parametrize("javascript", [True, False])
def test_option_is_added(new_page: NewPage, protocol: Protocol, alice: User, javascript: bool) -> None:
    page = new_page(alice, javascript=javascript)
    open_editor(page, protocol)
    write_an_option(page)
    assert protocol.latest.codebook.questions[0].option_keys == ["yes", "no", "hard_to_say"]
    assert protocol.latest.codebook.write()["questions"][1:] == FULL["questions"][1:]


def test_preview_follows_the_typing_and_the_focus_stays(new_page: NewPage, protocol: Protocol, alice: User) -> None:
    page = new_page(alice)
    open_editor(page, protocol)
    preview = page.locator("#preview")
    field = page.locator("#questions-0-text")
    field.fill("Is it good")
    field.press("?")
    expect(preview.get_by_role("group", name="Is it good?")).to_be_visible()
    expect(field).to_be_focused()
    page.get_by_label("Guideline").fill("## Careful")
    expect(preview.get_by_role("heading", name="Careful")).to_be_visible()
    field.fill("")
    expect(preview.get_by_text("Question 1, text: is empty")).to_be_visible()
    assert accessibility_faults(page) == []


def test_structure_changes_without_a_reload_and_keeps_what_was_typed(
    new_page: NewPage, protocol: Protocol, alice: User
) -> None:
    page = new_page(alice)
    open_editor(page, protocol)
    page.evaluate("window.sameDocument = true")
    page.locator("#title").fill("Typed before")
    page.get_by_role("button", name="Move question 3 up").click()
    expect(page.locator("#questions-1-text")).to_have_value("What about sure?")
    page.locator("#questions-0-form").select_option("number")
    expect(page.locator("#questions-0-low")).to_be_visible()
    page.locator("#questions-0-form").select_option("single")
    expect(page.get_by_role("group", name="Option 2 of question 1")).to_be_visible()
    page.get_by_role("button", name="Add a question").click()
    expect(page.locator("#questions-5-text")).to_be_focused()
    page.get_by_role("button", name="Remove question 6").click()
    expect(page.locator("#questions-5-text")).to_have_count(0)
    expect(page.locator("#title")).to_have_value("Typed before")
    assert page.evaluate("window.sameDocument")


def test_enter_in_a_field_shows_the_preview_and_removes_nothing(
    new_page: NewPage, protocol: Protocol, alice: User
) -> None:
    page = new_page(alice, javascript=False)
    open_editor(page, protocol)
    page.locator("#title").fill("Entered")
    page.locator("#title").press("Enter")
    expect(page.locator("#title")).to_have_value("Entered")
    expect(page.locator("[id^=edit-][aria-labelledby]")).to_have_count(5)


def test_condition_is_chosen_by_its_question(new_page: NewPage, protocol: Protocol, alice: User) -> None:
    page = new_page(alice)
    open_editor(page, protocol)
    third = page.locator("#edit-2")
    third.locator("summary").click()
    third.get_by_label("Ask only when").select_option("fit")
    page.locator("#edit-2").get_by_label("No", exact=True).check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved as version 1")).to_be_visible()
    when = protocol.latest.codebook.questions[2].when
    assert when
    assert (when.question, when.answers) == ("fit", ["no"])


def test_questions_come_and_go_with_the_answers_they_hang_on(
    new_page: NewPage, protocol: Protocol, alice: User
) -> None:
    page = new_page(alice)
    page.goto(f"/projects/names/protocols/{protocol.pk}/")
    why, minutes = page.locator("[data-question=why]"), page.locator("[data-question=minutes]")
    expect(why).to_be_hidden()
    page.get_by_label("x No").check()
    expect(why).to_be_visible()
    expect(minutes).to_be_hidden()
    page.get_by_label("y Yes").check()
    expect(why).to_be_hidden()
    expect(why.locator("input").first).to_be_disabled()
    expect(minutes).to_be_visible()


def test_all_questions_are_there_without_javascript(new_page: NewPage, protocol: Protocol, alice: User) -> None:
    page = new_page(alice, javascript=False)
    page.goto(f"/projects/names/protocols/{protocol.pk}/")
    expect(page.get_by_text("if fit is no")).to_be_visible()
    expect(page.get_by_label("1 Name")).to_be_visible()


def test_ten_options_fit_a_bar(new_page: NewPage, project: Project, alice: User) -> None:
    made = editing.create_built_in(project, name="rename4j", by=alice)
    page = new_page(alice)
    page.goto(f"/projects/names/protocols/{made.pk}/")
    page.get_by_label("e Exclude").check()
    page.evaluate("document.querySelector('main').style.maxWidth = 'none'")  # a bar is as wide as the window
    page.evaluate("document.querySelector('.questions').classList.add('questions--bar')")
    box = page.locator(".questions").bounding_box()
    assert box
    assert box["height"] < 90
