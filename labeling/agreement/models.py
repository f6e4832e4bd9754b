"""What was measured last about a selection of votes, so that a page need not measure it again."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from labeling.corpus.models import Project


class Measurement(models.Model):
    """The figures of one selection as of its newest vote. They can be made again from the votes and the seed."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="measurements", db_index=False)
    digest = models.CharField(max_length=32)  # of what was chosen
    filters = models.JSONField()
    stamp = models.CharField(
        max_length=32
    )  # of the counts of its rounds: another one means that there is more to count
    newest_vote = models.PositiveBigIntegerField()
    votes = models.PositiveBigIntegerField()
    seed = models.BigIntegerField()
    figures = models.JSONField()
    measured_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "digest"], name="measurement_once_per_selection")]

    def __str__(self) -> str:
        return f"agreement on {self.filters.get('question', '')} as of vote {self.newest_vote}"
