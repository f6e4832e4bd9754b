from __future__ import annotations

from typing import Any

import pytest

from labeling.annotation.protocols import editing
from labeling.annotation.protocols.codebook import Codebook
from labeling.annotation.protocols.models import Protocol, ProtocolVersion
from labeling.corpus.models import Project
from labeling.people.models import Activity, User
from labeling.refusals import Invalid
from tests.annotation.protocols.samples import codebook
from tests.annotation.protocols.voting import cast_a_vote


def book(**changes: Any) -> Codebook:
    return Codebook.read(codebook(**changes))


@pytest.fixture
def protocol(project: Project, alice: User) -> Protocol:
    return editing.create_protocol(project, codebook=book(), by=alice)


def save(protocol: Protocol, by: User, *, based_on: str = "", **changes: Any) -> ProtocolVersion:
    return editing.save_protocol(protocol, codebook=book(**changes), based_on=based_on or protocol.latest.state, by=by)


def test_protocol_begins_with_version_1_and_a_line_in_the_log(protocol: Protocol, alice: User) -> None:
    assert (protocol.name, protocol.latest.number, protocol.latest.codebook) == ("Fit", 1, book())
    line = Activity.objects.get(verb="created the protocol")
    assert (line.actor, line.subject) == (alice, "Fit")


def test_version_without_votes_is_changed_in_place(protocol: Protocol, alice: User) -> None:
    first = protocol.latest
    saved = save(protocol, alice, guideline="new")
    assert (saved.pk, saved.number, saved.codebook.guideline) == (first.pk, 1, "new")
    assert protocol.versions.count() == 1
    line = Activity.objects.get(verb="changed the protocol")
    assert line.details == {"version": 1, "before": first.state}


def test_version_with_votes_is_never_changed(protocol: Protocol, alice: User, bob: User) -> None:
    vote = cast_a_vote(protocol.latest, by=bob)
    saved = save(protocol, alice, guideline="new")
    assert saved.number == 2
    vote.refresh_from_db()
    assert (vote.protocol.number, vote.protocol.codebook) == (1, book())
    assert Activity.objects.filter(verb="made a new version of the protocol", subject="Fit").count() == 1
    assert save(protocol, alice, guideline="newer").number == 2


def test_saving_the_same_text_does_nothing(protocol: Protocol, alice: User, bob: User) -> None:
    cast_a_vote(protocol.latest, by=bob)
    lines = Activity.objects.count()
    assert save(protocol, alice).number == 1
    assert Activity.objects.count() == lines


def test_second_editor_is_told_who_saved_first(protocol: Protocol, alice: User, bob: User) -> None:
    opened = protocol.latest.state
    save(protocol, bob, guideline="by Bob", based_on=opened)
    with pytest.raises(editing.ChangedMeanwhile, match="Bob saved version 1 at"):
        save(protocol, alice, guideline="by Alice", based_on=opened)
    assert protocol.latest.codebook.guideline == "by Bob"


def test_second_editor_is_told_of_a_new_version(protocol: Protocol, alice: User, bob: User) -> None:
    opened = protocol.latest.state
    cast_a_vote(protocol.latest, by=bob)
    save(protocol, bob, guideline="by Bob", based_on=opened)
    with pytest.raises(editing.ChangedMeanwhile, match="version 2"):
        save(protocol, alice, guideline="by Alice", based_on=opened)


def test_two_editors_with_the_same_text_are_both_content(protocol: Protocol, alice: User, bob: User) -> None:
    opened = protocol.latest.state
    save(protocol, bob, guideline="x", based_on=opened)
    assert save(protocol, alice, guideline="x", based_on=opened).number == 1


def test_title_is_taken_once_in_a_project(protocol: Protocol, project: Project, alice: User) -> None:
    with pytest.raises(Invalid, match="already has a protocol “Fit”"):
        editing.create_protocol(project, codebook=book(), by=alice)
    other = editing.create_protocol(project, codebook=book(), by=alice, title=" Other ")
    assert (other.name, other.latest.codebook.title) == ("Other", "Other")
    with pytest.raises(Invalid, match="already has a protocol “Fit”"):
        save(other, alice, title="Fit")
    assert other.latest.codebook.title == "Other"


def test_new_title_renames_the_protocol(protocol: Protocol, alice: User) -> None:
    save(protocol, alice, title="Better")
    protocol.refresh_from_db()
    assert protocol.name == "Better"


@pytest.mark.parametrize("title", ["x" * 121, "a\nb", "a\x00b", "  "])
def test_bad_title_is_refused(project: Project, alice: User, title: str) -> None:
    with pytest.raises(Invalid, match="title: "):
        editing.create_protocol(project, codebook=book(), by=alice, title=title)


def test_built_in_protocol_is_taken_twice(project: Project, alice: User) -> None:
    names = [editing.create_built_in(project, name="rename4j", by=alice).name for _ in range(3)]
    first = "Review and rename (rename4j)"
    assert names == [first, f"{first} (2)", f"{first} (3)"]


def test_unknown_built_in_protocol(project: Project, alice: User) -> None:
    with pytest.raises(Invalid, match=r"no built-in protocol “x”\. Built in: rename4j, equivalence, paraphrase"):
        editing.create_built_in(project, name="x", by=alice)


def test_blank_protocol_can_be_used_as_it_is(project: Project, alice: User) -> None:
    assert editing.create_blank(project, by=alice).latest.codebook.questions[0].option_keys == ["yes", "no"]
