"""One text for one payload: digests of items that were stored before depend on its every sign."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

from labeling.corpus.importing import canonical, quickly
from labeling.corpus.payloads import FieldError

characters = st.characters(exclude_categories=["Cs"], exclude_characters="\x00")
texts = st.text(characters)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner) | st.dictionaries(texts, inner),
    max_leaves=20,
)


def plainly(payload: dict[str, Any]) -> bytes:
    return json.dumps(payload, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


@given(payload=st.dictionaries(texts, values))
def test_it_is_what_the_standard_library_writes(payload: dict[str, Any]) -> None:
    assert canonical(payload) == plainly(payload)


@given(payload=st.dictionaries(texts, texts | st.lists(texts)))
def test_texts_are_written_the_quick_way(payload: dict[str, Any]) -> None:
    assert quickly(payload) == plainly(payload)


@pytest.mark.parametrize("value", [1e16, 5e-324, -0.0, 1.0, 2**64, -(2**63) - 1])
def test_numbers_that_the_quick_way_would_write_otherwise_are_left_alone(value: float) -> None:
    assert quickly({"a": [{"b": value}]}) is None
    assert canonical({"a": [{"b": value}]}) == plainly({"a": [{"b": value}]})


@pytest.mark.parametrize(
    ("value", "said"), [("\ud800", "half a character"), ("\x00", "NUL"), (float("inf"), "too large")]
)
def test_what_no_database_stores_is_refused(value: object, said: str) -> None:
    with pytest.raises(FieldError, match=said):
        canonical({"a": [value]})
