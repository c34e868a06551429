"""Automatic answers that no header gives away: what they say of themselves.

A responder that somebody made at home, or a gateway that strips headers, leaves nothing but the words. What no person says
makes a mail automatic; what a person might say of themselves (that they are away) leaves the question open.
"""

from __future__ import annotations

import re
from itertools import dropwhile

from ..interpreters.text import TokenKind, tokens_of
from .phrases import any_of, folded
from .words_notices import AUTOMATIC, AWAY, BY_PROGRAM, GREETING, TAPBACKS, URGENT

_AUTOMATIC = any_of(AUTOMATIC)
_AWAY = any_of(AWAY)
_GREETING = any_of(GREETING)
_URGENT = any_of(URGENT)
_BY_PROGRAM = any_of(BY_PROGRAM)
_TAPBACK = re.compile(rf"(?:\w+ ){{0,3}}?(?:{'|'.join(sorted(map(re.escape, TAPBACKS)))}) ?[“”„«\"「『]")
_GMAIL_REACTION = re.compile(r"\W{1,20}\n\s*[^\n]{0,200}\bgmail", re.IGNORECASE)
"""An emoji alone on its line, and below it who sent it by what."""
_LONGEST = 4_000
"""Characters that are looked at; notices say what they are soon."""


def says_automatic(text: str) -> bool:
    """Whether a text says of itself that a program wrote it."""
    return _AUTOMATIC.search(_folded(text)) is not None


def says_away(text: str) -> bool:
    """Whether a text says that its writer is away, or reads as what is sent while somebody is."""
    read = _folded(text)
    is_notice = _GREETING.search(read) is not None and _URGENT.search(read) is not None
    return is_notice or _AWAY.search(read) is not None


def says_by_program(text: str, names: frozenset[str]) -> bool:
    """Whether a text is what a mail program writes in a person's name: a reaction, a recall, an answer to an invitation.

    Args:
        names: the words of that person's name, folded.
    """
    read = _folded(text)
    is_reaction = _GMAIL_REACTION.match(text[:_LONGEST]) is not None or _names_after_emoji(text, names)
    return is_reaction or _BY_PROGRAM.search(read) is not None or _TAPBACK.match(read) is not None


def _names_after_emoji(text: str, names: frozenset[str]) -> bool:
    """Whether a line is an emoji, somebody's whole name, and then what they are said to have done."""
    tokens = tokens_of(text.lstrip().partition("\n")[0][:_LONGEST])
    words = [token.text for token in dropwhile(lambda token: token.kind is TokenKind.EMOJI, tokens)]
    return len(tokens) > len(words) > 3 and all(word in names for word in words[:2])


def _folded(text: str) -> str:
    return folded(text[:_LONGEST]).replace("’", "'")
