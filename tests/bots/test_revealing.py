"""Tokens in the arguments of a call: in sensitive fields they are values again, and all else is as the model wrote it."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from overwinter.actors.asks import JsonValue
from overwinter.actors.stand_ins import known_from, noted, of
from overwinter.bots.privacy import Sensitive
from overwinter.bots.revealing import put_back, tokens_written
from overwinter.bots.tools import ToolCall, tool

VALUES: dict[str, JsonValue] = {"‹iban:7›": "DE89", "‹account:8›": 12345678901234567890, "‹name:9›": 'Ann "A" Ö'}


class Payee(BaseModel):
    iban: Annotated[str, Sensitive("token")]
    account: Annotated[int | None, Sensitive("mask")] = None


@tool
async def pay(payees: list[Payee], amount: float, note: str, call: ToolCall[Any]) -> str:
    """Pay."""
    return f"{payees} {amount} {note}"


MARKS = pay.signature.marks


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ('{"payees": [{"iban": "‹iban:7›"}], "amount": 1}', '{"payees":[{"iban":"DE89"}],"amount":1}'),
        # Escaped, as some vendors' JSON is.
        ('{"payees": [{"iban": "\\u2039iban:7\\u203a"}]}', '{"payees":[{"iban":"DE89"}]}'),
        # Within other words, and a number as the number that it was.
        ('{"payees": [{"iban": "IBAN ‹iban:7›."}]}', '{"payees":[{"iban":"IBAN DE89."}]}'),
        ('{"payees": [{"account": "‹account:8›"}]}', '{"payees":[{"account":12345678901234567890}]}'),
        ('{"payees": [{"iban": "‹name:9›"}]}', '{"payees":[{"iban":"Ann \\"A\\" Ö"}]}'),
        # Numbers beside it keep every digit.
        (
            '{"payees": [{"iban": "‹iban:7›"}], "amount": 12345678901234567.8900}',
            '{"payees":[{"iban":"DE89"}],"amount":12345678901234567.8900}',
        ),
        # Not where it would be seen.
        (
            '{"note": "to ‹iban:7›", "payees": [{"iban": "‹iban:7›"}]}',
            '{"note":"to ‹iban:7›","payees":[{"iban":"DE89"}]}',
        ),
    ],
)
def test_a_token_in_a_sensitive_field_is_its_value(written: str, meant: str) -> None:
    assert put_back(written, MARKS, VALUES) == meant


@pytest.mark.parametrize(
    "written",
    [
        '{"note": "‹iban:7›"}',
        '{"payees": [{"iban": "‹iban:1›"}]}',
        '{"payees": [{"iban": "‹iban:7›"}',
        '{"payees": [{"iban": "‹iban:7›", "iban": "‹iban:7›"}]}',
        '["‹iban:7›"]',
        '{"payees": [{"iban": "‹iban:7›", "account": NaN}]}',
        '{"a":' * 5000,
        "",
    ],
)
def test_what_has_no_token_in_its_place_is_left_to_the_letter(written: str) -> None:
    assert put_back(written, MARKS, VALUES) == written


def test_without_marks_or_values_nothing_is_read() -> None:
    written = '{"payees":  [{"iban": "‹iban:7›"}]}'
    assert put_back(written, None, VALUES) == written
    assert put_back(written, MARKS, {}) == written


def test_tokens_are_found_however_json_writes_them() -> None:
    assert tokens_written('{"a": "\\u2039iban:7\\u203a and ‹card:8›"}') == {"‹iban:7›", "‹card:8›"}
    assert tokens_written('{"a": "‹iban:7›') == {"‹iban:7›"}
    assert tokens_written("{}") == set()


def test_a_body_notes_what_its_own_text_shows() -> None:
    assert noted({"content": "x"}, "pay ‹iban:7›", VALUES) == {"content": "x", "stands_for": {"‹iban:7›": "DE89"}}
    assert noted({"content": "x"}, "pay ‹iban:1›", VALUES) == {"content": "x"}


def test_a_token_that_was_shown_for_two_values_stands_for_neither() -> None:
    shown = [{"stands_for": {"‹iban:7›": value, "‹card:1›": "c"}} for value in ("DE89", "FR76")]
    assert known_from([*shown, {}]) == {"‹card:1›": "c"}
    assert known_from([shown[0], shown[0]]) == shown[0]["stands_for"]


@pytest.mark.parametrize("body", ["text", None, {"stands_for": "x"}, {"stands_for": {"a": 1}}, {"stands_for": {}}])
def test_what_code_of_an_authors_wrote_there_stands_for_nothing(body: object) -> None:
    assert dict(of(body)) == {}
