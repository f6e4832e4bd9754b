"""Mining as a job: read the pull requests of a source, look into each once, store what is found as items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from django.conf import settings

from labeling.corpus.importing import Options, import_list
from labeling.corpus.models import Project
from labeling.corpus.payloads import FieldError
from labeling.corpus.reading import read_jsonl
from labeling.jobs.models import Job
from labeling.jobs.queue import enqueue
from labeling.jobs.running import JobError, Run
from labeling.mining.candidates import candidates, naming_words_of
from labeling.mining.github.client import GitHub
from labeling.mining.github.exchanges import GitHubError, TokenError, UnreachableError
from labeling.mining.github.pulls import PullRequest, list_pulls, read_change
from labeling.mining.models import MinedChange, Stage
from labeling.mining.renames.history import GitError, Repository
from labeling.mining.reviews import ReviewedChange
from labeling.mining.sources import Clone, Found, Hosted, Source
from labeling.people.models import User

BATCH = 100
STATES = ["all", "merged", "closed", "open"]


def repositories_folder() -> Path:
    """Where clones lie that the mining page may use: a page must not reach any folder of the machine."""
    return Path(settings.VAR_DIR) / "repositories"


def start_mining(project: Project, *, by: User | None, **source: str) -> Job:
    """Mines `git` with `reviews` (a file), or `github` (owner/name) with `since`, `state` and perhaps `git`."""
    name = source.get("github") or Path(source["git"]).name
    return enqueue("mine", project=project, by=by, title=f"Mining of {name}", **source)


def mine(run: Run) -> dict[str, dict[str, int]]:
    """Notes the pull requests, then looks into every one that waits; what was done once is not done again."""
    project = run.job.project
    with ExitStack() as stack:
        try:
            source = open_source(run, stack)
            waiting = project.mined_changes.filter(stage=Stage.WAITING)
            run.expect(run.done + waiting.count(), done=run.done)
            while change := waiting.order_by("pk").first():
                problems: list[str] = []
                found = look_into(change, source, problems)  # may take long, so no transaction is open
                with run.step(message=str(change)):
                    store(change, found, problems)
        except (GitError, GitHubError, OSError) as error:
            raise JobError(str(error)) from error
    return {"funnel": project.mined_changes.all().funnel()}


def open_source(run: Run, stack: ExitStack) -> Source:
    """Notes what the source has of pull requests; where their files are to be had."""
    given = run.arguments
    clone = Clone(Repository(given["git"])) if given.get("git") else None
    if not given.get("github"):
        if clone is None:
            raise JobError("Nothing to mine was named: neither a repository of GitHub nor a clone.")
        with Path(given["reviews"]).open("rb") as file:
            note_changes(run, read_reviews(file))
        return clone
    github = stack.enter_context(open_github(run))
    since = datetime.fromisoformat(given["since"]).replace(tzinfo=UTC) if given.get("since") else None
    note_pulls(run, github, list_pulls(github, given["github"], state=given.get("state") or "merged", since=since))
    return clone or Hosted(github)


def open_github(run: Run) -> GitHub:
    def say(until: datetime, reason: str) -> None:
        with run.step(0, message=f"waits until {until:%H:%M:%S} UTC: {reason}"[:300]):
            pass

    return GitHub(
        settings.GITHUB_API_URL,
        settings.GITHUB_TOKEN,
        on_wait=say,
        cache_dir=Path(settings.VAR_DIR) / "github",
        fresh_since=run.job.created_at,
    )


def read_reviews(file: BinaryIO) -> Iterator[ReviewedChange]:
    """The pull requests of a JSONL file; a line that cannot be read stops everything, for the file would be cut."""
    for row in read_jsonl(file):
        try:
            if row.error:
                raise row.error
            yield ReviewedChange.read(row.data)
        except FieldError as error:
            raise JobError(f"Line {row.line} of the reviews: {error}.") from error


def note_changes(run: Run, changes: Iterable[ReviewedChange]) -> None:
    """Notes every pull request once; those that were noted before stay as they are."""
    stream = iter(changes)
    while batch := list(islice(stream, BATCH)):
        with run.step(0, message=f"reading the pull requests, up to {batch[-1].number}"):
            rows = [MinedChange(project=run.job.project, **noted(change)) for change in batch]
            MinedChange.objects.bulk_create(rows, ignore_conflicts=True)


def note_pulls(run: Run, github: GitHub, pulls: Iterator[PullRequest]) -> None:
    """Reads every pull request that is new, or was touched since we read it."""
    project, repository = run.job.project, run.arguments["github"]
    known = dict(project.mined_changes.filter(repository=repository).values_list("number", "read_at"))
    for pull in pulls:
        if pull.number in known and known[pull.number] >= pull.updated_at:
            continue
        fields = read_pull(github, repository, pull.number)
        with run.step(0, message=f"reading {repository}#{pull.number}"):
            identity = {"project": project, "repository": repository, "number": pull.number}
            MinedChange.objects.update_or_create(**identity, defaults=fields)


def read_pull(github: GitHub, repository: str, number: int) -> dict[str, object]:
    """What is noted of a pull request; one that GitHub will not give is noted as failed."""
    read_at = datetime.now(UTC)
    try:
        change = read_change(github, repository, number, wanted=lambda change: bool(naming_words_of(change)))
    except (TokenError, UnreachableError):
        raise
    except GitHubError as error:
        return {"record": {}, "has_naming_words": False, "stage": Stage.FAILED, "reason": str(error)[:500]}
    return {**noted(change), "stage": Stage.WAITING, "reason": "", "read_at": read_at}


def noted(change: ReviewedChange) -> dict[str, object]:
    return {
        "repository": change.repository,
        "number": change.number,
        "record": change.write(),
        "has_naming_words": bool(naming_words_of(change)),
    }


def look_into(change: MinedChange, source: Source, problems: list[str]) -> Found:
    """The renames of one pull request; a change whose reviews hold no naming word is not looked into."""
    if not change.has_naming_words:
        return Found()
    try:
        return source.find(ReviewedChange.read(change.record), problems.append)
    except (GitError, FieldError) as error:
        problems.append(str(error))
        return Found()


def store(change: MinedChange, found: Found, problems: list[str]) -> None:
    """Links what was found and stores it as items; what failed is said in the change's row."""
    try:
        judged = candidates(ReviewedChange.read(change.record), found.renames) if found.renames else []
        rows = [candidate.payload.write() for candidate in judged]
    except FieldError as error:
        judged, rows = [], []
        problems.append(str(error))
    change.commits, change.files, change.renames = found.commits, found.files, len(judged)
    change.linked = sum(candidate.is_linked for candidate in judged)
    change.items += import_list(rows, change.project, Options(kind="review_rename")).new
    change.stage = Stage.FAILED if problems else Stage.DONE
    change.reason = " ".join(problems)[:500]
    change.save()


def retry_failed(project: Project) -> int:
    """Puts the pull requests that failed back in line (or forgets those that were never read); how many there were."""
    failed = project.mined_changes.filter(stage=Stage.FAILED)
    unread, _ = failed.filter(record={}).delete()
    return unread + failed.update(stage=Stage.WAITING, reason="")
