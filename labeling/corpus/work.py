"""Imports and exports of items as jobs: they go on after a killed worker, and count every row once."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import asdict, replace
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from labeling.corpus.exporting import item_numbers, write_items
from labeling.corpus.importing import Options, Outcome, Rejected, import_rows, rejected_line
from labeling.corpus.kinds import KINDS
from labeling.corpus.models import Project, Upload
from labeling.corpus.reading import format_of, read_rows
from labeling.corpus.searching import index_words
from labeling.jobs.files import folder, new_file
from labeling.jobs.models import Job
from labeling.jobs.queue import enqueue
from labeling.jobs.running import JobError, Run
from labeling.people.models import User
from labeling.refusals import Invalid

KIND = "import_items"
REJECTED = "rejected.jsonl"


def start_import(upload: Upload, *, by: User, options: Options, columns: Mapping[str, str] | None) -> Job:
    title = f"{'Trial import' if options.dry_run else 'Import'} of {upload.name}"
    arguments = {"upload": upload.pk, "options": asdict(options), "columns": columns}
    return enqueue(KIND, project=upload.project, by=by, title=title, **arguments)


def import_as_tried(upload: Upload, trial: Job, *, by: User) -> Job:
    """The import that was tried, with the same options and columns."""
    options = Options(**trial.arguments["options"])
    return start_import(upload, by=by, options=replace(options, dry_run=False), columns=trial.arguments["columns"])


def import_items(run: Run) -> dict[str, Any]:
    """Imports an upload, then makes the new items searchable."""
    upload = Upload.objects.get(pk=run.arguments["upload"])
    options = Options(**run.arguments["options"])
    try:
        if options.all_or_nothing and run.done == 0:
            refuse_if_bad(run, upload, replace(options, dry_run=True))
        outcome = import_upload(run, upload, options)
    except Invalid as error:
        raise JobError(str(error)) from error
    files = {"file": REJECTED} if gather_rejected(run.job) else {}
    if not options.dry_run:
        index_words(run.job.project, step=lambda _: run.step(0, message="making the items searchable"))
    return {"outcome": outcome.as_dict(), "dry_run": options.dry_run, **files}


def import_upload(run: Run, upload: Upload, options: Options) -> Outcome:
    """Goes on after the rows that an earlier attempt stored."""
    outcome = Outcome(**run.job.result["outcome"]) if run.done else Outcome()

    def done_with(outcome: Outcome, rejected: Rejected) -> None:
        keep_aside(run.job, outcome.rows, rejected)
        run.keep(outcome=outcome.as_dict())

    with Path(upload.file.path).open("rb") as file:
        run.expect(max(line_count(file), run.done), done=run.done)
        rows = read_rows(file, form=format_of(upload.name), kind=KINDS[options.kind], columns=run.arguments["columns"])
        rest = islice(rows, run.done, None)
        outcome = import_rows(rest, run.job.project, options, step=run.step, done_with=done_with, outcome=outcome)
    run.expect(run.done, done=run.done)
    return outcome


def refuse_if_bad(run: Run, upload: Upload, options: Options) -> None:
    """Looks through the whole file first, so that nothing at all is stored when one row is bad."""
    with Path(upload.file.path).open("rb") as file:
        rows = read_rows(file, form=format_of(upload.name), kind=KINDS[options.kind], columns=run.arguments["columns"])
        outcome = import_rows(
            rows,
            run.job.project,
            options,
            step=lambda _: nullcontext(),
            done_with=lambda outcome, rejected: keep_aside(run.job, outcome.rows, rejected),
        )
    if outcome.bad:
        gather_rejected(run.job)
        run.keep(outcome=outcome.as_dict(), file=REJECTED)
        raise JobError(f"{outcome.bad:,} of {outcome.rows:,} rows are bad, so nothing was imported.")


def line_count(file: BinaryIO) -> int:
    """At least as many as there are rows, however lines end."""
    file.seek(0)
    blocks = iter(lambda: file.read(1 << 20), b"")
    lines = sum(block.count(b"\n") + block.count(b"\r") - block.count(b"\r\n") for block in blocks) + 1
    file.seek(0)
    return lines


def keep_aside(job: Job, rows_so_far: int, rejected: Rejected) -> None:
    """The bad rows of one batch, in a file named by where the batch ends: done again, it is written again."""
    folder(job).mkdir(parents=True, exist_ok=True)
    path = folder(job) / f"rejected-{rows_so_far:012d}"
    if rejected:
        path.write_text("".join(rejected_line(row, error) for row, error in rejected))


def gather_rejected(job: Job) -> bool:
    """All bad rows in one file, in the order of the lines; whether there are any."""
    pieces = sorted(folder(job).glob("rejected-*"))
    if not pieces:
        return (folder(job) / REJECTED).exists()
    with new_file(job, REJECTED) as file:
        for piece in pieces:
            file.write(piece.read_text())
    for piece in pieces:
        piece.unlink()
    return True


def start_export(project: Project, *, by: User | None, kind: str, form: str) -> Job:
    title = f"Export of the items as {form.upper()}"
    return enqueue("export_items", project=project, by=by, title=title, items=kind, form=form)


def export_items(run: Run) -> dict[str, Any]:
    """Writes every item of a kind to a file that can be imported again."""
    project, kind, form = run.job.project, run.arguments["items"], run.arguments["form"]
    numbers = item_numbers(project, kind)
    run.expect(len(numbers), done=0)
    with new_file(run.job, f"items.{form}") as file:
        for count in write_items(file, numbers, kind=kind, form=form):
            with run.step(count):
                pass
    return {"file": f"items.{form}", "rows": run.done}
