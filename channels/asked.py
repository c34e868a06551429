"""What a question asks, field by field, for people: the arguments of its call, and what there is to choose from.

Every channel shows these; how much of a long one, and in what markup, is the channel's own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import cast

from ..actors.asks import ApprovalForm, Ask, ChoiceForm, JsonValue, call_of
from ..store.values import value
from .visible import visible

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
