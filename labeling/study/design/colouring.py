"""Colours on the edges of a bipartite graph so that each is used evenly: at every vertex, and over all edges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

Edge = tuple[int, int]
Vertex = tuple[str, int, int]  # side, vertex, and the part of it


def colour_evenly(edges: Sequence[Edge], colours: int) -> list[int]:
    """A colour for each edge; at each vertex, and over all, the uses of any two colours differ by one at most.

    De Werra (1971): vertices are split into parts of at most `colours` edges, and the parts coloured so that no two
    edges of a part are alike, which by König (1916) always can be done.
    """
    colouring = _Colouring(edges, colours)
    for edge in range(len(edges)):
        colouring.add(edge)
    colouring.level()
    return colouring.colour


class _Colouring:
    def __init__(self, edges: Sequence[Edge], colours: int) -> None:
        self.colours = colours
        self.colour = [-1] * len(edges)
        seen: Counter[tuple[str, int]] = Counter()
        self.ends = [(self._part("left", left, seen), self._part("right", right, seen)) for left, right in edges]
        self.at: dict[Vertex, dict[int, int]] = {}  # vertex -> colour -> edge

    def _part(self, side: str, vertex: int, seen: Counter[tuple[str, int]]) -> Vertex:
        part = seen[side, vertex] // self.colours
        seen[side, vertex] += 1
        return side, vertex, part

    def add(self, edge: int) -> None:
        left, right = self.ends[edge]
        free_left, free_right = self._free(left), self._free(right)
        if free_left != free_right:
            # On the path from `right` in these two colours, exchange them: it cannot reach `left`, so that
            # `free_left` becomes free at both ends.
            self._exchange(list(self._path(right, free_left, free_right)), free_left, free_right)
        self._set(edge, free_left)

    def level(self) -> None:
        """Exchanges colours along whole paths until all are used equally often, give or take one."""
        used = Counter(self.colour)
        while self.colour:
            most = max(range(self.colours), key=lambda colour: used[colour])
            least = min(range(self.colours), key=lambda colour: used[colour])
            if used[most] - used[least] <= 1:
                return
            self._exchange(self._longer_path(most, least), most, least)
            used[most] -= 1
            used[least] += 1

    def _longer_path(self, most: int, least: int) -> list[int]:
        """A path that begins and ends with `most`; there is one while it is used more often."""
        for vertex, edges in self.at.items():
            if most in edges and least not in edges:
                path = list(self._path(vertex, most, least))
                if len(path) % 2:
                    return path
        raise AssertionError("two colours used unequally always leave such a path")

    def _free(self, vertex: Vertex) -> int:
        taken = self.at.setdefault(vertex, {})
        return next(colour for colour in range(self.colours) if colour not in taken)

    def _path(self, vertex: Vertex, first: int, second: int) -> Iterator[int]:
        """The edges from a vertex on, of two colours in turn."""
        while first in self.at[vertex]:
            edge = self.at[vertex][first]
            yield edge
            left, right = self.ends[edge]
            vertex = right if vertex == left else left
            first, second = second, first

    def _exchange(self, path: list[int], one: int, other: int) -> None:
        for edge in path:
            for vertex in self.ends[edge]:
                self.at[vertex].pop(self.colour[edge], None)
        for edge in path:
            self._set(edge, other if self.colour[edge] == one else one)

    def _set(self, edge: int, colour: int) -> None:
        self.colour[edge] = colour
        for vertex in self.ends[edge]:
            self.at[vertex][colour] = edge
