"""Whole numbers as addresses and forms write them."""

from __future__ import annotations

MOST_DIGITS = 18  # what a column of ids holds
LARGEST = 10**MOST_DIGITS - 1


def whole_number(text: str) -> int | None:
    """The number, or None where there is none. What no column could hold is as large as can be, and so finds nothing:
    of thousands of digits Python refuses to read any."""
    if not (text.isascii() and text.isdigit()):
        return None
    return int(text) if len(text) <= MOST_DIGITS else LARGEST
