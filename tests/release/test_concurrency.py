"""Others go on while a release is made: it is of one moment, and no two have the same number."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection

from labeling.annotation.judging.ballots import Ballot
from labeling.annotation.judging.claiming import next_assignment
from labeling.annotation.judging.voting import cast_vote
from labeling.annotation.models import Vote
from labeling.corpus.models import Item, Project
from labeling.jobs.models import Job, State
from labeling.refusals import Refusal
from labeling.release import writing
from labeling.release.choosing import choose
from labeling.release.gathering import Gathered, gather
from labeling.release.making import Title, create_release
from labeling.release.models import Release
from tests.annotation.samples import annotators, opened_round
from tests.release.samples import INCLUDE, archive_of, contents, releasable, rocket, run_job

pytestmark = pytest.mark.django_db(transaction=True)


def in_a_thread(act: Any) -> None:
    def run() -> None:
        try:
            act()
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(15)
    assert not thread.is_alive(), "it had to wait for the release"


def test_vote_that_is_cast_while_a_release_is_written_is_stored_and_not_in_it(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = annotators(project, 1)
    Item.objects.bulk_create(rocket(project, number) for number in range(3))
    round = opened_round(project, people)
    for _ in range(2):
        slot = next_assignment(people[0], round)
        assert slot
        cast_vote(people[0], slot.pk, Ballot(uuid4(), INCLUDE))
    last = next_assignment(people[0], round)
    assert last

    def slowly(*arguments: Any) -> Iterator[Gathered]:
        for place, gathered in enumerate(gather(*arguments)):
            if place == 0:
                in_a_thread(lambda: cast_vote(people[0], last.pk, Ballot(uuid4(), INCLUDE)))
            yield gathered

    monkeypatch.setattr(writing, "gather", slowly)
    release, job = create_release(choose(project), Title("Rockets"), by=None)
    assert run_job(job).state == State.FINISHED, job.error
    release.refresh_from_db()
    assert Vote.objects.count() == 3
    assert release.statistics["votes"]["in_force"] == 2
    assert contents(archive_of(release))["votes.csv"].count("\r\n") == 3
    assert (job.done, job.total) == (3, 3)


def test_progress_can_be_seen_and_the_job_cancelled_while_it_is_written(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    releasable(project)
    monkeypatch.setattr(writing, "BATCH", 2)
    seen: list[int] = []

    def cancelled(*arguments: Any) -> Iterator[Gathered]:
        for place, gathered in enumerate(gather(*arguments)):
            in_a_thread(lambda: seen.append(Job.objects.get(pk=job.pk).done))
            if place == 5:
                in_a_thread(lambda: Job.objects.filter(pk=job.pk).update(cancel_requested_at="2026-01-01T00:00Z"))
            yield gathered

    monkeypatch.setattr(writing, "gather", cancelled)
    release, job = create_release(choose(project), Title("Rockets"), by=None)
    assert run_job(job).state == State.CANCELLED
    assert seen == [0, 0, 2, 2, 4, 4]
    release.refresh_from_db()
    assert not release.is_frozen


def test_two_who_release_at_once_get_one_number_each_or_are_told_to_wait(project: Project) -> None:
    releasable(project)
    made: list[int] = []
    told: list[str] = []
    start = threading.Barrier(4)

    def release() -> None:
        start.wait()
        try:
            made.append(create_release(choose(project), Title("Rockets"), by=None)[0].number)
        except Refusal as refusal:
            told.append(str(refusal))
        finally:
            connection.close()

    threads = [threading.Thread(target=release) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [1]
    assert told == ["Release 1 is being made. Wait until it is done, or cancel its job."] * 3
    assert Release.objects.count() == 1
