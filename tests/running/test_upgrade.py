"""From the first schema to the newest, with rows in every table: nothing is lost, and code of 0006 can still write."""

from __future__ import annotations

import sys

from tests.running.conftest import Install

SOUND = """
from labeling.annotation.judging.claiming import next_in_project
from labeling.models import User, Vote
print(next_in_project(User.objects.get(), "names")[1].round_item.item.key, Vote.objects.count())
"""


def test_what_was_stored_under_the_first_schemas_is_there_under_the_newest(install: Install) -> None:
    upgraded = install("upgraded")
    done = upgraded.run(sys.executable, "-m", "tests.running.upgrading")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "96 rows of 54 models\n"
    upgraded.manage("migrate", "--check")
    upgraded.manage("makemigrations", "--check", "--dry-run")
    assert upgraded.manage("shell", "-v0", "-c", SOUND).split() == ["k1", "3"]
