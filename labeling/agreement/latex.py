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


def table_row(cells: list[str]) -> str:
    """A row of a table, of text that is LaTeX already."""
    row = " & ".join(cells) + r" \\"
    # A bracket or a star, also after blanks, would be an argument of the \\ or the rule that ends the row before.
    return "{}" + row if row.lstrip().startswith(("[", "*")) else row
