"""What the numbers mean, in sentences: whose scale of interpretation, and why two coefficients part ways."""

from __future__ import annotations

from labeling.agreement.statistics.results import Agreement, Coefficient

_LANDIS_KOCH = (
    (0.0, "poor"),
    (0.2, "slight"),
    (0.4, "fair"),
    (0.6, "moderate"),
    (0.8, "substantial"),
    (1.0, "almost perfect"),
)
_RELIABLE, _TENTATIVE = 0.800, 0.667
_PART_WAYS = 0.1
_DOMINATES = 0.5
_FEW_GROUPS = 20


def landis_koch(value: float) -> str:
    """The word of Landis & Koch (1977): below 0 poor, to .20 slight, .40 fair, .60 moderate, .80 substantial."""
    if value < 0:
        return "poor"
    return next(word for limit, word in _LANDIS_KOCH[1:] if value <= limit or limit == 1)


def krippendorff_verdict(value: float) -> str:
    """What Krippendorff (2004, ch. 11) allows: .800 for conclusions, .667 for tentative ones."""
    if value >= _RELIABLE:
        return "reliable"
    return "good for tentative conclusions only" if value >= _TENTATIVE else "too low to draw conclusions from"


def interpret(name: str, coefficient: Coefficient) -> str:
    """A sentence that names the scale of interpretation, and what the lower end of the interval would be on it."""
    if coefficient.value is None:
        return coefficient.reason or "Undefined."
    of_alpha = name == "krippendorff_alpha"
    judge = krippendorff_verdict if of_alpha else landis_koch
    whose = "Krippendorff (2004: .667, .800)" if of_alpha else "Landis & Koch (1977)"
    word = judge(coefficient.value)
    sentence = f"{_figure(coefficient.value)} is {word} by {whose}"
    if coefficient.low is None:
        return f"{sentence}."
    lowest = judge(coefficient.low)
    tail = "also at the lower end" if lowest == word else f"but {lowest} at the lower end"
    return f"{sentence}, {tail} of its interval ({_figure(coefficient.low)})."


def find_notes(agreement: Agreement) -> list[str]:
    """What a reader must know before quoting the numbers."""
    notes = [note for note in (prevalence_note(agreement),) if note]
    for reason, count in agreement.left_out.items():
        notes.append(f"{count:,} of {agreement.items:,} items left out of agreement: {reason}.")
    how = agreement.resampling
    if how.clustered and agreement.groups is not None and agreement.groups < _FEW_GROUPS:
        notes.append(f"Only {agreement.groups} groups: intervals over so few groups tend to be too narrow.")
    return notes


def prevalence_note(agreement: Agreement) -> str | None:
    """Where one category dominates, κ expects much agreement by chance and AC1 little: Feinstein & Cicchetti (1990)."""
    kappa = agreement["fleiss_kappa"].value
    ac1 = (agreement.coefficients.get("gwet_ac1") or agreement["gwet_ac"]).value
    agreed = agreement["pairwise_agreement"].value
    used = [category for category in agreement.categories if category.share is not None]
    if kappa is None or ac1 is None or agreed is None or not used or ac1 - kappa < _PART_WAYS:
        return None
    top = max(used, key=lambda category: category.share or 0)
    if (top.share or 0) <= _DOMINATES:
        return None
    return (
        f"Fleiss' κ ({_figure(kappa)}) and Gwet's AC1 ({_figure(ac1)}) part ways because one category dominates: "
        f"{_percent(top.share or 0)} of the ratings are “{top.label}”. "
        f"Two raters agree on {_percent(agreed)} of the pairs; "
        f"κ expects {_percent(expected_by_chance(agreed, kappa))} by chance alone, "
        f"AC1 {_percent(expected_by_chance(agreed, ac1))}. "
        "Part of what keeps κ low is that, not what people disagree on: report both, and the share of the category."
    )


def expected_by_chance(agreed: float, coefficient: float) -> float:
    """The p_e behind a coefficient: (p_a − c) / (1 − c)."""
    return (agreed - coefficient) / (1 - coefficient)


def _figure(value: float) -> str:
    """With a real minus sign, as in the tables beside it."""
    return f"{value:.3f}".replace("-", "−")


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
