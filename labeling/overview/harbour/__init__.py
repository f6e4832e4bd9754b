"""The demo's Java project, written for it: sources, and pull requests with their reviews, made into a git history."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from labeling.mining.reviews import Commit, ReviewComment, ReviewedChange

HERE = Path(__file__).parent
REPOSITORY = "example/harbour"
START = datetime(2025, 5, 5, 9, tzinfo=UTC)
CONTEXT_LINES = 4


def build_harbour(path: Path) -> list[ReviewedChange]:
    """Makes the bare repository, the same to the bit each time, and returns its pull requests."""
    pulls: list[dict[str, Any]] = json.loads((HERE / "pulls.json").read_text())
    versions = list(file_versions(pulls))
    ids = write_history(path, versions)
    changes = []
    for number, pull in enumerate(pulls, start=1):
        mine = [(index, version) for index, version in enumerate(versions) if version["pull"] == number]
        first = mine[0][0]
        changes.append(
            reviewed_change(number, pull, before=versions[first - 1]["files"], commits=commits_of(mine, ids))
        )
    return changes


def file_versions(pulls: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The commits in order, each with all files as they are after it."""
    files = {source.name: source.read_text() for source in sorted((HERE / "java").glob("*.java"))}
    yield {"pull": 0, "message": "Start", "at": START - timedelta(days=1), "files": files}
    for number, pull in enumerate(pulls, start=1):
        for order, commit in enumerate(pull["commits"]):
            files = edited(files, commit["edits"])
            at = day_of(number) + timedelta(hours=5, minutes=order)
            yield {"pull": number, "message": commit["message"], "at": at, "files": files}


def edited(files: dict[str, str], edits: dict[str, list[list[str]]]) -> dict[str, str]:
    changed = dict(files)
    for name, replacements in edits.items():
        for old, new in replacements:
            if old not in changed[name]:
                raise ValueError(f"{name} has no “{old}”")
            changed[name] = changed[name].replace(old, new)
    return changed


def day_of(number: int) -> datetime:
    return START + timedelta(days=number)


def write_history(path: Path, versions: list[dict[str, Any]]) -> list[str]:
    """Commits every version; their ids, in order."""
    with tempfile.NamedTemporaryFile() as marks:
        subprocess.run(["git", "init", "--quiet", "--bare", str(path)], check=True)  # noqa: S607
        stream = b"".join(commit_text(number, version) for number, version in enumerate(versions, start=1))
        command = ["git", "-C", str(path), "fast-import", "--quiet", "--force", f"--export-marks={marks.name}"]
        subprocess.run(command, input=stream, check=True)
        ids = dict(line.split() for line in Path(marks.name).read_text().splitlines())
    return [ids[f":{number}"] for number in range(1, len(versions) + 1)]


def commit_text(number: int, version: dict[str, Any]) -> bytes:
    """One commit in the language of git fast-import."""
    message = version["message"].encode()
    head = f"commit refs/heads/main\nmark :{number}\n"
    head += f"committer Harbour <harbour@example.org> {int(version['at'].timestamp())} +0000\ndata {len(message)}\n"
    origin = f"from :{number - 1}\n" if number > 1 else ""
    files = [
        f"M 100644 inline {path_of(name)}\ndata {len(text.encode())}\n{text}\n"
        for name, text in version["files"].items()
    ]
    text: bytes = head.encode() + message + b"\n" + origin.encode() + "".join(files).encode()
    return text


def path_of(name: str) -> str:
    side = "test" if name.endswith("Test.java") else "main"
    return f"src/{side}/java/org/example/harbour/{name}"


def commits_of(mine: list[tuple[int, dict[str, Any]]], ids: list[str]) -> list[Commit]:
    return [
        Commit(sha=ids[index], parent=ids[index - 1], message=version["message"], at=version["at"].isoformat())
        for index, version in mine
    ]


def reviewed_change(
    number: int, pull: dict[str, Any], *, before: dict[str, str], commits: list[Commit]
) -> ReviewedChange:
    return ReviewedChange(
        repository=REPOSITORY,
        number=number,
        title=pull["title"],
        state=pull["state"],
        author=pull["author"],
        reviewers=pull["reviewers"],
        created_at=day_of(number).isoformat(),
        comments=list(comments_of(number, pull, before=before, base=commits[0].parent)),
        commits=commits,
    )


def comments_of(number: int, pull: dict[str, Any], *, before: dict[str, str], base: str) -> Iterator[ReviewComment]:
    """A reply answers the comment before it; what is said `after` the change is said in the evening."""
    earlier = ""
    for order, comment in enumerate(pull["comments"], start=1):
        identity = f"{number}-{order}"
        place = comment_place(comment, before) if "at_text" in comment else {}
        yield ReviewComment(
            id=identity,
            body=comment["body"],
            where="inline" if place or comment.get("reply") else "talk",
            author=comment["author"],
            association=comment["association"],
            at=(day_of(number) + timedelta(hours=9 if comment.get("after") else 1, minutes=order)).isoformat(),
            original_commit=base if place else "",
            reply_to=earlier if comment.get("reply") else "",
            **place,
        )
        earlier = earlier if comment.get("reply") else identity


def comment_place(comment: dict[str, Any], before: dict[str, str]) -> dict[str, Any]:
    lines = before[comment["path"]].splitlines()
    line = next(index for index, text in enumerate(lines, start=1) if comment["at_text"] in text)
    shown = lines[max(0, line - CONTEXT_LINES) : line]
    hunk = f"@@ -0,0 +{max(1, line - CONTEXT_LINES + 1)},{len(shown)} @@\n" + "\n".join(f"+{text}" for text in shown)
    return {"path": path_of(comment["path"]), "original_line": line, "hunk": hunk}
