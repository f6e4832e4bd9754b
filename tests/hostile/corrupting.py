"""Files as they come back from a bad disk, a wrong editor or somebody with ill will. Each run tries the same."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar

from hypothesis import HealthCheck, Phase, seed, settings, strategies as st

T = TypeVar("T")
# FUZZ_EXAMPLES multiplies them, for a long run by hand.
TIMES = int(os.environ.get("FUZZ_EXAMPLES", "1"))
NASTY = [
    b"\x00",
    b"\\u0000",
    b"\\ud800",
    b"\xed\xa0\x80",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"9" * 5_000,
    b"-99999999999999999999",
    b"1e999999",
    b"NaN",
    b"-Infinity",
    b"null",
    b"true",
    b"{}",
    b"[]",
    b'"',
    b"'",
    b",",
    b"\n",
    b"\r",
    b"\t",
    b"\x1b[2J",
    b"[" * 20_000,
    b'{"a":' * 20_000,
    b"&a [*a, *a]",
    b"!!python/object:os.system {}",
    "\u202e\u2028\ufeff\U0010ffff".encode(),
    b"=HYPERLINK(1)",
    b"x" * 300_000,
]
ENCODINGS = ("utf-16", "utf-32", "utf-8-sig", "cp037")


@st.composite
def corrupted(draw: st.DrawFn, whole: bytes) -> bytes:
    """The file, harmed in one to three ways."""
    for _ in range(draw(st.integers(1, 3))):
        whole = draw(harmed(whole))
    return whole


def harmed(whole: bytes) -> st.SearchStrategy[bytes]:
    place = st.integers(0, len(whole))
    return st.one_of(
        place.map(lambda at: whole[:at]),
        place.map(lambda at: whole[at:]),
        st.tuples(place, st.integers(0, 7)).map(lambda pair: flipped(whole, *pair)),
        st.tuples(place, st.sampled_from(NASTY)).map(lambda pair: whole[: pair[0]] + pair[1] + whole[pair[0] :]),
        st.tuples(place, st.sampled_from(NASTY)).map(lambda pair: replaced(whole, *pair)),
        st.sampled_from(ENCODINGS).map(lambda name: whole.decode("latin-1").encode(name, "replace")),
        st.binary(max_size=200),
    )


def flipped(whole: bytes, at: int, bit: int) -> bytes:
    return whole[:at] + bytes([whole[at] ^ (1 << bit)]) + whole[at + 1 :] if at < len(whole) else whole


def replaced(whole: bytes, at: int, nasty: bytes) -> bytes:
    """A value, up to the next sign that ends one."""
    end = min((found for sign in b',"\n}:' if (found := whole.find(sign, at)) > 0), default=len(whole))
    return whole[:at] + nasty + whole[end:]


def tries(count: int) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """So many examples, the same in each run."""

    def decorate(test: Callable[..., T]) -> Callable[..., T]:
        how = settings(
            max_examples=count * TIMES,
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.explicit, Phase.generate],
        )
        return seed(8)(how(test))

    return decorate
