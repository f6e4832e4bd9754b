"""Nothing that a participant receives tells where a name came from; and a leak that somebody makes is found."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from labeling.corpus.models import Project
from labeling.people.models import Activity
from labeling.refusals import Refusal
from labeling.study.blindness import ALARM, guessing
from labeling.study.blindness.attacking import FAR, SECRET_TABLES, attack
from labeling.study.models import Sheet, Study
from labeling.study.origins import NameOrigin, Origin
from labeling.study.taking import frame, pages
from labeling.study.taking.models import Line, Page, Participant
from labeling.study.taking.showing import ShownPage
from tests.study.driving import Taker
from tests.study.studies import in_state, study_of

pytestmark = pytest.mark.django_db
OWN_SHEET = re.compile(r'INSERT INTO "labeling_sheet".*?\b(1\d{6})\b')
Template = Callable[[str, str], None]


@pytest.fixture
def study(project: Project) -> Study:
    return study_of(project, methods=10, sheets=3)


def found_by(report: dict[str, Any]) -> set[str]:
    kinds = {check["key"] for check in report["checks"] if check["count"]}
    return kinds | ({"channel"} if report["channel"]["found"] else set())


def test_study_of_ours_holds(study: Study) -> None:
    report = attack(study)
    assert found_by(report) == set(), report
    assert report["found"] is False
    assert (report["sessions"], report["names"]) == (3, 3 * 10 * 4)
    assert report["responses"] > 3 * 10 * 6
    assert report["channel"]["accuracy"] is not None


def test_attack_draws_its_sheets_from_all_of_them(project: Project) -> None:
    study = study_of(project, methods=2, sheets=20)
    seen = []
    for seed in (1, 1, 2):
        with CaptureQueriesContext(connection) as queries:
            report = attack(study, sessions=3, seed=seed)
        sheets = [int(found[1]) for query in queries for found in [OWN_SHEET.search(query["sql"])] if found]
        assert (report["sessions"], report["sheets"], len(sheets)) == (3, 20, 3)
        seen.append(sheets)
    first = study.sheets.order_by("pk").first()
    assert first is not None
    places = [sorted(number - FAR - first.pk for number in sheets) for sheets in seen]
    assert places[0] == places[1] != places[2]
    assert max(map(max, places)) > 3


@pytest.mark.parametrize("state", ["draft", "piloting", "frozen", "open", "closed"])
def test_attack_leaves_nothing_behind(project: Project, state: str) -> None:
    study = in_state(study_of(project, state="draft", methods=6, sheets=2), state)
    tables = (Study, Sheet, Participant, Page, Line, Activity)
    before = [list(table.objects.order_by("pk").values()) for table in tables]
    assert attack(study, sessions=1)["responses"] > 6 * 6
    assert [list(table.objects.order_by("pk").values()) for table in tables] == before


def test_attack_needs_sheets(project: Project) -> None:
    with pytest.raises(Refusal, match="Make the plan"):
        attack(study_of(project, sheets=0))


def letter_of(name: str) -> str:
    return str(NameOrigin.objects.filter(name__shown=name).values_list("origin__letter", flat=True)[0])


def plant(monkeypatch: pytest.MonkeyPatch, leak: Callable[[str, Any], str]) -> None:
    """Whatever a page shows for a line goes through the leak, which knows the line."""
    render = frame.show

    def leaking(request: Any, visit: Any, texts: Any, template: str, context: dict[str, Any]) -> Any:
        response = render(request, visit, texts, template, context)
        page = context.get("page")
        if template == "page" and isinstance(page, ShownPage):
            text = response.content.decode()
            for line in page.lines:
                text = text.replace(f'data-line="{line.code}"', leak(f'data-line="{line.code}"', line))
            response.content = text.encode()
        return response

    monkeypatch.setattr(pages, "show", leaking)


LEAKS: dict[str, tuple[Callable[[str, Any], str], str]] = {
    "a label in an attribute": (lambda text, line: f'{text} title="{label(line)}"', "words"),
    "a letter in an attribute": (lambda text, line: f'{text} data-of="{letter_of(line.name)}"', "letters"),
    "the number of a name": (lambda text, line: f'{text} data-n="{number(line)}"', "ids"),
    "another order of attributes": (
        lambda text, line: f'id="l{line.code}" {text}' if letter_of(line.name) == "A" else f'{text} id="l{line.code}"',
        "channel",
    ),
    "a blank": (lambda text, line: text + " " * (letter_of(line.name) in "AB"), "channel"),
    "a word that means it": (lambda text, line: f'{text} data-w="{word(line)}"', "channel"),
}


def word(line: Any) -> str:
    return "xyzw"["ABCD".index(letter_of(line.name))]


def label(line: Any) -> str:
    return Origin.objects.get(letter=letter_of(line.name)).label


def number(line: Any) -> int:
    return Line.objects.get(code=line.code).name_id


@pytest.mark.parametrize("leak", LEAKS)
def test_leak_is_found(study: Study, monkeypatch: pytest.MonkeyPatch, leak: str) -> None:
    plant(monkeypatch, LEAKS[leak][0])
    assert LEAKS[leak][1] in found_by(attack(study))


def test_plan_that_always_begins_with_one_origin_is_found(project: Project) -> None:
    study = study_of(project, methods=10, sheets=2)
    for sheet in study.sheets.all():
        letters = {name: letter_of_id(name) for _, names in sheet.plan for name in names}
        sheet.plan = [[method, sorted(names, key=lambda name: letters[name])] for method, names in sheet.plan]
        sheet.save()
    report = attack(study)
    assert report["channel"]["found"]
    assert report["channel"]["accuracy"] > 0.9


def letter_of_id(name: int) -> str:
    return str(NameOrigin.objects.filter(name=name).values_list("origin__letter", flat=True)[0])


def test_names_that_differ_by_length_are_content_and_not_a_channel(study: Study) -> None:
    for row in NameOrigin.objects.select_related("name", "origin"):
        row.name.shown += "VeryLong" * "ABCD".index(row.origin.letter)
        row.name.save()
    report = attack(study)
    assert report["content"]["found"]
    assert not report["channel"]["found"]
    assert report["found"] is False


def test_no_query_of_a_participant_touches_origins(project: Project) -> None:
    taker = Taker(study_of(project))
    with CaptureQueriesContext(connection) as queries:
        taker.judge_all()
        taker.finish()
        taker.get(taker.url("mine.json"))
        taker.get(taker.url("leave/"))
        taker.post(taker.url("leave/"), {"choice": "delete"})
    assert len(queries) > 50
    assert not [query["sql"] for query in queries if any(table in query["sql"] for table in SECRET_TABLES)]


def test_attack_sees_a_query_that_touches_origins(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, lambda text, line: text + letter_of(line.name)[1:])
    assert found_by(attack(study, sessions=1)) == {"queries"}


def test_every_answer_is_kept_by_nobody_and_tells_no_referrer(project: Project) -> None:
    taker = Taker(study_of(project))
    taker.judge_all()
    taker.finish()
    taker.get(taker.url("nothing/"))
    for response in taker.received:
        assert "no-store" in response["Cache-Control"]
        assert response["Referrer-Policy"] == "no-referrer"


def test_classifier_finds_what_is_there_and_nothing_else() -> None:
    rng = np.random.default_rng(3)
    method = np.repeat(np.arange(40), 4)
    name = np.arange(160)
    origin = np.tile(np.arange(4), 40)
    noise = rng.normal(size=(160, 6))
    rates = [
        guessing.guess_origins(rng.normal(size=(160, 6)), method=method, name=name, origin=origin, seed=seed).p
        for seed in range(20)
    ]
    assert min(p for p in rates if p is not None) > ALARM
    telling = noise.copy()
    telling[:, 0] += 2.0 * (origin == 2)
    assert guessing.guess_origins(telling, method=method, name=name, origin=origin, seed=1).beats_chance
