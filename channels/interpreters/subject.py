"""What a question is about: the numbers, things and currencies that a reply may name without saying anything new.

"Approve order 4471" agrees with a question about order 4471 and says something else to one about order 4472.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import cast

from ...actors.asks import ApprovalForm, Form, JsonValue
from .amount_slots import amount_slots
from .amounts import currencies_of, read_number
from .text import TokenKind, folded, normalised, tokens_of, words_in

_LONGEST_PROMPT = 2_000
"""Characters of the prompt in which things and numbers are looked for; what stands later may not be named in a reply."""

_NAME_END = re.compile(r"[^a-zA-Z]+|(?<=[a-z])(?=[A-Z])")
_SENTENCE_END = re.compile(r"(?<=[.!?？])\s+|\n")
_NEGATIVE = re.compile(
    r"""\b(?:not|never|object|objections?|objecting|oppose[ds]?|against|mind|refuse|reject|deny|decline|disapprove|disallow
    |veto|or|no(?![.:]?\s*\d)|nicht|keine?n?|ablehnen|einwände|einwand|dagegen|oder|pas|refuser|ou|rechazar|rechaza
    |inconveniente|niet|bezwaar|weigeren|non|rifiutare|obiezioni|não|recusar|objeção|inte|eller|avslå|ikke|afvise
    |avvise|ei|tai|nie|odrzucić|lub|не|против|возражаете|возражения|отклонить|или|değil|itirazınız|reddet|yoksa)\b
    |n't\b|異議|却下|反対|이의|거부|반대|反对|拒绝""",
    re.IGNORECASE | re.VERBOSE,
)

_UNDOING = words_in(
    """cancel cancelling canceling cancellation stop stopping block blocking hold holding withhold withholding revoke revoking
    reverse reversing reversal void reject rejecting rejection refuse refusing deny denying decline declining delete
    deleting undo suspend suspending freeze freezing abort remove removing prevent against
    stornieren storno stoppen sperren widerrufen ablehnen ablehnung löschen annuler annulation bloquer arrêter refuser
    refus supprimer cancelar anular bloquear detener rechazar rechazo annullare bloccare fermare rifiutare
    annuleren blokkeren weigeren afwijzen avbryta stoppa avslå annullere stoppe blokere avvise afvise peruuttaa peruuta
    hylätä anulować zablokować odrzucić отменить остановить заблокировать отклонить iptal durdur reddet 取消 中止 却下 취소
    중단 거부 拒绝 停止"""
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
        is_undoing: it asks to cancel, stop or withhold something. To approve the thing then is not what is asked.
        currencies: the codes that all of its currency words may mean; None if it has no such word, empty if two of them
            name different currencies.
        is_negative: it asks whether *not* to, or offers a choice, so a bare yes or no may mean either.
    """

    amounts: frozenset[Decimal]
    references: frozenset[str]
    labels: frozenset[str]
    words: frozenset[str]
    currencies: frozenset[str] | None
    is_negative: bool
    is_undoing: bool

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
    currencies=None,
    is_negative=False,
    is_undoing=False,
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
    currencies = [currencies_of(token) for token in tokens]
    if isinstance(form, ApprovalForm):
        amounts |= {slot.value for slot in amount_slots(form)}
        references = set()
        for name, leaf in _leaves(form.arguments, ""):
            leaf_tokens = tokens_of(normalised(leaf))
            currencies += [currencies_of(token) for token in leaf_tokens]
            words.update(token.text for token in leaf_tokens)
            if len(leaf_tokens) == 1 and any(char.isdigit() for char in leaf):
                references.add(leaf_tokens[0].text)
                labels.update(folded(part) for part in _NAME_END.split(name) if read_number(leaf) not in amounts)
        words.update(folded(part) for name in (form.tool, *_keys(form.arguments)) for part in _NAME_END.split(name))
    named = [codes for codes in currencies if codes]
    return Subject(
        amounts=frozenset(amounts),
        references=frozenset(each for each in references if read_number(each) not in amounts)
        if isinstance(form, ApprovalForm) or len(references) == 1
        else frozenset(),
        labels=frozenset(labels),
        words=frozenset(words),
        currencies=named[0].intersection(*named) if named else None,
        is_undoing=not words.isdisjoint(_UNDOING),
        is_negative=any(
            sentence.rstrip().endswith(("?", "？")) and _NEGATIVE.search(sentence) is not None
            for sentence in _SENTENCE_END.split(prompt)
        ),
    )


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
