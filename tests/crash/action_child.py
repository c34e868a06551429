"""A call that is put off, in one process, which kills itself at the n-th time it reaches a point, if it is told to.

Its arguments (``forking``): database, journal, clock shift in seconds, who performs the call (``supervisor`` or ``host``), where
to die (``before`` or ``after`` a commit, ``tool``, ``never``), at which count. A trigger starts the session; its call is approved,
then put off, then performed; a fork ends when the session rests.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

from overwinter.actors.answers import ChannelCredential, Received, Reply
from overwinter.actors.errors import ActionNotWaitingError
from overwinter.actors.ids import RandomIds
from overwinter.actors.trigger_kinds import Delay, Starts, Trigger
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.policies.gates import Predicate
from overwinter.bots.policies.verdicts import GatedCall, Schedule
from overwinter.bots.runtime import Runtime
from overwinter.bots.scripted_model import ScriptedModel, calls, says
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.tools import ToolCall, tool
from overwinter.channels.interpreters.rules import RulesInterpreter
from overwinter.channels.roles import Answerer, ApprovalRole
from overwinter.deploy.settings import LogLevel
from overwinter.store.rows import PauseKind
from overwinter.store.store import Store

from .forking import Bomb, ShiftedClock, carry_out, live


def build(journal: Path, performer: str, bomb: Bomb) -> App:
    role = ApprovalRole(name="payments", answered_by=Answerer.CHANNEL, interpreter=RulesInterpreter())
    due = timedelta(milliseconds=30) if performer == "supervisor" else None

    def later(call: GatedCall) -> Schedule:
        return Schedule(correlation_id=f"pay:{call.call_id}", due=due)

    @tool(asks=role, gates=[Predicate(name="later", check=later, asks=role)])
    async def pay(to: str, call: ToolCall[Any]) -> str:
        """Pay."""
        with journal.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"to": to, "key": call.key.partition("/")[2], "by": call.approved_by}) + "\n")
            file.flush()
            os.fsync(file.fileno())
        bomb.reach("tool")
        return f"paid {to}"

    script = ScriptedModel.by_turn([calls("pay", {"to": "olga"}, call_id="c1"), says("Paid.")])
    agent = Agent(name="bank", tools=[pay], model=script)
    begins = Trigger(slug="begins", when=Delay(after=timedelta(milliseconds=10)), starts=Starts(bot="bank"))
    return App(name="payments", agents=[agent], channels={role: RecordingChannel()}, triggers=[begins])


async def run(database: str, journal: str, shift_s: int, performer: str, where: str, count: int) -> None:
    store = await Store.open(Path(database))
    bomb = Bomb(where, count)
    bomb.arm()
    app = build(Path(journal), performer, bomb)
    runtime = Runtime(app=app, store=store, clock=ShiftedClock(shift_s), ids=RandomIds())
    await live(runtime, lambda: _is_over(runtime, performer), within_s=20)


async def _is_over(runtime: Runtime, performer: str) -> bool:
    for pause in await runtime.store.pending_pauses(tenant=None, session_id=None, limit=10):
        if pause.kind == PauseKind.ASK and pause.is_sent:
            await runtime.answering.answer(
                tenant="default",
                pause_id=pause.pause_id,
                answer=Reply(text="ok"),
                credential=ChannelCredential(answered_by="mara"),
                received=Received(channel="test", external_id="a1"),
            )
    if performer == "host":
        for ticket in await runtime.actions.waiting(tenant="default"):
            with suppress(ActionNotWaitingError):
                await runtime.perform_scheduled_action(ticket, by="host")
    sessions = await runtime.store.sessions(tenant=None, statuses=None, limit=10)
    if not sessions or any(each.status != "idle" for each in sessions):
        return False
    return all(fire.status == "done" for fire in await runtime.triggers.fires_of("default", "begins", limit=10))


if __name__ == "__main__":
    carry_out(run, level=LogLevel.ERROR)
