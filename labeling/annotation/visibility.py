"""Who may see which votes. Pages, API and exports all ask here (decision 5)."""

from __future__ import annotations

from django.db.models import F, Q, QuerySet

from labeling.annotation.models import Round, RoundItem, RoundState, Vote


def independent_phase_is_over(round_item: RoundItem, round: Round) -> bool:
    """All votes that this item wants are in, or no more can come."""
    return round_item.is_complete or round.state == RoundState.CLOSED


def settled_items(items: QuerySet[RoundItem]) -> QuerySet[RoundItem]:
    """Those whose independent phase is over."""
    return items.filter(Q(votes__gte=F("wanted")) | Q(round__state=RoundState.CLOSED))


def _over(slot: str) -> Q:
    complete = Q(**{f"{slot}__round_item__votes__gte": F(f"{slot}__round_item__wanted")})
    return complete | Q(**{f"{slot}__round__state": RoundState.CLOSED})


def settled_votes(votes: QuerySet[Vote], *, slot: str = "assignment") -> QuerySet[Vote]:
    """Those on items whose independent phase is over: what may be shown, or counted for others to see. `slot` is the
    relation by which the query reaches the assignment: `current_of` where it asks for votes in force."""
    return votes.filter(_over(slot))
