"""Many who start or answer at the same moment, in real threads: no sheet twice, no answer lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier
from time import sleep
from typing import TypeVar

import pytest
from django.db import connection, transaction

from labeling.corpus.models import Project
from labeling.people.models import new_token
from labeling.refusals import Refusal
from labeling.study.fieldwork.inviting import invite_many, open_to_all
from labeling.study.freezing import close_study
from labeling.study.models import Study
from labeling.study.taking.answering import Given, Stale, save_answer
from labeling.study.taking.entering import Visit, enter_openly, newcomer_secret
from labeling.study.taking.leaving import withdraw
from labeling.study.taking.models import Line, Page, Participant, Step
from labeling.study.taking.starting import start
from tests.study.driving import REASON
from tests.study.studies import study_of

pytestmark = pytest.mark.django_db(transaction=True)
PEOPLE = 20
T = TypeVar("T")


def all_at_once(acts: Sequence[Callable[[], T]]) -> list[T]:
    barrier = Barrier(len(acts))

    def run(act: Callable[[], T]) -> T:
        try:
            barrier.wait(30)
            return act()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


def begin(visit: Visit) -> str:
    try:
        start(visit, version=1)
    except Refusal as refusal:
        return str(refusal)
    return "started"


def visits(study: Study) -> list[Visit]:
    made = invite_many(study, labels=[""] * PEOPLE, by=None)
    return [Visit(study, new_token(), participant=one.participant) for one in made]


@pytest.mark.parametrize("sheets", [PEOPLE, PEOPLE - 5])
def test_twenty_start_at_once_and_no_sheet_is_given_twice(project: Project, sheets: int) -> None:
    study = study_of(project, methods=2, sheets=sheets)
    outcomes = Counter(all_at_once([partial(begin, visit) for visit in visits(study)]))
    assert outcomes["started"] == sheets
    assert all("All places" in words for words in outcomes if words != "started")
    held = Participant.objects.filter(step=Step.STARTED).values_list("sheet__number", flat=True)
    assert sorted(held) == list(range(1, sheets + 1))
    assert Page.objects.count() == 2 * sheets


def test_twenty_come_by_the_open_link_at_once(project: Project) -> None:
    study = study_of(project, methods=2, sheets=PEOPLE)
    token = open_to_all(study, by=None).rstrip("/").rsplit("/", 1)[1]
    secrets = [newcomer_secret(token, f"person{number}", "s") for number in range(PEOPLE)]
    outcomes = all_at_once([partial(begin, enter_openly(study, secret)) for secret in secrets])
    assert outcomes == ["started"] * PEOPLE
    assert sorted(Participant.objects.values_list("number", flat=True)) == list(range(1, PEOPLE + 1))
    assert Participant.objects.values("sheet").distinct().count() == PEOPLE


def test_one_person_who_presses_start_in_many_tabs_gets_one_sheet(project: Project) -> None:
    study = study_of(project, methods=2, sheets=4)
    visit = visits(study)[0]
    assert all_at_once([partial(begin, visit)] * 8) == ["started"] * 8
    assert Page.objects.count() == 2


def answer(participant: Participant, page: str, line: str, given: str) -> str:
    try:
        reason = REASON if given == "no" else ""
        save_answer(participant, page, Given(line, given, reason, revision=0), {})
    except Stale:
        return "stale"
    except Refusal as refusal:
        return str(refusal)
    return given


def test_two_tabs_that_answer_at_once_leave_one_answer_and_tell_the_other(project: Project) -> None:
    study = study_of(project, methods=1, sheets=1)
    visit = visits(study)[0]
    participant, _ = start(visit, version=1)
    page = participant.pages.get()
    for line in page.lines.all():
        acts = [partial(answer, participant, page.code, line.code, given) for given in ("yes", "no")]
        outcomes = all_at_once(acts)
        line.refresh_from_db()
        assert sorted(outcomes) == sorted([line.answer, "stale"])
        assert (line.revision, line.changes) == (1, 0)


def test_answer_and_deletion_at_once_leave_nothing(project: Project) -> None:
    study = study_of(project, methods=1, sheets=1)
    participant, _ = start(visits(study)[0], version=1)
    page = participant.pages.get()
    line = page.lines.first()
    assert line

    def leave() -> str:
        return withdraw(participant, "delete").step

    def give() -> str:
        try:
            return answer(participant, page.code, line.code, "yes")
        except Exception as error:  # noqa: BLE001 (the page may be gone)
            return type(error).__name__

    all_at_once([leave, give])
    assert not Line.objects.exists()
    assert Participant.objects.get(pk=participant.pk).step == Step.DELETED


def test_study_closes_when_the_answer_that_is_being_given_is_stored(project: Project) -> None:
    study = study_of(project, methods=1, sheets=1)
    participant, _ = start(visits(study)[0], version=1)
    page = participant.pages.get()
    first, second, *_ = page.lines.all()

    def close() -> None:
        try:
            close_study(study, by=None)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            assert answer(participant, page.code, first.code, "yes") == "yes"
            closing = pool.submit(close)
            sleep(0.5)
            assert not closing.done()
        closing.result(30)
    assert "was closed on" in answer(participant, page.code, second.code, "yes")
    first.refresh_from_db()
    assert first.answer == "yes"
