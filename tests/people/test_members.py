from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.test import Client
from pytest_django.fixtures import DjangoAssertNumQueries

from labeling.corpus.models import Project
from labeling.people.activity import record
from labeling.people.invitations import add_member, remove_member
from labeling.people.models import Activity, Membership, Role, User
from labeling.refusals import Refusal

Enter = Callable[[User], Client]
COORDINATOR_PAGES = ["members/", "activity/", "jobs/", "settings/"]


@pytest.mark.parametrize("page", ["", *COORDINATOR_PAGES])
def test_outsider_finds_nothing(project: Project, charlie: User, enter: Enter, page: str) -> None:
    assert enter(charlie).get(f"/projects/names/{page}").status_code == 404


@pytest.mark.parametrize("page", COORDINATOR_PAGES)
def test_member_without_the_role_is_told_so(project: Project, bob: User, enter: Enter, page: str) -> None:
    response = enter(bob).get(f"/projects/names/{page}")
    assert response.status_code == 403
    assert "needs the role of coordinator in Names" in response.text


@pytest.mark.parametrize("page", ["", *COORDINATOR_PAGES])
def test_nobody_gets_in_without_log_in(project: Project, client: Client, page: str) -> None:
    response = client.get(f"/projects/names/{page}")
    assert response["Location"] == f"/login/?next=/projects/names/{page}"


def test_superuser_is_an_outsider_too(project: Project, enter: Enter) -> None:
    root = User.objects.create_superuser("root@example.org", "x", name="Root")
    assert enter(root).get("/projects/names/").status_code == 404


def test_invitation_page_shows_a_link_that_works(project: Project, alice: User, enter: Enter) -> None:
    client = enter(alice)
    data = {"email": "dora@example.org", "role": "viewer"}
    shown = client.post("/projects/names/members/invite/", data, follow=True)
    link = re.search(r"http://[^/]+(/join/[^<]+/)", shown.text)
    assert link
    again = client.get(shown.redirect_chain[-1][0])
    assert again["Location"] == "/projects/names/members/"  # a reload neither shows it again nor makes another
    assert "as <strong>viewer</strong>" in Client().get(link[1]).text


@pytest.mark.parametrize(("field", "value"), [("email", "not an address"), ("email", ""), ("role", "king")])
def test_bad_invitation_names_the_field(project: Project, alice: User, enter: Enter, field: str, value: str) -> None:
    data = {"email": "dora@example.org", "role": "viewer", field: value}
    response = enter(alice).post("/projects/names/members/invite/", data)
    assert response.status_code == 422
    assert f'id="id_{field}_error"' in response.text
    assert not project.invitations.exists()


def test_annotator_cannot_invite(project: Project, bob: User, enter: Enter) -> None:
    data = {"email": "dora@example.org", "role": "coordinator"}
    assert enter(bob).post("/projects/names/members/invite/", data).status_code == 403
    assert not project.invitations.exists()


def test_person_may_hold_two_roles(project: Project, alice: User) -> None:
    add_member(project, user=alice, role=Role.ANNOTATOR, by=alice)
    assert alice.memberships.count() == 2


def test_removing_asks_first_and_then_takes_the_role(project: Project, alice: User, bob: User, enter: Enter) -> None:
    membership = bob.memberships.get()
    url = f"/projects/names/members/{membership.pk}/remove/"
    assert "Remove Bob as annotator?" in enter(alice).get(url).text
    assert bob.memberships.exists()
    enter(alice).post(url)
    assert enter(bob).get("/projects/names/").status_code == 404
    assert Activity.objects.filter(verb="removed", subject="Bob, annotator", actor=alice).exists()


def test_last_coordinator_stays(project: Project, alice: User) -> None:
    with pytest.raises(Refusal, match="only coordinator"):
        remove_member(alice.memberships.get(), by=alice)


@pytest.mark.django_db(transaction=True)
def test_two_coordinators_who_remove_each_other_at_once_leave_one(project: Project, alice: User, bob: User) -> None:
    add_member(project, user=bob, role=Role.COORDINATOR, by=alice)
    memberships = list(Membership.objects.filter(role=Role.COORDINATOR).select_related("project", "user"))

    def remove(membership: Membership) -> str:
        try:
            remove_member(membership, by=None)
        except Refusal:
            return "refused"
        else:
            return "removed"
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(remove, memberships)) == ["refused", "removed"]


def test_activity_cannot_be_changed_or_deleted(project: Project, alice: User) -> None:
    line = record(project, by=alice, verb="tested")
    for attempt in (
        line.save,
        line.delete,
        Activity.objects.all().delete,
        lambda: Activity.objects.update(verb="forged"),
        lambda: project.activities.all().delete(),
        lambda: Activity.objects.bulk_update([line], ["verb"]),
    ):
        with pytest.raises(TypeError, match="append-only"):
            attempt()


def test_activity_shows_what_people_typed_as_text(project: Project, alice: User, enter: Enter) -> None:
    record(project, by=alice, verb="tested", subject="<script>alert(1)</script>")
    assert "<script>alert(1)" not in enter(alice).get("/projects/names/activity/").text


@pytest.mark.parametrize("many", [2, 40])
def test_members_page_costs_the_same_for_few_and_many(
    project: Project, alice: User, enter: Enter, many: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(many):
        user = User.objects.create_user(f"p{number}@example.org", name=f"Person {number}")
        add_member(project, user=user, role=Role.VIEWER, by=alice)
    client = enter(alice)
    with django_assert_num_queries(5):
        assert "Person 1" in client.get("/projects/names/members/").text
