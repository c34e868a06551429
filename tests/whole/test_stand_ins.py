"""A model that was shown a token calls with it, and the tool is given the value: in any process, in any later execution."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from overwinter.actors.asks import ApprovalForm, JsonValue
from overwinter.actors.jsontext import to_json
from overwinter.actors.messages import ModelReply, ModelRequest
from overwinter.actors.run import Run
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.privacy import Sensitive
from overwinter.bots.scripted_model import ScriptedModel, calls, says
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.testing.kit import Kit
from overwinter.bots.tools import ToolCall, tool
from overwinter.bots.workflows import workflow
from overwinter.channels.roles import Answerer, ApprovalRole
from overwinter.deploy.timeline import entries_of

IBANS = {"olga": "DE89370400440532013000", "mara": "FR7630006000011234567890189"}
TOKEN = re.compile(r"‹iban:\d+›")


class Account(BaseModel):
    name: str
    iban: Annotated[str, Sensitive("token")]


class Bank:
    """Looks accounts up, and pays into them once somebody has approved that."""

    def __init__(self, reply: Callable[[ModelRequest], ModelReply]) -> None:
        self.paid: list[tuple[str, str]] = []
        self.channel = RecordingChannel()
        self.model = ScriptedModel(reply)

    def app(self) -> App:
        role = ApprovalRole(name="approval", answered_by=Answerer.CHANNEL)

        @tool
        async def account_of(name: str) -> Account:
            """Look up an account."""
            return Account(name=name, iban=IBANS[name])

        @tool(asks=role)
        async def pay(iban: Annotated[str, Sensitive("token")], note: str, call: ToolCall[Any]) -> str:
            """Pay into an account."""
            self.paid.append((iban, note))
            return f"paid to {iban}"

        teller = Agent(name="teller", tools=[account_of, pay], model=self.model)

        @workflow(version="1")
        async def payday(run: Run, account: Account) -> str:
            return await run.agent(teller, f"pay into {account.iban}")

        return App(name="bank", agents=[teller], workflows=[payday], channels={role: self.channel})


def text_of(request: ModelRequest) -> str:
    return to_json([message.content for message in request.messages])


def token_in(request: ModelRequest) -> str:
    return TOKEN.findall(text_of(request))[-1]


def assert_hidden(value: JsonValue) -> None:
    assert [iban for iban in IBANS.values() if iban in to_json(value)] == []


@pytest.mark.behaviour("G23")
@pytest.mark.parametrize("is_escaped", [False, True])
async def test_a_model_pays_into_an_account_that_it_never_saw(tmp_path: Path, is_escaped: bool) -> None:
    def reply(request: ModelRequest) -> ModelReply:
        match len([message for message in request.messages if message.role == "tool"]):
            case 0:
                return calls("account_of", {"name": "mara"})
            case 1:
                token = token_in(request)
                arguments = '{"iban": "%s", "note": "for ‹iban:3›"}' % (
                    token.replace("‹", "\\u2039").replace("›", "\\u203a") if is_escaped else token
                )
                return calls("pay", arguments)
            case _:
                return says(f"Paid, to {token_in(request)}.")

    bank = Bank(reply)
    async with Kit(build=bank.app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("teller", "pay mara")
        await kit.restart()
        await kit.answer("pay", decision={"approved": True})
        timeline = await kit.timeline(session_id)
        shown = [entry.to_json() for entry in entries_of(timeline)]
    assert bank.paid == [(IBANS["mara"], "for ‹iban:3›")]
    for request in bank.model.requests:
        assert_hidden(text_of(request))
        assert_hidden([[call.arguments for call in message.tool_calls] for message in request.messages])
    assert_hidden([row.decision_json for row in timeline.audit])
    assert_hidden(shown)
    assert "stands_for" not in to_json(shown)
    [ask] = bank.channel.asks
    assert isinstance(ask.form, ApprovalForm)
    assert_hidden([ask.prompt, ask.form.arguments])


async def test_a_token_of_an_earlier_execution_still_stands_for_its_value(tmp_path: Path) -> None:
    def reply(request: ModelRequest) -> ModelReply:
        last = request.messages[-1]
        match last.role, last.content:
            case "user", "look":
                return calls("account_of", {"name": "olga"})
            case "user", _:
                return calls("pay", {"iban": token_in(request), "note": ""})
            case _:
                return says("Done.")

    bank = Bank(reply)
    async with Kit(build=bank.app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("teller", "look")
        await kit.restart()
        await kit.say(session_id, "pay her")
        await kit.answer("pay", decision={"approved": True})
    assert bank.paid == [(IBANS["olga"], "")]


async def test_an_agent_that_was_given_a_token_in_its_message_calls_with_it(tmp_path: Path) -> None:
    def reply(request: ModelRequest) -> ModelReply:
        if request.messages[-1].role == "user":
            return calls("pay", {"iban": token_in(request), "note": "salary"})
        return says("Done.")

    bank = Bank(reply)
    async with Kit(build=bank.app, path=tmp_path / "w.db").running() as kit:
        account = {"name": "mara", "iban": IBANS["mara"]}
        session_id = await kit.start("payday", account)
        await kit.restart()
        await kit.answer("pay", decision={"approved": True})
        shown = [entry.to_json() for entry in entries_of(await kit.timeline(session_id))]
    assert bank.paid == [(IBANS["mara"], "salary")]
    assert_hidden(shown)


async def test_a_token_that_nobody_was_shown_runs_nothing(tmp_path: Path) -> None:
    lines = [calls("pay", {"iban": "‹iban:12›", "note": ""}), says("I could not.")]
    bank = Bank(lambda request: lines[sum(message.role == "tool" for message in request.messages)])
    async with Kit(build=bank.app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("teller", "pay")
        [result] = (await kit.tool_results(session_id)).values()
    assert "only hides a value" in result
    assert bank.paid == []
    assert bank.channel.asks == []
