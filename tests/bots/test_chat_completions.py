"""Whatever a server that speaks chat completions sends back is a reply, or is said to be none."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overwinter.actors.messages import Message, ModelReply, ModelRequest, ToolCallRequest, ToolSpec
from overwinter.bots.chat_completions import NotAReply, error_detail, read_reply, request_body

PAY = ToolCallRequest(call_id="call_1", tool="pay", arguments='{"to":"A"}')
SPEC = ToolSpec(name="pay", description="Pay somebody.", parameters={"type": "object", "properties": {}})


def read(payload: Any) -> ModelReply | NotAReply:
    return read_reply(json.dumps(payload).encode())


def choice(message: Any, **rest: Any) -> ModelReply:
    reply = read({"choices": [{"message": message, **rest}]})
    assert isinstance(reply, ModelReply)
    return reply


def test_text_is_read_with_its_price() -> None:
    payload = {
        "choices": [{"message": {"role": "assistant", "content": "Hello."}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 12, "completion_tokens": 3},
    }

    assert read(payload) == ModelReply(content="Hello.", finish_reason="stop", input_tokens=12, output_tokens=3)


def test_calls_are_read_with_the_text_of_their_arguments_as_it_is() -> None:
    calls = [{"id": "call_9", "type": "function", "function": {"name": "pay", "arguments": '{"to": '}}]

    assert choice({"content": None, "tool_calls": calls}, finish_reason="tool_calls") == ModelReply(
        tool_calls=(ToolCallRequest(call_id="call_9", tool="pay", arguments='{"to": '),), finish_reason="tool_calls"
    )


def test_calls_without_ids_or_with_one_id_get_ids_of_their_own() -> None:
    calls = [
        {"id": None, "function": {"name": "pay", "arguments": "{}"}},
        {"id": "x", "function": {"name": "pay", "arguments": "{}"}},
        {"id": "x", "function": {"name": "pay", "arguments": "{}"}},
    ]

    assert [call.call_id for call in choice({"tool_calls": calls}).tool_calls] == ["call_1", "x", "x_2"]


def test_arguments_that_are_an_object_already_are_written_as_text() -> None:
    [call] = choice({"tool_calls": [{"id": "a", "function": {"name": "pay", "arguments": {"to": "A"}}}]}).tool_calls

    assert json.loads(call.arguments) == {"to": "A"}


def test_call_of_no_function_is_left_out() -> None:
    calls = [None, {"id": "a", "type": "custom", "custom": {"name": "pay"}}, {"id": "b", "function": {"name": "pay"}}]

    assert choice({"tool_calls": calls}).tool_calls == (ToolCallRequest(call_id="b", tool="pay", arguments=""),)


def test_refusal_is_read() -> None:
    reply = choice({"content": None, "refusal": "I cannot help with that."}, finish_reason="stop")

    assert reply == ModelReply(refusal="I cannot help with that.", finish_reason="stop")


@pytest.mark.parametrize("body", [b"{}", *(b'{"choices": %b}' % part for part in (b"[]", b"null", b"[null]", b"[{}]"))])
def test_reply_without_a_choice_is_empty(body: bytes) -> None:
    assert read_reply(body) == ModelReply(finish_reason="empty")


@pytest.mark.parametrize("content", [None, ""])
def test_empty_content_is_an_empty_text(content: str | None) -> None:
    assert choice({"content": content}, finish_reason="stop") == ModelReply(content="", finish_reason="stop")


def test_content_in_parts_is_joined() -> None:
    parts = [{"type": "text", "text": "Hel"}, {"type": "image_url"}, {"type": "text", "text": "lo."}]

    assert choice({"content": parts}).content == "Hello."


@pytest.mark.parametrize("finish_reason", ["length", "content_filter"])
def test_finish_reason_is_the_vendors_word(finish_reason: str) -> None:
    reply = choice({"content": "Hel"}, finish_reason=finish_reason)

    assert reply.finish_reason == finish_reason
    assert reply.is_cut is (finish_reason == "length")


def test_finish_reason_that_is_missing_is_told_from_the_message() -> None:
    calls = [{"id": "a", "function": {"name": "pay", "arguments": "{}"}}]

    assert choice({"content": "Hello."}).finish_reason == "stop"
    assert choice({"tool_calls": calls}, finish_reason=None).finish_reason == "tool_calls"


def test_half_a_surrogate_pair_is_replaced_and_a_whole_one_is_kept() -> None:
    body = b'{"choices": [{"message": {"content": "a\\ud83d b\\ud83d\\ude00"}}]}'
    reply = read_reply(body)

    assert isinstance(reply, ModelReply)
    assert reply.content == "a\N{REPLACEMENT CHARACTER} b\N{GRINNING FACE}"


@pytest.mark.parametrize(
    "body", [b"", b"<html>Bad gateway</html>", b'{"choices": [{"mess', b"\xff\xfe\x00", b"[" * 100_000]
)
def test_body_that_is_not_json_is_no_reply(body: bytes) -> None:
    reply = read_reply(body)

    assert isinstance(reply, NotAReply)
    assert "not JSON" in reply.detail
    assert len(reply.detail) < 400


@pytest.mark.parametrize("body", [b"[]", b"null", b'"text"', b"1"])
def test_body_that_is_no_object_is_no_reply(body: bytes) -> None:
    assert read_reply(body) == NotAReply(detail=f"the body is no JSON object: {body.decode()}")


def test_error_in_a_successful_response_is_no_reply_and_names_its_status() -> None:
    assert read({"error": {"code": 502, "message": "upstream is down"}}) == NotAReply(
        detail="upstream is down", status=502
    )
    assert read({"error": {"code": "overloaded", "message": "later"}}) == NotAReply(detail="later", status=None)
    assert read({"error": "later", "choices": []}) == NotAReply(detail="later", status=None)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=5,
)
ODD_CALL = st.fixed_dictionaries(
    {}, optional={"id": JSON, "function": JSON | st.fixed_dictionaries({}, optional={"name": JSON, "arguments": JSON})}
)
ODD_MESSAGE = st.fixed_dictionaries(
    {}, optional={"content": JSON, "refusal": JSON, "tool_calls": JSON | st.lists(JSON | ODD_CALL, max_size=3)}
)
ODD_CHOICE = st.fixed_dictionaries({}, optional={"message": JSON | ODD_MESSAGE, "finish_reason": JSON})
ODD_PAYLOAD = st.fixed_dictionaries(
    {}, optional={"choices": JSON | st.lists(JSON | ODD_CHOICE, max_size=2), "usage": JSON, "error": JSON}
)


@given(ODD_PAYLOAD | JSON)
def test_whatever_json_comes_is_read_without_an_error(payload: Any) -> None:
    reply = read(payload)

    if isinstance(reply, ModelReply):
        ids = [call.call_id for call in reply.tool_calls]
        assert all(ids)
        assert len(set(ids)) == len(ids)
        assert isinstance(reply.content, str)
        assert isinstance(reply.finish_reason, str)
        assert reply.input_tokens >= 0
    else:
        assert reply.detail or payload.get("error")


def test_request_names_the_model_the_messages_and_the_tools() -> None:
    request = ModelRequest(
        messages=(
            Message(role="system", content="Be kind."),
            Message(role="user", content="Pay A."),
            Message(role="assistant", tool_calls=(PAY,)),
            Message(role="tool", call_id="call_1", content="paid"),
        ),
        tools=(SPEC,),
        max_tokens=50,
    )

    assert request_body(request, model="fake-1", max_tokens_field="max_completion_tokens") == {
        "model": "fake-1",
        "messages": [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": "Pay A."},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": "call_1", "type": "function", "function": {"name": "pay", "arguments": '{"to":"A"}'}}
                ],
            },
            {"role": "tool", "tool_call_id": "call_1", "content": "paid"},
        ],
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "pay",
                    "description": "Pay somebody.",
                    "parameters": {"type": "object", "properties": {}},
                },
            }
        ],
        "tool_choice": "auto",
        "max_completion_tokens": 50,
    }


def test_request_is_repaired_before_it_is_sent() -> None:
    request = ModelRequest(messages=(Message(role="assistant", tool_calls=(PAY,)),))

    assert request_body(request, model="m", max_tokens_field="max_tokens")["messages"][1] == {
        "role": "tool",
        "tool_call_id": "call_1",
        "content": "interrupted, outcome unknown",
    }


def test_request_leaves_out_what_was_not_asked_for() -> None:
    body = request_body(
        ModelRequest(messages=(Message(role="user", content="Hi"),), model="other"),
        model="fake-1",
        max_tokens_field="max_tokens",
    )

    assert body == {"model": "other", "messages": [{"role": "user", "content": "Hi"}]}


@pytest.mark.parametrize(
    ("choice", "sent"),
    [("required", "required"), ("none", "none"), ("pay", {"type": "function", "function": {"name": "pay"}})],
)
def test_tool_choice_is_a_word_or_a_tool(choice: str, sent: Any) -> None:
    request = ModelRequest(messages=(), tools=(SPEC,), tool_choice=choice, max_tokens=5)

    body = request_body(request, model="m", max_tokens_field="max_tokens")

    assert body["tool_choice"] == sent
    assert body["max_tokens"] == 5


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ({"error": {"message": "too\n long"}}, "too long"),
        ({"message": "no such model"}, "no such model"),
        ({"error": "down"}, "down"),
        ("<html>502</html>", "<html>502</html>"),
        ({"error": {"code": 7}}, '{"code": 7}'),
        (None, ""),
        ("x" * 1000, "x" * 299 + "…"),
    ],
)
def test_detail_of_an_error_is_the_vendors_words_on_one_line(body: Any, detail: str) -> None:
    assert error_detail(body) == detail
