"""A session's events as the messages of a conversation, and a model's reply as JSON and back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..actors.asks import JsonValue
from ..actors.events import EventKind
from ..actors.jsontext import from_json, to_json
from ..actors.messages import Message, ModelReply, ToolCallRequest
from ..store.rows import LedgerRow


def messages_of(events: Iterable[LedgerRow]) -> list[Message]:
    """What was said and done in earlier executions, as a model is told of it."""
    messages: list[Message] = []
    for event in events:
        body = from_json(event.body_json)
        match event.kind:
            case EventKind.MESSAGE_RECEIVED:
                messages.append(Message(role="user", content=text_of(body["content"])))
            case EventKind.MODEL_REPLIED:
                messages.append(assistant_message(reply_from_json(body)))
            case EventKind.TOOL_REPLIED:
                messages.append(tool_message(body))
            case _:
                pass
    return messages


def text_of(content: JsonValue) -> str:
    return content if isinstance(content, str) else to_json(content)


def assistant_message(reply: ModelReply) -> Message:
    return Message(role="assistant", content=reply.content or reply.refusal or "", tool_calls=reply.tool_calls)


def tool_message(body: dict[str, Any]) -> Message:
    return Message(role="tool", content=body["content"], call_id=body["call_id"])


def reply_to_json(reply: ModelReply) -> dict[str, Any]:
    return {
        "content": reply.content,
        "tool_calls": [[call.call_id, call.tool, call.arguments] for call in reply.tool_calls],
        "refusal": reply.refusal,
        "finish_reason": reply.finish_reason,
        "tokens": [reply.input_tokens, reply.output_tokens],
    }


def reply_from_json(body: dict[str, Any]) -> ModelReply:
    return ModelReply(
        content=body["content"],
        tool_calls=tuple(
            ToolCallRequest(call_id=call_id, tool=name, arguments=arguments)
            for call_id, name, arguments in body["tool_calls"]
        ),
        refusal=body["refusal"],
        finish_reason=body["finish_reason"],
        input_tokens=body["tokens"][0],
        output_tokens=body["tokens"][1],
    )
