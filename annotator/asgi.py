"""The entry for an ASGI server; `bin/run` and the container use wsgi.py."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotator.settings")

application = get_asgi_application()
