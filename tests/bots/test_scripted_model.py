"""A scripted model says what it was told to, also after a restart."""

from __future__ import annotations

import json

import pytest

from overwinter.actors.messages import Message, ModelReply, ModelRequest, ToolCallRequest, ToolSpec
from overwinter.bots.errors import ScriptExhaustedError
from overwinter.bots.scripted_model import Line, ScriptedModel, calls, calls_all, last_said, says, turn_of

USER = Message(role="user", content="Refund order 4471.")


def request(*messages: Message) -> ModelRequest:
    return ModelRequest(messages=messages)


def spoken(*replies: ModelReply) -> tuple[Message, ...]:
    """What a conversation holds after these replies, each call of theirs with its result."""
    messages: list[Message] = []
    for reply in replies:
        messages.append(Message(role="assistant", content=reply.content, tool_calls=reply.tool_calls))
        messages += [Message(role="tool", call_id=call.call_id, content="done") for call in reply.tool_calls]
    return tuple(messages)


async def test_lines_are_said_in_order_and_requests_are_kept() -> None:
    model = ScriptedModel([says("one"), says("two")])
    first, second = request(USER), request(USER, Message(role="user", content="And?"))

    assert (await model.reply(first)).content == "one"
    assert (await model.reply(second)).content == "two"
    assert model.requests == (first, second)


async def test_line_may_be_a_function_async_or_not() -> None:
    def plain(request: ModelRequest) -> ModelReply:
        return says(f"{len(request.messages)} message")

    async def waiting(request: ModelRequest) -> ModelReply:
        return says(f"{last_said(request, role='user')} Gladly.")

    model = ScriptedModel([plain, waiting])

    assert (await model.reply(request(USER))).content == "1 message"
    assert (await model.reply(request(USER))).content == "Refund order 4471. Gladly."


async def test_one_function_may_be_the_whole_script() -> None:
    async def script(request: ModelRequest) -> ModelReply:
        return says("Hello.") if turn_of(request) == 0 else says(f"The tool says: {last_said(request, role='tool')}")

    call = calls("pay")

    assert (await ScriptedModel(script).reply(request(USER))).content == "Hello."
    assert (await ScriptedModel(script).reply(request(USER, *spoken(call)))).content == "The tool says: done"


SCRIPT: list[Line] = [calls("refund_card", {"amount": "80.00"}), says("Refunded."), says("Goodbye.")]


async def test_script_by_turn_goes_on_in_a_new_object() -> None:
    call = calls("refund_card", {"amount": "80.00"})
    conversation = (USER, *spoken(call))

    assert await ScriptedModel.by_turn(SCRIPT).reply(request(USER)) == call
    assert await ScriptedModel.by_turn(SCRIPT).reply(request(*conversation)) == says("Refunded.")


async def test_script_by_turn_gives_the_same_request_the_same_reply() -> None:
    model = ScriptedModel.by_turn(SCRIPT)

    assert await model.reply(request(USER)) == await model.reply(request(USER))
    assert len(model.requests) == 2


async def test_script_by_turn_is_not_sent_back_by_the_users_next_message() -> None:
    conversation = (USER, *spoken(calls("refund_card"), says("Refunded.")), Message(role="user", content="Bye."))

    assert await ScriptedModel.by_turn(SCRIPT).reply(request(*conversation)) == says("Goodbye.")


async def test_exhausted_script_names_the_request() -> None:
    model = ScriptedModel.by_turn([says("Hello.")])
    asked = ModelRequest(
        messages=(USER, *spoken(says("Hello.")), Message(role="user", content="Und für Köln?")),
        tools=(ToolSpec(name="pay", description="", parameters={}),),
    )

    with pytest.raises(ScriptExhaustedError) as raised:
        await model.reply(asked)

    assert str(raised.value).startswith(
        "The script has 1 replies and is asked for number 2, in a conversation of 3 messages. "
        'Last said: user: "Und für Köln?". Tools: pay.'
    )
    assert raised.value.code == "model.script-exhausted"
    assert model.requests == (asked,)


async def test_empty_script_has_nothing_for_an_empty_request() -> None:
    with pytest.raises(ScriptExhaustedError, match="asked for number 1, in a conversation of 0 messages"):
        await ScriptedModel([]).reply(request())


def test_call_is_built_with_its_arguments_as_json_or_as_they_are() -> None:
    [written] = calls("pay", {"to": "Köln"}, call_id="c1").tool_calls
    [broken] = calls("pay", '{"to": ').tool_calls
    [bare] = calls("pay", content="One moment.").tool_calls

    assert (written.call_id, written.tool, json.loads(written.arguments)) == ("c1", "pay", {"to": "Köln"})
    assert broken.arguments == '{"to": '
    assert bare == ToolCallRequest(call_id="call_1", tool="pay", arguments="{}")
    assert calls("pay", content="One moment.").content == "One moment."
    assert calls("pay").finish_reason == "tool_calls"


@pytest.mark.case("du02")
def test_calls_of_one_reply_have_ids_of_their_own() -> None:
    reply = calls_all(calls("create", {"n": 1}), calls("create", {"n": 1}, content="Two at once."))

    assert [call.call_id for call in reply.tool_calls] == ["call_1", "call_1_2"]
    assert [call.arguments for call in reply.tool_calls] == ['{"n": 1}'] * 2
    assert reply.content == "Two at once."
