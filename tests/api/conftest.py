from __future__ import annotations

import pytest

from labeling.annotation.models import Round
from labeling.corpus.models import Project
from labeling.people.models import User
from tests.annotation.samples import annotators, items, opened_round


@pytest.fixture
def ann(project: Project) -> User:
    return annotators(project, 2)[0]


@pytest.fixture
def round(project: Project, ann: User) -> Round:
    items(project, 5)
    return opened_round(project, [ann, User.objects.get(email="rater2@example.org")], repeat_every=4, repeat_distance=2)
