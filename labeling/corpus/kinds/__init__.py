"""The kinds of item there are: for each a typed payload here and a template in templates/corpus/kinds/."""

from typing import Protocol, Self

from labeling.corpus.kinds.review_rename import ReviewRename


class Kind(Protocol):
    """What the corpus asks of every payload."""

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
}
