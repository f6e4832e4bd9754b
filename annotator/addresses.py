"""Where a request comes from."""

from django.conf import settings
from django.http import HttpRequest
from rest_framework.request import Request


def client_address(request: HttpRequest | Request) -> str:
    """The caller's address; a forwarded one counts only as far as TRUSTED_PROXIES says that we wrote it."""
    forwarded = [hop.strip() for hop in request.headers.get("X-Forwarded-For", "").split(",") if hop.strip()]
    if settings.TRUSTED_PROXIES and len(forwarded) >= settings.TRUSTED_PROXIES:
        return str(forwarded[-settings.TRUSTED_PROXIES])
    return str(request.META.get("REMOTE_ADDR", ""))
