"""Which names in a body are calls, of what, and with how many arguments: read from the tokens alone."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from labeling.mining.renames.lexing import is_identifier

SELF = b"\0self"

_OPENING, _CLOSING = {b"(", b"[", b"{"}, {b")", b"]", b"}"}
# Words that may stand right before an unqualified call; after any other word a name with ( is a declaration.
_BEFORE_CALL = {b"return", b"throw", b"else", b"do", b"case", b"assert", b"yield", b"instanceof"}
_IN_TYPE_ARGUMENTS = {b",", b".", b"?", b"[", b"]", b"&", b"<", b">"}


def call_arity(parameters: Sequence[str]) -> range:
    """How many arguments a call of a method with these parameters can have."""
    if parameters and parameters[-1].endswith("..."):
        return range(len(parameters) - 1, sys.maxsize)
    return range(len(parameters), len(parameters) + 1)


def mask_self_calls(tokens: tuple[bytes, ...], *, name: bytes, arity: range, owner: bytes) -> tuple[bytes, ...]:
    """The tokens with every own call replaced: unqualified, on this or on the own class, with a fitting arity."""
    if name not in tokens:
        return tokens
    places = [index for index, token in enumerate(tokens) if token == name]
    # A class inside the body with a method of that name: an unqualified call could mean either.
    if any(is_declaration(tokens, index) for index in places):
        return tokens
    own = {index for index in places if is_own_call(tokens, index, arity=arity, owner=owner)}
    return tuple(SELF if index in own else token for index, token in enumerate(tokens)) if own else tokens


def is_own_call(tokens: Sequence[bytes], index: int, *, arity: range, owner: bytes) -> bool:
    """Whether the name at this place is called, or referred to, as a method of the class it stands in."""
    before = tokens[index - 1] if index else b""
    if before == b"::":
        return is_own_receiver(tokens, index - 2, owner=owner)
    if not is_call(tokens, index) or count_arguments(tokens, index + 1) not in arity:
        return False
    if before == b".":
        return is_own_receiver(tokens, index - 2, owner=owner)
    return True


def is_own_receiver(tokens: Sequence[bytes], index: int, *, owner: bytes) -> bool:
    """Whether the receiver that ends here is `this`, `Owner.this` or `Owner`."""
    if tokens[index] == b"this" and tokens[index - 1] == b".":
        index -= 2
    return tokens[index] in {b"this", owner} and tokens[index - 1] != b"."


def is_call(tokens: Sequence[bytes], index: int) -> bool:
    """Whether the name at this place is called (and neither created with new nor declared)."""
    return (
        tokens[index + 1 : index + 2] in ([b"("], (b"(",))
        and tokens[index - 1 : index] not in ([b"new"], (b"new",))
        and not is_declaration(tokens, index)
    )


def is_declaration(tokens: Sequence[bytes], index: int) -> bool:
    """Whether a method of this name is declared here, in a class inside the body."""
    if index == 0 or index + 1 >= len(tokens) or tokens[index + 1] != b"(":
        return False
    before = tokens[index - 1]
    if is_identifier(before):
        return before not in _BEFORE_CALL and before != b"new"
    return before in {b">", b"]"} and _closes_into_body(tokens, index + 1)


def _closes_into_body(tokens: Sequence[bytes], opening: int) -> bool:
    """Whether the parenthesis that opens here is followed by a body, as only a declaration's is."""
    depth = 0
    for index in range(opening, len(tokens)):
        depth += (tokens[index] == b"(") - (tokens[index] == b")")
        if depth == 0:
            return tokens[index + 1] in {b"{", b"throws", b"["} if index + 1 < len(tokens) else False
    return False


def count_arguments(tokens: Sequence[bytes], opening: int) -> int:
    """The number of arguments between the parenthesis that opens here and its partner."""
    depth, commas, index = 0, 0, opening
    while index < len(tokens):
        token = tokens[index]
        depth += (token in _OPENING) - (token in _CLOSING)
        if depth == 0:
            break
        if token == b"<" and depth == 1:
            index = _skip_type_arguments(tokens, index)
            continue
        commas += token == b"," and depth == 1
        index += 1
    return 0 if index == opening + 1 else commas + 1


def _skip_type_arguments(tokens: Sequence[bytes], opening: int) -> int:
    """The place after `<…>` if that can be type arguments, else just after the less-than sign."""
    depth = 0
    for index in range(opening, len(tokens)):
        token = tokens[index]
        depth += (token == b"<") - (token == b">")
        if depth == 0:
            after = tokens[index + 1 : index + 2]
            is_type = not after or after[0] in {b"(", b")", b",", b"::", b".", b"[", b"{", b">"}
            return index + 1 if is_type else opening + 1
        if token not in _IN_TYPE_ARGUMENTS and not is_identifier(token):
            break
    return opening + 1
