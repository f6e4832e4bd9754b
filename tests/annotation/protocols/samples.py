"""Codebooks for tests, written by us."""

from __future__ import annotations

from typing import Any


def options(*keys: str, hotkeys: str = "") -> list[dict[str, Any]]:
    """Options with these keys; the n-th has the n-th letter as its hotkey."""
    return [
        {"key": key, "label": key.capitalize(), **({"hotkey": hotkeys[index]} if index < len(hotkeys) else {})}
        for index, key in enumerate(keys)
    ]


def question(key: str = "fit", **changes: Any) -> dict[str, Any]:
    made = {"key": key, "text": f"What about {key}?", "options": options("yes", "no"), **changes}
    return {name: value for name, value in made.items() if value != []}


def when(key: str, *answers: str) -> dict[str, Any]:
    return {"question": key, "answers": list(answers)}


def codebook(*questions: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {"title": "Fit", "questions": list(questions) or [question()], **changes}


FULL = codebook(
    question("fit", options=options("yes", "no", hotkeys="yx"), level="ordinal"),
    question("why", form="multiple", options=options("name", "body", hotkeys="12"), when=when("fit", "no")),
    question("sure", form="likert", options=options("low", "middle", "high", hotkeys="345"), level="interval"),
    question("minutes", form="number", options=[], low=0, high=60.5, level="ratio", when=when("fit", "yes")),
    question("words", form="text", options=[], required=False, help="Anything that helps to understand you."),
    title="Does the name fit?",
    guideline="# What to judge\n\n- **yes**: it says what it does\n\n\ttab, “quotes”, 日本語, trailing blank \nend",
)
