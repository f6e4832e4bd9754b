"""What is written in bulk is what was given, sign by sign, whichever way the engine takes it."""

from __future__ import annotations

import json

import pytest
from django.utils import timezone

from labeling.corpus.importing import new_entry
from labeling.corpus.models import Item, Project
from labeling.corpus.storing import insert_entries

TEXTS = ["plain", "\\.", "\\N", "a\tb\nc\rd\\te", '"quoted"', "größer – 名前 🙂", "\x01\x1f\x7f", "{}", "\\u0041"]


@pytest.mark.django_db
@pytest.mark.parametrize("text", TEXTS)
def test_every_sign_comes_back(text: str) -> None:
    project = Project.objects.create(name="P", slug="p")
    others = Project.objects.create(name="Q", slug="q")
    fields = {"first": text, "second": f"{text} again", "title": text, "group": text, "number": -1.5}
    before = timezone.now()
    for place in (others, project):
        insert_entries([new_entry("text_pair", fields, key=f"key {text}"), new_entry("text_pair", fields)], place)
    entry = new_entry("text_pair", fields, key=f"key {text}")
    item = project.items.earliest("pk")
    found = [item.kind, item.key, item.group, item.title, item.digest, item.sameness]
    assert found == [entry.kind, entry.key, entry.group, entry.title, entry.digest, entry.sameness]
    assert item.payload == json.loads(entry.payload)
    assert before <= item.imported_at <= timezone.now()
    assert Item.objects.filter(project=project).count() == 2


@pytest.mark.django_db
def test_nothing_is_nothing() -> None:
    insert_entries([], Project.objects.create(name="P", slug="p"))
    assert not Item.objects.exists()
