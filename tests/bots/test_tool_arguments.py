"""What a model wrote is read with nothing let through that is no JSON, and two calls are compared by their digests."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from overwinter.bots.errors import ToolArgumentsError
from overwinter.bots.tool_arguments import ExactNumber, canonical_json, digest, read_arguments

CASES = Path(__file__).parents[1] / "cases" / "durable_resume.yaml"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"a": ', "they are not JSON: Expecting value at line 1, column 7"),
        ("pay A", "they are not JSON"),
        ("[1, 2]", "one JSON object is expected, got [1, 2]"),
        ("null", "one JSON object is expected, got null"),
        ('"{}"', 'one JSON object is expected, got "{}"'),
        ('{"amount": 1, "amount": 1000}', 'the key "amount" is there twice'),
        ('{"refund": {"a": 1, "a": 1}}', 'the key "a" is there twice'),
        ('{"a": NaN}', "NaN is no JSON number"),
        ('{"a": [-Infinity]}', "-Infinity is no JSON number"),
        ('{"a": 1e999}', "the number 1e999 is too large"),
        ('{"a": ' + "9" * 5000 + "}", "integer string conversion"),
        ("[" * 100_000, "nested too deep"),
        ('{"a": "' + "x" * 9000, "they are not JSON"),
    ],
)
def test_text_that_is_no_arguments_object_is_refused(text: str, problem: str) -> None:
    with pytest.raises(ToolArgumentsError) as raised:
        read_arguments(text, tool="pay")

    assert problem in str(raised.value)
    assert str(raised.value).startswith("The arguments of pay do not fit: ")
    assert len(str(raised.value)) < 500
    assert raised.value.code == "tool.invalid-arguments"
    assert raised.value.tool == "pay"


@pytest.mark.parametrize("text", ["", "  \n", "{}"])
def test_blank_text_means_no_arguments(text: str) -> None:
    read = read_arguments(text, tool="pay")

    assert read.values == {}
    assert json.loads(read.text) == {}


@pytest.mark.parametrize(
    ("token", "exact", "is_lossy"),
    [
        ("80.10", "80.10", False),
        ("80.00", "80.00", False),
        ("1e5", "100000", False),
        ("1.50E-3", "0.00150", False),
        ("0.12345678901234567890", "0.12345678901234567890", True),
        ("1e-300", "1e-300", False),
        ("-0.0", "-0.0", False),
    ],
)
def test_number_remembers_its_digits(token: str, exact: str, is_lossy: bool) -> None:
    number = ExactNumber(token)

    assert str(number) == exact
    assert number == float(token)
    assert number.is_lossy is is_lossy


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**15), max_value=10**15))
def test_number_is_as_exact_as_it_was_written(value: Decimal) -> None:
    read = read_arguments(f'{{"a": {value:f}}}', tool="pay").values["a"]

    assert Decimal(str(read)) == value
    assert Decimal(str(read)).as_tuple().exponent == Decimal(f"{value:f}").as_tuple().exponent


@pytest.mark.case("du16")
def test_only_the_approved_arguments_have_the_approved_digest() -> None:
    cases: list[dict[str, Any]] = yaml.safe_load(CASES.read_text("utf-8"))
    case = next(case for case in cases if case["id"].startswith("du16_"))
    approved = digest("pay", case["input"]["shown"])

    same = [
        index
        for index, candidate in enumerate(case["input"]["executed_candidate"])
        if digest("pay", candidate) == approved
    ]

    assert same == case["expect"]["run"]


def test_digest_is_the_same_for_ever() -> None:
    text = '{"arguments":{"amount":"80.00","to":"Köln"},"tool":"pay"}'

    assert canonical_json({"tool": "pay", "arguments": {"to": "Köln", "amount": "80.00"}}) == text
    assert digest("pay", {"to": "Köln", "amount": "80.00"}) == (
        "0c0b2fffc680d087178a14b207b3afea08bc279824b8936bcbabf4ad7a493a1f"
    )


def test_digest_differs_by_tool_and_by_where_a_value_stands() -> None:
    digests = {
        digest("pay", {"to": "A"}),
        digest("pay_back", {"to": "A"}),
        digest("pay", {"to": ["A"]}),
        digest("pay", {"to": {"A": None}}),
        digest("pay", {"to": "A", "note": None}),
        digest("pay", {}),
    }

    assert len(digests) == 6


def test_digest_refuses_what_is_no_json() -> None:
    with pytest.raises(ValueError, match="JSON"):
        digest("pay", {"amount": float("nan")})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=4), JSON, max_size=4))
def test_digest_outlives_storing_the_arguments_and_the_order_of_their_keys(arguments: dict[str, Any]) -> None:
    turned = dict(reversed(arguments.items()))
    stored = json.loads(json.dumps(turned))

    assert digest("pay", stored) == digest("pay", arguments)
