"""What participants wrote in words of their own: comments on methods, and answers to the last question.

Free text can tell who wrote it. It is read from the tables each time and kept nowhere else, so that it is gone as soon
as its writer or the retention date takes it away.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from labeling.refusals import Refusal
from labeling.study.forms import latest_texts
from labeling.study.models import Stage, Study
from labeling.study.results.gathering import counted_participants, pseudonym
from labeling.study.taking.models import Page

METHOD, END = "method", "end"
MOST_SHOWN = 200  # of each kind on a page
COLUMNS = {
    "about": f"{METHOD}: a comment on a method; {END}: the answer to the last question",
    "participant": "P and a number, the same in all files; before unblinding empty",
    "page": "where the method stood on the sheet of the participant, from 1; before unblinding empty",
    "method": "key of the method; before unblinding empty",
    "comment": "as it was written",
}


@dataclass(frozen=True)
class Comment:
    about: str
    text: str
    participant: str = ""
    page: int | None = None
    method: str = ""


def is_readable(study: Study, stage: str) -> bool:
    """Those of a pilot at once, for which it is held; those of the study when nothing can be changed by them."""
    return bool(study.piloted_at if stage == Stage.PILOT else study.closed_at)


def require_readable(study: Study, stage: str) -> None:
    if not is_readable(study, stage):
        when = "there was a pilot" if stage == Stage.PILOT else "the study is closed"
        raise Refusal(f"Comments can be read once {when}: until then nothing that participants write moves anybody.")


def comments_of(study: Study, *, stage: str = Stage.MAIN) -> list[Comment]:
    """Of those who count. Before the unblinding without method and participant, in the order of the alphabet: beside a
    judgement, words about a name would tell which letter is which origin."""
    require_readable(study, stage)
    counted = {one.pk: one for one in counted_participants(study, stage)}
    pages = Page.objects.filter(participant__in=list(counted)).exclude(comment="")
    rows = pages.order_by("participant__number", "position").values_list(
        "participant", "position", "method__key", "comment"
    )
    found = [
        Comment(METHOD, text, pseudonym(counted[who]), position, method)
        for who, position, method, text in rows
        if text.strip()
    ]
    found += [Comment(END, one.exit_answer, pseudonym(one)) for one in counted.values() if one.exit_answer]
    if study.unblinded_at is None:
        return sorted((Comment(one.about, one.text) for one in found), key=lambda one: (one.about, one.text))
    return found


def comment_rows(comments: Iterable[Comment]) -> Iterator[list[Any]]:
    for one in comments:
        yield [one.about, one.participant, one.page or "", one.method, one.text]


def page_context(study: Study, stage: str) -> dict[str, Any]:
    """For the page of results, where coordinators read them."""
    if not is_readable(study, stage):
        return {}
    found = comments_of(study, stage=stage)
    comments, last = ([one for one in found if one.about == about] for about in (METHOD, END))
    return {
        "are_readable": True,
        "comments": comments[:MOST_SHOWN],
        "exit_answers": last[:MOST_SHOWN],
        "written": len(found),
        "not_shown": len(comments[MOST_SHOWN:]) + len(last[MOST_SHOWN:]),
        "exit_question": latest_texts(study).exit_question,
    }
