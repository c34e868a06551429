"""What is asked of the contents of a message or a view: the least that Slack asks, or all that its documentation says.

Both say what is wrong as complaints, as ``response_metadata.messages`` gives them; none where all is well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .. import block_kit
from .blocks import complaints_of_blocks
from .shapes import JsonObject, objects

Check = Callable[[JsonObject], Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checks:
    """A check of each.

    Attributes:
        message: Gets the arguments that make up a message: text, blocks, metadata, how names and links are treated.
        view: Gets a modal.
    """

    message: Check
    view: Check


def least_of_message(arguments: JsonObject) -> Sequence[str]:
    return complaints_of_blocks(objects(arguments.get("blocks")), "message")


def least_of_view(view: JsonObject) -> Sequence[str]:
    return complaints_of_blocks(objects(view.get("blocks")), "modal")


def all_of_message(arguments: JsonObject) -> Sequence[str]:
    """A message without blocks is only text, of which ``chat.postMessage`` itself asks enough."""
    return _told(block_kit.check_message, arguments) if arguments.get("blocks") else []


def all_of_view(view: JsonObject) -> Sequence[str]:
    return _told(block_kit.check_view, view)


def _told(check: Callable[[JsonObject], None], value: JsonObject) -> Sequence[str]:
    try:
        check(value)
    except block_kit.BlockKitError as error:
        return [str(error)]
    return []


LEAST = Checks(message=least_of_message, view=least_of_view)
STRICT = Checks(message=all_of_message, view=all_of_view)
