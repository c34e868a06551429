"""The chances of first tokens: asked for where they are wanted, and read with nothing taken for granted."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from overwinter.actors.messages import Message, ModelReply, ModelRequest, TokenChance
from overwinter.bots.chat_completions import read_reply, request_body

pytestmark = pytest.mark.behaviour("G20")

HI = (Message(role="user", content="Hi"),)


def test_chances_are_asked_for_only_where_they_are_wanted() -> None:
    plain = request_body(ModelRequest(messages=HI), model="m", max_tokens_field="max_tokens")
    wanted = request_body(ModelRequest(messages=HI, top_logprobs=5), model="m", max_tokens_field="max_tokens")
    assert not {"logprobs", "top_logprobs"} & plain.keys()
    assert {key: wanted[key] for key in wanted.keys() - plain.keys()} == {"logprobs": True, "top_logprobs": 5}


def first_tokens(logprobs: Any) -> tuple[TokenChance, ...]:
    choice = {"index": 0, "message": {"content": "yes"}, "finish_reason": "length", "logprobs": logprobs}
    reply = read_reply(json.dumps({"choices": [choice]}).encode())
    assert isinstance(reply, ModelReply)
    assert reply.content == "yes"
    return reply.first_tokens


def position(*top: Any) -> dict[str, Any]:
    return {"token": "yes", "logprob": -0.1, "bytes": [121], "top_logprobs": list(top)}


def test_the_first_tokens_are_read_as_openai_tells_them() -> None:
    yes = {"token": "yes", "logprob": -0.105, "bytes": [121, 101, 115]}
    no = {"token": " no", "logprob": -2, "bytes": None}
    logprobs = {"content": [position(yes, no), position({"token": "later", "logprob": -1.0})], "refusal": None}
    assert first_tokens(logprobs) == (TokenChance(token="yes", logprob=-0.105), TokenChance(token=" no", logprob=-2))


@pytest.mark.parametrize(
    "logprobs",
    [
        None,
        True,
        [],
        {},
        {"content": None},
        {"content": []},
        {"content": ["yes"]},
        {"content": [{"token": "yes", "logprob": -0.1}]},
        {"content": [{"token": "yes", "logprob": -0.1, "top_logprobs": {"yes": -0.1}}]},
        {"tokens": ["yes"], "token_logprobs": [-0.1], "top_logprobs": [{"yes": -0.1}]},
    ],
)
def test_whatever_else_a_server_sends_is_no_chances(logprobs: Any) -> None:
    assert first_tokens(logprobs) == ()


def test_what_is_no_chance_of_a_token_is_left_out() -> None:
    sound = {"token": "no", "logprob": -math.inf}
    broken: list[Any] = [
        {"token": None, "logprob": -1},
        {"token": "yes"},
        {"token": "yes", "logprob": None},
        {"token": "yes", "logprob": "-0.1"},
        {"token": "yes", "logprob": False},
        {"token": "yes", "logprob": 0.7},
        {"token": "yes", "logprob": math.nan},
        "yes",
        None,
    ]
    assert first_tokens({"content": [position(*broken, sound)]}) == (TokenChance(token="no", logprob=-math.inf),)
