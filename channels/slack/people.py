"""How people are named in messages."""

from __future__ import annotations

from ...store.values import value
from .elements import Element, words
from .escaping import brief

_LONGEST_NAME = 80


@value
class Person:
    """Somebody who asked or answered, in Slack or elsewhere.

    Attributes:
        name: what they are called; shown where Slack does not know them.
        user_id: their Slack user, whose name each reader's client fills in; None for people from elsewhere.
    """

    name: str
    user_id: str | None = None


def named(person: Person) -> Element:
    """A person inside rich text."""
    if person.user_id is not None:
        return {"type": "user", "user_id": person.user_id}
    return words(short(person.name), bold=True)


def short(name: str) -> str:
    """A name of somebody or something, on one line and not too long."""
    return brief(name, _LONGEST_NAME)
