"""Votes through a connection that drops, a browser that ends and a log-in that ran out: each is stored once."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from labeling.annotation.judging.addresses import public_number
from labeling.annotation.models import Round, Vote
from labeling.corpus.models import Project
from labeling.people.models import User
from tests.annotation.judging import ready, shown, start, wait_for_votes
from tests.annotation.samples import EXCLUDE, annotators, items, opened_round

pytestmark = pytest.mark.django_db(transaction=True)
NewPage = Callable[..., Page]


@pytest.fixture
def ann(project: Project) -> User:
    return annotators(project, 1)[0]


@pytest.fixture
def round(project: Project, ann: User) -> Round:
    items(project, 6)
    return opened_round(project, [ann])


def test_vote_waits_for_the_connection_and_is_sent_once(new_page: NewPage, round: Round, ann: User) -> None:
    page = new_page(ann, complaint="net::ERR_FAILED")
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    start(page)
    ready(page)
    page.route("**/judge/*/", lambda route: route.abort() if route.request.method == "POST" else route.continue_())
    page.keyboard.press("e")
    page.keyboard.press("Enter")
    expect(page.locator("#connection")).to_contain_text("1 vote waits in this browser")
    assert not Vote.objects.exists()
    page.unroute("**/judge/*/")
    expect(page.locator("#connection")).to_have_text("", timeout=20_000)
    wait_for_votes(page, 1)
    assert Vote.objects.count() == 1
    votes_sent = [url for url in sent if re.search(r"/judge/\d+/$", url)]
    assert len(votes_sent) >= 2
    assert len(set(votes_sent)) == 1


def test_waiting_vote_survives_a_reload(new_page: NewPage, round: Round, ann: User) -> None:
    page = new_page(ann, complaint="net::ERR_FAILED")
    start(page)
    ready(page)
    page.route("**/judge/*/", lambda route: route.abort() if route.request.method == "POST" else route.continue_())
    page.keyboard.press("e")
    page.keyboard.press("Enter")
    expect(page.locator("#connection")).to_contain_text("1 vote waits")
    page.unroute("**/judge/*/")
    page.reload()
    wait_for_votes(page, 1)
    assert Vote.objects.get().answers == EXCLUDE


def test_answer_lost_on_the_way_back_stores_one_vote(new_page: NewPage, round: Round, ann: User) -> None:
    page = new_page(ann, complaint="net::ERR_FAILED")
    start(page)
    ready(page)
    lost: list[int] = []

    def lose_the_first_answer(route: Route) -> None:
        if route.request.method == "POST" and not lost:
            lost.append(route.fetch().status)
            route.abort()
        else:
            route.continue_()

    page.route("**/judge/*/", lose_the_first_answer)
    page.keyboard.press("e")
    page.keyboard.press("Enter")
    expect(page.locator("#connection")).to_contain_text("1 vote waits")
    expect(page.locator("#connection")).to_have_text("", timeout=20_000)
    assert lost == [200]
    assert Vote.objects.count() == 1


def test_vote_is_sent_where_the_browser_has_no_locks(new_page: NewPage, round: Round, ann: User) -> None:
    """As over plain HTTP from another machine."""
    page = new_page(ann)
    page.add_init_script("Object.defineProperty(navigator, 'locks', { value: undefined })")
    start(page)
    page.keyboard.press("e")
    page.keyboard.press("Enter")
    wait_for_votes(page, 1)


def test_vote_that_waited_through_a_crash_is_not_asked_for_again(new_page: NewPage, round: Round, ann: User) -> None:
    page = new_page(ann, complaint="net::ERR_FAILED")
    start(page)
    ready(page)
    block = "**/judge/*/"
    page.route(block, lambda route: route.abort() if route.request.method == "POST" else route.continue_())
    for _ in range(2):
        page.keyboard.press("e")
        page.keyboard.press("Enter")
        page.wait_for_timeout(300)
    expect(page.locator("#connection")).to_contain_text("2 votes wait")
    last = shown(page)
    page.reload()
    page.wait_for_function("form().inert")
    page.unroute(block)
    expect(page.locator("#judging")).not_to_have_attribute("data-assignment", str(public_number(last)), timeout=20_000)
    assert Vote.objects.count() == 2


def test_waiting_vote_is_sent_from_my_work_too(new_page: NewPage, round: Round, ann: User) -> None:
    page = new_page(ann, complaint="net::ERR_FAILED")
    start(page)
    ready(page)
    block = "**/judge/*/"
    page.route(block, lambda route: route.abort() if route.request.method == "POST" else route.continue_())
    page.keyboard.press("e")
    page.keyboard.press("Enter")
    expect(page.locator("#connection")).to_contain_text("1 vote waits")
    page.goto("/projects/names/work/")
    expect(page.get_by_text("1 vote waits")).to_be_visible()
    page.unroute(block)
    wait_for_votes(page, 1)


def test_vote_after_a_log_in_elsewhere_gets_a_new_token(new_page: NewPage, round: Round, ann: User) -> None:
    page = new_page(ann, complaint="403")
    start(page)
    ready(page)
    page.context.clear_cookies(name="csrftoken")  # a log-in in another tab changes it
    page.evaluate("fetch('/account/')")
    page.keyboard.press("e")
    page.keyboard.press("Enter")
    wait_for_votes(page, 1)
