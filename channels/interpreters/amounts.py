"""Amounts as people write them: the same characters mean different numbers in different countries.

``1.234`` is a thousand and something in Berlin and one and a bit in London, so without a locale it is no amount at all.
Exact decimals only, never floats.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType

from .text import Token, TokenKind, normalised, tokens_of, words_in

_POINT_LANGUAGES = frozenset(("en", "ja", "ko", "zh", "he", "th"))
_COMMA_LANGUAGES = words_in(
    "bg ca cs da de el es et fi fr hr hu id is it lt lv nb nl nn no pl pt ro ru sk sl sr sv tr uk"
)
_POINT_REGIONS = words_in("de-ch de-li fr-ch it-ch es-mx es-us es-pr es-gt es-hn es-ni es-pa es-pe es-sv es-do")

CURRENCIES: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        word: frozenset(codes.split())
        for words, codes in (
            ("€ eur euro euros euroa eura евро ユーロ 유로 欧元", "EUR"),
            ("$", "USD CAD AUD NZD SGD HKD MXN"),
            ("dollar dollars dollari dólares dólar доллар доллара долларов ドル 달러", "USD CAD AUD NZD SGD HKD"),
            ("usd", "USD"),
            ("cad", "CAD"),
            ("aud", "AUD"),
            ("£ gbp pound pounds quid", "GBP"),
            ("¥", "JPY CNY"),
            ("jpy yen 円", "JPY"),
            ("cny rmb 元 人民币", "CNY"),
            ("chf franken francs", "CHF"),
            ("kr kronor kroner krona krone", "SEK NOK DKK ISK"),
            ("sek", "SEK"),
            ("nok", "NOK"),
            ("dkk", "DKK"),
            ("zł zl pln złotych złote", "PLN"),
            ("₽ rub руб рублей рубля рубль", "RUB"),
            ("₺ tl lira", "TRY"),
            ("₩ krw 원", "KRW"),
            ("₹ inr", "INR"),
            ("brl reais", "BRL"),
            ("czk kč", "CZK"),
            ("huf", "HUF"),
        )
        for word in words.split()
    }
)
"""Currency words and signs, folded, with the codes that each may mean."""

_DIGITS = re.compile(r"\d+")
_GROUPED = re.compile(r"\d{1,3}([.,' ]\d{3})+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """An amount, not negative, and the currencies its words may mean; none named gives an empty set."""

    value: Decimal
    currencies: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class UnclearAmount:
    """The text is no amount, or more than one. ``reason`` may be shown to the person who wrote it."""

    reason: str


def read_amount(text: str, *, locale: str | None = None) -> Amount | UnclearAmount:
    """Read a text that is one amount and nothing else, perhaps with its currency.

    Args:
        locale: a language tag such as ``de`` or ``es-MX``; None if the writer's is not known.
    """
    tokens = tokens_of(normalised(text))
    numbers = [token for token in tokens if token.kind is TokenKind.NUMBER]
    rest = [token for token in tokens if token.kind is not TokenKind.NUMBER]
    if len(numbers) != 1 or len(rest) > 1 or any(token.text not in CURRENCIES for token in rest):
        return UnclearAmount(reason=f"“{text.strip()}” is not one amount.")
    value = read_number(numbers[0].text, locale=locale)
    if isinstance(value, UnclearAmount):
        return value
    return Amount(value=value, currencies=currencies_of(rest[0]) if rest else frozenset())


def read_number(written: str, *, locale: str | None = None) -> Decimal | UnclearAmount:
    """Read one number token, as ``1.234,56`` or ``900,-``, without its currency."""
    text = re.sub(r"[.,]-{1,2}$", "", written)
    digits = _DIGITS.findall(text)
    if text[:1] in "+-−" or not digits or not _one_script("".join(digits)):
        return UnclearAmount(reason=f"“{written}” is no amount.")
    text = "".join(str(unicodedata.decimal(char)) if char.isdecimal() else char for char in text)
    text = text.replace("٬", "'")
    if "٫" in text:
        whole, _, fraction = text.partition("٫")
        return _value(whole, fraction, written) if "٫" not in fraction else _unclear(written)
    marks = [char for char in text if not char.isdecimal()]
    last = marks[-1] if marks else ""
    match len(marks), len(set(marks)):
        case 0, _:
            return Decimal(text)
        case _, 1 if last in "' ":
            return _value(text, "", written)
        case 1, 1:
            return _read_single_mark(text, last, written, _decimal_mark(locale))
        case _, 1:
            return _value(text, "", written)
        case _, 2 if last in ".," and marks.count(last) == 1:
            whole, _, fraction = text.rpartition(last)
            return _value(whole, fraction, written)
        case _:
            return _unclear(written)


def currencies_of(token: Token) -> frozenset[str]:
    """The currencies a token may name; none if it names none."""
    return CURRENCIES.get(token.text, frozenset())


def _read_single_mark(text: str, mark: str, written: str, decimal: str | None) -> Decimal | UnclearAmount:
    whole, _, fraction = text.partition(mark)
    could_group = len(fraction) == 3 and len(whole) <= 3 and not whole.startswith("0")
    if decimal is None:
        return _unclear(written) if could_group else Decimal(f"{whole}.{fraction}")
    if mark == decimal:
        return Decimal(f"{whole}.{fraction}")
    return Decimal(whole + fraction) if could_group else _unclear(written)


def _value(whole: str, fraction: str, written: str) -> Decimal | UnclearAmount:
    """The number whose whole part is plain, or grouped by one mark in threes."""
    is_sound = whole.isdecimal() or _GROUPED.fullmatch(whole)
    if not is_sound or (fraction and not fraction.isdecimal()):
        return _unclear(written)
    plain = "".join(_DIGITS.findall(whole))
    return Decimal(f"{plain}.{fraction}" if fraction else plain)


def _decimal_mark(locale: str | None) -> str | None:
    if locale is None:
        return None
    tag = locale.lower().replace("_", "-")
    language = tag.partition("-")[0]
    if language in _POINT_LANGUAGES or tag in _POINT_REGIONS:
        return "."
    return "," if language in _COMMA_LANGUAGES else None


def _one_script(digits: str) -> bool:
    """All digits are of one script: each script's ten stand in a row."""
    return len({ord(char) - unicodedata.decimal(char) for char in digits}) == 1


def _unclear(written: str) -> UnclearAmount:
    return UnclearAmount(reason=f"“{written}” can be read as more than one amount. Please write it as in 1234.56.")
