from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.test import Client, RequestFactory
from pytest_django.fixtures import Settings

from annotator.addresses import client_address
from annotator.environment import known_origin
from labeling.corpus.models import Project
from labeling.people.models import User
from tests.servers import ROOT

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
        (1, "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        (1, "::ffff:2.2.2.2", "2.2.2.2"),
    ],
)
def test_forwarded_address_counts_only_from_our_proxies(
    settings: Settings, proxies: int, forwarded: str, address: str
) -> None:
    settings.TRUSTED_PROXIES = proxies
    request = RequestFactory().get("/", headers={"X-Forwarded-For": forwarded} if forwarded else {})
    request.META["REMOTE_ADDR"] = "1.1.1.1"
    assert client_address(request) == address


@pytest.mark.parametrize(("plain", "secure"), [(True, False), (False, True)])
def test_theme_cookie_is_closed_to_scripts_and_other_sites(
    client: Client, db: None, settings: Settings, plain: bool, secure: bool
) -> None:
    settings.PLAIN_HTTP = plain
    client.post("/theme/", {"theme": "dark", "next": "/login/"})
    cookie = client.cookies["theme"]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    assert bool(cookie["secure"]) == secure
    assert cookie["max-age"] == 365 * 24 * 60 * 60


def test_word_of_a_stranger_that_this_is_https_counts_for_nothing(client: Client, db: None, settings: Settings) -> None:
    """Without a proxy of ours nobody wrote that header but the caller."""
    settings.SECURE_SSL_REDIRECT = True
    said = {"X-Forwarded-Proto": "https"}
    assert client.get("/login/", headers=said).status_code == 301
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")  # as TRUSTED_PROXIES sets it
    assert client.get("/login/", headers=said).status_code == 200


def test_header_is_believed_only_with_a_proxy() -> None:
    assert django_setting("SECURE_PROXY_SSL_HEADER") == "None"
    assert "HTTP_X_FORWARDED_PROTO" in django_setting("SECURE_PROXY_SSL_HEADER", TRUSTED_PROXIES="1")


def django_setting(name: str, **environment: str) -> str:
    """As a process with this environment has it."""
    code = f"from django.conf import settings; print(getattr(settings, {name!r}, None))"
    run = [sys.executable, "-c", code]
    variables = {**os.environ, "DJANGO_SETTINGS_MODULE": "annotator.settings", **environment}
    done = subprocess.run(run, cwd=ROOT, env=variables, capture_output=True, text=True)
    return (done.stdout or done.stderr.strip().splitlines()[-1]).strip()


@pytest.mark.parametrize("variable", ["PUBLIC_URL", "CSRF_TRUSTED_ORIGINS"])
@pytest.mark.parametrize(
    "value",
    ["concord.example.org", "ftp://x.org", "https://", "https://x.org/path", "https://u:p@x.org", "https://x.org:a"],
)
def test_address_that_is_none_is_refused_at_the_start(variable: str, value: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=f"{variable} must look like https://"):
        known_origin(variable, value)


@pytest.mark.parametrize("value", ["https://x.org", "http://127.0.0.1:8000", "http://[::1]:8000", "https://my-host"])
def test_address_that_is_one_is_taken(value: str) -> None:
    assert known_origin("PUBLIC_URL", value) == value


def test_wrong_address_stops_the_start_and_all_hosts_below_may_be_trusted() -> None:
    assert "PUBLIC_URL must look like" in django_setting("PUBLIC_URL", PUBLIC_URL="concord")
    with pytest.raises(ImproperlyConfigured):
        known_origin("PUBLIC_URL", "https://*.example.org")
    trusted = django_setting("CSRF_TRUSTED_ORIGINS", CSRF_TRUSTED_ORIGINS="https://a.org, https://*.example.org")
    assert trusted == "['https://a.org', 'https://*.example.org']"


@pytest.mark.parametrize("path", ["/login/", "/projects/names/items/upload/", "/api/v1/projects/"])
def test_body_that_is_too_large_is_refused_before_it_is_read(db: None, settings: Settings, path: str) -> None:
    settings.LARGEST_UPLOAD = 1024**2
    response = Client().generic("POST", path, b"x" * (1024**2 + 1), content_type="multipart/form-data; boundary=b")
    assert response.status_code == 413
    assert "larger than 1 MB" in response.text
    assert response["Content-Security-Policy"] == settings.CONTENT_SECURITY_POLICY
