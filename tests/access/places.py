"""A project with one of everything that an address can name."""

from __future__ import annotations

from uuid import uuid4

from django.contrib.auth.tokens import default_token_generator
from django.core.files.base import ContentFile
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from labeling.annotation.judging.addresses import public_number
from labeling.annotation.judging.claiming import next_assignment
from labeling.consensus.adjudicating import hand_over
from labeling.consensus.models import Case
from labeling.consensus.routing import route_project
from labeling.consensus.talking import post_message
from labeling.corpus.models import Project, Upload
from labeling.jobs.queue import enqueue
from labeling.people.invitations import add_member, invite
from labeling.people.models import ApiToken, Role, User
from labeling.release.checking import answer_findings, check_now
from labeling.release.choosing import choose
from tests.access.routes import Places
from tests.agreement.projects import NO, YES, judged_round
from tests.annotation.samples import annotators, items, opened_round
from tests.conftest import person
from tests.release.samples import released
from tests.study.driving import Taker
from tests.study.finished import opened


def staffed(project: Project, alice: User, bob: User, charlie: User) -> dict[str, User]:
    """Somebody for each role; Charlie is in no project."""
    judith, victor = person("Judith"), person("Victor")
    add_member(project, user=judith, role=Role.ADJUDICATOR, by=alice)
    add_member(project, user=victor, role=Role.VIEWER, by=alice)
    root = User.objects.create_superuser("root@example.org", "x", name="Root")
    return {"outsider": charlie, "viewer": victor, "annotator": bob, "adjudicator": judith, "coordinator": alice,
            "superuser": root}  # fmt: skip


def furnished(project: Project, alice: User, bob: User) -> tuple[Places, Taker]:
    """By the words of the addresses; and somebody who is in the middle of the study."""
    made = items(project, 3)
    places = {**judged_places(project, alice, bob), "items/pk": made[0].pk}
    study = opened(project, alice)
    taker = Taker(study)
    taker.begin()
    invitation, token = invite(project, email="dora@example.org", role=Role.VIEWER, by=alice)
    upload = Upload.objects.create(project=project, name="items.csv", uploaded_by=alice)
    upload.file.save("items.csv", ContentFile(b"buggy_name,fixed_name,body_before\na,b,c\n"))
    secret = taker.link.rstrip("/").rsplit("/", 1)[-1]
    places |= {
        "projects/slug": project.slug,
        "members/pk": project.memberships.get(user=bob).pk,
        "invited/pk": invitation.pk,
        "invitations/pk": invitation.pk,
        "join/token": token,
        "tokens/pk": ApiToken.issue(user=alice, name="nightly")[0].pk,
        "set/uidb64": urlsafe_base64_encode(force_bytes(bob.pk)),
        "set/token": default_token_generator.make_token(bob),
        "jobs/pk": enqueue("work", project=project, by=alice, title="Work").pk,
        "upload/pk": upload.pk,
        "studies/pk": study.pk,
        "participants/number": 1,
        "s/code": study.code,
        "s/rest": "nothing-of-ours/",
        "link/token": secret,
        "open/token": secret,
        "page/page": taker.participant.pages.get(position=1).code,
        "charts/name": "agreement",
        "charts/form": "svg",
    }
    return places, taker


def judged_places(project: Project, alice: User, bob: User) -> Places:
    """A closed round, a case of it before the adjudicator, a release, and an open round with an item before Bob."""
    judged = judged_round(project, [bob, *annotators(project, 1)], [[YES, YES], [YES, NO], [NO, NO]], name="Judged")
    route_project(project, by=None)
    case = judged.cases.get()
    message = post_message(bob, case.pk, submission=uuid4(), body="Why?")
    hand_over(alice, case.pk, None, seen=Case.objects.get(pk=case.pk).version)
    choice = choose(project, rounds=["Judged"], filters=["include=yes"])
    pairs = [(found.guard.value, found.item) for found in check_now(choice).findings]
    answer_findings(project, pairs, reason="Not decided yet.", leave_out=False, by=None)
    release = released(project, rounds=("Judged",))
    round = opened_round(project, [bob], name="Open", protocol=judged.protocol)
    assignment = next_assignment(bob, round)
    assert assignment
    return {
        "judged": judged.pk,
        "cases/pk": case.pk,
        "messages/message_pk": message.pk,
        "releases/number": release.number,
        "since/since": release.number,
        "files/name": "README.md",
        "protocols/pk": judged.protocol.protocol_id,
        "versions/number": 1,
        "rounds/pk": round.pk,
        "raters/rater_pk": round.raters.get().pk,
        "judge/pk": public_number(assignment.pk),
        "assignments/pk": public_number(assignment.pk),
    }
