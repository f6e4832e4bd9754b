"""From changed files to renames: filter, parse, match until nothing new is found, verify."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from labeling.mining.renames.evidence import Known, Names
from labeling.mining.renames.history import BlobReader, Change, Commit, FilePair, Repository
from labeling.mining.renames.java import Method, parse_methods
from labeling.mining.renames.lexing import BadSource, check_source
from labeling.mining.renames.matching import FileMatching, Match, Tier
from labeling.mining.renames.prefilter import may_rename
from labeling.mining.renames.verifying import VerifiedBy, verify

Report = Callable[[str], None]

# Each round can only add matches explained by those of the round before; chains longer than this are not real.
_MAX_ROUNDS = 5
_CACHED_FILES = 1_000
_BATCH_PAIRS = 200


@dataclass(frozen=True)
class FileVersions:
    """One file before and after a change; equal keys promise equal contents."""

    path_before: str
    path: str
    key_before: str
    key_after: str
    before: bytes
    after: bytes


@dataclass(frozen=True)
class Rename:
    """A method whose name alone was changed, with how surely that is so."""

    commit: str | None
    parent: str | None
    path: str
    path_before: str
    container: str
    parameters: tuple[str, ...]
    buggy_name: str
    fixed_name: str
    tier: Tier
    verified_by: VerifiedBy
    line_before: int
    line_after: int
    before: Method = field(repr=False, compare=False)
    after: Method = field(repr=False, compare=False)

    @property
    def key(self) -> tuple[object, ...]:
        """What makes two findings the same rename, whichever commits they come from."""
        return self.path, self.container, self.parameters, self.buggy_name, self.fixed_name

    def as_row(self) -> dict[str, object]:
        hidden = {"before", "after"}
        return {name: getattr(self, name) for name in self.__dataclass_fields__ if name not in hidden}


class Finder:
    """Finds renames in changes; keeps the methods of recent files: what one commit wrote, the next one reads."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._methods: OrderedDict[str, list[Method]] = OrderedDict()

    def find(self, files: Iterable[FileVersions], *, commit: Commit | None = None) -> list[Rename]:
        """The renames of one change, over all of its files."""
        matchings = []
        for versions in files:
            matching = self._compare(versions, commit=commit)
            if matching is not None and matching.removed and matching.added:
                matchings.append((versions, matching))
        found = match_change([matching for _, matching in matchings]) if matchings else []
        return [
            _rename(match, versions=versions, commit=commit)
            for (versions, _), matches in zip(matchings, found, strict=True)
            for match in sorted(matches, key=lambda match: match.before.position)
        ]

    def _compare(self, versions: FileVersions, *, commit: Commit | None) -> FileMatching | None:
        try:
            check_source(versions.before)
            check_source(versions.after)
            if not may_rename(versions.before, versions.after):
                return None
            before = self._parse(versions.key_before, versions.before)
            after = self._parse(versions.key_after, versions.after)
        except BadSource as error:
            self._report(describe_failure(commit, versions.path, str(error)))
            return None
        return FileMatching(before, after)

    def _parse(self, key: str, raw: bytes) -> list[Method]:
        methods = self._methods.get(key)
        if methods is None:
            methods = self._methods[key] = parse_methods(raw)
            if len(self._methods) > _CACHED_FILES:
                self._methods.popitem(last=False)
        else:
            self._methods.move_to_end(key)
        return methods


def match_change(matchings: Sequence[FileMatching]) -> list[list[Match]]:
    """The matches of each file; what is certain in one file explains what is not in another, until nothing is new."""
    classes = {old: new for matching in matchings for old, new in matching.classes.items()}
    known = Known(classes=classes)
    found = [matching.match(known) for matching in matchings]
    for _ in range(_MAX_ROUNDS):
        learned = _certain([match for matches in found for match in matches])
        if learned == known.methods:
            break
        known = Known(methods=learned, classes=classes)
        found = [matching.match(known) for matching in matchings]
    return found


def _certain(matches: Iterable[Match]) -> dict[Names, list[range]]:
    arities: dict[Names, list[range]] = defaultdict(list)
    for match in matches:
        if match.tier != "review" and match.before.arity not in arities[match.names]:
            arities[match.names].append(match.before.arity)
    return {names: sorted(ranges, key=lambda arity: arity.start) for names, ranges in arities.items() if ranges}


def _rename(match: Match, *, versions: FileVersions, commit: Commit | None) -> Rename:
    return Rename(
        commit=commit.id if commit else None,
        parent=commit.parent if commit else None,
        path=versions.path,
        path_before=versions.path_before,
        container=match.after.container,
        parameters=match.after.parameters,
        buggy_name=match.before.name,
        fixed_name=match.after.name,
        tier=match.tier,
        verified_by=verify(match),
        line_before=match.before.line,
        line_after=match.after.line,
        before=match.before,
        after=match.after,
    )


def find_in_repository(repository: Repository, commits: Iterable[Commit], *, report: Report) -> Iterator[Rename]:
    """The renames of these commits, in their order; what cannot be read is reported and skipped."""
    finder = Finder(report)
    with repository.blobs() as reader:
        for batch in _batches(repository.changes(commits)):
            contents = read_contents(reader, batch)
            for change in batch:
                if change.failure:
                    report(describe_failure(change.commit, None, change.failure))
                files = read_versions(change, contents, report)
                yield from finder.find(files, commit=change.commit)


def unique(renames: Iterable[Rename]) -> Iterator[Rename]:
    """Each rename the first time it is seen: a pull request often carries one change in several commits."""
    seen = set()
    for rename in renames:
        if rename.key not in seen:
            seen.add(rename.key)
            yield rename


def describe_failure(commit: Commit | None, path: str | None, reason: str) -> str:
    """One sentence that names the unit and why it was skipped."""
    unit = " ".join(part for part in (commit.id if commit else "", path or "") if part)
    return f"Skipped {unit}: {reason}."


def _batches(changes: Iterable[Change]) -> Iterator[list[Change]]:
    """Changes in groups large enough that asking git for their files costs little for each."""
    batch: list[Change] = []
    size = 0
    for change in changes:
        batch.append(change)
        size += len(change.pairs)
        if size >= _BATCH_PAIRS:
            yield batch
            batch, size = [], 0
    yield batch


def read_contents(reader: BlobReader, batch: Sequence[Change]) -> dict[str, bytes | BadSource]:
    """What every file of these changes contains, or why that cannot be known."""
    ids = (blob for change in batch for pair in change.pairs for blob in (pair.blob_before, pair.blob_after))
    return dict(reader.read(dict.fromkeys(ids)))


def read_versions(change: Change, contents: dict[str, bytes | BadSource], report: Report) -> Iterator[FileVersions]:
    """The files of a change that can be read in both versions."""
    for pair in change.pairs:
        before, after = contents[pair.blob_before], contents[pair.blob_after]
        failure = next((content for content in (before, after) if isinstance(content, BadSource)), None)
        if isinstance(before, bytes) and isinstance(after, bytes):
            yield _as_versions(pair, before, after)
        else:
            report(describe_failure(change.commit, pair.path, str(failure)))


def _as_versions(pair: FilePair, before: bytes, after: bytes) -> FileVersions:
    return FileVersions(
        path_before=pair.path_before,
        path=pair.path,
        key_before=pair.blob_before,
        key_after=pair.blob_after,
        before=before,
        after=after,
    )
