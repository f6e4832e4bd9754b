"""Pages that lead a coordinator on: what was refused stands on its page, and each page says where things are from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from labeling.corpus.models import Project
from labeling.jobs.models import Job
from labeling.people.models import User
from labeling.study.archives import remove_archives
from labeling.study.editing import create_study
from labeling.study.fieldwork.inviting import invite_many
from labeling.study.fieldwork.monitoring import study_status
from labeling.study.freezing import freeze_study, open_study, start_pilot
from labeling.study.models import Sheet, Study
from labeling.study.results.exporting import start_export
from labeling.study.taking.models import Participant
from tests.corpus.samples import new_item, review_rename
from tests.release.samples import releasable, released
from tests.study.designs import draft, leaky, planned
from tests.study.driving import Taker
from tests.study.finished import closed, computed
from tests.study.studies import pilot_sheets, study_of

Enter = Callable[[User], Client]
RunJob = Callable[[Job], Path]
URL = "/projects/names/studies/"
ORIGINS = "buggy: Buggy\nfixed: Fixed"


@pytest.fixture
def client(enter: Enter, alice: User) -> Client:
    return enter(alice)


def is_on_its_page(text: str, sentence: str, heading: str) -> bool:
    """Beside the project's menu and the heading of the page, not on a page of errors."""
    return f'role="alert">{sentence}' in text and 'href="/projects/names/items/"' in text and heading in text


def test_refused_plan_is_told_on_the_page_of_the_plan(project: Project, client: Client) -> None:
    study = draft(project, sheets=10, methods_per_sheet=20)
    response = client.post(f"{URL}{study.pk}/plan/")
    assert response.status_code in {409, 422}
    assert is_on_its_page(response.text, "10 sheets of 20 methods", "<h1>Plan</h1>")
    assert "Make the plan" in response.text
    assert f'href="{URL}{study.pk}/design/"' in response.text


@pytest.mark.parametrize(
    ("act", "sent", "status", "said"),
    [
        ("freeze", {"name": "Study"}, 422, "To freeze it, type the name of the study as it stands: Study 1"),
        ("open", {}, 409, ""),
        ("deviation", {"what": "More time."}, 409, ""),
        ("copy", {"as": "Study 1"}, 422, ""),
    ],
)
def test_refused_act_is_told_on_the_page_of_the_study(
    project: Project, client: Client, act: str, sent: dict[str, str], status: int, said: str
) -> None:
    study = planned(project)
    response = client.post(f"{URL}{study.pk}/{act}/", sent)
    assert response.status_code == status
    assert is_on_its_page(response.text, said, 'aria-label="Steps of the study"')
    assert Study.objects.get().state == "draft"


def test_refused_ruling_is_told_among_the_leaks(project: Project, client: Client) -> None:
    study = leaky(project)
    response = client.post(f"{URL}{study.pk}/leaks/?kind=own_call", {"kind": "own_call", "act": "waive"})
    assert response.status_code == 422
    assert is_on_its_page(response.text, "Say why this leak does no harm", "<h1>Leaks</h1>")


def test_attack_on_nothing_is_told_on_its_page(project: Project, client: Client) -> None:
    response = client.post(reverse("blindness:attack", args=["names", draft(project).pk]))
    assert response.status_code in {409, 422}
    assert is_on_its_page(response.text, "", "<h1>Attack my blinding</h1>")


@pytest.mark.parametrize(("act", "sent"), [("open-link/revoke/", {}), ("open-link/", {"stage": "pilot"})])
def test_refused_open_link_is_told_among_the_participants(
    project: Project, client: Client, act: str, sent: dict[str, str]
) -> None:
    response = client.post(f"{URL}{study_of(project).pk}/{act}", {"stage": "main", **sent})
    assert response.status_code == 409
    assert is_on_its_page(response.text, "", "<h1>Participants")


@pytest.mark.parametrize("act", ["renew", "revoke"])
def test_refused_link_of_a_participant_is_told_among_them(project: Project, client: Client, act: str) -> None:
    study = study_of(project)
    invite_many(study, labels=[""], by=None)
    url = f"{URL}{study.pk}/participants/1/"
    assert client.post(f"{url}revoke/")["Location"] == f"{URL}{study.pk}/participants/?stage=main"
    response = client.post(f"{url}{act}/")
    assert response.status_code == 409
    assert is_on_its_page(response.text, "P1", "<h1>Participants")


@pytest.mark.parametrize("called", ["names.csv", "items.csv", "release.csv", "mine.csv"])
def test_bad_line_is_named_whatever_its_file_is_called(project: Project, client: Client, called: str) -> None:
    new_item(project, "review_rename", review_rename(1), key="m001").save()
    study = create_study(project, name="First", design={}, by=None)
    file = SimpleUploadedFile(called, b"item,origin,name\nnope,fixed,take\n")
    response = client.post(f"{URL}{study.pk}/material/", {"source": "project", "origins": ORIGINS, "names": file})
    assert response.status_code == 422
    assert f"{called}, line 2: item: there is no item “nope”." in response.text


@pytest.mark.parametrize(
    ("source", "picked", "belongs"),
    [
        ("project", "release", "A release"),
        ("release", "words", "Items of this project"),
        ("file", "release", "A release"),
    ],
)
def test_what_would_be_passed_over_is_refused(
    project: Project, client: Client, source: str, picked: str, belongs: str
) -> None:
    releasable(project)
    sent = {"release": released(project, filters=("include=yes",)).number, "words": "take"}
    study = create_study(project, name="First", design={}, by=None)
    response = client.post(
        f"{URL}{study.pk}/material/", {"source": source, "origins": ORIGINS, picked: str(sent[picked])}
    )
    assert response.status_code == 422
    assert f"This goes with “{belongs}”" in response.text
    assert not Study.objects.get().methods.exists()


def test_pages_say_where_the_methods_came_from(project: Project, client: Client) -> None:
    releasable(project)
    number = released(project, filters=("include=yes",)).number
    study = create_study(project, name="First", design={}, by=None)
    url = f"{URL}{study.pk}/"
    for sent, said in (
        ({"source": "project"}, "Methods from items of this project."),
        ({"source": "release", "release": str(number)}, f"Methods from release {number}."),
    ):
        assert client.post(f"{url}material/", {"origins": ORIGINS, **sent}).status_code == 302
        assert said in client.get(f"{url}material/").text
        assert said in client.get(url).text


def test_participants_open_on_the_stage_of_the_study(project: Project, client: Client) -> None:
    study = planned(project, pilot_sheets=1)
    url = f"{URL}{study.pk}/"
    invite = f"{url}participants/?stage=pilot"
    assert "1 pilot sheet;" in client.get(url).text
    assert invite not in client.get(url).text
    start_pilot(study, by=None)
    assert invite in client.get(url).text
    page = client.get(f"{url}participants/")
    assert (page.context["stage"], page.context["form"]["stage"].value()) == ("pilot", "pilot")
    assert client.get(f"{url}participants/?stage=main").context["stage"] == "main"
    assert client.post(f"{url}participants/invite/", {"stage": "main"}).context["stage"] == "main"
    freeze_study(study, by=None)
    assert invite not in client.get(url).text
    assert client.get(f"{url}participants/").context["stage"] == "main"


def test_withdrawing_a_pilots_link_stays_with_the_pilots(project: Project, client: Client) -> None:
    study = study_of(project, state="piloting")
    pilot_sheets(study)
    invite_many(study, labels=[""], stage="pilot", by=None)
    response = client.post(f"{URL}{study.pk}/participants/1/revoke/")
    assert response["Location"] == f"{URL}{study.pk}/participants/?stage=pilot"


def test_preview_of_the_consent_says_what_participants_read(project: Project, client: Client) -> None:
    study = open_study(freeze_study(planned(project), by=None), by=None)
    shown = [client.get(f"{URL}{study.pk}/preview/").text, Taker(study).open().text]
    for words in (
        "or have it deleted at any time. Until ",
        "Version 1 of this text.",
        '<button class="button">Start</button>',
        "I have read this and agree to take part.",
    ):
        assert [words in page for page in shown] == [True, True], words
    assert client.get(f"{URL}{study.pk}/preview/?part=background&agree=yes").context["part"] == "background"


def test_spare_sheets_are_no_part_of_the_plan(
    project: Project, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    study = study_of(project, sheets=3)
    Sheet.objects.filter(number=3).update(replaces=1)
    for _ in range(2):
        taker = Taker(study)
        taker.judge_all()
        taker.finish()
    wanted = {"total": 2, "finished": 2, "free": 0, "spares": 1, "spares_finished": 0, "spares_free": 1}
    assert study_status(study)["sheets"] == wanted
    page = client.get(f"{URL}{study.pk}/participants/").text
    assert '<progress class="progress" max="2" value="2"' in page
    assert "2 of 2, 0 free" in page
    assert "<dt>Spare sheets finished</dt><dd>0 of 1, 1 free</dd>" in page
    assert "All sheets are taken" not in page
    Taker(study).start()
    wanted |= {"spares_free": 0}
    assert study_status(study)["sheets"] == wanted
    assert "All sheets are taken" in client.get(f"{URL}{study.pk}/participants/").text
    call_command("study_status", "names", study.name)
    assert "spare\t0 of 1 finished, 0 free" in capsys.readouterr().out
    assert Participant.objects.filter(sheet__replaces=1).count() == 1


def test_results_link_the_files_that_were_made(project: Project, alice: User, client: Client, run_job: RunJob) -> None:
    study = closed(project, alice, finished=1)
    computed(study)
    page = f"{URL}{study.pk}/results/"
    assert "Files that were made" not in client.get(page).text
    job = start_export(study, by=alice)
    assert "Files that were made" not in client.get(page).text
    run_job(job)
    address = f"/projects/names/jobs/{job.pk}/file/"
    assert address in client.get(page).text
    assert client.get(address).getvalue().startswith(b"PK")
    remove_archives(study)
    assert address not in client.get(page).text
