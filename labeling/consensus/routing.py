"""Routing: items whose votes settle nothing become cases. It is derived from the votes, and may be derived again at
any time: after an import, a late vote, another rule or a crash it finds what has no outcome yet."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from labeling.annotation.models import Assignment, Rater, Round, RoundItem, RoundState, Vote
from labeling.consensus.dealing import Deal
from labeling.consensus.models import Case, CaseState, Confirmation, Event, Rule, Why
from labeling.consensus.rules import Outcome, Way, derive
from labeling.corpus.models import Project
from labeling.jobs.models import Job
from labeling.jobs.queue import enqueue
from labeling.jobs.running import Run
from labeling.people.activity import record
from labeling.people.models import User

KIND = "route_votes"
BATCH = 500
DERIVED = ["way", "why", "questions", "pattern", "state", "adjudicator", "decision", "voted", "raters", "opened_at",
           "version"]  # fmt: skip
HANDED_OVER, HANDED_BACK = "handed it to an adjudicator", "gave it back to the voters"  # by hand: no rule undoes it
ALPHABET = 26


def rule_of(round: Round) -> Rule:
    """The round's rule; until somebody sets one, everything that differs is discussed."""
    return Rule.objects.get_or_create(round=round)[0]


@transaction.atomic
def set_rule(round: Round, *, way: str, others: str, names_shown: bool, by: User | None) -> Rule:
    """Changes how disagreements end, and derives all outcomes again. What people decided stays."""
    rule_of(round)
    rule = Rule.objects.select_for_update().get(round=round)
    changed = (rule.way, rule.others) != (way, others)
    rule.way, rule.others, rule.names_shown = way, others, names_shown
    rule.save()
    if changed:
        round.items.exclude(routed_at=None).update(routed_at=None)
    record(round.project, by=by, verb="set how disagreements end in", subject=round.name, way=way, others=others)
    return rule


def route_project(project: Project, *, by: User | None) -> bool:
    """Brings the cases up to date where that is quick; where it is not, a job does, and True says that it runs."""
    for round in behind(project):
        if is_being_routed(round):
            return True
        if route_batch(round) == BATCH and not project.archived_at:
            enqueue(KIND, project=project, by=by, title=f"Outcomes of {round.name}", round=round.pk)
            return True
        share_out(round)
    return False


def is_being_routed(round: Round) -> bool:
    """A job is at it, or will be: whoever opens a page need not do its work."""
    return Job.objects.active().filter(project=round.project_id, kind=KIND, arguments__round=round.pk).exists()


def behind(project: Project) -> QuerySet[Round]:
    """Rounds with items that have no outcome yet, or with cases that wait for an adjudicator."""
    items = RoundItem.objects.filter(round=OuterRef("pk"), votes__gt=0, routed_at=None)
    # Said apart, so that each has an index of its own: an open round can have very many items that wait for votes.
    unsettled = Exists(items.filter(votes__gte=F("wanted"))) | Q(Exists(items), state=RoundState.CLOSED)
    cases = Case.objects.open().filter(round=OuterRef("pk"), way="adjudicator", adjudicator=None)
    return project.rounds.exclude(state="planning").filter(unsettled | Exists(cases))


def route_votes(run: Run) -> dict[str, Any]:
    """The job."""
    round = Round.objects.get(pk=run.arguments["round"])
    waiting = unrouted(round).count()
    run.expect(run.done + waiting, done=run.done)
    while True:
        with run.step(min(BATCH, waiting), message=f"{waiting:,} items left"):
            routed = route_batch(round)
        waiting = max(waiting - routed, 0)
        if routed < BATCH:
            share_out(round)
            return {"cases": round.cases.open().count()}


def unrouted(round: Round) -> Any:
    items = round.items.filter(votes__gt=0, routed_at=None)
    return items.filter(votes__gte=F("wanted")) if round.is_open else items


@transaction.atomic
def route_batch(round: Round, *, only: int | None = None) -> int:
    """Derives the outcomes of some items that have none, or of one of them, and says of how many."""
    round = Round.objects.select_related("protocol").get(pk=round.pk)  # it may have been closed since
    # What another has locked is being voted on or routed at this moment: it is for the next time.
    waiting = unrouted(round).select_related("item").order_by("pk")
    waiting = waiting if only is None else waiting.filter(pk=only)
    items = list(waiting.select_for_update(of=("self",), skip_locked=True)[:BATCH])
    if not items:
        return 0
    rule, votes = rule_of(round), votes_on(items)
    cases = {case.round_item_id: case for case in Case.objects.filter(round_item__in=items).select_for_update()}
    raters = {rater.pk: rater for rater in Rater.objects.filter(round=round)}
    handed = by_hand(cases.values())
    now = timezone.now()
    opened = []
    for item in items:
        outcome = outcome_of(round, rule, item, votes[item.pk])
        found = Found(item, outcome, votes[item.pk], rule, raters, is_handed=item.pk in handed)
        if change := settle_case(found, cases.get(item.pk)):
            opened.append(change)
    store(opened)
    RoundItem.objects.filter(pk__in=[item.pk for item in items]).update(routed_at=now)
    hidden = [case.round_item_id for case, _ in opened if case.state == CaseState.OPEN]
    RoundItem.objects.filter(pk__in=hidden, revealed_at=None).update(revealed_at=now)
    return len(items)


def by_hand(cases: Collection[Case]) -> set[int]:
    """Items of those whose way a coordinator chose."""
    if not cases:
        return set()
    chosen = Event.objects.filter(case__in=cases, verb__in=[HANDED_OVER, HANDED_BACK])
    return set(chosen.values_list("case__round_item", flat=True))


def votes_on(items: Iterable[RoundItem]) -> dict[int, list[Vote]]:
    """The votes in force, in the order in which they came. Hidden repeats are no votes on the item."""
    items = list(items)
    found: dict[int, list[Vote]] = {item.pk: [] for item in items}
    slots = Assignment.objects.filter(round_item__in=items, repeat=0, vote__isnull=False)
    for slot in slots.select_related("vote").order_by("voted_at", "pk"):
        assert slot.vote is not None  # noqa: S101 (the filter says so)
        found[slot.round_item_id].append(slot.vote)
    return found


def outcome_of(round: Round, rule: Rule, item: RoundItem, votes: Sequence[Vote]) -> Outcome:
    answers = [vote.answers for vote in votes]
    return derive(round.protocol.codebook, answers, wanted=item.wanted, way=rule.way, others=rule.others)


@dataclass(frozen=True)
class Found:
    item: RoundItem
    outcome: Outcome
    votes: Sequence[Vote]
    rule: Rule
    raters: Mapping[int, Rater]
    is_handed: bool = False  # a coordinator chose its way

    @property
    def way(self) -> str:
        return "adjudicator" if self.rule.way == Way.ADJUDICATOR else "discussion"

    @property
    def voters(self) -> set[int]:
        return {self.raters[vote.rater_id].user_id for vote in self.votes}

    @property
    def why(self) -> str:
        return why_case(self.votes, self.outcome)

    @property
    def voted(self) -> list[int]:
        return sorted(vote.pk for vote in self.votes)


def why_case(votes: Sequence[Vote], outcome: Outcome) -> str:
    """What makes it a case; nothing when the votes settle it."""
    if any(vote.flag for vote in votes):
        return Why.FLAG
    if outcome.is_settled:
        return ""
    return Why.TOO_FEW if outcome.too_few else Why.DISAGREEMENT


def settle_case(found: Found, case: Case | None) -> tuple[Case, str] | None:
    """The case as the votes now make it, and what happened to it; None when nothing did."""
    if case is None:
        return (new_case(found), "opened") if found.why else None
    same_votes = case.voted == found.voted
    if same_votes and case.state == CaseState.DECIDED:
        return None  # what people decided on these votes stands, whatever the rule says now
    if same_votes and bool(found.why) == (case.state == CaseState.OPEN):
        return sent_another_way(case, found)
    verb = "votes changed" if case.state == CaseState.OPEN else "opened again"
    if not found.why:
        verb = "settled by the votes"
    elif case.state != CaseState.OPEN:
        case.opened_at = timezone.now()
    case.state, case.decision = CaseState.OPEN if found.why else CaseState.MOOT, None
    case.version += 1
    return described(case, found), verb


def sent_another_way(case: Case, found: Found) -> tuple[Case, str] | None:
    """An open case that nobody handed on goes the way of the rule that holds now."""
    if case.state != CaseState.OPEN or found.is_handed or case.way == found.way:
        return None
    case.version += 1
    return described(case, found), "way changed"


def new_case(found: Found) -> Case:
    opened_at = max(vote.cast_at for vote in found.votes)
    place = {"round_item": found.item, "round_id": found.item.round_id, "project_id": found.item.item.project_id}
    return described(Case(**place, opened_at=opened_at), found)


def described(case: Case, found: Found) -> Case:
    case.why = found.why or case.why
    case.way = case.way if found.is_handed else found.way
    if case.way == "discussion" or case.adjudicator_id in found.voters:
        case.adjudicator = None  # who votes on an item does not decide it
    case.questions, case.pattern = list(found.outcome.differing), found.outcome.pattern
    case.voted = found.voted
    case.raters = [*case.raters, *newcomers(case, found)]
    return case


def newcomers(case: Case, found: Found) -> list[int]:
    """Raters who have no letter yet, in the order of theirs."""
    new = sorted({vote.rater_id for vote in found.votes} - set(case.raters), key=lambda pk: found.raters[pk].number)
    return in_drawn_order(new, rule=found.rule, key=found.item.item.key, after=len(case.raters))


def in_drawn_order(raters: list[int], *, rule: Rule, key: str, after: int = 0) -> list[int]:
    """By chance, seeded, and for each item anew: nobody is known by their letter elsewhere."""
    return Random(f"{rule.seed}/{key}/{after}").sample(raters, len(raters))  # noqa: S311 (not a secret)


def store(changes: Sequence[tuple[Case, str]]) -> None:
    """Who stood by a proposal did so on other votes or under another rule, and has to say so again."""
    Case.objects.bulk_create(case for case, verb in changes if verb == "opened")
    changed = [case for case, verb in changes if verb != "opened"]
    Case.objects.bulk_update(changed, DERIVED)
    Confirmation.objects.filter(case__in=changed).delete()
    Event.objects.bulk_create(
        Event(case=case, version=case.version, verb=verb, details={"pattern": case.pattern}) for case, verb in changes
    )


@transaction.atomic
def share_out(round: Round) -> None:
    """Gives cases that wait for an adjudicator to those with the fewest; chance, seeded, breaks ties."""
    waiting = round.cases.open().filter(way="adjudicator", adjudicator=None)
    if not waiting.exists():
        return
    chosen = Deal(rule_of(round), list(waiting.select_for_update(of=("self",), skip_locked=True)))
    for case in chosen.cases:
        if user := chosen.pick(case):  # else a coordinator has to find somebody; the queue says so
            case.adjudicator_id, case.version = user, case.version + 1
            case.save(update_fields=["adjudicator", "version"])
            Event.objects.create(case=case, version=case.version, verb="given to an adjudicator")


def letters(case: Case) -> dict[int, str]:
    """By rater: A, B, C as they were drawn for this case alone. They stay when others vote later."""
    return {rater: letter(place) for place, rater in enumerate(case.raters)}


def letter(place: int) -> str:
    """A to Z, then AA to AZ, BA …"""
    rest, last = divmod(place, ALPHABET)
    return (letter(rest - 1) if rest else "") + chr(ord("A") + last)
