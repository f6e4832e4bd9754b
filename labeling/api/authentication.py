"""Scripts come in with `Authorization: Bearer <API token>`."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.utils import timezone
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed, Throttled
from rest_framework.request import Request

from annotator import limits
from annotator.addresses import client_address
from labeling.people.models import ApiToken, User, digest
from labeling.statements import Given, Statement

WORTH_NOTING = timedelta(minutes=1)
# What a call of the API never looks at; every column costs its share of every vote.
UNREAD = ["name", "digest", "created_at", *(f"user__{name}" for name in ("password", "session_salt", "last_login"))]
TOKEN = Statement(
    lambda: ApiToken.objects.select_related("user").defer(*UNREAD).filter(digest=Given("digest")).order_by()
)


class TokenAuthentication(BaseAuthentication):
    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        scheme, _, secret = get_authorization_header(request).decode("latin-1").partition(" ")
        if scheme.lower() != "bearer":
            return None
        token = TOKEN.first(digest=digest(secret.strip()))
        if token is None or not token.user.is_active:
            count_stranger(request)
            raise AuthenticationFailed("This API token is not valid or was revoked.")
        now = timezone.now()
        if token.last_used_at is None or now - token.last_used_at > WORTH_NOTING:
            ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class Stranger(BaseAuthentication):
    """Comes last, and so only to those whom nothing else knows."""

    def authenticate(self, request: Request) -> None:
        count_stranger(request)


def count_stranger(request: Request) -> None:
    """Also those who are refused for it are counted, so that nobody tries one token after the other."""
    if limits.count(f"address-{client_address(request)}") > settings.API_RATE_ANONYMOUS:
        raise Throttled(limits.left())


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = TokenAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "description": "An API token from your account page."}
