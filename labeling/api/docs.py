"""The API's documentation as a page of ours, made from the OpenAPI schema (ADR 6)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator

from labeling.api.problems import ANY_REFUSAL

METHODS = ["get", "post", "put", "patch", "delete"]


@dataclass(frozen=True)
class Operation:
    """One method of one address, as a reader wants to see it."""

    method: str
    path: str
    summary: str
    parameters: list[dict[str, Any]]
    request: str
    responses: list[tuple[str, str]]

    @property
    def anchor(self) -> str:
        return f"{self.method}{self.path}".replace("/", "-").replace("{", "").replace("}", "").rstrip("-")


@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    schema = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return render(request, "api/docs.html", {"operations": list(operations(schema)), "info": schema["info"]})


def operations(schema: dict[str, Any]) -> list[Operation]:
    """In the order of the addresses, each method once."""
    return [
        operation(schema, method, path, item[method])
        for path, item in schema["paths"].items()
        for method in METHODS
        if method in item
    ]


def operation(schema: dict[str, Any], method: str, path: str, spec: dict[str, Any]) -> Operation:
    return Operation(
        method=method,
        path=path,
        summary=spec.get("description", ""),
        parameters=spec.get("parameters", []),
        request=example_text(schema, spec.get("requestBody", {})),
        responses=[
            (status, example_text(schema, answer))
            for status, answer in spec["responses"].items()
            if status != ANY_REFUSAL  # the page says once for all how a refusal looks
        ],
    )


def example_text(schema: dict[str, Any], body: dict[str, Any]) -> str:
    """The shape of a JSON body as indented JSON, each leaf naming its type; empty for anything else."""
    content = body.get("content", {}).get("application/json")
    return json.dumps(shape(schema, content["schema"]), indent=2, ensure_ascii=False) if content else ""


def shape(schema: dict[str, Any], node: dict[str, Any]) -> Any:
    """Follows references down to the leaves."""
    if "$ref" in node:
        return shape(schema, schema["components"]["schemas"][node["$ref"].rsplit("/", 1)[1]])
    if variants := node.get("allOf") or node.get("oneOf"):
        return shape(schema, variants[0])
    if "enum" in node:
        return " | ".join(str(value) for value in node["enum"])
    if node.get("type") == "object" and "properties" in node:
        return {name: shape(schema, inner) for name, inner in node["properties"].items()}
    if node.get("type") == "array":
        return [shape(schema, node["items"])]
    return node.get("format") or node.get("type") or "any"
