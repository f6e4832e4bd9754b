"""A release comes back as a project, and a release made there is the same again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from labeling.annotation.judging.ballots import Ballot
from labeling.annotation.judging.claiming import next_assignment
from labeling.annotation.judging.voting import cast_vote
from labeling.annotation.models import Assignment, ProtocolVersion, Round, Vote
from labeling.annotation.rounds.changing import close_round
from labeling.consensus.models import Case
from labeling.corpus.browsing import filtered
from labeling.corpus.models import Item, Project
from labeling.people.models import User
from labeling.refusals import Invalid
from labeling.release.checking import check_now
from labeling.release.choosing import choose
from labeling.release.importing import import_release
from tests.annotation.samples import annotators, assert_sound, opened_round
from tests.release.forging import forged
from tests.release.samples import EXCLUDE, INCLUDE, archive_of, contents, judge_rows, releasable, released, rocket

pytestmark = pytest.mark.django_db


def test_release_of_an_import_is_the_same_bytes(project: Project, alice: User) -> None:
    releasable(project)
    release = released(project, notes="A trial.", authors="A. Author", licence="MIT")
    copy = import_release(archive_of(release), slug="copy", by=alice)
    again = released(copy, notes="A trial.", authors="A. Author", licence="MIT")
    assert contents(archive_of(again)) == contents(archive_of(release))
    assert archive_of(again).read_bytes() == archive_of(release).read_bytes()
    assert (again.number, again.digest) == (release.number, release.digest)
    for round in Round.objects.filter(project=copy):
        assert_sound(round)


def test_later_release_with_revisions_repeats_flags_and_open_cases_comes_again(project: Project, alice: User) -> None:
    people = annotators(project, 3)
    Item.objects.bulk_create(rocket(project, number) for number in range(8))
    round = opened_round(project, people, votes=2, repeat_every=2, repeat_distance=1)
    vote_by_turns(round, people)
    close_round(round, by=None)
    waive_open(project)
    released(project)
    project.waivers.create(guard="typo", item="rocket-001", reason="A slip.", leave_out=True)
    second = released(project)
    files = contents(archive_of(second))
    figures = second.statistics
    assert figures["votes"]["revised"] > 0
    assert figures["votes"]["repeats"] > 0
    assert figures["votes"]["flagged"] > 0
    assert figures["cases"]["state"]["open"] > 0
    copy = import_release(archive_of(second), slug="copy", by=alice)
    again = released(copy)
    assert contents(archive_of(again)) == files
    assert again.number == 2
    for case in Case.objects.filter(round__project=copy):
        assert len(case.raters) == len(case.voted)  # each voter has a letter


def vote_by_turns(round: Round, people: list[User]) -> None:
    turn = 0
    while assignments := [(user, slot) for user in people if (slot := next_assignment(user, round))]:
        for user, slot in assignments:
            turn += 1
            answers = EXCLUDE if turn % 5 == 0 else INCLUDE
            vote = cast_vote(user, slot.pk, Ballot(uuid4(), answers, flag="Look." if turn % 7 == 0 else ""))
            held = Assignment.objects.get(pk=slot.pk)
            if turn % 4 == 0 and held.round_item.votes < held.round_item.wanted:
                cast_vote(user, slot.pk, Ballot(uuid4(), INCLUDE, revises=vote.revision))


def waive_open(project: Project) -> None:
    for one in check_now(choose(project)).findings:
        project.waivers.create(guard=one.guard, item=one.item, reason="It stays open.")


def test_first_release_of_a_changed_import_has_the_next_number_and_a_list(project: Project, alice: User) -> None:
    releasable(project)
    release = released(project)
    copy = import_release(archive_of(release), slug="copy", by=alice)
    case = Case.objects.filter(round__project=copy).earliest("pk")
    decision = case.decisions.create(answers=EXCLUDE, rationale="No.", made_by=alice, number=2, voted=case.voted)
    Case.objects.filter(pk=case.pk).update(decision=decision)
    again = released(copy)
    assert (again.number, again.changes["removed"]) == (2, 1)
    files = contents(archive_of(again))
    assert json.loads(files["changes.json"])["previous"] == {"number": 1, "digest": release.digest}
    assert "# Rockets, release 2\n" in files["README.md"]


def test_raters_of_an_import_cannot_log_in(project: Project, alice: User) -> None:
    releasable(project)
    copy = import_release(archive_of(released(project)), slug="copy", by=alice)
    people = User.objects.filter(memberships__project=copy).exclude(pk=alice.pk)
    assert sorted(people.values_list("email", "name")) == [(f"r{n}@copy.invalid", f"R{n}") for n in (1, 2, 3, 4)]
    assert not any(person.is_active or person.has_usable_password() for person in people)


def test_import_by_command(project: Project, alice: User, capsys: pytest.CaptureFixture[str]) -> None:
    releasable(project)
    path = archive_of(released(project))
    call_command("import_release", str(path), project="copy", coordinator=alice.email, name="A copy")
    assert json.loads(capsys.readouterr().out) == {"project": "copy", "items": 8, "rounds": 1, "raters": 4}
    with pytest.raises(CommandError, match="already has the address"):
        call_command("import_release", str(path), project="copy", coordinator=alice.email)


def test_import_that_cannot_be_read_leaves_nothing(project: Project, alice: User, tmp_path: Path) -> None:
    releasable(project)
    path = forged(
        archive_of(released(project)), tmp_path, "rounds.json", lambda text: text.replace('"handing"', '"hand"')
    )
    with pytest.raises(Invalid, match="cannot be read: KeyError"):
        import_release(path, slug="copy", by=alice)
    assert not Project.objects.filter(slug="copy").exists()
    assert not User.objects.filter(email__endswith=".invalid").exists()


@pytest.mark.parametrize("name", ["rounds.json", "changes.json"])
def test_what_would_fill_the_memory_is_not_read(
    project: Project, alice: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A small ZIP can hold a large file; those that are read as one have a largest size."""
    releasable(project)
    path = forged(archive_of(released(project)), tmp_path, name, lambda text: text + " " * 100_000)
    monkeypatch.setattr("labeling.release.verifying.LARGEST_WHOLE", 50_000)
    with pytest.raises(Invalid, match=f"{name} is larger than"):
        import_release(path, slug="copy", by=alice)
    assert not Project.objects.filter(slug="copy").exists()


def test_second_round_comes_along(project: Project, alice: User) -> None:
    first = releasable(project)
    people = [rater.user for rater in first.raters.select_related("user")]
    second = opened_round(project, people[:2], name="Second", handing="planned", protocol=first.protocol)
    judge_rows(second, people[:2], [[INCLUDE, INCLUDE]] * 8)
    release = released(project)
    copy = import_release(archive_of(release), slug="copy", by=alice)
    assert archive_of(released(copy)).read_bytes() == archive_of(release).read_bytes()


def test_decided_cases_of_an_import_have_a_history_and_a_page(
    project: Project, alice: User, enter: Callable[[User], Client]
) -> None:
    releasable(project)
    copy = import_release(archive_of(released(project)), slug="copy", by=alice)
    cases = Case.objects.filter(round__project=copy).order_by("round_item__item__key")
    verbs = [[event.verb for event in case.events.order_by("version")] for case in cases]
    assert verbs == [["opened", "agreed with everybody"], ["opened", "decided"], ["opened", "agreed with everybody"]]
    for case in cases:
        assert case.version == case.events.count()
        text = enter(alice).get(f"/projects/copy/cases/{case.pk}/?state=decided").text
        assert "The case was opened" in text
    assert cases[0].confirmations.count() == 3
    assert [str(event.actor) for event in cases[1].events.filter(verb="decided")] == ["R4"]


def test_items_of_an_import_can_be_searched(project: Project, alice: User) -> None:
    releasable(project)
    copy = import_release(archive_of(released(project)), slug="copy", by=alice)
    assert [item.key for item in filtered(copy, words="fetchMendResult")] == ["rocket-000"]


def test_release_of_a_round_that_is_still_judged_comes_again(project: Project, alice: User) -> None:
    people = annotators(project, 2)
    Item.objects.bulk_create(rocket(project, number) for number in range(4))
    round = opened_round(project, people, votes=2)
    for user, count in ((people[0], 3), (people[1], 4)):  # the first leaves an item with one vote, somewhere amid them
        for _ in range(count):
            slot = next_assignment(user, round)
            assert slot
            cast_vote(user, slot.pk, Ballot(uuid4(), INCLUDE))
    waiting = Vote.objects.filter(assignment__round_item__votes=1)
    other = ProtocolVersion.objects.create(protocol=round.protocol.protocol, content=round.protocol.content, number=2)
    assert waiting.update(protocol=other) == 1
    Item.objects.filter(in_rounds__votes=1).update(kind="text_pair")
    release = released(project)
    assert release.statistics["items"]["judged"] == 3
    copy = import_release(archive_of(release), slug="copy", by=alice)
    assert archive_of(released(copy)).read_bytes() == archive_of(release).read_bytes()
