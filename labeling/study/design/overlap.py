"""When participants judge the same methods, they are no independent evidence about origins: they saw the same names."""

from __future__ import annotations

MOST_OTHERS = 1.0  # up to here simulated studies were wrong in .07 at most, also where names differ much


def warn_of_overlap(others: float | None) -> str:
    """`others`: how many other participants judge the same method, on average over what is judged. Nothing if few."""
    if others is None or others <= MOST_OTHERS:
        return ""
    return (
        f"On average {others:.1f} other participants judge the same method. The primary test takes participants to be "
        "independent, but these all see the same few names: it will tell origins apart too often, and what it finds "
        "holds for these methods and not for others. More methods, of which fewer are shared, avoid it."
    )
