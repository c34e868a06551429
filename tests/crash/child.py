"""The refund story in one process, which kills itself at the n-th commit if it is told to.

Its arguments (``forking``): database, journal, clock shift in seconds, where to die (``before`` or ``after`` a commit, ``tool``,
``never``), at which count. A fork starts the session if it is not there, answers the question if it is open, and ends when the
session rests as idle. The journal is the outside world: one line for each run of the tool's body, written and flushed by the tool.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from overwinter.actors.answers import ChannelCredential, Received, Reply
from overwinter.actors.errors import EffectConflictError
from overwinter.actors.ids import RandomIds
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.runtime import Runtime
from overwinter.bots.scripted_model import ScriptedModel, calls, says
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.tools import ToolCall, tool
from overwinter.channels.interpreters.rules import RulesInterpreter
from overwinter.channels.roles import Answerer, ApprovalRole
from overwinter.deploy.settings import LogLevel
from overwinter.store.store import Store

from .forking import Bomb, ShiftedClock, carry_out, live

SESSION = "s-crash"


class Refund(BaseModel):
    order_id: str
    amount: str


def build(journal: Path, on_tool: Any) -> App:
    role = ApprovalRole(name="refund-approval", answered_by=Answerer.CHANNEL, interpreter=RulesInterpreter())

    @tool(asks=role)
    async def refund_card(refund: Refund, call: ToolCall[Any]) -> str:
        """Refund a card payment."""
        with journal.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"order": refund.order_id, "amount": refund.amount, "key": call.key}) + "\n")
            file.flush()
            os.fsync(file.fileno())
        on_tool()
        return f"refunded {refund.amount}"

    script = ScriptedModel.by_turn(
        [calls("refund_card", {"order_id": "4471", "amount": "80.00"}), says("Refunded."), says("Anything else?")]
    )
    agent = Agent(name="support", tools=[refund_card], model=script)
    return App(name="shop", agents=[agent], channels={role: RecordingChannel()})


async def run(database: str, journal: str, shift_s: int, where: str, count: int) -> None:
    store = await Store.open(Path(database))
    bomb = Bomb(where, count)
    bomb.arm()
    app = build(Path(journal), lambda: bomb.reach("tool"))
    runtime = Runtime(app=app, store=store, clock=ShiftedClock(shift_s), ids=RandomIds())

    async def begin() -> None:
        with suppress(EffectConflictError):  # started by the process before
            await runtime.sessions.start(
                program="support",
                owner="olga",
                message="refund 4471",
                session_id=SESSION,
                received=Received(channel="test", external_id="m1"),
            )

    await live(runtime, lambda: _is_over(runtime, store), begin=begin, within_s=20)


async def _is_over(runtime: Runtime, store: Store) -> bool:
    for pause in await store.pending_pauses(tenant=None, session_id=SESSION, limit=10):
        if pause.is_sent:
            await runtime.answering.answer(
                tenant="default",
                pause_id=pause.pause_id,
                answer=Reply(text="ok, but only half"),
                credential=ChannelCredential(answered_by="mara"),
                received=Received(channel="test", external_id="a1"),
            )
    session = await store.session(SESSION)
    return session is not None and session.status == "idle"


if __name__ == "__main__":
    carry_out(run, level=LogLevel.INFO)
