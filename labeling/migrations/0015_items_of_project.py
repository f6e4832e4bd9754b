from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models

INDEX = "labeling_item_project_id_79d60f44"  # Django makes the same name on every database


class Migration(migrations.Migration):
    """The index of the project alone repeated the beginning of three others, and each import had to write it. It is
    dropped by name: to alter the field, SQLite would copy all items."""

    dependencies = [("labeling", "0014_without_adjudicator")]

    operations = [
        migrations.RunSQL(
            f'DROP INDEX "{INDEX}"',
            reverse_sql=f'CREATE INDEX "{INDEX}" ON "labeling_item" ("project_id")',
            state_operations=[
                migrations.AlterField(
                    "item",
                    "project",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="items",
                        to="labeling.project",
                    ),
                )
            ],
        )
    ]
