from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from labeling.annotation.protocols.codebook import Codebook
from labeling.annotation.protocols.editing import create_protocol
from labeling.annotation.protocols.models import Protocol
from labeling.corpus.models import Project
from labeling.corpus.projects import archive_project
from labeling.people.models import Activity, User
from tests.annotation.protocols.samples import FULL


def output(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    call_command(*arguments)
    return capsys.readouterr().out


def test_protocol_goes_out_and_comes_in(
    project: Project, alice: User, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    create_protocol(project, codebook=Codebook.read(FULL), by=alice)
    file = tmp_path / "protocol.yaml"
    file.write_text(output(capsys, "export_protocol", "names", "Does the name fit?"))
    number = int(output(capsys, "import_protocol", "names", str(file), "--title", "Copy"))
    copy = Protocol.objects.get(pk=number)
    assert copy.latest.codebook.write() == {**FULL, "title": "Copy"}
    again = output(capsys, "export_protocol", "names", str(number), "--number", "1")
    assert again == file.read_text().replace("Does the name fit?", "Copy")


def test_built_in_protocol_by_command(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    output(capsys, "import_protocol", "names", "rename4j")
    assert Protocol.objects.get().name == "Review and rename (rename4j)"
    assert Activity.objects.get(verb="created the protocol").actor is None


def test_commands_name_what_is_wrong(project: Project, alice: User, tmp_path: Path) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_text("title: x\n")
    for arguments, said in (
        (("import_protocol", "names", "nothing"), "nothing: No such file or directory. Built in: rename4j"),
        (("import_protocol", "names", str(bad)), "line 1, questions: is missing"),
        (("import_protocol", "names", str(tmp_path)), "Is a directory"),
        (("import_protocol", "elsewhere", "rename4j"), "no project “elsewhere”"),
        (("export_protocol", "names", "1"), "no protocol “1”. Protocols: none yet"),
        (("export_protocol", "names", "9" * 40), "no protocol"),
    ):
        with pytest.raises(CommandError) as caught:
            call_command(*arguments)
        assert said in str(caught.value)
    made = create_protocol(project, codebook=Codebook.read(FULL), by=alice)
    with pytest.raises(CommandError, match="has no version 2; the latest is 1"):
        call_command("export_protocol", "names", str(made.pk), "--number", "2")


def test_nothing_is_imported_into_an_archive(project: Project, alice: User) -> None:
    archive_project(project, by=alice)
    with pytest.raises(CommandError, match="is archived"):
        call_command("import_protocol", "names", "rename4j")
