"""Run in an empty installation: lives through every upgrade since the first schema, with rows from each stop."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import django
import pytest

django.setup()

from django.db import DatabaseError, connection, transaction  # noqa: E402
from django.db.migrations.executor import MigrationExecutor  # noqa: E402

from tests.annotation.samples import CODEBOOK, EXCLUDE, INCLUDE  # noqa: E402
from tests.corpus.samples import review_rename  # noqa: E402
from tests.running.upgrading_tenth import PLACES, Found, Make, fill_tenth  # noqa: E402

Rows = dict[str, dict[Any, dict[str, Any]]]
THEN = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
DROPPED = {("Method", "is_practice")}  # nothing ever set it


def fill_first(make: Make) -> None:
    """What there was at 0001: people and what they may do, a project, and long work."""
    user = make("User", email="ann@example.org", name="Ann", password="hashed")
    user.groups.create(name="Staff")
    permissions = user.user_permissions
    kinds = permissions.model._meta.get_field("content_type").related_model._default_manager
    permissions.create(name="Look", codename="look", content_type=kinds.create(app_label="labeling", model="project"))
    project = make("Project", name="Names", slug="names", created_by=user)
    make("ApiToken", user=user, name="script", digest="d" * 64)
    make("Membership", project=project, user=user, role="annotator")
    make("Invitation", project=project, email="bob@example.org", token_digest="t" * 64, created_by=user)
    make("Activity", project=project, actor=user, verb="created", details={"a": [1]})
    make("Job", project=project, kind="import_items", title="Import", state="finished", ended_at=THEN, result={"n": 2})
    make("Job", project=project, kind="mine", title="Mining", arguments={"where": "here"})


def fill_sixth(make: Make, found: Found) -> None:
    """What there was at 0006: items, a round that is open, votes with a revision, a draft and a skip."""
    user, project = found("User"), found("Project")
    payload = review_rename(1)
    items = [make("Item", project=project, kind="review_rename", key=f"k{n}", title="load → fetch", payload=payload,
                  digest=f"{n}" * 32, sameness=f"{n}" * 32) for n in range(2)]  # fmt: skip
    make("ItemWords", item=items[0], words="fetch load")
    make("Upload", project=project, name="items.csv", file="uploads/items.csv", uploaded_by=user)
    make("MinedChange", project=project, repository="acme/rockets", number=7, record={}, has_naming_words=True)
    make("GitHubPause", who="w" * 64, until=THEN, reason="limit")
    protocol = make("Protocol", project=project, name="Pairs")
    version = make("ProtocolVersion", protocol=protocol, content=CODEBOOK)
    make("KeyMap", user=user, protocol=protocol, keys={"yes": "y"})
    round = make("Round", project=project, name="First", protocol=version, seed=7, state="open", item_count=2,
                 votes_due=2)  # fmt: skip
    rater = make("Rater", round=round, user=user, number=1, tally=[1], completions=1)
    places = [
        make("RoundItem", round=round, item=item, position=n, wanted=1, votes=1 - n) for n, item in enumerate(items)
    ]
    held = {"round": round, "rater": rater, "slot": 1, "state": "held", "held_at": THEN}
    slots = [make("Assignment", round_item=place, position=n, **held) for n, place in enumerate(places)]
    for revision, answers in enumerate((EXCLUDE, INCLUDE), start=1):
        vote = make("Vote", assignment=slots[0], rater=rater, revision=revision, submission=UUID(int=revision),
                    protocol=version, answers=answers, note="Hm.")  # fmt: skip
    slots[0].state, slots[0].vote, slots[0].voted_at = "voted", vote, THEN
    slots[0].save()
    make("Draft", rater=rater, round_item=places[1], content={"note": "not yet"})
    make("Skip", assignment=slots[1], rater=rater, reason="I wrote it.")
    make(
        "Measurement",
        project=project,
        digest="m" * 32,
        filters={},
        stamp="s",
        newest_vote=2,
        votes=1,
        seed=7,
        figures={},
    )


def write_as_before(make: Make, found: Found) -> None:
    """What code of 0006 would write while the newest schema is there already."""
    slot, rater = found("Assignment"), found("Rater")
    make("Vote", assignment=slot, rater=rater, revision=3, submission=UUID(int=3), protocol=found("ProtocolVersion"),
         answers=EXCLUDE)  # fmt: skip
    item = make("Item", project=found("Project"), kind="review_rename", key="late", title="Late", payload={},
                digest="l" * 32, sameness="l" * 32)  # fmt: skip
    make("RoundItem", round=found("Round"), item=item, position=2, wanted=1)
    make(
        "MinedChange", project=found("Project"), repository="acme/rockets", number=8, record={}, has_naming_words=False
    )


class Schema:
    """The models as they were at a migration, and their rows."""

    def __init__(self, name: str) -> None:
        executor = MigrationExecutor(connection)
        executor.migrate([target for target in executor.loader.graph.leaf_nodes() if target[0] != "labeling"])
        executor = MigrationExecutor(connection)
        executor.migrate([("labeling", name)])
        self.apps = models_at(name)

    def manager(self, model: str) -> Any:
        return self.apps.get_model("labeling", model)._default_manager

    def make(self, model: str, **fields: Any) -> Any:
        return self.manager(model).create(**fields)

    def found(self, model: str) -> Any:
        return self.manager(model).order_by("pk").first()

    def rows(self) -> Rows:
        """Every row, by the name of its model and its key."""
        return {
            model.__name__: {row[model._meta.pk.attname]: row for row in model._default_manager.values()}
            for model in stored_models(self.apps)
        }


def names_of_migrations() -> list[str]:
    return sorted(name for app, name in MigrationExecutor(connection).loader.graph.nodes if app == "labeling")


def models_at(name: str) -> Any:
    return MigrationExecutor(connection).loader.project_state(("labeling", name)).apps


def stored_models(apps: Any) -> Iterator[Any]:
    """Each has a table of its own; those between people and their groups and permissions are among them."""
    yield from apps.get_app_config("labeling").get_models(include_auto_created=True)


def assert_every_table_was_filled(before: Rows, name: str) -> None:
    """Of those that there were at this migration, the last but one: nothing came after the tables of the last."""
    empty = [model.__name__ for model in stored_models(models_at(name)) if not before.get(model.__name__)]
    assert not empty, f"no stop makes a row of {', '.join(empty)}, so no migration has met any"


def assert_kept(before: Rows, after: Rows) -> None:
    for model, rows in before.items():
        for key, row in rows.items():
            was = {field: value for field, value in row.items() if (model, field) not in DROPPED}
            kept = {field: value for field, value in after[model].get(key, {}).items() if field in was}
            assert kept == was, f"{model} {key}: {was} became {kept}"


def assert_moved_along(newest: Schema) -> None:
    """What migrations made of rows that were there: cases know their project, and origins have places."""
    of_rounds = dict(newest.manager("Case").values_list("project__slug", "round__project__slug"))
    assert of_rounds == {"names": "names", "other": "other"}, of_rounds
    for study, places in PLACES.items():
        given = dict(newest.manager("Origin").filter(study__name=study).values_list("key", "place"))
        assert given == places, f"{study}: {given}"


def assert_still_frozen(newest: Schema) -> None:
    """A release that was frozen before there was a trigger against its removal is held by it too."""
    frozen = newest.manager("Release").filter(state="frozen")
    for change in (frozen.delete, lambda: frozen.update(notes="Changed.")):
        with pytest.raises(DatabaseError, match="never changed or removed"), transaction.atomic():
            change()


def main() -> None:
    first = Schema("0001_foundation")
    fill_first(first.make)
    stops = [first.rows()]
    sixth = Schema("0006_agreement")
    fill_sixth(sixth.make, sixth.found)
    stops.append(sixth.rows())
    tenth = Schema("0010_study")
    fill_tenth(tenth.make, tenth.found)
    stops.append(tenth.rows())
    *_, last_but_one, last = names_of_migrations()
    newest = Schema(last)
    for before in stops:
        assert_kept(before, newest.rows())
    assert_every_table_was_filled(stops[-1], last_but_one)
    assert_moved_along(newest)
    assert_still_frozen(newest)
    write_as_before(sixth.make, sixth.found)
    print(f"{sum(map(len, stops[-1].values()))} rows of {len(stops[-1])} models")  # noqa: T201 (the test reads it)


if __name__ == "__main__":
    main()
