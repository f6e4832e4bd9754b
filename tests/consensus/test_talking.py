"""Messages: said once, edited with their history, and heard by those they call."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.http import Http404

from labeling.consensus.models import Case, Mention, Message
from labeling.consensus.naming import names_in
from labeling.consensus.routing import rule_of, set_rule
from labeling.consensus.talking import EditedMeanwhile, edit_message, mark_seen, post_message
from labeling.people.models import User
from labeling.refusals import Invalid, Refusal
from tests.consensus.samples import proposed

pytestmark = pytest.mark.django_db


def test_sent_twice_it_is_one_message(case: Case, people: list[User]) -> None:
    submission = uuid4()
    first, again = (post_message(people[0], case.pk, submission=submission, body="Hm.") for _ in range(2))
    assert first == again
    assert case.events.count() == 2
    with pytest.raises(Invalid, match="used for something else"):
        post_message(people[1], case.pk, submission=submission, body="Hm.")


@pytest.mark.parametrize(("body", "words"), [("  ", "needs words"), ("x" * 10_001, "at most"), ("a\x00", "NUL")])
def test_a_message_that_is_none_is_refused(case: Case, people: list[User], body: str, words: str) -> None:
    with pytest.raises(Invalid, match=words):
        post_message(people[0], case.pk, submission=uuid4(), body=body)
    assert not Message.objects.exists()


def test_an_edit_keeps_what_was_said_before(case: Case, people: list[User]) -> None:
    message = post_message(people[0], case.pk, submission=uuid4(), body="One")
    edit_message(people[0], message.pk, body="Two", revision=1)
    edit_message(people[0], message.pk, body="Two", revision=1)  # sent twice
    assert list(message.texts.values_list("revision", "body")) == [(1, "One"), (2, "Two")]
    assert case.events.filter(verb="edited a message").count() == 1
    with pytest.raises(EditedMeanwhile) as refused:
        edit_message(people[0], message.pk, body="Three", revision=1)
    assert refused.value.theirs.body == "Two"
    with pytest.raises(Http404):
        edit_message(people[1], message.pk, body="Not mine", revision=2)


def test_only_those_who_take_part_speak(case: Case, people: list[User], bob: User, alice: User) -> None:
    with pytest.raises(Refusal, match="take part"):
        post_message(bob, case.pk, submission=uuid4(), body="I am an annotator, but did not vote on it.")
    post_message(alice, case.pk, submission=uuid4(), body="I coordinate.")
    for user in people:
        proposed(user, case)
    with pytest.raises(Refusal, match="decided already"):
        post_message(people[0], case.pk, submission=uuid4(), body="Too late.")


def test_a_mention_finds_the_rater_behind_the_letter(case: Case, people: list[User]) -> None:
    names = names_in(case, rule_of(case.round))
    other = names.of(people[1])
    post_message(people[0], case.pk, submission=uuid4(), body=f"What do you say, @{other.lower()}? And @Rater ABC?")
    assert list(Mention.objects.values_list("user", "seen_at")) == [(people[1].pk, None)]
    mark_seen(people[1], case)
    assert Mention.objects.get().seen_at


def test_a_mention_by_name_where_names_are_shown(case: Case, people: list[User]) -> None:
    set_rule(case.round, way="discussion", others="discussion", names_shown=True, by=None)
    post_message(people[0], case.pk, submission=uuid4(), body="@Rater 2 and not @Rater 33, nor me, @Rater 1.")
    assert list(Mention.objects.values_list("user", flat=True)) == [people[1].pk]
