"""One JSON object a line, with the request it belongs to and nothing about a person."""

from __future__ import annotations

import json
import logging
import traceback
from contextvars import ContextVar
from datetime import UTC, datetime

request_id: ContextVar[str] = ContextVar("request_id", default="")


class JsonFormatter(logging.Formatter):
    """Writes time, level, logger, message, request id, and the fields given as `extra={"fields": {...}}`."""

    def format(self, record: logging.LogRecord) -> str:
        entry: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": self.message(record),
        }
        if request_id.get():
            entry["request"] = request_id.get()
        entry.update(getattr(record, "fields", {}))
        if record.exc_info and record.exc_info[1]:
            entry["error"] = where(record.exc_info[1])
        return json.dumps(entry, ensure_ascii=False, default=str)

    def message(self, record: logging.LogRecord) -> str:
        # Django and gunicorn put the path or the address of a failed request into their messages; a path can hold a
        # personal link.
        if record.name == "django.request" or (record.name == "gunicorn.error" and record.levelno >= logging.WARNING):
            return "request failed"
        return record.getMessage()


def where(error: BaseException) -> list[str]:
    """The kind of error and where it happened; its text is left out, because it may quote what a person wrote."""
    frames = traceback.extract_tb(error.__traceback__)
    return [type(error).__name__, *(f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames)]
