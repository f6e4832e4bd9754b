"""Picking another comment of the review as the one that asked for the rename. The log keeps what was linked before."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from labeling.corpus.importing import canonical, short_hash
from labeling.corpus.kinds.review_rename import Comment, ReviewRename
from labeling.corpus.models import Item
from labeling.people.activity import record
from labeling.people.models import User
from labeling.refusals import Invalid, Refusal

LONGEST_LOGGED = 300


@transaction.atomic
def pick_comment(item: Item, *, comment: int, by: User | None) -> Item:
    """Links the item to another comment of its thread, counted from 0; nothing happens when it is linked already."""
    item = Item.objects.select_for_update(of=("self",)).select_related("project").get(pk=item.pk)
    content = item.content
    if not isinstance(content, ReviewRename) or not content.thread:
        raise Refusal(f"“{item}” has no thread of comments to pick from.")
    if not 0 <= comment < len(content.thread):
        raise Invalid(f"comment: the thread has {len(content.thread)} comments, counted from 0; there is no {comment}.")
    if not item.hold_still():
        raise Refusal(f"“{item}” has been judged or is being judged, so the comment it is linked to stays.")
    if content.linked == [comment]:
        return item
    store(item, content.link_to(comment))
    old, new = [described(content, index) for index in content.linked], described(content, comment)
    record(item.project, by=by, verb="picked another comment for", subject=item.title, item=item.pk, old=old, new=new)
    return item


def store(item: Item, content: ReviewRename) -> None:
    item.payload = content.write()
    item.digest = short_hash(canonical(item.payload))
    item.save(update_fields=["payload", "digest"])


def described(content: ReviewRename, index: int) -> dict[str, Any]:
    """A comment as the log keeps it: enough to find it again."""
    comment: Comment = content.thread[index]
    return {"comment": index, "author": comment.author, "url": comment.url, "body": comment.body[:LONGEST_LOGGED]}
