"""The kinds of item there are: for each a typed payload here and a template in templates/corpus/kinds/."""

from typing import ClassVar, Protocol, Self

from labeling.corpus.kinds.method_pair import MethodPair
from labeling.corpus.kinds.review_rename import ReviewRename
from labeling.corpus.kinds.text_pair import TextPair


class Kind(Protocol):
    """What the corpus asks of every payload."""

    label: ClassVar[str]

    @classmethod
    def read(cls, data: object) -> Self: ...
    def write(self) -> dict[str, object]: ...
    @property
    def key(self) -> str: ...
    @property
    def group(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def sameness(self) -> str: ...
    @property
    def words(self) -> str: ...


KINDS: dict[str, type[Kind]] = {
    "review_rename": ReviewRename,
    "method_pair": MethodPair,
    "text_pair": TextPair,
}
LABELS = [(name, kind.label) for name, kind in KINDS.items()]
