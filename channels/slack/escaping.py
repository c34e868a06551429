"""Texts that others wrote, made safe to show: nothing invisible, nothing that Slack acts upon.

``visible`` alone is for plain text and rich text elements, in which Slack looks for no markup; ``escaped`` is for the one place
that has nothing else, the text beside a message's blocks, which notifications and screen readers take.
"""

from __future__ import annotations

import re

from ..visible import visible
from .limits import clipped

EMPTY = "(empty)"
"""Stands where Slack wants a text and there is none."""

_UNSEEN = "\u200b"
_AT = re.compile(r"@(?=here|channel|everyone|group)", re.IGNORECASE)
_SCHEME = re.compile(r"(?<=[a-z]):(?=//)|(?<=mailto):|(?<=tel):", re.IGNORECASE)
_ALIAS = re.compile(r":(?=[\w+'-]{1,100}:)")
_FENCE = re.compile("`(?=`)")


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
