"""What people are called in a case: Rater A, B, C, Adjudicator, Coordinator; their names only if the rule says so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from labeling.annotation.models import Rater
from labeling.consensus.models import Case, Rule
from labeling.consensus.routing import letters
from labeling.people.models import Membership, Role, User

NOBODY = "The system"


@dataclass(frozen=True)
class Names:
    """Of one case. Every page, answer and event asks here before it says who."""

    letters: Mapping[int, str]  # by the voter's user id
    users: Mapping[int, User]  # the voters
    adjudicator_id: int | None
    coordinators: frozenset[int]
    shown: bool
    raters: Mapping[int, int] = field(default_factory=dict)  # from the rater to the user

    def rater(self, rater_id: int) -> str:
        return self.of(self.users[self.raters[rater_id]])

    def of(self, user: User | None) -> str:
        if user is None:
            return NOBODY
        if user.pk in self.letters:
            return str(user) if self.shown else f"Rater {self.letters[user.pk]}"
        if user.pk == self.adjudicator_id:
            role = "Adjudicator"
        else:
            role = "Coordinator" if user.pk in self.coordinators else "Earlier adjudicator"
        return f"{user} ({role.lower()})" if self.shown else role

    def called(self) -> dict[str, int]:
        """Whom a message can call upon, by what follows the @."""
        found = {self.of(user).casefold(): pk for pk, user in self.users.items()}
        return found | ({"adjudicator": self.adjudicator_id} if self.adjudicator_id else {})


def names_in(case: Case, rule: Rule) -> Names:
    """For a case whose round is at hand."""
    return names_of([case], {rule.round_id: rule}, case.round.project_id)[case.pk]


def names_of(cases: Iterable[Case], rules: Mapping[int, Rule], project_id: int) -> dict[int, Names]:
    """For many cases of a project, in two queries."""
    cases = list(cases)
    wanted = {pk for case in cases for pk in case.raters}
    raters = Rater.objects.select_related("user").in_bulk(wanted)
    leading = Membership.objects.filter(project=project_id, role=Role.COORDINATOR).values_list("user", flat=True)
    coordinators = frozenset(leading)
    return {
        case.pk: Names(
            letters={raters[pk].user_id: letter for pk, letter in letters(case).items()},
            users={raters[pk].user_id: raters[pk].user for pk in case.raters},
            adjudicator_id=case.adjudicator_id,
            coordinators=coordinators,
            shown=rules[case.round_id].names_shown,
            raters={pk: raters[pk].user_id for pk in case.raters},
        )
        for case in cases
    }
