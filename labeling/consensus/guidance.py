"""Which parts of a guideline a disagreement is about: those whose heading names what the votes differ on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from labeling.annotation.protocols.codebook import Codebook, Question
from labeling.annotation.protocols.guideline import markdown
from labeling.consensus.rules import Answers

Section = tuple[str, str]  # its heading, and what stands below it, as Markdown


def sections_in_question(codebook: Codebook, votes: Sequence[Answers], differing: Iterable[str]) -> list[Section]:
    """In their order; none when no heading names a question or an option in dispute."""
    words = [word for key in differing if (found := codebook.question(key)) for word in words_of(found, votes)]
    return [section for section in sections(codebook.guideline) if any(names(section[0], word) for word in words)]


def words_of(question: Question, votes: Sequence[Answers]) -> list[str]:
    """What a heading may call the question, or an option that some chose and others did not."""
    chosen = [in_list(answers.get(question.key)) for answers in votes]
    disputed = [option for option in question.options if len({option.key in given for given in chosen}) > 1]
    return [question.text, question.key, *(word for option in disputed for word in (option.label, option.key))]


def in_list(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def names(heading: str, word: str) -> bool:
    """Whether the heading has the word, as a whole, whatever its case."""
    plain = "".join(letter if letter.isalnum() else " " for letter in heading.casefold()).split()
    wanted = "".join(letter if letter.isalnum() else " " for letter in word.casefold()).split()
    size = len(wanted)
    return bool(wanted) and any(plain[at : at + size] == wanted for at in range(len(plain) - size + 1))


def sections(guideline: str) -> list[Section]:
    """Each heading with the text up to the next one."""
    lines = guideline.split("\n")
    tokens = markdown.parse(guideline)
    starts = [
        (token.map[0], token.map[1], tokens[at + 1].content)
        for at, token in enumerate(tokens)
        if token.type == "heading_open" and token.map and token.level == 0
    ]
    ends = [line for line, _, _ in starts[1:]] + [len(lines)]
    return [
        (heading, "\n".join(lines[below:end]).strip()) for (_, below, heading), end in zip(starts, ends, strict=False)
    ]
