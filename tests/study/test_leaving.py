from __future__ import annotations

import json

import pytest

from labeling.corpus.models import Project
from labeling.people.models import Activity
from labeling.study.models import Deviation
from labeling.study.taking.models import Line, Page, Step
from tests.study.driving import REASON, Taker
from tests.study.studies import in_state, study_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def taker(project: Project) -> Taker:
    """Halfway: one page judged, with a comment."""
    taker = Taker.openly(study_of(project), "?PROLIFIC_PID=5f00aa&SESSION_ID=one")
    place = taker.begin()
    taker.get(place)
    sent = taker.fill(taker.lines(), lambda _: ("no", REASON))
    taker.post(place, {**sent, "comment": "Odd names.", "go": "next"})
    return taker


def test_stopping_keeps_answers_and_gives_the_sheet_back(taker: Taker) -> None:
    taker.post(taker.url("leave/"), {"choice": "keep"})
    found = taker.participant
    assert (found.step, Line.objects.filter(reason=REASON).count()) == (Step.STOPPED, 4)
    assert found.code in taker.get(taker.url()).text or found.code in taker.get(taker.url("leave/")).text
    other = Taker(taker.study)
    other.start()
    assert other.participant.sheet == found.sheet


def test_deleting_leaves_nothing_that_was_told(taker: Taker) -> None:
    taker.post(taker.url("leave/"), {"choice": "delete"})
    found = taker.participant
    assert found.step == Step.DELETED
    assert (found.background, found.exit_answer, found.external_id) == (None, "", "")
    assert not Page.objects.exists()
    assert not Line.objects.exists()
    page = taker.get(taker.url("leave/"))
    assert found.code in page.text
    other = Taker(taker.study)
    other.start()
    assert other.participant.sheet == found.sheet


def test_finished_participant_can_still_have_everything_deleted(project: Project) -> None:
    taker = Taker(study_of(project))
    taker.judge_all()
    taker.finish()
    assert taker.post(taker.url("leave/"), {"choice": "keep"}).status_code == 409
    in_state(taker.study, "closed")
    assert taker.post(taker.url("leave/"), {"choice": "delete"}).status_code == 302
    assert not Line.objects.exists()
    assert "after the study was closed" in Deviation.objects.get().what


def test_leaving_twice_is_leaving_once(taker: Taker) -> None:
    taker.post(taker.url("leave/"), {"choice": "delete"})
    receipt = taker.participant.code
    taker.post(taker.url("leave/"), {"choice": "delete"})
    assert taker.participant.code == receipt
    assert Activity.objects.filter(verb="noted that").count() == 1


def test_choice_that_is_none(taker: Taker) -> None:
    assert taker.post(taker.url("leave/"), {"choice": "burn"}).status_code == 422
    assert taker.participant.step == Step.STARTED


def test_own_data_are_all_that_is_stored_and_nothing_of_ours(taker: Taker) -> None:
    response = taker.get(taker.url("mine.json"))
    found = json.loads(response.content)
    assert found["recruited_as"] == "5f00aa"
    assert found["background"]["degree"] == "phd"
    assert found["kept_until"]
    first = found["pages"][0]
    assert (first["comment"], len(first["names"]), first["names"][0]["reason"]) == ("Odd names.", 4, REASON)
    assert set(first["names"][0]) == {"name", "answer", "reason", "answered_at", "changes"}
    assert set(first) == {"position", "method", "comment", "first_seen_at", "completed_at", "seconds", "names"}


def test_day_until_which_things_are_kept_is_shown(taker: Taker) -> None:
    until = json.loads(taker.get(taker.url("mine.json")).content)["kept_until"]
    assert until[:4] in taker.get(taker.url("leave/")).text
