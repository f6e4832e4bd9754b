"""What there was at 0010: cases with their outcomes, releases, and studies of which one was taken to its end."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from tests.annotation.samples import EXCLUDE, INCLUDE

Make = Callable[..., Any]
Found = Callable[[str], Any]
THEN = datetime(2026, 2, 3, 4, 5, 6, tzinfo=UTC)
# By study: keys of origins in the order in which they were made, and the places that 0012 gives to them.
PLACES = {
    "Four names": {"gtnm": 4, "fixed": 2, "buggy": 1, "cognac": 3},
    "Stable names": {"cognac": 2, "gtnm": 3, "stable": 1},
    "Own origins": {"model": 2, "people": 3, "buggy": 1},
}


def fill_tenth(make: Make, found: Found) -> None:
    decide_case(make, found)
    leave_case_open(make, found)
    make_releases(make, found)
    four, *others = [begin_study(make, found, name) for name in PLACES]
    prepare_study(make, found, four)
    answer_sheet(make, four)
    end_study(make, found, four)
    for study in others:
        make("Method", study=study, key="m1", given="void a() {}", shown="void ▢() {}", is_practice=True)


def decide_case(make: Make, found: Found) -> None:
    """One that was discussed: all that people did on the way, and a decision that another one followed."""
    user, round, place = found("User"), found("Round"), found("RoundItem")
    make("Rule", round=round, others="union", names_shown=True, seed=11)
    case = make("Case", round_item=place, round=round, way="discussion", why="flag", raters=[1], opened_at=THEN)
    message = make("Message", case=case, author=user, submission=UUID(int=11), at=THEN)
    for revision, body in enumerate(("I doubt it.", "I doubt it, @Ann."), start=1):
        make("MessageText", message=message, revision=revision, body=body, at=THEN)
    make("Mention", message=message, user=user, seen_at=THEN)
    proposal = make("Proposal", case=case, author=user, submission=UUID(int=12), answers=INCLUDE, because="It asks.")
    make("Confirmation", case=case, user=user, proposal=proposal, entered_by=user, at=THEN)
    make("Sitting", case=case, user=user, submission=UUID(int=13), in_meeting=True, seconds=12.5, at=THEN)
    make("Decision", case=case, number=1, answers=EXCLUDE, rationale="Too vague.", made_by=user, voted=[1])
    decision = make("Decision", case=case, number=2, answers=INCLUDE, proposal=proposal, unclear="Is a hint a wish?",
                    made_by=user, submission=UUID(int=14), voted=[1])  # fmt: skip
    for version, verb in enumerate(("opened", "decided"), start=1):
        make("Event", case=case, version=version, actor=user, verb=verb, details={"number": version})
    case.state, case.decision, case.version = "decided", decision, 2
    case.save()
    place.revealed_at = place.routed_at = THEN
    place.save()


def leave_case_open(make: Make, found: Found) -> None:
    """One of another project that waits for somebody who decides it."""
    project = make("Project", name="Other names", slug="other", created_by=found("User"))
    protocol = make("Protocol", project=project, name="Pairs")
    version = make("ProtocolVersion", protocol=protocol, content=found("ProtocolVersion").content)
    round = make("Round", project=project, name="Other", protocol=version, seed=8, state="closed", closed_at=THEN,
                 item_count=1)  # fmt: skip
    item = make("Item", project=project, kind="review_rename", key="other", title="a → b",
                payload=found("Item").payload, digest="o" * 32, sameness="o" * 32)  # fmt: skip
    place = make("RoundItem", round=round, item=item, position=0, wanted=2, routed_at=THEN)
    make("Rule", round=round, way="adjudicator")
    make("Case", round_item=place, round=round, way="adjudicator", why="too_few", questions=["include"])


def make_releases(make: Make, found: Found) -> None:
    user, project = found("User"), found("Project")
    make("Release", project=project, number=1, name="First", notes="All.", rounds=[found("Round").pk], state="frozen",
         manifest={"files": ["items.csv"]}, statistics={"items": 2}, digest="f" * 64, archive="releases/1.zip",
         job=found("Job"), made_by=user, made_at=THEN)  # fmt: skip
    make("Release", project=project, number=2, name="Second", rounds=[], filters={"group": "acme"}, made_by=user)
    make(
        "Forerunner", project=project, number=3, manifest={"number": 3}, changes={"added": 1}, archive="releases/0.zip"
    )
    make("Pseudonym", project=project, user=user, number=5)
    make("Waiver", project=project, guard="typo", item="k1", leave_out=True, reason="It is one.", by=user, at=THEN)


def begin_study(make: Make, found: Found, name: str) -> Any:
    study = make("Study", project=found("Project"), name=name, seed=21, design={"sheets": 2}, source={"file": "m.csv"},
                 created_by=found("User"))  # fmt: skip
    for letter, key in zip("ABCD", PLACES[name], strict=False):
        make("Origin", study=study, key=key, label=key.title(), letter=letter)
    return study


def prepare_study(make: Make, found: Found, study: Any) -> None:
    """Material of which a part is masked, its texts, and a link for anybody."""
    user = found("User")
    for key, is_practice in (("m1", False), ("m2", True)):
        method = make("Method", study=study, key=key, group="acme", given="int count() {}", shown="int ▢() {}",
                      in_sample=not is_practice, is_practice=is_practice)  # fmt: skip
        for given in ("count", "size", "getCount"):
            make("Name", method=method, given=given, shown=f"{given}()", attention="no" if given == "size" else "")
    made = method.names.model._default_manager.filter(method__study=study).order_by("pk")
    origins = method._meta.apps.get_model("labeling", "Origin")._default_manager.filter(study=study).order_by("pk")
    for name, origin in zip(made, origins, strict=False):
        make("NameOrigin", name=name, origin=origin, given=f"{name.given} as written")
    make("Ruling", study=study, leak="name_in_body", method_key="m1", name="count", act="waive", reason="A word.",
         by=user, at=THEN)  # fmt: skip
    make("StudyText", study=study, version=1, content={"consent": "You agree."}, written_by=user, written_at=THEN)
    make("OpenLink", study=study, link_digest="l" * 64, made_by=user, revoked_at=THEN)


def answer_sheet(make: Make, study: Any) -> None:
    """One person took part, with an answer of each kind and one that is missing; one never came."""
    method = study.methods.order_by("pk").first()
    names = list(method.names.order_by("pk"))
    sheet = make("Sheet", study=study, number=1, plan=[[method.pk, [name.pk for name in names]]], replaces=2)
    person = make("Participant", study=study, number=1, label="First", link_digest="p" * 64, external_id="X1",
                  sheet=sheet, step="finished", started_at=THEN, seen_at=THEN, consent=study.texts.get(),
                  consented_at=THEN, background={"years": 3}, practised_at=THEN, exit_answer="Fine.",
                  ended_at=THEN, code="DONE")  # fmt: skip
    make("Participant", study=study, stage="pilot", number=2, link_digest="q" * 64)
    page = make("Page", participant=person, position=1, method=method, comment="Short.", first_seen_at=THEN,
                completed_at=THEN, active_seconds=30.5, idle_seconds=2, hidden_seconds=1)  # fmt: skip
    said = (("yes", ""), ("no", "convention"), ("", ""))
    for place, (name, (answer, reason)) in enumerate(zip(names, said, strict=True), start=1):
        make("Line", page=page, place=place, name=name, answer=answer, reason=reason,
             answered_at=THEN if answer else None, changes=place, revision=place)  # fmt: skip


def end_study(make: Make, found: Found, study: Any) -> None:
    """Frozen, open, closed and unblinded, with what was done otherwise and what was found."""
    user = found("User")
    make("FrozenPlan", study=study, content={"origins": list(PLACES[study.name])})
    make("Deviation", study=study, what="One sheet more.", by=user, at=THEN)
    make("Findings", study=study, stamp="s", figures={"yes": 1}, measured_at=THEN)
    for hours, what in enumerate(("piloted_at", "frozen_at", "opened_at", "closed_at", "unblinded_at")):
        setattr(study, what, THEN + timedelta(hours=hours))
    study.digest, study.frozen_by, study.unblinded_by = "d" * 64, user, user
    study.save()
