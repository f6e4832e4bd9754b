"""What scripts name by words: the annotators of a project and the versions of its protocols."""

from __future__ import annotations

from labeling.annotation.models import ProtocolVersion, Round
from labeling.corpus.models import Project
from labeling.people.models import Role, User
from labeling.refusals import Invalid


def find_annotators(project: Project, emails: list[str]) -> list[User]:
    """In the order given."""
    known = {user.email: user for user in User.objects.filter(email__in=[email.strip().lower() for email in emails])}
    members = set(project.memberships.filter(role=Role.ANNOTATOR).values_list("user", flat=True))
    found = []
    for email in emails:
        user = known.get(email.strip().lower())
        if user is None or user.pk not in members:
            raise Invalid(f"annotators: {email[:200]} is not an annotator of {project}.")
        found.append(user)
    return found


def find_version(project: Project, name: str, number: int | None) -> ProtocolVersion:
    """The version of the protocol of this name; the latest when none is named."""
    versions = ProtocolVersion.objects.filter(protocol__project=project, protocol__name=name.replace("\x00", ""))
    versions = versions.select_related("protocol").order_by("-number")
    found = next((version for version in versions if number in {None, version.number}), None)
    if found is None:
        names = ", ".join(project.protocols.values_list("name", flat=True)[:20]) or "none yet"
        which = f"“{name[:120]}”" if number is None else f"“{name[:120]}” with a version {number}"
        raise Invalid(f"protocol: there is no {which}. Protocols: {names}.")
    return found


def find_round(project: Project, name: str) -> Round:
    found = project.rounds.filter(name=name).select_related("protocol__protocol", "project").first()
    if found is None:
        names = ", ".join(project.rounds.values_list("name", flat=True)[:20]) or "none yet"
        raise Invalid(f"There is no round “{name[:120]}” in {project}. Rounds: {names}.")
    return found
