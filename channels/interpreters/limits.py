"""Approvals of less than was asked: "ok, but only half", "yes, at most 50".

Such a reply changes the arguments only if it can be said exactly how: there is one amount in the call, the reply names one
quantity in words that limit, the result is exact to the amount's own scale, no more than was asked, and valid for the tool.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import cast

from ...actors.asks import ApprovalForm, JsonValue
from ..decisions import schema_fault
from .amount_slots import AmountSlot, amount_slots
from .clauses import Item, Other, items_of
from .lexicon import Kind
from .stance import gives_orders, languages_of, without_signature
from .subject import Subject
from .text import LONGEST_READ, ReplyText

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
        items = [item for clause in clauses for item in items_of(clause, language, subject, locale)]
        if all(item.kind in _MAY_STAND for item in items):
            found.add(_limit(items, subject))
    return found.pop() if len(found) == 1 else None


def override_for(form: ApprovalForm, limit: Limit, subject: Subject) -> dict[str, JsonValue] | None:
    """The whole arguments with the amount lowered; None if it cannot be said exactly which arguments that makes.

    The amount keeps its JSON type and its number of decimals: half of ``"80.00"`` is ``"40.00"``.
    """
    slots = amount_slots(form)
    if len(slots) != 1 or not subject.has_currency(limit.currencies):
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


def _limit(items: Sequence[Item], subject: Subject) -> Limit | None:
    quantities = [item for item in items if item.kind in (Kind.HALF, Other.QUANTITY, Other.PERCENT)]
    approvals = [at for at, item in enumerate(items) if item.kind in _YES]
    said = [items[at].words for at in approvals]
    if len(quantities) != 1 or not approvals or len(said) != len(set(said)):
        return None
    needs_explicit = subject.is_negative or any(item.kind is Kind.SURE for item in items)
    if needs_explicit and not any(item.kind is Kind.APPROVE for item in items):
        return None
    quantity = quantities[0]
    is_limited = any(item.kind is Kind.LIMIT for item in items)
    if quantity.kind is Kind.HALF:
        comes_after_yes = approvals[0] < items.index(quantity)
        return Limit(share=_HALF, amount=None) if is_limited or comes_after_yes else None
    if not is_limited or quantity.value is None:
        return None
    if quantity.kind is Other.PERCENT:
        return Limit(share=quantity.value / 100, amount=None)
    return Limit(share=None, amount=quantity.value, currencies=quantity.currencies)
