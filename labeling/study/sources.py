"""Bringing material into a study from where it is: the project, a release of it, a file, or rows at hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol
from zipfile import ZipFile

from labeling.corpus.kinds.review_rename import ReviewRename
from labeling.corpus.reading import Row
from labeling.people.models import User
from labeling.refusals import Invalid
from labeling.release.models import Release, ReleaseState
from labeling.study.loading import load_material
from labeling.study.material import NameRow, read_material, rows_of_file, rows_of_list, rows_of_project
from labeling.study.models import Study


class Upload(Protocol):
    """A file as a form or a command gives it."""

    @property
    def name(self) -> str | None: ...

    def read(self) -> bytes: ...


def bring_material(  # noqa: PLR0913 (each is a different thing a caller decides)
    study: Study,
    *,
    origins: Mapping[str, str],
    source: str = "project",
    release: int | None = None,
    items: Upload | None = None,
    names: Upload | None = None,
    group: str = "",
    words: str = "",
    by: User | None,
) -> Study:
    """Reads methods and names, and stores them when all of it is well. The names of files are not kept: one may tell
    an origin."""
    if source not in {"project", "release", "file"}:
        raise Invalid("source: must be project, release or file.")
    if source == "file" and items is None:
        raise Invalid("items: there is no file.")
    called = (items.name or "items" if items else "items", names.name or "names" if names else "names")
    rows: Iterable[Row] = rows_of_project(study.project, group=group, words=words.replace("\x00", ""))
    kept: dict[str, Any] = {"kind": source}
    if source == "file" and items:
        rows = rows_of_file(items.read(), called[0], kind=ReviewRename)
    if source == "release":
        frozen = find_release(study, release)
        rows, kept = rows_of_release(frozen), described(frozen)
    given: Iterable[Row] = rows_of_file(names.read(), called[1], kind=NameRow) if names else []
    if source == "project":
        kept |= {"group": group, "words": words}
    return load_material(study, read_material(rows, given, origins, called=called), source=kept, by=by)


def bring_rows(  # noqa: PLR0913 (as above)
    study: Study,
    *,
    origins: Mapping[str, str],
    items: list[Any] | None,
    names: list[Any],
    release: int | None = None,
    group: str = "",
    words: str = "",
    by: User | None,
) -> Study:
    """The same from rows at hand; without items, those of a release, or of the project that fit the filter."""
    if items is not None and release is not None:
        raise Invalid("items: a study has its methods from a release or from items, not from both.")
    if release is not None:
        frozen = find_release(study, release)
        rows, kept = rows_of_release(frozen), described(frozen)
    elif items is None:
        rows = rows_of_project(study.project, group=group, words=words.replace("\x00", ""))
        kept = {"kind": "project", "group": group, "words": words}
    else:
        rows, kept = rows_of_list(items), {"kind": "rows"}
    return load_material(study, read_material(rows, rows_of_list(names), origins), source=kept, by=by)


def find_release(study: Study, number: int | None) -> Release:
    if number is None:
        raise Invalid("release: say which one, by its number.")
    found = Release.objects.filter(project=study.project, number=number, state=ReleaseState.FROZEN).first()
    if found is None:
        raise Invalid(f"release: this project has no frozen release {number}.")
    return found


def described(release: Release) -> dict[str, Any]:
    return {"kind": "release", "release": release.number, "release_digest": release.digest}


def rows_of_release(release: Release) -> Iterator[Row]:
    """The items of its benchmark; what it only lists is passed over by whoever reads them."""
    with release.archive.open("rb") as file, ZipFile(file) as archive:
        content = archive.read("items.jsonl")
    return rows_of_file(content, "items.jsonl", kind=ReviewRename)
