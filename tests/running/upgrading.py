"""Run in an empty installation: lives through every upgrade since the first schema, with rows from each stop."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import django

django.setup()

from django.db import connection, models  # noqa: E402
from django.db.migrations.executor import MigrationExecutor  # noqa: E402

from tests.annotation.samples import CODEBOOK, EXCLUDE, INCLUDE  # noqa: E402
from tests.corpus.samples import review_rename  # noqa: E402

Make = Callable[..., models.Model]
THEN = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def fill_first(make: Make) -> None:
    """What there was at 0001: people, a project, and long work."""
    user = make("User", email="ann@example.org", name="Ann", password="hashed")
    project = make("Project", name="Names", slug="names", created_by=user)
    make("ApiToken", user=user, name="script", digest="d" * 64)
    make("Membership", project=project, user=user, role="annotator")
    make("Invitation", project=project, email="bob@example.org", token_digest="t" * 64, created_by=user)
    make("Activity", project=project, actor=user, verb="created", details={"a": [1]})
    make("Job", project=project, kind="import_items", title="Import", state="finished", ended_at=THEN, result={"n": 2})
    make("Job", project=project, kind="mine", title="Mining", arguments={"where": "here"})


def fill_sixth(make: Make, found: Callable[[str], Any]) -> None:
    """What there was at 0006: items, a round that is open, votes with a revision, a draft and a skip."""
    user, project = found("User"), found("Project")
    payload = review_rename(1)
    items = [make("Item", project=project, kind="review_rename", key=f"k{n}", title="load → fetch", payload=payload,
                  digest=f"{n}" * 32, sameness=f"{n}" * 32) for n in range(2)]  # fmt: skip
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
    slots[0].state, slots[0].vote, slots[0].voted_at = "voted", vote, THEN  # type: ignore[attr-defined]
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


def fill_twelfth(make: Make, found: Callable[[str], Any]) -> None:
    """What there was at 0012: a case, which did not know its project."""
    make("Rule", round=found("Round"))
    make("Case", round_item=found("RoundItem"), round=found("Round"), way="discussion", why="flag", raters=[1])


def write_as_before(make: Make, found: Callable[[str], Any]) -> None:
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
        self.apps = MigrationExecutor(connection).loader.project_state(("labeling", name)).apps

    def make(self, model: str, **fields: Any) -> models.Model:
        made: models.Model = self.apps.get_model("labeling", model)._default_manager.create(**fields)
        return made

    def found(self, model: str) -> Any:
        return self.apps.get_model("labeling", model)._default_manager.order_by("pk").first()

    def rows(self) -> dict[str, list[dict[str, Any]]]:
        """Every row of every model that has any, by name."""
        labeling = self.apps.get_app_config("labeling").get_models()
        found = {model.__name__: list(model._default_manager.order_by("pk").values()) for model in labeling}
        return {name: rows for name, rows in found.items() if rows}


def main() -> None:
    first = Schema("0001_foundation")
    fill_first(first.make)
    sixth = Schema("0006_agreement")
    fill_sixth(sixth.make, sixth.found)
    twelfth = Schema("0012_study_practice")
    fill_twelfth(twelfth.make, twelfth.found)
    before = sixth.rows() | {model: twelfth.rows()[model] for model in ("Rule", "Case")}
    newest = max(name for app, name in MigrationExecutor(connection).loader.graph.nodes if app == "labeling")
    after = Schema(newest).rows()
    for model, rows in before.items():
        kept = [{field: row[field] for field in rows[0]} for row in after[model]]
        assert kept == rows, f"{model}: {rows} became {kept}"
    (case,) = after["Case"]
    assert case["project_id"] == sixth.found("Project").pk
    write_as_before(sixth.make, sixth.found)
    print(f"{sum(map(len, before.values()))} rows of {len(before)} models")  # noqa: T201


if __name__ == "__main__":
    main()
