from __future__ import annotations

import io
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction

from labeling.corpus import importing, searching
from labeling.corpus.importing import Options, Outcome, import_rows
from labeling.corpus.kinds import KINDS
from labeling.corpus.models import Item, ItemWords, Project
from labeling.corpus.reading import read_rows
from labeling.people.models import User
from labeling.refusals import Invalid
from tests.corpus.samples import review_rename


def jsonl(*rows: Any) -> bytes:
    return b"".join((row if isinstance(row, bytes) else json.dumps(row).encode()) + b"\n" for row in rows)


def bring(
    project: Project, content: bytes, *, form: str = "jsonl", kind: str = "review_rename", **options: Any
) -> Outcome:
    rows = read_rows(io.BytesIO(content), form=form, kind=KINDS[kind])
    chosen = Options(kind=kind, **options)
    return import_rows(
        rows, project, chosen, step=lambda _: transaction.atomic(), done_with=lambda _outcome, _rejected: None
    )


def counts(outcome: Outcome) -> dict[str, int]:
    return {name: value for name, value in outcome.as_dict().items() if isinstance(value, int) and value}


def test_again_is_nothing_new(project: Project) -> None:
    content = jsonl(*(review_rename(number) for number in range(5)))
    assert counts(bring(project, content)) == {"rows": 5, "new": 5}
    assert counts(bring(project, content)) == {"rows": 5, "unchanged": 5}
    assert Item.objects.count() == 5


def test_item_keeps_what_the_row_said(project: Project) -> None:
    bring(project, jsonl({"key": "first", **review_rename(1)}))
    item = Item.objects.get()
    assert (item.key, item.group, item.title) == ("first", "acme/rockets", "load1 → fetchConnection1")
    assert item.payload == KINDS["review_rename"].read(review_rename(1)).write()


def test_changed_content_is_reported_and_replaced_only_when_asked(project: Project) -> None:
    bring(project, jsonl({"key": "a", **review_rename(1)}))
    changed = jsonl({"key": "a", **review_rename(1, path="Other.java")})
    assert counts(bring(project, changed)) == {"rows": 1, "changed": 1}
    assert Item.objects.get().payload["path"] != "Other.java"
    assert counts(bring(project, changed, replace=True)) == {"rows": 1, "changed": 1, "replaced": 1}
    assert Item.objects.get().payload["path"] == "Other.java"


@pytest.mark.parametrize("batch", [1, 2, 100])
def test_key_that_comes_twice_in_a_file_is_stored_once(
    project: Project, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    monkeypatch.setattr(importing, "BATCH", batch)
    rows = [{"key": "a", **review_rename(1)}, {"key": "a", **review_rename(1)}, {"key": "a", **review_rename(2)}]
    assert counts(bring(project, jsonl(*rows))) == {"rows": 3, "new": 1, "unchanged": 1, "changed": 1}


def test_dry_run_stores_nothing(project: Project) -> None:
    assert counts(bring(project, jsonl(review_rename(1)), dry_run=True)) == {"rows": 1, "new": 1}
    assert not Item.objects.exists()


def test_same_key_in_another_project_is_another_item(project: Project, alice: User) -> None:
    from labeling.corpus.projects import create_project

    other = create_project(name="Other", by=alice)
    for where in (project, other):
        bring(where, jsonl({"key": "a", **review_rename(1)}))
    assert Item.objects.count() == 2


def test_bad_rows_are_named_and_the_rest_goes_on(project: Project) -> None:
    content = jsonl(
        review_rename(1),
        b"{ cut in the midd",
        b"",
        b"\xff\xfe",
        b"[1]",
        review_rename(2, buggy_name="no name"),
        {**review_rename(3), "key": 7},
        b'{"buggy_name": NaN}',
        {**review_rename(4), "odd": "\ud800"},
        {**review_rename(5), "odd": "a\x00b"},
        review_rename(6),
        b'{"odd": 1e999, ' + json.dumps(review_rename(7)).encode()[1:],
        b'{"odd": ' + b"[" * 900 + b"]" * 900 + b", " + json.dumps(review_rename(8)).encode()[1:],
    )
    outcome = bring(project, content + jsonl(review_rename(9, path="\ud800"), {"key": "\ud800", **review_rename(9)}))
    assert counts(outcome) == {"rows": 14, "new": 2, "bad": 12}
    said = {bad["line"]: f"{bad['field']}: {bad['reason']}" for bad in outcome.first_bad}
    assert "is not JSON" in said[2]
    assert "byte 1 of the line is not UTF-8" in said[4]
    assert "must be a JSON object" in said[5]
    assert said[6].startswith("buggy_name: ")
    assert said[7].startswith("key: ")
    assert "NaN" in said[8]
    assert "surrogate" in said[9]
    assert "NUL" in said[10]
    assert "too large" in said[12]
    assert "nested" in said[13]
    assert "surrogate" in said[14]
    assert said[15].startswith("key: ")
    assert Item.objects.count() == 2


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_csv_in_each_of_its_dialects(project: Project, mark: bytes, delimiter: str) -> None:
    lines = [["buggy_name", "fixed_name", "body_before", "pull_request.number", "matched_words", "colour"],
             ["load", "fetch", '"{ return; }\r\n"', "7", "name|naming", "'=red"]]  # fmt: skip
    content = mark + "\r\n".join(delimiter.join(line) for line in lines).encode()
    assert counts(bring(project, content, form="csv")) == {"rows": 1, "new": 1}
    payload = Item.objects.get().payload
    assert payload["body_before"] == "{ return; }\r\n"
    assert payload["pull_request"] == {"number": 7}
    assert payload["matched_words"] == ["name", "naming"]
    assert payload["colour"] == "=red"


def test_bad_csv_rows_are_named(project: Project) -> None:
    content = b"buggy_name,fixed_name,body_before,pull_request.number\na,b,c\na,b,c,many\na,b,c,1\n"
    outcome = bring(project, content, form="csv")
    assert counts(outcome) == {"rows": 3, "new": 1, "bad": 2}
    assert [(bad["line"], bad["field"]) for bad in outcome.first_bad] == [(2, ""), (3, "pull_request.number")]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"a,b\n\xff,1\n", "not UTF-8"),
        (b'a,b\n"x"y,1\n', "Line 2 is not CSV"),
        (b",".join(b"c%d" % number for number in range(1_001)) + b"\n", "has 1,001 columns"),
        (b"a,b\n" + b"1," * 4_000_001, "Line 2 is longer than"),
    ],
)
def test_csv_that_cannot_be_read_is_refused(project: Project, content: bytes, said: str) -> None:
    with pytest.raises(Invalid, match=said):
        bring(project, content, form="csv")


@pytest.mark.django_db(transaction=True)
def test_two_imports_at_once_store_each_item_once(project: Project) -> None:
    content = jsonl(*({"key": str(number), **review_rename(number)} for number in range(300)))

    def one(_: int) -> int:
        try:
            return bring(project, content).new
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(one, range(4))) == 300
    assert Item.objects.count() == 300


@pytest.mark.django_db(transaction=True)
def test_two_who_make_items_searchable_at_once_do_not_disturb_each_other(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "BATCH", 10)
    bring(project, jsonl(*({"key": str(number), **review_rename(number)} for number in range(200))))

    def one(_: int) -> None:
        try:
            searching.index_words(project, step=lambda _: transaction.atomic())
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(one, range(2)))
    assert ItemWords.objects.count() == 200


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite lets only one write at a time")
@pytest.mark.django_db(transaction=True)
def test_items_come_in_while_others_are_being_made_searchable(project: Project) -> None:
    bring(project, jsonl({"key": "1", **review_rename(1)}))

    def another() -> int:
        try:
            return bring(project, jsonl({"key": "2", **review_rename(2)})).new
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool, transaction.atomic():
        searching.index_batch([Item.objects.get().pk])
        assert pool.submit(another).result(20) == 1


def run_command(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    call_command("import_items", "names", *arguments)
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_command_imports_and_makes_searchable(
    project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from labeling.corpus.searching import search

    file = tmp_path / "items.jsonl"
    file.write_bytes(jsonl(review_rename(1), review_rename(2)))
    assert run_command(capsys, str(file), "--dry-run")["new"] == 2
    assert run_command(capsys, str(file))["new"] == 2
    assert run_command(capsys, str(file))["unchanged"] == 2
    assert search(Item.objects.all(), "connection fetch").count() == 2


def test_command_keeps_bad_rows_aside_and_fails(
    project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "items.jsonl"
    file.write_bytes(jsonl(review_rename(1), {"buggy_name": 3}))
    with pytest.raises(CommandError, match="1 of 2 rows are bad"):
        call_command("import_items", "names", str(file))
    kept = json.loads((tmp_path / "items.jsonl.rejected.jsonl").read_text())
    assert kept == {"line": 2, "field": "fixed_name", "reason": "is missing", "row": {"buggy_name": 3}}
    assert Item.objects.count() == 1


def test_all_or_nothing_stores_nothing_when_one_row_is_bad(project: Project, tmp_path: Path) -> None:
    file = tmp_path / "items.jsonl"
    file.write_bytes(jsonl(review_rename(1), {"buggy_name": 3}))
    with pytest.raises(CommandError, match="Nothing was imported"):
        call_command("import_items", "names", str(file), "--all-or-nothing")
    assert not Item.objects.exists()


@pytest.mark.parametrize(
    ("name", "said"), [("none.jsonl", "No such file"), ("items.xlsx", "should end in .jsonl or .csv")]
)
def test_command_says_what_is_wrong_with_the_file(project: Project, tmp_path: Path, name: str, said: str) -> None:
    with pytest.raises(CommandError, match=said):
        call_command("import_items", "names", str(tmp_path / name))


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_export_gives_back_what_was_imported(
    project: Project, alice: User, form: str, tmp_path: Path, run_job: Callable[..., Path]
) -> None:
    from labeling.corpus.projects import create_project
    from labeling.corpus.work import start_export

    hostile = '=1+1, "quoted"\r\nnew\tline\\ üñ'
    rows = [review_rename(1, odd={"a.b": [1]}), review_rename(2, path=hostile), review_rename(3, body_before=hostile)]
    bring(project, jsonl(*rows))
    file = run_job(start_export(project, by=alice, kind="review_rename", form=form))
    other = create_project(name="Other", by=alice)
    assert bring(other, file.read_bytes(), form=form).new == 3
    first, second = (
        list(where.items.order_by("pk").values_list("key", "payload", "digest", "sameness"))
        for where in (project, other)
    )
    assert first == second
