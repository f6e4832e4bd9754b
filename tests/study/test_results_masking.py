"""Until a study is unblinded nothing that leaves it tells which origin a letter stands for."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from html import escape
from itertools import combinations
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from labeling.corpus.models import Project
from labeling.jobs.models import Job
from labeling.people.invitations import add_member
from labeling.people.models import Role, User
from labeling.spreadsheets import restore
from labeling.study.freezing import digest_of, unblind_study
from labeling.study.models import Name, Study
from labeling.study.origins import Origin
from labeling.study.results.exporting import start_export
from labeling.study.results.models import Findings
from tests.api.test_projects import caller, problem
from tests.study.finished import LABELS, answered, closed, computed

Enter = Callable[[User], Client]
RunJob = Callable[[Job], Path]
API = "/api/v1/projects/names/studies/"


def page_of(study: Study) -> str:
    return f"/projects/names/studies/{study.pk}/results/"


def archive_of(study: Study, run_job: RunJob) -> dict[str, bytes]:
    with ZipFile(run_job(start_export(study, by=None))) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def rows_of(content: bytes) -> list[dict[str, str]]:
    rows = csv.DictReader(io.StringIO(content.decode(), newline=""))
    return [{restore(key): restore(value) for key, value in row.items()} for row in rows]


def everything(study: Study, alice: User, enter: Enter, run_job: RunJob, capsys: Any) -> dict[str, bytes]:
    """All that leaves a study: page, charts, API, files, commands."""
    client = enter(alice)
    found = {"page": client.get(page_of(study)).content}
    for name in ("answers", "reasons", "differences", "order"):
        for form in ("svg", "json"):
            found[f"{name}.{form}"] = client.get(f"{page_of(study)}charts/{name}.{form}").content
    found["api"] = caller(alice).get(f"{API}{study.pk}/results/").content
    for form in ("json", "text", "latex"):
        capsys.readouterr()
        call_command("study_results", str(study.pk), "--format", form, "--bootstrap", "50")
        found[f"command {form}"] = capsys.readouterr().out.encode()
    files = archive_of(study, run_job)
    return found | {name: content for name, content in files.items() if not name.endswith(".pdf")}


def test_no_label_and_no_name_leaves_before_unblinding_and_all_do_after(
    project: Project, alice: User, enter: Enter, run_job: RunJob, capsys: pytest.CaptureFixture[str]
) -> None:
    study = closed(project, alice)
    computed(study)
    assert not any(label in json.dumps(Findings.objects.get().figures, ensure_ascii=False) for label in LABELS.values())
    words = [word.encode() for label in LABELS.values() for word in label.split()[:1]]
    words += [key.encode() for key in ("buggy", "cognac", "gtnm", "Buggy", "Cognac", "GTNM")]
    names = [name.shown.encode() for name in Name.objects.filter(method__study=study, method__in_sample=True)]
    masked = everything(study, alice, enter, run_job, capsys)
    for place, content in masked.items():
        assert [word for word in [*words, *names] if word in content] == [], place
    assert "plan.json" not in masked
    assert b"Masked" in masked["page"]
    unblind_study(study, by=alice)
    study.refresh_from_db()
    shown = everything(study, alice, enter, run_job, capsys)
    for place in ("page", "answers.svg", "api", "command json", "command text", "long.csv", "wide.csv", "results.tex"):
        assert b"Heron" in shown[place], place
    plan = json.loads(shown["plan.json"])
    assert plan["sha256"] == study.digest == digest_of(plan["plan"])
    numbers = [pair_numbers(json.loads(part["results.json"])["pairs"]) for part in (masked, shown)]
    assert numbers[0] == numbers[1]


def test_masked_files_do_not_tell_where_a_name_stood(project: Project, alice: User, run_job: RunJob) -> None:
    """A coordinator sees in the preview which name stands where on each sheet, and knows whose name it is."""
    study = closed(project, alice)
    masked = archive_of(study, run_job)
    unblind_study(study, by=alice)
    study.refresh_from_db()
    told = archive_of(study, run_job)
    for files, is_told in ((masked, False), (told, True)):
        long, wide = rows_of(files["long.csv"]), rows_of(files["wide.csv"])
        assert {bool(row[column]) for row in long for column in ("page", "place")} == {is_told}
        columns = ["page", *(column for column in wide[0] if column.startswith("place_"))]
        assert {bool(row[column]) for row in wide for column in columns} == {is_told}
    for name in ("long.csv", "wide.csv"):  # nor does the order of the rows tell it
        rows = [row["method"] for row in rows_of(masked[name])]
        assert rows == sorted(rows), name
    by_method: dict[str, list[str]] = {}
    for row in rows_of(masked["long.csv"]):
        by_method.setdefault(row["method"], []).append(row["name"])
    assert all(names == sorted(names) for names in by_method.values())


def test_numbers_in_masked_files_do_not_follow_from_the_seed(project: Project, alice: User, run_job: RunJob) -> None:
    """Both studies have the same seed and the same sheets."""
    files = [rows_of(archive_of(closed(project, alice), run_job)["long.csv"]) for _ in range(2)]
    first, second = ({(row["method"], row["name"]) for row in rows} for rows in files)
    assert len(first) == len(second)
    assert first != second


def pair_numbers(pairs: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """What does not depend on which origin of a pair is named first."""
    return sorted(
        (one["primary"]["p"], one["primary"]["adjusted"], one["mcnemar"]["p"], abs(one["risk_difference"]["value"]))
        for one in pairs
    )


def test_origins_stand_in_the_order_of_letters_and_once_unblinded_as_they_were_named(
    project: Project, alice: User, enter: Enter, run_job: RunJob
) -> None:
    study = closed(project, alice)
    letters = sorted(Origin.objects.filter(study=study).values_list("letter", flat=True))
    named = [LABELS[key] for key in ("buggy", "fixed", "cognac", "gtnm")]  # as the material named them
    for wanted, unblind in ((letters, False), (named, True)):
        if unblind:
            study = unblind_study(study, by=alice)
        computed(study)
        found = caller(alice).get(f"{API}{study.pk}/results/").json()
        assert found["origins"] == [one["origin"] for one in found["shares"]] == wanted
        assert [(pair["a"], pair["b"]) for pair in found["pairs"]] == list(combinations(wanted, 2))
        page = enter(alice).get(page_of(study)).text
        assert re.findall(r'<th scope="row">([^<]*)</th><td class="number">\d+</td>', page)[:4] == [
            escape(one) for one in wanted
        ]
        files = archive_of(study, run_job)
        assert json.loads(files["codebook.json"])["origins"] == wanted
        header = [restore(cell) for cell in files["wide.csv"].decode().splitlines()[0].split(",")]
        assert [cell for cell in header if cell.startswith("answer_")] == [f"answer_{one}" for one in wanted]


def test_files_hold_every_answer_once_and_make_the_same_bytes(project: Project, alice: User, run_job: RunJob) -> None:
    study = closed(project, alice)
    unblind_study(study, by=alice)
    study.refresh_from_db()
    files = archive_of(study, run_job)
    assert files == archive_of(study, run_job)
    first, second = (run_job(start_export(study, by=None)).read_bytes() for _ in range(2))
    assert first == second
    long = rows_of(files["long.csv"])
    assert len(long) == 24
    assert {row["participant"] for row in long} == {"P1", "P2", "P3"}
    liked = dict.fromkeys(LABELS.values(), 0)
    for row in long:
        liked[row["origins"]] += row["answer"] == "yes"
    assert liked == {LABELS["fixed"]: 6, LABELS["cognac"]: 0, LABELS["gtnm"]: 3, LABELS["buggy"]: 1}
    wide = rows_of(files["wide.csv"])
    assert len(wide) == 6
    assert sum(row[f"answer_{LABELS['gtnm']}"] == "yes" for row in wide) == 3
    by_place = {(row["participant"], row["page"], row["origins"]): row for row in long}
    for row in wide:
        same = by_place[row["participant"], row["page"], LABELS["buggy"]]
        told = [row[f"{what}_{LABELS['buggy']}"] for what in ("answer", "reason", "place", "name")]
        assert told == [same[what] for what in ("answer", "reason", "place", "name")]
    codebook = json.loads(files["codebook.json"])
    assert set(codebook["files"]["long.csv"]) == set(long[0])
    assert {row["reason"] for row in long} - {""} <= set(codebook["reasons"])
    assert b"Engineer" not in b"".join(files.values())
    assert {"charts/answers.svg", "charts/answers.pdf", "analysis.R", "README.txt"} <= set(files)
    assert files["charts/answers.pdf"].startswith(b"%PDF")


def test_nothing_in_the_files_runs(project: Project, alice: User, run_job: RunJob) -> None:
    study = closed(project, alice)
    Name.objects.filter(method__study=study).update(given="x")
    Origin.objects.filter(study=study, key="buggy").update(label="=HYPERLINK(1)")
    Origin.objects.filter(study=study, key="gtnm").update(label="[9cm]\\input{/etc/passwd}$&")
    unblind_study(study, by=alice)
    study.refresh_from_db()
    files = archive_of(study, run_job)
    cells = [cell for row in csv.reader(io.StringIO(files["long.csv"].decode())) for cell in row]
    assert "'=HYPERLINK(1)" in cells
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in cells)
    latex = files["results.tex"].decode()
    assert "\\input" not in latex
    assert r"\textbackslash{}input\{/etc/passwd\}\$\&" in latex
    assert not any(line.startswith("[") for line in latex.splitlines())  # an argument of what ends the row before


def test_external_ids_and_labels_of_participants_stay_here(project: Project, alice: User, run_job: RunJob) -> None:
    study = closed(project, alice)
    study.participants.filter(number=1).update(external_id="PROLIFIC-77", label="Ada Lovelace")
    text = b"".join(archive_of(study, run_job).values())
    assert b"PROLIFIC-77" not in text
    assert b"Lovelace" not in text


def test_page_waits_for_a_worker_and_then_shows_every_part(project: Project, alice: User, enter: Enter) -> None:
    study = closed(project, alice)
    client = enter(alice)
    waiting = client.get(page_of(study)).text
    assert "Being computed" in waiting
    assert 'hx-trigger="every 3s"' in waiting
    computed(study)
    page = client.get(page_of(study)).text
    assert "hx-trigger" not in page
    for part in ("answers", "reasons", "pairs", "sensitivity", "order", "agreement", "participants", "time", "counted"):
        assert f'id="{part}"' in page, part
    assert "3 finished" in page
    assert "No name was answered by two participants." in page
    assert client.get(f"{page_of(study)}charts/colours.svg").status_code == 404
    assert client.get(f"{page_of(study)}?stage=x").status_code == 422
    assert "This study had no pilot" in client.get(f"{page_of(study)}?stage=pilot").text


def test_viewer_reads_results_and_annotator_and_outsider_do_not(
    project: Project, alice: User, bob: User, charlie: User, enter: Enter
) -> None:
    study = closed(project, alice)
    computed(study)
    assert enter(bob).get(page_of(study)).status_code == 403
    assert enter(charlie).get(page_of(study)).status_code == 404
    assert caller(bob).get(f"{API}{study.pk}/results/").status_code == 403
    add_member(project, user=charlie, role=Role.VIEWER, by=alice)
    page = enter(charlie).get(page_of(study))
    assert (page.status_code, "Make the files" in page.text) == (200, False)
    assert enter(charlie).post(f"{page_of(study)}export/").status_code == 403
    assert caller(charlie).post(f"{API}{study.pk}/results/export/").status_code == 403
    made = caller(alice).post(f"{API}{study.pk}/results/export/")
    assert (made.status_code, made.json()["kind"]) == (202, "export_study")


def test_api_and_command_say_why_there_is_nothing_yet(project: Project, alice: User) -> None:
    from tests.study.designs import planned

    early = planned(project)
    response = caller(alice).get(f"{API}{early.pk}/results/")
    assert response.status_code == 409
    problem(response)
    with pytest.raises(CommandError, match="has not been opened yet"):
        call_command("study_results", early.name)
    with pytest.raises(CommandError, match="There is no study “x”"):
        call_command("study_results", "x")
    study = answered(project, finished=1)
    assert caller(alice).get(f"{API}{study.pk}/results/").status_code == 202
    computed(study)
    found = caller(alice).get(f"{API}{study.pk}/results/").json()
    assert (found["masked"], found["counts"]["judgements"], found["as_of"]["newer_on_its_way"]) == (True, 8, False)


def test_page_costs_the_same_for_few_and_many(project: Project, alice: User, enter: Enter) -> None:
    client, found = enter(alice), []
    for finished in (1, 4):
        study = closed(project, alice, finished=finished)
        computed(study)
        with CaptureQueriesContext(connection) as queries:
            assert client.get(page_of(study)).status_code == 200
        found.append(sum(not query["sql"].startswith(("BEGIN", "COMMIT", "SAVEPOINT")) for query in queries))
    assert found[0] == found[1] <= 15
