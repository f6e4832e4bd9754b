"""A case in a real browser: what others do appears, what one types stays, and keys do what buttons do."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from labeling.annotation.rounds.changing import add_rater, top_up
from labeling.consensus.models import Case, CaseState, Sitting
from labeling.consensus.talking import post_message
from labeling.corpus.models import Project
from labeling.people.models import User
from tests.annotation.samples import INCLUDE
from tests.browsing import accessibility_faults
from tests.consensus.samples import disputed, judged, proposed

pytestmark = pytest.mark.django_db(transaction=True)
NewPage = Callable[..., Page]
LIVE = 8000  # ms: a poll comes every three seconds


@pytest.fixture
def open_page(new_page: NewPage) -> Iterator[NewPage]:
    """Pages that ask and tell by themselves; they are left, and what they told is stored, before the database goes."""
    pages: list[Page] = []

    def opened(*args: Any, **kwargs: Any) -> Page:
        pages.append(new_page(*args, **kwargs))
        return pages[-1]

    yield opened
    for page in pages:
        page.goto("about:blank")
    pages[0].wait_for_timeout(500)


def url(case: Case, more: str = "") -> str:
    return f"/projects/names/cases/{case.pk}/{more}"


def test_what_others_say_appears_while_one_types(project: Project, people: list[User], open_page: NewPage) -> None:
    (case,) = disputed(project, people)
    page = open_page(people[0])
    page.goto(url(case))
    page.keyboard.press("m")
    page.keyboard.type("I was about to say")
    post_message(people[1], case.pk, submission=uuid4(), body="News from **another**")
    expect(page.locator("#live strong", has_text="another")).to_be_visible(timeout=LIVE)
    page.keyboard.type(" this.")
    expect(page.locator("#body")).to_have_value("I was about to say this.")
    assert accessibility_faults(page) == []
    page.keyboard.press("Control+Enter")
    expect(page.locator("#live", has_text="I was about to say this.")).to_be_visible()
    expect(page.locator("#body")).to_have_value("")


def test_a_vote_that_comes_later_appears_beside_the_others(
    project: Project, people: list[User], bob: User, open_page: NewPage
) -> None:
    (case,) = disputed(project, people)
    page = open_page(people[0])
    page.goto(url(case))
    expect(page.locator("#cast", has_text="Rater D")).to_have_count(0)
    add_rater(case.round, bob, by=None)
    top_up(case.round, 4, by=None)
    judged(case.round, [bob], {"": [INCLUDE]})
    expect(page.locator("#cast", has_text="Rater D")).to_have_count(1, timeout=LIVE)
    expect(page.locator("table.votes")).to_have_count(1)


def test_a_proposal_is_confirmed_by_a_key_on_what_was_seen(
    project: Project, people: list[User], open_page: NewPage
) -> None:
    (case,) = disputed(project, people)
    first, second = open_page(people[0]), open_page(people[1])
    first.goto(url(case))
    second.goto(url(case))
    first.get_by_label("Exclude").check()
    first.keyboard.press("p")
    first.keyboard.type("No link.")
    first.get_by_role("button", name="Propose it").click()
    expect(second.get_by_text("No link.")).to_be_visible(timeout=LIVE)
    proposed(people[2], case)
    second.locator("#content").focus()
    expect(second.get_by_text("Confirmed by").nth(1)).to_be_visible(timeout=LIVE)
    second.keyboard.press("c")
    expect(second.get_by_role("heading", name="Decided")).to_be_visible()
    expect(first.get_by_role("heading", name="Decided")).to_be_visible(timeout=LIVE)
    assert Case.objects.get().state == CaseState.DECIDED


def test_words_survive_a_closed_page(project: Project, people: list[User], open_page: NewPage) -> None:
    first, second = disputed(project, people, count=2)
    page = open_page(people[0])
    page.goto(url(first))
    page.locator("#body").fill("Half a thought")
    page.goto(url(second))
    expect(page.locator("#body")).to_have_value("")
    page.goto(url(first))
    expect(page.locator("#body")).to_have_value("Half a thought")


def test_keys_walk_through_queue_and_cases(project: Project, people: list[User], open_page: NewPage) -> None:
    disputed(project, people, count=2)
    page = open_page(people[0])
    page.goto("/projects/names/cases/")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/cases/\d+/"))  # until it is loaded: a key before that reaches nobody
    here = page.url
    page.keyboard.press("j")
    page.wait_for_url(lambda new: new != here)
    page.keyboard.press("k")
    page.wait_for_url(here)
    page.keyboard.press("?")
    expect(page.get_by_role("heading", name="Keys")).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("heading", name="Keys")).to_be_hidden()


def test_a_meeting_goes_from_case_to_case_and_its_time_is_kept(
    project: Project, people: list[User], alice: User, open_page: NewPage
) -> None:
    disputed(project, people, count=2)
    page = open_page(alice)
    page.goto("/projects/names/cases/meeting/")
    expect(page.locator("[data-clock]")).to_have_text(re.compile("0:0[2-9]"), timeout=LIVE)
    here = page.url
    page.keyboard.press("j")
    page.wait_for_url(lambda new: new != here)
    expect(page.get_by_role("heading", name="What we agreed on")).to_be_visible()
    page.get_by_label("Exclude").check()
    page.get_by_role("button", name="Write it down").click()
    expect(page.get_by_role("alert")).to_contain_text("mark at least one voter")
    for box in page.locator("input[name=letters]").all():  # nobody is marked who did not say so
        box.check()
    page.get_by_role("button", name="Write it down").click()
    expect(page.get_by_role("heading", name="Decided")).to_be_visible()
    assert Sitting.objects.filter(in_meeting=True, seconds__gte=1).exists()


def test_a_case_is_settled_without_javascript(project: Project, people: list[User], open_page: NewPage) -> None:
    (case,) = disputed(project, people)
    proposed(people[0], case)
    for user in people[1:]:
        page = open_page(user, javascript=False)
        page.goto(url(case))
        page.locator("#body").fill("Agreed.")
        page.get_by_role("button", name="Send").click()
        page.get_by_role("button", name="Confirm").click()
    expect(page.get_by_role("heading", name="Decided")).to_be_visible()
