"""The pictures in the documentation, taken from the demo: `bin/test tests/screenshots.py` makes them anew."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from labeling.annotation.models import Round
from labeling.overview.demo import build_demo
from labeling.people.models import User
from tests.servers import ROOT

FOLDER = ROOT / "docs" / "img"
PICTURES = {
    "home": ("coordinator", "/projects/demo/"),
    "judge": ("annotator3", "/projects/demo/judge/"),
    "round": ("coordinator", "/projects/demo/rounds/{round}/"),
    "agreement": ("coordinator", "/projects/demo/agreement/"),
}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("name", PICTURES)
def test_picture(new_page: Callable[..., Page], name: str) -> None:
    build_demo("only for the pictures")
    who, path = PICTURES[name]
    page = new_page(User.objects.get(email=f"{who}@example.org"), width=1200, height=680)
    page.goto(path.format(round=Round.objects.get(name="First round").pk))
    FOLDER.mkdir(exist_ok=True)
    page.screenshot(path=FOLDER / f"{name}.png")
