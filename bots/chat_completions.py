"""The words of the chat-completions protocol: what is sent, and what whatever came back means.

Pure: values in, values out; sending is left to ``openai_model``. Many servers speak this protocol, each with its own
slips (no ``choices``, ``content`` as a list of parts, ``arguments`` as an object, no call ids, an error with status 200),
so a reply is read with nothing taken for granted: whatever JSON object comes is a ``ModelReply`` or a ``NotAReply``.

The protocol: https://platform.openai.com/docs/api-reference/chat/create
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal, cast

from ..actors.asks import JsonValue
from ..actors.messages import Message, ModelReply, ModelRequest, TokenChance, ToolCallRequest, ToolSpec
from .history import distinct, repaired

MaxTokensField = Literal["max_completion_tokens", "max_tokens"]
"""OpenAI's newer models refuse ``max_tokens``, some other vendors do not know ``max_completion_tokens``."""

EMPTY = "empty"
"""The finish reason of a reply without any choice."""

_DETAIL_LETTERS = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class NotAReply:
    """A body that is no chat completion.

    Attributes:
        status: the HTTP status that the body itself names in its error; None where it names none.
    """

    detail: str
    status: int | None = None


def request_body(request: ModelRequest, *, model: str, max_tokens_field: MaxTokensField) -> dict[str, JsonValue]:
    """The request as JSON, its history repaired.

    Args:
        model: used where the request names none.
    """
    body: dict[str, JsonValue] = {
        "model": request.model or model,
        "messages": [_message(message) for message in repaired(request.messages)],
    }
    if request.tools:
        body["tools"] = [_tool(spec) for spec in request.tools]
        body["tool_choice"] = _tool_choice(request.tool_choice)
    if request.max_tokens is not None:
        body[max_tokens_field] = request.max_tokens
    if request.top_logprobs is not None:
        body["logprobs"] = True
        body["top_logprobs"] = request.top_logprobs
    return body


def read_reply(body: bytes) -> ModelReply | NotAReply:
    """What a successful response means."""
    try:
        payload = json.loads(body)
    except (ValueError, RecursionError):
        return NotAReply(detail=f"the body is not JSON: {in_short(body.decode('utf-8', 'replace')) or '(nothing)'}")
    if not isinstance(payload, dict):
        return NotAReply(detail=f"the body is no JSON object: {in_short(json.dumps(payload))}")
    completion = cast("dict[str, Any]", payload)
    choices = _list(completion.get("choices"))
    if not choices and completion.get("error"):
        # OpenRouter, among others, answers 200 and puts its upstream's error into the body.
        status = _dict(completion["error"]).get("code")
        return NotAReply(
            detail=error_detail(completion), status=status if isinstance(status, int) and 400 <= status <= 599 else None
        )
    usage = _dict(completion.get("usage"))
    choice = _dict(choices[0]) if choices else {}
    message = _dict(choice.get("message"))
    calls = _tool_calls(message.get("tool_calls"))
    finish_reason = choice.get("finish_reason")
    if not isinstance(finish_reason, str):
        finish_reason = EMPTY if not message else "tool_calls" if calls else "stop"
    return ModelReply(
        content=_content(message.get("content")),
        tool_calls=calls,
        refusal=_text(message.get("refusal")) or None,
        finish_reason=finish_reason,
        input_tokens=_count(usage.get("prompt_tokens")),
        output_tokens=_count(usage.get("completion_tokens")),
        first_tokens=_first_tokens(choice.get("logprobs")),
    )


def error_detail(body: object) -> str:
    """The vendor's own words in the body of an error, on one line and not long; empty if there are none."""
    error = _dict(body).get("error", body)
    words = _dict(error).get("message", error)
    return in_short(words if isinstance(words, str) else json.dumps(words, default=str) if words else "")


def in_short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _DETAIL_LETTERS else line[: _DETAIL_LETTERS - 1] + "…"


def _message(message: Message) -> dict[str, JsonValue]:
    sent: dict[str, JsonValue] = {"role": message.role, "content": message.content}
    if message.role == "tool":
        sent["tool_call_id"] = message.call_id
    if message.tool_calls:
        # An empty text beside calls is refused by some vendors, null by none.
        sent["content"] = message.content or None
        sent["tool_calls"] = [
            {"id": call.call_id, "type": "function", "function": {"name": call.tool, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
    return sent


def _tool(spec: ToolSpec) -> dict[str, JsonValue]:
    return {
        "type": "function",
        "function": {"name": spec.name, "description": spec.description, "parameters": spec.parameters},
    }


def _tool_choice(choice: str) -> JsonValue:
    if choice in ("auto", "none", "required"):
        return choice
    return {"type": "function", "function": {"name": choice}}


def _tool_calls(calls: object) -> tuple[ToolCallRequest, ...]:
    read: list[ToolCallRequest] = []
    for call in _list(calls):
        function = _dict(_dict(call).get("function"))
        if not function:
            continue
        arguments = function.get("arguments")
        read.append(
            ToolCallRequest(
                call_id=_text(_dict(call).get("id")),
                tool=_text(function.get("name")),
                arguments=_text(arguments) if isinstance(arguments, str | None) else json.dumps(arguments),
            )
        )
    return distinct(read)


def _first_tokens(logprobs: object) -> tuple[TokenChance, ...]:
    """The likeliest first tokens of the text; whatever is no chance of a token is left out."""
    positions = _list(_dict(logprobs).get("content"))
    listed = _list(_dict(positions[0]).get("top_logprobs")) if positions else []
    chances: list[TokenChance] = []
    for each in map(_dict, listed):
        match each.get("token"), each.get("logprob"):
            case _, bool():
                pass
            case str() as token, int() | float() as logprob if logprob <= 0:  # which a NaN is not
                chances.append(TokenChance(token=_text(token), logprob=logprob))
            case _:
                pass
    return tuple(chances)


def _content(content: object) -> str:
    if isinstance(content, list):
        return "".join(_text(_dict(part).get("text")) for part in cast("list[object]", content))
    return _text(content)


def _text(value: object) -> str:
    """The text, or an empty one; half a surrogate pair becomes U+FFFD, since no database and no vendor takes it."""
    if not isinstance(value, str):
        return ""
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _count(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0


def _dict(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []
