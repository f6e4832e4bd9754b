"""The activity log as a file."""

from __future__ import annotations

import csv
import json
from typing import Any

from labeling.corpus.models import Project
from labeling.jobs.files import new_file
from labeling.jobs.models import Job
from labeling.jobs.queue import enqueue
from labeling.jobs.running import Run
from labeling.people.models import Activity, User
from labeling.spreadsheets import neutralise

COLUMNS = ["id", "at", "actor", "verb", "subject", "details"]
BATCH = 1000


def start_activity_export(project: Project, *, by: User | None) -> Job:
    newest = project.activities.order_by("-pk").values_list("pk", flat=True).first() or 0
    return enqueue("export_activity", project=project, by=by, title="Export of the activity log", newest=newest)


def export_activity(run: Run) -> dict[str, Any]:
    """Writes activity.csv, oldest first, up to the newest line there was when the work began."""
    newest = run.arguments["newest"]
    rows = Activity.objects.filter(project=run.job.project, pk__lte=newest).order_by("pk").select_related("actor")
    run.expect(rows.count(), done=0)
    with new_file(run.job, "activity.csv") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        last = 0
        while batch := list(rows.filter(pk__gt=last)[:BATCH]):
            with run.step(len(batch)):
                writer.writerows(cells(activity) for activity in batch)
            last = batch[-1].pk
    return {"file": "activity.csv", "rows": run.done}


def cells(activity: Activity) -> list[str]:
    actor = activity.actor.email if activity.actor else ""
    details = json.dumps(activity.details, ensure_ascii=False, sort_keys=True)
    texts = [actor, activity.verb, activity.subject, details]
    return [str(activity.pk), activity.at.isoformat(), *(neutralise(text) for text in texts)]
