"""Nobody tries one password, link or token after the other, and nobody learns who has an account."""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from typing import Any

import pytest
from axes.models import AccessAttempt
from django.core.mail import EmailMessage
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings
from rest_framework.test import APIClient

from annotator import limits
from labeling.corpus.models import Project
from labeling.people.models import ApiToken, User
from tests.conftest import PASSWORD
from tests.hashing import QuickHasher
from tests.jobs.waiting import wait_for
from tests.study.studies import study_of


@pytest.fixture(autouse=True)
def _one_window(monkeypatch: pytest.MonkeyPatch) -> None:
    """A minute that does not end in the middle of a test."""
    monkeypatch.setattr("annotator.limits.time.time", lambda: 1_800_000_010.0)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotator.limits.RATES", dict.fromkeys(limits.RATES, 3))


def test_log_in_is_tried_only_so_often_from_one_address(alice: User, few: None) -> None:
    statuses = [
        Client().post("/login/", {"username": f"{number}@example.org", "password": "x"}).status_code
        for number in range(5)
    ]
    assert statuses == [200, 200, 200, 429, 429]
    refused = Client().post("/login/", {"username": alice.email, "password": PASSWORD})
    assert refused.status_code == 429
    assert refused["Retry-After"] == "51"
    assert "Wait a minute" in refused.text
    elsewhere = Client(REMOTE_ADDR="10.0.0.9").post("/login/", {"username": alice.email, "password": PASSWORD})
    assert elsewhere.status_code == 302


def test_nobody_gets_more_tries_by_the_door_of_the_admin(db: None, few: None) -> None:
    doors = ["/admin/login/", "/login/", "/admin/login/", "/login/", "/admin/login/"]
    tries = [{"username": f"{number}@example.org", "password": "x"} for number in range(5)]
    statuses = [Client().post(door, sent).status_code for door, sent in zip(doors, tries, strict=True)]
    assert statuses == [200, 200, 200, 429, 429]


def test_addresses_of_one_network_of_ipv6_are_one(alice: User) -> None:
    """A network has more of them than anybody can count, and they cost nothing."""
    for number in range(5):
        client = Client(REMOTE_ADDR=f"2001:db8:1:2::{number:x}")
        client.post("/login/", {"username": alice.email, "password": "wrong"})
    right = {"username": alice.email, "password": PASSWORD}
    assert Client(REMOTE_ADDR="2001:db8:1:2::99").post("/login/", right).status_code == 429
    assert Client(REMOTE_ADDR="2001:db8:1:3::1").post("/login/", right).status_code == 302


def test_links_are_guessed_only_so_often(project: Project, few: None) -> None:
    study = study_of(project)
    urls = [
        "/join/x1/",
        "/join/x2/",
        f"/s/{study.code}/link/x3/",
        f"/s/{study.code}/link/x4/",
        f"/s/{study.code}/open/x5/",
    ]
    assert [Client().get(url).status_code for url in urls] == [410, 410, 410, 429, 429]


def test_wrong_tokens_are_counted_before_they_are_refused(alice: User, settings: Settings) -> None:
    settings.API_RATE_ANONYMOUS = 3
    statuses = [
        APIClient().get("/api/v1/me/", headers={"Authorization": f"Bearer wrong{number}"}).status_code
        for number in range(5)
    ]
    assert statuses == [401, 401, 401, 429, 429]
    _, secret = ApiToken.issue(user=alice, name="mine")
    assert APIClient().get("/api/v1/me/", headers={"Authorization": f"Bearer {secret}"}).status_code == 200


def test_calls_without_a_token_are_counted(db: None, settings: Settings) -> None:
    settings.API_RATE_ANONYMOUS = 3
    assert [APIClient().get("/api/v1/me/").status_code for _ in range(5)] == [401, 401, 401, 429, 429]
    refused = APIClient().get("/api/v1/")
    assert (refused.status_code, refused["Retry-After"]) == (429, "51")


def test_reset_is_asked_for_only_so_often_from_one_address(db: None, few: None) -> None:
    asked = [Client().post("/password/", {"email": f"{number}@example.org"}).status_code for number in range(5)]
    assert asked == [302, 302, 302, 429, 429]


def test_one_person_gets_only_so_many_mails_and_nobody_is_told(alice: User, mailoutbox: list[EmailMessage]) -> None:
    asked = [Client(REMOTE_ADDR=f"10.0.0.{n}").post("/password/", {"email": alice.email}) for n in range(6)]
    assert {response.status_code for response in asked} == {302}
    wait_for(lambda: len(mailoutbox) >= limits.MAILS)
    assert len(mailoutbox) == limits.MAILS


def test_reset_answers_as_quickly_to_strangers(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the mail server is."""
    monkeypatch.setattr(EmailMessage, "send", lambda *_, **__: time.sleep(3))
    started = time.monotonic()
    Client().post("/password/", {"email": alice.email})
    assert time.monotonic() - started < 2


@pytest.mark.parametrize("email", ["alice@example.org", "nobody@example.org", "gone@example.org"])
def test_log_in_costs_the_same_whether_or_not_there_is_an_account(
    alice: User, email: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What takes time is the hash of a password: it is made once for everybody."""
    User.objects.create_user("gone@example.org", PASSWORD, name="Gone", is_active=False)
    made: list[str] = []
    encode = QuickHasher.encode

    def counted(self: QuickHasher, *rest: Any, **more: Any) -> str:
        made.append("")
        return encode(self, *rest, **more)

    monkeypatch.setattr(QuickHasher, "encode", counted)
    Client().post("/login/", {"username": email, "password": "wrong words altogether"})
    assert len(made) == 1


def test_lockout_ends_after_a_quarter_of_an_hour(alice: User) -> None:
    for _ in range(5):
        Client().post("/login/", {"username": alice.email, "password": "wrong"})
    for minutes, status in ((14, 429), (16, 302)):
        AccessAttempt.objects.update(attempt_time=timezone.now() - timedelta(minutes=minutes))
        assert Client().post("/login/", {"username": alice.email, "password": PASSWORD}).status_code == status


def test_use_of_a_token_is_noted_once_a_minute(alice: User) -> None:
    _, secret = ApiToken.issue(user=alice, name="mine")
    seen = [last_use()]
    for _ in range(2):
        APIClient().get("/api/v1/me/", headers={"Authorization": f"Bearer {secret}"})
        seen.append(last_use())
    ApiToken.objects.update(last_used_at=timezone.now() - timedelta(minutes=2))
    APIClient().get("/api/v1/me/", headers={"Authorization": f"Bearer {secret}"})
    never, first, second, later = [*seen, last_use()]
    assert never is None
    assert first == second
    assert first
    assert later
    assert later > first > timezone.now() - timedelta(minutes=1)


def last_use() -> datetime | None:
    return ApiToken.objects.values_list("last_used_at", flat=True).get()
