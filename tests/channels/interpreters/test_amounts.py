"""Amounts as people write them."""

from __future__ import annotations

from decimal import Decimal

import pytest

from overwinter.channels.interpreters.amounts import Amount, UnclearAmount, read_amount

from .asks import case

IN15 = case("in15")


def value_of(text: str, locale: str | None = None) -> Decimal | None:
    match read_amount(text, locale=locale):
        case Amount(value=value):
            assert isinstance(value, Decimal)
            return value
        case UnclearAmount(reason=reason):
            assert reason
            return None


@pytest.mark.parametrize(
    ("reply", "expected"), list(zip(IN15["input"]["replies"], IN15["expect"]["values"], strict=True)), ids=str
)
@pytest.mark.case("in15")
def test_the_case_is_read_without_a_locale(reply: str, expected: str | int) -> None:
    allowed = [part for part in str(expected).split(" or ") if part != "ask_again"]
    may_ask = "ask_again" in str(expected)
    found = value_of(str(reply))
    assert (found is None and may_ask) or (found is not None and str(found) in allowed)


@pytest.mark.parametrize(("reply", "expected"), list(IN15["expect"]["with_locale_de"].items()), ids=str)
@pytest.mark.case("in15")
def test_the_case_is_read_in_german(reply: str, expected: str) -> None:
    assert str(value_of(str(reply), "de")) == expected


@pytest.mark.parametrize(
    ("text", "locale", "expected"),
    [
        ("1.234.567", None, "1234567"),
        ("1,234,567.89", None, "1234567.89"),
        ("1234.5", None, "1234.5"),
        ("1234,567", None, "1234.567"),
        ("0.500", None, "0.500"),
        ("1٬234٫56", None, "1234.56"),
        ("１２３", None, "123"),
        ("1 234", None, "1234"),
        ("$12.50", None, "12.50"),
        ("12 €", None, "12"),
        ("900.--", None, "900"),
        ("1.234", "en", "1.234"),
        ("1,234", "en-GB", "1234"),
        ("1,234", "es-MX", "1234"),
        ("1,234", "es_ES", "1.234"),
        ("1.234", "de-CH", "1.234"),
        ("1,5", "fr", "1.5"),
    ],
)
def test_amounts_that_can_mean_one_thing_are_read(text: str, locale: str | None, expected: str) -> None:
    assert str(value_of(text, locale)) == expected


@pytest.mark.parametrize(
    ("text", "locale"),
    [
        ("12.345", None),
        ("12,345", "xx"),
        ("1,23,456", None),
        ("1.23.456", None),
        ("1,234,56", None),
        ("1.234.56,7,8", None),
        ("-50", None),
        ("+50", None),
        ("50 60", None),
        ("50 or 60", None),
        ("٣4", None),
        ("50%", None),
        ("50²", None),
        ("1e3", None),
        ("1k", None),
        ("five", None),
        ("", None),
        ("€", None),
        ("EUR 50 €", None),
        ("1,5", "en"),
        ("1.5", "de"),
        ("50 apples", None),
    ],
)
def test_what_is_no_single_amount_is_unclear(text: str, locale: str | None) -> None:
    assert value_of(text, locale) is None


def test_the_currencies_a_sign_may_mean_come_along() -> None:
    dollars, euros = read_amount("$5"), read_amount("5 EUR")
    assert isinstance(dollars, Amount)
    assert isinstance(euros, Amount)
    assert {"USD", "CAD"} <= dollars.currencies
    assert euros.currencies == {"EUR"}
