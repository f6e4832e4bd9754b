"""The replication archive: data, figures, tables, charts, a script that loads them, and the frozen plan. The same
answers give the same bytes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from annotator import __version__
from labeling.agreement.charts import as_file
from labeling.jobs.files import new_archive
from labeling.jobs.models import Job
from labeling.jobs.queue import enqueue
from labeling.jobs.running import JobError, Run
from labeling.people.models import User
from labeling.study.archives import KIND, NAME, remove_archives
from labeling.study.freezing import read_frozen
from labeling.study.models import Stage, Study
from labeling.study.results.analysing import analyse_study
from labeling.study.results.charts import CHARTS, chart
from labeling.study.results.comments import COLUMNS, Comment, comment_rows, comments_of, require_readable
from labeling.study.results.files import (
    LONG,
    Naming,
    as_csv,
    codebook,
    long_rows,
    participant_rows,
    wide_columns,
    wide_rows,
)
from labeling.study.results.gathering import Gathered, gather_study
from labeling.study.results.keeping import keep, require_begun, stamp_of, study_of
from labeling.study.results.reporting import as_latex, as_text
from labeling.study.results.revealing import origin_names, reveal
from labeling.study.taking.models import Step

SCRIPT = Path(__file__).parent / "replication" / "analysis.R"
LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the date of every file in the archive
README = """\
{study}: results{stage}

long.csv           one line a judgement
wide.csv           one line a method of a participant, a column an origin
participants.csv   what participants told about themselves, small groups masked
codebook.json      what every column and value means
results.json       all figures, with intervals and the reasons for those that are missing
results.txt        the main tables
results.tex        the tables and a paragraph on the methods, for LaTeX
analysis.R         loads the data in R and computes the main figures again
charts/            each as SVG and PDF
{comments}{plan}
{masked}Frozen plan: SHA-256 {digest}
Computed with {software}.
"""
MASKED = """\
The study is not unblinded: origins are letters, and methods and names are numbers.

"""
COMMENTS = (
    "comments.csv       what participants wrote: free text can tell who wrote it, so read it before you pass it on\n"
)
PLAN = "plan.json          the frozen plan; SHA-256 is over its member plan as JSON, names sorted, no blanks, UTF-8\n"


def start_export(study: Study, *, stage: str = Stage.MAIN, with_comments: bool = False, by: User | None) -> Job:
    """Comments are left out unless somebody asks for them, because the files are made to be passed on."""
    require_begun(study, stage)
    if with_comments:
        require_readable(study, stage)
    title = f"Files of {study}" if stage == Stage.MAIN else f"Files of the pilot of {study}"
    title += ", with comments" if with_comments else ""
    wanted = {"study": study.pk, "stage": stage, "with_comments": with_comments}
    return enqueue(KIND, project=study.project, by=by, title=title, **wanted)


def work_export(run: Run) -> dict[str, Any]:
    """The job: figures and files rest on one reading of the answers."""
    study, stage = study_of(run), run.arguments["stage"]
    run.expect(2, done=0)
    stamp = stamp_of(study, stage)
    gathered = gather_study(study, stage=stage)
    comments = comments_of(study, stage=stage) if run.arguments.get("with_comments") else None
    figures = analyse_study(gathered)
    with run.step(message="Figures"):
        keep(study, stage, stamp, figures)
    with new_archive(run.job, NAME) as archive:
        write_archive(archive, gathered, figures, comments)
    require_nobody_left(gathered)
    with run.step(message="Files"):
        pass
    return {"file": NAME, "judgements": figures["counts"]["judgements"]}


def require_nobody_left(gathered: Gathered) -> None:
    """Whoever had their answers deleted while the files were written must not be in them."""
    deleted = gathered.study.participants.filter(stage=gathered.stage, step=Step.DELETED).count()
    if deleted != gathered.standing[Step.DELETED]:
        remove_archives(gathered.study)
        raise JobError("Somebody had their answers deleted while the files were made. Make them again.")


def write_archive(
    archive: ZipFile, gathered: Gathered, figures: dict[str, Any], comments: list[Comment] | None = None
) -> None:
    for name, content in archive_files(gathered, figures, comments):
        info = ZipInfo(name, date_time=LONG_AGO)
        info.compress_type = ZIP_DEFLATED
        info.external_attr = 0o644 << 16
        archive.writestr(info, content)


def archive_files(
    gathered: Gathered, marked: dict[str, Any], comments: list[Comment] | None
) -> Iterator[tuple[str, bytes]]:
    """Name and content of each file; what an origin is called is decided once, for all of them."""
    study, names = gathered.study, origin_names(gathered.study, gathered.stage)
    figures, naming = reveal(marked, names), Naming(gathered, names)
    yield "README.txt", readme(gathered, with_comments=comments is not None).encode()
    yield "long.csv", as_csv(list(LONG), long_rows(gathered, naming)).encode()
    yield "wide.csv", as_csv(wide_columns(gathered, naming), wide_rows(gathered, naming)).encode()
    yield "participants.csv", as_csv(["question", "answer", "participants"], participant_rows(figures)).encode()
    if comments is not None:
        yield "comments.csv", as_csv(list(COLUMNS), comment_rows(comments)).encode()
    more = {"comments.csv": COLUMNS} if comments is not None else {}
    yield "codebook.json", as_json(codebook(gathered, naming, more))
    yield "results.json", as_json(describe_results(study, figures))
    yield "results.txt", as_text(figures).encode()
    yield "results.tex", as_latex(figures, digest=study.digest, software=software()).encode()
    yield "analysis.R", SCRIPT.read_bytes()
    for name in CHARTS:
        if spec := chart(name, figures):
            # With two weights of a font, or labels that are there and hidden, a PDF differs each time it is written.
            spec["config"]["title"]["fontWeight"] = "normal"
            for form in ("svg", "pdf"):
                yield f"charts/{name}.{form}", as_file(spec, form)
    if study.unblinded_at:
        yield "plan.json", as_json(read_frozen(study))


def readme(gathered: Gathered, *, with_comments: bool) -> str:
    study = gathered.study
    return README.format(
        study=study.name,
        stage="" if gathered.stage == Stage.MAIN else " of the pilot",
        comments=COMMENTS if with_comments else "",
        plan=PLAN if study.unblinded_at else "",
        masked="" if study.unblinded_at else MASKED,
        digest=study.digest or "none",
        software=software(),
    )


def describe_results(study: Study, figures: dict[str, Any]) -> dict[str, Any]:
    """All figures for a script, with what a reader must know about the study."""
    deviations = study.deviations.order_by("pk").values_list("at", "what")
    return {
        "study": study.name,
        "state": study.state,
        "masked": study.unblinded_at is None,
        "digest": study.digest,
        "deviations": [{"at": at.isoformat(), "what": what} for at, what in deviations],
        "software": software(),
        **figures,
    }


def as_json(content: Any) -> bytes:
    return (json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()


def software() -> str:
    """What computed the numbers, for the methods paragraph."""
    libraries = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "statsmodels"))
    return f"Concord {__version__} ({libraries})"
