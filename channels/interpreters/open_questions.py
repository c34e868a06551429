"""One reply where several questions are open: which question each part of it answers.

"Yes to both", "first yes, second no", "Q2: no". Either every part of the reply is assigned and understood, or nothing is:
a part that nobody understands may be the condition on all the others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from ...actors.asks import Form, NotUnderstood, Reading, Understood
from .languages import LANGUAGES
from .lexicon import Kind
from .rules import not_understood, read_by_rules
from .stance import Why, gives_orders, is_qualified
from .subject import NO_SUBJECT
from .text import LONGEST_READ, folded, normalised, read_text, tokens_of, words_in

_PART_END = re.compile(r"[;\n]|,\s|(?<!\d)[.!]\s+|\s+(?:and|und|et|och|og)\s+", re.IGNORECASE)
_TURN = re.compile(r"\s+(?:but|aber|mais|men|maar)\s+", re.IGNORECASE)
_LIST_ITEM = re.compile(r"(?P<number>\d{1,2})[.):]\s+(?P<answer>\S.*)")
_MEANS_ALL = words_in(
    """all alle alles allemaal alla allt alt tout tous toutes todo todos tutto tutti tudo wszystko wszystkie все всем
    kaikki kaikkiin hepsi hepsine tümü 全部 すべて 모두 전부"""
)
_ORDINALS = (Kind.FIRST, Kind.SECOND, Kind.THIRD)
_SHORTEST_REFERENCE = 3
"""Digits; a shorter number in a prompt is too easily another thing's number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenQuestion:
    """A question that waits in the thread. ``label`` is the short name people see, such as ``Q2``; None if it has none."""

    id: str
    form: Form
    prompt: str
    label: str | None = None


def split_reply(
    questions: Sequence[OpenQuestion], reply: str, *, today: date | None = None, locale: str | None = None
) -> Mapping[str, Reading]:
    """Read a reply against all questions that are open, in the order in which they were asked.

    Returns:
        A reading by question id. A question the reply does not speak of is not in there and stays open. If it cannot be
        told which question is meant, each has a ``NotUnderstood`` that says so. With no open question it is empty.
    """
    if not questions:
        return {}
    if len(questions) == 1:
        only = questions[0]
        return {only.id: read_by_rules(only.form, only.prompt, reply, today=today, locale=locale)}
    text = read_text(reply)
    if text.hidden or gives_orders(text.visible) or len(text.visible) > LONGEST_READ:
        why = Why.HIDDEN if text.hidden else Why.ORDERS if gives_orders(text.visible) else Why.TOO_LONG
        return {question.id: not_understood(why, question.form, text) for question in questions}
    readings = _to_each(questions, text.visible) or _to_some(questions, text.visible, today, locale)
    if readings is None or not all(isinstance(reading, Understood) for reading in readings.values()):
        names = ", ".join(question.label or f"“{question.prompt[:60]}”" for question in questions)
        which = NotUnderstood(reason=f"Several questions are open. Please say which one you mean: {names}.", by="rules")
        return {question.id: which for question in questions}
    return readings


def _to_each(questions: Sequence[OpenQuestion], text: str) -> dict[str, Reading] | None:
    """The same plain answer for each question; None if the reply does not speak of them all at once.

    "Don't approve both" may mean that one is enough, so a negation beside "both" is no answer.
    """
    spoken = list(_EACH.finditer(text))
    if len(spoken) != 1 or (len(questions) > 2 and not _MEANS_ALL & set(folded(spoken[0].group()).split())):
        return None
    rest = f"{text[: spoken[0].start()]} {text[spoken[0].end() :]}"
    if is_qualified(read_text(rest), NO_SUBJECT, frozenset((Kind.NEGATION,))):
        return None
    return {question.id: read_by_rules(question.form, question.prompt, rest) for question in questions}


def _to_some(
    questions: Sequence[OpenQuestion], text: str, today: date | None, locale: str | None
) -> dict[str, Reading] | None:
    """Each part of the reply to the one question it names; None if a part names none, or two, or one named before."""
    names = _names_of(questions)
    readings: dict[str, Reading] = {}
    parts = [part for piece in _PART_END.split(text) for each in _turned(piece, names) if (part := each.strip())]
    if (listed := _listed(parts, questions)) is not None:
        return {
            questions[at].id: read_by_rules(questions[at].form, questions[at].prompt, rest, today=today, locale=locale)
            for at, rest in listed.items()
        }
    for part in parts:
        spoken = [(match, names[folded(match.group("name"))]) for match in _pattern(names).finditer(part)]
        meant = {at for _, at in spoken}
        if len(meant) != 1 or (question := questions[meant.pop()]).id in readings:
            return None
        rest = part
        for match, _ in reversed(spoken):
            # A question's own number stays, without what leads to it: the reading accounts for it.
            name = match.group("name")
            if not name.isdigit():
                rest = f"{rest[: match.start()]} {rest[match.end() :]}"
            elif match.start("name") > match.start():
                rest = f"{name} {rest[: match.start()]} {rest[match.end() :]}"
        reading = read_by_rules(question.form, question.prompt, rest, today=today, locale=locale)
        readings[question.id] = reading
    return readings or None


def _turned(piece: str, names: Mapping[str, int]) -> list[str]:
    """The two sides of a "but", if each names a question of its own; what else follows it belongs to what was said."""
    sides = _TURN.split(piece)
    return sides if all(_pattern(names).search(side) for side in sides) else [piece]


def _listed(parts: Sequence[str], questions: Sequence[OpenQuestion]) -> dict[int, str] | None:
    """The answers of a list that is numbered from 1 and answers every question.

    None if it is none, or if a question has such numbers of its own, which may be meant.
    """
    numbers = {str(number) for number in range(1, len(questions) + 1)}
    if any(token.text in numbers for question in questions for token in tokens_of(normalised(question.prompt))):
        return None
    items = [_LIST_ITEM.fullmatch(part) for part in parts]
    found = [item for item in items if item is not None]
    if len(found) != len(parts) or [int(item["number"]) for item in found] != list(range(1, len(questions) + 1)):
        return None
    return {at: item["answer"] for at, item in enumerate(found)}


def _names_of(questions: Sequence[OpenQuestion]) -> dict[str, int]:
    """Every way to name one question: its label, its ordinal, a number that stands in its prompt alone."""
    names = {word: at for word, at in _ORDINAL_WORDS.items() if at < len(questions)}
    spoken = [{t.text for t in tokens_of(normalised(q.prompt)) if any(c.isdigit() for c in t.text)} for q in questions]
    for at in range(len(questions)):
        others = set[str]().union(*(words for other, words in enumerate(spoken) if other != at))
        names |= {word: at for word in spoken[at] - others if len(word) >= _SHORTEST_REFERENCE}
        names[f"#{at + 1}"] = at
    for at, question in enumerate(questions):
        if question.label:
            names[folded(question.label)] = at
    return names


def _pattern(names: Mapping[str, int]) -> re.Pattern[str]:
    spelled = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.compile(
        rf"(?<![\w#.,-])(?:(?:to|for|on|zu|für|pour|à|para|voor|op|per|till|til)\s+)?(?P<name>{spelled})(?![\w-]|[.,]\d)\s*:?",
        re.IGNORECASE,
    )


def _phrases(kind: Kind) -> set[str]:
    return {
        " ".join(words)
        for language in LANGUAGES
        for found in language.phrases.values()
        for words, each in found
        if each is kind
    }


_EACH = re.compile(
    rf"(?<!\w)(?:{'|'.join(re.escape(each) for each in sorted(_phrases(Kind.EACH), key=len, reverse=True))})(?!\w)",
    re.IGNORECASE,
)
_ORDINAL_WORDS: Mapping[str, int] = {word: at for at, kind in enumerate(_ORDINALS) for word in _phrases(kind)}
