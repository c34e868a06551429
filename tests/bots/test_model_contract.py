"""What every model must do, shown of the one that people talk to and of the one that has a script."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest

from overwinter.actors.messages import Message, ModelReply, ModelRequest, ToolCallRequest
from overwinter.actors.ports import Model
from overwinter.bots.openai_model import OpenAIModel
from overwinter.bots.scripted_model import ScriptedModel

from ..fakes.openai_server import OpenAIServer, completion
from ..fakes.watched_clock import WatchedClock

Opening = Callable[[ModelReply], AbstractAsyncContextManager[Model]]
"""Opens a model whose vendor says this, once."""


@asynccontextmanager
async def openai(reply: ModelReply) -> AsyncGenerator[Model]:
    message = {
        "content": reply.content or None,
        "refusal": reply.refusal,
        "tool_calls": [
            {"id": call.call_id, "type": "function", "function": {"name": call.tool, "arguments": call.arguments}}
            for call in reply.tool_calls
        ]
        or None,
    }
    answer = completion(
        message=message,
        finish_reason=reply.finish_reason,
        input_tokens=reply.input_tokens,
        output_tokens=reply.output_tokens,
    )
    async with OpenAIServer(answer) as server:
        model = OpenAIModel(
            base_url=server.base_url, api_key="sk-1", model="fake-1", clock=WatchedClock(), random=lambda: 0.0
        )
        try:
            yield model
        finally:
            await model.close()


@asynccontextmanager
async def scripted(reply: ModelReply) -> AsyncGenerator[Model]:
    yield ScriptedModel([reply])


@pytest.mark.parametrize("opening", [openai, scripted])
@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(ModelReply(content="Hello.", input_tokens=5, output_tokens=2), id="text"),
        pytest.param(ModelReply(content=""), id="nothing"),
        pytest.param(ModelReply(refusal="I cannot help with that."), id="refusal"),
        pytest.param(ModelReply(content="Hel", finish_reason="length"), id="cut"),
        pytest.param(
            ModelReply(
                content="One moment.",
                tool_calls=(
                    ToolCallRequest(call_id="a", tool="pay", arguments='{"to": "A"}'),
                    ToolCallRequest(call_id="b", tool="no_such_tool", arguments='{"to": '),
                ),
                finish_reason="tool_calls",
            ),
            id="calls, one of them broken",
        ),
    ],
)
async def test_whatever_the_model_says_is_a_reply(opening: Opening, reply: ModelReply) -> None:
    async with opening(reply) as model:
        assert await model.reply(ModelRequest(messages=(Message(role="user", content="Hi"),))) == reply
