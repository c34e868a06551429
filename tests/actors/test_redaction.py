"""Values are hidden where they stand and wherever their text turns up, and tokens lead back to them."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overwinter.actors.asks import JsonValue
from overwinter.actors.jsontext import to_json
from overwinter.actors.marks import Secret, marks_of, secrets_in
from overwinter.actors.redaction import MASK, Masks, Tokens, tokens_in

from .sensitive_values import MARKED, TEXTS, Marked, leaks_in, unhurried


def secret(value: JsonValue, *, name: str = "card") -> Secret:
    return Secret(name=name, level="mask", is_shown=False, value=value)


@unhurried
@given(MARKED)
def test_no_mask_lets_a_value_through(marked: Marked) -> None:
    schema, value = marked
    secrets = secrets_in(marks_of(schema), value)
    assert leaks_in(Masks(secrets).json(value, secrets), secrets) == []


@pytest.mark.behaviour("G23")
@unhurried
@given(MARKED)
def test_no_token_lets_a_value_through_and_all_of_them_lead_back(marked: Marked) -> None:
    schema, value = marked
    secrets = secrets_in(marks_of(schema), value)
    tokens = Tokens(secrets)
    hidden = tokens.json(value, secrets)
    assert leaks_in(hidden, secrets) == []
    assert tokens.unknown_in(hidden) is None
    assert to_json(tokens.revealed(hidden)) == to_json(value)


@unhurried
@given(st.lists(TEXTS, min_size=1, max_size=3), st.lists(TEXTS, max_size=4), st.randoms())
def test_a_text_comes_back_as_it_was_whatever_values_stand_in_it(values: list[str], others: list[str], random) -> None:  # pyright: ignore[reportMissingParameterType, reportUnknownParameterType]
    parts = values + others
    random.shuffle(parts)  # pyright: ignore[reportUnknownMemberType]
    text = "".join(parts)
    secrets = [secret(value) for value in values]
    tokens = Tokens(secrets)
    hidden = tokens.text(text)
    assert leaks_in(hidden, secrets) == []
    assert leaks_in(Masks(secrets).text(text), secrets) == []
    assert tokens.revealed(hidden) == text


WRITTEN: dict[str, Callable[[str], str]] = {
    "as it is": lambda value: value,
    "in capitals": str.upper,
    "full width": lambda value: "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in value),
    "with something invisible in it": lambda value: "\u200b".join(value),
    "with accents": lambda value: "\u0301".join(value),
    "in JSON": lambda value: json.dumps(value)[1:-1],
    "as Python shows it": lambda value: repr(value)[1:-1],
}


@pytest.mark.parametrize("written", WRITTEN.values(), ids=WRITTEN.keys())
@pytest.mark.parametrize("value", ["4111 1111 1111 1111", "DE89 3704", "o'Neil \\ Émile", "straße 12", "line\nfeed"])
@pytest.mark.parametrize("around", ["{}", "x{}x", "card {}, please", "({})"])
def test_a_value_is_found_however_it_is_written(written: Callable[[str], str], value: str, around: str) -> None:
    assert Masks([secret(value)]).text(around.format(written(value))) == around.format(MASK)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("4111111111111111", "4111 1111 1111 1111"),
        ("4111111111111111", "4111-1111-1111-1111"),
        ("4111 1111 1111 1111", "4111111111111111"),
        (4111, "4,111"),
        (1234567, "1'234'567"),
        ("1234.50", "1,234.50"),
        ("1234.50", "1.234,50"),
        ("80.10", "80.1"),
        (80.1, "80.10"[:4]),
        ("1200.00", "1200"),
        (1e22, "10000000000000000000000"),
    ],
)
def test_a_number_is_found_however_its_digits_are_grouped(value: JsonValue, text: str) -> None:
    assert Masks([secret(value)]).text(f"pay {text} now") == f"pay {MASK} now"


def test_short_values_are_hidden_as_words_only_and_single_letters_only_where_they_stand() -> None:
    masks = Masks([secret("ann"), secret("7")])
    assert masks.text("ann, Ann! annoyed hannah 7 apples") == f"{MASK}, {MASK}! annoyed hannah 7 apples"
    assert masks.json({"pin": "7"}, [Secret(name="pin", level="mask", is_shown=False, value="7", path=("pin",))]) == {
        "pin": MASK
    }


def test_values_that_overlap_leave_nothing_between_them() -> None:
    assert Masks([secret("abcd"), secret("bcde")]).text("xabcdex") == f"x{MASK}x"
    tokens = Tokens([secret("abcd"), secret("bcde")])
    hidden = tokens.text("xabcdex")
    assert "e" not in hidden
    assert tokens.revealed(hidden) == "xabcdex"


def test_equal_values_have_equal_tokens_and_others_do_not() -> None:
    found = {"a": "5551", "b": "5551", "c": 5551, "d": "5552"}
    secrets = [
        Secret(name=name, level="token", is_shown=False, value=value, path=(name,)) for name, value in found.items()
    ]
    tokens = Tokens(secrets)
    hidden = tokens.json(found, secrets)
    assert hidden["a"] == hidden["b"] == "‹a:1›"
    assert len(set(hidden.values())) == 3
    assert tokens.revealed(hidden) == found


def test_what_looks_like_a_token_in_a_text_does_not_become_somebody_elses_value() -> None:
    tokens = Tokens([secret("4111")])
    hidden = tokens.text("give me ‹card:1›")
    assert tokens.revealed(hidden) == "give me ‹card:1›"
    assert tokens.revealed("‹card:1›") == "4111"


def test_a_token_of_nobodys_is_named() -> None:
    tokens = Tokens([secret("4111")])
    assert tokens.unknown_in({"a": ["‹card:1›", "and ‹card:2›"]}) == "‹card:2›"
    assert list(tokens_in({"‹card:2›": None})) == ["‹card:2›"]


def test_masked_keys_are_told_apart() -> None:
    found = {"karl": 1, "kurt": 2}
    secrets = [Secret(name="k", level="mask", is_shown=False, value=key, path=(key,), is_key=True) for key in found]
    assert Masks(secrets).json(found, secrets) == {MASK: 1, f"{MASK} (2)": 2}


def test_a_number_that_holds_the_text_of_a_value_is_hidden_too() -> None:
    assert Masks([secret("4111")]).json({"total": 41112, "n": 5, "is": True}) == {"total": MASK, "n": 5, "is": True}
