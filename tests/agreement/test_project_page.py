"""The dashboard shows what may be shown to whom, says why something is missing, and costs the same at any size."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from labeling.agreement import keeping
from labeling.agreement.models import Measurement
from labeling.annotation.models import Assignment, RoundItem
from labeling.annotation.rounds.changing import close_round, use_version
from labeling.corpus.models import Project
from labeling.jobs import running
from labeling.jobs.models import Job
from labeling.people.invitations import add_member
from labeling.people.models import Role, User
from labeling.tasks import WORK
from tests.agreement.projects import NO, SPLIT, YES, Answers, judged_project, judged_round
from tests.annotation.samples import CODEBOOK, annotators, items, protocol, vote_on

Enter = Callable[[User], Client]
URL = "/projects/names/agreement/"
PLACES = ["", "questions/", "pairs/?a=1&b=2", "pairs/?a=1&b=2&cell=0-1", "items/?state=disagreed"]


def rows(count: int) -> list[list[Answers | None]]:
    return [[YES if number % 3 else NO, YES if number % 4 else NO] for number in range(count)]


@pytest.mark.parametrize("place", PLACES)
def test_only_coordinators_and_viewers_look(
    project: Project, alice: User, bob: User, charlie: User, enter: Enter, place: str
) -> None:
    judged_project(project, SPLIT)
    assert enter(alice).get(URL + place).status_code == 200
    assert enter(bob).get(URL + place).status_code == 403
    assert enter(charlie).get(URL + place).status_code == 404
    assert Client().get(URL + place).status_code == 302


def test_viewer_reads_pseudonyms_and_coordinator_names(
    project: Project, alice: User, charlie: User, enter: Enter
) -> None:
    judged_project(project, SPLIT)
    User.objects.filter(email="rater1@example.org").update(name="Zenobia")
    add_member(project, user=charlie, role=Role.VIEWER, by=alice)
    for place in PLACES[2:]:
        assert "Zenobia" in enter(alice).get(URL + place).text
        page = enter(charlie).get(URL + place).text
        assert "Zenobia" not in page
        assert "Rater 1" in page


def test_headline_comes_with_interval_reading_and_counts(project: Project, alice: User, enter: Enter) -> None:
    judged_project(project, [*SPLIT, [YES, None]])
    page = enter(alice).get(URL).text
    assert '<p class="headline__value">0.533</p>' in page
    assert "too low to draw conclusions from by Krippendorff (2004" in page
    assert "1 of 5 items left out of agreement: one rating only." in page
    assert "<strong>4</strong> of 5 items used" in page
    assert "seed 7" in page


def test_open_round_is_silent_before_twenty_items_are_complete(project: Project, alice: User, enter: Enter) -> None:
    items(project, 20)
    people = annotators(project, 2)
    table = rows(20)
    table[7][1] = None
    round = judged_round(project, people, table, closed=False)
    page = enter(alice).get(URL)
    assert "First is open and has 19 complete items." in page.text
    assert "headline__value" not in page.text
    assert not Measurement.objects.exists()
    for place in PLACES[1:]:
        assert enter(alice).get(URL + place).status_code == 409
    last = Assignment.objects.get(round=round, vote=None)
    vote_on(people[1], last, NO)
    assert "headline__value" in enter(alice).get(URL).text


@pytest.mark.parametrize("window", [1, 200])
def test_items_that_nobody_voted_on_are_listed_with_their_reason(
    project: Project, alice: User, enter: Enter, monkeypatch: pytest.MonkeyPatch, window: int
) -> None:
    monkeypatch.setattr("labeling.agreement.drilling.PAGE", 2)
    monkeypatch.setattr("labeling.agreement.drilling.WINDOW", window)
    round = judged_project(project, [[None, None], [YES, None], [YES, YES], [None, None], [None, None]])
    client, after = enter(alice), ""
    pages: list[str] = []
    while len(pages) < 5:
        page = client.get(f"{URL}items/?state=left_out{after}").text
        pages.append(page)
        if not (found := re.search(r'(after=\d+)" rel="next"', page)):
            break
        after = f"&{found[1]}"
    assert "3 of 5 items" in pages[0]
    listed = [number for page in pages for number in re.findall(r"/items/(\d+)/", page)]
    places = round.items.exclude(votes=2).order_by("pk").values_list("item_id", flat=True)
    assert [int(number) for number in listed] == list(places)
    assert "".join(pages).count("nobody voted on it, and the round is closed") == 3
    assert "".join(pages).count("only one answer to this question") == 1
    assert "nobody voted on it" not in client.get(f"{URL}items/?state=used").text


def test_answers_in_another_form_are_listed_as_left_out_with_their_reason(
    project: Project, alice: User, enter: Enter
) -> None:
    round = judged_project(project, SPLIT)
    question = {**CODEBOOK["questions"][0], "form": "multiple"}
    use_version(round, protocol(project, {**CODEBOOK, "questions": [question]}), by=None)
    client = enter(alice)
    left_out = client.get(f"{URL}items/?state=left_out").text
    assert left_out.count("answered in a form that the question had in another version") == len(SPLIT)
    for state in ("used", "disagreed"):
        assert "list__title" not in client.get(f"{URL}items/?state={state}").text


def test_sets_in_another_order_are_no_disagreement(project: Project, alice: User, enter: Enter) -> None:
    """Two versions that name the options in another order store the same set in another."""
    first, second = CODEBOOK["questions"]
    items(project, 1)
    people = annotators(project, 2)
    both = {**YES, "criteria": ["suggested", "convention"]}
    round = judged_round(project, people, [[both, None]], closed=False)
    turned = {**second, "options": second["options"][::-1]}
    use_version(round, protocol(project, {**CODEBOOK, "questions": [first, turned]}), by=None)
    vote_on(people[1], Assignment.objects.get(round=round, vote=None), both)
    close_round(round, by=None)
    page = enter(alice).get(f"{URL}items/?question=criteria&state=disagreed").text
    assert "list__title" not in page
    assert "list__title" in enter(alice).get(f"{URL}items/?question=criteria&state=used").text


def test_row_of_a_slice_leads_to_its_figures(project: Project, alice: User, enter: Enter) -> None:
    judged_project(project, SPLIT, groups=2)
    client = enter(alice)
    page = client.get(URL).text
    assert f'<a href="{URL}?question=include&amp;group=acme%2Frockets1">acme/rockets1</a>' in page
    for measured in Measurement.objects.all():  # kept by an earlier version of the app
        for row in measured.figures["slices"]["group"]:
            del row["filters"]
        measured.save()
    assert "acme/rockets1" in client.get(URL).text


def test_item_that_waits_for_a_vote_is_in_no_figure_and_no_list(project: Project, alice: User, enter: Enter) -> None:
    """Its one vote must not be told from the figures while the other is not in."""
    table = [*rows(24), [YES, None]]
    round = judged_project(project, table, closed=False)
    client = enter(alice)
    open_item = project.items.order_by("pk").last()
    assert open_item
    before = client.get(URL).text
    assert "of 24 items used" in before
    for state in ("used", "left_out", "disagreed"):
        assert f"/items/{open_item.pk}/" not in client.get(f"{URL}items/?state={state}").text
    close_round(round, by=alice)
    assert f"/items/{open_item.pk}/" in client.get(f"{URL}items/?state=left_out").text
    assert "of 25 items used" in client.get(URL).text


def test_item_that_wants_another_vote_leaves_the_list_before_it_is_measured_again(
    project: Project, alice: User, enter: Enter, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = rows(24)
    round = judged_project(project, table, closed=False)
    client = enter(alice)
    split = project.items.order_by("pk")[3]
    assert f"/items/{split.pk}/" in client.get(URL).text
    monkeypatch.setattr(keeping, "MOST_VOTES_AT_ONCE", 7)
    RoundItem.objects.filter(round=round, item=split).update(wanted=3)
    assert f"/items/{split.pk}/" not in client.get(URL).text


def test_cell_of_a_pair_lists_its_items(project: Project, alice: User, enter: Enter) -> None:
    judged_project(project, SPLIT)
    first, second, *_ = project.items.order_by("pk")
    page = enter(alice).get(f"{URL}pairs/?a=1&b=2&cell=0-1").text
    assert f"/items/{second.pk}/" in page
    assert f"/items/{first.pk}/" not in page
    assert f"/items/{second.pk}/" not in enter(alice).get(f"{URL}pairs/?a=2&b=1&cell=0-1").text
    assert f"/items/{second.pk}/" in enter(alice).get(f"{URL}pairs/?a=2&b=1&cell=1-0").text


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("question=colour", "question: there is no question “colour”"),
        ("round=99999999", "round: there is no round “99999999”"),
        ("version=9", "version: Pairs has no version “9”"),
        ("protocol=Nothing", "protocol: no round of this project goes by “Nothing”"),
        ("since=yesterday", "since: “yesterday” is no date"),
        ("since=2026-02-02&until=2026-02-01", "since: lies after until"),
        ("votes=all", "votes: must be one of"),
        ("over=moon", "over: must be one of"),
        ("round=%00", ""),
    ],
)
def test_what_cannot_be_chosen_is_said(project: Project, alice: User, enter: Enter, query: str, says: str) -> None:
    judged_project(project, SPLIT)
    response = enter(alice).get(f"{URL}?{query}")
    assert response.status_code == (422 if says else 200)
    assert says in response.text


@pytest.mark.parametrize("query", ["a=1&b=9", "a=x&b=2", "a=1", "a=1&b=2&cell=x", "a=1&b=2&cell=-1"])
def test_pair_or_cell_that_is_none_is_said(project: Project, alice: User, enter: Enter, query: str) -> None:
    judged_project(project, SPLIT)
    assert enter(alice).get(f"{URL}pairs/?{query}").status_code == 422


def test_group_that_has_no_items_measures_nothing(project: Project, alice: User, enter: Enter) -> None:
    judged_project(project, SPLIT)
    page = enter(alice).get(f"{URL}?group=nowhere")
    assert page.status_code == 200
    assert '<p class="headline__value">–</p>' in page.text


def test_project_without_a_round_says_the_next_step(project: Project, alice: User, enter: Enter) -> None:
    assert "Nothing to measure yet" in enter(alice).get(URL).text
    assert enter(alice).get(f"{URL}items/").status_code == 409


def test_page_costs_the_same_at_any_size(project: Project, alice: User, enter: Enter) -> None:
    client = enter(alice)
    items(project, 40)
    people = annotators(project, 2)
    few = judged_round(project, people, [*rows(10), *([[None, None]] * 30)], name="Few")
    many = judged_round(project, people, rows(40), name="Many")
    counts = []
    for round in (few, many):
        with CaptureQueriesContext(connection) as measured:
            client.get(URL, {"round": round.pk})
        with CaptureQueriesContext(connection) as kept:
            client.get(URL, {"round": round.pk})
        counts.append((len(measured), len(kept)))
    assert counts[0] == counts[1]
    assert counts[0][1] < counts[0][0]


def test_many_votes_are_measured_by_a_job_and_the_page_shows_the_last_figures(
    project: Project, alice: User, enter: Enter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "MOST_VOTES_AT_ONCE", 7)
    judged_project(project, SPLIT)
    client = enter(alice)
    for _ in range(2):
        page = client.get(URL).text
        assert "Being measured" in page
        assert 'hx-trigger="every 2s"' in page
    (job,) = Job.objects.filter(kind="measure_agreement")
    running.run(job.pk, WORK)
    page = client.get(URL).text
    assert "As of 8 votes" in page
    assert 'hx-trigger="every 2s"' not in page
    assert Measurement.objects.get().seed == 7


def test_figures_are_kept_until_there_is_more_to_count(project: Project, alice: User, enter: Enter) -> None:
    items(project, 4)
    people = annotators(project, 2)
    judged_round(project, people, SPLIT)
    client = enter(alice)
    client.get(URL)
    kept = Measurement.objects.get()
    client.get(URL)
    assert Measurement.objects.get().measured_at == kept.measured_at
    judged_round(project, people, SPLIT, name="Second")
    assert "As of 16 votes" in client.get(URL).text
    assert Measurement.objects.get().newest_vote > kept.newest_vote
