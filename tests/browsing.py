"""A real Chromium for the tests that need one. Whatever it complains about fails the test."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.db import connection
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright
from pytest_django import DjangoDbBlocker

from labeling.people.models import User
from tests.servers import WebServer

THEMES = ["light", "dark"]
QUIET = ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]  # fmt: skip
# A page that answers 4xx on purpose makes the browser say so; that is no fault of the page.
EXPECTED = "Failed to load resource: the server responded with a status of 4"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "site" in getattr(item, "fixturenames", []):
            item.add_marker("browser")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    named = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=named, args=QUIET)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def site(django_db_setup: None, django_db_blocker: DjangoDbBlocker, _static_files: None) -> Iterator[str]:
    """The address of a real gunicorn on the database of the tests."""
    server = WebServer()
    yield server.url
    server.stop()
    with django_db_blocker.unblock():
        wait_while(lambda: sessions() > 0)  # PostgreSQL drops no database that somebody is in
        connection.close()  # beside a browser's loop we have one of our own, which nobody else would close


@pytest.fixture
def new_page(browser: Browser, site: str, transactional_db: None) -> Iterator[Callable[..., Page]]:
    """Opens pages of the site; whatever the browser complains about fails the test at its end."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []
    expected: list[str] = []

    def listen(message: ConsoleMessage) -> None:
        if any(text in message.text for text in expected):
            return
        about_the_page_itself = message.location.get("url", "") == message.page.url if message.page else False
        if message.type in {"error", "warning"} and not (about_the_page_itself and EXPECTED in message.text):
            complaints.append(f"{message.type}: {message.text} {message.location}")

    def open_page(
        user: User | None = None,
        *,
        width: int = 1440,
        height: int = 900,
        scheme: str = "light",
        javascript: bool = True,
        complaint: str = "",  # what the browser will say about a fault that the test makes on purpose
    ) -> Page:
        if complaint:
            expected.append(complaint)
        context = browser.new_context(
            base_url=site,
            viewport={"width": width, "height": height},
            color_scheme="dark" if scheme == "dark" else "light",
            reduced_motion="reduce",
            java_script_enabled=javascript,
        )
        context.set_default_timeout(15_000)
        contexts.append(context)
        if user is not None:
            context.add_cookies([{"name": "sessionid", "value": session_of(user), "url": site}])
        page = context.new_page()
        page.on("console", listen)
        page.on("pageerror", lambda error: complaints.append(f"script error: {error}"))
        return page

    yield open_page
    for context in contexts:
        context.close()
    let_the_site_finish()
    assert not complaints, complaints


def let_the_site_finish() -> None:
    """A page tells something even while it is closed. That must be stored before the tables are emptied: else the two
    wait for each other."""
    wait_while(lambda: sessions("AND state <> 'idle'") > 0)


def wait_while(condition: Callable[[], bool]) -> None:
    for _ in range(100):
        time.sleep(0.1)
        if not condition():
            return


def sessions(which: str = "") -> int:
    """How many others are in our database."""
    if connection.vendor != "postgresql":  # one writer waits for the other there, and a file has no sessions
        return 0
    others = f"datname = current_database() AND pid <> pg_backend_pid() {which}"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM pg_stat_activity WHERE {others}")  # noqa: S608 (our own words)
        (count,) = cursor.fetchone() or (0,)
    return int(count)


@pytest.fixture
def page(new_page: Callable[..., Page]) -> Page:
    return new_page()


def session_of(user: User) -> str:
    """A session as the log-in page makes it."""
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[-1]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    assert session.session_key
    return session.session_key


def accessibility_faults(page: Page) -> list[str]:
    """What axe-core finds on the page as it stands: nothing is expected."""
    found = Axe().run(page).response["violations"]
    return [f"{fault['id']}: {fault['help']} {[node['html'][:120] for node in fault['nodes']]}" for fault in found]
