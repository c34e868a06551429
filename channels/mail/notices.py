"""Automatic answers that no header gives away: what they say of themselves.

A responder that somebody made at home, or a gateway that strips headers, leaves nothing but the words. What no person says
makes a mail automatic; what a person might say of themselves (that they are away) leaves the question open.
"""

from __future__ import annotations

from .phrases import any_of, folded
from .words_notices import AUTOMATIC, AWAY

_AUTOMATIC = any_of(AUTOMATIC)
_AWAY = any_of(AWAY)
_LONGEST = 4_000
"""Characters that are looked at; notices say what they are soon."""


def says_automatic(text: str) -> bool:
    """Whether a text says of itself that a program wrote it."""
    return _AUTOMATIC.search(_folded(text)) is not None


def says_away(text: str) -> bool:
    """Whether a text says that its writer is away."""
    return _AWAY.search(_folded(text)) is not None


def _folded(text: str) -> str:
    return folded(text[:_LONGEST]).replace("’", "'")
