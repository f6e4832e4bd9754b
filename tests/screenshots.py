"""The pictures in the documentation, taken from the demo: `bin/test tests/screenshots.py` makes them anew."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from labeling.people.models import User
from tests.docs.demo import PICTURES, address, built_demo
from tests.docs.pages import DOCS
from tests.docs.shrinking import shrunk

WIDTH, HEIGHT = 1200, 680
TALL = {"case": 1000}  # what is shown stands further down
DRAWN = """() => [...document.images].every((one) => one.complete && one.naturalWidth
    || one.getBoundingClientRect().top > innerHeight)"""  # charts are drawn when somebody first asks for them


@pytest.mark.django_db(transaction=True)
@pytest.mark.timeout(900)
def test_pictures(new_page: Callable[..., Page]) -> None:
    demo = built_demo()
    (DOCS / "img").mkdir(exist_ok=True)
    for name, (who, path) in PICTURES.items():
        user = User.objects.get(email=f"{who}@example.org")
        page = new_page(user, width=WIDTH, height=TALL.get(name, HEIGHT))
        answer = page.goto(address(path, demo))
        assert answer is not None
        assert answer.ok, f"{name}: {answer.status} for {page.url}"
        page.wait_for_function(DRAWN)
        picture = page.screenshot()
        page.goto("about:blank")
        (DOCS / "img" / f"{name}.png").write_bytes(shrunk(picture, blank=page))
        page.context.close()
