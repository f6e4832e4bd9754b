"""Words that are code, in every place where a person's or a file's words are shown: in a real browser nothing of them
runs, nothing of them asks another host, and the content policy has nothing to stop."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.apps import apps
from django.db import DatabaseError, models, transaction
from playwright.sync_api import Dialog, Page, Request

from labeling.corpus.models import Project, Upload
from labeling.jobs.models import Job
from labeling.people.models import ApiToken, User
from labeling.study.models import StudyText
from labeling.study.taking.models import Participant
from tests.site.lively import furnished
from tests.site.test_pages import TAKING_PAGES, VARIANTS, pages, url_of
from tests.study.driving import Taker
from tests.study.studies import study_of

pytestmark = pytest.mark.django_db(transaction=True)
NewPage = Callable[..., Page]
HOSTILE = "'\"></pre><img src=https://evil.example/x onerror=ran=1><script>ran=1</script><svg onload=ran=1>{{7*7}}"
WORDS = re.compile(r"very_?long\w+", re.IGNORECASE)  # what the lively project is full of
LISTEN = """
window.stopped = [];
document.addEventListener("securitypolicyviolation", (event) => window.stopped.push(event.blockedURI));
"""


def poison() -> int:
    """Puts the code in the place of every long word of the database; how many rows had one."""
    count = 0
    for model in apps.get_app_config("labeling").get_models():
        fields = [
            one for one in model._meta.fields if type(one) in {models.CharField, models.TextField, models.JSONField}
        ]
        for row in model._base_manager.all() if fields else []:
            changed = {one.name: new for one in fields if (new := poisoned(one, getattr(row, one.name))) is not None}
            if changed:
                count += force(model, row.pk, changed)
    return count


def force(model: type[models.Model], pk: int, changed: dict[str, Any]) -> bool:
    """Past the managers that refuse a change; what the database itself keeps as it was made stays as it is."""
    with suppress(DatabaseError), transaction.atomic():
        models.QuerySet(model).filter(pk=pk).update(**changed)
        return True
    return False


def poisoned(field: models.Field[Any, Any], value: Any) -> Any:
    if isinstance(field, models.JSONField):
        text = json.dumps(value)
        return json.loads(WORDS.sub(lambda _: json.dumps(HOSTILE)[1:-1], text)) if WORDS.search(text) else None
    if not isinstance(value, str) or not WORDS.search(value):
        return None
    return WORDS.sub(lambda _: HOSTILE, value)[: field.max_length]


def poison_names() -> None:
    """What the long words do not reach."""
    User.objects.update(name=HOSTILE)
    Project.objects.update(name=HOSTILE, description=HOSTILE)
    ApiToken.objects.update(name=HOSTILE[:100])
    Job.objects.update(title=HOSTILE, error=HOSTILE)
    Upload.objects.update(name=f"{HOSTILE}.csv")
    Participant.objects.update(label=HOSTILE[:80], exit_answer=HOSTILE, background={"position": HOSTILE})
    for text in StudyText.objects.all():
        said = {name: value + HOSTILE if isinstance(value, str) and " " in value else value
                for name, value in text.content.items()}  # fmt: skip
        StudyText.objects.filter(pk=text.pk).update(content=said)


class Watched:
    """A page that notes what runs, what is asked of other hosts, and what the policy stops."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.faults: list[str] = []
        page.add_init_script(LISTEN)
        page.on("dialog", self.note_dialog)
        page.on("request", self.note_request)

    def note_dialog(self, dialog: Dialog) -> None:
        self.faults.append(f"a dialog: {dialog.message}")
        dialog.dismiss()

    def note_request(self, request: Request) -> None:
        if "evil" in request.url:
            self.faults.append(f"asked {request.url}")

    def visit(self, url: str) -> bool:
        """Whether the code stands on the page, as words."""
        response = self.page.goto(url)
        assert response
        assert response.status in {200, 409, 410, 422}, f"{url}: {response.status}"
        if self.page.evaluate("typeof ran") != "undefined":
            self.faults.append(f"{url}: something ran")
        if stopped := self.page.evaluate("window.stopped"):
            self.faults.append(f"{url}: the policy stopped {stopped}")
        return "{{7*7}}" in self.page.content()


@pytest.mark.timeout(600)
def test_pages_of_a_project_run_nothing(new_page: NewPage, project: Project, alice: User) -> None:
    places = furnished(project, alice, release=HOSTILE)
    assert poison() > 100
    poison_names()
    watched = Watched(new_page(alice))
    rows = [row for row in pages() if row["anonymous"] != "200" and not row["route"].startswith("taking:")]
    urls = [*(url_of(row, places) for row in rows), *(url.format(**places) for url in VARIANTS)]
    shown = [url for url in urls if watched.visit(url)]
    assert watched.faults == []
    assert len(shown) > len(urls) * 0.9, set(urls) - set(shown)


def test_pages_of_a_participant_run_nothing(new_page: NewPage, project: Project) -> None:
    study = study_of(project, methods=3, sheets=3, name="veryLongName")
    poison_names()
    taker = Taker(study)
    taker.begin()
    watched = Watched(new_page())
    watched.visit(urlsplit(taker.link).path)
    code = taker.participant.pages.get(position=1).code
    root = f"/s/{study.code}/"
    shown = [path for path in TAKING_PAGES.values() if watched.visit(root + path.format(page=code))]
    assert watched.faults == []
    assert len(shown) >= 2
