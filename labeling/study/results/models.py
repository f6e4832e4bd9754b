"""What was computed last about a study, so that a page need not compute it again."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from labeling.study.models import Stage, Study


class Findings(models.Model):
    """The figures of one stage. Origins have no name in here, only a mark: `revealing` says what it may be read as."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="+", db_index=False)
    stage = models.CharField(max_length=5, choices=Stage, default=Stage.MAIN)
    stamp = models.CharField(max_length=32)  # of what they rest on: another one means that they are out of date
    figures = models.JSONField()
    measured_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name_plural = "findings"
        constraints = [models.UniqueConstraint(fields=["study", "stage"], name="findings_once_per_stage")]

    def __str__(self) -> str:
        return f"{self.get_stage_display()} figures of study {self.study_id}"
