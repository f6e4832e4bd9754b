"""The files that follow from what people did: protocols, rounds, numbers, tables, charts, pages and the manifest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.utils.text import slugify

from annotator import __version__
from labeling.annotation.models import Round
from labeling.annotation.protocols.codebook import Codebook
from labeling.annotation.protocols.files import write_codebook
from labeling.consensus.routing import rule_of
from labeling.release import documents
from labeling.release.cells import readable, yes
from labeling.release.choosing import Choice
from labeling.release.figuring import CONFIDENCE, RESAMPLES, SEED
from labeling.release.models import Release
from labeling.release.packing import Folder
from labeling.release.pseudonyms import Veil
from labeling.release.tables import charts, latex_tables
from labeling.release.writing import Pass

QUESTIONS = ["round", "question", "text", "form", "level", "required", "conditional", "options"]
COEFFICIENTS = ["round", "question", "coefficient", "value", "low", "high", "reason"]
COVERED = {"title", "guideline", "text", "help", "label"}


def write_release(release: Release, choice: Choice, folder: Folder, veil: Veil, done: Pass) -> None:
    """The files that follow from the pass; changes and manifest come last, by whoever knows what was before."""
    files = write_protocols(choice, folder, veil)
    folder.write("rounds.json", readable([round_facts(choice, round, files, veil) for round in choice.rounds]))
    write_questions(choice, folder, veil)
    folder.write("statistics.json", readable(done.statistics))
    write_agreement(folder, done.agreement)
    for name, text in latex_tables(done.statistics, done.agreement).items():
        folder.write(f"tables/{name}.tex", text)
    for name, spec in charts(done.statistics, done.agreement).items():
        folder.write(f"charts/{name}.vl.json", readable(spec))
    folder.write("recompute.py", (Path(__file__).parent / "recompute.py").read_text(encoding="utf-8"))
    folder.write("DATASET_CARD.md", documents.dataset_card(release, choice, done.statistics, done.agreement))
    folder.write("README.md", documents.readme(release, choice, done.statistics, veil.cover(release.notes)))
    folder.write("CITATION.cff", documents.citation(release))


def write_protocols(choice: Choice, folder: Folder, veil: Veil) -> dict[int, str]:
    """Each version that a round goes by or a vote was cast under; by id, the name of its file."""
    versions = {version.pk: version for known in choice.versions.values() for version in known}
    ordered = sorted(versions.values(), key=lambda version: (version.protocol.name, version.number))
    names = sorted({version.protocol.name for version in ordered})
    slugs = {name: f"{place}-{slugify(name)[:40]}".rstrip("-") for place, name in enumerate(names, start=1)}
    files, pages = {}, []
    for version in ordered:
        codebook = Codebook.read(covered(version.codebook.write(), veil))
        files[version.pk] = f"protocols/{slugs[version.protocol.name]}-v{version.number}.yaml"
        folder.write(files[version.pk], write_codebook(codebook))
        pages.append((version, codebook))
    folder.write("codebook.md", documents.codebook_page(pages))
    return files


def covered(data: Any, veil: Veil) -> Any:
    """The codebook's words without the names and addresses of people."""
    if isinstance(data, list):
        return [covered(inner, veil) for inner in data]
    if not isinstance(data, dict):
        return data
    return {key: veil.cover(inner) if key in COVERED and isinstance(inner, str) else covered(inner, veil)
            for key, inner in data.items()}  # fmt: skip


def round_facts(choice: Choice, round: Round, files: dict[int, str], veil: Veil) -> dict[str, Any]:
    rule = rule_of(round)
    raters = sorted(veil.numbers[user] for user in round.raters.values_list("user", flat=True))
    design = ("handing", "order", "votes_wanted", "seed", "calibration", "repeat_every", "repeat_distance")
    versions = [{"protocol": version.protocol.name, "version": version.number, "file": files[version.pk]}
                for version in choice.versions[round.pk]]  # fmt: skip
    current = next(version for version in choice.versions[round.pk] if version.pk == round.protocol_id)
    return {
        "name": round.name,
        "protocol": current.protocol.name,
        "version": current.number,
        "versions": versions,
        **{name: getattr(round, name) for name in design},
        "rule": {"way": rule.way, "others": rule.others},
        "raters": [f"R{number}" for number in raters],
    }


def write_questions(choice: Choice, folder: Folder, veil: Veil) -> None:
    with folder.sheet("questions.csv", QUESTIONS) as sheet:
        for round in choice.rounds:
            for question in choice.questions(round):
                flags = [yes(question.required), yes(question.when is not None)]
                options = "|".join(question.option_keys)
                text = veil.cover(question.text)
                sheet.write([round.name, question.key, text, question.form, question.measured, *flags, options])


def write_agreement(folder: Folder, agreement: list[dict[str, Any]]) -> None:
    how = {"seed": SEED, "resamples": RESAMPLES, "confidence": CONFIDENCE, "method": "percentile"}
    folder.write("agreement.json", readable({"interval": how, "figures": agreement}))
    with folder.sheet("agreement.csv", COEFFICIENTS) as sheet:
        for one in agreement:
            for name, found in one["coefficients"].items():
                numbers = [found[part] for part in ("value", "low", "high")]
                sheet.write([one["round"], one["question"], name, *numbers, found["reason"]])


def manifest_facts(release: Release, choice: Choice, veil: Veil, done: Pass) -> dict[str, Any]:
    """What the manifest says besides the files."""
    return {
        "software": f"Concord {__version__}",
        "release": {
            "number": release.number,
            "name": release.name,
            "notes": veil.cover(release.notes),
            "authors": release.authors,
            "licence": release.licence,
        },
        "rounds": [round.name for round in choice.rounds],
        "filter": choice.filters,
        "seeds": {"agreement": SEED, "rounds": {round.name: round.seed for round in choice.rounds}},
        "waivers": done.waivers,
    }
