from __future__ import annotations

import gc
import weakref

import pytest
from django.http import HttpResponse
from django.test import RequestFactory

from annotator import middleware
from annotator.middleware import BodySizeMiddleware
from annotator.processes import give_back_memory


def test_memory_is_given_back_once_when_no_large_bodies_come_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    now, given_back = [0.0], []
    monkeypatch.setattr("annotator.middleware.time.monotonic", lambda: now[0])
    monkeypatch.setattr(middleware, "give_back_memory", lambda: given_back.append(now[0]))
    answer = BodySizeMiddleware(lambda _: HttpResponse())
    small, large = (RequestFactory().post("/", b"x" * size, content_type="text/plain") for size in (9, 1 << 19))
    for moment, request in enumerate([small, large, large, large, small, small, large, small], start=1):
        now[0] += 0.9 if moment == 5 else 2
        answer(request)
    assert given_back == [10.9, 14.9]


def test_what_refers_to_itself_is_given_back_too() -> None:
    answer = HttpResponse()
    answer.request = {"answer": answer}  # type: ignore[attr-defined]  # as an answer of the API keeps its request
    kept = weakref.ref(answer)
    gc.disable()
    try:
        del answer
        assert kept() is not None
        give_back_memory()
        assert kept() is None
    finally:
        gc.enable()
