"""Which form an answer takes. There is one, so most callers need no search."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from rest_framework.negotiation import DefaultContentNegotiation

ANY = {"*/*", "application/json"}


@lru_cache(maxsize=100)
def takes_json(accepted: str) -> bool:
    """Whether a header names it outright. All else, with its weights and parameters, is left to the search."""
    return ";" not in accepted and not ANY.isdisjoint(part.strip() for part in accepted.split(","))


class JsonNegotiation(DefaultContentNegotiation):
    def select_renderer(self, request: Any, renderers: Any, format_suffix: str | None = None) -> Any:
        if (
            len(renderers) == 1
            and takes_json(request.META.get("HTTP_ACCEPT", "*/*"))
            and not request.META["QUERY_STRING"]
        ):
            return renderers[0], renderers[0].media_type
        return super().select_renderer(request, renderers, format_suffix)
