"""A model that says what it is told to say."""

from __future__ import annotations

import json
from typing import Any

from overwinter.actors.messages import ModelReply, ModelRequest, ToolCallRequest
from overwinter.channels.interpreters.answer_tool import ANSWER_TOOL


class ScriptedModel:
    """Gives its replies in order and raises those that are errors; keeps the requests."""

    def __init__(self, *script: ModelReply | Exception) -> None:
        self._script = list(script)
        self.requests: list[ModelRequest] = []

    async def reply(self, request: ModelRequest) -> ModelReply:
        self.requests.append(request)
        step = self._script.pop(0)
        if isinstance(step, Exception):
            raise step
        return step


def calls(arguments: str | dict[str, Any], *, tool: str = ANSWER_TOOL, finish_reason: str = "tool_calls") -> ModelReply:
    """A reply that calls one tool."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return ModelReply(
        tool_calls=(ToolCallRequest(call_id="c1", tool=tool, arguments=text),), finish_reason=finish_reason
    )


def approves(evidence: str, **more: Any) -> ModelReply:
    return calls({"verdict": "approve", "evidence": evidence, **more})


def rejects(evidence: str, **more: Any) -> ModelReply:
    return calls({"verdict": "reject", "evidence": evidence, **more})
