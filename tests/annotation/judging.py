"""What tests do on the judging page in a browser."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from labeling.annotation.judging.addresses import private_number
from labeling.annotation.models import Vote


def start(page: Page) -> None:
    page.goto("/projects/names/judge/")
    expect(page.locator("#judging")).to_be_visible()


def ready(page: Page) -> None:
    """The next item has been fetched ahead."""
    page.wait_for_function("next.then(() => true)")


def shown(page: Page) -> int:
    return private_number(int(page.locator("#judging").get_attribute("data-assignment") or 0))


def wait_for(page: Page, happened: Callable[[], bool]) -> None:
    for _ in range(100):
        if happened():
            return
        page.wait_for_timeout(100)
    pytest.fail("It did not happen.")


def wait_for_votes(page: Page, count: int) -> None:
    wait_for(page, lambda: Vote.objects.count() >= count)
