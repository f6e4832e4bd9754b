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

from labeling.annotation.protocols.codebook import LONGEST_LABEL
from labeling.corpus.models import Project, Upload
from labeling.jobs.models import Job
from labeling.people.models import ApiToken, User
from labeling.study.models import Method, Name, Study, StudyText
from labeling.study.taking.models import Page as Sheet, Participant
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
# The words of a page, and what stands in its fields and hints.
WRITTEN = """document.body.textContent + [...document.querySelectorAll("input, textarea, [title]")].map(
  (one) => one.value + one.title).join()"""


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


# What of a study's texts is shown as it was written; the rest are keys, forms and addresses.
SAID = {"title", "consent", "stored", "instructions", "question", "reason_question", "exit_question", "thanks",
        "contact", "text", "label", "help", "body", "name", "remark"}  # fmt: skip


def poison_study(study: Study) -> None:
    """All that a participant reads: each text ends in the code and in its own place, so that a page shows which."""
    texts = study.texts.get()
    StudyText.objects.filter(pk=texts.pk).update(content=said({**texts.content, "contact": "Ask us."}))
    java = f'void ___() {{\n  // {HOSTILE}comment\n  call("{HOSTILE}string");\n  {HOSTILE}body();\n}}\n'
    Method.objects.filter(study=study).update(shown=java)
    for name in Name.objects.filter(method__study=study):
        Name.objects.filter(pk=name.pk).update(shown=f"{HOSTILE}shown{name.pk}")


def said(value: Any, *place: str) -> Any:
    if isinstance(value, dict):
        return {name: said(one, *place, name) for name, one in value.items()}
    if isinstance(value, list):
        return [said(one, *place, str(number)) for number, one in enumerate(value)]
    code = HOSTILE + ".".join(place[-2:])
    return value[: LONGEST_LABEL - len(code)] + code if place[-1] in SAID and value else value


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


# What must stand on each page as words: places in the texts, and what was made of methods, names and answers.
READ = {
    "home": ["title", "consent", "stored", "contact"],
    "background": ["0.text", "0.label", "5.help", "answered"],
    "instructions": ["instructions"],
    "practice": ["practice.body", "0.name", "question", "reason_question", "4.label", "4.help"],
    "page": ["comment", "string", "body", "shown", "question", "reason_question", "0.label", "0.help", "remarked"],
    "end": ["title", "exit_question"],
    "thanks": ["thanks"],
    "leave": ["title"],
}


def test_pages_of_a_participant_run_nothing(new_page: NewPage, project: Project) -> None:
    study = study_of(project, methods=3, sheets=3)
    poison_study(study)
    taker = Taker(study)
    watched = Watched(new_page())
    watched.visit(urlsplit(taker.link).path)
    shown: dict[str, list[str]] = {}

    def look(route: str, page: str = "") -> None:
        watched.visit(taker.url(TAKING_PAGES[f"taking:{route}"].format(page=page)))
        words = watched.page.evaluate(WRITTEN)
        shown[route] = [place for place in READ[route] if f"{{{{7*7}}}}{place}" in words]

    look("home")
    taker.begin()
    Participant.objects.update(background={"position": f"{HOSTILE}answered"})
    Sheet.objects.update(comment=f"{HOSTILE}remarked")
    for route in ("background", "instructions", "practice"):
        look(route)
    look("page", taker.participant.pages.get(position=1).code)
    Sheet.objects.update(comment="")  # what the taker's pages know of
    taker.judge_all()
    look("end")
    taker.finish()
    look("thanks")
    look("leave")
    assert watched.faults == []
    assert shown == READ
    assert {f"taking:{route}" for route in shown} == set(TAKING_PAGES)
