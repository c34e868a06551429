"""The texts of secrets are found as the slow definition finds them, in a time that goes with the length of the text."""

from __future__ import annotations

import random
import time
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overwinter.actors.asks import JsonValue
from overwinter.actors.jsontext import to_json
from overwinter.actors.marks import Secret
from overwinter.actors.redaction import MASK, TOKEN, Masks, Tokens
from overwinter.actors.traces import Finder

from .sensitive_values import TEXTS, unhurried
from .slow_traces import SlowFinder

LETTERS = st.sampled_from(tuple("0011122aabbÀß½ﬁ٤Ⅷ²\u0301\u200b  \t\n\u00a0..,,''’__//--\"\\"))
"""Few enough that what is written at random is nearly what is looked for."""
DIGITS = st.sampled_from(tuple("111122 -.,/'\t"))
VALUES: st.SearchStrategy[JsonValue] = st.one_of(
    st.text(LETTERS, max_size=10),
    st.text(DIGITS, max_size=10),
    TEXTS,
    st.integers(-2000, 2000),
    st.sampled_from((1e22, -0.5, 80.1, 1e-7, 1200.0, 10**20)),
)


def secrets_of(values: list[JsonValue]) -> list[Secret]:
    return [
        Secret(name=f"field{index}", level="mask", is_shown=False, value=value) for index, value in enumerate(values)
    ]


def changed(text: str, chance: random.Random) -> str:
    """A text that is nearly the same."""
    letters = list(text)
    for _ in range(chance.randrange(4)):
        at = chance.randrange(len(letters) + 1)
        match chance.randrange(4):
            case 0:
                letters.insert(at, chance.choice(" -.,/'_\t\u200b\u0301x1"))
            case 1:
                letters[at : at + 1] = []
            case 2:
                letters[at : at + 1] = [each.swapcase() for each in letters[at : at + 1]]
            case _:
                letters[at : at + 2] = reversed(letters[at : at + 2])
    return "".join(letters)


@unhurried
@given(
    st.lists(VALUES, min_size=1, max_size=5), st.text(LETTERS | DIGITS, max_size=12), st.randoms(use_true_random=False)
)
def test_what_is_found_is_what_the_slow_definition_finds(values: list[JsonValue], other: str, chance: Any) -> None:
    written = [value if isinstance(value, str) else to_json(value) for value in values]
    parts = [changed(chance.choice([*written, other]), chance) for _ in range(chance.randrange(1, 12))]
    text = chance.choice(("", "", " ", "1")).join(parts)
    secrets = secrets_of(values)
    for beside in (None, TOKEN):
        assert Finder(secrets).spans(text, beside) == SlowFinder(secrets).spans(text, beside)
    standing = [secret for secret in secrets if SlowFinder([secret]).spans(text)]
    assert Finder(secrets).secrets_in(text) == standing


@pytest.mark.parametrize("alphabet", ["12", "12 -", "12./", "ab", "1a ", "a1.,", "1\u0301 ４", " -."])
def test_near_copies_are_told_apart_as_the_slow_definition_does(alphabet: str) -> None:
    chance = random.Random(alphabet)
    for _ in range(150):
        values: list[JsonValue] = ["".join(chance.choices(alphabet, k=chance.randrange(1, 9))) for _ in range(6)]
        text = "".join(chance.choices(alphabet, k=chance.randrange(80)))
        secrets = secrets_of(values)
        assert Finder(secrets).spans(text) == SlowFinder(secrets).spans(text), (values, text)


def test_what_stands_everywhere_and_overlaps_is_found_as_the_slow_definition_does() -> None:
    for letters in product("12 ", repeat=6):
        text = "".join(letters)
        secrets = secrets_of(["1212", "2 12", "12 12 ", " 2121", "11"])
        assert Finder(secrets).spans(text) == SlowFinder(secrets).spans(text), text


SLOW = 20_000
CARDS: list[JsonValue] = [str(10**15 + 7919 * index) for index in range(2000)]
MADE_TO_BE_SLOW: dict[str, tuple[list[JsonValue], str]] = {
    "one digit, over and over": (["1" * SLOW], "1" * 2 * SLOW),
    "near copies": (["1" * SLOW], ("1" * (SLOW - 1) + "2") * 2),
    "near copies with blanks": (["1" * SLOW], ("1 " * (SLOW - 1) + "2") * 2),
    "near copies with separators": (["1/" * SLOW], ("1/" * (SLOW - 1) + "1-") * 2),
    "near copies with separators in places": (["11/" * SLOW], ("11/" * (SLOW - 1) + "11-") * 2),
    "near copies with points": (["1.1" * SLOW], ("1,1" * (SLOW - 1) + "1-1") * 2),
    "near copies in letters": (["é" * SLOW], ("É" * (SLOW - 1) + "e\u0301x") * 2),
    "separators in front": ([" " * SLOW + "11 "], " " * 2 * SLOW + "11 11"),
    "separators alone": (["- " * SLOW], "- " * 2 * SLOW),
    "one within another": (["1" * size for size in range(4, 500)], "1" * SLOW),
    "one within another, with ends": (["1" * size + "-" * size for size in range(4, 200)], "1" * SLOW + "-" * SLOW),
    "many": (CARDS, " ".join(map(str, CARDS))),
    "many words": ([f"{number:03}" for number in range(1000)], "123 456 " * 5000),
}


@pytest.mark.heavy
@pytest.mark.parametrize(("values", "text"), MADE_TO_BE_SLOW.values(), ids=MADE_TO_BE_SLOW.keys())
def test_no_text_takes_long(values: list[JsonValue], text: str) -> None:
    secrets = secrets_of(values)
    begun_s = time.thread_time()
    finder = Finder(secrets)
    spans = finder.spans(text)
    standing = finder.secrets_in(text)
    assert time.thread_time() - begun_s < 3.0
    assert bool(spans) or not standing


def test_where_there_is_too_much_to_compare_what_may_be_a_value_is_hidden_and_nothing_else() -> None:
    secret = "11/" * SLOW
    near = ("11/" * (SLOW - 1) + "11-") * 2
    masked = Masks(secrets_of([secret])).text(f"see {near}{secret}, and 11/11/12/")
    assert masked.startswith("see 11/11/")
    assert masked.endswith(f"{MASK}, and 11/11/12/")
    assert secret not in masked
    tokens = Tokens(secrets_of([secret]))
    hidden = tokens.text(f"see {near}{secret}")
    assert secret not in hidden
    assert tokens.revealed(hidden) == f"see {near}{secret}"


@pytest.mark.heavy
def test_thousands_of_values_and_keys_are_hidden_in_a_short_time() -> None:
    found: dict[str, JsonValue] = {f"{card}": [card, f"of {card}"] for card in CARDS}
    secrets = [
        Secret(name="card", level="mask", is_shown=False, value=card, path=(card,), is_key=True) for card in found
    ]
    begun_s = time.thread_time()
    masked = Masks(secrets).json(found, secrets)
    tokens = Tokens(secrets)
    hidden = tokens.json(found, secrets)
    text = Masks(secrets).text(" ".join(found))
    assert time.thread_time() - begun_s < 5.0
    assert len(masked) == len(found)
    assert all(part == [MASK, f"of {MASK}"] for part in masked.values())
    assert tokens.revealed(hidden) == found
    assert text == " ".join([MASK] * len(found))


def test_a_value_that_folding_leaves_nothing_of_is_hidden_where_it_is_the_only_one() -> None:
    accents = "\u0301\u0302\u0303\u0304"
    assert Masks(secrets_of([accents])).text(f"a{accents}b") == f"a{MASK}b"
