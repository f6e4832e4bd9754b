"""Names that are code, in the charts: an SVG holds them as words, and nothing in it runs or asks another host."""

from __future__ import annotations

from collections.abc import Callable
from xml.etree import ElementTree

import pytest
from django.test import Client

from labeling.agreement.charts import CHARTS
from labeling.corpus.models import Item, Project
from labeling.people.models import User
from labeling.release.tables import charts
from tests.agreement.projects import NO, SPLIT, YES, judged_round
from tests.annotation.samples import annotators, items, protocol

Enter = Callable[[User], Client]
HOSTILE = "</text><script>ran=1</script><image href='https://evil.example/x' onload='ran=1'/>&amp;]]>"
DRAWING = {"svg", "g", "path", "rect", "line", "text", "tspan", "defs", "clipPath", "linearGradient", "stop"}


def faults(picture: str) -> list[str]:
    found = []
    for element in ElementTree.fromstring(picture).iter():  # noqa: S314 (our own)
        name = element.tag.rpartition("}")[2]
        if name not in DRAWING:
            found.append(name)
        found += [f"{name} {key}" for key in element.attrib if key.startswith("on") or key.endswith("href")]
    return found


def words(picture: str) -> str:
    return "".join(ElementTree.fromstring(picture).itertext())  # noqa: S314 (our own)


def test_charts_of_agreement_hold_names_as_words(project: Project, alice: User, enter: Enter) -> None:
    items(project, 4, groups=2)
    for item in Item.objects.all():
        Item.objects.filter(pk=item.pk).update(group=f"{item.group}{HOSTILE}")
    people = annotators(project, 2)
    for number, person in enumerate(people):
        User.objects.filter(pk=person.pk).update(name=f"{number}{HOSTILE}")
    version = protocol(project)
    judged_round(project, people, SPLIT, protocol=version, name=f"1{HOSTILE}")
    judged_round(project, people, [[YES, NO], [YES, YES], [NO, YES], [NO, NO]], protocol=version, name=f"2{HOSTILE}")
    client, told = enter(alice), set()
    for name in CHARTS:
        response = client.get(f"/projects/names/agreement/charts/{name}.svg")
        if response.status_code == 200:
            assert faults(response.text) == [], name
            told |= {name} if "</text><script" in words(response.text) else set()
    assert told >= {"pairs", "use", "round", "group"}


@pytest.mark.parametrize("name", ["answers", "agreement", "groups"])
def test_charts_of_a_release_hold_names_as_words(name: str) -> None:
    from labeling.agreement.charts import as_file

    share = {"share": 0.5, "low": 0.4, "high": 0.6}
    alpha = {"krippendorff_alpha": {"value": 0.5, "low": 0.4, "high": 0.6}}
    statistics = {
        "answers": [{"question": HOSTILE, "option": HOSTILE, **share}],
        "groups": [{"group": HOSTILE, "items": 3}],
    }
    made = charts(statistics, [{"round": HOSTILE, "question": HOSTILE, "coefficients": alpha}])
    picture = as_file(made[name], "svg").decode()
    assert faults(picture) == []
    assert "</text><script" in words(picture)
