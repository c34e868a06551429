"""A shape says "surely the same" only of what comes back the same."""

from __future__ import annotations

import itertools
import json
import math
import re
from typing import Annotated, Any, Optional, Union

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field
from pydantic_core import PydanticSerializationError

from overwinter.actors.lossless import lossless
from overwinter.actors.sameness import difference
from overwinter.actors.shapes import PROVEN_LEVELS, is_plain, shape_of

SCALARS = (None, bool, int, float, str)
UNIONS = [Union[pair] for pair in itertools.permutations(SCALARS, 2)] + [Union[SCALARS]]  # noqa: UP007
ANNOTATIONS: list[Any] = [
    *SCALARS,
    *UNIONS,
    list,
    dict,
    list[UNIONS[-1]],
    dict[str, UNIONS[-1]],
    list[Any],
    dict[str, Any],
    dict[str, list[int | None]],
    list[float] | None,
    dict[str, Any] | str | int,
    Any | None,
]
HALF_A_PAIR = re.compile("[\ud800-\udfff]")
LOSSLESS = {str(annotation): lossless(annotation) for annotation in ANNOTATIONS}

texts = st.text() | st.text(st.characters(exclude_categories=()), max_size=3)
"""The second kind has halves of surrogate pairs, which no JSON text can hold."""

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([2**63, 10**30, -(10**4000), 2**13_900, -(2**13_900)])
    | st.floats()
    | texts
    | st.sampled_from(["1", "1.5", "true", "NaN", "null"])
)
values = scalars | st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=6
)


@pytest.mark.parametrize("annotation", ANNOTATIONS, ids=str)
@given(value=values)
def test_what_is_proven_comes_back_the_same_or_cannot_be_written(annotation: Any, value: Any) -> None:
    write, read = LOSSLESS[str(annotation)]
    if not shape_of(annotation)(value, PROVEN_LEVELS):
        return
    if HALF_A_PAIR.search(json.dumps(value, ensure_ascii=False)):
        with pytest.raises(PydanticSerializationError, match="surrogates not allowed"):
            write(value)
    else:
        assert difference(value, read(write(value))) is None


@pytest.mark.parametrize(
    ("annotation", "value"),
    [
        (str, "text"),
        (int, 10**30),
        (float, math.nan),
        (bool, True),
        (None, None),
        (list[str], ["a"]),
        (dict[str, Any], {"a": [1, None, 2.5, {"b": True}]}),
        (dict, {"a": 1}),
        (list, [1]),
        (Optional[int], None),  # noqa: UP045
        (int | str, "1"),
        (list[int] | None, [1]),
        (Any, {"a": [1]}),
        (object, "text"),
    ],
    ids=str,
)
def test_plain_value_of_its_type_is_proven(annotation: Any, value: Any) -> None:
    assert shape_of(annotation)(value, PROVEN_LEVELS)


@pytest.mark.parametrize(
    ("annotation", "value"),
    [
        (int, True),
        (float, 1),
        (str, 1),
        (int | str, 1.5),
        (list[str], ["a", 1]),
        (list[str], ("a",)),
        (dict[str, int], {"a": "1"}),
        (dict[str, int], {1: 1}),
        (dict[int, int], {1: 1}),
        (list[int] | list[str], []),
        (Annotated[int, Field(gt=0)], 5),
        (tuple[int, int], (1, 2)),
        (Any, math.inf),
        (Any, {1: 1}),
        (Any, [b"x"]),
        (int, 10**4300),
        (dict[str, int], {"\ud800": 1}),
        (dict[str, Any], {"a": {"\udfff": 1}}),
        (Any, {"ö\udc00": 1}),
    ],
    ids=lambda part: "" if isinstance(part, int) else str(part),
)
def test_nothing_else_is_proven(annotation: Any, value: Any) -> None:
    assert not shape_of(annotation)(value, PROVEN_LEVELS)


def test_more_levels_than_allowed_are_not_proven() -> None:
    assert is_plain([[1]], 2)
    assert not is_plain([[1]], 1)
    assert not is_plain({"a": {"b": 1}}, 1)


def test_value_that_contains_itself_is_not_proven() -> None:
    value: list[Any] = []
    value.append(value)
    assert not is_plain(value, PROVEN_LEVELS)
