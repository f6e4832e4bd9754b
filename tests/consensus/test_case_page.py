"""The page of a case: who sees it, what it shows, and what happens to words that were refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from labeling.annotation.rounds.changing import add_rater, top_up
from labeling.consensus.adjudicating import Verdict, decide, hand_over
from labeling.consensus.models import Case, CaseState, Message, Sitting
from labeling.consensus.routing import set_rule
from labeling.consensus.talking import post_message
from labeling.corpus.models import Project
from labeling.people.invitations import add_member
from labeling.people.models import Role, User
from tests.annotation.samples import EXCLUDE, INCLUDE, annotators
from tests.consensus.samples import adjudicator, disputed, judged, proposed, version

pytestmark = pytest.mark.django_db
Enter = Callable[[User], Client]
HOME = "/projects/names/cases/"


@pytest.fixture
def people(project: Project) -> list[User]:
    found = annotators(project, 3)
    for user, name in zip(found, ("Xenia Quill", "Yorick Vane", "Zelda Frost"), strict=True):
        User.objects.filter(pk=user.pk).update(name=name, email=f"{name.split()[0].lower()}@example.org")
        user.refresh_from_db()
    return found


@pytest.fixture
def case(project: Project, people: list[User]) -> Case:
    return disputed(project, people)[0]


def url(case: Case, act: str = "") -> str:
    return f"{HOME}{case.pk}/{act}"


def sent(**more: Any) -> dict[str, Any]:
    return {"submission": str(uuid4()), **more}


FORM = {"answers.include": "no"}


# Who sees what


def test_those_who_take_part_see_it_and_nobody_else(
    case: Case, people: list[User], project: Project, enter: Enter, alice: User, bob: User, charlie: User
) -> None:
    for user in (*people, alice):
        assert enter(user).get(url(case)).status_code == 200
    judith = adjudicator(project)
    for user in (bob, charlie, judith):
        assert enter(user).get(url(case)).status_code == 404
        assert enter(user).get(url(case, "live/")).status_code == 404
        assert enter(user).post(url(case, "say/"), sent(body="Me too.")).status_code == 404
    hand_over(alice, case.pk, judith.pk, seen=version(case))
    assert enter(judith).get(url(case)).status_code == 200


def test_a_viewer_sees_only_what_is_decided(
    case: Case, people: list[User], project: Project, enter: Enter, charlie: User
) -> None:
    add_member(project, user=charlie, role=Role.VIEWER, by=None)
    client = enter(charlie)
    assert client.get(url(case)).status_code == 404
    assert case.round_item.item.title not in client.get(HOME + "?state=all").text
    for user in people:
        proposed(user, case)
    assert client.get(url(case)).status_code == 200
    assert case.round_item.item.title in client.get(HOME + "?state=decided").text
    assert client.post(url(case, "say/"), sent(body="Nice.")).status_code == 409


def test_nobody_sees_a_case_while_its_item_is_judged_again(
    case: Case, people: list[User], enter: Enter, alice: User, bob: User
) -> None:
    add_rater(case.round, bob, by=None)
    top_up(case.round, 4, by=None)
    for user in (*people, alice):
        assert enter(user).get(url(case)).status_code == 404
    judged(case.round, [bob], {"": [INCLUDE]})
    page = enter(bob).get(url(case))  # routed as it is opened
    assert page.status_code == 200
    assert "Rater D" in page.text


def everything_said(case: Case, people: list[User], alice: User, project: Project) -> None:
    """Every kind of thing that has an author."""
    judith = adjudicator(project, "Judith")
    proposed(people[0], case, INCLUDE, "Seen.")
    post_message(people[1], case.pk, submission=uuid4(), body="Hm, @Rater A?")
    post_message(alice, case.pk, submission=uuid4(), body="Go on.")
    hand_over(alice, case.pk, judith.pk, seen=version(case))
    decide(judith, case.pk, Verdict("Clear.", EXCLUDE), submission=uuid4(), seen=version(case))


def test_no_name_is_given_away(case: Case, people: list[User], enter: Enter, alice: User, project: Project) -> None:
    everything_said(case, people, alice, project)
    hidden = [word for user in people for word in (*user.name.split(), user.email)] + ["Judith", "judith"]
    message = Message.objects.first()
    assert message
    for reader in (people[2], alice):
        client = enter(reader)
        own = [reader.name, reader.email, *reader.name.split(), "Alice", "alice"]
        for path in (url(case), url(case, "live/"), url(case, "meeting/"), url(case, f"messages/{message.pk}/")):
            text = client.get(path).text
            main = re.sub(r"<header.*?</header>", "", text, flags=re.DOTALL)
            assert [word for word in hidden if word not in own and word in main] == [], path
    text = enter(people[2]).get(url(case)).text
    for called in ("Rater A", "Rater B", "Rater C", "Adjudicator", "Coordinator"):
        assert called in text


def test_names_are_there_when_the_rule_shows_them(
    case: Case, people: list[User], enter: Enter, alice: User, project: Project
) -> None:
    everything_said(case, people, alice, project)
    set_rule(case.round, way="discussion", others="discussion", names_shown=True, by=None)
    text = enter(people[2]).get(url(case)).text
    assert "Yorick Vane" in text
    assert "Judith (adjudicator)" in text
    assert "Rater A" not in text.replace("@Rater A", "")


# What it shows


def test_votes_stand_side_by_side_with_what_differs(case: Case, people: list[User], enter: Enter) -> None:
    text = enter(people[0]).get(url(case)).text
    assert text.count("votes__differs") == 2
    assert text.count("<td>Exclude</td>") == 2
    assert text.count("<td>Include</td>") == 1
    assert "(you)" in text


def test_the_section_of_the_guideline_in_question_is_shown(project: Project, people: list[User], enter: Enter) -> None:
    from labeling.annotation.protocols.codebook import Codebook
    from labeling.consensus.guidance import sections_in_question
    from tests.annotation.samples import CODEBOOK

    guideline = (
        "# Before\nRead.\n\n# Include or not\nOnly if asked.\n\n## Naming convention\nOnly then.\n\n```\n# no\n```"
    )
    codebook = Codebook.read({**CODEBOOK, "guideline": guideline})
    votes: list[dict[str, Any]] = [INCLUDE, {"include": "yes", "criteria": ["convention"]}, EXCLUDE]
    assert sections_in_question(codebook, votes, ["include"]) == [
        ("Include or not", "# Include or not\nOnly if asked.")
    ]
    assert sections_in_question(codebook, votes, ["criteria"]) == [
        ("Naming convention", "## Naming convention\nOnly then.\n\n```\n# no\n```")
    ]
    assert sections_in_question(codebook, [INCLUDE, INCLUDE], []) == []
    assert sections_in_question(Codebook.read(CODEBOOK), votes, ["include"]) == []  # it has no headings


def test_similar_settled_cases_are_at_hand(project: Project, people: list[User], enter: Enter) -> None:
    first, second = disputed(project, people, count=2)
    client = enter(people[0])
    assert "Similar cases" not in client.get(url(first)).text
    for user in people:
        proposed(user, second, EXCLUDE, "A precedent.")
    text = client.get(url(first)).text
    assert "A precedent." in text
    assert f'href="{url(second)}"' in text


def test_a_similar_case_whose_item_somebody_is_to_judge_sways_nobody(
    project: Project, people: list[User], enter: Enter
) -> None:
    from labeling.annotation.rounds.planning import Design, create_round, plan_round
    from labeling.jobs import running

    first, second = disputed(project, people, count=2)
    for user in people:
        proposed(user, second, EXCLUDE, "A precedent.")
    design = Design(name="Second", protocol=first.round.protocol, annotators=people, votes=3, seed=1)
    _, job = create_round(project, design, by=None)
    running.run(job.pk, {job.kind: plan_round})
    assert "A precedent." not in enter(people[0]).get(url(first)).text


def test_markdown_cannot_do_anything(case: Case, people: list[User], enter: Enter) -> None:
    body = "**bold** <script>alert(1)</script> [x](javascript:alert(1)) ![p](https://evil.example/x.png)"
    assert enter(people[0]).post(url(case, "say/"), sent(body=body)).status_code == 302
    text = enter(people[1]).get(url(case)).text
    assert "<strong>bold</strong>" in text
    assert "<script>alert" not in text
    assert 'href="javascript' not in text
    assert "<img src=" not in text.split('id="discussion"')[1]


# What one does there


def test_from_proposal_to_decision_by_forms(case: Case, people: list[User], enter: Enter) -> None:
    enter(people[0]).post(url(case, "propose/"), sent(**FORM, because="The thread says so."))
    proposal = case.proposals.get()
    for user in people[1:]:
        text = enter(user).get(url(case)).text
        assert "Include" in text
        seen = re.search(r'data-version="(\d+)"', text)
        assert seen
        enter(user).post(url(case, "confirm/"), {"proposal": proposal.pk, "version": seen[1]})
    case.refresh_from_db()
    assert case.state == CaseState.DECIDED
    text = enter(people[0]).get(url(case)).text
    assert "by agreement of all voters" in text
    assert "propose-title" not in text


def test_words_that_were_refused_stay_in_the_form(case: Case, people: list[User], enter: Enter, alice: User) -> None:
    judith = adjudicator(case.round.project)
    hand_over(alice, case.pk, judith.pk, seen=version(case))
    seen = version(case)
    post_message(people[0], case.pk, submission=uuid4(), body="Wait!")
    body = sent(**FORM, rationale="I was sure & wrote much.", unclear="Line 4", version=seen)
    answer = enter(judith).post(url(case, "decide/"), body)
    assert answer.status_code == 409
    assert "wrote a message" in answer.text
    assert "I was sure &amp; wrote much." in answer.text
    assert "Line 4" in answer.text
    assert re.search(r'value="no"[^>]* checked', answer.text)
    again = enter(judith).post(url(case, "decide/"), {**body, "version": version(case)})
    assert again.status_code == 302


def test_bad_forms_are_refused_in_words(case: Case, people: list[User], enter: Enter) -> None:
    client = enter(people[0])
    for act, body, words in [
        ("propose/", sent(**{"answers.include": "maybe"}), "must be one of"),
        ("propose/", {"submission": "x", **FORM}, "must be a UUID"),
        ("confirm/", {"proposal": "1e3", "version": "1"}, "must be a whole number"),
        ("confirm/", {"proposal": "99999", "version": "1"}, "no such proposal"),
        ("say/", sent(body=" "), "needs words"),
    ]:
        answer = client.post(url(case, act), body)
        assert answer.status_code == 422, act
        assert words in answer.text
    assert version(case) == 1


def test_an_edit_that_comes_second_shows_both_texts(case: Case, people: list[User], enter: Enter) -> None:
    message = post_message(people[0], case.pk, submission=uuid4(), body="First words")
    client, page = enter(people[0]), url(case, f"messages/{message.pk}/")
    assert client.post(page, {"body": "From one tab", "revision": 1}).status_code == 302
    answer = client.post(page, {"body": "From the other", "revision": 1})
    assert answer.status_code == 409
    assert "From one tab" in answer.text
    assert "From the other" in answer.text
    assert 'name="revision" value="2"' in answer.text
    assert "First words" in enter(people[1]).get(page).text
    assert enter(people[1]).post(page, {"body": "Not mine", "revision": 2}).status_code == 404


def test_the_live_part_answers_only_when_something_changed(case: Case, people: list[User], enter: Enter) -> None:
    client = enter(people[0])
    assert client.get(url(case, f"live/?seen={version(case)}")).status_code == 204
    seen = version(case)
    post_message(people[1], case.pk, submission=uuid4(), body="News")
    answer = client.get(url(case, f"live/?seen={seen}"))
    assert "News" in answer.text
    assert "<html" not in answer.text


def test_time_is_recorded_once(case: Case, people: list[User], enter: Enter, alice: User) -> None:
    body = {"submission": str(uuid4()), "seconds": "12.5"}
    for _ in range(2):
        assert enter(people[0]).post(url(case, "sitting/"), body).status_code == 204
    assert list(Sitting.objects.values_list("seconds", "in_meeting")) == [(12.5, False)]
    for wrong in ("nan", "-1", "x", "1e9", ""):
        answer = enter(people[0]).post(url(case, "sitting/"), {**sent(), "seconds": wrong})
        assert answer.status_code == 422
    enter(alice).post(url(case, "sitting/"), {**sent(), "seconds": "3", "from": "meeting"})
    assert Sitting.objects.filter(in_meeting=True).count() == 1


def test_a_meeting_is_written_down(case: Case, people: list[User], enter: Enter, alice: User) -> None:
    client = enter(alice)
    start = client.get(HOME + "meeting/")
    assert start["Location"].startswith(url(case, "meeting/"))
    body = {**sent(**FORM, because="In the call."), "from": "meeting", "version": version(case), "letters": ["A", "B"]}
    assert client.post(url(case, "enter/"), {**body, "letters": ["Q"]}).status_code == 422
    assert enter(people[0]).post(url(case, "enter/"), body).status_code == 409
    assert client.post(url(case, "enter/"), body).status_code == 302
    text = enter(people[0]).get(url(case)).text
    assert "Rater A (in a meeting, entered by Coordinator)" in text
    body = {"from": "meeting", "version": version(case), "letters": ["C"], "proposal": case.proposals.get().pk}
    assert client.post(url(case, "enter/"), body).status_code == 302
    case.refresh_from_db()
    assert case.state == CaseState.DECIDED


@pytest.mark.parametrize("size", [8, 16])
def test_pages_cost_the_same_for_few_and_many(
    project: Project, people: list[User], enter: Enter, size: int, alice: User
) -> None:
    cases = disputed(project, people, count=size)
    for case in cases[1:]:
        for user in people:
            proposed(user, case)
    for _ in range(size):
        post_message(people[0], cases[0].pk, submission=uuid4(), body="Hm.")
        proposed(people[1], cases[0])
    found, client = {}, enter(people[0])
    for path in (url(cases[0]), url(cases[0], "live/"), HOME + "?state=all"):
        with CaptureQueriesContext(connection) as queries:
            assert client.get(path).status_code == 200
        found[path.replace(str(cases[0].pk), "1")] = sum(
            not query["sql"].startswith(("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE")) for query in queries
        )
    assert found == {HOME + "1/": 19, HOME + "1/live/": 14, HOME + "?state=all": 11}
