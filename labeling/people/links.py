"""Links for people, made outside a request."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.tokens import default_token_generator
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from labeling.people.models import User


def public_url(route: str, *arguments: str) -> str:
    return f"{settings.PUBLIC_URL}{reverse(route, args=arguments)}"


def invitation_link(token: str) -> str:
    return public_url("people:join", token)


def password_link(user: User) -> str:
    """With this link a person sets a password once, within PASSWORD_RESET_TIMEOUT."""
    uid = urlsafe_base64_encode(force_bytes(user.pk))
    return public_url("people:password_set", uid, default_token_generator.make_token(user))
