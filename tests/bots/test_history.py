"""A conversation reaches a model only in the form that vendors take."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from overwinter.actors.messages import Message, ToolCallRequest
from overwinter.bots.history import INTERRUPTED, distinct, repaired

CASES = Path(__file__).parents[1] / "cases" / "durable_resume.yaml"


def call(call_id: str, tool: str = "pay", arguments: str = "{}") -> ToolCallRequest:
    return ToolCallRequest(call_id=call_id, tool=tool, arguments=arguments)


def user(content: str) -> Message:
    return Message(role="user", content=content)


def assistant(*calls: ToolCallRequest, content: str = "") -> Message:
    return Message(role="assistant", content=content, tool_calls=calls)


def result(call_id: str, content: str) -> Message:
    return Message(role="tool", call_id=call_id, content=content)


def case_of(case_id: str) -> dict[str, Any]:
    cases: list[dict[str, Any]] = yaml.safe_load(CASES.read_text("utf-8"))
    return next(case for case in cases if case["id"].startswith(case_id + "_"))


def message_of(stored: dict[str, Any]) -> Message:
    calls = tuple(
        call(entry["id"], entry["function"]["name"], entry["function"]["arguments"])
        for entry in stored.get("tool_calls", [])
    )
    return Message(
        role=stored["role"], content=stored.get("content", ""), tool_calls=calls, call_id=stored.get("tool_call_id")
    )


@pytest.mark.case("du18")
def test_orphaned_call_gets_a_result_and_the_users_turn_comes_after_it() -> None:
    history = [message_of(stored) for stored in case_of("du18")["input"]["history"]]

    assert repaired(history) == (
        user("go"),
        assistant(call("call_1"), call("call_2", "log")),
        result("call_1", "ok"),
        result("call_2", "interrupted, outcome unknown"),
        user("and now?"),
    )


def test_results_stand_in_the_order_of_the_calls() -> None:
    history = [assistant(call("a"), call("b")), result("b", "2"), user("hello?"), result("a", "1")]

    assert repaired(history) == (history[0], result("a", "1"), result("b", "2"), user("hello?"))


def test_of_two_results_for_one_call_the_first_stays() -> None:
    history = [assistant(call("a")), result("a", "first"), result("a", "second")]

    assert repaired(history) == (history[0], result("a", "first"))


def test_result_without_a_call_is_dropped() -> None:
    before_its_call = [result("a", "early"), user("hi"), assistant(call("a"))]

    assert repaired([user("hi"), result("x", "lost"), Message(role="tool", content="no id")]) == (user("hi"),)
    assert repaired(before_its_call) == (user("hi"), assistant(call("a")), result("a", INTERRUPTED))


def test_late_result_goes_back_to_its_call() -> None:
    history = [assistant(call("a")), user("hello?"), assistant(content="One moment."), result("a", "paid")]

    assert repaired(history) == (history[0], result("a", "paid"), *history[1:3])


@pytest.mark.case("du02")
def test_call_id_that_is_reused_in_a_later_turn_has_a_result_of_its_own() -> None:
    turn_1, turn_2 = assistant(call("call_0", "create")), assistant(call("call_0", "create"))

    both = [turn_1, result("call_0", "first"), user("again"), turn_2, result("call_0", "second")]
    only_the_first = both[:-1]
    only_the_second = [turn_1, user("again"), turn_2, result("call_0", "second")]

    assert repaired(both) == tuple(both)
    assert repaired(only_the_first) == (*only_the_first, result("call_0", INTERRUPTED))
    assert repaired(only_the_second) == (
        turn_1,
        result("call_0", INTERRUPTED),
        user("again"),
        turn_2,
        result("call_0", "second"),
    )


@pytest.mark.case("du02")
def test_two_calls_with_one_id_in_one_reply_are_told_apart() -> None:
    history = [assistant(call("c", "create"), call("c", "create")), result("c", "1"), result("c", "2")]

    assert repaired(history) == (
        assistant(call("c", "create"), call("c_2", "create")),
        result("c", "1"),
        result("c_2", "2"),
    )


def test_new_names_of_calls_do_not_collide() -> None:
    ids = [
        entry.call_id for entry in distinct([call("a"), call("a"), call("a_2"), call(""), call("a"), call("call_4")])
    ]

    assert ids == ["a", "a_3", "a_2", "call_5", "a_4", "call_4"]


@pytest.mark.parametrize("content", ["", "  \n"])
def test_assistant_message_that_says_and_calls_nothing_is_dropped(content: str) -> None:
    assert repaired([user("hi"), assistant(content=content), user("hi?")]) == (user("hi"), user("hi?"))


@pytest.mark.parametrize("arguments", ['{"a": ', "[1]", '{"a": NaN}', "[" * 100_000])
def test_arguments_that_are_no_json_object_are_sent_back_wrapped_in_one(arguments: str) -> None:
    sent = repaired([assistant(call("a", arguments=arguments))])[0].tool_calls[0].arguments

    assert json.loads(sent) == {"invalid_arguments": arguments}


def test_blank_arguments_are_sent_back_as_an_empty_object() -> None:
    assert repaired([assistant(call("a", arguments=" "))])[0].tool_calls[0].arguments == "{}"


@pytest.mark.parametrize(
    ("name", "sent"),
    [("functions.pay", "functions_pay"), ("", "unknown"), ("zahlung_für", "zahlung_f_r"), ("x" * 70, "x" * 64)],
)
def test_name_that_a_vendor_refuses_is_spelled_with_the_letters_allowed(name: str, sent: str) -> None:
    assert repaired([assistant(call("a", name))])[0].tool_calls[0].tool == sent


IDS = st.sampled_from(["", "call_0", "call_1", "call_0_2"])
CALLS = st.builds(call, IDS, st.sampled_from(["pay", "log.it"]), st.sampled_from(["{}", '{"a":1}', "{", ""]))
TEXTS = st.sampled_from(["", " ", "text"])
HISTORIES = st.lists(
    st.one_of(
        st.builds(Message, role=st.sampled_from(["user", "system"]), content=TEXTS),
        st.builds(
            Message,
            role=st.just("assistant"),
            content=TEXTS,
            tool_calls=st.lists(CALLS, max_size=3).map(lambda calls: tuple(calls)),
        ),
        st.builds(Message, role=st.just("tool"), call_id=IDS | st.none(), content=TEXTS),
    ),
    max_size=12,
)


@given(HISTORIES)
def test_every_call_has_exactly_one_result_directly_after_its_message(history: list[Message]) -> None:
    left = list(repaired(history))
    while left:
        message = left.pop(0)
        assert message.role != "tool"
        ids = [entry.call_id for entry in message.tool_calls]
        assert len(set(ids)) == len(ids)
        assert [left.pop(0).call_id for _ in ids] == ids


@given(HISTORIES)
def test_repairing_again_changes_nothing(history: list[Message]) -> None:
    assert repaired(repaired(history)) == repaired(history)


@given(HISTORIES)
def test_nothing_that_people_said_is_lost_or_reordered(history: list[Message]) -> None:
    def said(messages: list[Message]) -> list[Message]:
        return [message for message in messages if message.role in ("user", "system")]

    assert said(list(repaired(history))) == said(history)


@given(HISTORIES)
def test_no_call_is_lost_and_every_message_is_one_that_vendors_take(history: list[Message]) -> None:
    sent = repaired(history)

    assert sum(len(message.tool_calls) for message in sent) == sum(len(message.tool_calls) for message in history)
    for message in sent:
        assert message.role != "assistant" or message.content.strip() or message.tool_calls
        for entry in message.tool_calls:
            assert entry.call_id
            assert isinstance(json.loads(entry.arguments), dict)


@given(HISTORIES)
def test_results_come_from_the_history_or_say_that_they_are_unknown(history: list[Message]) -> None:
    known = [message.content for message in history if message.role == "tool"]
    for message in repaired(history):
        if message.role == "tool" and message.content != INTERRUPTED:
            known.remove(message.content)


def whole(turns: list[list[ToolCallRequest]]) -> list[Message]:
    history: list[Message] = []
    for calls in turns:
        named = distinct(calls)
        history += [user("go"), assistant(*named, content="ok"), *(result(entry.call_id, "done") for entry in named)]
    return history


WHOLE_CALLS = st.builds(call, IDS, st.just("pay"), st.just('{"a":1}'))


@given(st.lists(st.lists(WHOLE_CALLS, max_size=3), max_size=4).map(whole))
def test_conversation_that_is_whole_is_sent_as_it_is(history: list[Message]) -> None:
    assert repaired(history) == tuple(history)
