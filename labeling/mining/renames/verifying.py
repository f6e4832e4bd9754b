"""A second opinion on a match: javalang parses both methods, and their trees must be equal but for the names."""

from __future__ import annotations

from typing import Literal

from javalang.ast import Node
from javalang.parser import JavaParserBaseException, Parser
from javalang.tokenizer import LexerError, tokenize
from javalang.tree import FormalParameter, MemberReference, MethodDeclaration, MethodInvocation

from labeling.mining.renames.java import Method
from labeling.mining.renames.matching import Match

VerifiedBy = Literal["javalang", "tokens"]

_HEADER_EXTRAS = frozenset({"modifiers", "annotations", "documentation", "name"})


def verify(match: Match) -> VerifiedBy:
    """`javalang` where it can parse both and finds no other difference than the tier allows, else `tokens`."""
    before, after = parse_method(match.before), parse_method(match.after)
    if before is None or after is None:
        return "tokens"
    try:
        equal = _equal_methods(before, after, match=match)
    except RecursionError:  # an expression nested deeper than Python walks
        return "tokens"
    return "javalang" if equal else "tokens"


def parse_method(method: Method) -> MethodDeclaration | None:
    """The tree of the method cut out of its file, or None where javalang cannot read it."""
    try:
        tree = Parser(list(tokenize(method.text))).parse_member_declaration()
    # javalang meets newer Java with whatever error its tables happen to raise, not only its own.
    except (JavaParserBaseException, LexerError, RecursionError, AttributeError, TypeError, IndexError, StopIteration):
        return None
    return tree if isinstance(tree, MethodDeclaration) and tree.name == method.name else None


def _equal_methods(before: MethodDeclaration, after: MethodDeclaration, *, match: Match) -> bool:
    skipped = _HEADER_EXTRAS | {"return_type"} if match.tier in {"return_type", "review"} else _HEADER_EXTRAS
    if match.tier == "exact" and (before.modifiers, before.documentation) != (after.modifiers, after.documentation):
        return False
    if match.tier == "exact" and not _equal(before.annotations, after.annotations, match=match):
        return False
    return all(
        _equal(getattr(before, name), getattr(after, name), match=match)
        for name in _attributes(before)
        if name not in skipped
    )


def _equal(before: object, after: object, *, match: Match) -> bool:
    if isinstance(before, Node):
        return type(before) is type(after) and all(
            _equal(getattr(before, name), getattr(after, name), match=match) or _may_differ(name, before, after, match)
            for name in _attributes(before)
        )
    if isinstance(before, (list, tuple)):
        return (
            isinstance(after, (list, tuple))
            and len(before) == len(after)
            and all(_equal(left, right, match=match) for left, right in zip(before, after, strict=True))
        )
    return before == after or (isinstance(before, str) and (before, after) in match.differing)


def _attributes(node: Node) -> list[str]:
    names: list[str] = node.attrs
    return names


def _may_differ(attribute: str, before: Node, after: Node, match: Match) -> bool:
    """Whether this difference is a call of the method itself, or a parameter's modifiers where the tier allows it."""
    if match.tier == "exact":
        return False
    if isinstance(before, FormalParameter):
        return attribute in {"modifiers", "annotations"}
    is_call = attribute == "member" and isinstance(before, (MethodInvocation, MemberReference))
    own = before.qualifier in {None, "", match.before.owner.decode()} if is_call else False
    return own and (before.member, after.member) == match.names
