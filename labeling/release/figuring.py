"""The numbers of a release, counted while its items go by."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from labeling.agreement.answers import MISFIT, scale_of
from labeling.annotation.models import Round
from labeling.annotation.protocols.codebook import Question
from labeling.corpus.kinds.review_rename import ReviewRename
from labeling.corpus.names import subtokens
from labeling.release.cells import canonical, rounded
from labeling.release.choosing import Choice
from labeling.release.gathering import REJECTED, Cast, Gathered, Judged
from labeling.release.showing import masked_body

if TYPE_CHECKING:
    from labeling.agreement.statistics.results import Agreement, Coefficient, PairAgreement

SEED = 7
RESAMPLES = 1000
CONFIDENCE = 0.95
COEFFICIENTS = ("unanimous", "pairwise_agreement", "krippendorff_alpha", "fleiss_kappa", "conger_kappa", "gwet_ac1",
                "brennan_prediger")  # fmt: skip
IN_PAIRS = ("agreement", "cohen_kappa")
FATES = ("released", "left_out", "not_taken", "rejected", "open")


class Tally:
    """What is counted: items, votes, cases, answers, names and groups; and ratings, for agreement."""

    def __init__(self, choice: Choice, raters: dict[int, list[int]]) -> None:
        self.choice = choice
        self.fates, self.settled, self.votes = Counter[str](), Counter[str](), Counter[str]()
        self.why, self.state, self.groups = Counter[str](), Counter[str](), Counter[str]()
        self.options, self.asked = Counter[tuple[str, str]](), Counter[str]()
        self.names = {"buggy": Counter[str](), "fixed": Counter[str]()}
        self.voters = set[int]()
        self.body_lines = self.renames = 0
        self.by_round = [Counter[str]() for _ in choice.rounds]
        self.raters = [sorted(raters[round.pk]) for round in choice.rounds]
        self.rated = [
            {question.key: Rated(question, self.raters[place]) for question in choice.questions(round)
             if question.measured != "none"}
            for place, round in enumerate(choice.rounds)
        ]  # fmt: skip

    def take(self, gathered: Gathered, fate: str) -> None:
        self.fates[fate] += 1
        if gathered.newest:
            self.settled[gathered.newest.final.how] += 1
        for judged in gathered.judged:
            self.take_judged(judged)
        if fate == "released" and gathered.newest:
            self.groups[gathered.item.group] += 1
            self.take_answers(gathered.newest.final.answers)
            self.take_names(gathered.item.content)

    def take_judged(self, judged: Judged) -> None:
        counts = self.by_round[judged.place]
        place = counts["items"]
        counts["items"] += 1
        if judged.why:
            self.why[judged.why] += 1
            self.state[judged.state] += 1
        for cast in judged.cast:
            self.votes[kind_of(cast)] += 1
            self.votes["flagged"] += cast.flagged
            self.votes["picked"] += cast.picked is not None
            if kind_of(cast) == "in_force":
                counts["votes"] += 1
                self.voters.add(cast.rater)
                for rated in self.rated[judged.place].values():
                    rated.take(place, cast)

    def take_answers(self, answers: dict[str, Any]) -> None:
        for key, question in self.choice.columns.items():
            if question.has_options and key in answers:
                self.asked[key] += 1
                given = answers[key]
                self.options.update((key, option) for option in (given if isinstance(given, list) else [given]))

    def take_names(self, content: object) -> None:
        if not isinstance(content, ReviewRename):
            return
        self.renames += 1
        self.body_lines += masked_body(content).count("\n") + 1
        for which, name in (("buggy", content.buggy_name), ("fixed", content.fixed_name)):
            self.names[which]["characters"] += len(name)
            self.names[which]["subtokens"] += len(subtokens(name))

    def statistics(self) -> dict[str, Any]:
        return {
            "items": {"judged": self.fates.total(), **{fate: self.fates[fate] for fate in FATES}},
            "settled": dict(sorted(self.settled.items())),
            "raters": len(self.voters),
            "votes": {kind: self.votes[kind] for kind in ("in_force", "revised", "repeats", "flagged", "picked")},
            "cases": {"opened": self.why.total(), "why": dict(sorted(self.why.items())),
                      "state": dict(sorted(self.state.items()))},
            "rounds": [{"round": round.name, **{name: counts[name] for name in ("items", "votes")}}
                       for round, counts in zip(self.choice.rounds, self.by_round, strict=True)],
            "answers": [row for question in self.choice.columns.values() for row in self.answer_rows(question)],
            "names": {which: self.mean_names(which) for which in ("buggy", "fixed")} if self.renames else None,
            "mean_body_lines": mean(self.body_lines, self.renames),
            "groups": [{"group": group, "items": count}
                       for group, count in sorted(self.groups.items(), key=lambda pair: (-pair[1], pair[0]))],
        }  # fmt: skip

    def mean_names(self, which: str) -> dict[str, Any]:
        counts = self.names[which]
        return {f"mean_{unit}": mean(counts[unit], self.renames) for unit in ("characters", "subtokens")}

    def answer_rows(self, question: Question) -> list[dict[str, Any]]:
        asked = self.asked[question.key]
        return [
            {"question": question.key, "option": option, "items": self.options[question.key, option], "of": asked,
             **share_of(self.options[question.key, option], asked)}
            for option in (question.option_keys if asked else [])
        ]  # fmt: skip

    def agreement(self) -> list[dict[str, Any]]:
        return [
            figures_of(round, question, measured(rated, self.by_round[place]["items"]))
            for place, round in enumerate(self.choice.rounds)
            for question, rated in self.rated[place].items()
            if rated.item
        ]


def kind_of(cast: Cast) -> str:
    if cast.repeat:
        return "repeats"
    return "in_force" if cast.in_force else "revised"


def mean(total: int, count: int) -> float | None:
    return rounded(total / count) if count else None


def share_of(count: int, total: int) -> dict[str, float | None]:
    from labeling.agreement.statistics.intervals import wilson_interval

    interval = wilson_interval(count, total, CONFIDENCE)
    return {"share": rounded(count / total), "low": rounded(interval.low), "high": rounded(interval.high)}


class Rated:
    """The answers to one question in one round: arrays, since there may be a million."""

    def __init__(self, question: Question, raters: Sequence[int]) -> None:
        self.question = question
        self.raters = raters
        self.places = {number: place for place, number in enumerate(raters)}
        self.item, self.rater, self.text = array("q"), array("q"), array("q")
        self.codes: dict[str, int] = {}
        self.means_none = question.form == "multiple" and question.when is None and not question.required

    def take(self, item: int, cast: Cast) -> None:
        answer = cast.answers.get(self.question.key, [] if self.means_none else None)
        if answer is None:
            return
        single = self.question.has_options and self.question.form != "multiple"
        text = answer if single else canonical(answer)
        self.item.append(item)
        self.rater.append(self.places[cast.rater])
        self.text.append(self.codes.setdefault(text, len(self.codes)))


def measured(rated: Rated, items: int) -> Agreement:
    scale, places = scale_of(rated.question, rated.codes)
    import numpy as np

    from labeling.agreement.statistics.measuring import measure
    from labeling.agreement.statistics.ratings import Ratings
    from labeling.agreement.statistics.resampling import Resampling

    value = np.array([places[text] for text in rated.codes], dtype=np.int64)[np.array(rated.text)]
    fits = value != MISFIT
    ratings = Ratings(
        item=np.array(rated.item)[fits],
        rater=np.array(rated.rater)[fits],
        value=value[fits],
        scale=scale,
        raters=tuple(f"R{number}" for number in rated.raters),
        items=items,
    )
    how = Resampling(resamples=RESAMPLES, seed=SEED, confidence=CONFIDENCE)
    return measure(ratings, question=rated.question.key, how=how)


def figures_of(round: Round, question: str, found: Agreement) -> dict[str, Any]:
    named = {**found.coefficients}
    named.setdefault("gwet_ac1", found.coefficients["gwet_ac"])
    return {
        "round": round.name,
        "question": question,
        "level": str(found.level),
        "items": found.items,
        "items_used": found.items_used,
        "raters": found.raters,
        "ratings": found.ratings,
        "coefficients": {name: coefficient(named[name]) for name in COEFFICIENTS},
        "pairs": [pair_of(pair) for pair in found.pairs if pair.items],
    }


def coefficient(found: Coefficient) -> dict[str, Any]:
    numbers = {"value": found.value, "low": found.low, "high": found.high}
    return {**{name: rounded(number) for name, number in numbers.items()}, "reason": found.reason or ""}


def pair_of(pair: PairAgreement) -> dict[str, Any]:
    return {"a": pair.a, "b": pair.b, "items": pair.items,
            **{name: coefficient(pair.coefficients[name]) for name in IN_PAIRS}}  # fmt: skip


def fate_of(gathered: Gathered, choice: Choice, left_out: set[str]) -> str:
    """What became of an item on its way into the benchmark."""
    if gathered.newest is None:
        return "open"
    if gathered.newest.final.how == REJECTED:
        return "rejected"
    if not gathered.is_in(choice):
        return "not_taken"
    return "left_out" if gathered.item.key in left_out else "released"
