"""The figures of a selection as files, for a paper and for whoever wants to compute them again."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from importlib.metadata import version
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

from django.db.models import F

from annotator import __version__
from labeling.agreement.choosing import FIRST, Selection, measurable
from labeling.agreement.showing import plain
from labeling.agreement.snapshots import snapshot
from labeling.agreement.surveying import SEED, confusions_of, measure_votes, resampling_for
from labeling.agreement.votes import Row, gather, grouped_rows, judged_items, tokens_in, votes_on_chosen_items
from labeling.jobs.files import new_archive
from labeling.jobs.models import Job
from labeling.jobs.queue import enqueue
from labeling.jobs.running import JobError, Run
from labeling.people.models import User
from labeling.refusals import Refusal
from labeling.spreadsheets import neutralise

if TYPE_CHECKING:
    from labeling.agreement.statistics.results import Agreement

NAME = "agreement.zip"
COEFFICIENTS = ["question", "coefficient", "value", "low", "high", "interval", "reason"]
CONFUSIONS = ["question", "a", "b", "value_a", "value_b", "items"]
PICKS = ["item", "annotator", "comment", "group", "round"]
RATINGS = ["item", "annotator", "value", "question", "group", "round", "version"]


def start_export(selection: Selection, *, by: User | None, seed: int = SEED) -> Job:
    title = f"Export of the agreement in {selection.round or selection.protocol}"
    arguments = {"filters": selection.filters, "seed": seed}
    return enqueue("export_agreement", project=selection.project, by=by, title=title, **arguments)


def export_agreement(run: Run) -> dict[str, Any]:
    """Writes agreement.json, agreement.csv, ratings.csv, confusion.csv, picks.csv and agreement.tex."""
    agreements: list[Agreement] = []
    confusions: list[list[Any]] = []
    with new_archive(run.job, NAME) as archive:
        selection, votes = read_and_write_votes(run, archive)
        run.expect(len(selection.questions) + 1, done=0)
        for question in selection.questions:
            one = selection.asking(question)
            gathered = gather(one, votes[question.key])
            agreements.append(measure_votes(one, gathered, resampling_for(one, seed=run.arguments["seed"])))
            confusions.extend(confusion_rows(question.key, gathered.ratings.scale.labels, gathered.ratings))
            with run.step(message=question.text):
                pass
        write_all(archive, selection, agreements, confusions)
        with run.step():
            pass
    return {"file": NAME, "seed": run.arguments["seed"], "questions": len(agreements)}


def read_and_write_votes(run: Run, archive: ZipFile) -> tuple[Selection, dict[str, list[Row]]]:
    """All that the export reads, of one moment: what is chosen, the rows of each question, and two of the files."""
    with snapshot():
        try:
            selection = measurable(run.job.project, run.arguments["filters"])
        except Refusal as refusal:
            raise JobError(str(refusal)) from refusal
        archive.writestr("picks.csv", as_csv(PICKS, list(pick_rows(selection))))
        write_ratings(archive, selection)
        return selection, {question.key: grouped_rows(selection.asking(question)) for question in selection.questions}


def write_ratings(archive: ZipFile, selection: Selection) -> None:
    with archive.open("ratings.csv", "w") as file, io.TextIOWrapper(file, encoding="utf-8", newline="") as text:
        writer = csv.writer(text)
        writer.writerow(RATINGS)
        for question in selection.questions:
            writer.writerows(rating_rows(selection.asking(question)))


def write_all(archive: ZipFile, selection: Selection, agreements: list[Agreement], confusions: list[list[Any]]) -> None:
    from labeling.agreement.latex import escape
    from labeling.agreement.reporting import as_latex

    found = {
        "project": selection.project.slug,
        "filters": selection.filters,
        "software": software(),
        "votes": selection_in_words(selection),
        "questions": [agreement.as_dict() for agreement in agreements],
    }
    archive.writestr("agreement.json", json.dumps(found, ensure_ascii=False, indent=2, allow_nan=False) + "\n")
    rows = [row for agreement in agreements for row in coefficient_rows(agreement)]
    archive.writestr("agreement.csv", as_csv(COEFFICIENTS, rows))
    archive.writestr("confusion.csv", as_csv(CONFUSIONS, confusions))
    latex = as_latex(agreements, software()) + escape(selection_in_words(selection)) + "\n"
    archive.writestr("agreement.tex", latex)


def as_csv(columns: list[str], rows: list[list[Any]]) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def coefficient_rows(agreement: Agreement) -> Iterator[list[Any]]:
    for name, found in agreement.coefficients.items():
        yield [agreement.question, name, found.value, found.low, found.high, found.interval or "", found.reason or ""]


def confusion_rows(question: str, labels: tuple[str, ...], ratings: Any) -> Iterator[list[Any]]:
    for one in confusions_of(ratings, most=None):
        for a, b, count in one["cells"]:
            yield [question, one["a"], one["b"], neutralise(labels[a]), neutralise(labels[b]), count]


def rating_rows(selection: Selection) -> Iterator[list[Any]]:
    """One rating a row, as `manage.py agreement` reads it; an item that was judged in two rounds is two items."""
    pseudonyms = dict(zip(selection.users, selection.pseudonyms, strict=True))
    numbers = {version.pk: version.number for version in selection.versions}
    names = {round.pk: round.name for round in selection.rounds}
    columns = ("pattern", "round", "group", "key")
    rows = judged_items(selection).annotate(key=F(f"{selection.slot}__round_item__item__key")).order_by("round_item")
    for pattern, round, group, key in rows.values_list(*columns).iterator():
        item = item_name(selection, names[round], key)
        for rater, used, text in tokens_in(pattern):
            value = plain(text) if text != "[]" else ""
            cells = [item, pseudonyms[selection.raters[rater]], value, selection.question.key, group, names[round]]
            yield [*(neutralise(cell) for cell in cells), numbers[used]]


def pick_rows(selection: Selection) -> Iterator[list[Any]]:
    """One row for each vote that took another comment of the thread than the linked one, counted from 0."""
    pseudonyms = dict(zip(selection.users, selection.pseudonyms, strict=True))
    names = {round.pk: round.name for round in selection.rounds}
    place = f"{selection.slot}__round_item"
    columns = (f"{place}__item__key", "rater", "picked", f"{place}__item__group", f"{selection.slot}__round")
    picks = votes_on_chosen_items(selection).filter(picked__isnull=False).order_by(place, "pk")
    for key, rater, picked, group, round in picks.values_list(*columns).iterator():
        cells = [item_name(selection, names[round], key), pseudonyms[selection.raters[rater]]]
        yield [*map(neutralise, cells), picked, neutralise(group), neutralise(names[round])]


def item_name(selection: Selection, round: str, key: str) -> str:
    return f"{round}: {key}" if len(selection.rounds) > 1 else key


def selection_in_words(selection: Selection) -> str:
    """Which votes were measured, for a methods section."""
    rounds = ", ".join(f"“{round.name}”" for round in selection.rounds)
    words = [f"Votes of the independent phase in {'the rounds' if len(selection.rounds) > 1 else 'the round'} {rounds}"]
    words.append("as first cast" if selection.votes == FIRST else "as they stood at its end")
    if selection.version:
        words.append(f"under version {selection.version.number} of the protocol")
    if selection.group:
        words.append(f"on items of the group “{selection.group}”")
    if selection.since or selection.until:
        words.append(
            f"on items whose last vote fell between {selection.since or 'the start'} and {selection.until or 'the end'}"
        )
    return ", ".join(words) + "; hidden repeats left out."


def software() -> str:
    """What computed the numbers, for the methods paragraph."""
    return f"Concord {__version__} (numpy {version('numpy')})"
