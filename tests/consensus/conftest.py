"""Three voters, and a case of theirs."""

from __future__ import annotations

import pytest

from labeling.consensus.models import Case
from labeling.corpus.models import Project
from labeling.people.models import User
from tests.annotation.samples import annotators
from tests.consensus.samples import disputed


@pytest.fixture
def people(project: Project) -> list[User]:
    return annotators(project, 3)


@pytest.fixture
def case(project: Project, people: list[User]) -> Case:
    return disputed(project, people)[0]
