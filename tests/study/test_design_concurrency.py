"""Two coordinators at once: whatever is frozen is what was there, and nothing slips in behind it."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from django.db import OperationalError, connection

from labeling.corpus.models import Project
from labeling.people.models import Activity, User
from labeling.refusals import Refusal
from labeling.study.editing import change_design
from labeling.study.freezing import changed_parts, freeze_study
from labeling.study.loading import load_material
from labeling.study.models import Study
from labeling.study.origins import FrozenPlan
from labeling.study.planning import plan_study
from tests.study.designs import material, planned


def together(*acts: Callable[[], object]) -> list[str]:
    """Runs all at once; what became of each: done, or the sentence that refused it."""
    barrier = threading.Barrier(len(acts))
    ends: list[str] = []

    def run(act: Callable[[], object]) -> None:
        barrier.wait()
        try:
            act()
            ends.append("done")
        except (Refusal, OperationalError) as refusal:
            ends.append(str(refusal))
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=[act]) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return ends


@pytest.mark.django_db(transaction=True)
def test_two_freezes_make_one_plan(project: Project, alice: User) -> None:
    study = planned(project)
    ends = together(*[lambda: freeze_study(Study.objects.get(pk=study.pk), by=alice)] * 4)
    assert ends.count("done") == 1
    assert sum("is frozen since" in end for end in ends) == 3
    assert FrozenPlan.objects.count() == Activity.objects.filter(verb="froze").count() == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("change", ["design", "material", "plan"])
def test_change_comes_before_a_freeze_or_not_at_all(project: Project, alice: User, change: str) -> None:
    acts: dict[str, Callable[[Study], object]] = {
        "design": lambda study: change_design(study, design={"timeout_hours": 5}, by=None),
        "material": lambda study: load_material(study, material(9), source={}, by=None),
        "plan": lambda study: plan_study(study, by=None),
    }
    for _ in range(4):
        study = planned(project)
        ends = together(
            lambda pk=study.pk: freeze_study(Study.objects.get(pk=pk), by=alice),  # type: ignore[misc]
            lambda pk=study.pk: acts[change](Study.objects.get(pk=pk)),  # type: ignore[misc]
        )
        assert "done" in ends
        study.refresh_from_db()
        if study.is_frozen:
            assert changed_parts(study) == []
        else:
            assert any("has no plan of sheets yet" in end for end in ends)
