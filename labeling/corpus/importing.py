"""Bringing items in: streamed, checked row by row, once for each key, and nothing that was judged is replaced."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import orjson
from django.db import IntegrityError, OperationalError, transaction
from django.utils import timezone

from labeling.corpus.hurrying import one_ahead
from labeling.corpus.indexing import MOST_AT_ONCE, start_indexing
from labeling.corpus.kinds import KINDS
from labeling.corpus.models import Item, ItemWords, Project
from labeling.corpus.payloads import FieldError
from labeling.corpus.projects import lock, share
from labeling.corpus.reading import Row, row_of
from labeling.corpus.searching import index_words
from labeling.corpus.storing import Entry, insert_entries, known_digests
from labeling.people.models import User

BATCH = 2000
LONGEST_KEY = 200
SHOWN_BAD = 20
CANONICAL = json.JSONEncoder(ensure_ascii=False, sort_keys=True, allow_nan=False, separators=(",", ":"))
SPELT_ALIKE = {str, int, bool, type(None)}  # by both ways of writing JSON; other numbers are not
KEY = "key"
DEADLOCK = "40P01"  # PostgreSQL's word for it


@dataclass
class Outcome:
    """What became of the rows of a file."""

    rows: int = 0
    new: int = 0
    unchanged: int = 0
    changed: int = 0
    replaced: int = 0
    kept: int = 0  # changed, and not replaced although that was asked: somebody has judged the item or is at it
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
    with one_ahead(checked(batch, options.kind) for batch in batches(rows)) as coming:
        for entries, rejected in coming:
            size = len(entries) + len(rejected)
            with step(size):
                sort_out(entries, project, options, outcome)
                outcome.rows += size
                note_bad(rejected, outcome)
                done_with(outcome, rejected)
    return outcome


def import_list(data: list[Any], project: Project, options: Options, *, by: User | None = None) -> Outcome:
    """Imports rows that are at hand in one transaction: the good ones, or none when one is bad and that is asked."""
    entries, rejected = checked([row_of(line, row) for line, row in enumerate(data, start=1)], options.kind)
    outcome = Outcome(rows=len(data))
    note_bad(rejected, outcome)
    spoilt = bool(rejected) and options.all_or_nothing
    if options.dry_run or spoilt:
        sort_out(entries, project, replace(options, dry_run=True), outcome)
        return replace(outcome, new=0) if spoilt else outcome
    if not entries:
        return outcome
    if not options.replace and add_new(entries, project, by=by):
        outcome.new = len(entries)
        return outcome
    with transaction.atomic():
        newest = newest_number(project)
        sort_out(entries, project, options, outcome)
        make_findable(outcome.new + outcome.replaced, project, after=0 if options.replace else newest, by=by)
    return outcome


def add_new(entries: list[Entry], project: Project, *, by: User | None) -> bool:
    """Who brings many items mostly brings new ones. Then nobody needs to be asked which are known, and others can bring
    theirs at the same time. False, with nothing stored, when one of them is known or has just been brought by another.
    """
    if known_digests([entries[0].key, entries[-1].key], project):
        return False
    try:
        with transaction.atomic():
            share(project)
            newest = newest_number(project) if len(entries) <= MOST_AT_ONCE else 0
            insert_entries(entries, project)
            make_findable(len(entries), project, after=newest, by=by)
    except IntegrityError:
        return False
    except OperationalError as error:
        if getattr(error.__cause__, "pgcode", None) != DEADLOCK:  # two who waited for each other's items
            raise
        return False
    return True


def newest_number(project: Project) -> int:
    return Item.objects.filter(project=project).order_by("-pk").values_list("pk", flat=True).first() or 0


def make_findable(count: int, project: Project, *, after: int, by: User | None) -> None:
    """Few can be found by their words at once; many a little later."""
    if count > MOST_AT_ONCE:
        start_indexing(project, by=by)
    else:
        index_words(project, step=lambda _: nullcontext(), after=after)


def batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    batch: list[Row] = []
    for row in rows:
        batch.append(row)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def checked(batch: list[Row], kind: str) -> tuple[list[Entry], Rejected]:
    """The good rows, ready to be stored, and the bad ones."""
    entries: list[Entry] = []
    rejected: Rejected = []
    for row in batch:
        try:
            entries.append(prepared(row, kind))
        except FieldError as error:
            rejected.append((row, error))
    return entries, rejected


def prepared(row: Row, kind: str) -> Entry:
    """The row, checked; raises FieldError."""
    if row.data is None:
        raise row.error or FieldError("", "cannot be read")
    data = dict(row.data)
    key = data.pop(KEY, "")
    return new_entry(kind, data, key=key)


def new_entry(kind: str, data: dict[str, Any], *, key: Any = "") -> Entry:
    """What an item with this data will consist of; raises FieldError."""
    content = KINDS[kind].read(data)
    payload = canonical(content.write())
    key = key or content.key
    if not isinstance(key, str) or len(key) > LONGEST_KEY or "\x00" in key or not is_whole(key):
        raise FieldError(KEY, f"must be text of at most {LONGEST_KEY} characters")
    return Entry(
        kind=kind,
        key=key,
        group=content.group[:200],
        title=(content.title or " ".join(content.words.split())[:80])[:200],
        payload=payload,
        digest=short_hash(payload),
        sameness=short_hash(content.sameness.encode()),
    )


def canonical(payload: dict[str, Any]) -> bytes:
    """The same text for the same payload, whatever the order of its fields; in UTF-8."""
    text = quickly(payload)
    if text is None:
        try:
            text = CANONICAL.encode(payload).encode()
        except UnicodeEncodeError as error:
            raise FieldError("", "contains half a character (a lone surrogate)") from error
        except ValueError as error:
            raise FieldError("", "contains a number that is too large") from error
    if b"\\" in text and b"\\u0000" in text:  # the second takes five times as long to look for
        raise FieldError("extra", "contains a NUL character")
    return text


def quickly(payload: dict[str, Any]) -> bytes | None:
    """What CANONICAL would write, in a tenth of its time; None where only that can tell."""
    if not are_spelt_alike(payload.values()):
        return None
    try:
        return orjson.dumps(payload, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError:  # half a character, a number of more than 64 bits
        return None


def are_spelt_alike(values: Collection[Any]) -> bool:
    """Most are texts, which their types tell; only others are looked into."""
    return SPELT_ALIKE.issuperset(map(type, values)) or all(map(is_spelt_alike, values))


def is_spelt_alike(value: Any) -> bool:
    kind = type(value)
    if kind is dict:
        return are_spelt_alike(value.values())
    return are_spelt_alike(value) if kind is list else kind in SPELT_ALIKE


def is_whole(text: str) -> bool:
    """False when it contains half a character, which no database stores."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def short_hash(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()[:32]


def sort_out(entries: list[Entry], project: Project, options: Options, outcome: Outcome) -> None:
    """Tells new from known and changed, and stores what the options say. A key that comes again is known by then."""
    if not options.dry_run:
        lock(project)  # whoever asks what is known goes alone
    known = known_digests([entry.key for entry in entries], project)
    new: list[Entry] = []
    changed: list[Entry] = []
    for entry in entries:
        if entry.key not in known:
            new.append(entry)
        elif known[entry.key] != entry.digest:
            changed.append(entry)
        else:
            outcome.unchanged += 1
        known.setdefault(entry.key, entry.digest)
    outcome.new += len(new)
    outcome.changed += len(changed)
    if options.dry_run:
        return
    insert_entries(new, project)
    if options.replace:
        replaced = replace_items(changed, project)
        outcome.replaced += replaced
        outcome.kept += len(changed) - replaced


def replace_items(entries: list[Entry], project: Project) -> int:
    """Puts new content in the place of the old where that may change; what search knows of it is made again."""
    changed = 0
    for entry in entries:
        fields = {**asdict(entry), "payload": json.loads(entry.payload), "imported_at": timezone.now()}
        item = Item.objects.select_for_update().filter(project=project, key=entry.key).first()
        if item is not None and item.hold_still():
            ItemWords.objects.filter(item=item).delete()
            changed += Item.objects.filter(pk=item.pk).update(**fields)
    return changed


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
