"""An item's content never changes under the eyes of one who judges it, also when both happen in the same instant."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import TypeVar

import pytest
from django.db import connection, transaction

from labeling.annotation.judging.claiming import next_assignment
from labeling.annotation.models import Vote
from labeling.corpus import picking
from labeling.corpus.importing import Options, import_list
from labeling.corpus.models import Item, Project
from labeling.corpus.picking import pick_comment
from labeling.people.models import User
from labeling.refusals import Refusal
from tests.annotation.samples import annotators, judge, opened_round, vote_on
from tests.corpus.samples import review_rename

T = TypeVar("T")
PATIENCE = 20


@pytest.fixture(autouse=True)
def on_postgresql(transactional_db: None) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite lets only one write at a time")


def brought(project: Project, count: int, version: int = 0) -> None:
    rows = [{"key": str(n), **review_rename(n, path=f"{version}.java")} for n in range(count)]
    import_list(rows, project, Options(kind="review_rename", replace=True))


def apart(act: Callable[[], T]) -> T:
    """In a thread, whose connection is closed with it."""
    with closing(connection):
        return act()


def linked(item: Item) -> list[bool]:
    return [bool(comment.get("linked")) for comment in Item.objects.get(pk=item.pk).payload["thread"]]


@pytest.mark.parametrize("handing", ["planned", "claimed"])
def test_item_is_not_handed_out_while_another_comment_is_being_linked(
    project: Project, monkeypatch: pytest.MonkeyPatch, handing: str
) -> None:
    brought(project, 1)
    (ann,) = annotators(project, 1)
    round, item = opened_round(project, [ann], handing=handing), Item.objects.get()
    about_to_store, go_on = threading.Event(), threading.Event()
    store = picking.store

    def wait_and_store(*given: object) -> None:
        about_to_store.set()
        assert go_on.wait(PATIENCE)
        store(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(picking, "store", wait_and_store)

    def take() -> list[bool] | None:
        return linked(item) if next_assignment(ann, round) else None

    with ThreadPoolExecutor(2) as threads:
        picked = threads.submit(apart, lambda: pick_comment(item, comment=1, by=None))
        assert about_to_store.wait(PATIENCE)
        taken = threads.submit(apart, take)
        if handing == "planned":
            with pytest.raises(TimeoutError):
                taken.result(0.5)
        else:  # of the pool, nothing is left for this moment
            assert taken.result(PATIENCE) is None
        go_on.set()
        picked.result(PATIENCE)
        assert taken.result(PATIENCE) == ([False, True] if handing == "planned" else None)
    assert next_assignment(ann, round)
    assert linked(item) == [False, True]


def test_comment_is_not_linked_anew_while_the_item_is_being_handed_out(project: Project) -> None:
    brought(project, 1)
    (ann,) = annotators(project, 1)
    round, item = opened_round(project, [ann]), Item.objects.get()
    with ThreadPoolExecutor(1) as threads, transaction.atomic():
        assert next_assignment(ann, round)
        picked = threads.submit(apart, lambda: pick_comment(item, comment=1, by=None))
        with pytest.raises(Refusal, match="is being judged"):
            picked.result(PATIENCE)
    assert linked(item) == [True, False]


def test_what_was_judged_is_what_was_seen_while_an_import_replaces_everything(project: Project) -> None:
    count = 30
    brought(project, count)
    people = annotators(project, 3)
    round = opened_round(project, people, votes=2)
    seen: list[tuple[int, str]] = []

    def judge_everything(user: User) -> None:
        while held := next_assignment(user, round):
            item = Item.objects.get(in_rounds=held.round_item_id)
            seen.append((item.pk, item.digest))
            vote_on(user, held)

    def replace_everything() -> None:
        for version in range(1, 20):
            brought(project, count, version)

    with ThreadPoolExecutor(4) as threads:
        work = [threads.submit(apart, replace_everything)]
        work += [threads.submit(apart, lambda user=user: judge_everything(user)) for user in people]
        for one in work:
            one.result(60)
    while [user for user in people if judge(user, round)]:
        pass  # what was locked for a moment when they looked
    now = dict(Item.objects.values_list("pk", "digest"))
    assert [(pk, digest) for pk, digest in seen if now[pk] != digest] == []
    assert Vote.objects.count() == 2 * count
