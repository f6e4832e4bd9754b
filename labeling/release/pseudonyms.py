"""Who is who: numbers that are drawn once for a project, and texts without the names and addresses of its people."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import count
from secrets import SystemRandom

from django.db import transaction

from labeling.annotation.models import Rater
from labeling.consensus.models import Decision
from labeling.corpus.models import Project
from labeling.corpus.projects import lock
from labeling.people.models import User
from labeling.release.choosing import Choice
from labeling.release.models import Pseudonym

# Begun only where a word begins, and nothing taken back: a long word is looked through once.
ADDRESS = re.compile(r"(?<![\w.+%-])[\w.+%-]++@[\w-]++(?:\.[\w-]++)+")
SHORTEST_NAME = 3  # a shorter one would be found inside ordinary text


@transaction.atomic
def draw_pseudonyms(project: Project) -> None:
    """Gives a number to whoever voted or decided and has none. No seed is kept: it would tell who they are."""
    lock(project)
    known = set(project.pseudonyms.values_list("user", flat=True))
    raters = Rater.objects.filter(round__project=project).values_list("user", flat=True)
    deciders = Decision.objects.filter(case__project=project).values_list("made_by", flat=True)
    new = sorted({*raters, *deciders} - known)
    SystemRandom().shuffle(new)
    first = max(project.pseudonyms.values_list("number", flat=True), default=0) + 1
    rows = (Pseudonym(project=project, user_id=user, number=number) for number, user in enumerate(new, start=first))
    Pseudonym.objects.bulk_create(rows)


class Veil:
    """What stands in a release for each person of a project."""

    def __init__(self, project: Project) -> None:
        self.numbers = dict(project.pseudonyms.values_list("user", "number"))
        people = User.objects.filter(memberships__project=project) | User.objects.filter(pk__in=self.numbers)
        self.people = list(people.distinct().values_list("pk", "name", "email"))
        names = {name.strip(): self.of(pk) for pk, name, _ in self.people if len(name.strip()) >= SHORTEST_NAME}
        self.pattern = whole_words(names, re.IGNORECASE)
        self.folded = {name.casefold(): pseudonym for name, pseudonym in names.items()}
        self.known_addresses = whole_words(self.addresses, re.IGNORECASE, end=r"(?![\w-]|\.\w)")
        self.parts = self.parts_of_names()
        self.part_pattern = whole_words(self.parts, re.NOFLAG)

    def parts_of_names(self) -> dict[str, str]:
        """First and last names, with a capital, of those who voted or decided; one of several people names nobody."""
        found: dict[str, str] = {}
        for pk, name, _ in self.people:
            if pk in self.numbers:
                parts = {part for part in (*name.split(), *re.split(r"[\s-]+", name)) if is_name(part)}
                found |= {part: "[name]" if part in found else self.of(pk) for part in parts}
        return found

    def of(self, user: int | None) -> str:
        return f"R{self.numbers[user]}" if user in self.numbers else "[name]"

    @property
    def addresses(self) -> list[str]:
        return sorted(email for _, _, email in self.people)

    def cover(self, text: str) -> str:
        """The text with addresses and people's names replaced."""
        text = ADDRESS.sub("[e-mail]", self.known_addresses.sub("[e-mail]", text))
        return self.pattern.sub(lambda found: self.folded.get(found[0].casefold(), "[name]"), text)

    def cover_said(self, text: str) -> str:
        """The same for what people say about each other's votes, where a first or last name alone is a name too."""
        return self.part_pattern.sub(lambda found: self.parts[found[0]], self.cover(text))


def whole_words(words: Iterable[str], flags: re.RegexFlag, *, end: str = r"(?!\w)") -> re.Pattern[str]:
    """Finds any of them, the longest first, and not inside of a word; nothing where there are none."""
    longest_first = sorted(map(re.escape, words), key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(longest_first)}){end}" if longest_first else r"(?!)", flags)


def is_name(part: str) -> bool:
    return len(part) >= SHORTEST_NAME and part[0].isalpha() and not part[0].islower()


def cover_names(choice: Choice, veil: Veil) -> None:
    """Calls rounds and protocols as they leave. Only in memory: nothing of a choice is ever saved."""
    rounds = unlike([veil.cover(round.name) for round in choice.rounds])
    for round, name in zip(choice.rounds, rounds, strict=True):
        round.name = name
    protocols = [version.protocol for known in choice.versions.values() for version in known]
    known = {protocol.pk: protocol.name for protocol in protocols}
    covered = dict(zip(known, unlike([veil.cover(name) for name in known.values()]), strict=True))
    for protocol in protocols:
        protocol.name = covered[protocol.pk]


def unlike(names: Sequence[str]) -> list[str]:
    """The same, with a number behind a name that was there before."""
    found: list[str] = []
    for name in names:
        numbered = (f"{name} ({number})" for number in count(2))
        found.append(name if name not in found else next(one for one in numbered if one not in {*found, *names}))
    return found
