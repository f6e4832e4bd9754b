"""What a key can do on the judging page besides choosing an option, and the key it has by default."""

from __future__ import annotations

ACTIONS = {
    "submit": "Enter",
    "back": "b",
    "next": ".",
    "skip": "s",
    "flag": "f",
    "note": "n",
    "diff": "d",
    "class": "c",
    "guideline": "g",
    "help": "?",
}
TAKEN = {key: name for name, key in ACTIONS.items()}
