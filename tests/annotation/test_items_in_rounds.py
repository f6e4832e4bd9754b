from __future__ import annotations

from collections.abc import Callable

from django.test import Client

from labeling.annotation.judging.claiming import next_assignment
from labeling.annotation.rounds.changing import ask_again, close_round, use_version
from labeling.corpus.browsing import STATES, filtered
from labeling.corpus.importing import Options, Outcome, import_list
from labeling.corpus.models import Item, Project
from labeling.people.models import User
from tests.annotation.samples import annotators, items, judge, opened_round, protocol, vote_on
from tests.api.test_projects import caller
from tests.corpus.samples import review_rename


def replace_all(project: Project) -> Outcome:
    changed = [{"key": item.key, **review_rename(number + 100)} for number, item in enumerate(Item.objects.all())]
    return import_list(changed, project, Options(kind="review_rename", replace=True))


def test_item_that_somebody_judged_or_looks_at_is_never_replaced(project: Project) -> None:
    items(project, 5)
    (ann,) = annotators(project, 1)
    round = opened_round(project, [ann])
    judged = judge(ann, round)
    looked_at = next_assignment(ann, round)
    assert judged
    assert looked_at
    kept = {row.round_item.item_id: row.round_item.item.payload for row in (judged, looked_at)}
    outcome = replace_all(project)
    assert (outcome.changed, outcome.replaced, outcome.kept) == (5, 3, 2)
    assert {pk: Item.objects.get(pk=pk).payload for pk in kept} == kept
    vote_on(ann, looked_at)
    use_version(round, protocol(project), by=None)
    ask_again(round, by=None)  # their votes are of another version, but votes they are
    assert replace_all(project).kept == 2


def test_items_are_found_by_how_far_they_are(project: Project, alice: User, enter: Callable[[User], Client]) -> None:
    rows = items(project, 6)
    (ann,) = annotators(project, 1)
    round = opened_round(project, [ann], sample=4)
    judge(ann, round)
    found = {state: set(filtered(project, state=state).values_list("pk", flat=True)) for state in STATES}
    assert {state: len(pks) for state, pks in found.items()} == {"unplanned": 2, "judging": 3, "judged": 1}
    assert set.union(*found.values()) == {row.pk for row in rows}
    page = enter(alice).get("/projects/names/items/", {"state": "judged"}).text
    assert "1 found" in page
    assert '<option value="judged" selected>Judged</option>' in page
    assert len(caller(alice).get("/api/v1/projects/names/items/?state=judging").json()["results"]) == 3
    opened_round(project, [ann], name="Second", protocol=round.protocol)
    assert filtered(project, state="judging").count() == 6
    close_round(round, by=None)
    assert filtered(project, state="unplanned").count() == 0
