"""The demo's study: made by a worker, through the pages that participants use."""

from __future__ import annotations

import pytest
from django.urls import resolve

from labeling import tasks
from labeling.corpus.models import Project
from labeling.jobs import running
from labeling.jobs.models import Job
from labeling.overview.questionnaire import growing
from labeling.overview.questionnaire.material import methods
from labeling.people.models import User
from labeling.study.blindness.recording import Recorder
from labeling.study.models import Study
from labeling.study.taking.models import Line


def test_material_is_two_hundred_methods_with_four_names_each() -> None:
    items = list(methods())
    assert len({item["key"] for item, _ in items}) == 200
    assert all(len(names) == 4 for _, names in items)
    assert items == list(methods())
    some = [len({name["name"] for name in names}) for _, names in items]
    assert 3 in some  # now and then two origins give the same name
    for item, names in items:
        assert not any(f"{name['name']}(" in item["body"] for name in names)


def test_worker_makes_a_finished_study_by_its_pages(
    project: Project, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(growing, "DESIGN", {**growing.DESIGN, "sheets": 3, "methods_per_sheet": 2, "shared": 0})
    asked: list[str] = []
    ask = Recorder.ask

    def watched(self: Recorder, method: str, path: str, body: bytes, accept: str) -> object:
        asked.append(f"{method} {resolve(path).view_name}")
        return ask(self, method, path, body, accept)

    monkeypatch.setattr(Recorder, "ask", watched)
    job = growing.start_growing(project, by=alice)
    running.run(job.pk, tasks.WORK)
    job.refresh_from_db()
    assert job.state == "finished", job.error
    study = Study.objects.get()
    assert (study.state, study.participants.filter(step="finished").count()) == ("unblinded", 3)
    assert not Line.objects.filter(answer="").exists()
    assert asked.count("POST taking:page") == 6
    assert asked.count("POST taking:end") == 3
    assert Job.objects.filter(kind="analyse_study").exists()
