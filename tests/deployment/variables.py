"""Which environment variables the project reads, found in its source."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = ROOT / "annotator" / "settings.py"
COMPUTED = object()  # the default is not a literal


def variables_read(*paths: Path) -> dict[str, object]:
    """Each variable with its default, from `env.str("NAME", default=…)` and every use of os.environ."""
    found: dict[str, object] = {}
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for name, default in reading(node):
                if found.get(name, COMPUTED) is COMPUTED:
                    found[name] = default
    return found


def reading(node: ast.AST) -> list[tuple[str, object]]:
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id="env")), args=[ast.Constant(value=str(name))], keywords=keywords
        ):
            return [(name, literal(next((word.value for word in keywords if word.arg == "default"), None)))]
        case ast.Call(func=ast.Attribute(value=value), args=[ast.Constant(value=str(name)), *_]) if is_environ(value):
            return [(name, COMPUTED)]
        case ast.Subscript(value=value, slice=ast.Constant(value=str(name))) if is_environ(value):
            return [(name, COMPUTED)]
    return []


def is_environ(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and ast.unparse(node) == "os.environ"


def literal(node: ast.expr | None) -> object:
    try:
        return COMPUTED if node is None else ast.literal_eval(node)
    except ValueError:
        return COMPUTED
