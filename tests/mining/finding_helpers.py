"""Short ways to put two versions of a Java file before the finder."""

from __future__ import annotations

from labeling.mining.renames.finding import FileVersions, Finder, Rename


def find(before: str | bytes, after: str | bytes, *, path: str = "A.java", path_before: str = "") -> list[Rename]:
    return find_in_files((path_before or path, path, before, after))


def find_in_files(*files: tuple[str, str, str | bytes, str | bytes]) -> list[Rename]:
    problems: list[str] = []
    versions = [
        FileVersions(old, new, f"before {old}", f"after {new}", _as_bytes(before), _as_bytes(after))
        for old, new, before, after in files
    ]
    renames = Finder(problems.append).find(versions)
    assert not problems
    return renames


def names(renames: list[Rename]) -> list[tuple[str, str, str]]:
    return [(rename.buggy_name, rename.fixed_name, rename.tier) for rename in renames]


def in_class(*members: str, name: str = "A") -> str:
    return "\n".join([f"class {name} {{", *members, "}\n"])


def in_interface(*members: str) -> str:
    return "\n".join(["interface A {", *members, "}\n"])


def _as_bytes(source: str | bytes) -> bytes:
    return source.encode() if isinstance(source, str) else source
