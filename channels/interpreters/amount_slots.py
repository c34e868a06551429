"""Which argument of a tool call is its amount: the one that "only half" or "at most 50" can mean.

An amount is a number by its schema, or a text that its schema takes for one (as pydantic's ``Decimal``), or stands under a
name such as ``amount``. Ids, counts of things with an id's name, dates and the like are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import cast

from ...actors.asks import ApprovalForm, JsonValue
from .text import words_in

_AMOUNT_NAMES = words_in(
    """amount amounts sum total price value cost costs fee refund payment betrag summe preis montant somme prix importe
    monto precio importo prezzo valor preco bedrag prijs belopp pris kwota cena summa tutar"""
)
_OTHER_NAMES = words_in(
    """id ids no nr number num order invoice ticket case ref reference account acct iban bic phone mobile zip code codes
    year month day date time hour minute second seconds days hours minutes ms version index page line port pin key uuid
    user customer client tenant session count percent percentage rate ratio lat lon latitude longitude age tax vat
    priority level"""
)
_BOUND_NAMES = words_in(
    """min minimum max maximum limit cap threshold floor ceiling discount rebate balance rabatt remise descuento sconto
    desconto korting least most below above"""
)
_SCALES = words_in(
    """cent cents minor subunit subunits pence penny pennies centavos centimes groszy ore öre kopeks satoshi satoshis wei
    micro micros milli millis thousand thousands million millions k mio smallest"""
)
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_PLAIN_DECIMAL = re.compile(r"\d{1,18}(?:\.\d{1,9})?")
_DEEPEST = 6

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AmountSlot:
    """Where an amount stands in a call's arguments: the keys down to it, what stands there, and in which unit."""

    path: Path
    value: Decimal
    is_money: bool
    """By its name it is a sum in a currency's major unit, and not a bound or a discount."""
    is_scaled: bool
    """It counts cents or another part or multiple of the unit in which people speak."""


def amount_slots(form: ApprovalForm) -> tuple[AmountSlot, ...]:
    """Every argument that can be meant by an amount. Only if there is exactly one may a reply change it.

    Amounts inside lists are found too, and count: "half" of a list of amounts is not one change. They carry the path
    of the list.
    """
    slots = tuple(_slots(form.arguments, form.schema, form.schema, (), "", _DEEPEST))
    names = (form.tool, *form.arguments, *(each for each in form.arguments.values() if isinstance(each, str)))
    if any(_words(name) & _SCALES for name in names):
        return tuple(replace(slot, is_money=False, is_scaled=True) for slot in slots)
    return slots


def schema_at(schema: dict[str, JsonValue], root: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Follow a ``$ref`` into the same document; a schema without one, or with one elsewhere, comes back as it is."""
    seen = 0
    while isinstance(ref := schema.get("$ref"), str) and ref.startswith("#/") and seen < _DEEPEST:
        target: JsonValue = root
        for step in ref[2:].split("/"):
            target = cast("dict[str, JsonValue]", target).get(step.replace("~1", "/").replace("~0", "~"), {})
            if not isinstance(target, dict):
                return {}
        schema = cast("dict[str, JsonValue]", target)
        seen += 1
    return schema


def alternatives(schema: dict[str, JsonValue], root: dict[str, JsonValue]) -> tuple[dict[str, JsonValue], ...]:
    """The schemas of an ``anyOf`` or ``oneOf`` with their references followed; of any other schema, itself alone."""
    schema = schema_at(schema, root)
    for word in ("anyOf", "oneOf", "allOf"):
        options = schema.get(word)
        if isinstance(options, list):
            return tuple(
                schema_at(cast("dict[str, JsonValue]", option), root)
                for option in cast("list[JsonValue]", options)
                if isinstance(option, dict)
            )
    return (schema,)


def _slots(
    value: JsonValue, schema: dict[str, JsonValue], root: dict[str, JsonValue], path: Path, name: str, depth: int
) -> Iterator[AmountSlot]:
    if depth == 0:
        return
    options = alternatives(schema, root)
    if isinstance(value, dict):
        for key, each in cast("dict[str, JsonValue]", value).items():
            yield from _slots(each, _property(options, key), root, (*path, key), key, depth - 1)
    elif isinstance(value, list):
        found = next((option["items"] for option in options if isinstance(option.get("items"), dict)), None)
        items = cast("dict[str, JsonValue]", found or {})
        for each in cast("list[JsonValue]", value):
            yield from _slots(each, items, root, path, name, depth - 1)
    elif _is_amount(value, options, name):
        words = {word for key in path for word in _words(key)}
        told = [str(option[key]) for option in options for key in ("title", "description") if key in option]
        is_scaled = not _SCALES.isdisjoint(words.union(*map(_words, told)))
        is_money = not is_scaled and not words.isdisjoint(_AMOUNT_NAMES) and words.isdisjoint(_BOUND_NAMES)
        yield AmountSlot(path=path, value=Decimal(str(value)), is_money=is_money, is_scaled=is_scaled)


def _property(options: tuple[dict[str, JsonValue], ...], key: str) -> dict[str, JsonValue]:
    for option in options:
        properties = option.get("properties")
        if isinstance(properties, dict) and isinstance(
            found := cast("dict[str, JsonValue]", properties).get(key), dict
        ):
            return cast("dict[str, JsonValue]", found)
    return {}


def _is_amount(value: JsonValue, options: tuple[dict[str, JsonValue], ...], name: str) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return False
    if not _PLAIN_DECIMAL.fullmatch(str(value)):
        return False
    words = _words(name)
    if words & _OTHER_NAMES:
        return False
    if isinstance(value, int | float) or words & _AMOUNT_NAMES:
        return True
    return any(option.get("type") in ("number", "integer") or option.get("format") == "decimal" for option in options)


def _words(name: str) -> set[str]:
    return {word.lower() for word in _WORDS.findall(name)}
