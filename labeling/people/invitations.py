"""How people come into a project and leave it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone

from labeling.people.access import require_current
from labeling.people.activity import record
from labeling.people.models import Invitation, Membership, Role, User, digest, new_token
from labeling.refusals import Gone, Invalid, Refusal

if TYPE_CHECKING:
    from labeling.corpus.models import Project

WHY_CLOSED = {
    "accepted": "This invitation was already used. If it was you, log in.",
    "revoked": "This invitation was withdrawn by a coordinator of the project.",
    "expired": "This invitation has expired. Ask the coordinator who sent it for a new one.",
}


@transaction.atomic
def invite(project: Project, *, email: str, role: Role, by: User | None) -> tuple[Invitation, str]:
    """A new invitation and the secret of its link, which can be shown only now; it replaces an open one."""
    require_current(project)
    email = checked_address(email)
    if Membership.objects.filter(project=project, user__email=email, role=role).exists():
        raise Refusal(f"{email} already is {role.label.lower()} in {project.name}.")
    for earlier in Invitation.objects.open().filter(project=project, email=email, role=role).select_for_update():
        revoke(earlier, by=by)
    token = new_token()
    invitation = Invitation.objects.create(
        project=project, email=email, role=role, token_digest=digest(token), created_by=by
    )
    record(project, by=by, verb="invited", subject=str(invitation))
    return invitation, token


def find_invitation(token: str) -> Invitation | None:
    return Invitation.objects.select_related("project").filter(token_digest=digest(token)).first()


@transaction.atomic
def accept(invitation: Invitation, *, by: User) -> Membership:
    """Gives the role, once; of two who come at the same time one is told that the link was used."""
    invitation = Invitation.objects.select_for_update().select_related("project").get(pk=invitation.pk)
    require_open(invitation)
    require_current(invitation.project)
    if by.email != invitation.email:
        raise Refusal(
            f"This invitation is for {invitation.email}, and you are logged in as {by.email}. "
            "Log out and open the link again, or ask for an invitation to your own address."
        )
    invitation.accepted_at, invitation.accepted_by = timezone.now(), by
    invitation.save(update_fields=["accepted_at", "accepted_by"])
    membership, _ = Membership.objects.get_or_create(
        project=invitation.project, user=by, role=invitation.role, defaults={"added_by": invitation.created_by}
    )
    record(invitation.project, by=by, verb="joined", subject=f"as {membership.get_role_display().lower()}")
    return membership


@transaction.atomic
def accept_with_new_account(invitation: Invitation, *, name: str, password: str) -> User:
    """Makes the account that the invitation is for, and gives it the role."""
    locked = Invitation.objects.select_for_update().get(pk=invitation.pk)
    require_open(locked)
    require_current(locked.project)
    try:
        with transaction.atomic():
            user = User.objects.create_user(locked.email, password, name=name)
    except IntegrityError as error:
        raise Refusal("By now there is an account with your address. Open the link again and log in.") from error
    accept(locked, by=user)
    return user


def checked_address(email: str) -> str:
    email = email.strip().lower()
    try:
        Invitation._meta.get_field("email").clean(email, None)  # noqa: SLF001 (Django's own way to a field)
    except ValidationError as error:
        raise Invalid(f"email: “{email[:80]}” is not an e-mail address.") from error
    return email


def require_open(invitation: Invitation) -> None:
    if invitation.state != "open":
        raise Gone(WHY_CLOSED[invitation.state])


@transaction.atomic
def revoke(invitation: Invitation, *, by: User | None) -> None:
    """The link stops working; what it already gave stays."""
    invitation = Invitation.objects.select_for_update().select_related("project").get(pk=invitation.pk)
    if invitation.state in {"accepted", "revoked"}:
        raise Refusal(f"This invitation is already {invitation.state}.")
    invitation.revoked_at, invitation.revoked_by = timezone.now(), by
    invitation.save(update_fields=["revoked_at", "revoked_by"])
    record(invitation.project, by=by, verb="withdrew the invitation of", subject=str(invitation))


@transaction.atomic
def add_member(project: Project, *, user: User, role: Role, by: User | None) -> Membership:
    """Gives a role without an invitation: for the person who creates a project, and for commands."""
    membership, added = Membership.objects.get_or_create(
        project=project, user=user, role=role, defaults={"added_by": by}
    )
    if added:
        record(project, by=by, verb="added", subject=str(membership))
    return membership


@transaction.atomic
def remove_member(membership: Membership, *, by: User | None) -> None:
    """Takes a role away; the last coordinator stays, and what the person did stays."""
    project = type(membership.project).objects.select_for_update().get(pk=membership.project_id)
    if not Membership.objects.filter(pk=membership.pk).exists():
        return  # somebody else was quicker
    others = project.memberships.exclude(pk=membership.pk)
    if membership.role == Role.COORDINATOR and not others.filter(role=Role.COORDINATOR).exists():
        raise Refusal(f"{membership.user} is the only coordinator of {project.name}. Add another one first.")
    subject = str(membership)
    membership.delete()
    record(project, by=by, verb="removed", subject=subject)
