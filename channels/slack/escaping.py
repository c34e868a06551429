"""Texts that others wrote, made safe to show: nothing invisible, nothing that Slack acts upon.

``visible`` is for plain text and rich text elements, in which Slack looks for no markup; ``escaped`` is for the one place that
has nothing else, the text beside a message's blocks, which notifications and screen readers take.
"""

from __future__ import annotations

import re
import unicodedata

from ..interpreters.text import without_hidden
from .limits import clipped

EMPTY = "(empty)"
"""Stands where Slack wants a text and there is none."""

_EMOJI = "\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"
_EMOJI_SEQUENCE = re.compile(f"([{_EMOJI}](?:\ufe0f|[\U0001f3fb-\U0001f3ff]|\u200d[{_EMOJI}])*)")
_LINE_BREAK = re.compile("\r\n?")
_MARKS = ("Mn", "Me")
_MOST_MARKS = 4
"""Accents on one letter; more of them would be drawn over the lines around it."""

_UNSEEN = "\u200b"
_AT = re.compile(r"@(?=here|channel|everyone|group)", re.IGNORECASE)
_SCHEME = re.compile(r"(?<=[a-z]):(?=//)|(?<=mailto):|(?<=tel):", re.IGNORECASE)
_ALIAS = re.compile(r":(?=[\w+'-]{1,100}:)")
_FENCE = re.compile("`(?=`)")


def visible(text: str) -> str:
    """The text with everything a person would not see written out, as ``\\u202e``: control characters, bidirectional
    controls, zero-width characters, tags, odd line separators, halves of characters, heaps of accents. Line breaks, tabs and
    what belongs to an emoji stay."""
    if text.isascii() and text.isprintable():
        return text
    parts = _EMOJI_SEQUENCE.split(_LINE_BREAK.sub("\n", text))
    return "".join(part if at % 2 else _written_out(part) for at, part in enumerate(parts))


def shown(text: str) -> str:
    """``visible``, and never empty: Slack refuses an empty text."""
    seen = visible(text)
    return seen if seen.strip() else EMPTY


def escaped(text: str) -> str:
    """The text for mrkdwn: https://docs.slack.dev/messaging/formatting-message-text/#escaping

    The three characters of Slack's control sequences become entities, so that no mention, channel, link or date can be
    written. What Slack makes of plain words (``@here``, addresses, ``:emoji:``, code fences) is broken by a zero-width space.
    Bold and italics are left: the text is posted with ``mrkdwn`` off.
    """
    safe = visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    for pattern in (_AT, _SCHEME, _ALIAS, _FENCE):
        safe = pattern.sub(lambda found: found.group() + _UNSEEN, safe)
    return safe


def brief(text: str, longest: int) -> str:
    """The text, ``visible``, on one line and of at most ``longest`` units."""
    return clipped(" ".join(visible(text).split()), longest)


def _written_out(text: str) -> str:
    unseen = {ord(char): f"\\u{ord(char):04x}" for char in set(text) if _is_unseen(char)}
    seen = text.translate(unseen) if unseen else text
    if not any(unicodedata.category(char) in _MARKS for char in set(seen)):
        return seen
    out: list[str] = []
    marks = 0
    for char in seen:
        marks = marks + 1 if unicodedata.category(char) in _MARKS else 0
        out.append(f"\\u{ord(char):04x}" if marks > _MOST_MARKS else char)
    return "".join(out)


def _is_unseen(char: str) -> bool:
    return not without_hidden(char) or unicodedata.category(char) in ("Zl", "Zp") or char == "\x85"
