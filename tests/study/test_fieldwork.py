"""Links, who is where, and flags: for coordinators, by page, API and command."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from urllib.parse import urlsplit

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from labeling import tasks
from labeling.corpus.models import Project
from labeling.jobs import running
from labeling.jobs.models import Job
from labeling.people.models import User, digest
from labeling.study.blindness.attacking import SECRET_TABLES
from labeling.study.fieldwork.flagging import judgements_of
from labeling.study.fieldwork.monitoring import study_status
from labeling.study.models import Name, Study
from labeling.study.results.gathering import judgements_in, read_lines
from labeling.study.results.revealing import letters_of
from labeling.study.taking.leaving import forget_expired
from labeling.study.taking.models import Line, Page, Participant, Step
from tests.api.test_projects import caller, problem
from tests.study.driving import REASON, Taker
from tests.study.finished import answered
from tests.study.studies import study_of

pytestmark = pytest.mark.django_db
Enter = Callable[[User], Client]


def page_of(study: Study) -> str:
    return f"/projects/names/studies/{study.pk}/"


def works(study: Study, link: str) -> bool:
    return bool(Taker(study, link).open().status_code == 200)


def test_monitor_and_results_measure_a_judgement_alike(project: Project) -> None:
    study = answered(project, finished=1)
    taker = Taker(study)
    place = taker.begin()
    taker.get(place)
    Page.objects.filter(participant=taker.participant).update(first_seen_at=timezone.now() - timedelta(minutes=5))
    taker.post(f"{place}answer/", {"line": taker.lines()[0], "answer": "yes", "revision": "0", "active": "40"})
    seen = sorted(str(one.seconds) for one in judgements_of(study, "main"))
    told = sorted(str(one.seconds) for one in judgements_in(read_lines(study, "main", letters_of(study, "main"))[0]))
    assert seen == told
    assert "10.0" in seen  # of 40 seconds on a page of four names, though one was answered


def test_links_are_shown_once_and_kept_as_digests(project: Project, alice: User, enter: Enter) -> None:
    study = study_of(project)
    client = enter(alice)
    page = client.post(f"{page_of(study)}participants/invite/", {"stage": "main", "labels": "Ada\n\nBen"})
    assert page.text.count(f"/s/{study.code}/link/") == 2
    ada = Participant.objects.get(label="Ada")
    token = page.text.split("/link/", 1)[1].split("/", 1)[0]
    assert ada.link_digest == digest(token)
    assert token not in client.get(f"{page_of(study)}participants/").text
    assert works(study, f"/s/{study.code}/link/{token}/")


def test_many_links_as_a_table(project: Project, alice: User, enter: Enter) -> None:
    study = study_of(project)
    answer = enter(alice).post(f"{page_of(study)}participants/invite/", {"stage": "main", "count": 30, "as": "csv"})
    rows = list(csv.DictReader(StringIO(answer.text)))
    assert [row["participant"] for row in rows] == [str(number) for number in range(1, 31)]
    assert all(works(study, row["link"]) for row in rows[::10])


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({}, "Say how many"),
        ({"count": "5", "labels": "Ada"}, "not both"),
        ({"count": "5000"}, "less than or equal to 1000"),
        ({"labels": "x" * 90}, "one line of at most 80"),
        ({"count": "1", "stage": "other"}, "valid choice"),
    ],
)
def test_links_that_are_not_made(project: Project, alice: User, enter: Enter, sent: dict[str, str], words: str) -> None:
    study = study_of(project)
    answer = enter(alice).post(f"{page_of(study)}participants/invite/", {"stage": "main", **sent})
    assert answer.status_code == 422
    assert words in answer.text
    assert not Participant.objects.exists()


def test_withdrawn_link_stops_and_gives_the_sheet_back(project: Project, alice: User, enter: Enter) -> None:
    study = study_of(project, sheets=1)
    taker = Taker(study)
    taker.begin()
    client = enter(alice)
    assert client.post(f"{page_of(study)}participants/1/revoke/").status_code == 302
    assert not works(study, taker.link)
    other = Taker(study)
    other.start()
    assert other.participant.step == Step.STARTED
    assert client.post(f"{page_of(study)}participants/1/revoke/").status_code == 409


def test_new_link_replaces_the_old_one_in_the_middle_of_it(project: Project, alice: User, enter: Enter) -> None:
    study = study_of(project)
    taker = Taker(study)
    place = taker.begin()
    page = enter(alice).post(f"{page_of(study)}participants/1/renew/")
    token = page.text.split("/link/", 1)[1].split("/", 1)[0]
    assert taker.get(place).status_code == 410
    assert Taker(study, f"/s/{study.code}/link/{token}/").open()["Location"] == place


def test_open_link_is_shown_with_the_parameters_of_the_service(project: Project, alice: User, enter: Enter) -> None:
    study = study_of(project)
    client = enter(alice)
    page = client.post(f"{page_of(study)}open-link/", {"stage": "main"})
    assert "PROLIFIC_PID={{%PROLIFIC_PID%}}" in page.text
    token = page.text.split("/open/", 1)[1].split("/", 1)[0]
    client.post(f"{page_of(study)}open-link/revoke/", {"stage": "main"})
    assert not works(study, f"/s/{study.code}/open/{token}/")
    assert client.post(f"{page_of(study)}open-link/revoke/", {"stage": "main"}).status_code == 409


def test_monitor_says_who_is_where_and_not_what_they_said(project: Project, alice: User, enter: Enter) -> None:
    study = study_of(project)
    done, left, working = Taker(study), Taker(study), Taker(study)
    done.judge_all(lambda place: ("no", REASON) if place else ("yes", ""))
    done.finish()
    left.begin()
    left.post(left.url("leave/"), {"choice": "keep"})
    working.begin()
    Taker(study)
    Participant.objects.filter(number=3).update(seen_at=timezone.now() - timedelta(hours=90))
    status = study_status(study)
    assert [row["where"] for row in status["participants"]] == [
        "Finished", "Stopped, answers kept", "Method 1 of 4", "Invited",
    ]  # fmt: skip
    sheets = {"total": 4, "finished": 1, "free": 2, "spares": 0, "spares_finished": 0, "spares_free": 0}
    assert status["sheets"] == sheets
    assert status["dropped"] == 1
    assert status["participants"][2]["overdue"]
    page = enter(alice).get(f"{page_of(study)}participants/").text
    assert REASON not in page
    assert "Partially" not in page


def careful(place: int) -> tuple[str, str]:
    return ("yes", "") if place % 2 else ("no", REASON)


def careless(place: int) -> tuple[str, str]:
    return ("yes", "")


def test_odd_participants_are_flagged_and_stay(project: Project) -> None:
    study = study_of(project, methods=4, design={"speeder_share": 0.3, "missed_checks": 1})
    check = Name.objects.order_by("pk").first()
    assert check
    Name.objects.filter(pk=check.pk).update(attention="no")
    for answer in (careful, careful, careless):
        Taker(study).judge_all(answer)
    Page.objects.update(active_seconds=40)
    Page.objects.filter(participant__number=3).update(active_seconds=4)
    Line.objects.filter(name=check).exclude(page__participant__number=3).update(answer="no", reason=REASON)
    flags = {row["number"]: row["flags"] for row in study_status(study)["participants"]}
    assert flags[1] == flags[2] == []
    assert [flag.split(":")[0] for flag in flags[3]] == ["Fast", "The same answer to all 15 names.", "Attention"]
    assert Line.objects.filter(page__participant__number=3).count() == 16


def test_cost_of_the_monitor_does_not_grow_and_it_reads_no_origin(project: Project, alice: User, enter: Enter) -> None:
    study = study_of(project, sheets=8)
    client, costs = enter(alice), []
    for _ in range(3):
        Taker(study).judge_all()
        Taker(study).begin()
        with CaptureQueriesContext(connection) as queries:
            client.get(f"{page_of(study)}participants/")
        costs.append(len(queries))
        assert not [query for query in queries if any(table in query["sql"] for table in SECRET_TABLES)]
    assert len(set(costs)) == 1, costs


def test_page_of_a_method_costs_the_same_however_long_the_sheet_is(project: Project) -> None:
    costs = []
    for methods in (2, 12):
        taker = Taker(study_of(project, methods=methods, name=f"{methods}"))
        place = taker.begin()
        with CaptureQueriesContext(connection) as queries:
            taker.get(place)
        costs.append(len(queries))
    assert costs[0] == costs[1] <= 8, costs


def test_pilot_is_kept_apart(project: Project) -> None:
    from labeling.study.fieldwork.inviting import invite_many
    from labeling.study.models import Stage
    from tests.study.studies import in_state, pilot_sheets

    study = in_state(study_of(project, state="draft"), "piloting")
    pilot_sheets(study)
    (made,) = invite_many(study, labels=[""], stage=Stage.PILOT, by=None)
    Taker(study, made.link).judge_all()
    assert study_status(study)["participants"] == []
    assert study_status(study, stage=Stage.PILOT)["participants"][0]["done"] == 4


def test_by_the_api(project: Project, alice: User, bob: User) -> None:
    study, client = study_of(project), caller(alice)
    url = f"/api/v1/projects/names/studies/{study.pk}/"
    made = client.post(f"{url}participants/", {"labels": ["Ada"]})
    assert made.status_code == 201
    assert works(study, made.json()[0]["link"])
    renewed = client.post(f"{url}participants/1/renew/").json()[0]["link"]
    assert not works(study, made.json()[0]["link"])
    assert works(study, renewed)
    assert client.get(f"{url}participants/").json()["steps"]["invited"] == 1
    assert client.post(f"{url}participants/1/revoke/").json()["step"] == "revoked"
    link = client.post(f"{url}open-link/", {}).json()["link"]
    assert works(study, link)
    assert client.post(f"{url}open-link/revoke/", {}).status_code == 204
    for body in ({}, {"count": 1, "labels": ["x"]}):
        assert "count" in problem(client.post(f"{url}participants/", body))["detail"]
    assert client.post(f"{url}participants/", {"count": 0}).status_code == 400
    assert client.get(f"{url}participants/", {"stage": "x"}).status_code == 422
    assert caller(bob).get(f"{url}participants/").status_code == 403


def test_attack_by_page_and_api(project: Project, alice: User, enter: Enter) -> None:
    study, client = study_of(project, methods=5, sheets=1), enter(alice)
    assert "Not attacked yet" in client.get(f"{page_of(study)}attack/").text
    client.post(f"{page_of(study)}attack/")
    assert "under way" in client.get(f"{page_of(study)}attack/").text
    job = Job.objects.get()
    running.run(job.pk, tasks.WORK)
    assert "Nothing tells where names come from" in client.get(f"{page_of(study)}attack/").text
    report = caller(alice).get(f"/api/v1/projects/names/studies/{study.pk}/attack/").json()["report"]
    assert (report["found"], report["sessions"]) == (False, 1)
    assert caller(alice).post(f"/api/v1/projects/names/studies/{study.pk}/attack/").status_code == 202


def test_by_command(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    study = study_of(project, methods=5, sheets=1)
    call_command("study_invite", "names", study.name, "--label", "Ada", "--label", "Ben")
    rows = list(csv.DictReader(StringIO(capsys.readouterr().out)))
    assert [row["label"] for row in rows] == ["Ada", "Ben"]
    call_command("study_invite", "names", study.name, "--open")
    assert urlsplit(capsys.readouterr().out.strip()).path.startswith(f"/s/{study.code}/open/")
    call_command("study_status", "names", study.name, "--format", "json")
    assert json.loads(capsys.readouterr().out)["steps"]["invited"] == 2
    call_command("study_status", "names", study.name)
    assert "P1\tInvited" in capsys.readouterr().out
    call_command("attack_blinding", "names", study.name, "--sessions", "1")
    assert "Queries that touch origins\t0 found" in capsys.readouterr().out
    with pytest.raises(CommandError, match="There is no study “Other”"):
        call_command("study_status", "names", "Other")


def test_what_leads_to_a_person_is_forgotten_when_its_day_has_come(project: Project) -> None:
    taker = Taker.openly(study_of(project), "?PROLIFIC_PID=5f00aa&SESSION_ID=one")
    taker.judge_all()
    taker.finish()
    Page.objects.update(comment="Mine.")
    assert forget_expired() == 0
    Participant.objects.update(started_at=timezone.now() - timedelta(days=732))
    assert forget_expired() == 1
    found = taker.participant
    assert (found.background, found.external_id, found.exit_answer, found.step) == (None, "", "", Step.FINISHED)
    assert not Page.objects.exclude(comment="").exists()
    assert Line.objects.filter(answer="yes").count() == 16
    assert Taker(taker.study, taker.link).open().status_code == 200  # a stranger again
    assert forget_expired() == 0
