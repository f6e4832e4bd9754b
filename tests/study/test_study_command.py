from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from labeling.corpus.models import Project
from labeling.people.models import Activity, User
from labeling.study.models import Deviation, Study
from tests.study.designs import item, names, planned


def said(capsys: pytest.CaptureFixture[str], verb: str, *more: str) -> dict[str, Any]:
    call_command("study", verb, "names", "First", *more)
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    items, given = tmp_path / "items.jsonl", tmp_path / "names.csv"
    items.write_text("\n".join(json.dumps(item(number)) for number in range(12)))
    rows = [row for number in range(12) for row in names(number, **({"gtnm": "Find"} if number == 3 else {}))]
    given.write_text("item,origin,name\n" + "".join(f"{r['item']},{r['origin']},{r['name']}\n" for r in rows))
    return str(items), str(given)


def test_study_is_led_to_its_end_by_commands(
    project: Project, alice: User, files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = said(capsys, "create", "--seed", "9", "--set", "sheets=4", "--set", "methods_per_sheet=2")
    assert (made["seed"], made["state"], made["next"]) == (9, "draft", "material")
    assert said(capsys, "material", "--items", files[0], "--names", files[1])["unruled"] == 1
    call_command("study", "leaks", "names", "First")
    assert json.loads(capsys.readouterr().out)["name"] == "Find"
    assert said(capsys, "rule", "casing", "normalise")["unruled"] == 0
    assert said(capsys, "rule", "casing", "none")["unruled"] == 1
    said(capsys, "rule", "casing", "waive", "--method", "m003", "--name", "Find", "--reason", "One of 48.")
    said(capsys, "design", "--set", "pilot_sheets=2", "--set", "pilot_methods_per_sheet=1")
    assert said(capsys, "plan")["sheets"] == 4
    texts = tmp_path / "texts.json"
    study = Study.objects.get()
    texts.write_text(json.dumps(study.texts.get().content))
    assert said(capsys, "texts", str(texts))["texts"] == 2
    for act, state in (("pilot", "piloting"), ("freeze", "frozen"), ("open", "open")):
        assert said(capsys, act, "--by", "alice@example.org")["state"] == state
    assert said(capsys, "deviation", "More time.")["deviations"] == 1
    said(capsys, "close", "--by", "alice@example.org")
    assert said(capsys, "unblind", "--by", "alice@example.org")["next"] is None
    assert said(capsys, "status")["state"] == "unblinded"
    assert Activity.objects.get(verb="unblinded").actor == alice
    assert Deviation.objects.get().what == "More time."


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["status", "names", "Nothing"], "There is no study “Nothing” in names. Studies: Study 1"),
        (["create", "names", "Study 1"], "there is a study “Study 1” already"),
        (["create", "names", "x", "--set", "sheets=ten"], "--set sheets: is not JSON"),
        (["design", "names", "Study 1", "--set", "sheets=0"], "sheets: must be between 1"),
        (["material", "names", "Study 1", "--items", "/nowhere.csv"], "/nowhere.csv: No such file"),
        (["material", "names", "Study 1", "--origin", "A B=x"], "“A B” cannot be a key"),
        (["texts", "names", "Study 1", "/nowhere.json"], "No such file"),
        (["freeze", "names", "Study 1", "--by", "bob@example.org"], "is no coordinator of Names"),
        (["freeze", "names", "Study 1", "--by", "nobody@example.org"], "no account"),
        (["open", "names", "Study 1", "--by", "alice@example.org"], "is not frozen yet"),
        (["rule", "names", "Study 1", "comment", "waive"], "reason: say why"),
    ],
)
def test_what_makes_no_sense_is_refused(project: Project, arguments: list[str], words: str) -> None:
    study = planned(project)
    with pytest.raises(CommandError, match=words):
        call_command("study", *arguments)
    assert (Study.objects.get().state, study.sheets.count()) == ("draft", 7)
