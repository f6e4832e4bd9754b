"""Every page in a real browser: nothing for axe-core to complain about, nothing wider than the screen, both themes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from django.core.files.base import ContentFile
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone
from playwright.sync_api import Dialog, Page, expect

from labeling.annotation.judging.addresses import public_number
from labeling.annotation.judging.claiming import next_assignment
from labeling.annotation.judging.voting import skip
from labeling.annotation.models import Round
from labeling.annotation.protocols.codebook import Codebook
from labeling.annotation.protocols.editing import create_protocol
from labeling.annotation.rounds.views import ACTS
from labeling.consensus.acts import ACTS as CASE_ACTS
from labeling.consensus.adjudicating import hand_over
from labeling.consensus.deciding import propose
from labeling.consensus.models import Case
from labeling.consensus.routing import route_project
from labeling.consensus.talking import edit_message, post_message
from labeling.corpus.importing import new_item
from labeling.corpus.models import Project, Upload
from labeling.jobs.models import Job, State
from labeling.jobs.queue import enqueue
from labeling.people.activity import record
from labeling.people.invitations import add_member, invite
from labeling.people.models import ApiToken, Role, User
from labeling.release.checking import answer_findings, check_now
from labeling.release.choosing import choose
from labeling.study.freezing import freeze_study, note_deviation
from labeling.study.models import Method, Name
from labeling.study.taking.models import Line
from labeling.study.views import ACTS as STUDY_ACTS
from tests.agreement.projects import NO, YES, judged_round
from tests.annotation.protocols.samples import FULL
from tests.annotation.samples import opened_round
from tests.browsing import THEMES, accessibility_faults
from tests.conftest import PASSWORD
from tests.corpus.samples import method_pair, review_rename, text_pair
from tests.release.samples import released
from tests.study.designs import leaky, planned
from tests.study.driving import REASON, Taker
from tests.study.finished import computed
from tests.study.studies import study_of

pytestmark = pytest.mark.django_db(transaction=True)
NewPage = Callable[..., Page]

# Every page that is shown on GET, by the name of its route. A route that is in neither list fails a test below.
PAGES = {
    "people:account": "/account/",
    "people:password_change": "/account/password/",
    "people:members": "/projects/names/members/",
    "people:invited": "/projects/names/members/invited/{invitation}/",
    "people:remove": "/projects/names/members/{membership}/remove/",
    "people:activity": "/projects/names/activity/",
    "jobs:jobs": "/projects/names/jobs/",
    "jobs:job": "/projects/names/jobs/{job}/",
    "corpus:new": "/projects/new/",
    "corpus:settings": "/projects/names/settings/",
    "mining:mining": "/projects/names/mining/",
    "annotation:protocols": "/projects/names/protocols/",
    "annotation:new_protocol": "/projects/names/protocols/new/",
    "annotation:protocol": "/projects/names/protocols/{protocol}/",
    "annotation:protocol_version": "/projects/names/protocols/{protocol}/versions/1/",
    "annotation:edit_protocol": "/projects/names/protocols/{protocol}/edit/",
    "annotation:own_keys": "/projects/names/protocols/{protocol}/keys/",
    "corpus:items": "/projects/names/items/",
    "corpus:item": "/projects/names/items/{item}/",
    "corpus:upload": "/projects/names/items/upload/",
    "corpus:import": "/projects/names/items/upload/{upload}/",
    "corpus:surroundings": "/projects/names/items/{item}/class/",
    "annotation:rounds": "/projects/names/rounds/",
    "annotation:new_round": "/projects/names/rounds/new/",
    "annotation:round": "/projects/names/rounds/{round}/",
    "annotation:round_items": "/projects/names/rounds/{round}/items/?state=in_progress",
    "annotation:reminder": "/projects/names/rounds/{round}/raters/{rater}/reminder/",
    "annotation:work": "/projects/names/work/",
    "annotation:assignment": "/projects/names/judge/{assignment}/",
    "annotation:surroundings": "/projects/names/judge/{assignment}/class/",
    "agreement:agreement": "/projects/names/agreement/",
    "agreement:questions": "/projects/names/agreement/questions/?round={judged}",
    "agreement:pair": "/projects/names/agreement/pairs/?round={judged}&a=1&b=2&cell=0-1",
    "agreement:items": "/projects/names/agreement/items/?round={judged}&state=disagreed",
    "consensus:cases": "/projects/names/cases/",
    "consensus:bulk": "/projects/names/cases/alike/",
    "consensus:overview": "/projects/names/cases/overview/?round={judged}",
    "consensus:look_back": "/projects/names/cases/mine/",
    "consensus:rule": "/projects/names/rounds/{judged}/rule/",
    "consensus:case": "/projects/names/cases/{case}/",
    "consensus:meeting": "/projects/names/cases/{case}/meeting/",
    "consensus:surroundings": "/projects/names/cases/{case}/class/",
    "consensus:message": "/projects/names/cases/{case}/messages/{message}/",
    "release:releases": "/projects/names/releases/",
    "release:new": "/projects/names/releases/new/?filter=include%3Dyes",
    "release:release": "/projects/names/releases/2/",
    "release:changes": "/projects/names/releases/2/since/1/",
    "release:import": "/import-release/",
    "study:studies": "/projects/names/studies/",
    "study:new_study": "/projects/names/studies/new/",
    "study:sample_size": "/projects/names/studies/sample-size/",
    "study:simulator": "/projects/names/studies/simulator/",
    "study:study": "/projects/names/studies/{leaky_study}/",
    "study:design": "/projects/names/studies/{leaky_study}/design/",
    "study:texts": "/projects/names/studies/{leaky_study}/texts/",
    "study:material": "/projects/names/studies/{leaky_study}/material/",
    "study:leaks": "/projects/names/studies/{leaky_study}/leaks/",
    "study:plan": "/projects/names/studies/{planned_study}/plan/",
    "study:preview": "/projects/names/studies/{leaky_study}/preview/",
    "fieldwork:participants": "/projects/names/studies/{study}/participants/",
    "blindness:attack": "/projects/names/studies/{study}/attack/",
    "results:results": "/projects/names/studies/{study}/results/",
    "overview:projects": "/",
    "overview:home": "/projects/names/",
    "api:docs": "/api/v1/docs/",
}
# Pages that look different by what they are asked for.
VARIANTS = [
    "/projects/names/items/?duplicates=1",
    "/projects/names/items/{text_pair}/",
    "/projects/names/items/{method_pair}/",
    "/projects/names/items/upload/{upload}/?kind=method_pair",
    "/projects/names/agreement/?round={judged}",
    "/projects/names/agreement/?round={judged}&question=criteria&over=groups",
    "/projects/names/cases/{decided}/",
    "/projects/names/cases/{handed}/",
    "/projects/names/studies/{planned_study}/",
    "/projects/names/studies/{frozen_study}/",
    "/projects/names/studies/{frozen_study}/texts/",
    *(
        "/projects/names/studies/{leaky_study}/preview/?part=" + part
        for part in ("background", "instructions", "practice", "method", "end")
    ),
    "/projects/names/studies/sample-size/?population=400&confidence=0.95&margin=0.05&proportion=2&cluster_size=1&icc=0",
    (
        "/projects/names/studies/simulator/?sheets=4&methods_per_sheet=3&shared=0&shared_by=2&rates=a+0.2,b+0.6"
        "&participant_sd=0&preference_sd=0&method_sd=0&name_sd=0&alpha=0.05&repetitions=9&seed=1"
    ),
]
PUBLIC_PAGES = {
    "people:login": "/login/",
    "people:join": "/join/{token}/",
    "people:password_reset": "/password/",
    "people:password_reset_sent": "/password/sent/",
    "people:password_set": "/password/set/x/y/",
    "error": "/nothing/",
}
# Pages for somebody who came by a link to a study, in the order in which they come.
TAKING_PAGES = {
    "taking:home": "",
    "taking:background": "about-you/",
    "taking:instructions": "instructions/",
    "taking:practice": "practice/",
    "taking:page": "page/{page}/",
    "taking:end": "end/",
    "taking:thanks": "thanks/",
    "taking:leave": "leave/",
}
NOT_PAGES = {
    "healthz", "readyz", "metrics", "people:logout", "people:theme", "people:log_out_everywhere", "people:create_token",
    "people:revoke_token", "people:invite", "people:revoke", "jobs:cancel", "jobs:retry", "jobs:file", "corpus:archive",
    "corpus:restore", "corpus:export", "corpus:pick", "mining:start", "mining:start_github", "mining:retry",
    "overview:export_activity", "annotation:export_protocol", "annotation:export_version",
    "agreement:export", "agreement:chart", "release:check", "release:waive", "release:withdraw", "release:download",
    "release:file", "release:chart",
    "annotation:judge", "annotation:ahead", "annotation:draft", "annotation:skip", "annotation:back",
    *(f"consensus:{act}" for act in CASE_ACTS), "consensus:live", "consensus:sitting", "consensus:start_meeting",
    *(f"annotation:{act}" for act in ACTS), *(f"study:{act}" for act in STUDY_ACTS), "study:frozen_plan",
    "fieldwork:invite", "fieldwork:renew", "fieldwork:revoke", "fieldwork:open_link", "fieldwork:revoke_open_link",
    "taking:personal_link", "taking:open_link", "taking:start", "taking:answer", "taking:time", "taking:mine",
    "taking:nothing", "results:export", "results:chart",
}  # fmt: skip


def route_names(resolver: URLResolver, prefix: str = "") -> set[str]:
    names = set()
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLPattern):
            names.add(f"{prefix}{pattern.name}")
        elif pattern.namespace != "admin":
            names |= route_names(pattern, f"{pattern.namespace}:" if pattern.namespace else prefix)
    return names


def test_every_route_is_looked_at_or_known_to_be_no_page() -> None:
    known = set(PAGES) | set(PUBLIC_PAGES) - {"error"} | set(TAKING_PAGES) | NOT_PAGES
    routes = {name for name in route_names(get_resolver()) if not name.startswith("api:") or name == "api:docs"}
    assert routes == known


@pytest.fixture
def places(project: Project, alice: User) -> dict[str, Any]:
    """A project as full as life: long names, every state of a job and of an invitation."""
    record(project, by=alice, verb="imported", subject="a-very-long-file-name-without-any-blank-" * 6)
    Project.objects.filter(pk=project.pk).update(description="Which names do reviewers ask for, and why? " * 6)
    ApiToken.issue(user=alice, name="nightly export")
    long_address = f"{'very-long-name-' * 4}@{'department.' * 12}example.org"
    invitation, token = invite(project, email=long_address, role=Role.VIEWER, by=alice)
    for state in State.values:
        job = enqueue("work", project=project, by=alice, title=f"Job that is {state}")
        if state in {State.FINISHED, State.FAILED, State.CANCELLED}:
            Job.objects.filter(pk=job.pk).update(state=state, ended_at=timezone.now(), error="Row 7 has no name." * 9)
    failed = Job.objects.get(state=State.FAILED)
    wide = "veryLongNameWithoutAnyBlank" * 8
    for number in range(60):
        new_item(project, "review_rename", review_rename(number, thread=[{"body": wide, "linked": True}])).save()
    item = new_item(project, "review_rename", review_rename(1, body_before=f"void load1() {{\n\t{wide}();\n}}\n" * 90))
    item.save()
    new_item(project, "review_rename", review_rename(2), key=wide[:200]).save()  # a duplicate
    pairs = {"text_pair": text_pair(1, context=wide), "method_pair": method_pair(1, context=wide)}
    others = {kind: new_item(project, kind, row) for kind, row in pairs.items()}
    for other in others.values():
        other.save()
    content = ContentFile(b"buggy_name,fixed_name,body_before,colour\na,b,c,d\n")
    upload = Upload.objects.create(project=project, name="items.csv", uploaded_by=alice)
    upload.file.save("items.csv", content)
    protocol = create_protocol(project, codebook=long_codebook(), by=alice)
    add_member(project, user=alice, role=Role.ANNOTATOR, by=alice)
    round = opened_round(project, [alice], name=wide[:120], protocol=protocol.latest)
    skipped = next_assignment(alice, round)
    assert skipped
    skip(alice, skipped.pk, reason=wide)
    assignment = next_assignment(alice, round)
    assert assignment
    measured = judged(project, alice)
    release_twice(project, measured)
    study = study_of(project, methods=3, sheets=3, name=wide[:120])
    for taker in (Taker(study), Taker(study)):
        taker.judge_all(lambda place: ("no", REASON) if place % 2 else ("yes", ""))
        taker.finish()
    computed(study)
    return {
        "study": study.pk,
        "round": round.pk,
        **argued(measured, alice, wide),
        **studies(project, alice),
        "rater": round.raters.get().pk,
        "assignment": public_number(assignment.pk),
        "protocol": protocol.pk,
        "invitation": invitation.pk,
        "membership": alice.memberships.get(role=Role.COORDINATOR).pk,
        "job": failed.pk,
        "token": token,
        "item": item.pk,
        "upload": upload.pk,
        **{kind: other.pk for kind, other in others.items()},
    }


def studies(project: Project, alice: User) -> dict[str, int]:
    """One with leaks of every kind and long words, one that is planned, one that is frozen."""
    frozen = freeze_study(planned(project, alice), by=alice)
    note_deviation(frozen, "VeryLongWordWithoutAnyBlank" * 9, by=alice)
    return {
        "leaky_study": leaky(project, alice, wide="veryLongNameWithoutAnyBlank" * 5).pk,
        "planned_study": planned(project, alice).pk,
        "frozen_study": frozen.pk,
    }


def judged(project: Project, alice: User) -> Round:
    """A closed round with a long name, and raters who disagree."""
    people = [alice, *(User.objects.create_user(f"r{n}@example.org", name=f"VeryLongNameOfARater{n}") for n in "123")]
    for person in people[1:]:
        add_member(project, user=person, role=Role.ANNOTATOR, by=alice)
    rows = [[(YES, NO)[(number >> place) % 2] for place in range(4)] for number in range(project.items.count())]
    return judged_round(project, people, rows, name="JudgedRoundWithoutAnyBlank" * 4)


def argued(round: Round, alice: User, wide: str) -> dict[str, int]:
    """Three of its cases: one with much to say in it, one decided, one before an adjudicator."""
    route_project(round.project, by=None)
    case, decided, handed = round.cases.filter(pattern__startswith="include", round_item__item__kind="review_rename")[
        :3
    ]
    people = [rater.user for rater in round.raters.select_related("user")]
    propose(people[1], case.pk, submission=uuid4(), answers=NO, because=f"Because {wide} and `{wide}`.")
    propose(alice, case.pk, submission=uuid4(), answers=YES, because="Otherwise.")
    text = f"# {wide}\n\n> {wide}\n\n| {wide} | b |\n|---|---|\n| c | d |"
    message = post_message(alice, case.pk, submission=uuid4(), body=text)
    edit_message(alice, message.pk, body=f"{text}\n\n- {wide}", revision=1)
    for person in people:
        propose(person, decided.pk, submission=uuid4(), answers=NO, because=wide)
    judith = User.objects.create_user("judith@example.org", name=wide[:100])
    add_member(round.project, user=judith, role=Role.ADJUDICATOR, by=alice)
    hand_over(alice, handed.pk, None, seen=Case.objects.get(pk=handed.pk).version)
    return {"judged": round.pk, "case": case.pk, "decided": decided.pk, "handed": handed.pk, "message": message.pk}


def release_twice(project: Project, round: Round) -> None:
    """With findings of several guards; of the second release some wait for an answer still."""
    for wanted in ("include=yes", "include=no"):
        choice = choose(project, rounds=[round.name], filters=[wanted])
        found = check_now(choice).findings
        pairs = [(one.guard.value, one.item) for one in found]
        answer_findings(project, pairs, reason="VeryLongReasonWithoutAnyBlank" * 9, leave_out=False, by=None)
        released(project, rounds=(round.name,), filters=(wanted,), name="VeryLongName" * 12)
    project.waivers.filter(guard="near_duplicate", item__lt=found[len(found) // 2].item).delete()


def long_codebook() -> Codebook:
    """Every form of question, with words as long as they may be."""
    wide = "VeryLongWordWithoutAnyBlank" * 4
    options = [{"key": f"o{number}", "label": wide, "help": wide * 3, "hotkey": str(number)} for number in range(9)]
    last = {"key": "wide", "text": wide, "options": options, "when": {"question": "fit", "answers": ["no"]}}
    guideline = f"# {wide}\n\n| {wide} | b |\n|---|---|\n| c | {wide} |\n\n    {wide * 3}\n\n[{wide}](https://x.org)"
    questions = [
        {**asked, "options": [{**option, "hotkey": ""} for option in asked.get("options", [])]}
        for asked in FULL["questions"]
    ]
    return Codebook.read({"title": wide[:100], "questions": [*questions, last], "guideline": guideline})


def look_at(page: Page, url: str) -> None:
    page.goto(url)
    assert accessibility_faults(page) == [], url
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= page.viewport_size["width"], f"{url} is {width} px wide"  # type: ignore[index]
    expect(page.locator("h1")).to_have_count(1)
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((element) => element.id)")
    assert len(ids) == len(set(ids)), f"{url} uses an id twice: {ids}"


@pytest.mark.timeout(600)  # it looks at every page, and axe takes its time
@pytest.mark.parametrize("scheme", THEMES)
@pytest.mark.parametrize("width", [1440, 360])
def test_pages_of_a_coordinator(
    new_page: NewPage, places: dict[str, Any], alice: User, scheme: str, width: int
) -> None:
    page = new_page(alice, width=width, scheme=scheme)
    for url in [*PAGES.values(), *VARIANTS]:
        look_at(page, url.format(**places))


@pytest.mark.parametrize("scheme", THEMES)
@pytest.mark.parametrize("width", [1440, 360])
def test_pages_of_a_participant(new_page: NewPage, project: Project, scheme: str, width: int) -> None:
    study = study_of(project, methods=3, sheets=3)
    wide = "veryLongNameWithoutAnyBlank" * 6
    Name.objects.filter(pk__in=[name for _, names in study.sheets.all()[0].plan for name in names[:1]]).update(
        shown=wide
    )
    Method.objects.update(shown=f"void ___() {{\n\t{wide}();\n}}\n" * 30)
    page = new_page(width=width, scheme=scheme)
    taker = Taker(study)
    root = f"/s/{study.code}/"
    page.goto(urlsplit(taker.link).path)
    look_at(page, root)
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("heading", name="About you")).to_be_visible()
    taker.begin()  # the same person on another device
    code = taker.participant.pages.get(position=1).code
    for path in list(TAKING_PAGES.values())[1:-2]:
        look_at(page, root + path.format(page=code))
    page.goto(f"{root}page/{code}/")
    page.keyboard.press("n")
    page.get_by_role("button", name="Next method").click()
    expect(page.get_by_text("Each name needs an answer")).to_be_visible()
    assert accessibility_faults(page) == []
    Line.objects.update(answer="", reason="", revision=0)  # what was pressed here is unknown over there
    taker.judge_all()
    taker.finish()
    for path in ("thanks/", "leave/", "nothing/"):
        look_at(page, root + path)
    taker.post(taker.url("leave/"), {"choice": "delete"})
    look_at(page, f"{root}leave/")


@pytest.mark.parametrize("scheme", THEMES)
@pytest.mark.parametrize("width", [1440, 360])
def test_pages_of_a_stranger(new_page: NewPage, places: dict[str, Any], scheme: str, width: int) -> None:
    page = new_page(width=width, scheme=scheme)
    for url in PUBLIC_PAGES.values():
        look_at(page, url.format(**places))


@pytest.mark.parametrize("scheme", THEMES)
def test_pages_of_an_annotator_and_of_an_empty_account(
    new_page: NewPage, project: Project, bob: User, charlie: User, scheme: str
) -> None:
    look_at(new_page(bob, scheme=scheme), "/projects/names/")
    look_at(new_page(bob, scheme=scheme), "/projects/names/members/")
    look_at(new_page(charlie, scheme=scheme), "/")


@pytest.mark.parametrize("scheme", THEMES)
def test_forms_with_errors_and_an_open_menu(new_page: NewPage, project: Project, alice: User, scheme: str) -> None:
    page = new_page(alice, scheme=scheme)
    page.goto("/projects/names/settings/")
    page.get_by_label("Name of the project").fill("something else")
    page.get_by_role("button", name="Archive Names").click()
    expect(page.get_by_text("Type the name as it stands")).to_be_visible()
    page.locator("summary", has_text="Alice").click()
    assert accessibility_faults(page) == []


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


def test_hostile_names_run_no_script(new_page: NewPage, alice: User) -> None:
    from labeling.corpus.projects import create_project

    hostile = "<img src=x onerror=alert(1)>'\"</script><script>alert(2)</script>"
    project = create_project(name=hostile[:120], slug="hostile", description=hostile, by=alice)
    add_member(project, user=User.objects.create_user("x@example.org", name=hostile), role=Role.VIEWER, by=alice)
    page = new_page(alice)
    dialogs: list[str] = []

    def notice(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", notice)
    for url in ("/", "/projects/hostile/", "/projects/hostile/members/", "/projects/hostile/settings/"):
        page.goto(url)
    assert dialogs == []
