"""What a coordinator decides about a study, checked; kept as plain data in `Study.design`. Says nothing of origins."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from labeling.corpus.payloads import FieldError, Payload
from labeling.refusals import Invalid
from labeling.study.design.overlap import warn_of_overlap
from labeling.study.design.sheets import Layout

MOST_SHEETS = 2_000
MOST_METHODS_A_SHEET = 200
MOST_METHODS = 2_000  # leaks are looked for while somebody waits
LONGEST_WORDS = 5_000

Flag = Literal["speeder", "straight_liner", "attention"]
Unfinished = Literal["stopped", "timed_out"]
Analysis = Literal[
    "sign_flip", "mcnemar", "cochran_q", "gee", "effects", "reasons", "order", "agreement", "sensitivity"
]
PLANNED: list[Analysis] = ["sign_flip", "mcnemar", "cochran_q", "gee", "effects", "reasons", "order", "agreement",
                           "sensitivity"]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Design(Payload):
    """How many see how much of what, who is looked at twice, and what will be computed."""

    sheets: int = 10
    methods_per_sheet: int = 20
    shared: int = 0  # methods that several participants judge
    shared_by: int = 2  # how many judge each of those
    spares: int = 0  # sheets beyond the plan, for participants beyond it
    stratified: bool = True  # the sample takes of each group of methods its share
    pilot_sheets: int = 0
    pilot_methods_per_sheet: int = 5
    allow_missing: bool = False  # methods that lack the name of an origin
    timeout_hours: int = 72  # after which the sheet of somebody who went away is given to another
    speeder_share: float = 0.4  # of the median seconds a judgement; whoever is quicker is flagged
    missed_checks: int = 1  # so many wrong answers to attention checks are flagged
    excluded: list[Flag] = field(default_factory=list)  # flags that leave the primary analysis; beside it all are kept
    unfinished: list[Unfinished] = field(
        default_factory=lambda: ["stopped"]
    )  # who did not finish and counts all the same
    small_group: int = 3  # fewer participants than this in a cell are not shown
    alpha: float = 0.05
    analyses: list[Analysis] = field(default_factory=lambda: list(PLANNED))
    hypotheses: str = ""  # in words, for the reader of the frozen plan

    def __post_init__(self) -> None:
        self._require("sheets", 1, MOST_SHEETS)
        self._require("methods_per_sheet", 1, MOST_METHODS_A_SHEET)
        self._require("shared", 0, MOST_METHODS)
        self._require("shared_by", 2, MOST_SHEETS)
        self._require("spares", 0, MOST_SHEETS)
        self._require("pilot_sheets", 0, MOST_SHEETS)
        self._require("pilot_methods_per_sheet", 1, MOST_METHODS_A_SHEET)
        self._require("timeout_hours", 1, 24 * 365)
        self._require("speeder_share", 0, 1)
        self._require("missed_checks", 1, 1000)
        self._require("small_group", 1, 100)
        if not 0 < self.alpha < 1:
            raise FieldError("alpha", f"must lie between 0 and 1, not {self.alpha:g}")
        self._require_sharing()
        for name in ("excluded", "unfinished", "analyses"):
            chosen = getattr(self, name)
            if len(set(chosen)) < len(chosen):
                raise FieldError(name, "names one of them twice")
        if "sign_flip" not in self.analyses:
            raise FieldError("analyses", "must contain sign_flip, the primary test")
        if len(self.hypotheses) > LONGEST_WORDS:
            raise FieldError("hypotheses", f"has {len(self.hypotheses):,} characters; {LONGEST_WORDS:,} are taken")

    def _require(self, name: str, least: float, most: float) -> None:
        value = getattr(self, name)
        if not least <= value <= most:
            raise FieldError(name, f"must be between {least:,} and {most:,}, not {value:,}")

    def _require_sharing(self) -> None:
        if not self.shared:
            return
        if self.shared_by > self.sheets:
            raise FieldError("shared_by", f"is {self.shared_by:,}, but there are only {self.sheets:,} sheets")
        places = self.sheets * self.methods_per_sheet
        if self.shared * self.shared_by > places:
            wanted = f"{self.shared:,} methods judged by {self.shared_by:,} participants each"
            raise FieldError("shared", f"{wanted} do not fit on {places:,} places")

    @property
    def layout(self) -> Layout:
        return Layout(self.sheets, self.methods_per_sheet, self.shared, self.shared_by)

    @property
    def warning(self) -> str:
        return warn_of_overlap(self.layout.others)

    @property
    def pilot_layout(self) -> Layout:
        """All pilots judge the same few methods, so that their answers can be laid side by side."""
        methods = self.pilot_methods_per_sheet
        shared = methods if self.pilot_sheets > 1 else 0
        return Layout(self.pilot_sheets, methods, shared, max(self.pilot_sheets, 2))


def read_design(data: Any) -> Design:
    """The design in plain data; refuses by naming the field."""
    try:
        return Design.read(data)
    except FieldError as error:
        raise Invalid(f"{error}.") from error
