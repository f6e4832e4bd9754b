"""Two Java methods whose relation is judged, as whether they do the same (femp)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from labeling.corpus.payloads import Payload, digest_of, require_text, without_blanks


@dataclass(frozen=True, slots=True)
class Method:
    code: str
    name: str = ""
    path: str = ""
    repository: str = ""

    def __post_init__(self) -> None:
        require_text(code=self.code)


@dataclass(frozen=True, slots=True)
class MethodPair(Payload):
    label: ClassVar[str] = "Pair of Java methods"

    first: Method
    second: Method
    context: str = ""
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> str:
        return digest_of(*(part for method in self.methods for part in (method.repository, method.path, method.code)))

    @property
    def group(self) -> str:
        return self.first.repository or self.second.repository

    @property
    def title(self) -> str:
        return " ↔ ".join(method.name or "(no name)" for method in self.methods)

    @property
    def sameness(self) -> str:
        return without_blanks("\x00".join(method.code for method in self.methods))

    @property
    def words(self) -> str:
        parts = [part for method in self.methods for part in (method.name, method.repository, method.path, method.code)]
        return "\n".join([*parts, self.context])

    @property
    def methods(self) -> tuple[Method, Method]:
        return self.first, self.second
