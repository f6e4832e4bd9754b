"""The comment that a rater takes to have asked for the rename, where it is another than the one that is linked. It
belongs to their vote: nobody else's page changes by it."""

from __future__ import annotations

from labeling.annotation.models import Assignment
from labeling.corpus.kinds import Kind
from labeling.corpus.kinds.review_rename import ReviewRename
from labeling.corpus.models import Item
from labeling.corpus.payloads import FieldError, described


def has_another(content: Kind) -> bool:
    """Whether there is a comment to pick that is not linked already."""
    return isinstance(content, ReviewRename) and len(content.thread) > len(content.linked)


def check_picked(picked: object, assignment: Assignment) -> int | None:
    """The number of the comment in the item's thread, from 0; None when it is the one that is linked anyway."""
    if picked is None:
        return None  # by far most votes: the item itself is not read for them
    if isinstance(picked, bool) or not isinstance(picked, int):
        raise FieldError("picked", f"must be the number of a comment, counted from 0, not {described(picked)}")
    content = Item.objects.only("kind", "payload").get(in_rounds=assignment.round_item_id).content
    if not isinstance(content, ReviewRename) or not content.thread:
        raise FieldError("picked", "this item has no thread of comments to pick from")
    if not 0 <= picked < len(content.thread):
        raise FieldError(
            "picked", f"the thread has {len(content.thread)} comments, counted from 0; there is no {picked}"
        )
    return None if content.linked == [picked] else picked
