"""A round and an edit at the same moment, in real threads: no vote ever answers to a text it was not cast under."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from time import sleep

import pytest
from django.db import connection, transaction

from labeling.annotation.models import Round, RoundState
from labeling.annotation.protocols import editing
from labeling.annotation.protocols.codebook import Codebook
from labeling.annotation.protocols.models import Protocol, ProtocolVersion, held_version
from labeling.annotation.rounds.changing import use_version
from labeling.corpus.models import Project
from labeling.people.models import User
from tests.annotation.protocols.samples import codebook
from tests.annotation.protocols.voting import hold_an_assignment

pytestmark = pytest.mark.django_db(transaction=True)
PATIENCE = 15


def edit(protocol: Protocol, by: User, based_on: str) -> int:
    """Saves a text with another meaning, in a thread of its own; the number of the version it became."""
    try:
        new = Codebook.read(codebook(guideline="now the other way round"))
        return editing.save_protocol(protocol, codebook=new, based_on=based_on, by=by).number
    finally:
        connection.close()


@pytest.fixture
def protocol(project: Project, alice: User) -> Protocol:
    return editing.create_protocol(project, codebook=Codebook.read(codebook()), by=alice)


def test_edit_waits_for_a_round_that_begins_to_ask_by_the_version(protocol: Protocol, alice: User, bob: User) -> None:
    """And then it makes the next one: what the round asks, and votes answer to, stays as it was."""
    round = hold_an_assignment(protocol.latest, by=bob).round
    Round.objects.filter(pk=round.pk).update(state=RoundState.OPEN)
    newer = Codebook.read(codebook(guideline="newer"))
    version = editing.save_protocol(protocol, codebook=newer, based_on=protocol.latest.state, by=alice)
    assert (version.number, version.is_in_use) == (2, False)
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            use_version(round, version, by=alice)
            edited: Future[int] = pool.submit(edit, protocol, alice, version.state)
            sleep(0.5)
            assert not edited.done()
        assert edited.result(PATIENCE) == 3
    round.refresh_from_db()
    assert round.protocol.codebook.guideline == "newer"


def test_version_that_a_round_asks_by_is_not_changed(protocol: Protocol, alice: User, bob: User) -> None:
    version = protocol.latest
    hold_an_assignment(version, by=bob)
    new = Codebook.read(codebook(guideline="new"))
    assert editing.save_protocol(protocol, codebook=new, based_on=version.state, by=alice).number == 2
    version.refresh_from_db()
    assert version.codebook.guideline == ""


def test_two_rounds_do_not_wait_for_each_other(protocol: Protocol, bob: User) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has one writer at a time")
    pk = protocol.latest.pk

    def hold() -> int:
        try:
            with transaction.atomic():
                return held_version(pk).pk
        finally:
            connection.close()

    with transaction.atomic(), ThreadPoolExecutor(1) as pool:
        held_version(pk)
        assert pool.submit(hold).result(PATIENCE) == pk


def test_version_that_is_not_there(project: Project) -> None:
    with transaction.atomic(), pytest.raises(ProtocolVersion.DoesNotExist):
        held_version(404)


def test_two_people_save_at_once(protocol: Protocol, alice: User, bob: User) -> None:
    """One is stored, the other told, whoever comes first."""
    opened = protocol.latest.state

    def save(person: User) -> str:
        try:
            new = Codebook.read(codebook(guideline=f"by {person.name}"))
            return editing.save_protocol(protocol, codebook=new, based_on=opened, by=person).codebook.guideline
        except editing.ChangedMeanwhile:
            return "told"
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(save, [alice, bob]))
    stored = protocol.latest.codebook.guideline
    assert sorted(outcomes) == sorted([stored, "told"])
