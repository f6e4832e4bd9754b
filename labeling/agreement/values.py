"""What stands in the value column, read once for each different cell: a word, a number or a set of words."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from labeling.agreement.statistics.arrays import Ints
from labeling.agreement.statistics.scales import (
    Distance,
    Level,
    Scale,
    nominal_scale,
    number_scale,
    ordinal_scale,
    set_scale,
)
from labeling.refusals import Invalid
from labeling.spreadsheets import restore

Key = str | float | frozenset[str]
_BETWEEN = "|"


@dataclass(frozen=True)
class Wanted:
    """How the values are to be read; `categories` names all of them in order, also those that nobody gave."""

    level: Level
    distance: Distance = Distance.MASI
    categories: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.categories and self.level not in {Level.NOMINAL, Level.ORDINAL}:
            raise Invalid(f"Categories can be named at the nominal and the ordinal level, not at {self.level}.")
        if len(set(self.categories)) < len(self.categories):
            raise Invalid("A category is named twice.")


class Values:
    """Codes for the cells of one question, in the order in which they appear."""

    def __init__(self, wanted: Wanted) -> None:
        self.wanted = wanted
        self.by_cell: dict[str, int | None] = {}
        self.by_key: dict[Key, int] = {name: code for code, name in enumerate(wanted.categories)}

    def code(self, cell: str, line: int) -> int | None:
        """The code of a cell; None for an empty one, which is no rating. Raises Invalid."""
        try:
            return self.by_cell[cell]
        except KeyError:
            key = self._key(restore(cell.strip()), line)
            code = None if key is None else self.by_key.setdefault(key, len(self.by_key))
            self.by_cell[cell] = code
            return code

    def _key(self, text: str, line: int) -> Key | None:
        if self.wanted.level is Level.SET:
            return frozenset(part.strip() for part in text.split(_BETWEEN) if part.strip())  # also of nothing
        if not text:
            return None
        if self.wanted.categories:
            if text not in self.by_key:
                raise Invalid(f"Line {line}: “{text}” is none of the categories {', '.join(self.wanted.categories)}.")
            return text
        return text if self.wanted.level is Level.NOMINAL else self._number(text, line)

    def _number(self, text: str, line: int) -> float:
        level = self.wanted.level
        try:
            number = math.nan if "_" in text else float(text)  # Python would take 1_000
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            help_ = " Name the categories in their order with --categories." if level is Level.ORDINAL else ""
            raise Invalid(f"Line {line}: “{text}” is no number, which the {level} level needs.{help_}")
        if level is Level.RATIO and number < 0:
            raise Invalid(f"Line {line}: {text} lies below zero, which the ratio level does not know.")
        return number + 0.0  # no minus zero

    def scale(self) -> tuple[Scale, Ints]:
        """The scale in its right order, and for each code the place it has there."""
        keys = list(self.by_key)
        level = self.wanted.level
        if self.wanted.categories:
            make = nominal_scale if level is Level.NOMINAL else ordinal_scale
            return make(self.wanted.categories), np.arange(len(keys))
        order = sorted(range(len(keys)), key=lambda code: _sortable(keys[code]))
        place = np.empty(len(keys), dtype=np.int64)
        place[order] = np.arange(len(keys))
        return self._scale([keys[code] for code in order]), place

    def _scale(self, keys: list[Key]) -> Scale:
        level = self.wanted.level
        if level is Level.SET:
            return set_scale([key for key in keys if isinstance(key, frozenset)], self.wanted.distance)
        if level is Level.NOMINAL:
            return nominal_scale([str(key) for key in keys])
        numbers = [float(key) for key in keys if isinstance(key, float)]
        if level is Level.ORDINAL:
            return ordinal_scale([f"{number:.15g}" for number in numbers])
        return number_scale(level, numbers)


def _sortable(key: Key) -> tuple[float, tuple[str, ...]]:
    if isinstance(key, float):
        return key, ()
    return 0.0, (key,) if isinstance(key, str) else tuple(sorted(key))
