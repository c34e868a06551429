"""A message as Slack's methods take it."""

from __future__ import annotations

from ...actors.asks import JsonValue
from ...store.values import value
from .elements import Block
from .escaping import brief, escaped
from .limits import MESSAGE_TEXT, clipped

_LONGEST_TEXT = MESSAGE_TEXT // 2


@value
class Message:
    """What is posted, or what takes its place.

    Attributes:
        text: the message in words, for notifications and screen readers; escaped.
        metadata: what the message is found again by; None for one that is not looked for.
    """

    text: str
    blocks: tuple[Block, ...]
    metadata: JsonValue = None

    def as_post(self) -> dict[str, JsonValue]:
        """Arguments of ``chat.postMessage``: nothing is linked, unfurled or marked up.

        https://docs.slack.dev/reference/methods/chat.postMessage
        """
        return {**self.as_update(), "mrkdwn": False, "unfurl_links": False, "unfurl_media": False}

    def as_update(self) -> dict[str, JsonValue]:
        """Arguments of ``chat.update``, and of ``chat.postEphemeral`` for a message without metadata.

        https://docs.slack.dev/reference/methods/chat.update
        """
        found: dict[str, JsonValue] = {
            "text": self.text,
            "blocks": list(self.blocks),
            "parse": "none",
            "link_names": False,
        }
        return found if self.metadata is None else {**found, "metadata": self.metadata}


def message(*sentences: str, blocks: tuple[Block, ...], metadata: JsonValue = None) -> Message:
    """A message whose text is made of sentences that others may have written."""
    plain = clipped("\n".join(brief(each, _LONGEST_TEXT) for each in sentences if each.strip()), _LONGEST_TEXT)
    return Message(text=escaped(plain), blocks=blocks, metadata=metadata)
