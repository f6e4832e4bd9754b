"""Making a release: numbered at once, written by a job from one state of the database, and then frozen."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from django.db import transaction
from django.utils import timezone

from labeling.annotation.visibility import settled_items
from labeling.corpus.models import Project
from labeling.corpus.projects import lock
from labeling.jobs.models import Job
from labeling.jobs.queue import enqueue
from labeling.jobs.running import JobError, Run
from labeling.people.access import require_current
from labeling.people.activity import record
from labeling.people.models import User
from labeling.refusals import Invalid, Refusal
from labeling.release.cells import readable
from labeling.release.choosing import Choice, choice_of
from labeling.release.comparing import FIRST, compare, in_order
from labeling.release.documents import change_page
from labeling.release.finishing import manifest_facts, write_release
from labeling.release.gathering import prepare
from labeling.release.guards import Finding, unanswered
from labeling.release.models import Forerunner, Release, ReleaseState
from labeling.release.packing import MANIFEST, Folder, sha256_of
from labeling.release.pseudonyms import Veil, cover_names, draw_pseudonyms
from labeling.release.snapshot import snapshot
from labeling.release.storing import (
    clear_archive,
    clear_left_over,
    draft_archive,
    new_archive_name,
    place_archive,
    working_folder,
)
from labeling.release.writing import Pass, Writer

KIND = "make_release"
LONGEST_NAME = 200
LONGEST_NOTES = 20_000
SHOWN_IN_REFUSAL = 3
# Files that say what people did: where they are the same, nothing has happened.
DATA = ("items.jsonl", "benchmark.csv", "finals.csv", "votes.csv", "cases.csv", "rounds.json", "questions.csv")


@dataclass(frozen=True)
class Title:
    """What a release is called and what is said about it."""

    name: str
    notes: str = ""
    authors: str = ""
    licence: str = ""

    def __post_init__(self) -> None:
        for field, longest in {"name": LONGEST_NAME, "licence": 60}.items():
            text = getattr(self, field)
            if len(text) > longest or not text.isprintable():
                raise Invalid(f"{field}: must be one line of at most {longest} characters.")
        for field in ("notes", "authors"):
            text = getattr(self, field)
            if len(text) > LONGEST_NOTES or "\x00" in text:
                raise Invalid(f"{field}: at most {LONGEST_NOTES:,} characters are taken, and no NUL among them.")
        if not self.name.strip():
            raise Invalid("name: is empty.")


def usual_title(project: Project) -> Title:
    """As the release before was called; the first one as the project, or as the release it came from."""
    last = project.releases.frozen().first()
    if last:
        return Title(last.name, "", last.authors, last.licence)
    forerunner = Forerunner.objects.filter(project=project).first()
    if forerunner:
        return Title(**{name: forerunner.manifest["release"][name] for name in ("name", "notes", "authors", "licence")})
    return Title(project.name)


@transaction.atomic
def create_release(choice: Choice, title: Title, *, by: User | None) -> tuple[Release, Job]:
    """Takes the next number and starts the job. One release of a project is made at a time."""
    require_current(choice.project)
    project = lock(choice.project)
    for attempt in project.releases.filter(state=ReleaseState.MAKING).select_related("job"):
        if attempt.is_being_made:
            raise Refusal(f"Release {attempt.number} is being made. Wait until it is done, or cancel its job.")
        clear_archive(attempt.pk)
        attempt.delete()  # it failed: nothing of it was ever shown
    release = Release.objects.create(
        project=project,
        number=next_number(project),
        name=title.name.strip(),
        notes=title.notes.strip().replace("\r\n", "\n"),
        authors=title.authors.strip().replace("\r\n", "\n"),
        licence=title.licence.strip(),
        rounds=[round.pk for round in choice.rounds],
        filters=choice.filters,
        archive=new_archive_name(),
        made_by=by,
    )
    job = enqueue(KIND, project=project, by=by, title=f"Release {release.number} of {project}", release=release.pk)
    Release.objects.filter(pk=release.pk).update(job=job)
    release.job = job
    return release, job


def next_number(project: Project) -> int:
    last = project.releases.order_by("-number").values_list("number", flat=True).first()
    if last is not None:
        return last + 1
    forerunner = Forerunner.objects.filter(project=project).first()
    return forerunner.number if forerunner else 1


def make_release(run: Run) -> dict[str, Any]:
    """The job. An attempt that was cut short starts over: nothing is kept until all is there."""
    release = Release.objects.filter(pk=run.arguments["release"]).select_related("project").first()
    if release is None or release.is_frozen:
        raise JobError("This attempt was given up for a newer one." if release is None else f"{release} is frozen.")
    try:
        clear_left_over(release)
        with working_folder(release) as path:
            folder = Folder(path)
            choice = choice_of(release.project, release.rounds, release.filters)
            done = write_files(release, choice, folder, run)
            draft = draft_archive(folder)
            with run.step(message="frozen"):
                freeze(release, folder, done, draft)
    except Refusal as refusal:
        raise JobError(str(refusal)) from refusal
    return {"release": release.number, "digest": release.digest, "items": done.statistics["items"]["released"]}


def write_files(release: Release, choice: Choice, folder: Folder, run: Run) -> Pass:
    prepare(choice)
    draw_pseudonyms(choice.project)
    with snapshot() as aside:
        with aside():
            run.expect(settled_count(choice) + 1, done=0)

        def progress(count: int) -> None:
            with aside(), run.step(min(count, (run.job.total or 0) - run.job.done - 1)):
                pass

        choice = choice_of(choice.project, release.rounds, release.filters)  # as it is in the snapshot
        veil = Veil(choice.project)
        cover_names(choice, veil)
        writer = Writer(choice, veil, folder)
        done = writer.run(progress)
        require_answers(done.findings, writer)
        write_release(release, choice, folder, veil, done)
        changes = in_order(note_changes(release, folder))
        if changes["previous"] and release.number <= changes["previous"]["number"]:
            release.number = changes["previous"]["number"] + 1
            write_release(release, choice, folder, veil, done)
        folder.write("changes.json", readable(changes))
        folder.write("changes.md", change_page(changes))
        release.changes = {
            "previous": changes["previous"],
            **{name: len(changes[name]) for name in ("added", "removed", "changed")},
        }
        release.manifest = folder.finish(manifest_facts(release, choice, veil, done))
    return done


def settled_count(choice: Choice) -> int:
    return sum(settled_items(round.items.all()).count() for round in choice.rounds)


def require_answers(findings: list[Finding], writer: Writer) -> None:
    left = unanswered(findings, {(waiver.guard, waiver.item) for waiver in writer.waivers})
    if left:
        shown = "; ".join(f"{one.guard.label.lower()}: {one.item} ({one.about})" for one in left[:SHOWN_IN_REFUSAL])
        more = f"; and {len(left) - SHOWN_IN_REFUSAL:,} more" if len(left) > SHOWN_IN_REFUSAL else ""
        raise Refusal(f"{len(left):,} findings wait for an answer: {shown}{more}. Mend or waive each of them.")


def note_changes(release: Release, folder: Folder) -> dict[str, Any]:
    """Against the release before; in a project that was imported, against the one it came from."""
    before = release.project.releases.frozen().filter(number__lt=release.number).first()
    forerunner = Forerunner.objects.filter(project=release.project).first()
    if before is None and forerunner is not None:
        return changes_since_forerunner(forerunner, folder)
    if before is None:
        return dict(FIRST)
    return {"previous": {"number": before.number, "digest": before.digest}, **difference(before.archive.path, folder)}


def changes_since_forerunner(forerunner: Forerunner, folder: Folder) -> dict[str, Any]:
    known = {entry["path"]: entry["sha256"] for entry in forerunner.manifest["files"]}
    if all(known.get(name) == sha256_of(folder.path / name) for name in DATA):
        return dict(forerunner.changes)  # it is that release again
    digest = forerunner.manifest["digest"]
    return {"previous": {"number": forerunner.number, "digest": digest}, **difference(forerunner.archive.path, folder)}


def difference(archive: str, folder: Folder) -> dict[str, Any]:
    try:
        return compare(archive, folder.path)
    except (OSError, KeyError, BadZipFile) as error:
        raise Refusal(
            "The archive of the release before cannot be read, so what changed since cannot be told."
        ) from error


def freeze(release: Release, folder: Folder, done: Pass, draft: Path) -> None:
    """From here on it stays as it is."""
    if not Release.objects.select_for_update().filter(pk=release.pk, state=ReleaseState.MAKING).exists():
        raise JobError("This attempt was given up for a newer one.")
    place_archive(release, draft)
    release.statistics = {**done.statistics, "groups": done.statistics["groups"][:50], "agreement": done.agreement}
    release.digest = sha256_of(folder.path / MANIFEST)
    release.state, release.made_at = ReleaseState.FROZEN, timezone.now()
    release.save()
    released = done.statistics["items"]["released"]
    record(
        release.project, by=release.made_by, verb="froze", subject=str(release), digest=release.digest, items=released
    )


def copy_out(release: Release, target: Path) -> None:
    """Unpacks a release into a folder that is empty or not there yet."""
    require_empty(target)
    target.mkdir(parents=True, exist_ok=True)
    shutil.unpack_archive(release.archive.path, target, "zip")


def require_empty(target: Path) -> None:
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise Refusal(f"{target} is there already and not empty.")
