"""The arguments of a call, field by field, for people: short ones whole, long ones with their beginning and their end.

What is dangerous in a long text stands as easily behind the place where a preview is cut as before it, so the middle is left
out, the gap says how much it is, and ``full_text`` has everything.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import cast

from ...actors.asks import ApprovalForm, Ask, ChoiceForm, JsonValue, call_of
from ...store.values import value
from .elements import Element, line, preformatted, words
from .escaping import visible
from .limits import clipped, end_of, start_of, units

NO_NAME = "(no name)"

_LONGEST_NAME = 80
_LONGEST_INLINE = 120
_SHORTEST_SHARE = 60
_DEEPEST = 20
"""Levels that are laid out; what is nested more deeply is shown as JSON."""


@value
class Field:
    """One value among the arguments.

    Attributes:
        name: its path, as ``customer.address[0]``; visible.
        text: the value; visible.
        is_word: the text is a word for the value, as ``yes`` for true, and not the value's own.
    """

    name: str
    text: str
    is_word: bool = False


@value
class Budget:
    """How much of the arguments is shown in a message.

    Attributes:
        fields: how many of them; a third of those from the end.
        text: units of all their values together.
    """

    fields: int
    text: int


@value
class Layout:
    """Arguments as rich text.

    Attributes:
        left_out: units and whole fields that are not shown; empty if everything is.
    """

    parts: tuple[Element, ...]
    left_out: str


def fields_of(arguments: dict[str, JsonValue]) -> tuple[Field, ...]:
    """All values of the arguments, in their order."""
    return tuple(field for name, each in arguments.items() for field in _fields(name, each, depth=_DEEPEST))


def asked_fields(ask: Ask, *, with_choices: bool = True) -> tuple[Field, ...]:
    """What a question shows beside its prompt: the arguments of the call it is about, and what there is to choose from."""
    call = call_of(ask.form)
    arguments = {} if call is None else call.arguments
    if not isinstance(ask.form, ApprovalForm):
        # A tool that asks something is called with the question, which is the prompt.
        arguments = {name: each for name, each in arguments.items() if each != ask.prompt}
    choices = ask.form.choices if with_choices and isinstance(ask.form, ChoiceForm) else ()
    return (*fields_of(arguments), *_choices(choices))


def laid_out(fields: Sequence[Field], budget: Budget) -> Layout:
    """The fields as far as a budget reaches."""
    last = min(budget.fields // 3, len(fields))
    first = fields if len(fields) <= budget.fields else fields[: budget.fields - last]
    end = () if len(fields) <= budget.fields else fields[len(fields) - last :]
    skipped = len(fields) - len(first) - len(end)
    share = max(_SHORTEST_SHARE, budget.text // max(1, len(first) + len(end)))
    parts: list[Element] = []
    cut = 0
    for at, field in enumerate((*first, *end)):
        if skipped and at == len(first):
            parts.append(line(words(f"… {skipped} more fields, not shown here …", italic=True)))
        shown, missing = _field(field, share)
        parts += shown
        cut += missing
    gaps = (f"{cut:,} characters" if cut else "", f"{skipped:,} fields" if skipped else "")
    return Layout(parts=tuple(parts), left_out=" and ".join(gap for gap in gaps if gap))


def full_text(ask: Ask) -> tuple[Field, ...]:
    """Everything a question asks, in full."""
    return (Field(name="question", text=visible(ask.prompt)), *asked_fields(ask))


def _field(field: Field, share: int) -> tuple[list[Element], int]:
    """A field within its share, and how many units of it are left out."""
    name = words(clipped(field.name or NO_NAME, _LONGEST_NAME), bold=True)
    missing = max(0, units(field.name) - _LONGEST_NAME)
    size = units(field.text)
    if field.is_word or (size <= min(share, _LONGEST_INLINE) and "\n" not in field.text):
        return [line(name, words(": "), words(field.text, italic=field.is_word, code=not field.is_word))], missing
    if size <= share:
        return [line(name, words(":")), preformatted(field.text)], missing
    head = start_of(field.text, share - share // 3)
    tail = end_of(field.text, share // 3)
    skipped = size - units(head) - units(tail)
    gap = line(words(f"… {skipped:,} of {size:,} characters left out here; it ends:", italic=True))
    return [line(name, words(":")), preformatted(head), gap, preformatted(tail)], missing + skipped


def _fields(name: str, found: JsonValue, *, depth: int) -> Iterator[Field]:
    match found:
        case dict() if found and depth:
            for key, each in cast("dict[str, JsonValue]", found).items():
                yield from _fields(f"{name}.{key}", each, depth=depth - 1)
        case list() if found and depth:
            for at, each in enumerate(cast("list[JsonValue]", found)):
                yield from _fields(f"{name}[{at}]", each, depth=depth - 1)
        case _:
            yield _scalar(visible(name), found)


def _scalar(name: str, found: JsonValue) -> Field:
    match found:
        case None:
            return Field(name=name, text="none", is_word=True)
        case bool():
            return Field(name=name, text="yes" if found else "no", is_word=True)
        case str():
            return Field(name=name, text=visible(found)) if found.strip() else _blank(name, found)
        case _:
            return Field(name=name, text=visible(json.dumps(found, ensure_ascii=False)))


def _blank(name: str, found: str) -> Field:
    return Field(name=name, text=f"{len(found)} blanks" if found else "empty", is_word=True)


def _choices(choices: Sequence[str]) -> tuple[Field, ...]:
    return tuple(Field(name=f"choice {at}", text=visible(each)) for at, each in enumerate(choices, start=1))
