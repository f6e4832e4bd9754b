from __future__ import annotations

from typing import Any

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import OuterRef, Subquery


def take_from_rounds(apps: Any, schema_editor: Any) -> None:
    of_round = apps.get_model("labeling", "Round").objects.filter(pk=OuterRef("round_id")).values("project_id")
    apps.get_model("labeling", "Case").objects.update(project_id=Subquery(of_round[:1]))
    if schema_editor.connection.vendor == "postgresql":  # it changes no table whose foreign keys are still unchecked
        schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def project(*, null: bool) -> models.ForeignKey[Any, Any]:
    return models.ForeignKey(
        "labeling.project",
        on_delete=django.db.models.deletion.PROTECT,
        related_name="cases",
        db_index=False,
        null=null,
    )


class Migration(migrations.Migration):
    """A case knows its project, so that the queue of a project is read by an index, in its order; and items whose votes
    are all in and wait for an outcome are found among many that still wait for votes."""

    dependencies = [("labeling", "0012_study_practice")]

    operations = [
        migrations.AddField("case", "project", project(null=True)),
        migrations.RunPython(take_from_rounds, migrations.RunPython.noop),
        migrations.AlterField("case", "project", project(null=False)),
        migrations.RemoveIndex("case", "case_in_queue"),
        migrations.AddIndex("case", models.Index(fields=["round", "state"], name="case_of_round")),
        migrations.AddIndex(
            "case", models.Index(fields=["project", "state", "opened_at", "id"], name="case_of_project")
        ),
        migrations.AddIndex(
            "rounditem",
            models.Index(
                fields=["round", "id"],
                condition=models.Q(routed_at=None, votes__gte=models.F("wanted")),
                name="round_item_without_outcome",
            ),
        ),
    ]
