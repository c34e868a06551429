"""The refund story in one process, which kills itself at the n-th commit if it is told to.

    python child.py

reads one JSON list a line: database, journal, clock shift in seconds, where to die (``before``, ``after``, ``tool``,
``never``), at which count. Each line is carried out by a fork of this process, which has imported everything and has no thread
yet; its exit code is printed. The fork starts the session if it is not there, answers the question if it is open, and ends
when the session rests as idle. The journal is the outside world: one line for each run of the
tool's body, written and flushed by the tool.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from sqlalchemy import event
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.engine.default import DefaultDialect
from sqlalchemy.pool import PoolProxiedConnection

from overwinter.actors.answers import ChannelCredential, Received, Reply
from overwinter.actors.clock import SystemClock
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
from overwinter.deploy.logs import configure_logs
from overwinter.deploy.settings import LogFormat, LogLevel
from overwinter.store.store import Store

SESSION = "s-crash"


class ShiftedClock(SystemClock):
    """A clock that is ahead, so that the leases and holds of a killed process have run out."""

    def __init__(self, shift_s: int) -> None:
        self._shift_ms = shift_s * 1000

    def now_ms(self) -> int:
        return super().now_ms() + self._shift_ms


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


class Bomb:
    """Kills this process at the n-th time its point is reached; of the commits those count that change a row."""

    def __init__(self, where: str, count: int) -> None:
        self._where = where
        self._left = count
        self._changes = 0

    def reach(self, where: str) -> None:
        if where != self._where:
            return
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def arm(self) -> None:
        do_commit = DefaultDialect.do_commit

        def before(connection: Connection) -> None:
            if _changes(connection.connection) > self._changes:
                self.reach("before")

        def counted(dialect: Any, connection: PoolProxiedConnection) -> None:
            do_commit(dialect, connection)
            if (changes := _changes(connection)) > self._changes:
                self._changes = changes
                self.reach("after")

        event.listen(Engine, "commit", before)
        setattr(DefaultDialect, "do_commit", counted)  # noqa: B010  no event tells of a commit that is done


def _changes(connection: PoolProxiedConnection) -> int:
    """How many rows this connection has changed; one that only reads has changed none."""
    raw = connection.driver_connection
    assert isinstance(raw, sqlite3.Connection)
    return raw.total_changes


async def run(database: Path, journal: Path, shift_s: int, bomb: Bomb) -> None:
    store = await Store.open(database)
    bomb.arm()
    app = build(journal, lambda: bomb.reach("tool"))
    runtime = Runtime(app=app, store=store, clock=ShiftedClock(shift_s), ids=RandomIds())
    work = asyncio.create_task(runtime.supervisor.run())
    hints = store.subscribe()
    try:
        with suppress(EffectConflictError):  # started by the process before
            await runtime.sessions.start(
                program="support",
                owner="olga",
                message="refund 4471",
                session_id=SESSION,
                received=Received(channel="test", external_id="m1"),
            )
        async with asyncio.timeout(20):
            while not await _is_over(runtime, store):
                await hints.wait()
    finally:
        hints.close()
        runtime.supervisor.stop()
        await work
        await store.aclose()


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


def main() -> None:
    configure_logs(level=LogLevel.INFO, form=LogFormat.JSON, stream=sys.stderr)
    for line in sys.stdin:
        database, journal, shift_s, where, count = json.loads(line)
        if (pid := os.fork()) == 0:
            asyncio.run(run(Path(database), Path(journal), shift_s, Bomb(where, count)))
            sys.exit(0)
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)  # noqa: T201  the answer to the test


if __name__ == "__main__":
    main()
