"""Bringing material into a study from where it is: the project, a file, or rows at hand. A release will be one more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from labeling.corpus.kinds.review_rename import ReviewRename
from labeling.corpus.reading import Row
from labeling.people.models import User
from labeling.refusals import Invalid
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
    items: Upload | None = None,
    names: Upload | None = None,
    group: str = "",
    words: str = "",
    by: User | None,
) -> Study:
    """Reads methods and names, and stores them when all of it is well. The names of files are not kept: one may tell
    an origin."""
    if source not in {"project", "file"}:
        raise Invalid("source: must be project or file.")
    if source == "file" and items is None:
        raise Invalid("items: there is no file.")
    called = (items.name or "items" if items else "items", names.name or "names" if names else "names")
    rows: Iterable[Row] = rows_of_project(study.project, group=group, words=words.replace("\x00", ""))
    if source == "file" and items:
        rows = rows_of_file(items.read(), called[0], kind=ReviewRename)
    given: Iterable[Row] = rows_of_file(names.read(), called[1], kind=NameRow) if names else []
    kept: dict[str, Any] = {"kind": source}
    if source == "project":
        kept |= {"group": group, "words": words}
    return load_material(study, read_material(rows, given, origins, called=called), source=kept, by=by)


def bring_rows(  # noqa: PLR0913 (as above)
    study: Study,
    *,
    origins: Mapping[str, str],
    items: list[Any] | None,
    names: list[Any],
    group: str = "",
    words: str = "",
    by: User | None,
) -> Study:
    """The same from rows at hand; without items, those of the project that fit the filter."""
    if items is None:
        rows = rows_of_project(study.project, group=group, words=words.replace("\x00", ""))
        kept = {"kind": "project", "group": group, "words": words}
    else:
        rows, kept = rows_of_list(items), {"kind": "rows"}
    return load_material(study, read_material(rows, rows_of_list(names), origins), source=kept, by=by)
