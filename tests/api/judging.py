"""Judging by API, as a script does it."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from rest_framework.test import APIClient

from tests.annotation.samples import EXCLUDE

NEXT = "/api/v1/projects/names/next/"


def sent(**more: Any) -> dict[str, Any]:
    return {"submission": str(uuid4()), "answers": EXCLUDE, **more}


def taken(client: APIClient) -> int:
    number: int = client.post(NEXT).json()["assignment"]["id"]
    return number


def vote_url(pk: int) -> str:
    return f"/api/v1/assignments/{pk}/vote/"
