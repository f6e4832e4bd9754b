"""Bringing items in: streamed, checked row by row, once for each key, and nothing that was judged is replaced."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from django.db import transaction
from django.utils import timezone

from labeling.corpus.kinds import KINDS
from labeling.corpus.models import Item, ItemWords, Project
from labeling.corpus.payloads import FieldError
from labeling.corpus.reading import Row, row_of
from labeling.corpus.searching import index_words
from labeling.corpus.storing import insert_items

BATCH = 2000
LONGEST_KEY = 200
SHOWN_BAD = 20
CANONICAL = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))
KEY = "key"


@dataclass
class Outcome:
    """What became of the rows of a file."""

    rows: int = 0
    new: int = 0
    unchanged: int = 0
    changed: int = 0
    replaced: int = 0
    bad: int = 0
    first_bad: list[dict[str, Any]] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Options:
    """How to import: only look, replace what changed, or take nothing when one row is bad."""

    kind: str
    dry_run: bool = False
    replace: bool = False
    all_or_nothing: bool = False


Step = Callable[[int], AbstractContextManager[object]]
Rejected = list[tuple[Row, FieldError]]


def import_rows(  # noqa: PLR0913 (each is a different thing a caller decides)
    rows: Iterable[Row],
    project: Project,
    options: Options,
    *,
    step: Step,
    done_with: Callable[[Outcome, Rejected], None],
    outcome: Outcome | None = None,
) -> Outcome:
    """Stores what is new and counts the rest. A batch is one `step`; `done_with` is called in it with its bad rows."""
    outcome = outcome or Outcome()
    for batch in batches(rows):
        with step(len(batch)):
            checked = [(row, prepared(row, project, options.kind)) for row in batch]
            rejected = [(row, found) for row, found in checked if isinstance(found, FieldError)]
            sort_out([found for _, found in checked if isinstance(found, Item)], project, options, outcome)
            outcome.rows += len(batch)
            note_bad(rejected, outcome)
            done_with(outcome, rejected)
    return outcome


def import_list(data: list[Any], project: Project, options: Options) -> Outcome:
    """Imports rows that are at hand in one transaction: the good ones, or none when one is bad and that is asked."""
    rows = [row_of(line, row) for line, row in enumerate(data, start=1)]
    with transaction.atomic():
        outcome = import_rows(rows, project, options, step=lambda _: nullcontext(), done_with=lambda *_: None)
        if outcome.bad and options.all_or_nothing:
            transaction.set_rollback(True)
            return replace(outcome, new=0, replaced=0)
        index_words(project, step=lambda _: nullcontext())
    return outcome


def batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    batch: list[Row] = []
    for row in rows:
        batch.append(row)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def prepared(row: Row, project: Project, kind: str) -> Item | FieldError:
    """The item of a row, not stored yet, or what is wrong with the row."""
    if row.data is None:
        return row.error or FieldError("", "cannot be read")
    data = dict(row.data)
    key = data.pop(KEY, "")
    try:
        return new_item(project, kind, data, key=key)
    except FieldError as error:
        return error


def new_item(project: Project, kind: str, data: dict[str, Any], *, key: Any = "") -> Item:
    """An item that is checked but not stored; raises FieldError."""
    content = KINDS[kind].read(data)
    key = key or content.key
    if not isinstance(key, str) or len(key) > LONGEST_KEY or "\x00" in key:
        raise FieldError(KEY, f"must be text of at most {LONGEST_KEY} characters")
    payload = content.write()
    try:
        canonical = CANONICAL.encode(payload).encode()
    except UnicodeEncodeError as error:
        raise FieldError("", "contains half a character (a lone surrogate)") from error
    if b"\\u0000" in canonical:
        raise FieldError("extra", "contains a NUL character")
    return Item(
        project=project,
        kind=kind,
        key=key,
        group=content.group[:200],
        title=content.title[:200],
        payload=payload,
        digest=hashlib.sha256(canonical).hexdigest()[:32],
        sameness=hashlib.sha256(content.sameness.encode()).hexdigest()[:32],
    )


def sort_out(items: list[Item], project: Project, options: Options, outcome: Outcome) -> None:
    """Tells new from known and changed, and stores what the options say. A key that comes again is known by then."""
    if not options.dry_run:
        Project.objects.select_for_update().get(pk=project.pk)  # imports of one project go one after the other
    keys = [item.key for item in items]
    known = dict(Item.objects.filter(project=project, key__in=keys).values_list("key", "digest"))
    new: list[Item] = []
    changed: list[Item] = []
    for item in items:
        if item.key not in known:
            new.append(item)
        elif known[item.key] != item.digest:
            changed.append(item)
        else:
            outcome.unchanged += 1
        known.setdefault(item.key, item.digest)
    outcome.new += len(new)
    outcome.changed += len(changed)
    if options.dry_run:
        return
    insert_items(new)
    if options.replace:
        outcome.replaced += replace_items(changed, project)


def replace_items(items: list[Item], project: Project) -> int:
    """Puts the new content in the place of the old; what search knows of it is made again."""
    ItemWords.objects.filter(item__project=project, item__key__in=[item.key for item in items]).delete()
    for item in items:
        Item.objects.filter(project=project, key=item.key).update(
            kind=item.kind,
            group=item.group,
            title=item.title,
            payload=item.payload,
            digest=item.digest,
            sameness=item.sameness,
            imported_at=timezone.now(),
        )
    return len(items)


def note_bad(rejected: Rejected, outcome: Outcome) -> None:
    outcome.bad += len(rejected)
    room = SHOWN_BAD - len(outcome.first_bad)
    outcome.first_bad += [{"line": row.line, **described_error(error)} for row, error in rejected[:room]]


def described_error(error: FieldError) -> dict[str, str]:
    return {"field": error.field, "reason": error.reason}


def rejected_line(row: Row, error: FieldError) -> str:
    """A bad row as it is kept aside: where it stood, what is wrong with it, and the row itself."""
    kept = {"line": row.line, **described_error(error), "row": row.raw}
    return json.dumps(kept, ensure_ascii=True) + "\n"
