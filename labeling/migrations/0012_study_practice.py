from __future__ import annotations

from typing import Any

from django.db import migrations, models

PRESETS = (("buggy", "fixed", "cognac", "gtnm"), ("stable", "cognac", "gtnm"))


def give_places(apps: Any, schema_editor: Any) -> None:
    """The order in which origins were named was not kept: those of a preset get its order, others that of their keys."""
    Origin = apps.get_model("labeling", "Origin")
    keys: dict[int, list[str]] = {}
    for study, key in Origin.objects.order_by("key").values_list("study", "key"):
        keys.setdefault(study, []).append(key)
    for study, those in keys.items():
        order = next((preset for preset in PRESETS if set(preset) == set(those)), tuple(those))
        for place, key in enumerate(order, start=1):
            Origin.objects.filter(study=study, key=key).update(place=place)


class Migration(migrations.Migration):
    """A practice item is a text of the study, never a method of its material; and origins have an order of their own."""

    dependencies = [("labeling", "0011_release_kept")]

    operations = [
        migrations.RemoveField(model_name="method", name="is_practice"),
        migrations.AddField(
            model_name="origin", name="place", field=models.PositiveSmallIntegerField(default=0)
        ),
        migrations.RunPython(give_places, migrations.RunPython.noop),
    ]
