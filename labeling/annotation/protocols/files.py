"""A codebook as one YAML file that people can read and change, and back without loss."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from labeling.annotation.protocols.codebook import Codebook
from labeling.corpus.payloads import FieldError
from labeling.refusals import Invalid

LARGEST_FILE = 600_000
LONGEST_NUMBER = 100  # YAML counts 1:59:59 in sixties, which takes long where there are many
BUILT_IN = Path(__file__).parent / "builtin"
BUILT_IN_NAMES = ("rename4j", "equivalence", "paraphrase")
TEXT = "tag:yaml.org,2002:str"
NOTHING = "tag:yaml.org,2002:null"
# Everything but these is text, whatever YAML takes it for: `key: yes` and `hotkey: 1` mean what they say.
TYPED = {"required", "low", "high"}
KNOWN_TAGS = {
    f"tag:yaml.org,2002:{name}"
    for name in ("map", "seq", "str", "null", "bool", "int", "float", "timestamp", "value", "merge")
}
Lines = dict[str, int]


def read_codebook(text: str | bytes) -> Codebook:
    """The codebook in a YAML file; raises Invalid with the line and the field that are wrong."""
    lines: Lines = {}
    data = plain_data(compose(decoded(text)), "", lines)
    try:
        return Codebook.read(data)
    except FieldError as error:
        raise Invalid(f"{placed(error.field, lines)}{error.reason}.") from error


def write_codebook(codebook: Codebook) -> str:
    return yaml.dump(
        codebook.write(), Dumper=Writer, allow_unicode=True, sort_keys=False, width=100, default_flow_style=False
    )


def decoded(text: str | bytes) -> str:
    if len(text) > LARGEST_FILE:
        raise Invalid(f"The file is larger than {LARGEST_FILE:,} bytes.")
    try:
        return text if isinstance(text, str) else text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Invalid(f"The file is not UTF-8: byte {error.start + 1} cannot be read.") from error


def compose(text: str) -> yaml.Node:
    """The file as nodes that know their lines; nothing in it is run, and no node stands in two places."""
    loader: Any = None
    try:
        loader = Reader(text)
        node: yaml.Node | None = loader.get_single_node()
    except yaml.MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        raise Invalid(f"{line}this is not YAML: {error.problem or error.context}.") from error
    except yaml.YAMLError as error:  # a character that YAML does not allow
        raise Invalid("The file has a character that YAML does not allow.") from error
    except RecursionError as error:
        raise Invalid("The file is nested too deeply.") from error
    finally:
        if loader is not None:
            loader.dispose()
    if node is None:
        raise Invalid("The file is empty.")
    return node


class Reader(yaml.SafeLoader):
    """Refuses aliases: a small file with many of them stands for a huge one."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            event = self.peek_event()  # type: ignore[no-untyped-call]
            raise Invalid(f"line {event.start_mark.line + 1}: *{event.anchor} refers to another place; write it out.")
        return super().compose_node(parent, index)


class Writer(yaml.SafeDumper):
    """Long texts as blocks, nothing as a reference to another place."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def represent_str(self, data: str) -> yaml.ScalarNode:
        return self.represent_scalar(TEXT, data, style="|" if "\n" in data else None)


Writer.add_representer(str, Writer.represent_str)


def plain_data(node: yaml.Node, path: str, lines: Lines) -> Any:
    """What the node says, as plain data; on the way the line of every field is noted."""
    lines.setdefault(path, node.start_mark.line + 1)
    if node.tag not in KNOWN_TAGS:
        raise Invalid(f"{placed(path, lines)}the tag {node.tag[:60]} is not taken.")
    if isinstance(node, yaml.MappingNode):
        return dict(fields(node, path, lines))
    if isinstance(node, yaml.SequenceNode):
        return [plain_data(inner, f"{path}[{index}]", lines) for index, inner in enumerate(node.value)]
    return scalar(node, path, lines)


def fields(node: yaml.MappingNode, path: str, lines: Lines) -> Iterator[tuple[str, Any]]:
    seen = set()
    for key_node, value_node in node.value:
        line = key_node.start_mark.line + 1
        if not isinstance(key_node, yaml.ScalarNode):
            raise Invalid(f"line {line}: the name of a field must be a word.")
        name = str(key_node.value)
        inner = f"{path}.{name}" if path else name
        if name in seen:
            raise Invalid(f"line {line}, {inner}: stands here twice.")
        seen.add(name)
        lines[inner] = line
        value = plain_data(value_node, inner, lines)
        if value is not None:  # a field without a value is a field that is not there
            yield name, value


def scalar(node: yaml.Node, path: str, lines: Lines) -> Any:
    if node.tag == NOTHING:
        return None
    if node.tag == TEXT or path.rpartition(".")[2] not in TYPED:
        return str(node.value)
    if len(node.value) > LONGEST_NUMBER:
        raise Invalid(f"{placed(path, lines)}is too large a number.")
    try:
        return yaml.safe_load(node.value)
    except (yaml.YAMLError, ValueError) as error:  # a number of thousands of digits
        raise Invalid(f"{placed(path, lines)}is too large a number.") from error


def placed(path: str, lines: Lines) -> str:
    """“line 7, questions[0].key: ”; for a field that is missing, the line of what it is missing from."""
    around = path
    while around not in lines:
        around = around[: max(around.rfind("."), around.rfind("["), 0)]
    return f"line {lines[around]}, {path}: " if path else f"line {lines[around]}: "


@cache
def built_in() -> dict[str, Codebook]:
    """The protocols that come with the app, by name."""
    return {name: read_codebook((BUILT_IN / f"{name}.yaml").read_bytes()) for name in BUILT_IN_NAMES}
