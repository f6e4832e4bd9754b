from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import IntegrityError, connection
from django.test import Client
from django.utils import timezone

from labeling.corpus.models import Project
from labeling.people.invitations import accept_with_new_account, find_invitation, invite, revoke
from labeling.people.models import Activity, Invitation, Membership, Role, User, digest
from labeling.refusals import Gone, Refusal

Enter = Callable[[User], Client]
NEW_ACCOUNT = {"name": "Dora", "password": "a long enough secret"}


def link(project: Project, by: User, email: str = "dora@example.org", role: Role = Role.ANNOTATOR) -> str:
    _, token = invite(project, email=email, role=role, by=by)
    return f"/join/{token}/"


def test_new_person_joins_with_the_link(project: Project, alice: User, client: Client) -> None:
    response = client.post(link(project, alice, role=Role.ADJUDICATOR), NEW_ACCOUNT, follow=True)
    assert response.redirect_chain[-1][0] == "/projects/names/"
    assert "You are here as adjudicator" in response.text
    dora = User.objects.get(email="dora@example.org")
    assert [membership.role for membership in dora.memberships.all()] == [Role.ADJUDICATOR]
    assert not dora.can_create_projects
    assert Activity.objects.filter(actor=dora, verb="joined").exists()


def test_link_works_once(project: Project, alice: User) -> None:
    url = link(project, alice)
    assert Client().post(url, NEW_ACCOUNT).status_code == 302
    again = Client().post(url, NEW_ACCOUNT)
    assert again.status_code == 410
    assert "already used" in again.text
    assert User.objects.filter(email="dora@example.org").count() == 1


def test_opening_the_link_uses_nothing_up(project: Project, alice: User) -> None:
    url = link(project, alice)
    for method in ("get", "head"):
        assert getattr(Client(), method)(url).status_code == 200
    assert Invitation.objects.open().count() == 1


def test_expired_link_says_so(project: Project, alice: User, client: Client) -> None:
    invitation, token = invite(project, email="dora@example.org", role=Role.VIEWER, by=alice)
    past = timezone.now() - timedelta(days=30)
    Invitation.objects.filter(pk=invitation.pk).update(created_at=past, expires_at=past + timedelta(days=14))
    response = client.post(f"/join/{token}/", NEW_ACCOUNT)
    assert response.status_code == 410
    assert "has expired" in response.text
    assert not User.objects.filter(email="dora@example.org").exists()


def test_withdrawn_link_says_so(project: Project, alice: User, enter: Enter) -> None:
    invitation, token = invite(project, email="dora@example.org", role=Role.VIEWER, by=alice)
    assert enter(alice).post(f"/projects/names/invitations/{invitation.pk}/revoke/").status_code == 302
    response = Client().get(f"/join/{token}/")
    assert response.status_code == 410
    assert "withdrawn" in response.text


def test_unknown_token_is_told_apart_from_nothing(client: Client, db: None) -> None:
    assert client.get("/join/made-up/").status_code == 410


def test_token_is_stored_only_as_a_digest(project: Project, alice: User) -> None:
    invitation, token = invite(project, email="dora@example.org", role=Role.VIEWER, by=alice)
    row = Invitation.objects.filter(pk=invitation.pk).values().get()
    assert token not in str(row)
    assert row["token_digest"] == digest(token)
    assert token not in str(list(Activity.objects.values()))


def test_existing_account_accepts_after_log_in(project: Project, alice: User, charlie: User, enter: Enter) -> None:
    url = link(project, alice, email="charlie@example.org")
    anonymous = Client().get(url)
    assert "You already have an account" in anonymous.text
    assert f"/login/?next={url}" in anonymous.text
    assert enter(charlie).post(url).status_code == 302
    assert charlie.memberships.get().role == Role.ANNOTATOR


def test_posting_as_a_known_address_without_log_in_gives_nothing(project: Project, alice: User, charlie: User) -> None:
    url = link(project, alice, email="charlie@example.org")
    Client().post(url, NEW_ACCOUNT)
    assert not charlie.memberships.exists()
    assert not charlie.check_password(NEW_ACCOUNT["password"])


def test_somebody_elses_link_is_refused(project: Project, alice: User, charlie: User, enter: Enter) -> None:
    response = enter(charlie).post(link(project, alice))
    assert response.status_code == 409
    assert "This invitation is for dora@example.org" in response.text
    assert not charlie.memberships.exists()
    assert Invitation.objects.open().count() == 1


def test_weak_password_is_refused_and_nothing_is_lost(project: Project, alice: User, client: Client) -> None:
    response = client.post(link(project, alice), {"name": "Dora", "password": "password"})
    assert response.status_code == 422
    assert 'value="Dora"' in response.text
    assert Invitation.objects.open().count() == 1


def test_address_is_not_case_sensitive(project: Project, alice: User, client: Client) -> None:
    client.post(link(project, alice, email=" Dora@Example.ORG "), NEW_ACCOUNT)
    assert User.objects.filter(email="dora@example.org").exists()


def test_database_refuses_an_address_in_capitals(db: None) -> None:
    with pytest.raises(IntegrityError):
        User.objects.create(email="Dora@example.org")


def test_inviting_again_replaces_the_open_link(project: Project, alice: User) -> None:
    _, first = invite(project, email="dora@example.org", role=Role.VIEWER, by=alice)
    _, second = invite(project, email="dora@example.org", role=Role.VIEWER, by=alice)
    states = [found.state for token in (first, second) if (found := find_invitation(token))]
    assert states == ["revoked", "open"]


def test_inviting_a_member_to_the_same_role_is_refused(project: Project, alice: User, bob: User) -> None:
    with pytest.raises(Refusal, match="already is annotator"):
        invite(project, email=bob.email, role=Role.ANNOTATOR, by=alice)


def test_used_link_cannot_be_withdrawn(project: Project, alice: User) -> None:
    invitation, _ = invite(project, email="dora@example.org", role=Role.VIEWER, by=alice)
    accept_with_new_account(invitation, name="Dora", password="a long enough secret")
    with pytest.raises(Refusal, match="already accepted"):
        revoke(invitation, by=alice)


@pytest.mark.django_db(transaction=True)
def test_eight_who_use_the_link_at_once_make_one_account(project: Project, alice: User) -> None:
    invitation, _ = invite(project, email="dora@example.org", role=Role.VIEWER, by=alice)

    def join(_: int) -> str:
        try:
            accept_with_new_account(invitation, name="Dora", password="a long enough secret")
        except Gone:
            return "told that it was used"
        else:
            return "joined"
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        answers = sorted(pool.map(join, range(8)))
    assert answers == ["joined"] + ["told that it was used"] * 7
    assert Membership.objects.filter(user__email="dora@example.org").count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_links_for_one_new_address_used_at_once_make_one_account(project: Project, alice: User) -> None:
    roles = (Role.VIEWER, Role.ADJUDICATOR)
    both = [invite(project, email="dora@example.org", role=role, by=alice)[0] for role in roles]

    def join(invitation: Invitation) -> str:
        try:
            accept_with_new_account(invitation, name="Dora", password="a long enough secret")
        except Refusal:
            return "refused"
        else:
            return "joined"
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(join, both)) == ["joined", "refused"]


def test_link_for_somebody_else_says_so_at_once(project: Project, alice: User, charlie: User, enter: Enter) -> None:
    page = enter(charlie).get(link(project, alice)).text
    assert "You are logged in as charlie@example.org" in page
    assert "Join as" not in page
