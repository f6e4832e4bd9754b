"""Where names came from. No participant-facing module imports this one (a contract in pyproject.toml holds it), and no
relation leads from a name to here: who asks for an origin says so."""

from __future__ import annotations

from django.db import models

from labeling.study.models import Name, Study


class Origin(models.Model):
    """A source of names: a technique, or what people wrote. Until the study is unblinded it is only a letter."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="+", db_index=False)
    key = models.CharField(max_length=40)
    label = models.CharField(max_length=80)
    letter = models.CharField(max_length=3)  # shuffled: what masked results call it
    place = models.PositiveSmallIntegerField(default=0)  # among the origins as they were named, from 1

    class Meta:
        ordering = ["study", "letter"]
        constraints = [
            models.UniqueConstraint(fields=["study", "key"], name="origin_once_per_study"),
            models.UniqueConstraint(fields=["study", "letter"], name="origin_letter_once_per_study"),
        ]

    def __str__(self) -> str:
        return self.label


def labels_of(study: Study) -> dict[str, str]:
    """Labels by key, in the order in which the coordinator named the origins."""
    return dict(Origin.objects.filter(study=study).order_by("place", "key").values_list("key", "label"))


class NameOrigin(models.Model):
    """A name came from this origin. A name that several gave has several rows and is judged once."""

    name = models.ForeignKey(Name, on_delete=models.CASCADE, related_name="+", db_index=False)
    origin = models.ForeignKey(Origin, on_delete=models.PROTECT, related_name="+")
    given = models.CharField(max_length=300)  # as the origin wrote it

    class Meta:
        constraints = [models.UniqueConstraint(fields=["name", "origin"], name="origin_once_per_name")]

    def __str__(self) -> str:
        return f"origin {self.origin_id} of name {self.name_id}"


class FrozenPlan(models.Model):
    """All that was frozen, origins among it, as plain data; `Study.digest` is over it."""

    study = models.OneToOneField(Study, on_delete=models.PROTECT, primary_key=True, related_name="+")
    content = models.JSONField()

    def __str__(self) -> str:
        return f"frozen plan of study {self.study_id}"
