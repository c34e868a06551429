"""A question that was escalated, answered on the command line: only in the name of the channel that asks it now."""

from __future__ import annotations

import asyncio
from pathlib import Path

from overwinter.actors.clock import SystemClock
from overwinter.actors.ids import RandomIds
from overwinter.deploy.loading import load_app
from overwinter.deploy.service import supervising
from overwinter.deploy.settings import Config
from overwinter.deploy.wiring import open_runtime

from .conftest import Overwinter

OFFICE = """
from datetime import timedelta

from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.scripted_model import ScriptedModel, calls, says
from overwinter.bots.tools import tool
from overwinter.channels.interpreters.rules import RulesInterpreter
from overwinter.channels.roles import Answerer, ApprovalRole
from overwinter.channels.terminal import TerminalChannel

board = TerminalChannel(write=lambda text: None, name="board")
role = ApprovalRole(
    name="payments", answered_by=Answerer.CHANNEL, interpreter=RulesInterpreter(),
    escalate_to=board, escalate_after=timedelta(milliseconds=1),
)


@tool(asks=role)
async def pay(amount: str) -> str:
    "Pay."
    return f"paid {amount}"


model = ScriptedModel.by_turn([calls("pay", {"amount": "80.00"}), says("done")])
app = App(
    name="office",
    agents=[Agent(name="clerk", tools=[pay], model=model)],
    channels={role: TerminalChannel(write=lambda text: None, name="desk")},
)
"""


async def _escalated(database: Path) -> str:
    """Ask, and let the question be escalated; returns its id."""
    app = load_app("office:app", folder=Path.cwd())
    config = Config(database=database)
    async with (
        open_runtime(app, config, clock=SystemClock(), ids=RandomIds(), must_exist=False) as runtime,
        supervising(runtime),
        asyncio.timeout(30),
    ):
        await runtime.sessions.start(program="clerk", owner="olga", message="pay the rent")
        while True:
            pauses = await runtime.store.pending_pauses(tenant=None, session_id=None, limit=10)
            if pauses and pauses[0].channel == "board":
                return pauses[0].pause_id
            await asyncio.wait({asyncio.create_task(runtime.store.due())}, timeout=0.05)


def test_an_answer_has_to_name_the_channel_that_asks_now(overwinter: Overwinter) -> None:
    Path("office.py").write_text(OFFICE)
    pause_id = asyncio.run(_escalated(Path("office.db")))
    answer = ("answer", pause_id, "yes", "--as", "mara", "--app", "office:app", "--db", "office.db", "--json")
    for channel in ((), ("--channel", "desk")):
        refused = overwinter(*answer, *channel)
        assert (refused.code, refused.error["code"]) == (6, "pause.wrong-answerer")
        assert "board" in refused.error["message"]
    assert len(overwinter("pending", "--db", "office.db", "--json").document["questions"]) == 1
    taken = overwinter(*answer, "--channel", "board")
    assert taken.code == 0
    assert taken.document["decision"]["approved"] is True
