"""A participant's way through a study, over HTTP, by plain forms."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from labeling.corpus.models import Project
from labeling.study.models import StudyText
from labeling.study.presets import FOUR_NAMES
from labeling.study.taking.models import Line, Page, Participant, Step
from tests.study.driving import REASON, Taker
from tests.study.studies import answers_of, study_of

pytestmark = pytest.mark.django_db


def test_whole_way_by_plain_forms(project: Project) -> None:
    taker = Taker(study_of(project))
    taker.judge_all(lambda place: ("no", REASON) if place % 2 else ("yes", ""))
    thanks = taker.finish()
    found = taker.participant
    assert (found.step, found.exit_answer, found.consent.version) == (Step.FINISHED, "No.", 1)  # type: ignore[union-attr]
    assert found.background["years_java"] == 4.5  # type: ignore[index]
    assert found.code in thanks.text
    assert answers_of(found) == [("yes", ""), ("no", REASON), ("yes", ""), ("no", REASON)] * 4


@pytest.mark.parametrize("method", ["get", "head"])
def test_opening_a_link_starts_nothing(project: Project, method: str) -> None:
    taker = Taker(study_of(project))
    response = getattr(taker.client, method)(taker.link.replace("http://127.0.0.1:8000", ""), follow=True)
    assert response.status_code == 200
    found = taker.participant
    assert (found.step, found.sheet, found.seen_at, found.consent) == (Step.INVITED, None, None, None)
    assert not Page.objects.exists()


def test_pages_carry_the_token_of_their_forms(project: Project) -> None:
    taker = Taker(study_of(project))
    assert f'name="form" value="{taker.open() and taker.form}"' in taker.received[-1].text  # type: ignore[attr-defined]


def test_secret_leaves_the_address_for_a_cookie_of_this_study(project: Project) -> None:
    taker = Taker(study_of(project))
    taker.open()
    first, home = taker.received
    assert first["Location"] == taker.url()
    cookie = taker.client.cookies["participant"]
    assert (cookie["path"], cookie["httponly"], cookie["samesite"]) == (taker.url(), True, "Lax")
    assert taker.link.rstrip("/").rsplit("/", 1)[1] not in home.text  # type: ignore[attr-defined]


def test_names_stand_in_the_order_of_the_sheet_under_codes_of_their_own(project: Project) -> None:
    study = study_of(project)
    taker = Taker(study)
    taker.begin()
    sheet = study.sheets.get(number=1)
    pages = list(taker.participant.pages.order_by("position"))
    stored = [[page.method_id, list(page.lines.order_by("place").values_list("name_id", flat=True))] for page in pages]
    assert stored == sheet.plan
    codes = [*Page.objects.values_list("code", flat=True), *Line.objects.values_list("code", flat=True)]
    assert len(set(codes)) == len(codes)


def test_resumes_on_another_device_where_it_was_left(project: Project) -> None:
    taker = Taker(study_of(project))
    place = taker.begin()
    taker.get(place)
    lines = taker.lines()
    second = taker.post(place, {**taker.fill(lines, lambda _: ("yes", "")), "go": "next", "comment": "Odd."})[
        "Location"
    ]
    elsewhere = Taker(taker.study, taker.link)
    assert elsewhere.open()["Location"] == second
    page = elsewhere.get(place)
    assert page.text.count(" checked") == 2 * len(lines)  # the answer, and no reason
    assert "Odd." in page.text


def test_back_loses_nothing(project: Project) -> None:
    taker = Taker(study_of(project))
    place = taker.begin()
    taker.get(place)
    second = taker.post(place, {**taker.fill(taker.lines(), lambda _: ("yes", "")), "go": "next"})["Location"]
    taker.get(second)
    half = taker.fill(taker.lines()[:2], lambda _: ("no", REASON))
    assert taker.post(second, {**half, "go": "back"})["Location"] == place
    assert answers_of(taker.participant)[4:6] == [("no", REASON)] * 2


def test_page_that_is_not_complete_keeps_what_was_given_and_points_at_the_rest(project: Project) -> None:
    taker = Taker(study_of(project))
    place = taker.begin()
    taker.get(place)
    first, second, *_ = taker.lines()
    response = taker.post(place, {f"answer.{first}": "yes", f"answer.{second}": "no", "go": "next"})
    assert response.status_code == 422
    assert response.text.count("line--missing") == 3
    assert answers_of(taker.participant)[:3] == [("yes", ""), ("no", ""), ("", "")]


def test_each_answer_is_saved_at_once_and_once(project: Project) -> None:
    taker = Taker(study_of(project))
    place = taker.begin()
    taker.get(place)
    sent = {"line": taker.lines()[0], "answer": "no", "reason": REASON, "revision": "0", "active": "3.5"}
    answers = [taker.post(f"{place}answer/", sent).json() for _ in range(3)]
    assert answers == [{"revision": 1, "complete": False}] * 3
    line = Line.objects.get(code=sent["line"])
    assert (line.answer, line.reason, line.revision, line.changes) == ("no", REASON, 1, 0)


def test_change_of_mind_is_counted_and_a_late_reason_is_none(project: Project) -> None:
    taker = Taker(study_of(project))
    place = taker.begin()
    taker.get(place)
    line = taker.lines()[0]
    for revision, (answer, reason) in enumerate([("no", ""), ("no", REASON), ("yes", "")]):
        sent = {"line": line, "answer": answer, "reason": reason, "revision": str(revision)}
        assert taker.post(f"{place}answer/", sent).status_code == 200
    found = Line.objects.get(code=line)
    assert (found.changes, found.revision) == (1, 3)


def test_times_only_grow_and_not_beyond_the_clock_on_the_wall(project: Project) -> None:
    taker = Taker(study_of(project))
    place = taker.begin()
    taker.get(place)
    Page.objects.filter(position=1).update(first_seen_at=timezone.now() - timedelta(seconds=60))
    for active in ("20", "10", "1e9"):
        taker.post(f"{place}time/", {"active": active, "hidden": "5"})
        if active == "10":
            assert Page.objects.get(position=1).active_seconds == 20
    page = Page.objects.get(position=1)
    assert 60 <= page.active_seconds < 70
    assert page.hidden_seconds == 5


def test_practice_is_told_about_and_not_stored(project: Project) -> None:
    taker = Taker(study_of(project))
    taker.start()
    taker.get(taker.url("practice/"))
    lines = taker.lines()
    assert taker.post(taker.url("practice/"), {"go": "check"}).status_code == 422
    response = taker.post(taker.url("practice/"), {**taker.fill(lines, lambda _: ("yes", "")), "go": "check"})
    assert FOUR_NAMES.practice.names[0].remark in response.text  # type: ignore[union-attr]
    assert not Line.objects.exclude(answer="").exists()


def test_consent_is_to_the_version_that_was_read(project: Project) -> None:
    taker = Taker(study_of(project))
    taker.open()
    StudyText.objects.create(study=taker.study, version=2, content=FOUR_NAMES.write())
    response = taker.post(taker.url("start/"), {"agree": "yes", "version": "1"})
    assert response.status_code == 409
    assert "read it again" in response.text
    assert taker.participant.step == Step.INVITED


def test_background_that_is_wrong_is_shown_again_with_its_reason(project: Project) -> None:
    taker = Taker(study_of(project))
    taker.start()
    response = taker.post(taker.url("about-you/"), {"answers.years_developer": "-3"})
    assert response.status_code == 422
    assert "at least 0" in response.text
    assert taker.participant.background is None


def test_open_link_makes_one_participant_for_each_person_of_a_service(project: Project) -> None:
    query = "?PROLIFIC_PID=5f00aa&STUDY_ID=s1&SESSION_ID=one"
    taker = Taker.openly(study_of(project), query)
    taker.open()
    assert not Participant.objects.exists()
    taker.post(taker.url("start/"), {"agree": "yes", "version": "1"})
    assert taker.participant.external_id == "5f00aa"
    again = Taker(taker.study, taker.link)
    assert again.open()["Location"].endswith("/about-you/")
    other = Taker(taker.study, taker.link.replace("SESSION_ID=one", "SESSION_ID=two"))
    assert other.start().status_code == 409
    assert Participant.objects.count() == 1


def test_open_link_without_a_service_gives_a_link_to_come_back_by(project: Project) -> None:
    taker = Taker.openly(study_of(project))
    taker.start()
    secret = taker.client.cookies["participant"].value
    back = Taker(taker.study, f"/s/{taker.study.code}/link/{secret}/")
    assert back.open()["Location"].endswith("/about-you/")


def test_finished_participant_is_led_to_the_place_they_came_from(project: Project) -> None:
    from dataclasses import replace

    address = "https://app.prolific.com/submissions/complete?cc=C1ABCDEF"
    taker = Taker(study_of(project, texts=replace(FOUR_NAMES, completion_url=address)))
    taker.judge_all()
    assert f'href="{address}"' in taker.finish().text


def test_full_study_says_so_and_stores_nothing(project: Project) -> None:
    study = study_of(project, sheets=1)
    Taker(study).start()
    late = Taker(study)
    assert "All places" in late.open().text
    response = late.post(late.url("start/"), {"agree": "yes", "version": "1"})
    assert response.status_code == 409
    assert "Nothing was stored" in response.text
    assert late.participant.step == Step.INVITED


def test_sheet_comes_back_after_the_time_out_and_the_absent_one_may_return_while_it_is_free(project: Project) -> None:
    study = study_of(project, sheets=1)
    absent = Taker(study)
    place = absent.begin()
    Participant.objects.update(seen_at=timezone.now() - timedelta(hours=100))
    other = Taker(study)
    assert other.start().status_code == 302
    assert Participant.objects.get(number=1).step == Step.TIMED_OUT
    assert absent.get(place).status_code == 409
    absent.open()
    assert absent.post(absent.url("start/"), {"agree": "yes", "version": "1"}).status_code == 410
    Participant.objects.filter(number=2).update(step=Step.STOPPED)
    assert absent.post(absent.url("start/"), {"agree": "yes", "version": "1"}).status_code == 302
    assert absent.get(place).status_code == 200


def test_nobody_without_a_link_comes_in(project: Project) -> None:
    study = study_of(project)
    response = Client().get(f"/s/{study.code}/")
    assert response.status_code == 403
    assert "personal link" in response.text
