"""The judging page in a real browser: by keyboard, by plain forms, through a reload, in two tabs."""

from __future__ import annotations

import re
from collections.abc import Callable
from statistics import median

import pytest
from playwright.sync_api import Page, expect

from labeling.annotation.judging.addresses import public_number
from labeling.annotation.models import Assignment, Draft, Round, Skip, Vote
from labeling.annotation.rounds.changing import close_round
from labeling.corpus.models import Item, Project
from labeling.people.models import User
from tests.annotation.judging import ready, shown, start, wait_for, wait_for_votes
from tests.annotation.samples import CODEBOOK, EXCLUDE, INCLUDE, annotators, items, opened_round, protocol
from tests.browsing import accessibility_faults
from tests.corpus.samples import new_item, review_rename

pytestmark = pytest.mark.django_db(transaction=True)
NewPage = Callable[..., Page]


@pytest.fixture
def ann(project: Project) -> User:
    return annotators(project, 1)[0]


@pytest.fixture
def round(project: Project, ann: User) -> Round:
    items(project, 6)
    return opened_round(project, [ann])


def test_judging_by_keyboard_alone(new_page: NewPage, round: Round, ann: User) -> None:
    page = new_page(ann)
    start(page)
    ready(page)
    first = shown(page)
    page.keyboard.press("i")
    expect(page.get_by_label("Directly suggested")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_text("“By which criteria?” needs an answer.")).to_be_visible()
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(page.locator("#judging")).not_to_have_attribute("data-assignment", str(public_number(first)))
    page.keyboard.press("e")
    page.keyboard.press("Enter")
    wait_for_votes(page, 2)
    votes = list(Vote.objects.order_by("pk"))
    assert [vote.answers for vote in votes] == [INCLUDE, EXCLUDE]
    assert votes[0].assignment_id == first
    assert votes[0].wall_seconds is not None
    assert votes[0].active_seconds + votes[0].idle_seconds <= votes[0].wall_seconds + 0.2  # type: ignore[operator]


def test_back_shows_the_vote_and_revises_it(new_page: NewPage, round: Round, ann: User) -> None:
    other = User.objects.create_user("other@example.org", name="Other")
    add_second_rater(round, other)
    page = new_page(ann)
    start(page)
    page.keyboard.press("e")
    page.keyboard.press("Enter")
    wait_for_votes(page, 1)
    page.keyboard.press("b")
    expect(page.get_by_text("You judged this item before.")).to_be_visible()
    expect(page.get_by_label("Exclude")).to_be_checked()
    page.keyboard.press("i")
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    wait_for_votes(page, 2)
    votes = list(Vote.objects.order_by("pk"))
    assert [vote.revision for vote in votes] == [1, 2]
    assert votes[0].answers == EXCLUDE
    assert Assignment.objects.get(pk=votes[0].assignment_id).vote == votes[1]


def test_another_comment_is_picked_by_keyboard_and_survives_a_reload(
    new_page: NewPage, round: Round, ann: User
) -> None:
    page = new_page(ann)
    start(page)
    ready(page)
    first, second = page.get_by_label("This is the comment").all()
    expect(first).to_be_checked()
    first.focus()
    page.keyboard.press("ArrowDown")
    expect(second).to_be_checked()
    wait_for(page, lambda: Draft.objects.filter(content__picked=1).exists())
    page.reload()
    expect(page.get_by_label("This is the comment").nth(1)).to_be_checked()
    assert accessibility_faults(page) == []
    page.keyboard.press("e")
    page.keyboard.press("Enter")
    wait_for_votes(page, 1)
    assert Vote.objects.get().picked == 1
    expect(page.get_by_label("This is the comment").first).to_be_checked()
    ready(page)


def add_second_rater(round: Round, user: User) -> None:
    from labeling.annotation.rounds.changing import add_rater
    from labeling.people.invitations import add_member
    from labeling.people.models import Role

    add_member(round.project, user=user, role=Role.ANNOTATOR, by=None)
    add_rater(round, user, by=None)


def test_everything_by_plain_forms(new_page: NewPage, round: Round, ann: User) -> None:
    page = new_page(ann, javascript=False)
    start(page)
    page.get_by_label("Include").check()
    page.get_by_label("Naming convention").check()
    page.get_by_label("Note").fill("clear")
    page.get_by_role("button", name="Submit").click()
    assert Vote.objects.get().answers == {"include": "yes", "criteria": ["convention"]}
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("alert")).to_contain_text("Are review and rename clearly connected?")
    page.locator("summary", has_text="Skip").click()
    page.get_by_label("Why do you skip it?").fill("I wrote this code.")
    page.get_by_role("button", name="Skip this item").click()
    assert Skip.objects.get().reason == "I wrote this code."
    page.get_by_role("button", name="Side by side").click()
    expect(page.locator(".diff--split")).to_be_visible()
    page.get_by_role("link", name="Guideline").click()
    expect(page.get_by_text("asked for")).to_be_visible()


def test_item_of_another_protocol_comes_with_its_own_guideline(new_page: NewPage, project: Project, ann: User) -> None:
    items(project, 1)
    opened_round(project, [ann])
    other = protocol(project, {**CODEBOOK, "guideline": "Another text."})
    opened_round(project, [ann], name="Second", protocol=other)
    page = new_page(ann)
    start(page)
    ready(page)
    page.keyboard.press("e")
    page.keyboard.press("Enter")
    wait_for_votes(page, 1)
    expect(page.locator("#judging")).to_contain_text("Second")
    page.keyboard.press("g")
    expect(page.get_by_role("dialog")).to_contain_text("Another text.")
    page.keyboard.press("g")
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_draft_comes_back_after_a_reload_and_in_a_second_tab(new_page: NewPage, round: Round, ann: User) -> None:
    page = new_page(ann)
    start(page)
    page.keyboard.press("i")
    page.keyboard.press("2")
    page.keyboard.press("n")
    page.keyboard.type("is it? seen before")
    wait_for(page, lambda: Draft.objects.filter(content__note="is it? seen before").exists())
    page.reload()
    expect(page.get_by_label("Note")).to_have_value("is it? seen before")
    second = new_page(ann)
    start(second)
    assert shown(second) == shown(page)
    expect(second.get_by_label("Naming convention")).to_be_checked()
    assert not Vote.objects.exists(), "a key that is typed into a note chooses and sends nothing"


def test_vote_that_is_refused_says_so_and_keeps_the_draft(new_page: NewPage, round: Round, ann: User) -> None:
    page = new_page(ann, complaint="409")
    start(page)
    ready(page)
    close_round(round, by=None)
    page.keyboard.press("e")
    page.keyboard.press("Enter")
    expect(page.locator("#connection")).to_contain_text("is closed")
    assert not Vote.objects.exists()
    assert Draft.objects.get().content["answers"] == EXCLUDE
    page.get_by_role("link", name="Open it").click()
    expect(page.get_by_label("Exclude")).to_be_checked()


def test_ordinary_item_fits_the_screen_and_help_opens_by_key(new_page: NewPage, round: Round, ann: User) -> None:
    page = new_page(ann, height=900)
    start(page)
    assert page.evaluate("document.documentElement.scrollHeight") <= 900
    expect(page.get_by_role("button", name="Submit")).to_be_in_viewport()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    assert accessibility_faults(page) == []
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    expect(page.get_by_role("dialog")).to_contain_text("asked for")
    assert accessibility_faults(page) == []
    page.keyboard.press("Escape")
    page.keyboard.press("d")
    expect(page.locator(".diff--split")).to_be_visible()


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "dark")])
def test_hard_items_do_not_break_the_page(
    new_page: NewPage, project: Project, ann: User, width: int, scheme: str
) -> None:
    hostile = "</script><img src=x onerror=alert(1)> שלום \u202e reversed \u202c"
    line = "\tint veryLong = " + "a + " * 400 + "1; // " + hostile
    body = "void load1() {\n" + "\n".join([line, *["    count++;"] * 5000]) + "\n}"
    data = review_rename(
        1,
        body_before=body,
        body_after=body.replace("load1", "fetchConnection1"),
        thread=[{"body": f"{hostile} name {'x' * 900}", "linked": True, "hunk": "@@ -1 +1 @@\n-a\n+b"}] * 40,
        matched_words=["name"],
        surrounding_class=body,
    )
    new_item(project, "review_rename", data).save()
    opened_round(project, [ann])
    page = new_page(ann, width=width, scheme=scheme)
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    start(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    expect(page.get_by_role("button", name="Submit")).to_be_in_viewport()
    expect(page.get_by_text(re.compile(r"lines alike")).first).to_be_attached()
    assert page.locator(".diff__line:visible").count() < 200
    page.locator("[data-class] summary").click()
    expect(page.locator("[data-class] .code")).to_contain_text("count++")
    page.locator("[data-class] summary").click()
    assert accessibility_faults(page) == []


def test_next_item_is_there_at_once_in_ten_thousand(
    new_page: NewPage, project: Project, ann: User, record_testsuite_property: Callable[[str, object], None]
) -> None:
    items(project, 10_000)
    opened_round(project, [ann])
    page = new_page(ann)
    start(page)
    times = []
    for _ in range(8):
        ready(page)
        before = shown(page)
        page.keyboard.press("e")
        page.keyboard.press("Enter")
        expect(page.locator("#judging")).not_to_have_attribute("data-assignment", str(public_number(before)))
        times.append(
            page.evaluate(
                "performance.getEntriesByName('next-item-shown').at(-1).startTime"
                " - performance.getEntriesByName('submitted').at(-1).startTime"
            )
        )
    wait_for_votes(page, 8)
    record_testsuite_property("milliseconds to the next item of 10,000", median(times))
    assert Item.objects.count() == 10_000
