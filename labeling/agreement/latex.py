"""Text for LaTeX."""

from __future__ import annotations

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "α": r"$\alpha$",
    "κ": r"$\kappa$",
    "π": r"$\pi$",
    "−": "$-$",
    "–": "--",
    "“": "``",
    "”": "''",
    "∅": r"$\emptyset$",
    "\n": " ",
}


def escape(text: str) -> str:
    """Text as LaTeX shows it."""
    return "".join(_SPECIAL.get(character, character) for character in text)
