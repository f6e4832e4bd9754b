from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from pytest_django.fixtures import DjangoAssertNumQueries

from labeling import tasks
from labeling.corpus import browsing, importing
from labeling.corpus.code import compare_names, highlight
from labeling.corpus.importing import new_entry
from labeling.corpus.models import Item, ItemWords, Project, Upload
from labeling.corpus.searching import index_words, search
from labeling.corpus.storing import Entry, insert_entries
from labeling.jobs import running
from labeling.jobs.files import made_file
from labeling.jobs.models import Job, State
from labeling.jobs.running import ClaimLost
from labeling.people.invitations import add_member
from labeling.people.models import Role, User
from tests.corpus.samples import new_item, review_rename
from tests.corpus.test_import import jsonl

Enter = Callable[[User], Client]


def fill(project: Project, *rows: dict[str, Any]) -> None:
    from django.db import transaction

    for row in rows:
        new_item(project, "review_rename", row).save()
    index_words(project, step=lambda _: transaction.atomic())


def found(project: Project, words: str) -> list[str]:
    return [item.title for item in search(Item.objects.filter(project=project), words)]


def test_search_finds_words_beginnings_and_parts_of_names(project: Project) -> None:
    fill(project, review_rename(1), review_rename(2, fixed_name="openHTTPSocket", thread=[{"body": "Naïve näme"}]))
    assert found(project, "socket") == ["load2 → openHTTPSocket"]
    assert found(project, "http") == ["load2 → openHTTPSocket"]
    assert found(project, "OPENHTTPSOCKET") == ["load2 → openHTTPSocket"]
    assert found(project, "fetchcon") == ["load1 → fetchConnection1"]
    assert found(project, "naïve NÄME socket") == ["load2 → openHTTPSocket"]
    assert found(project, "socket fetchcon") == []
    assert len(found(project, "acme/rockets")) == 2


@pytest.mark.parametrize("words", ["'", '"', "a:*b", "!!", "&|", "(", "NEAR(a b)", "* OR 1", "-x", "\\", "%"])
def test_search_takes_any_text(project: Project, words: str) -> None:
    fill(project, review_rename(1))
    assert found(project, words) in ([], ["load1 → fetchConnection1"])


def test_replaced_item_is_found_by_its_new_words_only(project: Project, alice: User) -> None:
    fill(project, review_rename(1, thread=[{"body": "antelope"}]))
    entry = new_entry("review_rename", review_rename(1, thread=[{"body": "zebra"}]), key=Item.objects.get().key)
    importing.replace_items([entry], project)
    assert found(project, "antelope") == []
    fill(project)
    assert found(project, "zebra") == ["load1 → fetchConnection1"]
    assert ItemWords.objects.count() == 1


def test_list_filters_by_repository_and_words(project: Project, alice: User, enter: Enter) -> None:
    fill(project, review_rename(1), review_rename(2, repository="acme/anvils"))
    client = enter(alice)
    page = client.get("/projects/names/items/?group=acme/anvils").text
    assert "load2" in page
    assert "load1" not in page
    assert "load1" in client.get("/projects/names/items/?words=load1").text
    assert "Nothing found" in client.get("/projects/names/items/?words=elephant").text
    assert client.get("/projects/names/items/?words=%00&group=%00&after=x").status_code == 200


def test_pages_go_through_all_items_once(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browsing, "PAGE", 3)
    fill(project, *(review_rename(number) for number in range(8)))
    seen: list[str] = []
    after: int | None = 0
    while after is not None:
        page = browsing.browse(project, after=after)
        seen += [item.title for item in page.items]
        after = page.next_after
    assert seen == [f"load{number} → fetchConnection{number}" for number in range(8)]


@pytest.mark.parametrize("many", [2, 40])
def test_list_costs_the_same_for_few_and_many(
    project: Project, alice: User, enter: Enter, many: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    fill(project, *(review_rename(number) for number in range(many)))
    client = enter(alice)
    with django_assert_num_queries(7):
        client.get("/projects/names/items/?words=load")


def test_who_sees_items(project: Project, alice: User, bob: User, charlie: User, enter: Enter) -> None:
    fill(project, review_rename(1))
    url = f"/projects/names/items/{Item.objects.get().pk}/"
    assert enter(charlie).get(url).status_code == 404
    assert enter(bob).get(url).status_code == 403
    add_member(project, user=charlie, role=Role.VIEWER, by=alice)
    assert enter(charlie).get(url).status_code == 200
    assert enter(charlie).get("/projects/names/items/upload/").status_code == 403


def test_item_page_shows_what_is_the_same(project: Project, alice: User, enter: Enter) -> None:
    fill(project, review_rename(1), review_rename(1, repository="fork/rockets"))
    page = enter(alice).get(f"/projects/names/items/{Item.objects.earliest('pk').pk}/").text
    assert "The same once more" in page
    assert "fork/rockets" in page


def test_item_page_shows_hostile_content_as_text(project: Project, alice: User, enter: Enter) -> None:
    evil = "<script>alert(1)</script>"
    fill(
        project, review_rename(1, body_before=evil, thread=[{"body": evil, "author": evil}], path=evil, container=evil)
    )
    assert evil not in enter(alice).get(f"/projects/names/items/{Item.objects.get().pk}/").text


def test_name_is_marked_only_where_it_is_a_name() -> None:
    html = highlight('int load() { return this.load("load") + loader; } // load', "load")
    assert html.count('<mark class="name">') == 2


def test_parts_of_names_are_kept_dropped_and_added() -> None:
    before, after = compare_names("getHTTPConnection2", "openHttpConnection")
    assert [(part.text, part.fate) for part in before] == [
        ("get", "dropped"), ("HTTP", "kept"), ("Connection", "kept"), ("2", "dropped")]  # fmt: skip
    assert [(part.text, part.fate) for part in after] == [
        ("open", "added"), ("Http", "kept"), ("Connection", "kept")]  # fmt: skip


def send(client: Client, name: str, content: bytes) -> str:
    file = io.BytesIO(content)
    file.name = name
    response = client.post("/projects/names/items/upload/", {"file": file})
    assert response.status_code == 302, response.text
    return str(response["Location"])


def finish(state: State = State.FINISHED) -> Job:
    job = Job.objects.latest("pk")
    running.run(job.pk, tasks.WORK)
    job.refresh_from_db()
    assert job.state == state, job.error
    return job


def test_csv_is_uploaded_mapped_and_imported(project: Project, alice: User, enter: Enter) -> None:
    client = enter(alice)
    content = b"ReviewComment;MethodBody;BuggyName;FixedName;colour\nBetter name?;void a() {};a;b;red\n"
    url = send(client, "paper.csv", content)
    page = client.get(url).text
    assert "Better name?" in page
    assert '<option value="body_before" selected>' in page
    fields = ["review_comment", "body_before", "buggy_name", "fixed_name"]
    columns = {f"column_{number}": name for number, name in enumerate(fields)}
    client.post(url, {**columns, "column_4": "", "dry_run": "1"})
    assert finish().result["outcome"]["new"] == 1
    assert not Item.objects.exists()
    response = client.post(url, {**columns, "column_4": ""})
    job = finish()
    assert re.search(r"<dt>New</dt>\s*<dd>1</dd>", client.get(response["Location"]).text)
    assert job.done == job.total == 1
    values = ["Better name?", "void a() {}", "a", "b"]
    assert Item.objects.get().payload == dict(zip(fields, values, strict=True))


def test_what_was_tried_is_imported_as_it_was_tried(project: Project, alice: User, enter: Enter) -> None:
    client = enter(alice)
    url = send(client, "paper.csv", b"Comment,Body,Old,New\nBetter?,void a() {},a,b\n")
    fields = ["review_comment", "body_before", "buggy_name", "fixed_name"]
    columns = {f"column_{number}": name for number, name in enumerate(fields)}
    address = client.post(f"{url}?kind=review_rename", {**columns, "dry_run": "1", "replace": "on"})["Location"]
    trial = finish()
    page = client.get(address).text
    assert f'name="trial" value="{trial.pk}"' in page
    assert f'href="{url}?kind={trial.arguments["options"]["kind"]}"' in page
    assert "See the items" not in page
    address = client.post(url, {"trial": str(trial.pk)})["Location"]
    job = finish()
    assert job.arguments == {**trial.arguments, "options": {**trial.arguments["options"], "dry_run": False}}
    assert Item.objects.get().payload["fixed_name"] == "b"
    page = client.get(address).text
    assert '<a class="button" href="/projects/names/items/">See the items</a>' in page
    assert "Import it now" not in page
    assert "1 of 1</p>" in page  # and not what its last step did


@pytest.mark.parametrize("trial", ["999", "x", "²", "9" * 5_000])
def test_only_what_was_tried_of_this_file_is_imported(project: Project, alice: User, enter: Enter, trial: str) -> None:
    client = enter(alice)
    url = send(client, "paper.csv", b"a,b\n1,2\n")
    assert client.post(url, {"trial": trial}).status_code == 404
    assert not Job.objects.exists()


def test_preview_shows_values_as_the_file_has_them(project: Project, alice: User, enter: Enter) -> None:
    client = enter(alice)
    url = send(client, "pairs.jsonl", b'{"pull_request": {"number": 100, "draft": false}, "old_name": "load"}\n')
    page = client.get(url).text
    assert "pull_request: {&quot;number&quot;: 100, &quot;draft&quot;: false}, old_name: load" in page


def test_two_columns_for_one_field_are_refused(project: Project, alice: User, enter: Enter) -> None:
    client = enter(alice)
    url = send(client, "paper.csv", b"a,b\n1,2\n")
    response = client.post(url, {"column_0": "buggy_name", "column_1": "buggy_name"})
    assert response.status_code == 422
    assert "Two columns are meant for" in response.text


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [("items.xlsx", b"x", "should end in .jsonl or .csv"), ("items.jsonl", b"", "empty")],
)
def test_file_that_cannot_be_taken_is_refused(
    project: Project, alice: User, enter: Enter, name: str, content: bytes, said: str
) -> None:
    file = io.BytesIO(content)
    file.name = name
    response = enter(alice).post("/projects/names/items/upload/", {"file": file})
    assert response.status_code == 422
    assert said in response.text
    assert not Upload.objects.exists()


def test_unreadable_csv_is_said_on_its_page(project: Project, alice: User, enter: Enter) -> None:
    client = enter(alice)
    assert "not UTF-8" in client.get(send(client, "items.csv", b"a,b\n\xff\xff,1\n")).text


def test_bad_rows_of_a_job_are_shown_and_kept_aside(project: Project, alice: User, enter: Enter) -> None:
    client = enter(alice)
    client.post(send(client, "items.jsonl", jsonl(review_rename(1), b"{cut", {"buggy_name": 1})), {})
    job = finish()
    assert job.result["outcome"]["bad"] == 2
    path = made_file(job)
    assert path is not None
    assert [json.loads(line)["line"] for line in path.read_text().splitlines()] == [2, 3]
    assert "is not JSON" in client.get(f"/projects/names/jobs/{job.pk}/").text


def test_all_or_nothing_job_stores_nothing_and_gives_the_bad_rows(project: Project, alice: User, enter: Enter) -> None:
    client = enter(alice)
    url = send(client, "items.jsonl", jsonl(review_rename(1), b"{cut"))
    client.post(url, {"all_or_nothing": "on"})
    job = finish(State.FAILED)
    assert "1 of 2 rows are bad, so nothing was imported" in job.error
    path = made_file(job)
    assert path is not None
    assert json.loads(path.read_text())["line"] == 2
    assert not Item.objects.exists()


def test_import_that_lost_its_worker_goes_on_and_counts_each_row_once(
    project: Project, alice: User, enter: Enter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "BATCH", 2)
    rows = [review_rename(1), b"{cut", review_rename(2), review_rename(3), b"{cut", review_rename(4)]
    client = enter(alice)
    client.post(send(client, "items.jsonl", jsonl(*rows)), {})
    job = Job.objects.latest("pk")
    store, calls = insert_entries, []

    def die_in_the_second_batch(entries: list[Entry], project: Project) -> None:
        calls.append(len(entries))
        store(entries, project)
        if len(calls) == 2:
            raise ClaimLost

    monkeypatch.setattr(importing, "insert_entries", die_in_the_second_batch)
    running.run(job.pk, tasks.WORK)
    assert Item.objects.count() == 1
    Job.objects.filter(pk=job.pk).update(state=State.QUEUED, claim=None)
    ended = finish()
    outcome = ended.result["outcome"]
    assert (outcome["rows"], outcome["new"], outcome["unchanged"], outcome["bad"]) == (6, 4, 0, 2)
    path = made_file(ended)
    assert path is not None
    assert len(Path(path).read_text().splitlines()) == 2
