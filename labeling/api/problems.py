"""Every error of the API as problem details (RFC 9457), with one entry a field where fields are wrong."""

from __future__ import annotations

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from rest_framework.exceptions import APIException, NotFound, PermissionDenied as Forbidden, ValidationError
from rest_framework.response import Response
from rest_framework.views import set_rollback

from labeling.refusals import Refusal

CONTENT_TYPE = "application/problem+json"
ANY_REFUSAL = "4XX"
SCHEMA = {
    "type": "object",
    "description": "Why a call was refused (RFC 9457).",
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"field": {"type": "string"}, "detail": {"type": "string"}},
                "required": ["field", "detail"],
            },
        },
    },
    "required": ["type", "title", "status", "detail"],
}


def problem_response(error: Exception, context: dict[str, Any]) -> Response | None:
    """What DRF answers for an exception; None leaves it to Django, which answers 500."""
    set_rollback()
    if isinstance(error, Refusal):
        return problem(error.status, str(error))
    if isinstance(error, Http404):
        error = NotFound()
    elif isinstance(error, PermissionDenied):
        error = Forbidden(str(error) or None)
    if isinstance(error, ValidationError):
        return problem(400, "Some fields are not right.", errors=list(field_errors(error.detail)))
    if isinstance(error, APIException):
        return problem(error.status_code, str(error.detail), headers=headers_of(error))
    return None


def problem(status: int, detail: str, headers: dict[str, str] | None = None, **more: Any) -> Response:
    body = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": detail, **more}
    return Response(body, status=status, headers=headers, content_type=CONTENT_TYPE)


def field_errors(detail: Any, path: str = "") -> Iterator[dict[str, str]]:
    """One entry for each message, named by the path to its field."""
    if isinstance(detail, dict):
        for name, inner in detail.items():
            yield from field_errors(inner, f"{path}.{name}" if path else str(name))
    elif isinstance(detail, list):
        for index, inner in enumerate(detail):
            yield from field_errors(inner, path if isinstance(inner, str) else f"{path}[{index}]")
    else:
        yield {"field": path, "detail": str(detail)}


def headers_of(error: APIException) -> dict[str, str]:
    headers = {}
    if wait := getattr(error, "wait", None):
        headers["Retry-After"] = str(int(wait) + 1)
    if challenge := getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = challenge
    return headers


def describe_refusals(result: dict[str, Any], **_: object) -> dict[str, Any]:
    """Adds to the schema that every operation may be refused, and in which form. Called by drf-spectacular."""
    result["components"]["schemas"]["Problem"] = SCHEMA
    content = {CONTENT_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    for path in result["paths"].values():
        for operation in path.values():
            operation["responses"][ANY_REFUSAL] = {"description": "Refused.", "content": content}
    return result
