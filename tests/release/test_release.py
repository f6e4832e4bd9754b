"""What is in a release, and that it stays as it is."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

from labeling.annotation.models import Protocol, Rater, Round
from labeling.corpus.models import Project
from labeling.jobs.models import Job, State
from labeling.people.models import User
from labeling.refusals import Invalid, Refusal
from labeling.release.choosing import choose
from labeling.release.making import Title, create_release
from labeling.release.models import Pseudonym, Release
from labeling.release.pseudonyms import Veil, unlike
from labeling.spreadsheets import restore
from tests.annotation.samples import CODEBOOK, opened_round, protocol
from tests.release.samples import (
    BOTH,
    CONVENTION,
    EXCLUDE,
    INCLUDE,
    ROWS,
    archive_of,
    contents,
    judge_rows,
    releasable,
    released,
    run_job,
)

pytestmark = pytest.mark.django_db
# Of the release below, on SQLite and on PostgreSQL. It changes with the format, the texts of its pages, recompute.py
# and the version of the software; then, having looked at what changed, write down what the test says.
DIGEST = "8e4ae5ae2e56354332ce12d0b01c3f680276732ad17d860c3c3649a11da0d087"


def sheet(files: dict[str, str], name: str) -> list[dict[str, str]]:
    rows = csv.DictReader(io.StringIO(files[name], newline=""))
    return [{column: restore(cell) for column, cell in row.items()} for row in rows]


def test_both_databases_and_every_machine_give_the_same_bytes(project: Project) -> None:
    releasable(project)
    release = released(project, notes="A trial.", authors="A. Author\nB. Author", licence="CC-BY-4.0")
    assert release.digest == DIGEST


def test_benchmark_has_the_four_components_first_and_only_what_the_filter_takes(project: Project) -> None:
    releasable(project)
    rows = sheet(contents(archive_of(released(project))), "benchmark.csv")
    assert list(rows[0])[:5] == ["id", "review_comment", "method_body", "buggy_name", "fixed_name"]
    assert [row["id"] for row in rows] == [f"rocket-{number:03}" for number in (0, 1, 3, 4, 5, 6)]
    assert rows[0]["review_comment"] == "What does it load? Please name it after the result."
    assert rows[0]["method_body"] == "void METHOD_NAME() {\n    mend0.now();\n}"
    assert [row["how"] for row in rows] == [
        "unanimous",
        "unanimous",
        "discussion",
        "unanimous",
        "adjudication",
        "discussion",
    ]


def test_shares_of_criteria_overlap_and_have_wilsons_intervals(project: Project) -> None:
    releasable(project)
    figures = json.loads(contents(archive_of(released(project)))["statistics.json"])
    shares = {row["option"]: (row["items"], row["of"], row["share"], row["low"], row["high"])
              for row in figures["answers"] if row["question"] == "criteria"}  # fmt: skip
    assert shares == {  # by hand: Wilson (1927) for 5 and 2 of 6
        "suggested": (5, 6, 0.833333, 0.436497, 0.969947),
        "convention": (2, 6, 0.333333, 0.096771, 0.700007),
    }
    assert figures["names"]["fixed"] == {"mean_characters": 15.833333, "mean_subtokens": 3.0}


def test_nothing_of_the_people_is_in_it(project: Project, alice: User) -> None:
    asked = [{**question, "text": f"{question['text']} Ask Rater 3."} for question in CODEBOOK["questions"]]
    content = {**CODEBOOK, "guideline": "Ask Alice or write to alice@example.org.", "questions": asked}
    first = releasable(project, protocol=protocol(project, content), name="Round of Rater 1")
    Protocol.objects.filter(pk=first.protocol.protocol_id).update(name="By alice@example.org")
    files = contents(archive_of(released(project, notes="Thanks to Rater 2 and to Judith Decider.")))
    people = User.objects.all()
    for name, text in files.items():
        for person in people:
            assert person.email not in text.lower(), name
            assert person.name not in text, name
        assert "example.org" not in text, name
    assert "as R1 wrote to [e-mail]" in files["cases.csv"]
    assert json.loads(files["manifest.json"])["rounds"] == ["Round of R1"]
    assert Round.objects.get().name == "Round of Rater 1"  # here it is called as before


def test_people_are_not_named_by_a_part_of_their_name_either(project: Project, alice: User, bob: User) -> None:
    releasable(project)
    named = {"rater1": "Ann-Marie Quill", "rater2": "Will Vane", "rater3": "Zoë Vane", "judge": "Bo Decider"}
    for account, name in named.items():
        User.objects.filter(email=f"{account}@example.org").update(name=name)
    User.objects.filter(email="rater1@example.org").update(email="a.o'quill@example.org")
    veil = Veil(project)
    covered = {
        "Zoë said so, and ann-marie quill too.": "R3 said so, and R1 too.",
        "Quill’s vote; Marie's; Ann-Marie’s": "R1’s vote; R1's; R1’s",
        "Vane is two people": "[name] is two people",
        "It will do, whatever Willow says": "It will do, whatever Willow says",
        "Ask Alice, not Al": "Ask [name], not Al",
        "A.O'Quill@example.org, a.o'quill@example.org.uk": "[e-mail], a.o'[e-mail]",
    }
    assert {text: veil.cover_said(text) for text in covered} == covered
    assert veil.cover("Will the reader ask Will Vane?") == "Will the reader ask R2?"  # who publishes a guideline knows


def test_rounds_that_would_be_called_alike_are_told_apart() -> None:
    assert unlike(["R1", "R2", "R1", "R1 (2)", "R1"]) == ["R1", "R2", "R1 (3)", "R1 (2)", "R1 (4)"]


def test_pseudonyms_are_drawn_once_and_stay(project: Project) -> None:
    releasable(project)
    Pseudonym.objects.all().delete()
    first = sheet(contents(archive_of(released(project))), "votes.csv")
    numbers = dict(Pseudonym.objects.values_list("user", "number"))
    second = opened_round(project, [rater.user for rater in Rater.objects.select_related("user")], name="Second")
    assert second.raters.count() == 3
    assert sheet(contents(archive_of(released(project, rounds=("First",)))), "votes.csv") == first
    assert dict(Pseudonym.objects.values_list("user", "number")) == numbers
    assert sorted(numbers.values()) == [1, 2, 3, 4]


def test_item_in_two_rounds_counts_with_the_newest_that_has_a_final_answer(project: Project) -> None:
    first = releasable(project)
    people = [rater.user for rater in first.raters.select_related("user")]
    rows: list[list[dict[str, Any]]] = [[EXCLUDE] * 3, [CONVENTION, EXCLUDE, BOTH], *ROWS[2:]]
    second = opened_round(project, people, name="Second", handing="planned", protocol=first.protocol)
    judge_rows(second, people, rows)
    project.waivers.create(guard="open", item="rocket-001", reason="It has one of the first round.")
    files = contents(archive_of(released(project)))
    taken = {row["id"]: row["round"] for row in sheet(files, "benchmark.csv")}
    assert "rocket-000" not in taken  # the second round says no
    assert taken["rocket-001"] == "First"  # the second has no final answer
    assert taken["rocket-004"] == "Second"
    assert {row["round"] for row in sheet(files, "votes.csv")} == {"First", "Second"}


def test_formulas_are_neutralised_and_can_be_read_back(project: Project) -> None:
    releasable(project)
    files = contents(archive_of(released(project)))
    cells = [cell for row in csv.reader(io.StringIO(files["cases.csv"])) for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
    assert sheet(files, "cases.csv")[0]["because"] == "@all: the reviewer names it."


def test_frozen_release_is_never_changed_or_removed(project: Project) -> None:
    releasable(project)
    release = released(project)
    release.name = "Other"
    for change in (release.save, release.delete, Release.objects.all().delete):
        with pytest.raises(TypeError, match="never changed"):
            change()
    with pytest.raises(TypeError, match="never changed"):
        Release.objects.update(name="Other")
    for statement in ("UPDATE labeling_release SET name = 'Other'", "DELETE FROM labeling_release"):
        with pytest.raises(DatabaseError, match="never changed"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
    assert archive_of(release).stat().st_mode & 0o222 == 0


def test_next_release_has_the_next_number_and_says_what_changed(project: Project) -> None:
    releasable(project)
    first = released(project)
    project.waivers.create(guard="typo", item="rocket-004", reason="A slip.", leave_out=True)
    second = released(project)
    assert (first.number, second.number) == (1, 2)
    files = contents(archive_of(second))
    changes = json.loads(files["changes.json"])
    assert changes == {
        "previous": {"number": 1, "digest": first.digest},
        "added": [],
        "removed": ["rocket-004"],
        "changed": [],
    }
    assert "- Removed: 1\n" in files["changes.md"]
    assert json.loads(files["manifest.json"])["waivers"][0]["leave_out"]
    assert second.changes["removed"] == 1


def test_second_release_waits_for_the_first(project: Project) -> None:
    releasable(project)
    choice, title = choose(project), Title("Rockets")
    release, job = create_release(choice, title, by=None)
    with pytest.raises(Refusal, match="Release 1 is being made"):
        create_release(choice, title, by=None)
    Job.objects.filter(pk=job.pk).update(state=State.QUEUED)
    run_job(job)
    with pytest.raises(IntegrityError), transaction.atomic():
        Release.objects.create(project=project, number=1, name="x", rounds=[])
    assert create_release(choice, title, by=None)[0].number == release.number + 1


def test_attempt_that_failed_gives_its_number_back(project: Project) -> None:
    releasable(project, [[INCLUDE, EXCLUDE, BOTH]])
    project.rounds.get().cases.all().update(state="open", decision=None)
    release, job = create_release(choose(project), Title("Rockets"), by=None)
    assert run_job(job).state == State.FAILED
    assert "items without a final answer: rocket-000" in job.error
    again, _ = create_release(choose(project), Title("Rockets"), by=None)
    assert (again.number, Release.objects.count()) == (release.number, 1)


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ({"rounds": ["Third"]}, "no round “Third”"),
        ({"filters": ["colour=red"]}, "names no question"),
        ({"filters": ["include=perhaps"]}, "has no option “perhaps”"),
    ],
)
def test_choice_that_is_not_there_is_refused(project: Project, wanted: dict[str, list[str]], said: str) -> None:
    releasable(project)
    with pytest.raises(Invalid, match=said):
        choose(project, **wanted)


def test_project_without_votes_has_nothing_to_release(project: Project) -> None:
    with pytest.raises(Refusal, match="nothing to release yet"):
        choose(project)
    assert Round.objects.count() == 0
