"""Tokens that a model has been shown, and the values that they stand for.

The ledger keeps them where they were shown, as ``stands_for`` beside the text that has them in it, so that one that comes back
can be turned into its value in any process. A token that was shown for two values stands for neither.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, cast

from .asks import JsonValue
from .jsontext import to_json
from .redaction import TOKEN, tokens_in

StandIns = Mapping[str, JsonValue]
"""Values by the tokens that stand for them."""

NOTHING: StandIns = MappingProxyType({})

KEY = "stands_for"
"""Where the body of an event keeps them; it is left out where there are none."""


def noted(body: dict[str, Any], text: JsonValue, stand_ins: StandIns) -> dict[str, Any]:
    """The body of an event with what the tokens in a text of it stand for."""
    shown = {token: stand_ins[token] for token in tokens_in(text) if token in stand_ins}
    return {**body, KEY: shown} if shown else body


def of(body: object) -> StandIns:
    """What the body of an event says that tokens stand for; what code of an author's wrote there is not that."""
    found = cast("dict[str, Any]", body).get(KEY) if isinstance(body, dict) else None
    if not isinstance(found, dict):
        return NOTHING
    shown = cast("dict[str, JsonValue]", found)
    return shown if all(TOKEN.fullmatch(token) for token in shown) else NOTHING


def known_from(bodies: Iterable[object]) -> StandIns:
    """What a model has been shown by these bodies of events."""
    known: dict[str, JsonValue] = {}
    doubtful: set[str] = set()
    for body in bodies:
        for token, value in of(body).items():
            if to_json(known.setdefault(token, value)) != to_json(value):
                doubtful.add(token)
    return {token: value for token, value in known.items() if token not in doubtful}
