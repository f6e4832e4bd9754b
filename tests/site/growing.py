"""A project of which every page has something to show, in any size: what a page asks of the database must not grow."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from django.core.files.base import ContentFile
from django.utils import timezone

from labeling.annotation.judging.addresses import public_number
from labeling.annotation.judging.claiming import next_assignment
from labeling.annotation.judging.voting import skip
from labeling.annotation.models import Round
from labeling.consensus.adjudicating import hand_over
from labeling.consensus.deciding import propose
from labeling.consensus.models import Case
from labeling.consensus.routing import route_project
from labeling.consensus.talking import edit_message, post_message
from labeling.corpus.models import Item, Project, Upload
from labeling.jobs.models import Job, State
from labeling.jobs.queue import enqueue
from labeling.people.activity import record
from labeling.people.invitations import add_member, invite
from labeling.people.models import ApiToken, Role, User
from labeling.release.checking import answer_findings, check_now
from labeling.release.choosing import choose
from labeling.study.fieldwork.inviting import invite_many
from labeling.study.freezing import freeze_study, note_deviation
from tests.agreement.projects import NO, YES, judged_round
from tests.annotation.samples import annotators, judge, opened_round, vote_on
from tests.corpus.samples import method_pair, new_item, text_pair
from tests.release.samples import released, rocket
from tests.study.designs import leaky, planned
from tests.study.driving import REASON, Taker
from tests.study.finished import computed
from tests.study.studies import in_state, study_of

WANTED = "include=no"


def grown(project: Project, alice: User, size: int) -> dict[str, Any]:
    """About `size` of everything; the numbers that stand in the addresses of its pages."""
    few = rounds_in(size)
    Item.objects.bulk_create(rocket(project, number) for number in range(size))
    raters = annotators(project, few + 1)
    measured = judged(project, raters, size)
    return {
        **people(project, alice, size),
        **work(project, alice, size),
        **rounds(project, alice, raters, few),
        **argued(measured, alice, raters, size),
        **releases(project, measured, few),
        **studies(project, alice, size, few),
        **odd_items(project, alice),
        "projects/slug": project.slug,
    }


def rounds_in(size: int) -> int:
    """Of what there are few even in a large project: rounds, raters, releases, studies."""
    return max(2, size // 6)


def people(project: Project, alice: User, size: int) -> dict[str, Any]:
    for number in range(size):
        add_member(project, user=User.objects.create_user(f"viewer{number}@example.org"), role=Role.VIEWER, by=alice)
        invitation, token = invite(project, email=f"guest{number}@example.org", role=Role.VIEWER, by=alice)
        ApiToken.issue(user=alice, name=f"script {number}")
        record(project, by=alice, verb="imported", subject=f"file {number}")
        add_member(Project.objects.create(name=f"Other {number}", slug=f"other-{number}"), user=alice,
                   role=Role.COORDINATOR, by=None)  # fmt: skip
    seat = alice.memberships.get(project=project, role=Role.COORDINATOR)
    return {"invited/pk": invitation.pk, "join/token": token, "members/pk": seat.pk}


def work(project: Project, alice: User, size: int) -> dict[str, Any]:
    """Jobs in every state, each with a helper that failed."""
    for number in range(size):
        job = enqueue("work", project=project, by=alice, title=f"Job {number}")
        helper = enqueue("share", project=project, by=alice, title="Help", parent=job.pk)
        Job.objects.filter(pk=helper.pk).update(state=State.FAILED, ended_at=timezone.now())
    return {"jobs/pk": job.pk}


def judged(project: Project, raters: list[User], size: int) -> Round:
    """A closed round with raters who disagree."""
    rows = [[(YES, NO)[(number >> place) % 2] for place in range(len(raters))] for number in range(size)]
    return judged_round(project, raters, rows, name="Judged")


def rounds(project: Project, alice: User, raters: list[User], few: int) -> dict[str, Any]:
    """Several that are open; of the last, everybody judged a part, and Alice has an item before her."""
    add_member(project, user=alice, role=Role.ANNOTATOR, by=alice)
    for number in range(few):
        round = opened_round(project, [alice, *raters], name=f"Open {number}", votes=2)
    for user in [*raters, *raters]:
        judge(user, round)
    flagged = next_assignment(alice, round)
    assert flagged
    vote_on(alice, flagged, flag="Look at this.", note="Hm.")
    skipped = next_assignment(alice, round)
    assert skipped
    skip(alice, skipped.pk, reason="I wrote it.")
    assignment = next_assignment(alice, round)
    assert assignment
    return {
        "rounds/pk": round.pk,
        "raters/rater_pk": round.raters.get(user=alice).pk,
        "judge/pk": public_number(assignment.pk),
        "assignments/pk": public_number(assignment.pk),
        "protocols/pk": round.protocol.protocol_id,
        "versions/number": 1,
    }


def argued(round: Round, alice: User, raters: list[User], size: int) -> dict[str, Any]:
    """Cases with much to say in them, decided ones, and some before an adjudicator."""
    route_project(round.project, by=None)
    case, *others = round.cases.order_by("pk")
    for user in raters:
        propose(user, case.pk, submission=uuid4(), answers=NO if user == raters[0] else YES, because="So.")
    for number in range(size):
        message = post_message(raters[0], case.pk, submission=uuid4(), body=f"Message {number}")
        edit_message(raters[0], message.pk, body="Edited", revision=1)
    add_member(round.project, user=User.objects.create_user("judith@example.org"), role=Role.ADJUDICATOR, by=alice)
    half = len(others) // 2
    for decided in others[:half]:
        for user in raters:
            propose(user, decided.pk, submission=uuid4(), answers=NO, because="Seen.")
    for handed in others[half + 1 :]:
        hand_over(alice, handed.pk, None, seen=Case.objects.get(pk=handed.pk).version)
    return {
        "judged": round.pk,
        "cases/pk": case.pk,
        "decided": others[0].pk,
        "handed": others[-1].pk,
        "messages/message_pk": message.pk,
    }


def releases(project: Project, round: Round, few: int) -> dict[str, Any]:
    """Open cases are findings of its guards, each of which needs an answer."""
    found = check_now(choose(project, rounds=[round.name], filters=[WANTED])).findings
    answered = [(one.guard.value, one.item) for one in found]
    answer_findings(project, answered, reason="Known.", leave_out=False, by=None)
    for _ in range(few):
        released(project, rounds=(round.name,), filters=(WANTED,))
    return {"releases/number": 2, "since/since": 1}


def studies(project: Project, alice: User, size: int, few: int) -> dict[str, Any]:
    study = study_of(project, methods=few, sheets=size, name="Taken")
    over = study_of(project, methods=few, sheets=size, name="Over")
    for number in range(few):
        for taker in (Taker(study), Taker(over)):
            taker.judge_all(lambda place: ("no", REASON) if place % 2 else ("yes", ""))
            taker.finish()
        study_of(project, methods=2, sheets=2, name=f"Other {number}")
    in_state(over, "closed")
    invite_many(study, labels=[f"Guest {number}" for number in range(size - few)], by=alice)
    computed(study)
    frozen = freeze_study(planned(project, alice, count=size + 8), by=alice)
    for _ in range(size):
        note_deviation(frozen, "One fell ill.", by=alice)
    return {
        "study": study.pk,
        "closed_study": over.pk,
        "leaky_study": leaky(project, alice, count=size + 8).pk,
        "planned_study": planned(project, alice, count=size + 8).pk,
        "frozen_study": frozen.pk,
    }


def odd_items(project: Project, alice: User) -> dict[str, Any]:
    others = [new_item(project, "text_pair", text_pair(1)), new_item(project, "method_pair", method_pair(1))]
    for other in others:
        other.save()
    upload = Upload.objects.create(project=project, name="items.csv", uploaded_by=alice)
    upload.file.save("items.csv", ContentFile(b"buggy_name,fixed_name,body_before,colour\na,b,c,d\n"))
    item = project.items.order_by("pk")[0]
    return {"upload/pk": upload.pk, "items/pk": item.pk, "text_pair": others[0].pk, "method_pair": others[1].pk}
