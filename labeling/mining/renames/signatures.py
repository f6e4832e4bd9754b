"""Types and parameters read from the tokens of a method's header."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from labeling.mining.renames.lexing import is_identifier

_OPENING, _CLOSING = {b"(", b"<", b"[", b"{"}, {b")", b">", b"]", b"}"}


def strip_annotations(tokens: Sequence[bytes]) -> list[bytes]:
    """The tokens without annotations and their arguments, wherever they stand."""
    kept: list[bytes] = []
    index = 0
    while index < len(tokens):
        if tokens[index] == b"@" and tokens[index + 1 : index + 2] != [b"interface"]:
            index = _skip_annotation(tokens, index + 1)
        else:
            kept.append(tokens[index])
            index += 1
    return kept


def _skip_annotation(tokens: Sequence[bytes], index: int) -> int:
    index += 1
    while tokens[index : index + 1] == [b"."]:
        index += 2
    if tokens[index : index + 1] != [b"("]:
        return index
    depth = 0
    for end in range(index, len(tokens)):
        depth += (tokens[end] == b"(") - (tokens[end] == b")")
        if depth == 0:
            return end + 1
    return len(tokens)


def type_text(tokens: Sequence[bytes]) -> str:
    """A type in one spelling: a space only where two words would run together."""
    parts = [tokens[0]] if tokens else []
    for left, right in pairwise(tokens):
        parts += [b" ", right] if _is_word(left) and _is_word(right) else [right]
    return b"".join(parts).decode()


def _is_word(token: bytes) -> bool:
    return token == b"?" or is_identifier(token)


def parse_parameters(tokens: Sequence[bytes]) -> tuple[tuple[str, ...], tuple[bytes, ...]]:
    """The types and the names of parameters; a receiver (`Foo this`) is none."""
    types: list[str] = []
    names: list[bytes] = []
    for part in _split_at_commas(strip_annotations(tokens)):
        words = [token for token in part if token != b"final"]
        last = max((i for i, token in enumerate(words) if is_identifier(token)), default=None)
        if last is None or words[last] == b"this":
            continue
        types.append(type_text(words[:last] + words[last + 1 :]))
        names.append(words[last])
    return tuple(types), tuple(names)


def _split_at_commas(tokens: Sequence[bytes]) -> list[list[bytes]]:
    parts: list[list[bytes]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token in _OPENING) - (token in _CLOSING)
        if token == b"," and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return [part for part in parts if part]
