"""The coordinator's pages: from an empty project to an unblinded study, by forms alone."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from labeling.corpus.models import Project
from labeling.people.invitations import add_member
from labeling.people.models import Role, User
from labeling.study.editing import create_study
from labeling.study.fieldwork.inviting import invite_many
from labeling.study.forms import DesignForm
from labeling.study.freezing import close_study, freeze_study, open_study, start_pilot, unblind_study
from labeling.study.models import Study
from labeling.study.origins import Origin
from tests.corpus.samples import new_item, review_rename
from tests.study.designs import SMALL, item, names, planned
from tests.study.driving import Taker

Enter = Callable[[User], Client]
URL = "/projects/names/studies/"
NOT_COUNTED = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE", "PREPARE")
ORIGINS = "buggy: Buggy\nfixed: Fixed\ncognac: Cognac\ngtnm: GTNM"


@pytest.fixture
def client(enter: Enter, alice: User) -> Client:
    return enter(alice)


def jsonl(name: str, rows: list[dict[str, str]]) -> SimpleUploadedFile:
    return SimpleUploadedFile(f"{name}.jsonl", "\n".join(map(json.dumps, rows)).encode())


def design_fields(study: Study, **changes: object) -> dict[str, object]:
    fields: dict[str, object] = {
        "name": study.name, "sheets": 10, "methods_per_sheet": 20, "shared": 0, "shared_by": 2, "spares": 0,
        "stratified": "on", "pilot_sheets": 0, "pilot_methods_per_sheet": 5, "timeout_hours": 72,
        "speeder_share": 0.4, "missed_checks": 1, "small_group": 3, "alpha": 0.05, "analyses": ["sign_flip", "gee"],
    }  # fmt: skip
    return {**fields, **changes}


def test_study_is_made_planned_frozen_opened_closed_and_unblinded_by_forms(project: Project, client: Client) -> None:
    assert "No study yet" in client.get(URL).text
    made = client.post(f"{URL}new/", {"name": "First", "preset": "four_names", "seed": 5})
    study = Study.objects.get()
    url = f"{URL}{study.pk}/"
    assert made["Location"] == url
    assert client.post(f"{url}design/", design_fields(study, **SMALL, name="Renamed")).status_code == 302
    rows = [row for number in range(12) for row in names(number)]
    files = {"items": jsonl("items", [item(number) for number in range(12)]), "names": jsonl("names", rows)}
    assert client.post(f"{url}material/", {"source": "file", "origins": ORIGINS, **files})["Location"] == f"{url}leaks/"
    assert "Nothing gives a name away" in client.get(f"{url}leaks/").text
    assert client.post(f"{url}plan/").status_code == 302
    assert "spare, repeats 1" in client.get(f"{url}plan/").text
    for act, named in (
        ("pilot", ""),
        ("freeze", "Renamed"),
        ("open", ""),
        ("close", "Renamed"),
        ("unblind", "Renamed"),
    ):
        assert client.get(f"{url}frozen.json").status_code == 409
        assert client.post(f"{url}{act}/", {"name": named}).status_code == 302, act
    assert Study.objects.get().state == "unblinded"
    plan = client.get(f"{url}frozen.json").json()
    assert (plan["sha256"], len(plan["plan"]["methods"])) == (Study.objects.get().digest, 12)


@pytest.mark.parametrize("act", ["freeze", "close", "unblind"])
def test_act_that_cannot_be_undone_asks_for_the_name(project: Project, alice: User, client: Client, act: str) -> None:
    study = planned(project)
    if act != "freeze":
        open_study(freeze_study(study, by=alice), by=alice)
    if act == "unblind":
        close_study(study, by=alice)
    before = Study.objects.get().state
    response = client.post(f"{URL}{study.pk}/{act}/", {"name": "Study"})
    assert response.status_code == 422
    assert "type the name of the study as it stands: Study 1" in response.text
    assert Study.objects.get().state == before


def test_items_of_the_project_and_a_file_of_names_make_a_study(project: Project, client: Client) -> None:
    for number in range(3):
        new_item(project, "review_rename", review_rename(number), key=f"m{number:03}").save()
    client.post(f"{URL}new/", {"name": "First", "preset": "four_names"})
    url = f"{URL}{Study.objects.get().pk}/"
    given = jsonl("names", [row for number in range(3) for row in names(number) if row["origin"] in {"cognac", "gtnm"}])
    client.post(f"{url}material/", {"source": "project", "origins": ORIGINS, "names": given})
    page = client.get(f"{url}material/").text
    assert "3 methods, 12 distinct names, origins: Buggy, Fixed, Cognac, GTNM" in page
    assert Study.objects.get().source["kind"] == "project"


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"source": "file"}, "Choose a file, or take the items of this project."),
        ({"source": "project"}, "There is no method in it."),
        ({"source": "project", "origins": "a: A\na: B"}, "“a” is there twice."),
        ({"source": "project", "origins": "A B: x"}, "“A B” cannot be a key."),
        ({"source": "project", "words": "x" * 50, "group": "nothing"}, "Select a valid choice"),
    ],
)
def test_bad_material_is_told_beside_its_field_and_nothing_is_stored(
    project: Project, client: Client, sent: dict[str, str], said: str
) -> None:
    client.post(f"{URL}new/", {"name": "First", "preset": "four_names"})
    response = client.post(f"{URL}{Study.objects.get().pk}/material/", {"origins": ORIGINS, **sent})
    assert response.status_code == 422
    assert said in response.text
    assert Study.objects.get().source == {"preset": "four_names"}
    assert not Origin.objects.exists()


def test_bad_line_of_a_file_is_named(project: Project, client: Client) -> None:
    study = planned(project)
    before = study.source
    files = {"items": jsonl("items", [item(1)]), "names": jsonl("mine", [{**names(1)[0], "origin": "gpt"}])}
    response = client.post(f"{URL}{study.pk}/material/", {"source": "file", "origins": ORIGINS, **files})
    assert "mine.jsonl, line 1: origin: “gpt” is no origin of this study." in response.text
    assert Study.objects.get().source == before
    assert study.sheets.count() == 7


def test_leaks_are_ruled_on_their_page(project: Project, client: Client) -> None:
    for number in range(3):
        body = f'void load{number}() {{ load{number}(); log("load{number}"); }}'
        new_item(project, "review_rename", review_rename(number, body_before=body)).save()
    client.post(f"{URL}new/", {"name": "First", "preset": "four_names"})
    url = f"{URL}{Study.objects.get().pk}/"
    client.post(f"{url}material/", {"source": "project", "origins": "buggy: Buggy\nfixed: Fixed"})
    page = client.get(f"{url}leaks/").text
    assert "The method calls itself by the name" in page
    assert client.post(f"{url}leaks/", {"kind": "own_call", "act": "mask"}).status_code == 302
    refused = client.post(f"{url}leaks/", {"kind": "text", "act": "waive"})
    assert (refused.status_code, "Say why this leak does no harm" in refused.text) == (422, True)
    client.post(f"{url}leaks/?kind=text", {"kind": "text", "act": "waive", "reason": "Nobody reads logs."})
    page = client.get(f"{url}leaks/?kind=text").text
    assert "Nobody reads logs." in page
    assert "without a ruling" not in page
    assert "Rule on them" not in client.get(url).text


def test_texts_are_edited_in_versions_and_bad_ones_are_told(project: Project, client: Client) -> None:
    study = planned(project)
    url = f"{URL}{study.pk}/texts/"
    form = client.get(url).context["form"]
    fields = {name: form[name].value() for name in form.fields}
    assert client.post(url, {**fields, "title": "Other words"}).status_code == 302
    assert [text.content["title"] for text in study.texts.all()] == ["Names of methods", "Other words"]
    assert study.texts.first().content["reasons"] == study.texts.last().content["reasons"]  # type: ignore[union-attr]
    for change, said in (
        ({"completion_url": "javascript:alert(1)"}, "Must be an address that begins with https://"),
        ({"lists": "reasons: ["}, "this is not YAML"),
        ({"lists": "colours: []"}, "It should have reasons, background and practice"),
        ({"lists": "reasons: []"}, "must be 1 to 9, not 0"),
    ):
        response = client.post(url, {**fields, **change})
        assert (response.status_code, said in response.text) == (422, True)
    freeze_study(study, by=None)
    assert "Kept as a deviation" in client.get(url).text
    assert client.post(url, fields).status_code == 422
    assert client.post(url, {**fields, "why": "A typo."}).status_code == 302
    assert "Texts, version 3: A typo." in client.get(f"{URL}{study.pk}/").text


def test_pages_say_what_is_fixed_and_what_to_do_instead(project: Project, alice: User, client: Client) -> None:
    study = planned(project, sheets=1, methods_per_sheet=3, shared=0, spares=0)
    url = f"{URL}{study.pk}/"
    pages = ("material/", "leaks/", "plan/")
    assert not any("copy the study" in client.get(f"{url}{page}").text for page in pages)
    start_pilot(study, by=alice)
    assert "material and rulings stay as the pilots saw them" in client.get(f"{url}material/").text
    assert "material and rulings stay as the pilots saw them" in client.get(f"{url}leaks/").text
    assert "those of the study can be made again until it is frozen" in client.get(f"{url}plan/").text
    study = open_study(freeze_study(study, by=alice), by=alice)
    assert "Note the mistake as a" in client.get(f"{url}material/").text
    assert "no sheet can be added or made anew, spare ones neither" in client.get(f"{url}plan/").text
    participants = f"{url}participants/"
    assert "All sheets are taken" not in client.get(participants).text
    invite_many(study, labels=["", ""], by=alice)
    assert "2 are invited and 1 sheet is free" in client.get(participants).text
    assert 'hx-trigger="every 20s"' in client.get(participants).text
    Taker(study).start()
    page = client.get(participants).text
    assert "All sheets are taken" in page
    assert "The frozen plan takes no more sheets" in page
    close_study(study, by=alice)
    assert "All sheets are taken" not in client.get(participants).text
    assert "hx-trigger" not in client.get(participants).text


def test_material_page_proposes_the_origins_of_the_preset(project: Project, client: Client) -> None:
    for preset, first in (("four_names", "buggy: Buggy"), ("stable_names", "stable: Stable")):
        page = client.post(f"{URL}new/", {"name": preset, "preset": preset}, follow=True)
        study = Study.objects.get(name=preset)
        assert page.status_code == 200
        assert f">\n{first}\n" in client.get(f"{URL}{study.pk}/material/").text


def test_every_part_of_the_design_can_be_changed_on_its_page(project: Project, client: Client) -> None:
    study = planned(project)
    page = client.get(f"{URL}{study.pk}/design/").text
    # A field that is not on the page is sent as nothing, and so would be emptied by whoever keeps the design.
    assert [name for name in DesignForm(study=study).fields if f'name="{name}"' not in page] == []
    assert 'value="stopped" id="id_unfinished_0" checked' in page


def test_bad_design_is_told_beside_its_field(project: Project, client: Client) -> None:
    study = planned(project)
    for change, said in (
        ({"shared": 5, "shared_by": 99}, "Is 99, but there are only 10 sheets"),
        ({"analyses": ["gee"]}, "Must contain sign_flip"),
        ({"name": ""}, "This field is required"),
    ):
        response = client.post(f"{URL}{study.pk}/design/", design_fields(study, **change))
        assert (response.status_code, said in response.text) == (422, True)
    freeze_study(study, by=None)
    assert client.post(f"{URL}{study.pk}/design/", design_fields(study)).status_code == 409


def test_deviation_and_copy(project: Project, client: Client) -> None:
    study = planned(project)
    url = f"{URL}{study.pk}/"
    assert client.post(f"{url}deviation/", {"what": "More time."}).status_code == 409
    freeze_study(study, by=None)
    client.post(f"{url}deviation/", {"what": "More time."})
    assert "More time." in client.get(url).text
    copied = client.post(f"{url}copy/", {"as": "Second"})
    made = Study.objects.get(name="Second")
    assert copied["Location"] == f"{URL}{made.pk}/"
    assert (made.state, made.methods.count(), made.design, made.seed != study.seed) == ("draft", 12, study.design, True)
    assert client.post(f"{url}copy/", {"as": "Second"}).status_code == 422


def test_hand_in_the_database_is_seen(project: Project, client: Client) -> None:
    study = freeze_study(planned(project), by=None)
    assert "were compared just now" in client.get(f"{URL}{study.pk}/").text
    study.methods.filter(key="m003").update(shown="changed")
    assert "methods is not as frozen" in client.get(f"{URL}{study.pk}/").text


def test_viewer_reads_but_sees_no_material_and_annotator_nothing(
    project: Project, alice: User, bob: User, charlie: User, enter: Enter
) -> None:
    add_member(project, user=charlie, role=Role.VIEWER, by=alice)
    study = planned(project)
    for path, viewer in (("", 200), ("plan/", 200), ("material/", 403), ("leaks/", 403), ("design/", 403)):
        assert enter(charlie).get(f"{URL}{study.pk}/{path}").status_code == viewer, path
        assert enter(bob).get(f"{URL}{study.pk}/{path}").status_code == 403
    page = enter(charlie).get(f"{URL}{study.pk}/").text
    assert "Freeze…" not in page
    assert enter(charlie).get(f"{URL}sample-size/").status_code == 200


def test_no_page_of_a_blinded_study_says_which_letter_is_which_origin(
    project: Project, alice: User, client: Client
) -> None:
    study = close_study(open_study(freeze_study(planned(project), by=alice), by=alice), by=alice)
    for path in ("", "plan/", "material/", "leaks/", "design/", "texts/"):
        page = client.get(f"{URL}{study.pk}/{path}").text
        assert "NameOrigin" not in page
        if path != "material/":
            assert "Cognac" not in page
    unblind_study(study, by=alice)
    assert client.get(f"{URL}{study.pk}/frozen.json").status_code == 200


def test_leaks_are_looked_for_when_there_are_methods(project: Project, client: Client, alice: User) -> None:
    study = create_study(project, name="Empty", by=alice)
    page = client.get(f"{URL}{study.pk}/leaks/").text
    assert "No methods yet" in page
    assert "Nothing gives a name away" not in page


@pytest.mark.parametrize("count", [12, 40])
def test_pages_cost_the_same_for_few_and_many(project: Project, client: Client, count: int) -> None:
    study = planned(project, count=count)
    found = {}
    for path in ("", "material/", "leaks/", "plan/"):
        with CaptureQueriesContext(connection) as queries:
            assert client.get(f"{URL}{study.pk}/{path}").status_code == 200
        found[path] = sum(not query["sql"].startswith(NOT_COUNTED) for query in queries)
    assert found == {"": 17, "material/": 22, "leaks/": 10, "plan/": 10}
