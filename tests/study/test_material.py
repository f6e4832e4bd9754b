"""What a study can be made of, and how bad files are refused with the line that is wrong."""

from __future__ import annotations

import csv
import json
from typing import Any

import pytest

from labeling.corpus.kinds.review_rename import ReviewRename
from labeling.corpus.models import Project
from labeling.people.models import User
from labeling.refusals import Invalid
from labeling.release.models import Release
from labeling.study import material
from labeling.study.editing import create_study
from labeling.study.loading import load_material
from labeling.study.material import (
    PRESETS,
    Material,
    NameRow,
    read_material,
    rows_of_file,
    rows_of_list,
    rows_of_project,
)
from labeling.study.models import Method, Name, Study
from labeling.study.origins import NameOrigin, Origin
from labeling.study.sources import bring_material
from tests.corpus.samples import new_item, review_rename, text_pair
from tests.release.samples import archive_of, contents, releasable, released
from tests.study.designs import item, names

FOUR = PRESETS["four_names"]


def read(items: list[Any], rows: list[Any], origins: dict[str, str] = FOUR) -> Material:
    return read_material(rows_of_list(items), rows_of_list(rows), origins)


def read_files(items: bytes, rows: bytes, *, ending: str = "csv") -> Material:
    return read_material(
        rows_of_file(items, f"items.{ending}", kind=ReviewRename),
        rows_of_file(rows, f"names.{ending}", kind=NameRow),
        FOUR,
        called=(f"items.{ending}", f"names.{ending}"),
    )


def test_csv_and_jsonl_give_the_same_material() -> None:
    listed = read([item(1), item(2)], names(1) + names(2))
    lines = b"\n".join(json.dumps(row).encode() for row in (item(1), item(2)))
    given = b"\n".join(json.dumps(row).encode() for row in names(1) + names(2))
    assert read_files(lines, given, ending="jsonl") == listed
    header = b"key,group,body\n"
    table = header + b"".join(f'{row["key"]},{row["group"]},"{row["body"]}"\n'.encode() for row in (item(1), item(2)))
    given = b"item,origin,name\n" + b"".join(
        f"{row['item']},{row['origin'].upper()},{row['name']}\n".encode() for row in names(1) + names(2)
    )
    assert read_files(table, given) == listed
    assert material.digest_of(read_files(table, given)) == material.digest_of(listed)


def test_items_of_the_project_bring_their_own_buggy_and_fixed_names(project: Project) -> None:
    for number in range(3):
        new_item(project, "review_rename", review_rename(number, repository=f"acme/{number}")).save()
    found = read_material(rows_of_project(project, group="acme/1"), [], FOUR)
    (piece,) = found.pieces
    assert piece.names == {"buggy": "load1", "fixed": "fetchConnection1"}
    assert piece.body.startswith("Connection load1()")
    assert found.missing == {"buggy": 0, "fixed": 0, "cognac": 1, "gtnm": 1}


def test_files_of_a_release_are_read() -> None:
    payload = review_rename(1)
    lines = [
        {"id": "a", "kind": "review_rename", "released": True, "payload": payload},
        {"id": "b", "kind": "review_rename", "released": False, "payload": review_rename(2)},
    ]
    (piece,) = read(lines, []).pieces
    assert (piece.key, piece.group, piece.names["fixed"]) == ("a", "acme/rockets", "fetchConnection1")
    assert piece.body == payload["body_before"]
    table = (
        b"id,review_comment,method_body,buggy_name,fixed_name,include,repository\na,x,void _() {},load,put,yes,r/s\n"
    )
    (cells,) = read_material(rows_of_file(table, "benchmark.csv", kind=ReviewRename), [], FOUR).pieces
    assert (cells.key, cells.body, cells.names) == ("a", "void _() {}", {"buggy": "load", "fixed": "put"})


def test_other_kinds_of_items_are_refused(project: Project) -> None:
    new_item(project, "text_pair", text_pair()).save()
    with pytest.raises(Invalid, match=r"items, line 1: the item .* is of the kind text_pair, not review_rename"):
        read_material(rows_of_project(project), [], FOUR)


@pytest.mark.parametrize(
    ("items", "rows", "said"),
    [
        ([], [], "items: there is no method in it"),
        ([item(1), item(1)], [], "items, line 2: the item “m001” was there before"),
        ([{"key": "a"}], [], "items, line 1: body: is missing"),
        ([{"body": "x"}], [], "items, line 1: key: is missing"),
        ([item(1, body=7)], [], "items, line 1: body: must be text, not “7”"),
        ([item(1, body="x" * 50_001)], [], "body: has 50,001 characters; at most 50,000"),
        ([item(1, fixed_name="7up")], [], "fixed_name: “7up” is not a Java identifier"),
        (["x"], [], "items, line 1: must be a JSON object"),
        ([item(1)], names(2)[:1], "names, line 1: item: there is no item “m002”"),
        ([item(1)], [{"item": "m001", "origin": "gpt", "name": "x"}], "line 1: origin: “gpt” is no origin"),
        ([item(1)], [{"item": "m001", "origin": "gtnm", "name": "a-"}, {}], "line 2: item: is missing"),
        ([item(1)], [{"item": "m001", "origin": "gtnm", "name": "!"}], "name: “!” is not a Java identifier"),
        ([item(1)], [{"item": "m001", "origin": "gtnm", "name": "\ud800x"}], "line 1: name"),
        ([item(1)], [{"item": "m001", "origin": "gtnm", "name": "while"}], "“while” is not a Java identifier"),
        ([item(1)], names(1) + names(1)[:1], "line 5: origin: buggy named “m001” already, on line 1"),
        ([item(1, fixed_name="put")], names(1), "line 2: name: the item itself says that its fixed name is put"),
        ([item(1)], [{"item": "m001", "origin": "gtnm", "name": "x", "more": 1}], "more: is not a field"),
        ([item(1)], [{"item": "m001", "origin": "attention-no", "name": "take1"}, *names(1)], "check as well"),
    ],
)
def test_bad_rows_are_named_with_their_line(items: list[Any], rows: list[Any], said: str) -> None:
    with pytest.raises(Invalid, match=said.replace("(", r"\(")):
        read(items, rows)


@pytest.mark.parametrize(
    ("items", "rows", "said"),
    [
        (b"", b"", "items.csv: The file is empty"),
        (b"key,body\nm1,\xff\xfe\n", b"", "items.csv: The file is not UTF-8 somewhere after line"),
        (b"key,body\nm1\n", b"", "items.csv, line 2: has 1 cells, but the header has 2"),
        (b"key,body\nm1,x", b'item,origin,name\n"m1,x', "names.csv: Line 2 is not CSV"),
        (b"key,body\nm1,x", b"who,what\na,b\n", "names.csv, line 2: item: is missing"),
    ],
)
def test_bad_files_are_named(items: bytes, rows: bytes, said: str) -> None:
    with pytest.raises(Invalid, match=said):
        read_files(items, rows)


def test_many_bad_rows_are_counted_and_the_first_told() -> None:
    with pytest.raises(Invalid, match=r"line 5: item: .* And 3 more\."):
        read([item(1)], [row for number in (2, 3) for row in names(number)])


def test_huge_file_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Invalid, match=r"items\.csv: the file has 20,000,001 bytes"):
        read_files(b"x" * 20_000_001, b"")
    monkeypatch.setattr(material, "MOST_METHODS", 2)
    with pytest.raises(Invalid, match="items, line 3: a study takes at most 2 methods"):
        read([item(number) for number in range(4)], [])
    monkeypatch.setattr(material, "MOST_NAMES", 2)
    with pytest.raises(Invalid, match="names, line 3: at most 2 names"):
        read([item(1)], names(1))


@pytest.mark.parametrize(
    ("origins", "said"),
    [
        ({}, "name 1 to 12, not 0"),
        ({"Bad key": "x"}, "“Bad key” cannot be a key"),
        ({"attention-no": "x"}, "cannot be a key"),
        ({"a": " "}, "label of a"),
        ({f"o{n}": "x" for n in range(13)}, "not 13"),
    ],
)
def test_origins_that_make_no_sense_are_refused(origins: dict[str, str], said: str) -> None:
    with pytest.raises(Invalid, match=said):
        read([item(1)], [], origins)


@pytest.fixture
def study(project: Project) -> Study:
    return create_study(project, name="First", by=None, seed=3)


def test_equal_names_are_one_name_that_counts_for_each_origin(study: Study) -> None:
    load_material(study, read([item(1)], names(1, cognac="fetch1", gtnm="Fetch1")), source={}, by=None)
    rows = NameOrigin.objects.order_by("origin__key").values_list("name__shown", "origin__key")
    assert list(rows) == [("take1", "buggy"), ("fetch1", "cognac"), ("fetch1", "fixed"), ("Fetch1", "gtnm")]
    assert Name.objects.count() == 3


def test_neither_the_seed_nor_rows_tell_letters(project: Project) -> None:
    """Or a study with the same seed could be unblinded first."""
    dealt = set()
    for number in range(12):
        study = create_study(project, name=f"S{number}", by=None, seed=7)
        load_material(study, read([item(1)], names(1)), source={}, by=None)
        letters = Origin.objects.filter(study=study).order_by("pk").values_list("letter", "key")
        assert [letter for letter, _ in letters] == ["A", "B", "C", "D"]
        dealt.add(tuple(key for _, key in letters))
        load_material(study, read([item(1)], names(1)), source={}, by=None)
        assert tuple(key for _, key in letters.all()) in dealt  # the same when it is loaded again
    assert len(dealt) > 6


def test_loading_again_replaces_everything(study: Study) -> None:
    load_material(study, read([item(1), item(2)], names(1)), source={}, by=None)
    load_material(study, read([item(3)], names(3)), source={"kind": "file"}, by=None)
    assert list(Method.objects.values_list("key", flat=True)) == ["m003"]
    study.refresh_from_db()
    assert (study.source["methods"], len(study.source["digest"])) == (1, 64)
    assert (Name.objects.count(), Origin.objects.count()) == (4, 4)


def test_attention_check_has_no_origin(study: Study) -> None:
    rows = [*names(1), {"item": "m001", "origin": "attention-no", "name": "launchRocket"}]
    load_material(study, read([item(1)], rows), source={}, by=None)
    check = Name.objects.get(attention="no")
    assert (check.shown, NameOrigin.objects.filter(name=check).count()) == ("launchRocket", 0)


@pytest.mark.django_db
def test_methods_come_from_a_release(project: Project, alice: User) -> None:
    releasable(project)
    release = released(project, filters=("include=yes",))
    study = create_study(project, name="Names of a release", preset="four_names", design={}, seed=7, by=alice)
    study = bring_material(study, origins=FOUR, source="release", release=release.number, by=alice)
    kept = {final["item"] for final in release_rows(release, "finals.csv") if final["released"] == "yes"}
    assert set(study.methods.values_list("key", flat=True)) == kept
    assert study.source["release_digest"] == release.digest
    with pytest.raises(Invalid, match="no frozen release 9"):
        bring_material(study, origins=FOUR, source="release", release=9, by=alice)
    assert study.methods.count() == len(kept)


def release_rows(release: Release, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(contents(archive_of(release))[name].splitlines()))


def test_label_that_files_could_not_tell_from_two_is_refused() -> None:
    with pytest.raises(Invalid, match=r"origins: the label of a must have no \| in it"):
        material.require_origins({"a": "This|That"})
