"""The files of a release in a folder, their manifest, and the ZIP: the same files make the same bytes everywhere."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zipfile import ZIP_STORED, ZipFile, ZipInfo

from labeling.release.cells import Sheet, readable

MANIFEST = "manifest.json"
FORMAT = "concord-release"
FORMAT_VERSION = 1
# Before it there are no times in a ZIP. Nothing is compressed: builds of zlib differ in what they make of a file.
LONG_AGO = (1980, 1, 1, 0, 0, 0)
PLAIN_FILE = 0o100644 << 16
UNIX = 3
BLOCK = 1 << 20


class Folder:
    """A release on its way out."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: dict[str, int | None] = {}

    def write(self, name: str, text: str, *, rows: int | None = None) -> None:
        with self.open(name) as file:
            file.write(text)
        self.rows[name] = rows

    @contextmanager
    def open(self, name: str) -> Iterator[Any]:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8", newline="") as file:
            yield file

    @contextmanager
    def sheet(self, name: str, columns: list[str]) -> Iterator[Sheet]:
        with self.open(name) as file:
            sheet = Sheet(file, columns)
            yield sheet
        self.rows[name] = sheet.rows

    @contextmanager
    def lines(self, name: str) -> Iterator[Any]:
        """JSON, one a line."""
        count = 0
        with self.open(name) as file:

            def write(text: str) -> None:
                nonlocal count
                file.write(text + "\n")
                count += 1

            yield write
        self.rows[name] = count

    def entries(self) -> list[dict[str, Any]]:
        return [described(self.path / name, name, rows) for name, rows in sorted(self.rows.items())]

    def finish(self, about: dict[str, Any]) -> dict[str, Any]:
        """Writes the manifest and returns it."""
        manifest = {"format": FORMAT, "format_version": FORMAT_VERSION, **about, "files": self.entries()}
        with self.open(MANIFEST) as file:
            file.write(readable(manifest))
        return manifest

    def pack(self, target: Path) -> None:
        with ZipFile(target, "w", ZIP_STORED) as archive:
            for name in [*sorted(self.rows), MANIFEST]:
                add(archive, self.path / name, name)


def described(path: Path, name: str, rows: int | None) -> dict[str, Any]:
    return {"path": name, "bytes": path.stat().st_size, "sha256": sha256_of(path), "rows": rows}


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def add(archive: ZipFile, path: Path, name: str) -> None:
    info = ZipInfo(name, LONG_AGO)
    info.create_system, info.external_attr, info.file_size = UNIX, PLAIN_FILE, path.stat().st_size
    with path.open("rb") as source, archive.open(info, "w") as target:
        shutil.copyfileobj(source, target, BLOCK)
