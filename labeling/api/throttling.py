"""How often one caller of the API may ask: a person by their account, everybody else by their address."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from rest_framework.throttling import BaseThrottle

from annotator import limits

if TYPE_CHECKING:  # DRF loads this module while it loads its views
    from rest_framework.request import Request
    from rest_framework.views import APIView


class CallerThrottle(BaseThrottle):
    """Those who are nobody were counted at the door: DRF turns them away before it asks here."""

    def allow_request(self, request: Request, view: APIView) -> bool:
        if not request.user.is_authenticated:
            return True
        return limits.shares.take(f"user-{request.user.pk}", most=settings.API_RATE_USER)

    def wait(self) -> float:
        return limits.left()
