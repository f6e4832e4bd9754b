"""Which votes are measured: a question of a protocol, the rounds that count, and what narrows them further."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from functools import cached_property
from typing import Any

from django.db.models import Exists, OuterRef, Prefetch, QuerySet

from labeling.annotation.models import Protocol, ProtocolVersion, Rater, Round, RoundState, Vote
from labeling.annotation.protocols.codebook import Codebook, Option, Question
from labeling.corpus.models import Project
from labeling.refusals import Invalid, Refusal

FEWEST_COMPLETE = 20  # while a round is open, its agreement is shown from here on
NAMES = ("protocol", "question", "round", "version", "group", "since", "until", "votes", "over")
FIRST, IN_FORCE = "first", "in_force"
GROUPS, ITEMS = "groups", "items"


@dataclass(frozen=True)
class Withheld:
    """An open round with so few complete items that agreement in it stays hidden."""

    round: Round
    complete: int


@dataclass(frozen=True)
class Selection:
    """What is measured. `rounds` are those that count; what is withheld is said, not left out in silence."""

    project: Project
    protocol: Protocol
    questions: list[Question]
    question: Question
    versions: list[ProtocolVersion]
    all_rounds: list[Round]
    rounds: list[Round]
    withheld: list[Withheld]
    round: Round | None = None
    version: ProtocolVersion | None = None
    group: str = ""
    since: date | None = None
    until: date | None = None
    votes: str = IN_FORCE
    over: str = ITEMS  # what is resampled
    raters: dict[int, int] = field(default_factory=dict)  # the user behind each rater of the project
    names: dict[int, str] = field(default_factory=dict)  # of the users

    def asking(self, question: Question) -> Selection:
        return replace(self, question=question)

    @property
    def is_narrowed(self) -> bool:
        """Whether only some of the items of its rounds are in it."""
        return bool(self.version or self.group or self.since or self.until)

    @property
    def slot(self) -> str:
        """How a query goes from a vote to its slot. To go by both relations and compare would be the same, but
        PostgreSQL then expects next to no votes, and takes hours for a million."""
        return "assignment" if self.votes == FIRST else "current_of"

    @property
    def is_open(self) -> bool:
        return any(round.is_open for round in self.rounds)

    @property
    def protocols(self) -> list[Protocol]:
        """All that a round goes by."""
        return list({round.protocol.protocol_id: round.protocol.protocol for round in self.all_rounds}.values())

    @property
    def filters(self) -> dict[str, str]:
        """What was chosen, as an address has it."""
        chosen = {
            "protocol": str(self.protocol.pk) if len(self.protocols) > 1 else "",
            "question": self.question.key,
            "round": str(self.round.pk) if self.round else "",
            "version": str(self.version.number) if self.version else "",
            "group": self.group,
            "since": self.since.isoformat() if self.since else "",
            "until": self.until.isoformat() if self.until else "",
            "votes": self.votes if self.votes != IN_FORCE else "",
            "over": self.over if self.over != ITEMS else "",
        }
        return {name: value for name, value in chosen.items() if value}

    @property
    def digest(self) -> str:
        return digest_of([self.protocol.pk, self.filters])

    @cached_property
    def stamp(self) -> str:
        """Changes with every vote that can change a figure, from the counts that rounds and raters keep (ADR 8), and
        with the question: its options are the scale."""
        rounds = [[r.pk, r.state, str(r.closed_at), r.item_count, r.protocol_id] for r in self.rounds]
        raters = [[r.pk, r.tally, r.completions, r.recent[-1:]] for round in self.rounds for r in round.raters.all()]
        return digest_of([rounds, raters, asdict(self.question)])

    @property
    def votes_cast(self) -> int:
        return sum(rater.votes for round in self.rounds for rater in round.raters.all())

    @property
    def items_over(self) -> int:
        """Items of its rounds whose independent phase is over."""
        return sum(round.item_count if not round.is_open else complete_items(round) for round in self.rounds)

    @cached_property
    def users(self) -> list[int]:
        """The people behind the raters of the project, each once, in the order in which they joined a round."""
        return list(dict.fromkeys(self.raters.values()))

    @property
    def pseudonyms(self) -> tuple[str, ...]:
        return tuple(f"Rater {number}" for number in range(1, len(self.users) + 1))


def digest_of(what: Any) -> str:
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()[:32]


def complete_items(round: Round) -> int:
    return sum(rater.completions for rater in round.raters.all())


def choose(project: Project, wanted: Mapping[str, str]) -> Selection | None:
    """Reads what was asked for; None as long as the project has no round. Raises Invalid, naming what is wrong."""
    given = {name: wanted.get(name, "").replace("\x00", "").strip() for name in NAMES}
    everywhere = list(rounds_of(project))
    if not everywhere:
        return None
    round = find(everywhere, given["round"]) if given["round"] else None
    protocol = find_protocol(everywhere, given["protocol"], round)
    under = [one for one in everywhere if one.protocol.protocol_id == protocol.pk]
    versions = versions_of(protocol)
    version = find_version(protocol, versions, given["version"])
    questions = questions_of(versions, version)
    if not questions:
        raise Invalid(f"question: {protocol} asks nothing that agreement can be measured on, only for texts.")
    counted, withheld = rounds_that_count([round] if round else under)
    raters = Rater.objects.filter(round__project=project).order_by("pk").values_list("pk", "user_id", "user__name")
    people = list(raters)
    return Selection(
        project=project,
        protocol=protocol,
        questions=questions,
        question=find_question(questions, given["question"]),
        versions=[ProtocolVersion(pk=pk, number=number, protocol=protocol) for pk, number, _, _ in versions],
        all_rounds=everywhere,
        rounds=counted,
        withheld=withheld,
        round=round,
        version=version,
        group=given["group"],
        **period(given),
        votes=one_of(given, "votes", (IN_FORCE, FIRST)),
        over=one_of(given, "over", (ITEMS, GROUPS)),
        raters={pk: user for pk, user, _ in people},
        names={user: name for _, user, name in people},
    )


def measurable(project: Project, wanted: Mapping[str, str]) -> Selection:
    """The same where there is something to measure; refuses else."""
    selection = choose(project, wanted)
    if selection is None or not selection.rounds:
        raise Refusal(f"Nothing can be measured yet: no round is closed or has {FEWEST_COMPLETE} complete items.")
    return selection


def rounds_of(project: Project) -> QuerySet[Round]:
    """With their raters; those that are only being planned have no votes."""
    raters = Rater.objects.only("round_id", "tally", "completions", "recent")
    planned = project.rounds.exclude(state=RoundState.PLANNING).select_related("protocol__protocol")
    return planned.defer("selection", "protocol__content").prefetch_related(Prefetch("raters", raters))


def rounds_that_count(rounds: list[Round]) -> tuple[list[Round], list[Withheld]]:
    """Closed rounds, and open ones from so many complete items on that a figure says little about any of them."""
    counted, withheld = [], []
    for round in rounds:
        if round.is_open and complete_items(round) < FEWEST_COMPLETE:
            withheld.append(Withheld(round, complete_items(round)))
        else:
            counted.append(round)
    return counted, withheld


def find(rounds: list[Round], wanted: str) -> Round:
    """By its number, as pages and jobs ask for it, else by its name, which may be the number of another."""
    found = [round for round in rounds if str(round.pk) == wanted] or [one for one in rounds if one.name == wanted]
    if found:
        return found[0]
    names = ", ".join(f"{round.name} ({round.pk})" for round in rounds[:20])
    raise Invalid(f"round: there is no round “{wanted[:120]}” with votes in this project. Rounds: {names}.")


def find_protocol(rounds: list[Round], wanted: str, round: Round | None) -> Protocol:
    """That of the round, else the one that is named, else that of the newest round."""
    known = {one.protocol.protocol_id: one.protocol.protocol for one in rounds}
    if not wanted:
        return (round or rounds[0]).protocol.protocol
    by_name = {protocol.name: protocol for protocol in known.values()}
    found = {str(pk): protocol for pk, protocol in known.items()}.get(wanted) or by_name.get(wanted)
    if found is None:
        names = ", ".join(f"{protocol.name} ({protocol.pk})" for protocol in known.values())
        raise Invalid(f"protocol: no round of this project goes by “{wanted[:120]}”. Protocols: {names}.")
    if round and round.protocol.protocol_id != found.pk:
        raise Invalid(f"round: {round} does not go by the protocol {found}.")
    return found


Version = tuple[int, int, Any, bool]


def versions_of(protocol: Protocol) -> list[Version]:
    """(its id, its number, what it asks, whether somebody is asked by it or has answered to it), the latest first."""
    asked = Round.objects.filter(protocol=OuterRef("pk"))
    answered = Vote.objects.filter(protocol=OuterRef("pk"))
    versions = protocol.versions.annotate(in_use=Exists(asked) | Exists(answered)).order_by("-number")
    return list(versions.values_list("pk", "number", "content__questions", "in_use"))


def find_version(protocol: Protocol, versions: list[Version], wanted: str) -> ProtocolVersion | None:
    if not wanted:
        return None
    for pk, number, *_ in versions:
        if wanted == str(number):
            return ProtocolVersion(pk=pk, number=number, protocol=protocol)
    raise Invalid(f"version: {protocol} has no version “{wanted[:20]}”; its latest is {versions[0][1]}.")


def questions_of(versions: list[Version], version: ProtocolVersion | None) -> list[Question]:
    """Those of the version, or of all that are in use: as the latest asks them, with the options that earlier ones had
    too. What is only being written changes no figure."""
    found: dict[str, Question] = {}
    for pk, _, content, in_use in versions:
        if pk != version.pk if version else not in_use:
            continue
        for question in Codebook.read({"title": "-", "questions": content}).questions:
            if question.measured == "none":
                continue
            later = found.get(question.key)
            found[question.key] = joined(later, question) if later else question
    return list(found.values())


def joined(later: Question, earlier: Question) -> Question:
    if later.form != earlier.form or not later.has_options:
        return later
    gone = [Option(option.key, option.label) for option in earlier.options if option.key not in later.option_keys]
    return replace(later, options=[*later.options, *gone]) if gone else later


def find_question(questions: list[Question], wanted: str) -> Question:
    if not wanted:
        return questions[0]
    found = next((question for question in questions if question.key == wanted), None)
    if found is None:
        keys = ", ".join(question.key for question in questions)
        raise Invalid(f"question: there is no question “{wanted[:40]}” to measure. Questions: {keys}.")
    return found


def period(given: Mapping[str, str]) -> dict[str, date | None]:
    found: dict[str, date | None] = {}
    for name in ("since", "until"):
        try:
            found[name] = date.fromisoformat(given[name]) if given[name] else None
        except ValueError as error:
            raise Invalid(f"{name}: “{given[name][:20]}” is no date; write it as 2026-03-31.") from error
    if found["since"] and found["until"] and found["since"] > found["until"]:
        raise Invalid("since: lies after until.")
    return found


def one_of(given: Mapping[str, str], name: str, known: tuple[str, ...]) -> str:
    if given[name] and given[name] not in known:
        raise Invalid(f"{name}: must be one of {', '.join(known)}, not “{given[name][:40]}”.")
    return given[name] or known[0]
