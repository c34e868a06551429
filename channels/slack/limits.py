"""How much Slack takes, with where it says so; and how a text is cut to fit.

Lengths are counted in UTF-16 units, as Slack's clients count: never less than in characters.
"""

from __future__ import annotations

SECTION_TEXT = 3_000
"""https://docs.slack.dev/reference/block-kit/blocks/section-block; of any text object too."""
BUTTON_TEXT = 75
"""https://docs.slack.dev/reference/block-kit/block-elements/button-element"""
OPTIONS = 100
"""https://docs.slack.dev/reference/block-kit/block-elements/select-menu-element"""
OPTION_TEXT = 75
"""https://docs.slack.dev/reference/block-kit/composition-objects/option-object"""
MODAL_TITLE = 24
"""https://docs.slack.dev/reference/views/modal-views; of its submit and close too."""
PRIVATE_METADATA = 3_000
INPUT_TEXT = 3_000
"""https://docs.slack.dev/reference/block-kit/block-elements/plain-text-input-element (max_length)"""
INPUT_LABEL = 2_000
"""https://docs.slack.dev/reference/block-kit/blocks/input-block; of its hint too."""
CONFIRM_TITLE = 100
"""https://docs.slack.dev/reference/block-kit/composition-objects/confirmation-dialog-object"""
CONFIRM_TEXT = 300
CONFIRM_BUTTON = 30

MESSAGE_JSON = 12_000
"""Characters of all blocks of a message as JSON. Slack refuses more than about 13,000 with ``msg_blocks_too_long``, by a count
it does not document: https://github.com/slackapi/bolt-js/issues/2509"""
MODAL_JSON = 150_000
"""Bytes of a view as ASCII JSON; ``view_too_large`` from 250 kB on: https://docs.slack.dev/reference/methods/views.open"""
MESSAGE_TEXT = 4_000
"""Of the text beside the blocks: https://docs.slack.dev/reference/methods/chat.postMessage (cut by Slack from 40,000 on)."""

POSTS_AT_ONCE = 8
"""Messages posted into one channel at once, of which Slack says "short bursts": https://docs.slack.dev/apis/web-api/rate-limits"""

_ELLIPSIS = "…"


def units(text: str) -> int:
    """The length of a text in UTF-16 units."""
    return len(text) if text.isascii() else len(text) + sum(char > "\uffff" for char in text)


def clipped(text: str, longest: int) -> str:
    """The text, with an ellipsis at its end if it is longer than ``longest`` units."""
    return text if units(text) <= longest else start_of(text, longest - 1) + _ELLIPSIS


def start_of(text: str, longest: int) -> str:
    """As much of the beginning as ``longest`` units hold."""
    if units(text) <= longest:
        return text
    kept = text[:longest]
    while units(kept) > longest:
        kept = kept[: len(kept) - max(1, (units(kept) - longest) // 2)]
    return kept


def end_of(text: str, longest: int) -> str:
    """As much of the end as ``longest`` units hold."""
    return start_of(text[::-1], longest)[::-1]


def chunks_of(text: str, longest: int) -> tuple[str, ...]:
    """The text in pieces of at most ``longest`` units, cut after a line break where one is near; one piece at least.

    Args:
        longest: at least 2.
    """
    pieces: list[str] = []
    at = 0
    while units(text[at : at + longest]) > longest or len(text) - at > longest:
        piece = start_of(text[at : at + longest], longest)
        line_end = piece.rfind("\n")
        if line_end >= len(piece) // 2:
            piece = piece[: line_end + 1]
        pieces.append(piece)
        at += len(piece)
    return (*pieces, text[at:])
