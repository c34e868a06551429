"""The id of a channel's question is the right to answer it: whatever happens, nobody but the channel is given it."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from overwinter.actors.answers import ChannelCredential, Decision, OwnerCredential, Reply
from overwinter.actors.errors import ChannelRejectedError, ChannelUnreachableError
from overwinter.actors.hook_notices import EndNotice, PauseNotice, ResumeNotice
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.scripted_model import ScriptedModel, calls, calls_all, says
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.testing.kit import Kit
from overwinter.bots.tools import tool
from overwinter.bots.toolsets.system import ask_user_tool
from overwinter.channels.interpreters.rules import RulesInterpreter
from overwinter.channels.roles import Answerer, ApprovalRole
from overwinter.deploy.timeline import entries_of
from overwinter.store.errors import OverwinterError

TABLES = ("sessions", "executions", "ledger", "audit")
"""What is listed, told or kept; the tables of open questions and of their deliveries are the runtime's own."""

MARA = ChannelCredential(answered_by="mara")


class TellTale(RecordingChannel):
    """A channel whose every fault names the id that it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.given: set[str] = set()
        self.faults: list[type[ChannelUnreachableError | ChannelRejectedError]] = []

    async def send(self, ask: Any) -> Any:
        self.given.add(ask.pause_id)
        if self.faults:
            raise self.faults.pop(0)(f"the vendor refused message {ask.pause_id}")
        return await super().send(ask)

    async def withdraw(self, withdrawal: Any) -> None:
        raise ChannelRejectedError(f"cannot take back {withdrawal.ask.pause_id}")


@pytest.mark.behaviour("G14")
async def test_the_ids_of_channel_questions_are_in_nothing_that_is_told_or_kept(tmp_path: Path) -> None:
    role = ApprovalRole(name="refund-approval", answered_by=Answerer.CHANNEL, interpreter=RulesInterpreter())
    channel = TellTale()
    said: list[str] = []

    async def hear(notice: PauseNotice | ResumeNotice | EndNotice) -> None:
        said.append(repr(notice))
        raise ValueError(f"heard {notice}")

    @tool(asks=role)
    async def refund_card(order_id: str) -> str:
        """Refund a card payment."""
        return "refunded"

    refunds = [calls("refund_card", {"order_id": str(number)}) for number in range(4)]
    model = ScriptedModel.by_turn([calls_all(*refunds, calls("ask_user", {"prompt": "Why?"})), says("Done.")])
    agent = Agent(name="support", tools=[refund_card, ask_user_tool()], model=model)
    hooks: dict[str, Any] = {"on_pause": hear, "on_resume": hear, "on_end": hear}
    app = App(name="shop", agents=[agent], channels={role: channel}, **hooks)
    path = tmp_path / "w.db"
    with capture_logs() as logs:
        async with Kit(build=lambda: app, path=path).running() as kit:
            # One of four is sent again and again, one is refused for good, two arrive.
            channel.faults += [ChannelUnreachableError, ChannelRejectedError]
            session_id = await kit.start("support", "refund them all", surface="workspace")
            await kit.advance(timedelta(minutes=1))
            asked = {row.key: row for row in await kit.pending(session_id) if row.answerer == "channel"}
            owners = {row.pause_id for row in await kit.pending(session_id) if row.answerer == "owner"}
            first, second, third = (row.pause_id for row in asked.values())
            wrong: list[tuple[str, Any, Any]] = [
                (first, Decision(value={"approved": True}), OwnerCredential(owner="olga")),
                (first, Decision(value={"approved": "perhaps"}), MARA),
                (first, Reply(text="hm, let me see"), MARA),
            ]
            for pause_id, answer, credential in wrong:
                said.append(await refused(kit, pause_id, answer, credential))
            await kit.answer(list(asked.values())[2], decision={"approved": True})
            said.append(await refused(kit, third, Reply(text="yes"), MARA))
            await kit.runtime.answering.cancel(tenant="default", pause_id=second, by="otto", reason="enough")
            said.append(await refused(kit, second, Reply(text="yes"), MARA))
            said.append(repr(await kit.runtime.waiting.outcome_of(tenant="default", session_id=session_id)))
            await kit.restart()
            await kit.runtime.sessions.cancel(tenant="default", session_id=session_id, by="otto", reason="enough")
            await kit.settle()
            timeline = await kit.timeline(session_id)
            said += [json.dumps(entry.to_json()) for entry in entries_of(timeline)]
    with closing(sqlite3.connect(path)) as connection:
        said += [repr(row) for table in TABLES for row in connection.execute(f"SELECT * FROM {table}")]
    said += [repr(entry) for entry in logs]
    said += [repr(request) for request in model.requests]
    assert len(channel.given) == 4
    assert {"hook.failed", "channel.withdraw-failed", "delivery.failed"} <= {entry["event"] for entry in logs}
    everything = "\n".join(said)
    assert [pause_id for pause_id in channel.given if pause_id in everything] == []
    assert owners
    assert all(pause_id in everything for pause_id in owners), "the search would find an id that is told"


async def refused(kit: Kit, pause_id: str, answer: Any, credential: Any) -> str:
    """Answer, and be refused; what the error says."""
    with pytest.raises(OverwinterError) as raised:
        await kit.runtime.answering.answer(tenant=kit.tenant, pause_id=pause_id, answer=answer, credential=credential)
    return f"{raised.value!r} {raised.value.__cause__!r}"
