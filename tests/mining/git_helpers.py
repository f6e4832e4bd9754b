"""A small git repository to read from."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path


class Workplace:
    """A repository with a work tree in a directory of its own."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str) -> str:
        who = {f"GIT_{role}_{key}": f"x@{key}" for role in ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL")}
        quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        command = ["git", "-C", str(self.path), *arguments]
        done = subprocess.run(command, check=True, capture_output=True, env={**os.environ, **who, **quiet})
        return done.stdout.decode().strip()

    def commit(self, files: Mapping[str, str | bytes | None]) -> str:
        """Writes the files (None removes one) and returns the new commit."""
        for name, content in files.items():
            path = self.path / name
            if content is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "change")
        return self.git("rev-parse", "HEAD")

    def object_path(self, name: str) -> Path:
        blob = self.git("rev-parse", name)
        return self.path / ".git" / "objects" / blob[:2] / blob[2:]
