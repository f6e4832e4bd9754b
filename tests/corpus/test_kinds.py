"""Each kind of item, from a file to its page and out again; and the page on which one chooses the kind."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.template.loader import get_template
from django.test import Client
from playwright.sync_api import Page, expect

from labeling.corpus.importing import Options, import_list
from labeling.corpus.kinds import KINDS
from labeling.corpus.models import Item, Project
from labeling.corpus.payloads import FieldError
from labeling.corpus.searching import search
from labeling.corpus.work import start_export
from labeling.people.models import User
from tests.corpus.samples import SAMPLES, method_pair, text_pair
from tests.corpus.test_import import bring, jsonl
from tests.corpus.test_items import finish, send

Enter = Callable[[User], Client]


def test_every_kind_has_a_sample_and_a_template() -> None:
    assert set(SAMPLES) == set(KINDS)
    for kind in KINDS:
        get_template(f"corpus/kinds/{kind}.html")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_every_kind_comes_back_from_an_export(
    project: Project, alice: User, kind: str, form: str, run_job: Callable[..., Path]
) -> None:
    rows = [SAMPLES[kind](1), {**SAMPLES[kind](2), "odd": ["x", 1]}]
    assert import_list(rows, project, Options(kind=kind)).new == 2
    before = list(Item.objects.order_by("pk").values_list("key", "digest"))
    file = run_job(start_export(project, by=alice, kind=kind, form=form))
    outcome = bring(project, file.read_bytes(), form=form, kind=kind)
    assert (outcome.unchanged, outcome.bad) == (2, 0)
    assert list(Item.objects.order_by("pk").values_list("key", "digest")) == before


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_its_page(project: Project, alice: User, enter: Enter, kind: str) -> None:
    row = {**SAMPLES[kind](1), **({"repository": "acme/zebra"} if kind == "review_rename" else {})}
    import_list([row], project, Options(kind=kind))
    item = Item.objects.get()
    page = enter(alice).get(f"/projects/names/items/{item.pk}/")
    assert page.status_code == 200
    assert "zebra" in page.text
    assert list(search(Item.objects.all(), "zebra")) == [item]
    assert item.title in enter(alice).get("/projects/names/items/").text


@pytest.mark.parametrize(
    ("kind", "row", "field", "reason"),
    [
        ("text_pair", {"first": "a"}, "second", "is missing"),
        ("text_pair", {"first": "a", "second": " \n"}, "second", "is empty"),
        ("text_pair", {"first": "a", "second": {"code": "b"}}, "second", "must be text"),
        ("method_pair", {"first": "a", "second": {"code": "b"}}, "first", "must be an object"),
        ("method_pair", {"first": {"code": "a"}, "second": {"name": "b"}}, "second.code", "is missing"),
        ("method_pair", {"first": {"code": ""}, "second": {"code": "b"}}, "first.code", "is empty"),
    ],
)
def test_wrong_field_is_named(kind: str, row: dict[str, Any], field: str, reason: str) -> None:
    with pytest.raises(FieldError) as caught:
        KINDS[kind].read(row)
    assert caught.value.field == field
    assert reason in caught.value.reason


def test_text_pair_is_named_by_its_title_or_its_beginning(project: Project) -> None:
    rows = [text_pair(1, title="Seven"), {"first": f"{'long ' * 40}", "second": "b"}]
    import_list(rows, project, Options(kind="text_pair"))
    titles = list(Item.objects.order_by("pk").values_list("title", flat=True))
    assert titles[0] == "Seven"
    assert titles[1].startswith("long long")
    assert len(titles[1]) <= 80


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.jsonl", jsonl(method_pair(1)), "method_pair"),
        ("a.jsonl", jsonl(text_pair(1)), "text_pair"),
        ("a.csv", b"first.code,second.code,first.name\na,b,c\n", "method_pair"),
        ("a.csv", b"first,second\na,b\n", "text_pair"),
        ("a.csv", b"BuggyName,FixedName\na,b\n", "review_rename"),
        ("a.jsonl", b"{cut\n", "review_rename"),
    ],
)
def test_kind_is_guessed_from_the_fields(
    project: Project, alice: User, enter: Enter, name: str, content: bytes, kind: str
) -> None:
    client = enter(alice)
    page = client.get(send(client, name, content)).text
    assert f'<option value="{kind}" selected>' in page


def test_kind_is_chosen_and_the_columns_follow_it(project: Project, alice: User, enter: Enter) -> None:
    client = enter(alice)
    url = send(client, "pairs.csv", b"one,two\nsame thing,the same\n")
    assert '<option value="second">' not in client.get(url).text
    assert '<option value="second">' in client.get(f"{url}?kind=text_pair").text
    assert client.get(f"{url}?kind=nonsense").status_code == 200
    client.post(f"{url}?kind=text_pair", {"column_0": "first", "column_1": "second"})
    finish()
    assert Item.objects.get().payload == {"first": "same thing", "second": "the same"}
    assert Item.objects.get().kind == "text_pair"


def test_export_page_asks_for_the_kind_at_hand(project: Project, alice: User, enter: Enter) -> None:
    import_list([text_pair(1)], project, Options(kind="text_pair"))
    client = enter(alice)
    assert '<option value="text_pair" selected>' in client.get("/projects/names/items/").text
    client.post("/projects/names/items/export/", {"form": "jsonl", "kind": "text_pair"})
    assert finish().result["rows"] == 1


DROP = """([name, text]) => {
  const data = new DataTransfer();
  data.items.add(new File([text], name));
  const form = document.querySelector("[data-drop]");
  for (const type of ["dragover", "drop"]) {
    form.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
  }
}"""


@pytest.mark.django_db(transaction=True)
def test_file_is_dropped_on_the_form(new_page: Callable[..., Page], project: Project, alice: User) -> None:
    page = new_page(alice)
    page.goto("/projects/names/items/upload/")
    expect(page.get_by_text("or drop it here")).to_be_visible()
    page.evaluate(DROP, ["dropped.jsonl", json.dumps(text_pair(1))])
    page.get_by_role("button", name="Look into the file").click()
    expect(page.get_by_role("heading", name="Import dropped.jsonl")).to_be_visible()
    expect(page.get_by_label("Kind of item")).to_have_value("text_pair")


@pytest.mark.django_db(transaction=True)
def test_file_is_chosen_and_its_kind_changed_without_javascript(
    new_page: Callable[..., Page], project: Project, alice: User, tmp_path: Path
) -> None:
    file = tmp_path / "pairs.jsonl"
    file.write_text(json.dumps(text_pair(1)))
    page = new_page(alice, javascript=False)
    page.goto("/projects/names/items/upload/")
    page.get_by_label("A file of items").set_input_files(file)
    page.get_by_role("button", name="Look into the file").click()
    page.get_by_label("Kind of item").select_option("Pair of Java methods")
    page.get_by_role("button", name="Read it as this kind").click()
    expect(page.get_by_text("must be an object with named fields")).to_be_visible()
    page.get_by_label("Kind of item").select_option("Pair of texts")
    page.get_by_role("button", name="Read it as this kind").click()
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_role("heading", name="Import of pairs.jsonl")).to_be_visible()
