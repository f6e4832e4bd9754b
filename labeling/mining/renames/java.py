"""The methods of one Java file, found with tree-sitter; what is costly to know of one is worked out when asked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import tree_sitter_java
from tree_sitter import Language, Node, Parser, Query, QueryCursor

from labeling.mining.renames.lexing import check_source, normalize, tokenize
from labeling.mining.renames.masking import call_arity, mask_self_calls
from labeling.mining.renames.signatures import parse_parameters, strip_annotations, type_text

_LANGUAGE = Language(tree_sitter_java.language())
_PARSER = Parser(_LANGUAGE)
_SCOPES = Query(
    _LANGUAGE,
    """[(method_declaration) (class_declaration) (interface_declaration) (enum_declaration) (record_declaration)
        (annotation_type_declaration) (enum_constant body: (_)) (object_creation_expression (class_body))] @scope""",
)
_TRIVIAL_TOKENS = 8
_WORD = re.compile(rb"[\w\x80-\xff]+")
# The share of words that two comments must have in common to be one that was touched up.
_SAME_WORDS = 0.6
_KEYWORDS = {b"return", b"null", b"true", b"false", b"this", b"super"}
_MODIFIERS = {b"public", b"protected", b"private", b"static", b"final", b"abstract", b"default", b"synchronized"}
_MODIFIERS |= {b"native", b"strictfp"}


@dataclass(frozen=True, eq=False)
class Method:
    """One method declaration; all byte ranges point into the normalized source."""

    source: bytes
    scopes: tuple[str, ...]
    name: str
    start: int
    end: int
    name_start: int
    parameters_start: int
    body_start: int | None
    line: int
    position: int
    broken: bool

    @property
    def container(self) -> str:
        return ".".join(self.scopes)

    @property
    def text(self) -> str:
        return self.source[self.start : self.end].decode()

    @cached_property
    def raw_parameters(self) -> bytes:
        return self.source[self.parameters_start : self.body_start or self.end]

    @cached_property
    def javadoc(self) -> bytes:
        before = self.source[: self.start].rstrip()
        opening = before.rfind(b"/**")
        return before[opening:] if before.endswith(b"*/") and before.find(b"*/", opening) == len(before) - 2 else b""

    def described_as(self, other: Method) -> bool:
        """Whether the Javadoc of both says the same; where one has none there is nothing that speaks against it."""
        ours, theirs = (set(_WORD.findall(method.javadoc)) for method in (self, other))
        return not ours or not theirs or 2 * len(ours & theirs) >= _SAME_WORDS * (len(ours) + len(theirs))

    @cached_property
    def _head(self) -> list[bytes]:
        return tokenize(self.source[self.start : self.name_start])

    @cached_property
    def _tail(self) -> tuple[list[bytes], list[bytes]]:
        """The tokens between the parentheses, and those after them up to the body."""
        tokens = tokenize(self.raw_parameters)
        depth = 0
        for index, token in enumerate(tokens):
            depth += (token == b"(") - (token == b")")
            if depth == 0:
                return tokens[1:index], [token for token in tokens[index + 1 :] if token != b";"]
        return tokens[1:], []

    @cached_property
    def _parsed_parameters(self) -> tuple[tuple[str, ...], tuple[bytes, ...]]:
        return parse_parameters(self._tail[0])

    @property
    def parameters(self) -> tuple[str, ...]:
        return self._parsed_parameters[0]

    @property
    def parameter_names(self) -> tuple[bytes, ...]:
        return self._parsed_parameters[1]

    @cached_property
    def _types(self) -> tuple[str, str]:
        """The type parameters and the return type."""
        tokens = [token for token in strip_annotations(self._head) if token not in _MODIFIERS]
        if tokens[:1] != [b"<"]:
            return "", type_text(tokens)
        depth = 0
        for index, token in enumerate(tokens):
            depth += (token == b"<") - (token == b">")
            if depth == 0:
                return type_text(tokens[: index + 1]), type_text(tokens[index + 1 :])
        return "", type_text(tokens)

    @property
    def type_parameters(self) -> str:
        return self._types[0]

    @cached_property
    def return_type(self) -> str:
        dimensions = [token for token in self._tail[1] if token in {b"[", b"]"}]
        return self._types[1] + type_text(dimensions)

    @cached_property
    def throws(self) -> tuple[str, ...]:
        tokens = strip_annotations(self._tail[1])
        if b"throws" not in tokens:
            return ()
        return tuple(sorted(type_text(tokens[tokens.index(b"throws") + 1 :]).split(",")))

    @cached_property
    def declaration(self) -> tuple[bytes, ...]:
        """Every token of the header but the name."""
        return (*self._head, *self._tail[0], b"|", *self._tail[1])

    @cached_property
    def tokens(self) -> tuple[bytes, ...]:
        """The body's tokens; empty for a method without one."""
        return tuple(tokenize(self.source[self.body_start : self.end])) if self.body_start else ()

    @cached_property
    def masked(self) -> tuple[bytes, ...]:
        """The body's tokens with the calls of the method to itself made anonymous."""
        return mask_self_calls(self.tokens, name=self.name.encode(), arity=self.arity, owner=self.owner)

    @property
    def owner(self) -> bytes:
        return self.scopes[-1].encode() if self.scopes else b""

    @property
    def arity(self) -> range:
        return call_arity(self.parameters)

    @cached_property
    def trivial(self) -> bool:
        """Whether the body says too little to recognise a method by it: none, empty, a constant or a refusal."""
        inner = self.tokens[1:-1]
        if len(inner) > _TRIVIAL_TOKENS:
            return False
        return inner[:1] == (b"throw",) or not any(t[:1].isalpha() and t not in _KEYWORDS for t in inner)


def parse_methods(raw: bytes) -> list[Method]:
    """All methods of a file in the order of their declaration; raises BadSource for what cannot be Java."""
    check_source(raw)
    source = normalize(raw)
    nodes = QueryCursor(_SCOPES).captures(_PARSER.parse(source).root_node).get("scope", [])
    spans = sorted(((node.start_byte, -node.end_byte, node) for node in nodes), key=lambda span: span[:2])
    methods: list[Method] = []
    open_scopes: list[tuple[int, str]] = []
    for start, negative_end, node in spans:
        while open_scopes and open_scopes[-1][0] <= start:
            open_scopes.pop()
        scopes = tuple(name for _, name in open_scopes)
        name_node = node.child_by_field_name("name")
        if node.type == "method_declaration":
            if name_node is None:
                continue
            method = _read_method(node, name_node, source=source, scopes=scopes, position=len(methods))
            methods.append(method)
            open_scopes.append((-negative_end, method.name + "()"))
        else:
            open_scopes.append((-negative_end, _scope_name(node, name_node)))
    return methods


def _scope_name(node: Node, name: Node | None) -> str:
    if name is not None:
        return _text(name)
    created = node.child_by_field_name("type")
    return "new " + (_text(created).split("<")[0] if created is not None else "")


def _read_method(node: Node, name: Node, *, source: bytes, scopes: tuple[str, ...], position: int) -> Method:
    parameters, body = node.child_by_field_name("parameters"), node.child_by_field_name("body")
    return Method(
        source=source,
        scopes=scopes,
        name=_text(name),
        start=node.start_byte,
        end=node.end_byte,
        name_start=name.start_byte,
        parameters_start=parameters.start_byte if parameters is not None else name.end_byte,
        body_start=body.start_byte if body is not None else None,
        line=name.start_point[0] + 1,
        position=position,
        broken=node.has_error,
    )


def _text(node: Node) -> str:
    return (node.text or b"").decode()
