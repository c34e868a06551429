"""What a supervisor has just taken when it is told to stop is not lost, and what waits behind much else is not forgotten."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from overwinter.actors.delivery_settings import DeliverySettings
from overwinter.actors.ids import RandomIds
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.runtime import Runtime
from overwinter.bots.scripted_model import ScriptedModel, calls, calls_all, says
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.testing.kit import Kit
from overwinter.bots.tools import tool
from overwinter.channels.roles import Answerer, ApprovalRole
from overwinter.store.changes import Claim, ClaimDeliveries, ClaimDeliveriesResult, ClaimResult
from overwinter.store.store import Store


class SlowToClaim(Store):
    """A store whose claims are carried out, and whose callers hear of it later."""

    gate: asyncio.Event
    reached: asyncio.Event

    async def claim(self, change: Claim) -> ClaimResult:
        result = await super().claim(change)
        if result.sessions:
            self.reached.set()
            await self.gate.wait()
        return result

    async def claim_deliveries(self, change: ClaimDeliveries) -> ClaimDeliveriesResult:
        result = await super().claim_deliveries(change)
        if result.deliveries:
            self.reached.set()
            await self.gate.wait()
        return result


def app() -> App:
    return App(name="office", agents=[Agent(name="clerk", model=ScriptedModel.by_turn([says("hello")]))])


@pytest.mark.behaviour("G46")
async def test_a_session_claimed_while_stopping_is_given_back_or_done(tmp_path: Path) -> None:
    path = tmp_path / "office.db"
    kit = Kit(build=app, path=path)
    await kit.open()
    session_id = await kit.runtime.sessions.start(program="clerk", owner="olga", message="hi", tenant=kit.tenant)
    clock = kit.clock
    await kit.close()  # it may have begun the session, or not: its lease is up in either case
    await clock.advance(ms=3_600_000)

    store = await SlowToClaim.open(path)
    store.gate, store.reached = asyncio.Event(), asyncio.Event()
    runtime = Runtime(app=app(), store=store, clock=clock, ids=RandomIds())
    work = asyncio.create_task(runtime.supervisor.run())
    try:
        async with asyncio.timeout(20):
            await store.reached.wait()
            runtime.supervisor.stop()
            store.gate.set()
            await work
            found = await store.session(session_id)
    finally:
        store.gate.set()
        runtime.supervisor.stop()
        await asyncio.wait({work})
        await store.aclose()
    assert found is not None
    assert found.status in ("ready", "idle"), "whoever comes next need not wait for the lease to run out"


async def test_what_is_due_behind_a_full_dispatcher_goes_out_without_a_poll(tmp_path: Path) -> None:
    channel = RecordingChannel()
    role = ApprovalRole(name="payment", answered_by=Answerer.CHANNEL)

    def build() -> App:
        @tool(asks=role)
        async def pay(number: int) -> str:
            """Pay."""
            return "paid"

        model = ScriptedModel.by_turn([calls_all(*(calls("pay", {"number": n}) for n in range(40))), says("ok")])
        return App(name="a", agents=[Agent(name="b", tools=[pay], model=model)], channels={role: channel})

    kit = Kit(build=build, path=tmp_path / "w.db", delivering=DeliverySettings(concurrency=4))
    async with kit.running():
        session_id = await kit.start("b", "go")
        assert len(channel.asks) == 40
        await kit.runtime.sessions.cancel(tenant=kit.tenant, session_id=session_id, by="op", reason="enough")
        await kit.settle()
        assert len(channel.withdrawals) == 40
