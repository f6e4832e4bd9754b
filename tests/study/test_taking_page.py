"""The questionnaire in a real browser: by keys, without JavaScript, in two tabs, offline; and all that it received."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, Route, expect

from labeling.corpus.models import Project
from labeling.study.blindness import searching
from labeling.study.blindness.attacking import secrets_of
from labeling.study.blindness.recording import Received
from labeling.study.models import Study
from labeling.study.taking.models import Line, Participant, Step
from tests.study.driving import REASON, Taker
from tests.study.studies import answers_of, study_of

pytestmark = pytest.mark.django_db(transaction=True)
NewPage = Callable[..., Page]


@pytest.fixture
def study(project: Project) -> Study:
    return study_of(project, methods=3, sheets=2)


def on_first_page(page: Page, study: Study) -> Taker:
    """A participant whom the browser knows, on the first method."""
    taker = Taker(study)
    place = taker.begin()
    page.goto(urlsplit(taker.link).path)
    expect(page).to_have_url(re.compile(re.escape(place)))
    return taker


def press(page: Page, keys: str) -> None:
    expect(page.locator(".names--live")).to_be_visible()  # until the script is there, nobody listens
    for key in keys:
        page.keyboard.press(key)


def test_page_is_answered_by_keys_and_each_answer_is_saved_at_once(page: Page, study: Study) -> None:
    taker = on_first_page(page, study)
    press(page, "yn2yn5")
    expect(page.get_by_text("All answers on this page are saved.")).to_be_visible()
    expect(page.get_by_role("button", name="Next method")).to_be_focused()
    assert answers_of(taker.participant)[:4] == [("yes", ""), ("no", REASON), ("yes", ""), ("no", "context")]
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Method 2 of 3")).to_be_visible()
    page.get_by_role("button", name="Back").click()
    expect(page.get_by_role("heading", name="Method 1 of 3")).to_be_visible()
    expect(page.locator("input:checked[value=no]")).to_have_count(2)


def test_reasons_show_with_a_no_and_go_with_a_yes(page: Page, study: Study) -> None:
    taker = on_first_page(page, study)
    line = page.locator("[data-line]").first
    reasons = line.get_by_role("radiogroup", name="Why is it not consistent?")
    expect(reasons).to_be_hidden()
    line.get_by_role("radio", name=re.compile("^No")).first.check()
    expect(reasons).to_be_visible()
    reasons.get_by_text("Partially inconsistent").click()
    line.get_by_role("radio", name=re.compile("^Yes")).check()
    expect(reasons).to_be_hidden()
    expect(line.get_by_text("Saved")).to_be_visible()
    page.wait_for_timeout(300)
    assert answers_of(taker.participant)[0] == ("yes", "")
    assert Line.objects.get(page__position=1, place=1).changes == 1


def test_comment_is_saved_in_a_pause_when_one_leaves_and_with_the_page(page: Page, study: Study) -> None:
    taker = on_first_page(page, study)
    place = page.url
    expect(page.locator(".names--live")).to_be_visible()
    page.get_by_label("Comment on this method").fill("Too short.")
    expect(page.get_by_text("Comment saved.")).to_be_visible()
    page.get_by_label("Comment on this method").fill("Too short, I think.")
    page.goto("about:blank")
    expect_comment(taker, "Too short, I think.", page)
    page.goto(place)
    expect(page.get_by_label("Comment on this method")).to_have_value("Too short, I think.")
    press(page, "yyyy")
    page.get_by_label("Comment on this method").fill("Fine.")
    page.get_by_role("button", name="Next method").click()
    expect(page.get_by_role("heading", name="Method 2 of 3")).to_be_visible()
    assert taker.participant.pages.get(position=1).comment == "Fine."


def expect_comment(taker: Taker, words: str, page: Page) -> None:
    for _ in range(50):
        if taker.participant.pages.get(position=1).comment == words:
            return
        page.wait_for_timeout(100)
    raise AssertionError(taker.participant.pages.get(position=1).comment)


def test_letters_in_a_comment_are_no_answers_and_keys_can_be_turned_off(page: Page, study: Study) -> None:
    taker = on_first_page(page, study)
    page.get_by_label("Comment on this method").fill("yes and no")
    page.get_by_label("Comment on this method").press("y")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Keys on").click()
    page.keyboard.press("y")
    expect(page.locator("input:checked[value=yes]")).to_have_count(0)
    page.get_by_role("button", name="Keys off").click()
    page.keyboard.press("y")
    expect(page.locator("input:checked[value=yes]")).to_have_count(1)
    expect(page.get_by_text("Saved", exact=True)).to_be_visible()
    assert answers_of(taker.participant)[0] == ("yes", "")


def test_whole_way_without_javascript(new_page: NewPage, study: Study) -> None:
    taker = Taker(study)
    page = new_page(javascript=False)
    page.goto(urlsplit(taker.link).path)
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="Start").click()
    page.get_by_label("Years as a professional").fill("6")
    page.get_by_label("Years of experience").fill("4")
    for name in ("5 – daily", "PhD", "Industry"):
        page.get_by_label(name).check()
    page.get_by_role("button", name="Go on").click()
    page.get_by_role("button", name="Skip the practice").click()
    for number in range(1, 4):
        expect(page.get_by_role("heading", name=f"Method {number} of 3")).to_be_visible()
        lines = page.locator("[data-line]")
        for place in range(4):
            line = lines.nth(place)
            line.get_by_role("radio", name=re.compile("^No" if place == 1 else "^Yes")).first.check()
        lines.nth(1).get_by_text("Mistake or typo").click()
        page.get_by_role("button", name=re.compile("Next method|To the end")).click()
    page.get_by_role("button", name="Finish").click()
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    assert answers_of(taker.participant) == [("yes", ""), ("no", "mistake"), ("yes", ""), ("yes", "")] * 3
    assert taker.participant.step == Step.FINISHED


def test_tab_that_is_out_of_date_is_told_and_overwrites_nothing(new_page: NewPage, study: Study) -> None:
    first = new_page(complaint="status of 409")
    taker = on_first_page(first, study)
    second = first.context.new_page()
    second.goto(first.url)
    press(second, "n1")
    expect(second.locator("[data-line]").first.get_by_text("Saved")).to_be_visible()
    press(first, "y")
    expect(first.get_by_text("changed in another tab")).to_be_visible()
    assert answers_of(taker.participant)[0] == ("no", "completely_inconsistent")
    first.get_by_role("link", name="Show what is stored").click()
    expect(first.locator("input:checked[value=no]")).to_have_count(1)


def test_answer_given_without_a_connection_is_saved_when_it_is_back(new_page: NewPage, study: Study) -> None:
    page = new_page(complaint="ERR_INTERNET_DISCONNECTED")
    taker = on_first_page(page, study)
    page.context.set_offline(True)
    page.keyboard.press("y")
    expect(page.get_by_text("no connection")).to_be_visible()
    assert answers_of(taker.participant)[0] == ("", "")
    page.context.set_offline(False)
    expect(page.get_by_text("Saved.")).to_be_visible()
    assert answers_of(taker.participant)[0] == ("yes", "")


def test_time_is_counted_by_whether_the_page_is_used_or_hidden(page: Page, study: Study) -> None:
    taker = on_first_page(page, study)
    page.mouse.move(50, 50)
    page.wait_for_timeout(1500)
    page.keyboard.press("y")
    expect(page.get_by_text("Saved.")).to_be_visible()
    found = taker.participant.pages.get(position=1)
    assert 1 <= found.active_seconds < 15
    assert found.hidden_seconds == 0


def test_browser_receives_nothing_that_tells_an_origin(page: Page, study: Study) -> None:
    """The whole session, every response of it, also style sheets and scripts."""
    heard: list[Received] = []
    page.route("**/*", lambda route: keep(route, heard))
    taker = Taker(study)
    page.goto(urlsplit(taker.link).path)
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="Start").click()
    page.get_by_label("Years as a professional").fill("6")
    page.get_by_label("Years of experience").fill("4")
    for name in ("5 – daily", "PhD", "Industry"):
        page.get_by_label(name).check()
    page.get_by_role("button", name="Go on").click()
    page.get_by_role("button", name="Try one").click()
    press(page, "yyy")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Begin with the first").click()
    for number in range(1, 4):
        expect(page.get_by_role("heading", name=f"Method {number} of 3")).to_be_visible()
        press(page, "yn3yy")
        expect(page.get_by_text("All answers on this page are saved.")).to_be_visible()
        page.keyboard.press("Enter")
    page.get_by_role("button", name="Finish").click()
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    page.wait_for_load_state("networkidle")
    page.unroute_all(behavior="wait")  # what is still under way would else meet a page that is gone
    participant = Participant.objects.get()
    assert len(heard) > 40
    ours = [one for one in heard if not one.path.startswith("/static/")]
    assert {one.header("referrer-policy") for one in ours} == {"no-referrer"}
    assert all("no-store" in one.header("cache-control") for one in ours)
    secrets = secrets_of(study)
    texts = [(one.path, searching.scaffold(one, secrets.material)) for one in ours]
    assert searching.find_words(texts, secrets.words) == []
    assert searching.find_letters(texts, secrets.letters) == []
    lines = {line.code: [line.pk, line.name_id] for line in Line.objects.filter(page__participant=participant)}
    assert [hit for one in ours for hit in searching.find_small_ids(one, lines)] == []
    assert {cookie["name"] for cookie in page.context.cookies()} <= {"participant"}


def keep(route: Route, heard: list[Received]) -> None:
    """What the server answers is written down before the browser gets it: afterwards a page may be gone."""
    response = route.fetch(max_redirects=0)
    headers = [(header["name"], header["value"]) for header in response.headers_array]
    path = urlsplit(response.url).path
    heard.append(Received(route.request.method, path, response.status, headers, response.body()))
    route.fulfill(response=response)
