"""'Attack my blinding': sessions through the real pages with this study's own material, all of it recorded, searched
and guessed at. Each session is rolled back, so it leaves nothing behind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from random import Random
from typing import Any

import numpy as np
from django.db import connection, transaction
from django.utils import timezone

from labeling.people.models import digest, new_token
from labeling.refusals import Refusal
from labeling.study.blindness import searching
from labeling.study.blindness.features import Sight, matrix, sights_of
from labeling.study.blindness.guessing import Guess, guess_origins
from labeling.study.blindness.recording import Received
from labeling.study.blindness.searching import Hit, Material
from labeling.study.blindness.walking import Session, Walk
from labeling.study.models import Method, Name, Sheet, Stage, Study
from labeling.study.origins import NameOrigin, Origin
from labeling.study.taking.models import Line, Participant
from labeling.study.texts import Texts

FAR = 1_000_000  # numbers of sheets and participants of an attack: never those of others
MOST_SESSIONS = 12  # each takes as long as it takes to ask for all its pages: about 20 s for 20 methods
SECRET_TABLES = ("labeling_origin", "labeling_nameorigin", "labeling_frozenplan")


@dataclass
class Evidence:
    """All that was received, and what we know besides."""

    sessions: int = 0
    responses: int = 0
    size: int = 0
    sights: list[Sight] = field(default_factory=list)
    queries: list[str] = field(default_factory=list)
    hits: dict[str, list[Hit]] = field(default_factory=dict)
    statics: set[frozenset[str]] = field(default_factory=set)
    careless: list[Hit] = field(default_factory=list)

    def add(self, kind: str, hits: Collection[Hit]) -> None:
        self.hits.setdefault(kind, []).extend(hits)


@dataclass(frozen=True)
class Secrets:
    words: list[str]
    letters: list[str]
    of_name: dict[int, str]
    material: Material


def attack(
    study: Study, *, sessions: int = MOST_SESSIONS, seed: int = 1, after_each: Callable[[], None] = lambda: None
) -> dict[str, Any]:
    """The report, as JSON takes it. Where there are more sheets than sessions, the seed draws which are walked."""
    planned = sheets_of(study)
    drawn = Random(f"{seed}:sheets").sample(planned, min(sessions, len(planned)))  # noqa: S311 (another seed, others)
    sheets = sorted(drawn, key=lambda sheet: (sheet.stage, sheet.number))
    secrets, evidence = secrets_of(study), Evidence()
    for number, sheet in enumerate(sheets):
        rng = Random(f"{seed}:{number}")  # noqa: S311 (answers of nobody)
        with rolled_back():
            session, participant = run_session(study, sheet, rng, evidence.queries)
            examine(session, participant, secrets, evidence)
        after_each()
    return report(evidence, secrets, seed) | {"sheets": len(planned)}


def sheets_of(study: Study) -> list[Sheet]:
    sheets = list(study.sheets.filter(number__lt=FAR).order_by("-stage", "number"))
    if not sheets:
        raise Refusal("There are no sheets yet. Make the plan of the study first.")
    if not study.texts.exists():
        raise Refusal("There are no texts yet. Write them first.")
    return sheets


def secrets_of(study: Study) -> Secrets:
    origins = list(Origin.objects.filter(study=study))
    of_name: dict[int, list[str]] = {}
    rows = NameOrigin.objects.filter(origin__study=study).values_list("name", "origin__letter")
    for name, letter in rows:
        of_name.setdefault(name, []).append(letter)
    bodies = Method.objects.filter(study=study).values_list("shown", flat=True)
    names = Name.objects.filter(method__study=study).values_list("shown", flat=True)
    return Secrets(
        words=sorted({word for origin in origins for word in (origin.key, origin.label)}),
        letters=[origin.letter for origin in origins],
        of_name={name: "+".join(sorted(letters)) for name, letters in of_name.items()},
        material=Material(set(bodies), sorted(set(names))),
    )


@contextmanager
def rolled_back() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def run_session(study: Study, sheet: Sheet, rng: Random, queries: list[str]) -> tuple[Session, Participant]:
    """One participant of ours on a sheet of ours with the plan of a real one, so that nobody's place is touched."""
    stage, number = let_in(study), FAR + sheet.pk
    own = Sheet.objects.create(study=study, stage=stage, number=number, plan=sheet.plan)
    token = new_token()
    participant = Participant.objects.create(
        study=study, stage=stage, number=number, sheet=own, link_digest=digest(token)
    )
    latest = study.texts.order_by("-version").first()
    assert latest is not None  # noqa: S101 (sheets_of has seen to it)
    with watching(queries):
        return Walk(study.code, token, Texts.read(latest.content), rng).walk(), participant


def let_in(study: Study) -> str:
    """Until it is rolled back, the study takes answers."""
    fresh = Study.objects.get(pk=study.pk)
    if fresh.state == "open":
        return Stage.MAIN
    changes: dict[str, Any] = {"closed_at": None, "unblinded_at": None, "unblinded_by": None}
    changes["opened_at" if fresh.is_frozen else "piloted_at"] = timezone.now()
    Study.objects.filter(pk=study.pk).update(**changes)
    return Stage.MAIN if fresh.is_frozen else Stage.PILOT


@contextmanager
def watching(queries: list[str]) -> Iterator[None]:
    """Notes every query that touches a table of origins."""

    def wrapper(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if any(table in sql for table in SECRET_TABLES):
            queries.append(sql[:200])
        return execute(sql, params, many, context)

    with connection.execute_wrapper(wrapper):
        yield


def examine(session: Session, participant: Participant, secrets: Secrets, evidence: Evidence) -> None:
    lines = Line.objects.filter(page__participant=participant).select_related("name", "page")
    by_code = {line.code: line for line in lines}
    ids = {code: [line.pk, line.name_id, line.page_id] for code, line in by_code.items()}
    all_ids = {number for numbers in ids.values() for number in numbers} | {participant.pk, participant.sheet_id or 0}
    all_ids |= {line.page.method_id for line in by_code.values()}
    texts = [(received.path, searching.scaffold(received, secrets.material)) for received in session.received]
    evidence.sessions += 1
    evidence.responses += len(session.received)
    evidence.size += sum(len(received.body) for received in session.received)
    evidence.add("words", searching.find_words(texts, secrets.words))
    evidence.add("letters", searching.find_letters(texts, secrets.letters))
    evidence.add("ids", searching.find_ids(texts, all_ids))
    for page in session.pages:
        evidence.add("ids", searching.find_small_ids(page, ids))
        evidence.statics.add(searching.static_addresses(page))
        shown = {code: (line.page.method_id, line.name_id, line.name.shown) for code, line in by_code.items()}
        judged = sights_of(page, session.answers, shown)
        evidence.sights += [sight for sight in judged if sight.name in secrets.of_name]
    evidence.careless += [hit for received in session.received for hit in careless(received)]


def careless(received: Received) -> Iterator[Hit]:
    if "no-store" not in received.header("Cache-Control"):
        yield Hit(received.path, "Cache-Control", received.header("Cache-Control"))
    if received.header("Referrer-Policy") != "no-referrer":
        yield Hit(received.path, "Referrer-Policy", received.header("Referrer-Policy"))


def report(evidence: Evidence, secrets: Secrets, seed: int) -> dict[str, Any]:
    channel, content = (guess(evidence.sights, secrets, kind, seed) for kind in ("channel", "content"))
    statics = [] if len(evidence.statics) <= 1 else [Hit("", "static files", "not the same on every page")]
    queries = [Hit("", "query", sql) for sql in dict.fromkeys(evidence.queries)]
    checks = [
        check("words", "Keys and labels of origins", evidence.hits.get("words", [])),
        check("letters", "Letters of origins", evidence.hits.get("letters", [])),
        check("ids", "Numbers of the database", evidence.hits.get("ids", [])),
        check("queries", "Queries that touch origins", queries),
        check("headers", "Answers that may be kept or tell where one comes from", evidence.careless),
        check("files", "Pages that load different files", statics),
    ]
    return {
        "sessions": evidence.sessions,
        "responses": evidence.responses,
        "bytes": evidence.size,
        "names": len(evidence.sights),
        "checks": checks,
        "channel": asdict(channel) | {"found": channel.beats_chance},
        "content": asdict(content) | {"found": content.beats_chance},
        "found": channel.beats_chance or any(one["count"] for one in checks),
        "seed": seed,
    }


def check(key: str, title: str, hits: list[Hit]) -> dict[str, Any]:
    shown = [asdict(one) for one in dict.fromkeys(hits)][: searching.MOST_SHOWN]
    return {"key": key, "title": title, "count": len(hits), "hits": shown}


def guess(sights: list[Sight], secrets: Secrets, kind: str, seed: int) -> Guess:
    rows = [getattr(sight, kind) for sight in sights]
    classes = [secrets.of_name[sight.name] for sight in sights]
    if not rows:
        return Guess(0, None, None, None, "No name was shown.")
    codes = [numbered(values) for values in ([s.method for s in sights], [s.name for s in sights], classes)]
    method, name, origin = (np.array(one, dtype=np.int64) for one in codes)
    return guess_origins(matrix(rows), method=method, name=name, origin=origin, seed=seed)


def numbered(values: list[Any]) -> list[int]:
    known = {value: number for number, value in enumerate(Counter(values))}
    return [known[value] for value in values]
