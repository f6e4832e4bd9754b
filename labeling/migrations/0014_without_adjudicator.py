from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    """Cases that wait until somebody is found who decides them are few among many, and every page of work asks."""

    dependencies = [("labeling", "0013_queues")]

    operations = [
        migrations.AddIndex(
            "case",
            models.Index(
                fields=["project", "round"],
                condition=models.Q(adjudicator=None, state="open", way="adjudicator"),
                name="case_without_adjudicator",
            ),
        ),
    ]
