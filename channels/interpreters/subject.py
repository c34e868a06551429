"""What a question is about: the numbers, things and currencies that a reply may name without saying anything new.

"Approve order 4471" agrees with a question about order 4471 and says something else to one about order 4472.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import cast

from ...actors.asks import AnswerForm, ApprovalForm, ChoiceForm, Form, JsonValue
from .amount_slots import amount_slots
from .amounts import currencies_of, read_number
from .languages import VOCABULARY
from .questions import is_adverse, is_doing, is_even, is_undoing_word, takes_bare_answer
from .text import Token, TokenKind, folded, normalised, tokens_of, words_in

_LONGEST_PROMPT = 2_000
"""Characters of the prompt in which things and numbers are looked for; what stands later may not be named in a reply."""

_NAME_END = re.compile(r"[^a-zA-Z]+|(?<=[a-z])(?=[A-Z])")
_CURRENCY_NAMES = words_in(
    "currency currencies ccy curr währung waehrung devise moneda moeda valuta waluta valuutta валюта"
)

_HOW_MANY = tuple(
    tuple(each.split())
    for each in (
        *("how many", "wie viele", "wieviele", "combien de", "combien d", "cuántos", "cuántas", "quanti", "quante"),
        *("quantos", "quantas", "hoeveel", "hur många", "hvor mange", "ile", "сколько", "kaç", "montako"),
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What a question names.

    Attributes:
        amounts: the amounts it names; a reply may repeat the amount if there is one.
        references: ids and numbers, folded, that a reply may name: those of the call's own arguments; without a call the
            prompt's, if it names exactly one (of two, naming one is leaving the other out).
        labels: words that stand before an id, as the order in "refund order 4471". Without the id, a reply that names
            one may mean the thing itself and not what is asked about it.
        words: every token of it.
        deeds: what the call does, in the word of its name, if that is a known one.
        counted: the thing of which it asks how many.
        is_undoing: it asks to cancel, stop or withhold something, or is not known to ask for doing anything. To approve
            the thing then is not what is asked.
        currencies: the codes that all of its currency words may mean; None if it has no such word, empty if two of them
            name different currencies or one is not known.
        takes_bare_answer: a bare yes or no is plain: it asks for approval in plain words or, where the answer is data, in
            no negative.
        takes_agreement: it plainly asks for approval, so "no problem" and "go ahead" agree to it.
        is_adverse: it asks about trouble, or about holding back what the call would do, or, where the answer is data, for
            something else than approval: "approved" says nothing certain.
    """

    amounts: frozenset[Decimal]
    references: frozenset[str]
    labels: frozenset[str]
    words: frozenset[str]
    deeds: frozenset[str]
    counted: frozenset[str]
    currencies: frozenset[str] | None
    is_undoing: bool
    takes_bare_answer: bool
    takes_agreement: bool
    is_adverse: bool

    def is_same_amount(self, value: Decimal, currencies: frozenset[str]) -> bool:
        """Whether this is the one amount the question names, in a currency that agrees."""
        return self.amounts == frozenset((value,)) and self.has_currency(currencies)

    def has_currency(self, currencies: frozenset[str]) -> bool:
        """Whether these currencies may be the question's. Nothing named on either side agrees with everything."""
        return not currencies or self.currencies is None or bool(currencies & self.currencies)


NO_SUBJECT = Subject(
    amounts=frozenset(),
    references=frozenset(),
    labels=frozenset(),
    words=frozenset(),
    deeds=frozenset(),
    counted=frozenset(),
    currencies=None,
    is_undoing=False,
    takes_bare_answer=True,
    takes_agreement=True,
    is_adverse=False,
)


def subject_of(form: Form, prompt: str) -> Subject:
    """Collect what a question names, from its prompt and, for a tool call, from the call."""
    text = normalised(prompt[:_LONGEST_PROMPT])
    tokens = tokens_of(text)
    amounts: set[Decimal] = set()
    references: set[str] = set()
    labels: set[str] = set()
    for at, token in enumerate(tokens):
        if token.kind is TokenKind.NUMBER:
            beside = (*tokens[max(at - 1, 0) : at], *tokens[at + 1 : at + 2])
            value = read_number(token.text)
            if any(currencies_of(each) for each in beside) and isinstance(value, Decimal):
                amounts.add(value)
            else:
                references.add(token.text)
                labels.update(each.text for each in tokens[max(at - 1, 0) : at])
        elif any(char.isdigit() for char in token.text):
            references.add(token.text)
            labels.update(each.text for each in tokens[max(at - 1, 0) : at])
    words = {token.text for token in tokens}
    doing = frozenset(words)
    currencies = [currencies_of(token) for token in tokens]
    is_unknown_currency = any(_is_unknown_currency(tokens, at) for at in range(len(tokens)))
    if isinstance(form, ApprovalForm):
        slots = amount_slots(form)
        amounts |= {slot.value for slot in slots if not slot.is_scaled}
        scaled = {slot.value for slot in slots if slot.is_scaled}
        references = set()
        doing = frozenset(folded(part) for part in _NAME_END.split(form.tool)[:1])
        for name, leaf in _leaves(form.arguments, ""):
            leaf_tokens = tokens_of(normalised(leaf))
            found = [codes for token in leaf_tokens if (codes := currencies_of(token))]
            currencies += found
            if not found and leaf.strip() and not _CURRENCY_NAMES.isdisjoint(map(folded, _NAME_END.split(name))):
                is_unknown_currency = True
            words.update(token.text for token in leaf_tokens)
            if len(leaf_tokens) == 1 and any(char.isdigit() for char in leaf) and read_number(leaf) not in scaled:
                references.add(leaf_tokens[0].text)
                labels.update(folded(part) for part in _NAME_END.split(name) if read_number(leaf) not in amounts)
        words.update(folded(part) for name in (form.tool, *_keys(form.arguments)) for part in _NAME_END.split(name))
    named = [codes for codes in currencies if codes] + ([frozenset[str]()] if is_unknown_currency else [])
    is_undoing = any(map(is_undoing_word, words)) or not is_doing(doing)
    undoes_itself = isinstance(form, ChoiceForm) or any(map(is_undoing_word, doing))
    takes_agreement = takes_bare_answer(prompt) and (undoes_itself or not is_adverse(prompt))
    return Subject(
        amounts=frozenset(amounts),
        references=frozenset(each for each in references if read_number(each) not in amounts)
        if isinstance(form, ApprovalForm) or len(references) == 1
        else frozenset(),
        labels=frozenset(labels),
        words=frozenset(words),
        deeds=frozenset(word for word in doing if is_doing((word,))) if isinstance(form, ApprovalForm) else frozenset(),
        counted=_counted_in([token.text for token in tokens]),
        currencies=named[0].intersection(*named) if named else None,
        is_undoing=is_undoing,
        takes_bare_answer=is_even(prompt) if isinstance(form, AnswerForm) else takes_agreement,
        takes_agreement=takes_agreement,
        is_adverse=not takes_agreement if isinstance(form, AnswerForm) else not undoes_itself and is_adverse(prompt),
    )


def _counted_in(words: Sequence[str]) -> frozenset[str]:
    """The words right behind each "how many"."""
    return frozenset(
        words[at + len(asks)]
        for asks in _HOW_MANY
        for at in range(len(words) - len(asks))
        if tuple(words[at : at + len(asks)]) == asks
    )


def _is_unknown_currency(tokens: Sequence[Token], at: int) -> bool:
    """Whether the token names a currency that is not known: a sign or a code, or an unknown word right after a number."""
    token = tokens[at]
    if currencies_of(token) or token.text in "%#":
        return False
    if token.kind is TokenKind.SYMBOL:
        return True
    before = at > 0 and tokens[at - 1].kind is TokenKind.NUMBER
    after = at + 1 < len(tokens) and tokens[at + 1].kind is TokenKind.NUMBER
    is_code = (before or after) and re.fullmatch("[A-Z]{3}", token.raw) is not None
    return is_code or (before and token.kind is TokenKind.WORD and token.text not in VOCABULARY)


def _keys(value: JsonValue) -> Iterator[str]:
    """The names of a call's arguments, at any depth."""
    if isinstance(value, dict):
        for key, each in cast("dict[str, JsonValue]", value).items():
            yield key
            yield from _keys(each)


def _leaves(value: JsonValue, name: str) -> Iterator[tuple[str, str]]:
    """The texts and numbers of a call's arguments with the names they stand under.

    What stands in lists is one of several, and left out.
    """
    match value:
        case dict():
            for key, each in cast("dict[str, JsonValue]", value).items():
                yield from _leaves(each, key)
        case str():
            yield name, value[:200]
        case int() | float() if not isinstance(value, bool):
            yield name, str(value)
        case _:
            return
