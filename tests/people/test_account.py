from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from axes.models import AccessAttempt
from django.conf import settings
from django.test import Client

from labeling.people.models import ApiToken, User
from tests.conftest import PASSWORD
from tests.jobs.waiting import wait_for

Enter = Callable[[User], Client]


def log_in(client: Client, email: str, password: str = PASSWORD) -> int:
    return client.post("/login/", {"username": email, "password": password}).status_code


def mail(outbox: list[object], number: int = 1) -> str:
    """The text of the mail that was sent as the so manieth; it goes out beside the answer."""
    wait_for(lambda: len(outbox) >= number)
    return str(getattr(outbox[number - 1], "body", ""))


def is_in(client: Client) -> bool:
    return client.get("/").status_code == 200


def test_log_in_and_out(alice: User, client: Client) -> None:
    assert log_in(client, " Alice@Example.org") == 302
    assert is_in(client)
    client.post("/logout/")
    assert not is_in(client)


def test_session_key_changes_at_log_in(alice: User, client: Client) -> None:
    client.get("/login/")
    client.session.save()
    before = client.session.session_key
    log_in(client, alice.email)
    assert client.session.session_key != before


def test_wrong_password_and_unknown_address_get_the_same_answer(alice: User) -> None:
    def answer(email: str) -> str:
        page = Client().post("/login/", {"username": email, "password": "wrong"}).text
        return re.sub(r'value="[^"]*"|name="csrfmiddlewaretoken"', "", page)

    assert answer("alice@example.org") == answer("nobody@example.org")
    assert "do not belong together" in answer("alice@example.org")


def test_sixth_attempt_is_turned_away_even_with_the_right_password(alice: User, bob: User) -> None:
    statuses = [log_in(Client(), alice.email, "wrong") for _ in range(5)]
    assert statuses[0] == 200
    locked = Client().post("/login/", {"username": alice.email, "password": PASSWORD})
    assert locked.status_code == 429
    assert "Too many attempts" in locked.text
    assert log_in(Client(), bob.email) == 302


def test_spelling_the_address_otherwise_gives_no_more_attempts(alice: User) -> None:
    for spelling in (
        "alice@example.org",
        "Alice@example.org",
        "ALICE@example.org",
        " alice@example.org",
        "aLice@example.org",
    ):
        Client().post("/admin/login/", {"username": spelling, "password": "wrong"})
    assert log_in(Client(), alice.email) == 429


def test_inactive_account_cannot_log_in(alice: User, client: Client) -> None:
    User.objects.update(is_active=False)
    assert log_in(client, alice.email) == 200
    assert not is_in(client)


def test_log_out_everywhere_ends_every_session(alice: User) -> None:
    here, there = Client(), Client()
    for client in (here, there):
        log_in(client, alice.email)
    here.post("/account/log-out-everywhere/")
    assert not is_in(here)
    assert not is_in(there)
    assert log_in(here, alice.email) == 302


def test_password_change_ends_other_sessions_and_keeps_this_one(alice: User) -> None:
    here, there = Client(), Client()
    for client in (here, there):
        log_in(client, alice.email)
    new = "entirely different words"
    change = {"old_password": PASSWORD, "new_password1": new, "new_password2": new}
    assert here.post("/account/password/", change).status_code == 302
    assert is_in(here)
    assert not is_in(there)
    assert log_in(Client(), alice.email, new) == 302


def test_password_reset_by_mail(alice: User, client: Client, mailoutbox: list[object]) -> None:
    assert client.post("/password/", {"email": "ALICE@example.org"}).status_code == 302
    body = mail(mailoutbox)
    link = re.search(r"http://[^/]+(/password/set/\S+)", body)
    assert link
    form_url = client.get(link[1], follow=True).redirect_chain[-1][0]
    new = "entirely different words"
    assert client.post(form_url, {"new_password1": new, "new_password2": new}).status_code == 302
    assert log_in(Client(), alice.email, new) == 302
    assert "used already" in Client().get(link[1], follow=True).text


def test_password_reset_tells_nobody_whether_an_account_exists(alice: User, mailoutbox: list[object]) -> None:
    known, unknown = (Client().post("/password/", {"email": email}) for email in (alice.email, "x@example.org"))
    assert known.status_code == unknown.status_code == 302
    assert known["Location"] == unknown["Location"]
    assert mail(mailoutbox)
    assert len(mailoutbox) == 1


def test_mail_without_a_server_is_written_to_a_folder() -> None:
    assert Path(settings.VAR_DIR, "mail") == settings.EMAIL_FILE_PATH


def test_token_is_shown_once_and_kept_as_a_digest(alice: User, enter: Enter) -> None:
    page = enter(alice).post("/account/tokens/", {"name": "nightly export"}).text
    secret = re.search(r'<output id="secret">([^<]+)</output>', page)
    assert secret
    assert secret[1] not in str(list(ApiToken.objects.values()))
    assert secret[1] not in enter(alice).get("/account/").text
    bearer = {"Authorization": f"Bearer {secret[1]}"}
    assert Client().get("/api/v1/me/", headers=bearer).json()["email"] == alice.email
    enter(alice).post(f"/account/tokens/{ApiToken.objects.get().pk}/revoke/")
    assert Client().get("/api/v1/me/", headers=bearer).status_code == 401


def test_nobody_revokes_anothers_token(alice: User, bob: User, enter: Enter) -> None:
    token, _ = ApiToken.issue(user=alice, name="mine")
    assert enter(bob).post(f"/account/tokens/{token.pk}/revoke/").status_code == 404
    assert ApiToken.objects.exists()


@pytest.mark.parametrize(("chosen", "kept"), [("dark", "dark"), ("light", "light"), ("", ""), ("purple", "")])
def test_theme_is_kept_in_the_browser(client: Client, db: None, chosen: str, kept: str) -> None:
    client.post("/theme/", {"theme": chosen, "next": "/login/"})
    page = client.get("/login/").text
    assert (f'data-theme="{kept}"' in page) == bool(kept)


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example/", "javascript:alert(1)"])
def test_theme_sends_nobody_elsewhere(client: Client, db: None, elsewhere: str) -> None:
    assert client.post("/theme/", {"theme": "dark", "next": elsewhere})["Location"] == "/"


def test_password_reset_revokes_what_another_may_have_made(
    alice: User, client: Client, mailoutbox: list[object]
) -> None:
    _, secret = ApiToken.issue(user=alice, name="not mine")
    client.post("/password/", {"email": alice.email})
    link = re.search(r"http://[^/]+(/password/set/\S+)", mail(mailoutbox))
    assert link
    form = client.get(link[1], follow=True).redirect_chain[-1][0]
    client.post(form, {"new_password1": "entirely different words", "new_password2": "entirely different words"})
    assert Client().get("/api/v1/me/", headers={"Authorization": f"Bearer {secret}"}).status_code == 401


def test_reset_link_does_not_follow_the_host_header(alice: User, mailoutbox: list[object]) -> None:
    Client(SERVER_NAME="localhost", SERVER_PORT="6666").post("/password/", {"email": alice.email})
    assert "6666" not in mail(mailoutbox)


def test_reset_reaches_people_who_never_set_a_password(db: None, client: Client, mailoutbox: list[object]) -> None:
    User.objects.create_user("new@example.org", name="New")
    client.post("/password/", {"email": "new@example.org"})
    assert mail(mailoutbox)


@pytest.mark.parametrize("address", ["x" * 100_000, "İ" * 250])
@pytest.mark.parametrize("url", ["/login/", "/admin/login/"])
def test_endless_address_is_refused_and_not_kept(db: None, client: Client, url: str, address: str) -> None:
    assert client.post(url, {"username": address, "password": "x"}).status_code == 200
    assert all(len(attempt.username or "") <= 254 for attempt in AccessAttempt.objects.all())


def test_failed_log_in_does_not_keep_an_invitation(alice: User, client: Client) -> None:
    client.post(
        "/login/?next=/join/secret-token/", {"username": alice.email, "password": "x", "next": "/join/secret-token/"}
    )
    assert "secret-token" not in str(list(AccessAttempt.objects.values()))


def test_odd_place_to_go_back_to_is_no_fault(client: Client, db: None) -> None:
    assert client.post("/theme/", {"theme": "dark", "next": "foo"}).status_code == 302
