from __future__ import annotations

from typing import Any

import pytest

from labeling.annotation.protocols import editing
from labeling.annotation.protocols.actions import ACTIONS
from labeling.annotation.protocols.codebook import Codebook
from labeling.annotation.protocols.keys import LABELS, keys_of, reset_keys, save_keys
from labeling.annotation.protocols.models import KeyMap, ProtocolVersion
from labeling.corpus.models import Project
from labeling.people.models import User
from labeling.refusals import Invalid
from tests.annotation.protocols.samples import codebook, options, question, when

BRANCHES = codebook(
    question("fit", options=options("yes", "no", hotkeys="yx")),
    question("how", options=options("well", "so", hotkeys="12"), when=when("fit", "yes")),
    question("why", options=options("name", "body", hotkeys="12"), when=when("fit", "no")),
)


@pytest.fixture
def version(project: Project, alice: User) -> ProtocolVersion:
    return editing.create_protocol(project, codebook=Codebook.read(BRANCHES), by=alice).latest


def change(version: ProtocolVersion, by: User, *questions: dict[str, Any]) -> ProtocolVersion:
    new = Codebook.read(codebook(*questions))
    return editing.save_protocol(version.protocol, codebook=new, based_on=version.state, by=by)


def test_defaults_are_the_actions_and_the_hotkeys(version: ProtocolVersion, bob: User) -> None:
    own = {"fit.yes": "y", "fit.no": "x", "how.well": "1", "how.so": "2", "why.name": "1", "why.body": "2"}
    assert keys_of(bob, version) == {**ACTIONS, **own}


def test_every_action_has_words() -> None:
    assert LABELS.keys() == ACTIONS.keys()


def test_own_keys_win_and_only_what_differs_is_kept(version: ProtocolVersion, bob: User, alice: User) -> None:
    save_keys(bob, version, {"fit.yes": "J", "skip": "arrowright", "submit": " ", "help": "?"})
    keys = keys_of(bob, version)
    assert (keys["fit.yes"], keys["skip"], keys["submit"]) == ("j", "ArrowRight", "Space")
    assert KeyMap.objects.get().keys == {"fit.yes": "j", "skip": "ArrowRight", "submit": "Space"}
    assert keys_of(alice, version)["fit.yes"] == "y"
    reset_keys(bob, version)
    assert keys_of(bob, version)["fit.yes"] == "y"


def test_key_can_be_taken_away(version: ProtocolVersion, bob: User) -> None:
    save_keys(bob, version, {"fit.yes": ""})
    assert "fit.yes" not in keys_of(bob, version)


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ({"fit.yes": "s"}, "“Skip” and “Yes” cannot both have the key “s”"),
        ({"fit.yes": "X"}, "“Yes” and “No” cannot both have the key “x”"),
        ({"fit.yes": "1"}, "“Yes” and “Well” cannot both have the key “1”"),
        ({"skip": "enter"}, "“Submit” and “Skip” cannot both have the key “Enter”"),
        ({"skip": "Escape"}, "Skip: “Escape” is not a key"),
        ({"fit.no": "ab"}, "No: “ab” is not a key"),
        ({"fit.no": "\x00"}, "No: “\x00” is not a key"),
        ({"fit.no": "x" * 999}, "is not a key"),
        ({"fit.maybe": "m"}, "“fit.maybe” is nothing that can have a key"),
    ],
)
def test_bad_keys_are_refused_in_words(version: ProtocolVersion, bob: User, wanted: dict[str, str], said: str) -> None:
    with pytest.raises(Invalid) as caught:
        save_keys(bob, version, wanted)
    assert said in str(caught.value)
    assert not KeyMap.objects.exists()


def test_questions_never_asked_together_may_share_a_key(version: ProtocolVersion, bob: User) -> None:
    save_keys(bob, version, {"how.well": "9", "why.name": "9"})
    keys = keys_of(bob, version)
    assert keys["how.well"] == keys["why.name"] == "9"


def test_two_keys_can_be_swapped(version: ProtocolVersion, bob: User) -> None:
    save_keys(bob, version, {"fit.yes": "x", "fit.no": "y"})
    keys = keys_of(bob, version)
    assert (keys["fit.yes"], keys["fit.no"]) == ("x", "y")


def test_new_version_that_clashes_loses_against_the_own_choice(
    version: ProtocolVersion, alice: User, bob: User
) -> None:
    save_keys(bob, version, {"fit.yes": "j"})
    new = change(version, alice, question("fit", options=options("yes", "no", "both", hotkeys="yxj")))
    keys = keys_of(bob, new)
    assert (keys["fit.yes"], keys["fit.no"]) == ("j", "x")
    assert "fit.both" not in keys
    assert keys_of(alice, new)["fit.both"] == "j"


def test_own_keys_that_a_new_version_brings_together_do_not_both_count(
    version: ProtocolVersion, alice: User, bob: User
) -> None:
    save_keys(bob, version, {"how.well": "9", "why.name": "9"})
    plain = [{**asked, "when": None, "options": options("well", "name")} for asked in BRANCHES["questions"]]
    new = change(version, alice, *plain)
    keys = keys_of(bob, new)
    assert keys["how.well"] == "9"
    assert "why.name" not in keys


def test_key_of_an_option_that_is_gone_is_forgotten(version: ProtocolVersion, alice: User, bob: User) -> None:
    save_keys(bob, version, {"fit.yes": "j"})
    new = change(version, alice, question("other", options=options("a", "b", hotkeys="jk")))
    assert keys_of(bob, new) == {**ACTIONS, "other.a": "j", "other.b": "k"}
