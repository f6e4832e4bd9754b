"""Who may enter which project, and as what. Every page and API call of a project begins here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from django_htmx.middleware import HtmxDetails

from labeling.people.models import Membership, Role, User
from labeling.refusals import Refusal

if TYPE_CHECKING:
    from labeling.corpus.models import Project


ITEM_READERS = (Role.COORDINATOR, Role.VIEWER)


class AuthedRequest(HttpRequest):
    """A request behind `login_required`: there is a person."""

    user: User
    htmx: HtmxDetails


@dataclass(frozen=True)
class Seat:
    """A person's place in a project: all the roles they hold there."""

    project: Project
    user: User
    roles: frozenset[Role]

    @property
    def is_coordinator(self) -> bool:
        return Role.COORDINATOR in self.roles

    @property
    def is_annotator(self) -> bool:
        return Role.ANNOTATOR in self.roles

    @property
    def can_read_items(self) -> bool:
        """Annotators meet items only in their queue, so that nobody judges what was not given to them."""
        return not self.roles.isdisjoint(ITEM_READERS)

    def require(self, *roles: Role) -> None:
        if roles and self.roles.isdisjoint(roles):
            names = " or ".join(role.label.lower() for role in roles)
            raise PermissionDenied(f"This needs the role of {names} in {self.project.name}.")


def take_seat(user: User, slug: str, *roles: Role, writing: bool = False) -> Seat:
    """The person's seat; 404 for an outsider, 403 without one of the roles, 409 for writing into an archive."""
    memberships = list(Membership.objects.filter(user=user, project__slug=slug).select_related("project"))
    if not memberships:
        raise Http404
    project = memberships[0].project
    seat = Seat(project=project, user=user, roles=frozenset(Role(membership.role) for membership in memberships))
    seat.require(*roles)
    if writing:
        require_current(project)
    return seat


def require_creator(user: User) -> None:
    """Not everybody may start projects."""
    if not user.can_create_projects:
        raise PermissionDenied("Your account cannot start projects. Ask the person who runs this installation.")


def require_current(project: Project) -> None:
    """An archived project can be read but not changed."""
    if project.archived_at:
        raise Refusal(f"{project.name} is archived: it can be read but not changed. A coordinator can restore it.")
