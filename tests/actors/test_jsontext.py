"""JSON as text, and as values that are the same or are not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overwinter.actors.asks import JsonValue
from overwinter.actors.jsontext import from_json, is_same, to_json
from overwinter.bots.tool_arguments import canonical_json

SCALARS = st.sampled_from((None, True, False, 0, 1, -1, 0.0, -0.0, 1.0, 2**63, float(2**63), "", "1", "true", "é"))
VALUES: st.SearchStrategy[JsonValue] = st.recursive(
    SCALARS, lambda part: st.lists(part, max_size=2) | st.dictionaries(st.sampled_from("ab"), part, max_size=2)
)


@given(VALUES, VALUES)
def test_values_are_the_same_exactly_where_their_canonical_texts_are(one: JsonValue, other: JsonValue) -> None:
    assert is_same(one, other) is (canonical_json(one) == canonical_json(other))


@given(VALUES)
def test_what_was_stored_is_the_same(value: JsonValue) -> None:
    assert is_same(value, from_json(to_json(value)))


@pytest.mark.parametrize(("one", "other"), [(1, True), (1, 1.0), (0.0, -0.0), ([0], [False]), ({"a": 1}, {"a": 1.0})])
def test_what_python_takes_for_equal_is_not_the_same(one: JsonValue, other: JsonValue) -> None:
    assert one == other
    assert not is_same(one, other)
