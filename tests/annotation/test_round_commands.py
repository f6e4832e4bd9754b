from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from labeling.annotation.models import Round
from labeling.corpus.models import Item, Project
from tests.annotation.samples import EXCLUDE, annotators, items, judge, opened_round, protocol


def output(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    call_command(*arguments)
    return capsys.readouterr().out.strip()


def test_round_is_planned_by_command(project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items(project, 9)
    annotators(project, 3)
    protocol(project)
    gold = tmp_path / "gold.json"
    gold.write_text(json.dumps({Item.objects.all()[0].key: EXCLUDE}))
    text = output(
        capsys, "plan_round", "names", "--name", "First", "--protocol", "Pairs", "--votes", "2", "--seed", "11",
        "--calibration", "2", "--repeat-every", "5", "--gold", str(gold), "--annotators", "rater1@example.org",
        "rater2@example.org", "rater3@example.org",
    )  # fmt: skip
    round = Round.objects.get()
    assert json.loads(text) == {"round": round.pk, "seed": 11, "items": 9, "raters": 3}
    assert (round.state, round.votes_wanted, round.calibration, round.repeat_every) == ("open", 2, 2, 5)
    assert round.items.filter(gold__isnull=False).count() == 1


def test_all_annotators_take_part_when_none_is_named(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    items(project, 2)
    annotators(project, 2)
    protocol(project)
    assert json.loads(output(capsys, "plan_round", "names", "--name", "All", "--protocol", "Pairs"))["raters"] == 3


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--protocol", "None"], "there is no “None”. Protocols: Pairs"),
        (["--annotators", "eve@example.org"], "eve@example.org is not an annotator"),
        (["--votes", "9"], "votes: 9 votes an item need 9 annotators"),
        (["--gold", "/nowhere/gold.json"], "No such file"),
        (["--gold", "list"], "must be an object"),
        (["--gold", "broken"], "is not JSON"),
        (["--seed", "-4"], "seed: must be between 0"),
    ],
)
def test_plan_that_makes_no_sense_is_refused(project: Project, tmp_path: Path, more: list[str], said: str) -> None:
    items(project, 2)
    protocol(project)
    (tmp_path / "list").write_text("[]")
    (tmp_path / "broken").write_text("{")
    more = [str(tmp_path / word) if word in {"list", "broken"} else word for word in more]
    wanted = ["--name", "First", "--protocol", "Pairs", *more]
    with pytest.raises(CommandError, match=said):
        call_command("plan_round", "names", *wanted)
    assert not Round.objects.exists()


def test_status_is_printed_as_text_and_json(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    items(project, 4)
    people = annotators(project, 2)
    round = opened_round(project, people)
    judge(people[0], round)
    status = json.loads(output(capsys, "round_status", "names", "First", "--format", "json"))
    assert status["votes"]["cast"] == 1
    text = output(capsys, "round_status", "names", "First")
    assert "items\t0 of 4 complete" in text
    assert "votes\t1 of 8" in text
    assert "rater2@example.org\t0 votes\tlast seen never\tleft – (Fewer than 5 votes" in text
    with pytest.raises(CommandError, match=r"no round “Second” in Names\. Rounds: First"):
        call_command("round_status", "names", "Second")
