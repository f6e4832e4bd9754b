"""Starting a protocol and saving a new text of it. A version that has votes stays as it is."""

from __future__ import annotations

from dataclasses import replace

from django.db import IntegrityError, transaction
from django.utils import timezone

from labeling.annotation.protocols.codebook import LONGEST_LABEL, Codebook
from labeling.annotation.protocols.files import built_in
from labeling.annotation.protocols.models import Protocol, ProtocolVersion
from labeling.corpus.models import Project
from labeling.people.activity import record
from labeling.people.models import User
from labeling.refusals import Invalid, Refusal


class ChangedMeanwhile(Refusal):
    """Somebody else saved since the text was opened; nothing of either is lost."""


BLANK = {
    "title": "New protocol",
    "questions": [
        {
            "key": "answer",
            "text": "What is your judgement?",
            "options": [
                {"key": "yes", "label": "Yes", "hotkey": "y"},
                {"key": "no", "label": "No", "hotkey": "x"},
            ],
        }
    ],
}


@transaction.atomic
def create_protocol(project: Project, *, codebook: Codebook, by: User | None, title: str = "") -> Protocol:
    """A protocol with this codebook as its first version, under this title if one is given."""
    if title:
        codebook = retitled(codebook, title)
    protocol = Protocol(project=project, name=codebook.title, created_by=by)
    try:
        with transaction.atomic():
            protocol.save()
    except IntegrityError as error:
        raise taken(codebook) from error
    protocol.versions.create(content=codebook.write(), created_by=by)
    record(project, by=by, verb="created the protocol", subject=protocol.name)
    return protocol


def create_built_in(project: Project, *, name: str, by: User | None, title: str = "") -> Protocol:
    """One of ours; where its title is taken and no other is given, it gets a number."""
    found = built_in().get(name)
    if found is None:
        raise Invalid(f"There is no built-in protocol “{name[:40]}”. Built in: {', '.join(built_in())}.")
    return create_protocol(project, codebook=found, by=by, title=title or free_title(project, found.title))


def create_blank(project: Project, *, by: User | None, title: str = "") -> Protocol:
    blank = Codebook.read(BLANK)
    return create_protocol(project, codebook=blank, by=by, title=title or free_title(project, blank.title))


def free_title(project: Project, title: str) -> str:
    used = set(project.protocols.filter(name__startswith=title).values_list("name", flat=True))
    numbered = (f"{title} ({number})" for number in range(2, len(used) + 3))
    return title if title not in used else next(name for name in numbered if name not in used)


def retitled(codebook: Codebook, title: str) -> Codebook:
    if not title.strip() or len(title) > LONGEST_LABEL or "\n" in title or "\x00" in title:
        raise Invalid(f"title: must be one line of 1 to {LONGEST_LABEL} characters.")
    return replace(codebook, title=title.strip())


@transaction.atomic
def save_protocol(protocol: Protocol, *, codebook: Codebook, based_on: str, by: User | None) -> ProtocolVersion:
    """Stores a new text: in place while no round asks by the old one, else as the next version."""
    protocol = Protocol.objects.select_for_update().get(pk=protocol.pk)  # of two who save the second waits, and is told
    version = protocol.versions.select_for_update().latest("number")  # a round that begins to use it is waited for
    content = codebook.write()
    if version.content == content:
        return version
    if based_on != version.state:
        raise meanwhile(version)
    rename(protocol, codebook)
    if version.is_in_use:
        saved = protocol.versions.create(number=version.number + 1, content=content, created_by=by)
        verb = "made a new version of the protocol"
    else:
        ProtocolVersion.objects.filter(pk=version.pk).update(content=content, created_by=by, created_at=timezone.now())
        saved = ProtocolVersion.objects.get(pk=version.pk)
        verb = "changed the protocol"
    record(protocol.project, by=by, verb=verb, subject=protocol.name, version=saved.number, before=version.state)
    return saved


def rename(protocol: Protocol, codebook: Codebook) -> None:
    """A protocol is known by the title of its latest version."""
    if protocol.name == codebook.title:
        return
    protocol.name = codebook.title
    try:
        with transaction.atomic():
            protocol.save(update_fields=["name"])
    except IntegrityError as error:
        raise taken(codebook) from error


def taken(codebook: Codebook) -> Invalid:
    return Invalid(f"title: the project already has a protocol “{codebook.title}”.")


def meanwhile(version: ProtocolVersion) -> ChangedMeanwhile:
    who = version.created_by or "The system"
    return ChangedMeanwhile(
        f"{who} saved version {version.number} at {version.created_at:%H:%M on %-d %B %Y}, after this text was opened. "
        "Nothing was stored."
    )
