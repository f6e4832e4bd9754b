"""The queue: what waits for whom, narrowed, paged, and settled many at once only where the same is proposed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from labeling.consensus import listing
from labeling.consensus.deciding import confirm
from labeling.consensus.listing import Filters, narrowed, neighbours, waiting_for
from labeling.consensus.models import Case, CaseState
from labeling.consensus.routing import set_rule
from labeling.corpus.models import Project
from labeling.people.access import take_seat
from labeling.people.models import User
from tests.annotation.samples import EXCLUDE, INCLUDE, items, opened_round
from tests.consensus.samples import adjudicator, disputed, judged, proposed, version

pytestmark = pytest.mark.django_db
Enter = Callable[[User], Client]
HOME = "/projects/names/cases/"


def shown(client: Client, query: str = "") -> int:
    return client.get(f"{HOME}?{query}").text.count("data-row")


def test_opening_the_queue_brings_it_up_to_date(project: Project, people: list[User], enter: Enter) -> None:
    items(project, 2)
    round = opened_round(project, people)
    judged(round, people, {"": [INCLUDE, EXCLUDE, EXCLUDE]})
    assert not Case.objects.exists()
    assert shown(enter(people[0])) == 2


def test_filters_narrow_it(project: Project, people: list[User], enter: Enter) -> None:
    items(project, 4, groups=2)
    round = opened_round(project, people)
    keys = sorted(round.items.values_list("item__key", flat=True))
    other = {"include": "yes", "criteria": ["convention"]}
    judged(round, people, {keys[0]: [INCLUDE, INCLUDE, other], "": [INCLUDE, EXCLUDE, EXCLUDE]})
    client = enter(people[0])
    assert shown(client) == 4
    assert shown(client, "question=include") == 3
    assert shown(client, "question=criteria") == 4
    assert shown(client, "question=nothing") == 0
    assert shown(client, "repository=acme/rockets1") == 2
    pattern = "criteria: suggested ×2, convention ×1"
    assert Case.objects.filter(pattern=pattern).count() == 1
    assert client.get(HOME, {"pattern": pattern}).text.count("data-row") == 1
    assert shown(client, f"round={round.pk}") == 4
    assert shown(client, "days=7") == 0
    Case.objects.filter(pattern=pattern).update(opened_at=timezone.now() - timedelta(days=8))
    assert shown(client, "days=7") == 1
    assert shown(client, "days=999999999") == 0  # before any calendar
    assert shown(client, "state=decided") == 0
    assert shown(client, "state=x&who=y&round=z&days=-1&question=%00") == 4


def test_what_waits_for_whom(project: Project, people: list[User], alice: User) -> None:
    first, second = disputed(project, people, count=2)
    seats = {user: take_seat(user, "names") for user in (*people, alice)}
    assert waiting_for(seats[people[0]]).count() == 2
    proposed(people[0], first)
    assert list(waiting_for(seats[people[0]])) == [second]
    assert waiting_for(seats[people[1]]).count() == 2
    assert waiting_for(seats[alice]).count() == 0
    set_rule(first.round, way="adjudicator", others="discussion", names_shown=False, by=None)
    Case.objects.filter(pk=second.pk).update(way="adjudicator")
    assert list(waiting_for(seats[alice])) == [second]
    judith = adjudicator(project)
    Case.objects.filter(pk=second.pk).update(adjudicator=judith)
    assert list(waiting_for(take_seat(judith, "names"))) == [second]
    assert not waiting_for(seats[alice]).exists()


def test_pages_follow_each_other_without_gap_or_repetition(
    project: Project, people: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = disputed(project, people, count=5)
    Case.objects.filter(pk__in=[case.pk for case in cases[:3]]).update(opened_at=timezone.now())  # at once
    monkeypatch.setattr(listing, "PAGE", 2)
    seat, seen, after = take_seat(people[0], "names"), [], 0
    while True:
        page = listing.page_of(seat, Filters(), after=after)
        seen += [case.pk for case in page.cases]
        if page.next_after is None:
            break
        after = page.next_after
    assert seen == list(narrowed(seat, Filters()).values_list("pk", flat=True))
    assert len(seen) == page.count.found == 5
    ordered = [Case.objects.get(pk=pk) for pk in seen]
    assert neighbours(seat, Filters(), ordered[2]) == (seen[1], seen[3])
    assert neighbours(seat, Filters(), ordered[0])[0] is None


def test_the_same_proposal_in_many_cases_is_confirmed_together(
    project: Project, people: list[User], enter: Enter
) -> None:
    cases = disputed(project, people, count=4)
    for case in cases[:3]:
        confirm(people[1], case.pk, proposed(people[0], case).pk, seen=version(case))
    other = proposed(people[0], cases[3], INCLUDE)
    client = enter(people[2])
    text = client.get(HOME + "alike/").text
    assert "3 cases" in text
    digest = text.split("?answers=")[1].split('"')[0]
    page = client.get(HOME + f"alike/?answers={digest}").text
    chosen = [part.split('"')[0] for part in page.split('name="case" value="')[1:]]
    assert len(chosen) == 3
    assert not Case.objects.filter(state=CaseState.DECIDED).exists()  # to look is not to confirm
    unlike = f"{cases[3].pk}-{other.pk}-{version(cases[3])}"
    for wrong in ([*chosen, unlike], [], ["1-2"], [f"{cases[0].pk}-{other.pk}-1"], ["x-y-z"],
                  [f"{cases[0].pk}-{'9' * 20}-1"], [f"{cases[0].pk}-{'9' * 5_000}-1"]):  # fmt: skip
        assert client.post(HOME + "alike/", {"case": wrong}).status_code == 422
    assert not Case.objects.filter(state=CaseState.DECIDED).exists()
    proposed(people[0], cases[0], INCLUDE)  # somebody changes their mind meanwhile
    answer = client.post(HOME + "alike/", {"case": chosen}, follow=True)
    assert Case.objects.filter(state=CaseState.DECIDED).count() == 2
    assert "confirmed the proposals of 2 cases" in answer.text
    assert "proposed an answer" in answer.text


def test_cases_of_others_cannot_be_confirmed_in_bulk(
    project: Project, people: list[User], enter: Enter, bob: User
) -> None:
    (case,) = disputed(project, people)
    proposal = proposed(people[0], case)
    answer = enter(bob).post(HOME + "alike/", {"case": [f"{case.pk}-{proposal.pk}-{version(case)}"]})
    assert answer.status_code == 422
    assert case.round_item.item.title not in answer.text
