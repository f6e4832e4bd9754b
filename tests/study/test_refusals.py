"""What is not taken: each with its status and a sentence, and nothing is stored or changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from labeling.corpus.models import Project
from labeling.study.fieldwork.inviting import open_to_all, revoke_link, revoke_open_link
from labeling.study.models import Study
from labeling.study.taking.leaving import withdraw
from labeling.study.taking.models import Line, Page, Participant
from tests.study.driving import REASON, Taker
from tests.study.studies import answers_of, in_state, study_of

pytestmark = pytest.mark.django_db


def stored() -> list[Any]:
    return [list(model.objects.order_by("pk").values()) for model in (Line, Page, Participant)]


@pytest.fixture
def taker(project: Project) -> Taker:
    """On the first page, with nothing answered."""
    taker = Taker(study_of(project))
    taker.get(taker.begin())
    return taker


def page_of(taker: Taker) -> str:
    return taker.url(f"page/{taker.participant.pages.get(position=1).code}/")


@pytest.mark.parametrize(
    ("change", "status", "words"),
    [
        ({"answer": "maybe"}, 422, "yes or no"),
        ({"answer": ""}, 422, "yes or no"),
        ({"answer": "no", "reason": "because"}, 422, "is not one of completely_inconsistent"),
        ({"answer": "yes", "reason": REASON}, 422, "only when the answer is no"),
        ({"line": "0123456789abcdef"}, 404, "not on your sheet"),
        ({"revision": "-1"}, 422, "whole number"),
        ({"revision": "٣"}, 422, "whole number"),
        ({"active": "nan"}, 422, "seconds"),
        ({"hidden": "soon"}, 422, "seconds"),
        ({"form": "x"}, 403, "Reload the page"),
    ],
)
def test_answer_that_is_not_right(taker: Taker, change: dict[str, str], status: int, words: str) -> None:
    before = stored()
    sent = {"line": taker.lines()[0], "answer": "no", "reason": REASON, "revision": "0", **change}
    response = taker.post(f"{page_of(taker)}answer/", sent, headers={"Accept": "application/json"})
    assert response.status_code == status
    assert words in response.json()["error"]
    assert stored() == before


def test_form_with_one_wrong_answer_stores_none_and_shows_all(taker: Taker) -> None:
    before, (first, second, *_) = stored()[0], taker.lines()
    sent = {f"answer.{first}": "yes", f"answer.{second}": "yes", f"reason.{second}": REASON, "comment": "Hm."}
    response = taker.post(page_of(taker), sent)
    assert response.status_code == 422
    assert "only when the answer is no" in response.text
    assert response.text.count('value="yes" aria-label') == 4
    assert "Hm." in response.text
    assert stored()[0] == before


def test_reason_alone_is_no_answer(taker: Taker) -> None:
    before = stored()[0]
    response = taker.post(page_of(taker), {f"reason.{taker.lines()[0]}": REASON})
    assert response.status_code == 422
    assert stored()[0] == before


def test_stale_tab_does_not_overwrite_what_another_changed(taker: Taker) -> None:
    line, place = taker.lines()[0], page_of(taker)
    taker.post(f"{place}answer/", {"line": line, "answer": "no", "reason": REASON, "revision": "0"})
    before = stored()[0]
    late = taker.post(
        f"{place}answer/", {"line": line, "answer": "yes", "revision": "0"}, headers={"Accept": "application/json"}
    )
    assert late.status_code == 409
    assert "another tab or on another device, so this was not stored" in late.json()["error"]
    whole = taker.post(place, {f"answer.{line}": "yes", f"revision.{line}": "0", "go": "next"})
    assert whole.status_code == 409
    assert stored()[0] == before


def test_stale_tab_does_not_overwrite_a_comment(taker: Taker) -> None:
    place = page_of(taker)
    taker.post(place, {"comment": "First.", "comment_was": "", "go": "back"})
    assert taker.post(place, {"comment": "Second.", "comment_was": "", "go": "back"}).status_code == 409
    assert taker.participant.pages.get(position=1).comment == "First."
    assert taker.post(place, {"comment": "Both.", "comment_was": "First.", "go": "back"}).status_code == 302


def test_comment_is_saved_by_itself_and_twice_is_once(taker: Taker) -> None:
    place = f"{page_of(taker)}comment/"
    for known in ([""], [""], ["", "First."]):
        assert taker.post(place, {"comment": "First.", "comment_was": known}).status_code == 204
    # The answer to “Second.” was lost on its way: the tab knows that it may have stored it.
    assert taker.post(place, {"comment": "Second.", "comment_was": ["First."]}).status_code == 204
    assert taker.post(place, {"comment": "Third.", "comment_was": ["First.", "Second.", "Lost."]}).status_code == 204
    for sent, status in (
        ({"comment": "Mine.", "comment_was": "First."}, 409),
        ({"comment_was": "Third."}, 422),
        ({"comment": "x" * 5001, "comment_was": "Third."}, 422),
    ):
        assert taker.post(place, sent).status_code == status
    assert Taker(taker.study).post(place, {"comment": "Theirs.", "comment_was": "Third."}).status_code == 403
    assert taker.study.participants.get(number=1).pages.get(position=1).comment == "Third."


def test_tab_that_knows_less_takes_nothing_away(taker: Taker) -> None:
    line, place = taker.lines()[0], page_of(taker)
    taker.post(f"{place}answer/", {"line": line, "answer": "yes", "revision": "0"})
    taker.post(place, {"go": "back"})
    assert answers_of(taker.participant)[0] == ("yes", "")


def test_token_of_another_study(project: Project) -> None:
    one, other = study_of(project), study_of(project, name="Other")
    token = Taker(one).link.rstrip("/").rsplit("/", 1)[1]
    wrong = Taker(other, f"/s/{other.code}/link/{token}/")
    response = wrong.open()
    assert response.status_code == 410
    assert "not one of this study" in response.text
    wrong.client.cookies["participant"] = token
    assert wrong.get(wrong.url()).status_code == 410


def test_sheet_of_another_participant(taker: Taker) -> None:
    other = Taker(taker.study)
    other.begin()
    mine, theirs = taker.study.participants.order_by("number")
    place = taker.url(f"page/{theirs.pages.get(position=1).code}/")
    line = Line.objects.filter(page__participant=theirs).first()
    before = stored()
    assert line
    assert taker.get(place).status_code == 404
    assert taker.post(place, {f"answer.{line.code}": "yes"}).status_code == 404
    assert taker.post(f"{place}answer/", {"line": line.code, "answer": "yes", "revision": "0"}).status_code == 404
    own = taker.url(f"page/{mine.pages.get(position=1).code}/answer/")
    assert taker.post(own, {"line": line.code, "answer": "yes", "revision": "0"}).status_code == 404
    assert stored() == before


def close(study: Study) -> None:
    in_state(study, "closed")


def revoke(study: Study) -> None:
    revoke_link(study.participants.get(), by=None)


def delete(study: Study) -> None:
    withdraw(study.participants.get(), "delete")


def stop(study: Study) -> None:
    withdraw(study.participants.get(), "keep")


@pytest.mark.parametrize(
    ("act", "words"),
    [(close, "was closed on"), (revoke, "withdrawn by those"), (delete, "withdrew from this"), (stop, "You left this")],
)
def test_answers_that_come_too_late(taker: Taker, act: Callable[[Study], None], words: str) -> None:
    place, line = page_of(taker), taker.lines()[0]
    act(taker.study)
    before = stored()
    sent = {"line": line, "answer": "yes", "revision": "0"}
    response = taker.post(f"{place}answer/", sent, headers={"Accept": "application/json"})
    assert response.status_code == 410
    assert words in response.json()["error"]
    assert taker.post(place, {f"answer.{line}": "yes", "go": "next"}).status_code == 410
    assert taker.post(taker.url("end/"), {"exit_answer": "x"}).status_code == 410
    assert stored() == before


def test_finished_answers_are_final_and_finishing_twice_is_once(project: Project) -> None:
    taker = Taker(study_of(project))
    taker.judge_all()
    taker.finish()
    before = stored()
    assert taker.post(taker.url("end/"), {"exit_answer": "Other."}).status_code == 302
    line = Line.objects.first()
    assert line
    place = taker.url(f"page/{line.page.code}/answer/")
    assert taker.post(place, {"line": line.code, "answer": "no", "revision": "1"}).status_code == 409
    assert stored() == before


def test_finishing_before_the_last_page(taker: Taker) -> None:
    response = taker.post(taker.url("end/"), {})
    assert response.status_code == 409
    assert "4 pages are not complete" in response.text


@pytest.mark.parametrize("state", ["draft", "frozen", "closed"])
def test_study_that_is_not_open_takes_nobody(project: Project, state: str) -> None:
    taker = Taker(study_of(project))
    in_state(taker.study, "open")
    Study.objects.update(opened_at=None)
    if state == "closed":
        in_state(taker.study, "closed")
    before = stored()
    assert taker.open().status_code == 410
    assert taker.post(taker.url("start/"), {"agree": "yes", "version": "1"}).status_code == 410
    assert stored() == before


def test_open_link_that_was_withdrawn(project: Project) -> None:
    study = study_of(project)
    taker = Taker(study, open_to_all(study, by=None))
    revoke_open_link(study, by=None)
    assert taker.open().status_code == 410


@pytest.mark.parametrize("secret", ["open.forged", "open.", "x" * 5000])
def test_forged_cookie(project: Project, secret: str) -> None:
    taker = Taker(study_of(project))
    taker.client.cookies["participant"] = secret
    assert taker.get(taker.url()).status_code == 410


def test_long_identifier_of_a_service(project: Project) -> None:
    taker = Taker.openly(study_of(project), f"?PROLIFIC_PID={'x' * 200}")
    response = taker.open()
    assert response.status_code == 422
    assert "PROLIFIC_PID" in response.text


def test_form_without_agreement(project: Project) -> None:
    taker = Taker(study_of(project))
    taker.open()
    response = taker.post(taker.url("start/"), {"version": "1"})
    assert response.status_code == 422
    assert not Page.objects.exists()


@pytest.mark.parametrize("path", ["nothing/", "page/zzz/", "start/"])
def test_addresses_that_lead_nowhere_say_so_in_the_frame_of_the_study(taker: Taker, path: str) -> None:
    response = taker.get(taker.url(path))
    assert response.status_code in {404, 405}
    assert "Log in" not in response.text
