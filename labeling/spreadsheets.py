"""CSV cells that a spreadsheet will not run as a formula (docs/formats.md)."""

from __future__ import annotations

STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def neutralise(cell: str) -> str:
    """Puts an apostrophe before a cell that could run, and before one that starts with an apostrophe already."""
    return f"'{cell}" if cell.startswith((*STARTS_A_FORMULA, "'")) else cell


def restore(cell: str) -> str:
    """Undoes `neutralise` exactly."""
    return cell.removeprefix("'")
