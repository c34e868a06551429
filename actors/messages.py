"""What is said to a model and what it says back: the vocabulary of the model port.

The words are those of chat completions: a message has a role, an assistant's message may carry tool calls, and each tool
call is answered by exactly one tool message directly after it.
"""

from __future__ import annotations

from typing import Any, Literal

from ..store.values import value


@value
class ToolCallRequest:
    """One call the model wants. ``arguments`` is the raw text the model wrote: perhaps not JSON at all."""

    call_id: str
    tool: str
    arguments: str


@value
class Message:
    """One message of a conversation.

    Attributes:
        content: text; empty for an assistant message that only calls tools.
        tool_calls: only on assistant messages.
        call_id: only on tool messages: which call this answers.
    """

    role: Literal["system", "user", "assistant", "tool"]
    content: str = ""
    tool_calls: tuple[ToolCallRequest, ...] = ()
    call_id: str | None = None


@value
class ToolSpec:
    """A tool as a model is told of it. ``parameters`` is the JSON Schema (2020-12) of the arguments object."""

    name: str
    description: str
    parameters: dict[str, Any]


@value
class ModelCaller:
    """On whose behalf a model is called: what budgets, rate limits and logs go by.

    Attributes:
        name: ``agent:<agent>`` or ``reply-interpreter:<role>``.
        step: key of the step that calls, or that waits for the answer which is read.
        call_key: names the call, the same on every attempt of its step; None where every call is one of its own.
    """

    name: str
    tenant: str
    owner: str
    session_id: str
    execution_id: str
    step: str
    call_key: str | None = None


@value
class ModelRequest:
    """One call of a model.

    Attributes:
        model: the vendor's model name; None for the client's default.
        tool_choice: ``auto``, ``none``, ``required``, or the name of the one tool the model must call.
        max_tokens: most tokens the reply may have; None for the vendor's default.
        top_logprobs: how many of the likeliest first tokens are wanted with their chances; None for none.
        caller: never sent to the vendor; None outside of any session.
    """

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    model: str | None = None
    tool_choice: str = "auto"
    max_tokens: int | None = None
    top_logprobs: int | None = None
    caller: ModelCaller | None = None


@value
class TokenChance:
    """A token that a reply might have begun with, and the natural logarithm of its chance: 0 or less."""

    token: str
    logprob: float


@value
class ModelReply:
    """What the model said.

    Attributes:
        content: text for the user; empty if it only called tools.
        refusal: the vendor's refusal text; None if it did not refuse.
        finish_reason: the vendor's word (``stop``, ``tool_calls``, ``length``, ``content_filter``, ...).
        is_cut: the reply was cut off (``length``), so its last tool call's arguments may be half a text.
        first_tokens: what the text might have begun with; empty if it was not asked for or the vendor does not say.
    """

    content: str = ""
    tool_calls: tuple[ToolCallRequest, ...] = ()
    refusal: str | None = None
    finish_reason: str = "stop"
    input_tokens: int = 0
    output_tokens: int = 0
    first_tokens: tuple[TokenChance, ...] = ()

    @property
    def is_cut(self) -> bool:
        return self.finish_reason == "length"
