"""Makes a conversation fit to send: no tool call without its result, no result without its call.

Vendors refuse a conversation in which one call lacks its result, and go on refusing it for ever, so one crash between a
reply and its results would silence a session for good. ``repaired`` is applied to every request, whatever was stored.

The rules, all of them per assistant message, since vendors reuse call ids from one reply to the next:

- Directly after an assistant message with calls come exactly one tool message for each, in the order of the calls.
  A call without a result gets ``INTERRUPTED``. What stood between (a user's turn) comes after the results.
- A tool message belongs to the nearest assistant message before it that has a call of that id. The first for a call
  stays, further ones and those that belong to no call are dropped.
- Two calls with one id in one message are told apart (``distinct``); their results are taken in order.
- An assistant message with neither text nor calls is dropped: vendors refuse it.
- Names and arguments that a vendor would not take back, though its own model wrote them, are made acceptable: an unknown
  tool's name is spelled with the letters allowed, arguments that are no JSON object are wrapped in one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NoReturn

from ..actors.messages import Message, ToolCallRequest

INTERRUPTED = "interrupted, outcome unknown"
"""The result of a call whose result was never recorded."""

INVALID_ARGUMENTS = "invalid_arguments"
"""The one key of the object in which arguments that are no JSON object are sent back."""

_FOREIGN_LETTERS = re.compile(r"[^a-zA-Z0-9_-]")
_NAME_LETTERS = 64


def repaired(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The same conversation as vendors take it. Repairing it again changes nothing."""
    results = _results_by_call(messages)
    sent: list[Message] = []
    for place, message in enumerate(messages):
        if message.role == "tool":
            continue
        if message.role != "assistant":
            sent.append(message)
        elif message.tool_calls:
            calls = tuple(_acceptable(call) for call in distinct(message.tool_calls))
            sent.append(replace(message, tool_calls=calls))
            sent.extend(
                Message(role="tool", call_id=call.call_id, content=results.get((place, position), INTERRUPTED))
                for position, call in enumerate(calls)
            )
        elif message.content.strip():
            sent.append(message)
    return tuple(sent)


def distinct(calls: Sequence[ToolCallRequest]) -> tuple[ToolCallRequest, ...]:
    """The same calls, no two with one id and none without: ``a, a, ""`` become ``a, a_2, call_3``."""
    taken = {call.call_id for call in calls if call.call_id}
    seen: set[str] = set()
    renamed: list[ToolCallRequest] = []
    for position, call in enumerate(calls, start=1):
        call_id = call.call_id
        if not call_id or call_id in seen:
            stem, number = (call_id, 2) if call_id else ("call", position)
            while (call_id := f"{stem}_{number}") in taken:
                number += 1
            taken.add(call_id)
        seen.add(call_id)
        renamed.append(call if call_id == call.call_id else replace(call, call_id=call_id))
    return tuple(renamed)


def _results_by_call(messages: Sequence[Message]) -> dict[tuple[int, int], str]:
    """The result of each call that has one, by the place of its message and its position in there."""
    results: dict[tuple[int, int], str] = {}
    waiting: dict[str, list[tuple[int, int]]] = {}
    for place, message in enumerate(messages):
        if message.role == "assistant":
            calls_by_id: dict[str, list[tuple[int, int]]] = {}
            for position, call in enumerate(message.tool_calls):
                calls_by_id.setdefault(call.call_id, []).append((place, position))
            waiting |= calls_by_id
        elif message.role == "tool" and message.call_id is not None and waiting.get(message.call_id):
            results[waiting[message.call_id].pop(0)] = message.content
    return results


def _acceptable(call: ToolCallRequest) -> ToolCallRequest:
    name = _FOREIGN_LETTERS.sub("_", call.tool)[:_NAME_LETTERS] or "unknown"
    arguments = call.arguments
    if not arguments.strip():
        arguments = "{}"
    elif not _is_json_object(arguments):
        arguments = json.dumps({INVALID_ARGUMENTS: arguments})
    return replace(call, tool=name, arguments=arguments)


def _is_json_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text, parse_constant=_no_constant), dict)
    except (ValueError, RecursionError):
        return False


def _no_constant(name: str) -> NoReturn:
    # Python reads NaN and Infinity; JSON has no such words, and vendors' parsers refuse them.
    raise ValueError(name)
