"""The archive of `bin/backup`: a tar of the database, the files and, last, a manifest with a digest of each member."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any, NoReturn
from uuid import uuid4

import environ

ROOT = Path(__file__).resolve().parent.parent
FORMAT = 1
MANIFEST = "manifest.json"
SQLITE_MEMBER = "database.sqlite3"
FILES = "files/"
TABLES = "tables/"
SECRET = "secret_key"  # noqa: S105 (the name of the file)
CHUNK = 1 << 20
LARGEST_MANIFEST = 256 << 20


class ArchiveError(Exception):
    """The archive or the installation is not as it must be; the sentence says how."""


@dataclass
class Manifest:
    """What is in an archive, so that a restore can tell whether it is whole and fits."""

    engine: str
    migrations: list[list[str]]  # [app, name], in the order in which they were applied
    rows: dict[str, int]
    columns: dict[str, list[str]] = field(default_factory=dict)
    members: dict[str, str] = field(default_factory=dict)  # name -> SHA-256
    format: int = FORMAT


def set_up() -> None:
    """Django, as `bin/run` has it."""
    os.umask(0o077)  # what we write holds personal data
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotator.settings")
    environ.Env.read_env(ROOT / ".env")
    os.environ.setdefault("PLAIN_HTTP", "1")
    import django

    django.setup()


@dataclass(frozen=True)
class Command:
    """What `bin/backup` and `bin/restore` share: one file is named, and whatever goes wrong is one sentence."""

    name: str
    about: str
    file: str  # what the file is
    act: Callable[[Path], str]  # gives what to say when it is done
    broken: str  # what to say when the database is the trouble, around its own words

    def run(self) -> None:
        parser = argparse.ArgumentParser(prog=self.name, description=self.about)
        parser.add_argument("file", type=Path, help=self.file)
        path = parser.parse_args().file.absolute()
        from django.core.exceptions import ImproperlyConfigured
        from django.db import DatabaseError

        try:
            set_up()
            print(self.act(path))
        except (ArchiveError, ImproperlyConfigured) as error:
            fail(str(error))
        except DatabaseError as error:
            fail(self.broken.format(str(error).splitlines()[0].rstrip(".")))


def fail(sentence: str) -> NoReturn:
    sys.exit(f"annotator: {sentence}")


class Writer:
    """Adds members, and at the end the manifest that says what they must be."""

    def __init__(self, tar: tarfile.TarFile, manifest: Manifest) -> None:
        self.tar = tar
        self.manifest = manifest

    def add(self, name: str, source: IO[bytes]) -> None:
        size = os.fstat(source.fileno()).st_size
        info = tarfile.TarInfo(name)
        info.size, info.mode = size, 0o600
        reader = Digesting(source, left=size)
        self.tar.addfile(info, reader)
        self.manifest.members[name] = reader.hash.hexdigest()

    def finish(self) -> None:
        import io

        text = json.dumps(asdict(self.manifest), indent=1).encode()
        info = tarfile.TarInfo(MANIFEST)
        info.size, info.mode = len(text), 0o600
        self.tar.addfile(info, io.BytesIO(text))


class Digesting:
    """Reads a file once, no further than its size was, for the archive and for the digest."""

    def __init__(self, source: IO[bytes], *, left: int) -> None:
        self.source, self.left, self.hash = source, left, hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        data = self.source.read(self.left if size < 0 else min(size, self.left))
        self.left -= len(data)
        self.hash.update(data)
        return data


@contextmanager
def writing(path: Path, manifest: Manifest) -> Iterator[Writer]:
    """The archive appears under its name only when it is whole, and of two that are written at once the first stays."""
    require_new(path)
    partial = path.with_name(f"{path.name}.{uuid4().hex}.partial")
    try:
        with tarfile.open(partial, "w", format=tarfile.PAX_FORMAT) as tar:
            writer = Writer(tar, manifest)
            yield writer
            writer.finish()
        with partial.open("rb") as written:
            os.fsync(written.fileno())
        require_new(path)
        partial.rename(path)
    except OSError as error:
        raise ArchiveError(f"cannot write {path}: {error.strerror or error}.") from error
    finally:
        partial.unlink(missing_ok=True)


def require_new(path: Path) -> None:
    if path.exists():
        raise ArchiveError(f"{path} exists. Choose another name; a backup never overwrites one.")


def checked(path: Path) -> Manifest:
    """Reads the whole archive and compares every member with its digest; raises when anything is amiss."""
    found: dict[str, str] = {}
    manifest: Manifest | None = None
    for info, source in members(path):
        if info.name == MANIFEST:
            manifest = read_manifest(path, info, source)
            continue
        if manifest is not None or info.name in found:
            raise ArchiveError(f"{path} is damaged: {info.name} is where it should not be.")
        digest = hashlib.sha256()
        while data := source.read(CHUNK):
            digest.update(data)
        found[info.name] = digest.hexdigest()
    if manifest is None:
        raise ArchiveError(f"{path} is not whole: its manifest is missing.")
    if manifest.members != found:
        names = sorted(name for name in {*manifest.members, *found} if manifest.members.get(name) != found.get(name))
        raise ArchiveError(f"{path} is damaged: {names[0]} is not as it was written. Nothing was restored.")
    return manifest


def read_manifest(path: Path, info: tarfile.TarInfo, source: IO[bytes]) -> Manifest:
    try:
        content: dict[str, Any] = json.loads(source.read(min(info.size, LARGEST_MANIFEST)))
        manifest = Manifest(**content)
    except (ValueError, TypeError) as error:
        raise ArchiveError(f"{path} is damaged: its manifest cannot be read.") from error
    if manifest.format != FORMAT:
        raise ArchiveError(f"{path} has format {manifest.format}, and this version reads format {FORMAT}.")
    return manifest


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Says in a sentence what is wrong with the archive."""
    try:
        yield
    except (tarfile.TarError, EOFError) as error:
        raise ArchiveError(f"{path} is damaged or no backup: {error}. Nothing was restored.") from error
    except OSError as error:
        raise ArchiveError(f"cannot read {path}: {error.strerror or error}.") from error


def members(path: Path) -> Iterator[tuple[tarfile.TarInfo, IO[bytes]]]:
    """The regular files in it, one after the other; anything else, or a name that leads elsewhere, is refused."""
    with tarfile.open(path, "r:") as tar:
        for info in tar:
            source = tar.extractfile(info) if info.isreg() else None
            if source is None or not is_safe(info.name):
                raise ArchiveError(f"{path} is not a backup: it contains “{info.name[:80]}”.")
            yield info, source


def is_safe(name: str) -> bool:
    parts = name.split("/")
    return bool(name) and not name.startswith("/") and "\\" not in name and not {"", ".", ".."} & set(parts)
