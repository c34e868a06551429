"""The command that tries out how replies are read."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from ..fakes.openai_server import OpenAIServer, called
from .conftest import Overwinter

SCHEMA = {
    "type": "object",
    "properties": {"order_id": {"type": "string"}, "amount": {"type": "string"}},
    "required": ["order_id", "amount"],
}
APPROVAL = {
    "prompt": "Refund 80.00 for order 4471?",
    "approval": {"tool": "refund_card", "arguments": {"order_id": "4471", "amount": "80.00"}, "schema": SCHEMA},
}


def write(ask: Any, replies: Any) -> tuple[str, ...]:
    for name, value in (("ask.json", ask), ("replies.json", replies)):
        Path(name).write_text(value if isinstance(value, str) else json.dumps(value))
    return ("interpret", "--ask", "ask.json", "--replies", "replies.json")


def test_each_reply_gets_one_reading_of_the_promised_shape(overwinter: Overwinter) -> None:
    replies = ["ok, but only half", "no, please don't approve this one", "what is order 4471?", "x" * 20_001]
    ran = overwinter(*write(APPROVAL, replies), "--json")
    assert (ran.code, ran.err) == (0, "")
    half, no, question, long = ran.document
    assert half == {
        "outcome": "understood",
        "decision": {
            "approved": True,
            "reason": None,
            "override_arguments": {"order_id": "4471", "amount": "40.00"},
        },
        "by": "rules",
        "reason": None,
    }
    assert no["outcome"] == "understood"
    assert no["decision"]["approved"] is False
    assert question["outcome"] == long["outcome"] == "not_understood"
    assert question["decision"] is long["decision"] is None
    assert question["by"] == "rules"
    assert question["reason"]
    assert "at most 20000 are read" in long["reason"]


def test_choices_and_schemas_are_read_too(overwinter: Overwinter) -> None:
    ran = overwinter(*write({"prompt": "Ship it?", "choices": ["approve", "reject"]}, ["not approved"]), "--json")
    assert ran.document[0]["decision"] == "reject"
    ran = overwinter(*write({"prompt": "How many?", "schema": {"type": "integer", "minimum": 1}}, ["7", "0"]), "--json")
    assert [reading["decision"] for reading in ran.document] == [7, None]


def test_people_read_the_same_without_json(overwinter: Overwinter) -> None:
    ran = overwinter(*write(APPROVAL, ["ok, but only half\x1b[2J", "hm"]))
    assert ran.code == 0
    assert "ok, but only half\\x1b[2J" in ran.out
    assert "\x1b" not in ran.out
    assert "not understood by rules:" in ran.out


@pytest.mark.parametrize(
    ("ask", "replies", "says"),
    [
        ({"prompt": "x"}, [], "exactly one of choices, schema and approval is wanted; there are 0"),
        ({"prompt": "x", "choices": ["a"], "schema": {}}, [], "there are 2"),
        ({"choices": ["a"]}, [], "$.prompt: Field required"),
        ({"prompt": "x", "choices": []}, [], "$.choices: List should have at least 1 item"),
        ({"prompt": "x", "choices": ["a", "a"]}, [], "the same one twice"),
        ({"prompt": "x", "choices": ["a", 1]}, [], "$.choices[1]: Input should be a valid string"),
        ({"prompt": "x", "schema": {"type": "nonsense"}}, [], "$.schema: it is no JSON Schema"),
        ({"prompt": "x", "schema": {"pattern": "("}}, [], "$.schema: '(' is no regular expression"),
        ({"prompt": "x", "schema": {"pattern": 5}}, [], "$.schema: it is no JSON Schema (2020-12): 5 is not of type"),
        ({"prompt": "x", "approval": {"tool": "t", "arguments": {}}}, [], "$.approval.schema: Field required"),
        ({"prompt": "x", "choices": ["a"], "more": 1}, [], "$.more: Extra inputs are not permitted"),
        ("{", [], "$: Invalid JSON"),
        (APPROVAL, {"a": 1}, "replies.json cannot be used:\n  $: Input should be a valid array"),
        (APPROVAL, ["yes", 1], "replies.json cannot be used:\n  $[1]: Input should be a valid string"),
    ],
)
def test_files_that_cannot_be_used_are_told_by_their_place(
    overwinter: Overwinter, ask: Any, replies: Any, says: str
) -> None:
    ran = overwinter(*write(ask, replies), "--json")
    assert (ran.code, ran.out, ran.error["code"]) == (2, "", "input.invalid")
    assert says in ran.error["message"]


def test_files_that_are_not_there_are_told(overwinter: Overwinter) -> None:
    ran = overwinter("interpret", "--ask", "no.json", "--replies", "no.json", "--json")
    assert (ran.code, ran.error["message"]) == (2, "no.json cannot be read: No such file or directory")


async def test_a_configured_model_is_asked_where_rules_do_not_decide(
    overwinter: Overwinter, monkeypatch: pytest.MonkeyPatch
) -> None:
    reply = "fine by me as far as the forms go"
    arguments = {"verdict": "approve", "reason": None, "override_arguments": None, "evidence": "fine by me"}
    async with OpenAIServer(called(("call_1", "record_answer", json.dumps(arguments)))) as server:
        monkeypatch.setenv("OVERWINTER_MODEL_NAME", "small-1")
        monkeypatch.setenv("OVERWINTER_MODEL_BASE_URL", server.base_url)
        ran = await asyncio.to_thread(overwinter, *write(APPROVAL, ["yes", reply]), "--model", "--json")
    assert ran.code == 0
    assert [reading["by"] for reading in ran.document] == ["rules", "model"]
    assert [request.body["model"] for request in server.received] == ["small-1"]
    assert reply in json.dumps(server.received[0].body)


def test_a_model_must_be_configured_to_be_asked(overwinter: Overwinter) -> None:
    ran = overwinter(*write(APPROVAL, ["yes"]), "--model", "--json")
    assert (ran.code, ran.error["code"]) == (3, "config.invalid")
    assert "OVERWINTER_MODEL_NAME" in ran.error["message"]
