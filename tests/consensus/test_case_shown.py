"""What the page of a case shows: nobody by name, what differs, the guideline, similar cases, and the acts in order."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from labeling.annotation.models import Vote
from labeling.consensus.adjudicating import Verdict, decide, hand_over
from labeling.consensus.models import Case, Message
from labeling.consensus.routing import set_rule
from labeling.consensus.talking import post_message
from labeling.corpus.models import Project
from labeling.people.models import User
from tests.annotation.samples import EXCLUDE, INCLUDE
from tests.consensus.samples import adjudicator, disputed, named, proposed, sent, url, version

pytestmark = pytest.mark.django_db
Enter = Callable[[User], Client]


@pytest.fixture
def people(project: Project) -> list[User]:
    return named(project)


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
    assert sections_in_question(codebook, votes, ["include"]) == [("Include or not", "Only if asked.")]
    assert sections_in_question(codebook, votes, ["criteria"]) == [
        ("Naming convention", "Only then.\n\n```\n# no\n```")
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


def test_what_one_comes_for_stands_first(case: Case, people: list[User], enter: Enter) -> None:
    """To propose, while nothing is proposed; then to confirm. The guideline comes after both, on phones too."""

    def order() -> list[str]:
        text = enter(people[0]).get(url(case)).text
        parts = ("votes", "propose-title", "discussion", "say-title")
        assert all(f'id="{part}"' in text for part in parts)
        return sorted(parts, key=lambda part: text.index(f'id="{part}"'))

    assert order() == ["votes", "propose-title", "discussion", "say-title"]
    proposed(people[1], case)
    assert order() == ["votes", "discussion", "say-title", "propose-title"]


def test_comment_that_a_voter_picked_is_shown_beside_the_votes(case: Case, people: list[User], enter: Enter) -> None:
    client = enter(people[0])
    assert "Which comment asked for it" not in client.get(url(case)).text
    Vote.objects.filter(rater__user=people[1]).update(picked=0)
    text = client.get(url(case)).text
    assert "Which comment asked for it" in text
    assert text.count("<td>comment 1 of the thread</td>") == 1
    assert text.count("<td>the linked one</td>") == 2
    assert text.count("votes__differs") == 3
