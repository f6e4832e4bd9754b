"""The entry for gunicorn."""

import os

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotator.settings")

application = get_wsgi_application()
get_resolver().url_patterns  # loads every page before gunicorn forks, so that its processes share them  # noqa: B018
