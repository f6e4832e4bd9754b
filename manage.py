#!/usr/bin/env python
"""Django's command line, with configuration faults said in one sentence."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotator.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
    from django.db import DatabaseError

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"annotator: {error}")
    except DatabaseError as error:
        sys.exit(f"annotator: the database does not answer: {error}".strip())


if __name__ == "__main__":
    main()
