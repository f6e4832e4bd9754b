"""A project as full as life, with words as long as they may be, to see what they do to its pages."""

from __future__ import annotations

from uuid import uuid4

from django.core.files.base import ContentFile
from django.utils import timezone

from labeling.annotation.judging.addresses import public_number
from labeling.annotation.judging.claiming import next_assignment
from labeling.annotation.judging.voting import skip
from labeling.annotation.models import Round
from labeling.annotation.protocols.codebook import Codebook
from labeling.annotation.protocols.editing import create_protocol
from labeling.consensus.adjudicating import hand_over
from labeling.consensus.deciding import propose
from labeling.consensus.models import Case
from labeling.consensus.routing import route_project
from labeling.consensus.talking import edit_message, post_message
from labeling.corpus.models import Project, Upload
from labeling.jobs.models import Job, State
from labeling.jobs.queue import enqueue
from labeling.people.activity import record
from labeling.people.invitations import add_member, invite
from labeling.people.models import ApiToken, Role, User
from labeling.release.checking import answer_findings, check_now
from labeling.release.choosing import choose
from labeling.study.freezing import freeze_study, note_deviation
from tests.access.routes import Places
from tests.agreement.projects import NO, YES, judged_round
from tests.annotation.protocols.samples import FULL
from tests.annotation.samples import opened_round
from tests.corpus.samples import method_pair, new_item, review_rename, text_pair
from tests.release.samples import released
from tests.study.designs import leaky, planned
from tests.study.driving import REASON, Taker
from tests.study.finished import computed
from tests.study.studies import study_of


def furnished(project: Project, alice: User, *, release: str = "VeryLongName" * 12) -> Places:
    """A project as full as life: long names, every state of a job and of an invitation."""
    record(project, by=alice, verb="imported", subject="a-very-long-file-name-without-any-blank-" * 6)
    Project.objects.filter(pk=project.pk).update(description="Which names do reviewers ask for, and why? " * 6)
    ApiToken.issue(user=alice, name="nightly export")
    long_address = f"{'very-long-name-' * 4}@{'department.' * 12}example.org"
    invitation, token = invite(project, email=long_address, role=Role.VIEWER, by=alice)
    for state in State.values:
        job = enqueue("work", project=project, by=alice, title=f"Job that is {state}")
        if state in {State.FINISHED, State.FAILED, State.CANCELLED}:
            Job.objects.filter(pk=job.pk).update(state=state, ended_at=timezone.now(), error="Row 7 has no name." * 9)
    failed = Job.objects.get(state=State.FAILED)
    wide = "veryLongNameWithoutAnyBlank" * 8
    for number in range(60):
        new_item(project, "review_rename", review_rename(number, thread=[{"body": wide, "linked": True}])).save()
    item = new_item(project, "review_rename", review_rename(1, body_before=f"void load1() {{\n\t{wide}();\n}}\n" * 90))
    item.save()
    new_item(project, "review_rename", review_rename(2), key=wide[:200]).save()  # a duplicate
    pairs = {"text_pair": text_pair(1, context=wide), "method_pair": method_pair(1, context=wide)}
    others = {kind: new_item(project, kind, row) for kind, row in pairs.items()}
    for other in others.values():
        other.save()
    content = ContentFile(b"buggy_name,fixed_name,body_before,colour\na,b,c,d\n")
    upload = Upload.objects.create(project=project, name="items.csv", uploaded_by=alice)
    upload.file.save("items.csv", content)
    protocol = create_protocol(project, codebook=long_codebook(), by=alice)
    add_member(project, user=alice, role=Role.ANNOTATOR, by=alice)
    round = opened_round(project, [alice], name=wide[:120], protocol=protocol.latest)
    skipped = next_assignment(alice, round)
    assert skipped
    skip(alice, skipped.pk, reason=wide)
    assignment = next_assignment(alice, round)
    assert assignment
    measured = judged(project, alice)
    release_twice(project, measured, release)
    study = study_of(project, methods=3, sheets=3, name=wide[:120])
    for taker in (Taker(study), Taker(study)):
        taker.judge_all(lambda place: ("no", REASON) if place % 2 else ("yes", ""))
        taker.finish()
    computed(study)
    return {
        "study": study.pk,
        **argued(measured, alice, wide),
        **studies(project, alice),
        **{kind: other.pk for kind, other in others.items()},
        "projects/slug": project.slug,
        "rounds/pk": round.pk,
        "raters/rater_pk": round.raters.get().pk,
        "judge/pk": public_number(assignment.pk),
        "protocols/pk": protocol.pk,
        "versions/number": 1,
        "invited/pk": invitation.pk,
        "join/token": token,
        "set/uidb64": "x",
        "set/token": "y",
        "members/pk": alice.memberships.get(role=Role.COORDINATOR).pk,
        "jobs/pk": failed.pk,
        "items/pk": item.pk,
        "upload/pk": upload.pk,
        "releases/number": 2,
        "since/since": 1,
    }


def studies(project: Project, alice: User) -> dict[str, int]:
    """One with leaks of every kind and long words, one that is planned, one that is frozen."""
    frozen = freeze_study(planned(project, alice), by=alice)
    note_deviation(frozen, "VeryLongWordWithoutAnyBlank" * 9, by=alice)
    return {
        "leaky_study": leaky(project, alice, wide="veryLongNameWithoutAnyBlank" * 5).pk,
        "planned_study": planned(project, alice).pk,
        "frozen_study": frozen.pk,
    }


def judged(project: Project, alice: User) -> Round:
    """A closed round with a long name, and raters who disagree."""
    people = [alice, *(User.objects.create_user(f"r{n}@example.org", name=f"VeryLongNameOfARater{n}") for n in "123")]
    for person in people[1:]:
        add_member(project, user=person, role=Role.ANNOTATOR, by=alice)
    rows = [[(YES, NO)[(number >> place) % 2] for place in range(4)] for number in range(project.items.count())]
    return judged_round(project, people, rows, name="JudgedRoundWithoutAnyBlank" * 4)


def argued(round: Round, alice: User, wide: str) -> dict[str, int]:
    """Three of its cases: one with much to say in it, one decided, one before an adjudicator."""
    route_project(round.project, by=None)
    case, decided, handed = round.cases.filter(pattern__startswith="include", round_item__item__kind="review_rename")[
        :3
    ]
    people = [rater.user for rater in round.raters.select_related("user")]
    propose(people[1], case.pk, submission=uuid4(), answers=NO, because=f"Because {wide} and `{wide}`.")
    propose(alice, case.pk, submission=uuid4(), answers=YES, because="Otherwise.")
    text = f"# {wide}\n\n> {wide}\n\n| {wide} | b |\n|---|---|\n| c | d |"
    message = post_message(alice, case.pk, submission=uuid4(), body=text)
    edit_message(alice, message.pk, body=f"{text}\n\n- {wide}", revision=1)
    for person in people:
        propose(person, decided.pk, submission=uuid4(), answers=NO, because=wide)
    judith = User.objects.create_user("judith@example.org", name=wide[:100])
    add_member(round.project, user=judith, role=Role.ADJUDICATOR, by=alice)
    hand_over(alice, handed.pk, None, seen=Case.objects.get(pk=handed.pk).version)
    return {
        "judged": round.pk,
        "cases/pk": case.pk,
        "messages/message_pk": message.pk,
        "decided": decided.pk,
        "handed": handed.pk,
    }


def release_twice(project: Project, round: Round, name: str) -> None:
    """With findings of several guards; of the second release some wait for an answer still."""
    for wanted in ("include=yes", "include=no"):
        choice = choose(project, rounds=[round.name], filters=[wanted])
        found = check_now(choice).findings
        pairs = [(one.guard.value, one.item) for one in found]
        answer_findings(project, pairs, reason="VeryLongReasonWithoutAnyBlank" * 9, leave_out=False, by=None)
        released(project, rounds=(round.name,), filters=(wanted,), name=name)
    project.waivers.filter(guard="near_duplicate", item__lt=found[len(found) // 2].item).delete()


def long_codebook() -> Codebook:
    """Every form of question, with words as long as they may be."""
    wide = "VeryLongWordWithoutAnyBlank" * 4
    options = [{"key": f"o{number}", "label": wide, "help": wide * 3, "hotkey": str(number)} for number in range(9)]
    last = {"key": "wide", "text": wide, "options": options, "when": {"question": "fit", "answers": ["no"]}}
    guideline = f"# {wide}\n\n| {wide} | b |\n|---|---|\n| c | {wide} |\n\n    {wide * 3}\n\n[{wide}](https://x.org)"
    questions = [
        {**asked, "options": [{**option, "hotkey": ""} for option in asked.get("options", [])]}
        for asked in FULL["questions"]
    ]
    return Codebook.read({"title": wide[:100], "questions": [*questions, last], "guideline": guideline})
