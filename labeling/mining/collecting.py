"""Mining as a job: read the pull requests of a source, look into each once, store what is found as items."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
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
from labeling.jobs.running import Cancelled, JobError, Run
from labeling.mining.candidates import candidates, naming_words_of
from labeling.mining.gate import shared_gate
from labeling.mining.github.client import GitHub
from labeling.mining.github.exchanges import GitHubError, TokenError, UnreachableError
from labeling.mining.github.pulls import PullRequest, list_pulls, read_change
from labeling.mining.models import MinedChange, MinedChangeQuerySet, Stage
from labeling.mining.renames.history import GitError, Repository
from labeling.mining.reviews import ReviewedChange
from labeling.mining.sharing import call_helpers, dismiss_helpers, work_through
from labeling.mining.sources import Clone, Found, Hosted, Source
from labeling.people.models import User

BATCH = 100
PAUSE = 0.5  # seconds between two looks at what other workers do
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
    with opened(run) as github:
        repositories = note_source(run, github)
        changes = run.job.project.mined_changes.filter(repository__in=repositories)
        source = {name: run.arguments.get(name, "") for name in ("git", "github")}
        call_helpers(changes.waiting(), run, repositories=repositories, **source)
        look_through(run, changes, source_of(run, github))
    dismiss_helpers(run)
    return {"funnel": run.job.project.mined_changes.all().funnel()}


def share_mining(run: Run) -> dict[str, int]:
    """Looks into pull requests that another job noted, for as long as that job lives and there are any."""
    parent = Job.objects.get(pk=run.arguments["parent"])
    changes = run.job.project.mined_changes.filter(repository__in=run.arguments["repositories"])
    if not parent.is_active:
        return {"pull_requests": 0}

    @contextmanager
    def step(message: str) -> Iterator[None]:
        with run.step(message=message):
            yield
            if not Job.objects.active().filter(pk=parent.pk, cancel_requested_at=None).exists():
                raise Cancelled

    with opened(run, fresh_since=parent.created_at) as github:
        work_through(changes, run, look=looking(source_of(run, github)), step=step)
    return {"pull_requests": run.done}


def look_through(run: Run, changes: MinedChangeQuerySet, source: Source) -> None:
    """Looks into every change, together with other workers, until none waits. Progress is what all of them did."""
    total = max(run.done + changes.waiting().count(), run.job.total or 0)

    @contextmanager
    def step(message: str) -> Iterator[None]:
        with run.step(0, message=message):
            yield
            run.expect(total, done=max(total - changes.waiting().count(), 0))

    with step("looking into the pull requests"):
        pass
    work_through(changes, run, look=looking(source), step=step)
    while left := changes.waiting().count():
        with step(f"other workers look into the last {left}"):
            pass
        time.sleep(PAUSE)
        work_through(changes, run, look=looking(source), step=step)


def looking(source: Source) -> Callable[[MinedChange], Callable[[], None]]:
    def look(change: MinedChange) -> Callable[[], None]:
        problems: list[str] = []
        found = look_into(change, source, problems)
        return lambda: store(change, found, problems)

    return look


@contextmanager
def opened(run: Run, *, fresh_since: datetime | None = None) -> Iterator[GitHub | None]:
    """GitHub where the source is there; what goes wrong with a source ends the job with its sentence."""
    try:
        with open_github(run, fresh_since) if run.arguments.get("github") else nullcontext() as github:
            yield github
    except (GitError, GitHubError, OSError) as error:
        raise JobError(str(error)) from error


def source_of(run: Run, github: GitHub | None) -> Source:
    """Where files are to be had: a clone when one is named, else GitHub."""
    if run.arguments.get("git"):
        return Clone(Repository(run.arguments["git"]))
    if github is None:
        raise JobError("Nothing to mine was named: neither a repository of GitHub nor a clone.")
    return Hosted(github)


def note_source(run: Run, github: GitHub | None) -> list[str]:
    """Notes what the source has of pull requests; the repositories that they belong to."""
    given = run.arguments
    if github is None:
        source_of(run, github)  # a clone that is not there is said before anything is noted
        with Path(given["reviews"]).open("rb") as file:
            return note_changes(run, read_reviews(file))
    since = datetime.fromisoformat(given["since"]).replace(tzinfo=UTC) if given.get("since") else None
    note_pulls(run, github, list_pulls(github, given["github"], state=given.get("state") or "merged", since=since))
    return [given["github"]]


def open_github(run: Run, fresh_since: datetime | None) -> GitHub:
    def say(until: datetime, reason: str) -> None:
        with run.step(0, message=f"waits until {until:%H:%M:%S} UTC: {reason}"[:300]):
            pass

    return GitHub(
        settings.GITHUB_API_URL,
        settings.GITHUB_TOKEN,
        on_wait=say,
        cache_dir=Path(settings.VAR_DIR) / "github",
        fresh_since=fresh_since or run.job.created_at,
        gate=shared_gate(),
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


def note_changes(run: Run, changes: Iterable[ReviewedChange]) -> list[str]:
    """Notes every pull request once, those that were noted before stay as they are; which repositories there were."""
    repositories: set[str] = set()
    stream = iter(changes)
    while batch := list(islice(stream, BATCH)):
        repositories |= {change.repository for change in batch}
        with run.step(0, message=f"reading the pull requests, up to {batch[-1].number}"):
            rows = [MinedChange(project=run.job.project, **noted(change)) for change in batch]
            MinedChange.objects.bulk_create(rows, ignore_conflicts=True)
    return sorted(repositories)


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
    return {**noted(change), "stage": Stage.WAITING, "reason": "", "claim": None, "read_at": read_at}


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
