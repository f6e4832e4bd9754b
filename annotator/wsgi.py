"""The entry for gunicorn."""

from __future__ import annotations

import logging
import os
from typing import Any
from wsgiref.util import setup_testing_defaults

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotator.settings")


def warm_up() -> None:
    """Loads every page and answers one request, before there are processes to answer any: what only the first request
    makes or touches is then shared by all of them, 15 MB each. Nobody sent it, so it is neither counted nor logged."""
    from annotator.metrics import uncounted

    get_resolver().url_patterns  # noqa: B018
    host = "".join(settings.ALLOWED_HOSTS[:1]).lstrip(".*") or "localhost"
    asked: dict[str, Any] = {"PATH_INFO": "/login/", "HTTP_HOST": host, "wsgi.url_scheme": "https"}
    setup_testing_defaults(asked)
    logging.disable()
    with uncounted():
        application(asked, lambda *_: lambda _: None).close()
    logging.disable(logging.NOTSET)


application = get_wsgi_application()
warm_up()
