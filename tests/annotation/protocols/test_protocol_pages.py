from __future__ import annotations

from collections.abc import Callable

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django.fixtures import DjangoAssertNumQueries

from labeling.annotation.protocols import editing
from labeling.annotation.protocols.codebook import Codebook
from labeling.annotation.protocols.files import read_codebook, write_codebook
from labeling.annotation.protocols.models import KeyMap, Protocol
from labeling.corpus.models import Project
from labeling.people.invitations import add_member
from labeling.people.models import Role, User
from tests.annotation.protocols.samples import FULL

Enter = Callable[[User], Client]
LIST = "/projects/names/protocols/"


@pytest.fixture
def protocol(project: Project, alice: User) -> Protocol:
    return editing.create_protocol(project, codebook=Codebook.read(FULL), by=alice)


def test_empty_list_offers_the_built_in_protocols(project: Project, alice: User, enter: Enter) -> None:
    page = enter(alice).get(LIST).text
    for name in ("rename4j", "equivalence", "paraphrase"):
        assert f'value="{name}"' in page


def test_built_in_protocol_is_taken_and_read(project: Project, alice: User, enter: Enter) -> None:
    client = enter(alice)
    made = client.post(f"{LIST}new/", {"built_in": "rename4j"})
    page = client.get(made["Location"]).text
    assert "Directly suggested" in page
    assert 'id="guideline-edge-cases"' in page
    assert 'data-when-question="decision" data-when-answers="include"' in page
    assert "Review and rename" in client.get(LIST).text


def test_unknown_built_in_protocol_is_refused_in_words(project: Project, alice: User, enter: Enter) -> None:
    response = enter(alice).post(f"{LIST}new/", {"built_in": "nothing"})
    assert response.status_code == 422
    assert "There is no built-in protocol" in response.text


def test_file_goes_out_and_comes_in(protocol: Protocol, alice: User, enter: Enter) -> None:
    client = enter(alice)
    exported = client.get(f"{LIST}{protocol.pk}/export/")
    assert exported["Content-Type"] == "application/yaml"
    assert exported["Content-Disposition"] == 'attachment; filename="does-the-name-fit-1.yaml"'
    file = SimpleUploadedFile("p.yaml", exported.content)
    taken = client.post(f"{LIST}new/", {"file": file})
    assert taken.status_code == 422
    assert "already has a protocol" in taken.text
    made = client.post(f"{LIST}new/", {"file": SimpleUploadedFile("p.yaml", exported.content), "title": "Copy"})
    assert made.status_code == 302
    copy = Protocol.objects.get(name="Copy").latest.codebook
    assert copy.questions == protocol.latest.codebook.questions


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"title: x\n", "line 1, questions: is missing"),
        (b"\xff", "not UTF-8"),
        (b"x" * 700_000, "larger than 600,000"),
        (b"", "empty"),
    ],
)
def test_bad_file_is_refused_with_its_line(
    project: Project, alice: User, enter: Enter, content: bytes, said: str
) -> None:
    response = enter(alice).post(f"{LIST}new/", {"file": SimpleUploadedFile("p.yaml", content)})
    assert response.status_code == 422
    assert said in response.text
    assert not Protocol.objects.exists()


def test_own_protocol_begins_blank_in_the_editor(project: Project, alice: User, enter: Enter) -> None:
    client = enter(alice)
    made = client.post(f"{LIST}new/", {"blank": "1", "title": "Mine"})
    assert made["Location"].endswith("/edit/")
    again = client.post(f"{LIST}new/", {"blank": "1", "title": "Mine"})
    assert again.status_code == 422
    assert "already has a protocol “Mine”" in again.text
    assert client.post(f"{LIST}new/", {"blank": "1", "title": ""}).status_code == 422


def test_viewer_reads_and_does_not_change(
    protocol: Protocol, project: Project, alice: User, charlie: User, enter: Enter
) -> None:
    add_member(project, user=charlie, role=Role.VIEWER, by=alice)
    client = enter(charlie)
    for url in (LIST, f"{LIST}{protocol.pk}/", f"{LIST}{protocol.pk}/versions/1/", f"{LIST}{protocol.pk}/export/"):
        assert client.get(url).status_code == 200
    assert "/edit/" not in client.get(f"{LIST}{protocol.pk}/").text
    for url in (f"{LIST}new/", f"{LIST}{protocol.pk}/edit/", f"{LIST}{protocol.pk}/keys/"):
        assert client.get(url).status_code == 403


def test_annotator_reads_what_they_work_by_and_has_the_keys(protocol: Protocol, bob: User, enter: Enter) -> None:
    client = enter(bob)
    for tail in (f"{protocol.pk}/", f"{protocol.pk}/versions/1/"):
        page = client.get(f"{LIST}{tail}")
        assert page.status_code == 200
        assert "/edit/" not in page.text
        assert "/export/" not in page.text
    for tail in ("", "new/", f"{protocol.pk}/edit/"):
        assert client.get(f"{LIST}{tail}").status_code == 403
    for tail in ("export/", "versions/1/export/"):
        assert client.get(f"{LIST}{protocol.pk}/{tail}").status_code == 403
    assert client.get(f"{LIST}{protocol.pk}/keys/").status_code == 200


def test_protocol_of_another_project_is_not_found(project: Project, alice: User, enter: Enter) -> None:
    from labeling.corpus.projects import create_project

    other = create_project(name="Other", slug="other", by=alice)
    foreign = editing.create_blank(other, by=alice)
    for tail in ("", "edit/", "export/", "keys/", "versions/1/", "versions/1/export/"):
        assert enter(alice).get(f"{LIST}{foreign.pk}/{tail}").status_code == 404


def test_annotator_chooses_keys(protocol: Protocol, bob: User, enter: Enter) -> None:
    client = enter(bob)
    url = f"{LIST}{protocol.pk}/keys/"
    assert 'name="fit.yes" value="y"' in client.get(url).text
    assert client.post(url, {"fit.yes": "j", "skip": "ArrowRight"}).status_code == 302
    assert 'name="fit.yes" value="j"' in client.get(url).text
    refused = client.post(url, {"fit.yes": "s", "skip": "s"})
    assert refused.status_code == 422
    assert "“Skip” and “Yes” cannot both have the key “s”" in refused.text
    assert 'name="fit.yes" value="s"' in refused.text
    assert KeyMap.objects.get().keys == {"fit.yes": "j", "skip": "ArrowRight"}
    client.post(url, {"reset": "1", "fit.yes": "s"})
    assert not KeyMap.objects.exists()


def test_list_costs_the_same_for_few_and_many(
    project: Project, alice: User, enter: Enter, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    client = enter(alice)
    for many in (1, 12):
        for number in range(many):
            editing.create_blank(project, by=alice, title=f"{many} {number}")
        with django_assert_num_queries(4):
            client.get(LIST)


def test_export_is_what_the_file_module_writes(protocol: Protocol, alice: User, enter: Enter) -> None:
    text = enter(alice).get(f"{LIST}{protocol.pk}/export/").text
    assert text == write_codebook(protocol.latest.codebook)
    assert read_codebook(text) == protocol.latest.codebook
