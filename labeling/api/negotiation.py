"""Which form an answer takes. There is one, so most callers need no search."""

from __future__ import annotations

from typing import Any

from rest_framework.negotiation import DefaultContentNegotiation

ANY = {"*/*", "application/json"}


class JsonNegotiation(DefaultContentNegotiation):
    def select_renderer(self, request: Any, renderers: Any, format_suffix: str | None = None) -> Any:
        if len(renderers) == 1 and request.META.get("HTTP_ACCEPT", "*/*") in ANY and not request.META["QUERY_STRING"]:
            return renderers[0], renderers[0].media_type
        return super().select_renderer(request, renderers, format_suffix)
