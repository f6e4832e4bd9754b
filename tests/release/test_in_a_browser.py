"""The page of a new release in a real browser: what is typed stays, what cannot be done looks so."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from labeling.corpus.models import Project
from labeling.people.models import User
from labeling.release.models import Release
from tests.annotation.samples import protocol
from tests.release.test_pages import with_finding

pytestmark = pytest.mark.django_db(transaction=True)
NewPage = Callable[..., Page]
NEW = "/projects/names/releases/new/"


def test_what_was_typed_stays_while_findings_are_answered(project: Project, alice: User, new_page: NewPage) -> None:
    with_finding(project)
    page = new_page(alice)
    page.goto(f"{NEW}?filter=include%3Dyes")
    page.get_by_label("Name", exact=True).fill("Rockets")
    page.get_by_label("Notes").fill("Of the moon.")
    page.get_by_label("Authors").fill("Ada\nBen")
    page.get_by_label("Licence").fill("")
    page.get_by_label("Reason").fill("It calls itself.")
    page.get_by_role("button", name="Answer all that wait").click()
    expect(page.get_by_text("Waived: It calls itself.")).to_be_visible()
    expect(page.get_by_label("Name", exact=True)).to_have_value("Rockets")
    expect(page.get_by_label("Notes")).to_have_value("Of the moon.")
    expect(page.get_by_label("Authors")).to_have_value("Ada\nBen")
    expect(page.get_by_label("Licence")).to_have_value("")
    page.get_by_role("button", name="Make release 1").click()
    page.wait_for_url("**/releases/1/")
    made = Release.objects.get()
    assert (made.name, made.notes, made.authors) == ("Rockets", "Of the moon.", "Ada\nBen")
    page.goto(NEW)  # sent is sent: the next one begins with what the last release had
    expect(page.get_by_label("Notes")).to_have_value("")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_button_that_cannot_be_pressed_looks_so(
    project: Project, alice: User, new_page: NewPage, scheme: str
) -> None:
    with_finding(project)
    page = new_page(alice, scheme=scheme)
    page.goto(f"{NEW}?filter=include%3Dyes")
    button = page.get_by_role("button", name="Make release 1")
    expect(button).to_be_disabled()
    expect(button).to_have_css("cursor", "not-allowed")
    looks = button.evaluate("it => getComputedStyle(it).backgroundColor")
    button.evaluate("it => { it.disabled = false }")
    page.wait_for_timeout(300)  # colours change by a transition
    assert looks != button.evaluate("it => getComputedStyle(it).backgroundColor")
    expect(button).to_have_css("cursor", "pointer")


def test_a_panel_that_folds_shows_that_it_opens(project: Project, alice: User, new_page: NewPage) -> None:
    protocol(project)
    page = new_page(alice)
    page.goto("/projects/names/rounds/new/")
    head = page.locator("summary.panel__head")
    expect(head).to_have_css("cursor", "pointer")
    turned = "it => [getComputedStyle(it, '::before').content, getComputedStyle(it, '::before').transform]"
    content, closed = head.evaluate(turned)
    assert content != "none"
    head.click()
    page.wait_for_timeout(300)
    assert head.evaluate(turned)[1] != closed
