"""Agreement for people to read: plain text for a terminal, and LaTeX with a paragraph on the methods."""

from __future__ import annotations

from labeling.agreement.latex import escape
from labeling.agreement.statistics.explaining import interpret
from labeling.agreement.statistics.results import Agreement, Coefficient
from labeling.agreement.statistics.scales import Distance, Level

SHARES = frozenset({"unanimous", "pairwise_agreement", "weighted_agreement"})
_MISSING = "–"
_FULL_TABLE = 30


def names_of(agreement: Agreement) -> dict[str, str]:
    """The coefficients as a paper writes them, with their variant, in the order of the table."""
    nominal = agreement.level is Level.NOMINAL
    weights = agreement.weights
    names = {
        "unanimous": "Unanimous items",
        "pairwise_agreement": "Mean pairwise agreement",
        "krippendorff_alpha": f"Krippendorff's α ({alpha_variant(agreement)})",
        "fleiss_kappa": "Fleiss' κ",
        "conger_kappa": "Conger's κ",
        "gwet_ac": "Gwet's AC1" if nominal else f"Gwet's AC2 ({weights} weights)",
        "brennan_prediger": "Brennan–Prediger",
        "scott_pi": "Scott's π",
        "gwet_ac1": "Gwet's AC1",
        "weighted_agreement": f"Mean pairwise agreement ({weights} weights)",
        "fleiss_kappa_weighted": f"Fleiss' κ ({weights} weights)",
        "conger_kappa_weighted": f"Conger's κ ({weights} weights)",
        "brennan_prediger_weighted": f"Brennan–Prediger ({weights} weights)",
    }
    for_two = {"scott_pi"} if agreement.raters > 2 else set()  # noqa: PLR2004 (it is not defined for more)
    return {name: names[name] for name in agreement.coefficients if name not in for_two}


def alpha_variant(agreement: Agreement) -> str:
    if agreement.level is not Level.SET:
        return str(agreement.level)
    return "MASI distance" if agreement.distance is Distance.MASI else "Jaccard distance"


def as_text(agreement: Agreement) -> str:
    """A table for a terminal, the pairs below it, and the sentences that belong to it."""
    lines = [agreement.question] if agreement.question else []
    used = f"{agreement.items_used:,} of {agreement.items:,} items used, {agreement.items_left_out:,} left out"
    lines += [f"{used}; {agreement.ratings:,} ratings by {agreement.raters:,} raters", ""]
    lines += _text_table([(words, agreement[name]) for name, words in names_of(agreement).items()])
    lines += ["", *_text_pairs(agreement), *_text_categories(agreement)]
    lines += [interpret("krippendorff_alpha", agreement["krippendorff_alpha"])]
    lines += [*agreement.notes, intervals_in_words(agreement)]
    return "\n".join(lines) + "\n"


def _text_table(rows: list[tuple[str, Coefficient]]) -> list[str]:
    width = max(len(words) for words, _ in rows)
    return [f"  {words:<{width}}  {_text_row(coefficient)}" for words, coefficient in rows]


def _text_row(coefficient: Coefficient) -> str:
    if coefficient.value is None:
        return f"{_MISSING:>7}  {coefficient.reason}"
    if coefficient.low is None or coefficient.high is None:
        return f"{coefficient.value:7.4f}  {coefficient.reason}"
    return f"{coefficient.value:7.4f}  [{coefficient.low:.4f}, {coefficient.high:.4f}]"


def _text_pairs(agreement: Agreement) -> list[str]:
    if not agreement.pairs:
        return []
    shown = agreement.pairs[:_FULL_TABLE]
    rows = [(f"{pair.a} – {pair.b} ({pair.items:,} items)", pair.cohen_kappa) for pair in shown]
    lines = ["Cohen's κ", *_text_table(rows)]
    if rest := len(agreement.pairs) - len(shown):
        lines.append(f"  and {rest:,} more pairs; --format json has all")
    return [*lines, ""]


def _text_categories(agreement: Agreement) -> list[str]:
    uses = agreement.options or agreement.categories
    if not uses:
        return []
    rows = [(f"{use.label} ({use.ratings:,} ratings)", use.specific_agreement) for use in uses]
    return ["Specific agreement", *_text_table(rows), ""]


def intervals_in_words(agreement: Agreement) -> str:
    """How the intervals were made, with the seed that makes them again."""
    how = agreement.resampling
    share = agreement["unanimous"].interval
    wilson = "; Wilson for the share of unanimous items" if share == "Wilson" else ""
    if not how.resamples:
        return f"No intervals were asked for{wilson}."
    return f"Intervals of {100 * how.confidence:g} %: {how.words}, seed {how.seed}{wilson}."


def as_latex(agreements: list[Agreement], software: str) -> str:
    """One table with a block for each question, and the paragraph for the methods section."""
    confidence = agreements[0].resampling.confidence
    rows = []
    for agreement in agreements:
        rows.append(r"\midrule")
        if agreement.question:
            rows.append(rf"\multicolumn{{3}}{{l}}{{\emph{{{escape(agreement.question)}}}}} \\")
        for name, words in names_of(agreement).items():
            rows.append(rf"{escape(words)} & {_latex_cells(name, agreement[name])} \\")
    return "\n".join(
        [
            r"% needs \usepackage{booktabs}",
            r"\begin{table}",
            r"\caption{Agreement between raters.}",
            r"\begin{tabular}{lrl}",
            r"\toprule",
            rf"Coefficient & Value & {confidence * 100:g}\,\% interval \\",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
            escape(methods_paragraph(agreements, software)),
            "",
        ]
    )


def _latex_cells(name: str, coefficient: Coefficient) -> str:
    if coefficient.value is None:
        return "-- & undefined"
    value = _latex_number(name, coefficient.value)
    if coefficient.low is None or coefficient.high is None:
        return f"{value} & --"
    return f"{value} & [{_latex_number(name, coefficient.low)}, {_latex_number(name, coefficient.high)}]"


def _latex_number(name: str, number: float) -> str:
    return f"{100 * number:.2f}\\,\\%" if name in SHARES else f"${number:.3f}$"


def methods_paragraph(agreements: list[Agreement], software: str) -> str:
    """Coefficient, variant, handling of missing data, interval method, seed and software: what a reviewer asks for."""
    sentences = [
        *(_counts_in_words(agreement) for agreement in agreements),
        _coefficients_in_words(agreements),
        _MISSING_DATA,
        intervals_in_words(next((one for one in agreements if one["unanimous"].interval), agreements[0])),
        *(_undefined_in_words(agreement) for agreement in agreements),
        f"Computed with {software}.",
    ]
    return " ".join(sentence for sentence in sentences if sentence)


_MISSING_DATA = (
    "Missing ratings were not imputed. Items with fewer than two ratings have no part in observed agreement or in α; "
    "in the agreement that κ and AC expect by chance they count with the one rating they have."
)


def _coefficients_in_words(agreements: list[Agreement]) -> str:
    variants = _by_question({one.question: alpha_variant(one) for one in agreements})
    weights = _by_question({one.question: f"{one.weights} weights" for one in agreements if not _is_nominal(one)})
    weighted = f" Weighted forms use {weights}." if weights else ""
    has_scott = any(one["scott_pi"].value is not None for one in agreements)
    scott = " Scott's π (Scott, 1955) is over the items that both raters rated." if has_scott else ""
    return (
        f"We report Krippendorff's α ({variants}; Krippendorff, 2004), Fleiss' κ (Fleiss, 1971), "
        f"Conger's κ (Conger, 1980), Gwet's {'AC1 and AC2' if weights else 'AC1'} (Gwet, 2008) and the "
        f"coefficient of Brennan and Prediger (1981), each in the form that Gwet (2014) gives for missing "
        f"ratings.{weighted}{scott}"
    )


def _is_nominal(agreement: Agreement) -> bool:
    return agreement.level is Level.NOMINAL


def _by_question(words: dict[str, str]) -> str:
    """What holds for all questions once; where they differ, each with the questions that it holds for."""
    different = list(dict.fromkeys(words.values()))
    if len(different) < 2:  # noqa: PLR2004 (nothing to tell apart)
        return "".join(different)
    return ", ".join(
        f"{one} for {' and '.join(f'“{question}”' for question, word in words.items() if word == one)}"
        for one in different
    )


def _counts_in_words(agreement: Agreement) -> str:
    about = f"For “{agreement.question}”, " if agreement.question else ""
    raters, out = agreement.raters, agreement.items_left_out
    rated = f"{about}{raters:,} raters gave {agreement.ratings:,} ratings on {agreement.items:,} items"
    if not out:
        return f"{rated}, all of which have two ratings or more."
    reasons = ", ".join(f"{count:,} with {reason}" for reason, count in agreement.left_out.items())
    return f"{rated}, of which {agreement.items_used:,} have two or more and {out:,} were left out ({reasons})."


def _undefined_in_words(agreement: Agreement) -> str:
    names = names_of(agreement)
    undefined = [
        f"{words} is undefined: {agreement[name].reason}"
        for name, words in names.items()
        if agreement[name].value is None
    ]
    return " ".join(undefined)
