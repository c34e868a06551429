"""A model that says what it was told to: for tests, and for demonstrations without a key.

A session outlives its process, and a script that counts its own calls does not: after a restart the object is new and
would begin again. So a script that must last is a function of the request alone. ``ScriptedModel.by_turn`` is the common
one: it counts the assistant's messages in the conversation, and its n-th reply is the n-th thing the model says in there.
The same request always gets the same reply, as a step that is tried again after a crash needs; conversations that go on
side by side do not take each other's replies.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping

from ..actors.asks import JsonValue
from ..actors.messages import ModelReply, ModelRequest, ToolCallRequest
from .errors import ScriptExhaustedError
from .history import distinct

Line = ModelReply | Callable[[ModelRequest], ModelReply | Awaitable[ModelReply]]
"""One line of a script: a reply, or a function that makes it from the request, async or not."""


def says(content: str) -> ModelReply:
    """The model says a text and calls nothing."""
    return ModelReply(content=content)


def calls(
    tool: str, arguments: Mapping[str, JsonValue] | str | None = None, *, call_id: str = "call_1", content: str = ""
) -> ModelReply:
    """The model calls one tool.

    Args:
        arguments: a mapping is written as JSON; a text is left as it is, so that it may be broken.
        content: what the model says beside it.
    """
    text = arguments if isinstance(arguments, str) else json.dumps(dict(arguments or {}), ensure_ascii=False)
    call = ToolCallRequest(call_id=call_id, tool=tool, arguments=text)
    return ModelReply(content=content, tool_calls=(call,), finish_reason="tool_calls")


def calls_all(*replies: ModelReply) -> ModelReply:
    """The model makes all the calls of these replies in one. Ids that repeat are told apart: ``call_1``, ``call_1_2``."""
    return ModelReply(
        content="\n".join(reply.content for reply in replies if reply.content),
        tool_calls=distinct([call for reply in replies for call in reply.tool_calls]),
        finish_reason="tool_calls",
    )


def turn_of(request: ModelRequest) -> int:
    """How many times the model has spoken in this conversation; 0 before its first reply."""
    return sum(message.role == "assistant" for message in request.messages)


def last_said(request: ModelRequest, *, role: str) -> str:
    """The text of the last message of that role: what the user wants, or what a tool gave; empty if there is none."""
    return next((message.content for message in reversed(request.messages) if message.role == role), "")


class ScriptedModel:
    """A ``Model`` with a script.

    Args:
        script: a function of the request, used for every reply; or lines, used in the order in which this object is
            asked, which a restart begins anew. For sessions that are revived, give a function or use ``by_turn``.
    """

    def __init__(self, script: Iterable[Line] | Callable[[ModelRequest], ModelReply | Awaitable[ModelReply]]) -> None:
        self._requests: list[ModelRequest] = []
        self._choose: Callable[[ModelRequest], Line]
        if callable(script):
            self._choose = lambda _request: script
        else:
            lines = tuple(script)
            self._choose = lambda request: _line(lines, len(self._requests) - 1, request)

    @classmethod
    def by_turn(cls, lines: Iterable[Line]) -> ScriptedModel:
        """The line is chosen by ``turn_of`` the request alone, so the script holds across restarts.

        Counted is the whole conversation, not what came after the user's last message: an answer of the user to a
        question in between does not send the script back to its start.
        """
        script = tuple(lines)
        model = cls(())
        model._choose = lambda request: _line(script, turn_of(request), request)
        return model

    @property
    def requests(self) -> tuple[ModelRequest, ...]:
        """Every request this object has seen, in order, those it had no reply for included."""
        return tuple(self._requests)

    async def reply(self, request: ModelRequest) -> ModelReply:
        """The script's reply.

        Raises:
            ScriptExhaustedError: ``model.script-exhausted``, naming the request.
        """
        self._requests.append(request)
        line = self._choose(request)
        if isinstance(line, ModelReply):
            return line
        made = line(request)
        return await made if inspect.isawaitable(made) else made


def _line(lines: tuple[Line, ...], index: int, request: ModelRequest) -> Line:
    if index < len(lines):
        return lines[index]
    last = request.messages[-1] if request.messages else None
    said = "nothing" if last is None else f"{last.role}: {json.dumps(last.content, ensure_ascii=False)}"
    tools = ", ".join(spec.name for spec in request.tools) or "none"
    raise ScriptExhaustedError(
        f"The script has {len(lines)} replies and is asked for number {index + 1}, in a conversation of "
        f"{len(request.messages)} messages. Last said: {said}. Tools: {tools}. Add a reply, or see who calls too often."
    )
