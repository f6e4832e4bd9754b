"""The pages of a release that people read: what is in it, how it came about, and how to cite it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from labeling.annotation.models import ProtocolVersion
from labeling.annotation.protocols.codebook import Codebook, Question
from labeling.release.choosing import Choice
from labeling.release.models import Release

Figures = dict[str, Any]
CONTENTS = {
    "benchmark.csv": "the benchmark: one row an item that passed the filter, with its final answers",
    "items.jsonl": "every judged item with all that was shown of it, in the benchmark or not",
    "finals.csv": "the final answers of every item in every round, and how they were settled",
    "votes.csv": "every independent vote, under pseudonyms",
    "cases.csv": "the items that votes alone did not settle, and how they ended",
    "rounds.json": "the rounds: who judged by which protocol, design and seed",
    "questions.csv": "what was asked in each round",
    "codebook.md": "the protocols, to read",
    "protocols/": "the same as files that the app reads",
    "agreement.json, agreement.csv": "how far the raters agreed, with 95 % intervals",
    "statistics.json": "every other number",
    "tables/": "the same numbers for LaTeX",
    "charts/": "the same numbers as Vega-Lite charts",
    "changes.json, changes.md": "what changed since the release before",
    "recompute.py": "computes every number again from the CSVs (Python 3.11 and numpy) and says where one differs",
    "manifest.json": "SHA-256, bytes and rows of every file; seeds, filter and waivers",
}
FACTS = {
    "Items judged": ("items", "judged"),
    "Items in the benchmark": ("items", "released"),
    "Items that did not pass the filter": ("items", "not_taken"),
    "Items left out for a reason": ("items", "left_out"),
    "Items for which all options were rejected": ("items", "rejected"),
    "Items without a final answer": ("items", "open"),
    "Votes": ("votes", "in_force"),
    "Cases": ("cases", "opened"),
}


def facts(statistics: Figures) -> str:
    """The counts in words, one a line."""
    lines = [f"- {words}: {statistics[part][name]:,}" for words, (part, name) in FACTS.items()]
    return "\n".join([*lines, f"- Raters: {statistics['raters']:,}", f"- Groups: {len(statistics['groups']):,}"])


def readme(release: Release, choice: Choice, statistics: Figures, notes: str) -> str:
    contents = "\n".join(f"| `{name}` | {about} |" for name, about in CONTENTS.items())
    about = f"\n{notes.strip()}\n" if notes.strip() else ""
    return f"""# {release.name}, release {release.number}
{about}
A benchmark that people made by judging each item independently of each other. In it: {choice.in_words}.

## In numbers

{facts(statistics)}

## Files

| file | what |
|---|---|
{contents}

## Check it

    python recompute.py

computes every number again and ends with 1 when one differs. `manage.py verify_release` of the app compares each file with the manifest.

## Read it

CSV files are UTF-8 with commas, one header line and `\\r\\n`. A cell that a spreadsheet would run as a formula (it begins with `=`, `+`, `-`, `@`, a tab or a carriage return) has an apostrophe before it, and so has a cell that begins with an apostrophe already: take one leading apostrophe away to read the original. Options of a question with several answers stand between bars (`a|b`), and `(none)` means that none was chosen. In `method_body` the method's own name is replaced by `METHOD_NAME` in its declaration. Comments of a thread are counted from 0: `picked` is the one that a rater, or every rater, took for the one that asked for the change, where it is not the linked one; `review_comment` is what every rater picked, else what was linked.

An item that was judged in several rounds counts with the newest round that has a final answer for it.

## Who judged

Raters are R1, R2, … in an order that was drawn by lot. Neither names nor addresses nor times of day are in this release, and no messages of a discussion: of a case it has the proposal's reason, the rationale and what the guideline left unclear. Names and addresses of the project's members that stood in these texts were replaced.
"""  # noqa: E501 (one paragraph, one line)


def dataset_card(release: Release, choice: Choice, statistics: Figures, agreement: Sequence[Figures]) -> str:
    licence = release.licence or "not stated"
    measured = "\n".join(
        f"- {one['round']}, {one['question']}: α = {number(one['coefficients']['krippendorff_alpha'])}"
        f" over {one['items_used']:,} items and {one['raters']:,} raters"
        for one in agreement
    )
    return f"""# Dataset card: {release.name}

- Version: {release.number}
- Licence: {licence}
- Filter: {choice.in_words}

## Size

{facts(statistics)}

## How it was made

Items were judged by several people who did not see each other's votes. What the votes settle under the rule of the round is settled by them; the rest became cases, which the voters discussed or somebody who had not voted decided. `votes.csv` and `cases.csv` have it all.

## Agreement before discussion

{measured or "- not measured"}

## What it is for, and what not

For comparing techniques on what reviewers and developers confirmed. It is no random sample of all code: see `rounds.json` for how items came in, and `finals.csv` for those that were not taken.

## Personal data

Of the raters: none. The items quote public code and public reviews as their authors published them.
"""  # noqa: E501 (one paragraph, one line)


def number(found: Figures) -> str:
    if found["value"] is None:
        return "–"
    interval = f" [{found['low']:.3f}, {found['high']:.3f}]" if found["low"] is not None else ""
    return f"{found['value']:.3f}{interval}"


def citation(release: Release) -> str:
    """https://citation-file-format.github.io, version 1.2.0; no date, which would be that of the machine."""
    authors = [line.strip() for line in release.authors.splitlines() if line.strip()] or [
        f"The authors of {release.name}"
    ]
    lines = [
        "cff-version: 1.2.0",
        "message: If you use this dataset, please cite it.",
        "type: dataset",
        f"title: {quoted(release.name)}",
        f"version: {quoted(str(release.number))}",
        *([f"license: {quoted(release.licence)}"] if release.licence else []),
        "authors:",
        *(f"  - name: {quoted(author)}" for author in authors),
    ]
    return "\n".join(lines) + "\n"


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)  # YAML reads it


def codebook_page(versions: Iterable[tuple[ProtocolVersion, Codebook]]) -> str:
    return "\n".join(one_codebook(version, codebook) for version, codebook in versions)


def one_codebook(version: ProtocolVersion, codebook: Codebook) -> str:
    questions = "\n".join(one_question(question) for question in codebook.questions)
    return (
        f"# {version.protocol.name}, version {version.number}: {codebook.title}\n\n{codebook.guideline}\n\n{questions}"
    )


def one_question(question: Question) -> str:
    asked = f", asked when {question.when.question} is {' or '.join(question.when.answers)}" if question.when else ""
    needed = "" if question.required else ", optional"
    lines = [f"## {question.text}", "", f"`{question.key}`: {question.form}{needed}{asked}.", ""]
    lines += [question.help, ""] if question.help else []
    lines += [f"- `{option.key}`: {option.label}. {option.help}".rstrip() for option in question.options]
    return "\n".join([*lines, ""])


def change_page(changes: Figures) -> str:
    if not changes["previous"]:
        return "# Changes\n\nThis is the first release.\n"
    lines = [
        f"# Changes since release {changes['previous']['number']}",
        "",
        f"- Added: {len(changes['added']):,}",
        f"- Removed: {len(changes['removed']):,}",
        f"- Changed answers: {len(changes['changed']):,}",
        "",
        *section("Added", (f"- {key}" for key in changes["added"])),
        *section("Removed", (f"- {key}" for key in changes["removed"])),
        *section("Changed", (f"- {one['item']}: {one['question']} was {one['before'] or '–'}, is {one['after'] or '–'}"
                             for one in changes["changed"])),
    ]  # fmt: skip
    return "\n".join(lines)


def section(title: str, lines: Iterable[str]) -> list[str]:
    found = list(lines)
    return [f"## {title}", "", *found, ""] if found else []
