"""How disagreements ended: how many, in what way, in how much time, who moved towards whom, and what about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from django.db.models import Avg, Count, F, Q, Sum

from labeling.annotation.models import Round, Vote
from labeling.consensus.models import Case, CaseState, Decision, Rule, Sitting
from labeling.consensus.routing import votes_on
from labeling.consensus.rules import value_of

LATEST = 5_000  # decided cases that are looked through for who moved
BATCH = 500
MOST_THEMES = 15


@dataclass(frozen=True)
class Standing:
    """The cases of a round in figures."""

    open: int
    discussion: int
    adjudication: int
    rejected: int
    moot: int
    seconds: float
    seconds_in_meetings: float
    seconds_a_case: float | None


def standing_of(round: Round) -> Standing:
    states = dict(round.cases.order_by().values_list("state").annotate(Count("pk")))
    decided = round.cases.filter(state=CaseState.DECIDED)
    rejected = decided.filter(decision__rejected=True).count()
    agreed = decided.filter(decision__proposal__isnull=False).count()
    spent = Sitting.objects.filter(case__round=round).order_by()
    by_place = dict(spent.values_list("in_meeting").annotate(Sum("seconds")))
    a_case = spent.filter(case__state=CaseState.DECIDED).values("case").annotate(total=Sum("seconds"))
    return Standing(
        open=states.get(CaseState.OPEN, 0),
        discussion=agreed,
        adjudication=states.get(CaseState.DECIDED, 0) - agreed - rejected,
        rejected=rejected,
        moot=states.get(CaseState.MOOT, 0),
        seconds=by_place.get(False, 0.0),
        seconds_in_meetings=by_place.get(True, 0.0),
        seconds_a_case=a_case.aggregate(mean=Avg("total"))["mean"],
    )


def names_of_raters(round: Round, rule: Rule) -> dict[int, str]:
    """By rater, for figures over many cases: a number drawn for the purpose, or the name where names are shown."""
    raters = list(round.raters.select_related("user").order_by("number"))
    if rule.names_shown:
        return {rater.pk: str(rater.user) for rater in raters}
    shuffled = list(raters)
    Random(f"{rule.seed}/raters").shuffle(shuffled)  # noqa: S311 (not a secret)
    return {rater.pk: f"Voter {place}" for place, rater in enumerate(shuffled, 1)}


@dataclass(frozen=True)
class Moved:
    """One voter: how often the decision was theirs, how often they moved or were overruled, towards whose answer."""

    name: str
    kept: int
    moved: int
    overruled: int
    towards: list[int]


def movement(round: Round, rule: Rule) -> list[Moved]:
    """On the deciding question. Towards somebody: the decision is what that voter had said and this one had not."""
    names = names_of_raters(round, rule)
    kept: Counter[int] = Counter()
    moved: Counter[tuple[int, bool]] = Counter()
    towards: Counter[tuple[int, int]] = Counter()
    for case, votes in decided_votes(round):
        decision = case.decision
        assert decision is not None  # noqa: S101 (they are decided)
        deciding = round.protocol.codebook.questions[0]
        final = value_of(deciding, decision.answers)
        right = [vote.rater_id for vote in votes if value_of(deciding, vote.answers) == final]
        for vote in votes:
            if vote.rater_id in right:
                kept[vote.rater_id] += 1
                continue
            moved[vote.rater_id, decision.proposal_id is not None] += 1
            towards.update((vote.rater_id, other) for other in right)
    order = sorted(names, key=lambda pk: (len(names[pk]), names[pk]))
    return [
        Moved(names[pk], kept[pk], moved[pk, True], moved[pk, False], [towards[pk, other] for other in order])
        for pk in order
    ]


def decided_votes(round: Round) -> Iterator[tuple[Case, list[Vote]]]:
    """The latest decided cases with their votes, a batch at a time; none of an item that is being judged again."""
    decided = Case.objects.shown().filter(round=round, state=CaseState.DECIDED).select_related("decision", "round_item")
    latest = list(decided.order_by("-decision__made_at", "-pk")[:LATEST])
    for start in range(0, len(latest), BATCH):
        some = latest[start : start + BATCH]
        votes = votes_on([case.round_item for case in some])
        yield from ((case, votes[case.round_item_id]) for case in some)


def themes(round: Round) -> dict[str, Any]:
    """What disagreements are about: how votes differ, on which questions, in which repositories."""
    cases = round.cases.order_by()
    patterns = cases.exclude(pattern="").values("pattern").annotate(
        count=Count("pk"), open=Count("pk", filter=Q(state=CaseState.OPEN))
    )  # fmt: skip
    groups = cases.exclude(round_item__item__group="").values(group=F("round_item__item__group"))
    asked: Counter[str] = Counter()
    for questions, count in cases.values_list("questions").annotate(Count("pk")):
        asked.update(dict.fromkeys(questions, count))
    texts = {question.key: question.text for question in round.protocol.codebook.questions}
    return {
        "patterns": list(patterns.order_by("-count", "pattern")[:MOST_THEMES]),
        "questions": [(texts.get(key, key), count) for key, count in asked.most_common()],
        "groups": list(groups.annotate(count=Count("pk")).order_by("-count", "group")[:MOST_THEMES]),
    }


def unclear_notes(round: Round) -> list[Decision]:
    """What adjudicators found the guideline to leave open, for its next version."""
    notes = Decision.objects.filter(case__round=round, in_force_for__isnull=False).exclude(unclear="")
    return list(notes.select_related("case__round_item__item").order_by("-made_at")[:100])
