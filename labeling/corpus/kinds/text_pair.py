"""Two texts whose relation is judged, as a sentence and its paraphrase (copilot_robustness)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from labeling.corpus.payloads import Payload, digest_of, require_text, without_blanks


@dataclass(frozen=True, slots=True)
class TextPair(Payload):
    label: ClassVar[str] = "Pair of texts"

    first: str
    second: str
    context: str = ""
    title: str = ""
    group: str = ""
    extra: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        require_text(first=self.first, second=self.second)

    @property
    def key(self) -> str:
        return digest_of(self.group, self.context, self.first, self.second)

    @property
    def sameness(self) -> str:
        return without_blanks("\x00".join((self.first, self.second, self.context)))

    @property
    def words(self) -> str:
        return "\n".join([self.title, self.first, self.second, self.group, self.context])
