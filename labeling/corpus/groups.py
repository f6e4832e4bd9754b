"""The groups of a project's items. Their index is walked from one group to the next, and each is counted only so far:
to read through all items takes longer than all else on a page where there are a million."""

from __future__ import annotations

from django.db import connection

from labeling.amounts import Amount
from labeling.corpus.models import Project

MOST_WALKED = 1_000
MOST_SHOWN = 200
MOST_COUNTED = 1_000  # items of one group

# Django has no word for a query that goes on from its own answer; both engines have the same.
WALK = """
WITH RECURSIVE walk(name, place) AS (
    SELECT MIN("group"), 1 FROM labeling_item WHERE project_id = %(project)s
    UNION ALL
    SELECT (SELECT MIN("group") FROM labeling_item WHERE project_id = %(project)s AND "group" > walk.name), place + 1
    FROM walk WHERE walk.name IS NOT NULL AND place < %(most_walked)s
)
SELECT name, (SELECT COUNT(*) FROM (
    SELECT 1 FROM labeling_item WHERE project_id = %(project)s AND "group" = walk.name LIMIT %(most_counted)s
) AS counted) FROM walk WHERE name IS NOT NULL
"""


def groups_of(project: Project) -> list[tuple[str, Amount]]:
    """The groups with the number of their items, largest first."""
    values = {"project": project.pk, "most_walked": MOST_WALKED, "most_counted": MOST_COUNTED + 1}
    with connection.cursor() as cursor:
        cursor.execute(WALK, values)
        found = [(name, Amount(count, MOST_COUNTED)) for name, count in cursor.fetchall()]
    return sorted(found, key=lambda row: (-row[1].found, row[0]))[:MOST_SHOWN]
