"""Alice coordinates a project, Bob annotates in it, Charlie is an outsider. Servers are real."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.core.cache import cache
from django.core.management import call_command
from django.test import Client

from labeling import tasks
from labeling.corpus.models import Project
from labeling.corpus.projects import create_project
from labeling.jobs import running
from labeling.jobs.files import made_file
from labeling.jobs.models import Job, State
from labeling.people.invitations import add_member
from labeling.people.models import Role, User
from tests.emptying import let_tests_empty_everything
from tests.servers import Worker

pytest_plugins = ["tests.browsing"]

PASSWORD = "correct horse battery"


def pytest_configure() -> None:
    django_settings.PASSWORD_HASHERS = ["tests.hashing.QuickHasher"]  # a slow hash would test nothing more
    let_tests_empty_everything()


@pytest.fixture(scope="session", autouse=True)
def _static_files() -> None:
    call_command("collectstatic", interactive=False, verbosity=0)


@pytest.fixture(autouse=True)
def _nothing_left_over() -> None:
    cache.clear()
    for folder in (django_settings.MEDIA_ROOT, django_settings.VAR_DIR / "repositories"):
        shutil.rmtree(folder, ignore_errors=True)


def person(name: str, **fields: bool) -> User:
    return User.objects.create_user(f"{name.lower()}@example.org", PASSWORD, name=name, **fields)


@pytest.fixture
def alice(db: None) -> User:
    return person("Alice", can_create_projects=True)


@pytest.fixture
def bob(db: None) -> User:
    return person("Bob")


@pytest.fixture
def charlie(db: None) -> User:
    return person("Charlie")


@pytest.fixture
def project(alice: User, bob: User) -> Project:
    project = create_project(name="Names", slug="names", by=alice)
    add_member(project, user=bob, role=Role.ANNOTATOR, by=alice)
    return project


@pytest.fixture
def enter() -> Callable[[User], Client]:
    """A browser without pages: a client that is logged in as the person."""

    def log_in(user: User) -> Client:
        client = Client()
        client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
        return client

    return log_in


@pytest.fixture
def worker(transactional_db: None) -> Iterator[Callable[..., Worker]]:
    """Starts real workers on the test's database, and ends them after it."""
    started: list[Worker] = []

    def start(*, app: str = "annotator", redis_url: str = django_settings.REDIS_URL, lease: int = 3) -> Worker:
        started.append(Worker(app=app, redis_url=redis_url, lease=lease))
        return started[-1]

    yield start
    for process in started:
        process.stop()


@pytest.fixture
def run_job() -> Callable[[Job], Path]:
    """Runs a job here and now, without a worker; the file that it made."""

    def run(job: Job) -> Path:
        running.run(job.pk, tasks.WORK)
        job.refresh_from_db()
        assert job.state == State.FINISHED, job.error
        path = made_file(job)
        assert path is not None
        return path

    return run
