"""Many cases with the same proposal, confirmed together. Each is still an act of its own, on what was seen of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from labeling.consensus.access import visible_cases
from labeling.consensus.deciding import confirm
from labeling.consensus.listing import waiting_for, with_rows
from labeling.consensus.models import Case, Proposal
from labeling.consensus.showing import answers_in_words
from labeling.digits import whole_number
from labeling.people.access import Seat
from labeling.refusals import Invalid, Refusal

MOST = 200
FEWEST = 2


@dataclass(frozen=True)
class Alike:
    """Cases of this person in which the same answer is proposed."""

    digest: str
    words: str
    cases: list[tuple[Case, Proposal]]


def digest_of(round_protocol: int, answers: Mapping[str, Any]) -> str:
    text = json.dumps([round_protocol, answers], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def same_proposals(seat: Seat) -> list[Alike]:
    """Among the oldest cases that wait for this person; the largest group first."""
    found: dict[str, Alike] = {}
    proposed = waiting_for(seat).filter(way="discussion", confirmations__isnull=False).distinct()
    for case in with_rows(proposed).order_by("opened_at", "pk")[:MOST]:
        for proposal in vars(case)["standing"]:
            digest = digest_of(case.round.protocol_id, proposal.answers)
            words = answers_in_words(case.round.protocol.codebook, proposal.answers)
            found.setdefault(digest, Alike(digest, words, [])).cases.append((case, proposal))
    groups = [group for group in found.values() if len(group.cases) >= FEWEST]
    return sorted(groups, key=lambda group: (-len(group.cases), group.words))


@dataclass(frozen=True)
class Chosen:
    case: int
    proposal: int
    version: int


@dataclass(frozen=True)
class Done:
    confirmed: int
    refused: list[tuple[str, str]]  # (title, why)


def read_chosen(given: Sequence[str]) -> list[Chosen]:
    """From `case-proposal-version`."""
    parts = [[whole_number(number) or 0 for number in text.split("-")] for text in given]
    if not parts or not all(len(part) == 3 and all(part) for part in parts):  # noqa: PLR2004
        raise Invalid("case: mark at least one case.")
    if len(parts) > MOST:
        raise Invalid(f"case: at most {MOST} cases can be confirmed together.")
    return [Chosen(*part) for part in parts]


def confirm_alike(seat: Seat, chosen: Sequence[Chosen]) -> Done:
    """Confirms them one by one; what changed since is left out and said. Refused when they are not all the same."""
    proposals = Proposal.objects.select_related("case__round", "case__round_item__item")
    found = proposals.filter(case__in=visible_cases(seat)).in_bulk([one.proposal for one in chosen])
    if {one.proposal for one in chosen} != set(found) or any(found[one.proposal].case_id != one.case for one in chosen):
        raise Invalid("case: names a proposal that is not there.")
    alike = {digest_of(proposal.case.round.protocol_id, proposal.answers) for proposal in found.values()}
    if len(alike) > 1:
        raise Invalid("case: only cases with the same proposal can be confirmed together.")
    confirmed, refused = 0, []
    for one in chosen:
        try:
            confirm(seat.user, one.case, one.proposal, seen=one.version)
            confirmed += 1
        except Refusal as refusal:
            refused.append((found[one.proposal].case.round_item.item.title, str(refusal)))
    return Done(confirmed, refused)
