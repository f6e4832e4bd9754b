"""What a release is made of: some rounds, and which final answers an item must have to be in the benchmark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import Exists, OuterRef, Q

from labeling.agreement.choosing import digest_of, joined
from labeling.annotation.models import ProtocolVersion, Round, RoundState, Vote
from labeling.annotation.protocols.codebook import Question
from labeling.annotation.visibility import settled_votes
from labeling.corpus.models import Project
from labeling.refusals import Invalid, Refusal

Filters = dict[str, list[str]]


@dataclass(frozen=True)
class Choice:
    """Rounds, oldest first, and filters on the final answers: every question must have one of its options."""

    project: Project
    rounds: tuple[Round, ...]
    filters: Filters

    @property
    def digest(self) -> str:
        return digest_of([[round.pk for round in self.rounds], self.filters])

    @property
    def in_words(self) -> str:
        return filters_in_words(self.filters)

    def takes(self, answers: Mapping[str, Any]) -> bool:
        return all(has_one(answers.get(key), options) for key, options in self.filters.items())

    @cached_property
    def versions(self) -> dict[int, list[ProtocolVersion]]:
        """By round: the version it goes by and those of the votes that leave, the latest first."""
        found = {}
        for round in self.rounds:  # asked for each version: to list those of all votes would read all votes
            leaving = settled_votes(Vote.objects.filter(assignment__round=round, protocol=OuterRef("pk")))
            versions = ProtocolVersion.objects.filter(protocol__project=self.project).select_related("protocol")
            known = versions.filter(Q(pk=round.protocol_id) | Exists(leaving))
            found[round.pk] = sorted(known, key=lambda version: -version.number)
        return found

    def questions(self, round: Round) -> list[Question]:
        """As the latest version asks them, with the options that earlier ones had too."""
        return joined_questions(self.versions[round.pk])

    @cached_property
    def columns(self) -> dict[str, Question]:
        """Every question of any of the rounds, by key, as the newest round asks it."""
        found: dict[str, Question] = {}
        for round in reversed(self.rounds):
            for question in self.questions(round):
                found.setdefault(question.key, question)
        return found


def filters_in_words(filters: Mapping[str, Sequence[str]]) -> str:
    wanted = [f"{key} is {' or '.join(options)}" for key, options in sorted(filters.items())]
    return " and ".join(wanted) if wanted else "every item with a final answer"


def has_one(answer: Any, options: Sequence[str]) -> bool:
    return any(option in options for option in (answer if isinstance(answer, list) else [answer]))


def joined_questions(versions: Iterable[ProtocolVersion]) -> list[Question]:
    found: dict[str, Question] = {}
    for version in versions:
        for question in version.codebook.questions:
            later = found.get(question.key)
            found[question.key] = joined(later, question) if later else question
    return list(found.values())


def choose(project: Project, *, rounds: Sequence[str] = (), filters: Sequence[str] = ()) -> Choice:
    """Reads what was asked for: rounds by name or number, filters as question=option. Raises Invalid, naming it."""
    known = list(project.rounds.exclude(state=RoundState.PLANNING).select_related("protocol").order_by("pk"))
    if not known:
        raise Refusal("There is nothing to release yet: no round has votes.")
    chosen = [find(known, wanted) for wanted in rounds] if rounds else known
    choice = Choice(project, tuple(sorted(set(chosen), key=lambda round: round.pk)), {})
    return Choice(project, choice.rounds, read_filters(choice, filters))


def find(rounds: Sequence[Round], wanted: str) -> Round:
    for round in rounds:
        if wanted in {str(round.pk), round.name}:
            return round
    names = ", ".join(f"{round.name} ({round.pk})" for round in rounds[:20])
    raise Invalid(f"rounds: there is no round “{wanted[:120]}” with votes in this project. Rounds: {names}.")


def read_filters(choice: Choice, filters: Sequence[str]) -> Filters:
    found: dict[str, set[str]] = {}
    for wanted in filters:
        key, _, option = wanted.partition("=")
        question = choice.columns.get(key.strip())
        if question is None or not question.has_options:
            keys = ", ".join(key for key, question in choice.columns.items() if question.has_options)
            raise Invalid(f"filter: “{wanted[:80]}” names no question with options. Questions: {keys}.")
        if option.strip() not in question.option_keys:
            raise Invalid(
                f"filter: {question.key} has no option “{option[:40]}”, only {', '.join(question.option_keys)}."
            )
        found.setdefault(question.key, set()).add(option.strip())
    return {key: sorted(options) for key, options in sorted(found.items())}


def choice_of(project: Project, rounds: Sequence[int], filters: Mapping[str, Sequence[str]]) -> Choice:
    """The same from what a release keeps."""
    wanted = [f"{key}={option}" for key, options in filters.items() for option in options]
    return choose(project, rounds=[str(pk) for pk in rounds], filters=wanted)
