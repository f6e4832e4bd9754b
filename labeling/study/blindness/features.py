"""What could be told about each name from how it came, apart from the name itself: numbers for a classifier."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

import numpy as np

from labeling.agreement.statistics.arrays import Floats
from labeling.study.blindness.recording import Received
from labeling.study.blindness.searching import ATTRIBUTE, NOT_SAID, line_chunks

TAG = re.compile(r"<(\w+)([^<>]*)>")
MOST_KINDS = 12  # of one feature; rarer ones are one kind


@dataclass(frozen=True)
class Sight:
    """One name as it came to one participant."""

    method: int
    name: int
    channel: dict[str, str | float]  # what our pages add
    content: dict[str, str | float]  # what the name itself is


def sights_of(page: Received, answers: dict[str, Received], shown: dict[str, tuple[int, int, str]]) -> Iterator[Sight]:
    """`shown` has, by the code of a line, the method, the name and its words."""
    chunks = line_chunks(page.text)
    ranks = {code: rank for rank, code in enumerate(sorted(chunks))}
    for place, (code, chunk) in enumerate(chunks.items()):
        method, name, words = shown[code]
        yield Sight(
            method,
            name,
            {"place": str(place), "rank of the code": str(ranks[code]), **of_chunk(chunk, code, words)}
            | of_answer(answers.get(code), code),
            of_words(words),
        )


def of_chunk(chunk: str, code: str, words: str) -> dict[str, str | float]:
    """Shape of the HTML of a line, without its code and its name."""
    bare = chunk.replace(escape(words), "").replace(code, "")
    tags = [(tag, tuple(name for name, _ in ATTRIBUTE.findall(rest))) for tag, rest in TAG.findall(bare)]
    values = [f"{name}={value}" for name, value in ATTRIBUTE.findall(bare)]
    return {
        "length": float(len(bare)),
        "blanks": float(sum(letter.isspace() for letter in bare)),
        "order of attributes": str(tags),
        "values of attributes": str(values),
        "text": re.sub(r"<[^<>]*>", "", bare),
    }


def of_answer(received: Received | None, code: str) -> dict[str, str | float]:
    """What saving the answer to a line brought back, and how long it took."""
    if received is None:
        return {}
    said = [f"{name}: {value}" for name, value in received.headers if name.lower() not in NOT_SAID]
    return {
        "answer": received.text.replace(code, ""),
        "headers": str(said),
        "milliseconds": received.seconds * 1000,
    }


def of_words(words: str) -> dict[str, str | float]:
    parts = re.findall(r"[A-Z]?[a-z]+|[A-Z]+|\d+", words)
    return {
        "letters": float(len(words)),
        "parts": float(len(parts)),
        "digits": float(sum(letter.isdigit() for letter in words)),
        "underscores": float(words.count("_")),
        "first part": parts[0].lower() if parts else "",
    }


def matrix(rows: list[dict[str, str | float]]) -> Floats:
    """Numbers standardised, kinds as one column each; what does not vary is left out."""
    columns: list[Floats] = []
    for name in sorted({name for row in rows for name in row}):
        values = [row.get(name, "") for row in rows]
        if all(isinstance(value, float) for value in values):
            columns.append(np.array(values, dtype=np.float64))
            continue
        kinds = [str(value) for value in values]
        common = sorted(set(kinds), key=lambda kind: (-kinds.count(kind), kind))[:MOST_KINDS]
        columns += [np.array([kind == one for kind in kinds], dtype=np.float64) for one in common]
    varying = [column for column in columns if column.std() > 0]
    if not varying:
        return np.zeros((len(rows), 0))
    whole = np.stack(varying, axis=1)
    return np.asarray((whole - whole.mean(axis=0)) / whole.std(axis=0))
