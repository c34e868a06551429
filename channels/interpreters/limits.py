"""Approvals of less than was asked: "ok, but only half", "yes, at most 50".

Such a reply changes the arguments only if it can be said exactly how: there is one amount in the call, the reply names one
quantity in words that limit, the result is exact to the amount's own scale, no more than was asked, and valid for the tool.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import zip_longest
from typing import cast

from ...actors.asks import ApprovalForm, JsonValue
from ..decisions import schema_fault
from .amount_slots import AmountSlot, amount_slots
from .clauses import Item, Other, items_of
from .lexicon import Kind
from .stance import agrees_with, gives_orders, languages_of, without_signature
from .subject import Subject
from .text import LONGEST_READ, ReplyText, words_in

_HALF = Decimal("0.5")
_YES = frozenset((Kind.YES, Kind.APPROVE))
_MAY_STAND = _YES | {
    Kind.FILL,
    Kind.SURE,
    Kind.BUT,
    Kind.LIMIT,
    Kind.HALF,
    Other.SAME,
    Other.QUANTITY,
    Other.PERCENT,
}

_PLAIN_BUTS = words_in("but aber mais pero però ma mas porém maar men mutta ale но ama fakat ただし 하지만 但 但是")
_POLITE = words_in(
    "please pls plz thanks thank thx bitte danke merci svp gracias grazie prego obrigado obrigada dank tack tak takk"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """What a reply approves of what was asked: a share of it, or an amount in some currency."""

    share: Decimal | None
    amount: Decimal | None
    currencies: frozenset[str] = frozenset()


def limit_of(reply: ReplyText, subject: Subject, *, locale: str | None = None) -> Limit | None:
    """Read a reply that approves less than was asked; None if it does not, or not beyond doubt.

    Every token must be accounted for in one language: a yes, one quantity, words that limit, and filling. Half needs no
    word beside it if the yes comes first; any other quantity needs ``only``, ``at most`` or the like.
    """
    if reply.hidden or reply.odd_marks or len(reply.visible) > LONGEST_READ or gives_orders(reply.visible):
        return None
    clauses = without_signature(reply)
    found: set[Limit | None] = set()
    for language in languages_of(clauses):
        items = _with_until([item for clause in clauses for item in items_of(clause, language, subject, locale)])
        if all(item.kind in _MAY_STAND for item in items):
            found.add(_limit(items, subject))
    return found.pop() if len(found) == 1 else None


def override_for(form: ApprovalForm, limit: Limit, subject: Subject) -> dict[str, JsonValue] | None:
    """The whole arguments with the amount lowered; None if it cannot be said exactly which arguments that makes.

    The amount keeps its JSON type and its number of decimals: half of ``"80.00"`` is ``"40.00"``.
    """
    slots = amount_slots(form)
    if len(slots) != 1 or not slots[0].is_money or not subject.has_currency(limit.currencies):
        return None
    slot = slots[0]
    wanted = limit.amount if limit.share is None else slot.value * limit.share
    if wanted is None or not 0 < wanted < slot.value:
        return None
    return with_amount(form, slot, wanted)


def with_amount(form: ApprovalForm, slot: AmountSlot, wanted: Decimal) -> dict[str, JsonValue] | None:
    """The whole arguments with another amount in one place, in the old one's type and scale; None if it does not fit."""
    arguments = copy.deepcopy(form.arguments)
    parent: JsonValue = arguments
    for key in slot.path[:-1]:
        parent = cast("dict[str, JsonValue]", parent)[key]
    if not isinstance(parent, dict) or isinstance(old := cast("dict[str, JsonValue]", parent)[slot.path[-1]], list):
        return None
    exponent = slot.value.as_tuple().exponent
    scaled = wanted.quantize(Decimal(1).scaleb(int(exponent)))
    if scaled != wanted:
        return None
    new: JsonValue = str(scaled) if isinstance(old, str) else int(scaled) if isinstance(old, int) else float(scaled)
    parent[slot.path[-1]] = new
    return arguments if schema_fault(form.schema, arguments) is None else None


def _with_until(items: Sequence[Item]) -> list[Item]:
    """German's word for until is "up to" before a sum in some currency: ``bis 400 €``."""
    return [
        replace(item, kind=Kind.LIMIT) if item.words == ("bis",) and after is not None and after.currencies else item
        for item, after in zip_longest(items, items[1:])
        if item is not None
    ]


def _limit(items: Sequence[Item], subject: Subject) -> Limit | None:
    quantities = [item for item in items if item.kind in (Kind.HALF, Other.QUANTITY, Other.PERCENT)]
    approvals = [at for at, item in enumerate(items) if item.kind in _YES]
    said = [items[at].words for at in approvals]
    if len(quantities) != 1 or not approvals or len(said) != len(set(said)):
        return None
    if not agrees_with(items, subject) or any(item.kind is Kind.BUT and not _is_plain_but(item) for item in items):
        return None
    quantity = quantities[0]
    is_limited = any(item.kind is Kind.LIMIT for item in items)
    if quantity.kind is Kind.HALF:
        comes_after_yes = approvals[0] < items.index(quantity)
        return Limit(share=_HALF, amount=None) if is_limited or comes_after_yes else None
    if not is_limited or quantity.value is None:
        return None
    if quantity.kind is Other.QUANTITY and not _is_sum(items, items.index(quantity), subject):
        return None
    if quantity.kind is Other.PERCENT:
        return Limit(share=quantity.value / 100, amount=None)
    return Limit(share=None, amount=quantity.value, currencies=quantity.currencies)


def _is_plain_but(item: Item) -> bool:
    """Whether it is "but" itself: every other turn is a condition, an exception or a wait."""
    return len(item.words) == 1 and item.words[0] in _PLAIN_BUTS


def _is_sum(items: Sequence[Item], at: int, subject: Subject) -> bool:
    """Whether a number can only be a sum of money, and not an order, a count or a month.

    It carries a currency or decimals, or it stands right beside the word that limits, with no noun or preposition on
    either side, and has not as many digits as an id of the call.
    """
    quantity = items[at]
    number = next((word for word in quantity.words if word[:1].isdigit()), "")
    after = items[at + 1] if at + 1 < len(items) else None
    if after is not None and after.kind is not Kind.LIMIT and after.kind not in _YES and not _is_polite(after):
        return False
    if quantity.currencies or re.search(r"[.,]\d{2}$", number):
        return True
    if any(reference.isdigit() and len(reference) == len(number) for reference in subject.references):
        return False
    return (at > 0 and items[at - 1].kind is Kind.LIMIT) or (
        after is not None and after.kind is Kind.LIMIT and items[at - 1].kind in _YES | {Kind.BUT}
    )


def _is_polite(item: Item) -> bool:
    return item.kind is Kind.FILL and item.words[0] in _POLITE
