"""Moving about in a real browser: by keyboard, without JavaScript, while work goes on."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from labeling.corpus.models import Project
from labeling.jobs.models import Job, State
from labeling.jobs.queue import enqueue
from labeling.people.models import User
from tests.browsing import accessibility_faults
from tests.conftest import PASSWORD

pytestmark = pytest.mark.django_db(transaction=True)
NewPage = Callable[..., Page]


def test_log_in_by_keyboard_and_skip_to_the_content(page: Page, project: Project, alice: User) -> None:
    page.goto("/login/")
    page.keyboard.type("alice@example.org")
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="My projects")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="New project")).to_be_focused()


def test_menu_closes_by_escape_and_keeps_the_focus(new_page: NewPage, project: Project, alice: User) -> None:
    page = new_page(alice)
    page.goto("/")
    menu = page.locator("details.menu")
    menu.locator("summary").press("Enter")
    expect(page.get_by_role("button", name="Log out")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Log out")).to_be_hidden()
    expect(menu.locator("summary")).to_be_focused()


def test_theme_is_chosen_against_the_system(new_page: NewPage, alice: User) -> None:
    page = new_page(alice, scheme="light")
    page.goto("/account/")
    light = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    page.locator("details.menu summary").click()
    page.get_by_role("button", name="Dark").click()
    expect(page).to_have_url(re.compile(r"/account/$"))
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") != light
    assert accessibility_faults(page) == []


def test_progress_moves_without_a_reload_and_keeps_the_focus(new_page: NewPage, project: Project, alice: User) -> None:
    job = enqueue("work", project=project, by=alice, title="Import")
    page = new_page(alice)
    page.goto(f"/projects/names/jobs/{job.pk}/")
    page.get_by_role("button", name="Cancel").focus()
    page.evaluate("window.sameDocument = true")
    Job.objects.filter(pk=job.pk).update(done=30, total=120)
    expect(page.get_by_text("30 of 120")).to_be_visible()
    expect(page.get_by_role("button", name="Cancel")).to_be_focused()
    assert page.evaluate("window.sameDocument")
    Job.objects.filter(pk=job.pk).update(state=State.FAILED, ended_at=timezone.now(), error="Row 31 has no name.")
    expect(page.get_by_text("Row 31 has no name.")).to_be_visible()
    expect(page.get_by_role("button", name="Try again")).to_be_visible()


def test_person_is_invited_and_joins_without_javascript(new_page: NewPage, project: Project, alice: User) -> None:
    page = new_page(alice, javascript=False)
    page.goto("/projects/names/members/")
    page.get_by_label("E-mail").fill("dora@example.org")
    page.get_by_label("Role").select_option("Adjudicator")
    page.get_by_role("button", name="Make the link").click()
    link = urlsplit(page.locator("#link").inner_text()).path
    guest = new_page(javascript=False)
    guest.goto(link)
    guest.get_by_label("Name").fill("Dora")
    guest.get_by_label("Password").fill("a long enough secret")
    guest.get_by_role("button", name="Create my account and join").click()
    expect(guest.get_by_text("You are here as adjudicator")).to_be_visible()
    expect(guest.get_by_role("heading", name="No cases yet")).to_be_visible()


def test_link_is_copied_by_a_button(new_page: NewPage, project: Project, alice: User) -> None:
    page = new_page(alice)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto("/projects/names/members/")
    page.get_by_label("E-mail").fill("dora@example.org")
    page.get_by_role("button", name="Make the link").click()
    page.get_by_role("button", name="Copy the link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.locator("#link").inner_text()
