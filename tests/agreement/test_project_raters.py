"""The figures of one rater: consistency with themselves, accuracy on gold items, influence. Each leads to the items
that it rests on, for those who may know which items these are."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from labeling.agreement import drilling
from labeling.agreement.surveying import survey
from labeling.annotation.models import RoundItem, Vote
from labeling.annotation.rounds.changing import close_round
from labeling.corpus.models import Project
from labeling.people.invitations import add_member
from labeling.people.models import Role, User
from tests.agreement.projects import NO, SPLIT, YES, judged_project, repeated_round, selected
from tests.annotation.samples import CODEBOOK, annotators, protocol

pytestmark = pytest.mark.django_db
Enter = Callable[[User], Client]
URL = "/projects/names/agreement/"


@pytest.fixture
def repeated(project: Project) -> Vote:
    """A closed round with hidden repeats; the one whose rater said something else the second time."""
    people = annotators(project, 2)
    close_round(repeated_round(project, people), by=None)
    again = Vote.objects.filter(assignment__repeat__gt=0, rater__user=people[0]).order_by("pk")[0]
    Vote.objects.filter(pk=again.pk).update(answers=YES)
    return again


def test_hidden_repeats_count_only_for_consistency(project: Project) -> None:
    people = annotators(project, 2)
    close_round(repeated_round(project, people), by=None)
    repeats = Vote.objects.filter(assignment__repeat__gt=0)
    assert repeats.exists()
    changed = repeats.filter(rater__user=people[0]).order_by("pk")[0]
    Vote.objects.filter(pk=changed.pk).update(answers=YES)
    figures = survey(selected(project))
    assert figures["agreement"]["ratings"] == 24
    everybody, first, second = figures["consistency"]
    assert everybody["repeats"] == repeats.count()
    assert first["agreement"]["value"] == pytest.approx(1 - 1 / first["repeats"])
    assert second["agreement"]["value"] == 1


def test_gold_items_tell_who_is_right(project: Project) -> None:
    judged_project(project, SPLIT)
    RoundItem.objects.filter(item=project.items.order_by("pk")[0]).update(gold=YES)
    RoundItem.objects.filter(item=project.items.order_by("pk")[1]).update(gold=NO)
    found = survey(selected(project))["gold"]
    assert [(one["rater"], one["right"], one["items"]) for one in found] == [("Rater 1", 1, 2), ("Rater 2", 2, 2)]


def test_repeats_and_gold_items_are_chosen_as_the_ratings_are(project: Project) -> None:
    round = repeated_round(project, annotators(project, 2), groups=2)
    RoundItem.objects.update(gold=NO)
    close_round(round, by=None)
    protocol(project, CODEBOOK)
    group = "acme/rockets1"
    inside = Vote.objects.filter(assignment__round_item__item__group=group)
    inside.update(cast_at=timezone.now() - timedelta(days=9))
    repeats = inside.filter(assignment__repeat__gt=0).count()
    assert 0 < repeats < Vote.objects.filter(assignment__repeat__gt=0).count()
    week_ago = (timezone.now() - timedelta(days=7)).date().isoformat()
    for wanted in ({"group": group}, {"until": week_ago}, {"group": group, "version": "1", "votes": "first"}):
        figures = survey(selected(project, **wanted))
        assert figures["consistency"][0]["repeats"] == repeats
        assert [one["items"] for one in figures["gold"]] == [6, 6]
    for nothing in ({"group": "nowhere"}, {"version": "2"}, {"since": week_ago, "group": group}):
        figures = survey(selected(project, **nothing))
        assert (figures["consistency"], figures["gold"]) == ([], [])


def followed(client: Client, state: str, rater: int) -> str:
    """The page that a link of the dashboard leads to."""
    links = re.findall(r'href="(/projects/names/agreement/items/\?[^"]+)"', client.get(URL).text)
    (link,) = [link for link in links if f"state={state}" in link and link.endswith(f"rater={rater}")]
    return client.get(link.replace("&amp;", "&")).text


def said(page: str) -> list[list[str]]:
    rows = re.findall(r'<span class="said">(.*?)</span>\s*<span class="muted small">', page, re.DOTALL)
    return [re.findall(r"</span>\s*(\w+)\s*</span>", row) for row in rows]


def test_consistency_leads_to_what_was_said_first_and_again(
    project: Project, repeated: Vote, alice: User, enter: Enter
) -> None:
    page = followed(enter(alice), "repeats", 1)
    count = Vote.objects.filter(assignment__repeat__gt=0, rater=repeated.rater).count()
    assert sorted(said(page)) == sorted([["Exclude", "Include"], *[["Exclude", "Exclude"]] * (count - 1)])
    assert repeated.assignment.round_item.item.title in page
    assert set(map(tuple, said(followed(enter(alice), "repeats", 2)))) == {("Exclude", "Exclude")}


def test_accuracy_leads_to_gold_items(project: Project, alice: User, enter: Enter) -> None:
    judged_project(project, SPLIT)
    RoundItem.objects.filter(item=project.items.order_by("pk")[0]).update(gold=YES)
    RoundItem.objects.filter(item=project.items.order_by("pk")[1]).update(gold=NO)
    answers = [said(followed(enter(alice), "gold", rater)) for rater in (1, 2)]
    assert [sum(right == told for right, told in rows) for rows in answers] == [1, 2]
    assert [len(rows) for rows in answers] == [2, 2]


def test_influence_leads_to_the_items_that_are_left(project: Project, alice: User, enter: Enter) -> None:
    judged_project(project, [[YES, YES, YES], [YES, NO, None], [NO, None, NO]])
    client = enter(alice)
    assert [len(said(followed(client, "used", rater))) for rater in (1, 2, 3)] == [1, 2, 2]
    assert len(said(client.get(f"{URL}items/?state=used").text)) == 3


def test_who_only_looks_learns_neither_gold_items_nor_repeats(
    project: Project, repeated: Vote, alice: User, charlie: User, enter: Enter
) -> None:
    add_member(project, user=charlie, role=Role.VIEWER, by=alice)
    page = enter(charlie).get(URL).text
    assert "shown to them again" in page
    assert "state=repeats" not in page
    for state in drilling.OF_A_RATER:
        response = enter(charlie).get(f"{URL}items/?state={state}&rater=1")
        assert response.status_code == 422
        assert f"not “{state}”" in response.text
    assert enter(alice).get(f"{URL}items/?state=repeats&rater=1").status_code == 200


@pytest.mark.parametrize("rater", ["", "&rater=", "&rater=0", "&rater=3", "&rater=x", "&rater=99999999999999999999"])
def test_a_rater_who_is_not_there_is_refused(
    project: Project, repeated: Vote, alice: User, enter: Enter, rater: str
) -> None:
    response = enter(alice).get(f"{URL}items/?state=repeats{rater}")
    assert response.status_code == 422
    assert "rater" in response.text


def test_many_come_in_pages(
    project: Project, repeated: Vote, alice: User, enter: Enter, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = enter(alice)
    whole = said(followed(client, "repeats", 1))
    monkeypatch.setattr(drilling, "PAGE", 1)
    page = followed(client, "repeats", 1)
    found = said(page)
    while link := re.search(r'href="(\?[^"]+)" rel="next"', page):
        page = client.get(f"{URL}items/{link[1].replace('&amp;', '&')}").text
        found += said(page)
    assert found == whole
    assert len(found) > 1
