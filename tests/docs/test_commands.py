"""docs/commands.md lists every command with every option, and no other; what other pages name is there."""

from __future__ import annotations

import re
from argparse import ArgumentParser, _SubParsersAction
from pathlib import Path

import pytest
from django.core.management import BaseCommand, get_commands, load_command_class

from tests.docs.pages import PAGES, names_in, part, place_of, rows, text_of
from tests.servers import ROOT

PAGE = text_of("commands.md")
ROWS = [row for row in rows(part(PAGE, "## People and projects", "\nThe verbs of")) if row]
DOCUMENTED = {names_in(row[0])[0]: set(names_in(row[1])) for row in ROWS}
VERBS = {
    name: set(names_in(row[1]))
    for row in rows(part(PAGE, "The verbs of `study`", "\n## "))
    for name in names_in(row[0])
}
OURS = sorted(name for name, app in get_commands().items() if app == "labeling")
EVERYBODYS = set(BaseCommand().create_parser("manage.py", "any")._option_string_actions)


def parser_of(name: str) -> ArgumentParser:
    return load_command_class("labeling", name).create_parser("manage.py", name)


def options_of(parser: ArgumentParser) -> set[str]:
    return set(parser._option_string_actions) - EVERYBODYS


def test_every_command_is_documented_and_every_documented_command_exists() -> None:
    assert sorted(DOCUMENTED) == OURS
    assert len(ROWS) == len(OURS)


@pytest.mark.parametrize("name", OURS)
def test_every_option_is_documented_and_every_documented_option_exists(name: str) -> None:
    assert DOCUMENTED[name] == options_of(parser_of(name))


def test_every_verb_of_a_study_is_documented_with_its_options() -> None:
    (verbs,) = [action for action in parser_of("study")._actions if isinstance(action, _SubParsersAction)]
    assert {name: options_of(parser) for name, parser in verbs.choices.items()} == VERBS


@pytest.mark.parametrize("page", PAGES, ids=place_of)
def test_every_command_that_a_page_names_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert set(re.findall(r"manage\.py ([a-z]\w+)", text)) <= get_commands().keys()
    for name in re.findall(r"\bbin/([a-z-]+(?:\.txt|\.py)?)", text):
        assert (ROOT / "bin" / name).exists() or (ROOT / ".venv" / "bin" / name).exists(), name
