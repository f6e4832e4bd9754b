"""Is this release whole and as it was made? Every file against the manifest; a ZIP is judged before it is unpacked."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any, Protocol
from zipfile import BadZipFile, ZipFile

from labeling.refusals import Invalid
from labeling.release.cells import read_sheet
from labeling.release.packing import FORMAT, FORMAT_VERSION, MANIFEST

LARGEST = 20 * 1024**3  # bytes of all files together
LARGEST_WHOLE = 64 * 1024**2  # of a file that is read as one; as JSON it takes twenty times as much memory
MOST_FILES = 5_000
MOST_TIMES = 200  # larger than it is packed: beyond it a ZIP is a bomb
BLOCK = 1 << 20
UNREADABLE = (BadZipFile, OSError, EOFError, zlib.error, RuntimeError, NotImplementedError, KeyError)


class Source(Protocol):
    """Where the files of a release lie."""

    def names(self) -> list[str]: ...
    def size(self, name: str) -> int: ...
    def open(self, name: str) -> IO[bytes]: ...


class InFolder:
    def __init__(self, path: Path) -> None:
        self.path = path

    def names(self) -> list[str]:
        found = [path for path in self.path.rglob("*") if path.is_symlink() or not path.is_dir()]
        for path in found:
            if path.is_symlink():
                raise Invalid(f"{path.relative_to(self.path)} is a link; a release has only files.")
        return [path.relative_to(self.path).as_posix() for path in found]

    def size(self, name: str) -> int:
        return (self.path / name).stat().st_size

    def open(self, name: str) -> IO[bytes]:
        return (self.path / name).open("rb")


class InZip:
    def __init__(self, archive: ZipFile) -> None:
        self.archive = archive
        require_harmless(archive)

    def names(self) -> list[str]:
        return [info.filename for info in self.archive.infolist() if not info.is_dir()]

    def size(self, name: str) -> int:
        return self.archive.getinfo(name).file_size

    def open(self, name: str) -> IO[bytes]:
        return self.archive.open(name)


def require_harmless(archive: ZipFile) -> None:
    """Looks at the list of contents alone: nothing is unpacked."""
    infos = archive.infolist()
    if len(infos) > MOST_FILES:
        raise Invalid(f"The ZIP has {len(infos):,} files; at most {MOST_FILES:,} are taken.")
    seen = set()
    for info in infos:
        require_inside(info.filename)
        if info.filename in seen:
            raise Invalid(f"The ZIP has “{info.filename}” twice.")
        seen.add(info.filename)
        if info.flag_bits & 1:
            raise Invalid(f"“{info.filename}” is encrypted.")
        if stat.S_ISLNK(info.external_attr >> 16):
            raise Invalid(f"“{info.filename}” is a link; a release has only files.")
        if info.file_size > BLOCK and info.file_size > MOST_TIMES * max(info.compress_size, 1):
            raise Invalid(f"“{info.filename}” is packed so tightly that it could be a bomb; it was not unpacked.")
    if sum(info.file_size for info in infos) > LARGEST:
        raise Invalid(f"The ZIP unpacks to more than {LARGEST // 1024**3} GB.")


def require_inside(name: str) -> None:
    path = PurePosixPath(name)
    unsafe = path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name or not name.isprintable()
    if unsafe or not name.strip():
        raise Invalid(f"“{name[:80]}” points out of the release; nothing was unpacked.")


@contextmanager
def opened(path: Path) -> Iterator[Source]:
    """A folder or a ZIP; raises Invalid in words for whatever is wrong with it."""
    if path.is_dir():
        yield InFolder(path)
        return
    if not path.exists():
        raise Invalid(f"There is no file or folder {path}.")
    try:
        with ZipFile(path) as archive:
            yield InZip(archive)
    except UNREADABLE as error:
        raise Invalid(f"The file cannot be read as a ZIP: it is cut short or damaged ({error}).") from error


@dataclass(frozen=True)
class Verdict:
    """The manifest, and all that is wrong."""

    manifest: dict[str, Any]
    digest: str
    faults: list[str]


def verify(path: Path) -> Verdict:
    """Compares every file with the manifest; raises Invalid when there is nothing to compare."""
    with opened(path) as source:
        return verify_source(source)


def verify_source(source: Source) -> Verdict:
    names = set(source.names())
    manifest, digest = read_manifest(source, names)
    entries = {entry["path"]: entry for entry in manifest["files"]}
    faults = [f"{name}: is missing." for name in sorted(entries.keys() - names)]
    faults += [f"{name}: is not in the manifest." for name in sorted(names - entries.keys() - {MANIFEST})]
    for name in sorted(entries.keys() & names):
        faults += faults_of(source, name, entries[name])
    return Verdict(manifest, digest, faults)


def read_manifest(source: Source, names: set[str]) -> tuple[dict[str, Any], str]:
    if MANIFEST not in names:
        raise Invalid(f"This is no release: it has no {MANIFEST}.")
    data = whole(source, MANIFEST)
    try:
        manifest = json.loads(data)
        if manifest["format"] != FORMAT:
            raise Invalid(f"This is no release: its format is “{str(manifest['format'])[:40]}”.")
        if manifest["format_version"] != FORMAT_VERSION:
            raise Invalid(
                f"Its format has version {str(manifest['format_version'])[:20]}; this software reads {FORMAT_VERSION}."
            )
        for entry in manifest["files"]:
            require_inside(entry["path"])
            require_numbers(entry)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise Invalid(f"{MANIFEST} cannot be read ({type(error).__name__}).") from error
    return manifest, hashlib.sha256(data).hexdigest()


def whole(source: Source, name: str) -> bytes:
    """All of a file that we have to have in memory."""
    if source.size(name) > LARGEST_WHOLE:
        raise Invalid(f"{name} is larger than {LARGEST_WHOLE // 1024**2} MB.")
    with source.open(name) as file:
        return file.read()


def require_numbers(entry: dict[str, Any]) -> None:
    if not isinstance(entry["bytes"], int) or not isinstance(entry["rows"], int | None):
        raise TypeError("sizes are whole numbers")
    if not isinstance(entry["sha256"], str):
        raise TypeError("a digest is text")


def faults_of(source: Source, name: str, entry: dict[str, Any]) -> Iterator[str]:
    if source.size(name) != entry["bytes"]:
        yield f"{name}: has {source.size(name):,} bytes, the manifest says {entry['bytes']:,}."
        return
    digest, lines = hashlib.sha256(), 0
    with source.open(name) as file:
        while block := file.read(BLOCK):
            digest.update(block)
            lines += block.count(b"\n")
    if digest.hexdigest() != entry["sha256"]:
        yield f"{name}: was changed; its SHA-256 is not that of the manifest."
    elif entry["rows"] is not None:
        try:
            rows = count_rows(source, name) if name.endswith(".csv") else lines
        except (UnicodeDecodeError, csv.Error) as error:
            yield f"{name}: is not CSV in UTF-8 ({error})."
            return
        if rows != entry["rows"]:
            yield f"{name}: has {rows:,} rows, the manifest says {entry['rows']:,}."


def count_rows(source: Source, name: str) -> int:
    with text_of(source, name) as file:
        return sum(1 for _ in read_sheet(file))


@contextmanager
def text_of(source: Source, name: str) -> Iterator[IO[str]]:
    with source.open(name) as file, io.TextIOWrapper(file, encoding="utf-8", newline="") as text:
        yield text
