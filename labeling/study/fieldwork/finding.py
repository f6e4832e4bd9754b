"""A study of a project, found by the words a human types."""

from __future__ import annotations

from labeling.corpus.models import Project
from labeling.refusals import Refusal
from labeling.study.models import Study


def find_study(project: Project, name: str) -> Study:
    found = project.studies.select_related("project").filter(name=name).first()
    if found is None:
        known = ", ".join(project.studies.values_list("name", flat=True)[:20]) or "none yet"
        raise Refusal(f"There is no study “{name}” in {project.slug}. Studies: {known}.")
    return found
