from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

import pytest
from django.conf import settings
from django.test import Client, RequestFactory
from pytest_django.fixtures import Settings

from annotator.addresses import client_address
from labeling.corpus.models import Project
from labeling.people.models import User

Enter = Callable[[User], Client]


def test_policy_lets_nothing_in_from_elsewhere(client: Client, db: None) -> None:
    policy = client.get("/login/")["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    assert "http" not in policy


def test_headers_are_on_every_answer(project: Project, alice: User, enter: Enter) -> None:
    client = enter(alice)
    for url in ("/", "/projects/names/", "/nothing/", "/api/v1/", "/healthz"):
        response = client.get(url)
        assert response["Content-Security-Policy"] == settings.CONTENT_SECURITY_POLICY
        assert response["X-Frame-Options"] == "DENY"
        assert response["X-Content-Type-Options"] == "nosniff"
        assert response["Referrer-Policy"] == "same-origin"
        assert response["Cache-Control"] == "private, no-store"


def test_static_files_are_served_and_kept_by_the_browser(client: Client, db: None) -> None:
    page = client.get("/login/").text
    start = page.index("/static/css/tokens")
    with closing(client.get(page[start : page.index('"', start)])) as response:
        assert response.status_code == 200
        assert "immutable" in response["Cache-Control"]


def test_pages_load_nothing_from_another_host(project: Project, alice: User, enter: Enter) -> None:
    page = enter(alice).get("/projects/names/").text
    assert 'src="http' not in page
    assert 'href="http' not in page
    assert "style=" not in page
    assert "<style" not in page


def test_cookies_are_closed_to_scripts(alice: User, client: Client) -> None:
    client.post("/login/", {"username": alice.email, "password": "correct horse battery"})
    cookie = client.cookies["sessionid"]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"


def test_form_without_its_token_is_refused_in_words(alice: User) -> None:
    client = Client(enforce_csrf_checks=True)
    response = client.post("/login/", {"username": alice.email, "password": "x"})
    assert response.status_code == 403
    assert "reload the page" in response.text


@pytest.mark.parametrize(
    ("proxies", "forwarded", "address"),
    [
        (0, "6.6.6.6", "1.1.1.1"),
        (1, "6.6.6.6, 2.2.2.2", "2.2.2.2"),
        (2, "6.6.6.6, 2.2.2.2, 3.3.3.3", "2.2.2.2"),
        (1, "", "1.1.1.1"),
    ],
)
def test_forwarded_address_counts_only_from_our_proxies(
    settings: Settings, proxies: int, forwarded: str, address: str
) -> None:
    settings.TRUSTED_PROXIES = proxies
    request = RequestFactory().get("/", headers={"X-Forwarded-For": forwarded} if forwarded else {})
    request.META["REMOTE_ADDR"] = "1.1.1.1"
    assert client_address(request) == address
