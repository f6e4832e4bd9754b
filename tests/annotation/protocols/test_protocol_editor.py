"""The editor of protocols, by its forms alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from labeling.annotation.protocols import editing
from labeling.annotation.protocols.codebook import Codebook
from labeling.annotation.protocols.models import Protocol
from labeling.corpus.models import Project
from labeling.people.models import User
from tests.annotation.protocols.samples import FULL, codebook
from tests.annotation.protocols.voting import cast_a_vote

Enter = Callable[[User], Client]
LIST = "/projects/names/protocols/"


@pytest.fixture
def protocol(project: Project, alice: User) -> Protocol:
    return editing.create_protocol(project, codebook=Codebook.read(FULL), by=alice)


def fields(protocol: Protocol, **changes: Any) -> dict[str, Any]:
    """What the editor of this protocol sends, unchanged."""
    latest = protocol.latest
    sent: dict[str, Any] = {
        "title": latest.codebook.title,
        "guideline": latest.codebook.guideline,
        "based_on": latest.state,
    }
    for index, asked in enumerate(latest.codebook.questions):
        place = f"questions[{index}]"
        sent |= {f"{place}.{name}": getattr(asked, name) for name in ("key", "text", "form", "help", "level")}
        sent |= {
            f"{place}.{name}": getattr(asked, name) for name in ("low", "high") if getattr(asked, name) is not None
        }
        if asked.required:
            sent[f"{place}.required"] = "1"
        if asked.when:
            sent |= {f"{place}.when.question": asked.when.question, f"{place}.when.answers": asked.when.answers}
        for number, option in enumerate(asked.options):
            sent |= {
                f"{place}.options[{number}].{name}": getattr(option, name)
                for name in ("key", "label", "help", "hotkey")
            }
    return {**sent, **changes}


def edit(client: Client, protocol: Protocol, act: str, **changes: Any) -> Any:
    return client.post(f"{LIST}{protocol.pk}/edit/", {**fields(protocol), **changes, "act": act})


def test_unchanged_form_is_the_unchanged_protocol(protocol: Protocol, alice: User, enter: Enter) -> None:
    before = protocol.latest.state
    assert edit(enter(alice), protocol, "save").status_code == 302
    assert protocol.latest.state == before


def test_form_of_the_page_holds_the_whole_protocol(protocol: Protocol, alice: User, enter: Enter) -> None:
    """Every field of the protocol stands in the form, so what a browser sends back is complete."""
    page = enter(alice).get(f"{LIST}{protocol.pk}/edit/").text
    for name, value in fields(protocol).items():
        if value not in {"", 0.0} if not isinstance(value, list) else True:
            assert f'name="{name}"' in page, name


def test_change_is_saved(protocol: Protocol, alice: User, enter: Enter) -> None:
    response = edit(
        enter(alice),
        protocol,
        "save",
        **{"title": "New", "questions[0].options[0].label": "Of course", "guideline": "a\r\nb"},
    )
    assert response["Location"] == f"{LIST}{protocol.pk}/"
    book = protocol.latest.codebook
    assert (book.title, book.questions[0].options[0].label, book.guideline) == ("New", "Of course", "a\nb")


def test_saving_over_votes_makes_a_version_and_both_can_be_read(
    protocol: Protocol, alice: User, bob: User, enter: Enter
) -> None:
    cast_a_vote(protocol.latest, by=bob)
    client = enter(alice)
    assert "becomes version 2" in client.get(f"{LIST}{protocol.pk}/edit/").text
    edit(client, protocol, "save", guideline="the second guideline")
    assert "the second guideline" in client.get(f"{LIST}{protocol.pk}/").text
    first = client.get(f"{LIST}{protocol.pk}/versions/1/").text
    assert "the second guideline" not in first
    assert "it says what it does" in first
    assert '<td class="number">1</td>' in first
    assert first.index("versions/2/") < first.index('versions/1/" aria-current')
    assert "Version 2, the latest" in client.get(f"{LIST}{protocol.pk}/").text
    assert "see the latest" in first
    assert "it says what it does" in client.get(f"{LIST}{protocol.pk}/versions/1/export/").text
    assert client.get(f"{LIST}{protocol.pk}/versions/3/").status_code == 404


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"title": ""}, "Title: is empty"),
        ({"questions[0].text": " "}, "Question 1, text: is empty"),
        ({"questions[1].options[1].label": ""}, "Question 2, option 2, label: is empty"),
        ({"questions[0].options[1].hotkey": "s"}, "Question 1, option 2, hotkey: “s” is the key for “skip”"),
        ({"questions[2].options[1].hotkey": "y"}, "Question 3, its options: the hotkey “y” is used twice"),
        ({"questions[3].low": "few"}, "Question 4, low: must be a number, not “few”"),
        ({"questions[3].low": "99"}, "Question 4, high: must be more than low"),
        ({"questions[3].high": "1e999"}, "Question 4, high: must be a finite number"),
        ({"questions[1].when.answers": []}, "Question 2, when, answers: is empty"),
        ({"questions[1].when.question": "words"}, "Question 2, when: there is no earlier question “words”"),
        ({"questions[0].form": "slider"}, "Question 1, form: must be one of"),
        ({"questions[0].text": "a\x00b"}, "Question 1, text: contains a NUL character"),
        ({"guideline": "x" * 1_000_000}, "Guideline: has 1,000,000 characters"),
    ],
)
def test_bad_text_is_refused_and_stays_in_the_form(
    protocol: Protocol, alice: User, enter: Enter, changes: dict[str, Any], said: str
) -> None:
    before = protocol.latest.state
    response = edit(enter(alice), protocol, "save", **{"guideline": "my long text", **changes})
    assert response.status_code == 422
    assert said in response.text
    assert protocol.latest.state == before
    assert "guideline" in changes or "my long text" in response.text


def test_taken_title_is_refused(protocol: Protocol, project: Project, alice: User, enter: Enter) -> None:
    editing.create_protocol(project, codebook=Codebook.read(codebook(title="Other")), by=alice)
    response = edit(enter(alice), protocol, "save", title="Other")
    assert response.status_code == 422
    assert "already has a protocol “Other”" in response.text


def test_second_editor_is_told_and_keeps_the_text(protocol: Protocol, alice: User, bob: User, enter: Enter) -> None:
    opened = fields(protocol)
    new = Codebook.read({**FULL, "guideline": "by Bob"})
    editing.save_protocol(protocol, codebook=new, based_on=protocol.latest.state, by=bob)
    client = enter(alice)
    told = client.post(f"{LIST}{protocol.pk}/edit/", {**opened, "guideline": "by Alice", "act": "save"})
    assert told.status_code == 409
    assert "Bob saved version 1" in told.text
    assert "by Alice" in told.text
    assert protocol.latest.codebook.guideline == "by Bob"
    state = protocol.latest.state
    assert f'name="based_on" value="{state}"' in told.text
    client.post(f"{LIST}{protocol.pk}/edit/", {**opened, "guideline": "both", "based_on": state, "act": "save"})
    assert protocol.latest.codebook.guideline == "both"


@pytest.mark.parametrize(
    ("act", "keys", "first_options"),
    [
        ("add_question", ["fit", "why", "sure", "minutes", "words", ""], ["yes", "no"]),
        ("remove_question:1", ["fit", "sure", "minutes", "words"], ["yes", "no"]),
        ("raise_question:2", ["fit", "sure", "why", "minutes", "words"], ["yes", "no"]),
        ("lower_question:2", ["fit", "why", "minutes", "sure", "words"], ["yes", "no"]),
        ("raise_question:0", ["fit", "why", "sure", "minutes", "words"], ["yes", "no"]),
        ("lower_question:4", ["fit", "why", "sure", "minutes", "words"], ["yes", "no"]),
        ("add_option:0", ["fit", "why", "sure", "minutes", "words"], ["yes", "no", ""]),
        ("remove_option:0:0", ["fit", "why", "sure", "minutes", "words"], ["no"]),
        ("raise_option:0:1", ["fit", "why", "sure", "minutes", "words"], ["no", "yes"]),
        ("lower_option:0:0", ["fit", "why", "sure", "minutes", "words"], ["no", "yes"]),
        *[
            (nonsense, ["fit", "why", "sure", "minutes", "words"], ["yes", "no"])
            for nonsense in (
                "remove_question:99", "remove_option:0:99", "remove_option:99:0", "remove_question:-1",
                "remove_question", "explode:0", "add_option:x", "remove_option:0", "raise_question:²", "refresh", "",
            )
        ],
    ],
)  # fmt: skip
def test_buttons_change_the_form_and_store_nothing(
    protocol: Protocol, alice: User, enter: Enter, act: str, keys: list[str], first_options: list[str]
) -> None:
    before = protocol.latest.state
    response = edit(enter(alice), protocol, act)
    assert response.status_code == 200
    outline = response.context["outline"]
    assert [question.key for question in outline.questions] == keys
    assert [option.key for option in outline.questions[0].options] == first_options
    assert protocol.latest.state == before


def test_no_more_questions_and_options_than_a_protocol_may_have(protocol: Protocol, alice: User, enter: Enter) -> None:
    client = enter(alice)
    many = {f"questions[{number}].text": "x" for number in range(30)}
    response = client.post(f"{LIST}{protocol.pk}/edit/", {**many, "act": "add_question"})
    assert len(response.context["outline"].questions) == 30
    many = {f"questions[0].options[{number}].label": "x" for number in range(40)}
    response = client.post(f"{LIST}{protocol.pk}/edit/", {**many, "act": "add_option:0"})
    assert len(response.context["outline"].questions[0].options) == 40


def test_empty_keys_are_made_from_the_words(protocol: Protocol, alice: User, enter: Enter) -> None:
    changes: dict[str, str] = {}
    for number, label in enumerate(["2. Very low!", "very-low", "日本"]):
        changes |= {f"questions[2].options[{number}].key": "", f"questions[2].options[{number}].label": label}
    changes |= {"questions[4].key": "", "questions[4].text": "Any other words?"}
    assert edit(enter(alice), protocol, "save", **changes).status_code == 302
    questions = protocol.latest.codebook.questions
    assert questions[2].option_keys == ["very_low", "very_low_2", "option"]
    assert questions[4].key == "any_other_words"


def test_preview_shows_the_questions_and_the_guideline_cleaned(protocol: Protocol, alice: User, enter: Enter) -> None:
    page = edit(
        enter(alice),
        protocol,
        "refresh",
        **{"guideline": "# Now\n\n<script>alert(1)</script>", "questions[0].text": "Anew?"},
    ).text
    assert '<h3 id="preview-guideline-now">Now</h3>' in page
    assert "<script>alert" not in page
    assert '<legend id="preview-fit-text">Anew?</legend>' in page
    assert "<kbd>y</kbd>" in page


def test_preview_says_what_is_missing(protocol: Protocol, alice: User, enter: Enter) -> None:
    page = edit(enter(alice), protocol, "add_question").text
    assert "Question 6, option 1, label: is empty. The preview comes back" in page
