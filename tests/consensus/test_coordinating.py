"""The rule, how disagreements end, agreement before and after, the look back, and the commands."""

from __future__ import annotations

import json
from collections.abc import Callable
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from labeling.agreement.choosing import measurable
from labeling.agreement.surveying import survey
from labeling.annotation.models import Round
from labeling.annotation.rounds.changing import add_rater, close_round, reopen_round
from labeling.consensus import looking_back
from labeling.consensus.adjudicating import Verdict, decide, hand_over
from labeling.consensus.comparing import compare
from labeling.consensus.models import Case, Rule, Sitting
from labeling.consensus.movement import movement, standing_of, themes, unclear_notes
from labeling.consensus.routing import route_project, rule_of, set_rule
from labeling.corpus.models import Project
from labeling.people.access import take_seat
from labeling.people.invitations import add_member
from labeling.people.models import Role, User
from tests.annotation.samples import EXCLUDE, INCLUDE, items, opened_round
from tests.consensus.samples import adjudicator, disputed, judged, keys, proposed, version

pytestmark = pytest.mark.django_db
Enter = Callable[[User], Client]


@pytest.fixture
def round(project: Project, people: list[User], alice: User) -> Round:
    """Six items: two unanimous; of four disputed ones two are settled by discussion and one by Judith."""
    items(project, 6)
    round = opened_round(project, people)
    same, other, *disputed = keys(round)
    judged(round, people, {same: [INCLUDE] * 3, other: [EXCLUDE] * 3, "": [INCLUDE, EXCLUDE, EXCLUDE]})
    close_round(round, by=None)
    route_project(project, by=None)
    cases = [Case.objects.get(round_item__item__key=key) for key in disputed]
    for user in people:
        proposed(user, cases[0], EXCLUDE, "No link.")
        proposed(user, cases[1], INCLUDE, "A link.")
    judith = adjudicator(project)
    hand_over(alice, cases[2].pk, judith.pk, seen=version(cases[2]))
    verdict = Verdict("Clear.", EXCLUDE, unclear="What is a link?")
    decide(judith, cases[2].pk, verdict, submission=uuid4(), seen=version(cases[2]))
    Sitting.objects.create(case=cases[0], user=people[0], submission=uuid4(), seconds=100)
    Sitting.objects.create(case=cases[0], user=alice, submission=uuid4(), seconds=50, in_meeting=True)
    round.refresh_from_db()
    return round


def test_how_cases_ended_in_figures(round: Round) -> None:
    found = standing_of(round)
    assert (found.open, found.discussion, found.adjudication, found.rejected) == (1, 2, 1, 0)
    assert (found.seconds, found.seconds_in_meetings, found.seconds_a_case) == (100, 50, 150)


def test_who_moved_towards_whom(round: Round, people: list[User]) -> None:
    Rule.objects.update(names_shown=True)
    first, second, third = movement(round, rule_of(round))
    assert (first.name, first.kept, first.moved, first.overruled) == ("Rater 1", 1, 1, 1)
    assert first.towards == [0, 2, 2]
    assert (second.kept, second.moved, second.overruled) == (2, 1, 0)
    assert second.towards == third.towards == [1, 0, 0]
    Rule.objects.update(names_shown=False)
    assert {one.name for one in movement(round, rule_of(round))} == {"Voter 1", "Voter 2", "Voter 3"}


def test_who_moved_says_nothing_of_votes_on_an_item_that_is_judged_again(
    round: Round, project: Project, people: list[User], bob: User
) -> None:
    dora = User.objects.create_user("dora@example.org")
    add_member(project, user=dora, role=Role.ANNOTATOR, by=None)
    reopen_round(round, by=None)
    for user in (bob, dora):
        add_rater(round, user, by=None)
    judged(round, [bob], {"": [INCLUDE]})
    assert not any(one.kept or one.moved or one.overruled for one in movement(round, rule_of(round)))
    judged(round, [dora], {"": [INCLUDE]})
    assert sum(one.kept for one in movement(round, rule_of(round))) > 0


def test_agreement_after_counts_what_voters_confirmed_and_no_more(round: Round, project: Project) -> None:
    selection = measurable(project, {"round": str(round.pk)})
    found = compare(selection)
    assert (found.items, found.changed) == (6, 2)
    assert found.before["unanimous"]["value"] == pytest.approx(2 / 6)
    assert found.after["unanimous"]["value"] == pytest.approx(4 / 6)
    # Pairs that agree: three in a unanimous item, one in a disputed one.
    assert found.before["pairwise_agreement"]["value"] == pytest.approx((2 * 3 + 4 * 1) / 18)
    assert found.after["pairwise_agreement"]["value"] == pytest.approx((4 * 3 + 2 * 1) / 18)
    criteria = compare(selection.asking(selection.questions[1]))
    assert criteria.before["unanimous"]["value"] == 1  # only those who include answer it
    assert (criteria.items, criteria.items_after) == (1, 1)
    assert criteria.changed == 0  # one voter alone answered it, and took it back: it was measured on neither side


def test_agreement_after_counts_each_item_once_whoever_voted_first(project: Project, people: list[User]) -> None:
    items(project, 4)
    round = opened_round(project, people)
    judged(round, people[::-1], {"": [INCLUDE, EXCLUDE, EXCLUDE]})  # the first slot of each item is the last rater's
    close_round(round, by=None)
    route_project(project, by=None)
    for case in round.cases.all():
        for user in people:
            proposed(user, case, EXCLUDE, "No link.")
    found = compare(measurable(project, {}))
    assert (found.items, found.items_after, found.changed) == (4, 4, 4)
    assert (found.before["unanimous"]["value"], found.after["unanimous"]["value"]) == (0, 1)


def test_agreement_before_is_what_the_page_of_agreement_says(
    round: Round, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("labeling.agreement.surveying.RESAMPLES", 3)  # so few that others would differ
    selection = measurable(project, {"round": str(round.pk)})
    assert compare(selection).before["krippendorff_alpha"] == survey(selection)["agreement"]["krippendorff_alpha"]


def test_themes_and_what_the_guideline_leaves_unclear(round: Round) -> None:
    found = themes(round)
    (pattern,) = found["patterns"]
    assert (pattern["pattern"], pattern["count"], pattern["open"]) == (
        "include: no ×2, yes ×1; criteria: – ×2, suggested ×1", 4, 1,
    )  # fmt: skip
    assert dict(found["questions"]) == {"Are review and rename clearly connected?": 4, "By which criteria?": 4}
    assert [note.unclear for note in unclear_notes(round)] == ["What is a link?"]


def test_the_page_for_coordinators(round: Round, alice: User, people: list[User], enter: Enter) -> None:
    text = enter(alice).get("/projects/names/cases/overview/").text
    for words in ("What is a link?", "33.3 %", "66.7 %", "Voter 1"):
        assert words in text
    assert not any(person.name in text for person in people)
    assert enter(people[0]).get("/projects/names/cases/overview/").status_code == 403


def test_the_rule_is_set_by_its_page(round: Round, alice: User, people: list[User], enter: Enter) -> None:
    page = f"/projects/names/rounds/{round.pk}/rule/"
    client = enter(alice)
    assert "discuss until all confirm" in client.get(page).text
    assert client.post(page, {"way": "dice", "others": "union"}).status_code == 422
    assert client.post(page, {"way": "majority", "others": "union", "names_shown": "on"}).status_code == 302
    rule = rule_of(round)
    assert (rule.way, rule.others, rule.names_shown) == ("majority", "union", True)
    assert enter(people[0]).get(page).status_code == 403


def test_each_annotator_sees_where_the_consensus_differs(
    round: Round, people: list[User], enter: Enter, monkeypatch: pytest.MonkeyPatch
) -> None:
    seat = take_seat(people[0], "names")
    rows = looking_back.look_back(seat).rows
    assert [(row.mine, row.decided, row.differs) for row in rows] == [
        ("Include; Directly suggested", "Exclude", True),
        ("Include; Directly suggested", "Include; Directly suggested", False),
        ("Include; Directly suggested", "Exclude", True),
    ]
    text = enter(people[0]).get("/projects/names/cases/mine/").text
    assert "You said <strong>Include; Directly suggested</strong>" in text
    assert "No link." in text
    monkeypatch.setattr(looking_back, "PAGE", 2)
    page = looking_back.look_back(seat)
    assert page.next_after
    assert looking_back.look_back(seat, after=page.next_after).rows == rows[2:]


def test_who_was_outvoted_sees_it_when_the_round_is_closed(
    project: Project, people: list[User], enter: Enter, monkeypatch: pytest.MonkeyPatch
) -> None:
    items(project, 3)
    round = opened_round(project, people)
    other = {**INCLUDE, "criteria": ["convention"]}
    first, second, third = keys(round)
    judged(round, people, {first: [INCLUDE, EXCLUDE, EXCLUDE], second: [EXCLUDE] * 3, third: [INCLUDE, other, other]})
    set_rule(round, way="majority", others="union", names_shown=False, by=None)
    route_project(project, by=None)
    seats = [take_seat(user, "names") for user in people]
    assert not Case.objects.exists()
    assert not looking_back.outvoted(seats[0]).rows  # the vote could still be revised
    close_round(round, by=None)
    both = "Include; Directly suggested + Naming convention"
    rows = {(row.mine, row.settled, row.why) for row in looking_back.outvoted(seats[0]).rows}
    assert rows == {
        ("Include; Directly suggested", "Exclude", "more than half of the votes"),
        ("Include; Directly suggested", both, "every option that anybody chose"),
    }
    assert [row.settled for row in looking_back.outvoted(seats[1]).rows] == [both]
    assert "more than half of the votes" in enter(people[0]).get("/projects/names/cases/mine/").text
    monkeypatch.setattr(looking_back, "LOOKED_AT", 2)
    page = looking_back.outvoted(seats[0])
    assert page.next_before
    assert len([*page.rows, *looking_back.outvoted(seats[0], before=page.next_before).rows]) == 2
    opened_round(project, people, name="Second")
    assert not looking_back.outvoted(seats[0]).rows  # they are to judge it again


def test_cases_by_command(project: Project, people: list[User], capsys: pytest.CaptureFixture[str]) -> None:
    items(project, 2)
    round = opened_round(project, people)
    judged(round, people, {"": [INCLUDE, EXCLUDE, EXCLUDE]})
    call_command("route_votes", "names")
    assert capsys.readouterr().out == "First\t2 items routed\t2 cases open\n"
    call_command("route_votes", "names")
    assert capsys.readouterr().out == "First\t0 items routed\t2 cases open\n"
    call_command("cases", "names", "--format", "json")
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["state"], row["questions"]) for row in rows] == [("open", ["include", "criteria"])] * 2
    call_command("cases", "names", "--state", "decided")
    assert capsys.readouterr().out == ""


def test_home_says_what_waits(project: Project, people: list[User], enter: Enter, alice: User) -> None:
    from labeling.consensus.talking import post_message
    from tests.consensus.samples import disputed

    (case,) = disputed(project, people)
    text = enter(people[0]).get("/projects/names/").text
    assert "1 case waits for you" in text
    post_message(alice, case.pk, submission=uuid4(), body="@Rater A, @Rater B, @Rater C: please.")
    assert "called upon in 1 new message." in enter(people[0]).get("/projects/names/").text
    enter(people[0]).get(f"/projects/names/cases/{case.pk}/")
    assert "called upon" not in enter(people[0]).get("/projects/names/").text
    assert "Open cases" in enter(alice).get("/projects/names/").text


@pytest.mark.parametrize("size", [6, 24])
def test_overview_costs_the_same_for_few_and_many(
    project: Project, people: list[User], enter: Enter, alice: User, size: int
) -> None:
    cases = disputed(project, people, count=size)
    for case in cases[: size // 2]:
        for user in people:
            proposed(user, case)
    close_round(cases[0].round, by=None)
    client = enter(alice)
    client.get("/projects/names/cases/overview/")
    with CaptureQueriesContext(connection) as queries:
        assert client.get("/projects/names/cases/overview/").status_code == 200
    assert len([one for one in queries if one["sql"].startswith("SELECT")]) == 30
