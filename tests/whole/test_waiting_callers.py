"""Callers that wait for the pass which takes their answer: whoever runs it, however it ends, and whatever they leave behind."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from overwinter.actors.answers import ChannelCredential, Decision
from overwinter.actors.errors import SessionNotRestedError, SessionUnknownError
from overwinter.actors.run import Run
from overwinter.actors.waiting import (
    LOOK_EVERY_S,
    ExecutionCancelled,
    ExecutionFailed,
    ExecutionReturned,
    PassOutcome,
    Waiting,
)
from overwinter.bots.app import App
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.testing.kit import Kit
from overwinter.bots.workflows import Workflow, workflow
from overwinter.channels.roles import Answerer, QuestionRole
from overwinter.store.rows import LedgerRow, PauseRow, SessionRow
from overwinter.store.store import Store
from overwinter.store.wakeups import Hints

DIRECTOR = QuestionRole(name="director", answer=str, answered_by=Answerer.CHANNEL)
OWNER = QuestionRole(name="owner", answer=str, answered_by=Answerer.OWNER)
MARA = ChannelCredential(answered_by="mara")


@dataclass
class Office:
    """A workflow that asks two people side by side, and acts on each answer; ``acting`` can be held up."""

    acted: list[str] = field(default_factory=list[str])
    keys: list[str] = field(default_factory=list[str])
    go: asyncio.Event = field(default_factory=asyncio.Event)
    is_held_up: bool = False
    breaks: bool = False
    version: str = "1"

    def flow(self) -> Workflow:
        async def act(key: str, name: str) -> str:
            self.keys.append(key)
            self.acted.append(name)
            if self.breaks:
                raise RuntimeError("the printer is on fire")
            if self.is_held_up:
                await self.go.wait()
            return f"done {name}"

        async def of(run: Run, role: QuestionRole[str]) -> str:
            answer = await run.ask(role, "Go on?")
            return await run.perform("act", _with_name(act, answer), wants_key=True)

        async def by_director(run: Run) -> str:
            return await of(run, DIRECTOR)

        async def by_owner(run: Run) -> str:
            return await of(run, OWNER)

        @workflow(version=self.version)
        async def both(run: Run) -> list[str]:
            return await run.gather(by_director, by_owner)

        return both

    def app(self) -> App:
        return App(
            name="office",
            workflows=[self.flow()],
            channels={DIRECTOR: RecordingChannel(), OWNER: RecordingChannel(name="desk")},
        )


def _with_name(function: Callable[[str, str], Awaitable[str]], name: str) -> Callable[[str], Awaitable[str]]:
    async def call(key: str) -> str:
        return await function(key, name)

    return call


async def record(kit: Kit, pause: PauseRow, answer: str) -> None:
    """Record a director's answer and return as soon as it is durable."""
    await kit.runtime.answering.answer(
        tenant="default", pause_id=pause.pause_id, answer=Decision(value=answer), credential=MARA
    )


async def until(condition: Callable[[], bool], kit: Kit) -> None:
    """Let the world go on until something has happened in it."""
    async with asyncio.timeout(20):
        while not condition():
            await kit.store.due()


def waits_in_memory() -> int:
    return sum(task.get_name().startswith("waiting: ") for task in asyncio.all_tasks())


def waiting_for(kit: Kit, session_id: str, **more: Any) -> asyncio.Task[PassOutcome]:
    return asyncio.create_task(kit.runtime.waiting.outcome_of(tenant="default", session_id=session_id, **more))


@pytest.mark.behaviour("G33")
@pytest.mark.behaviour("G2")
async def test_a_caller_gets_what_still_waits_and_then_the_end(tmp_path: Path) -> None:
    office = Office()
    async with Kit(build=office.app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("both", {}, owner="olga")
        first, second = await kit.question("director"), await kit.question("owner")
        await record(kit, first, "a")
        outcome = await waiting_for(kit, session_id)
        assert (outcome.status, outcome.end) == ("waiting", None)
        assert office.acted == ["a"]
        [open_wait] = outcome.pending
        assert (open_wait.role, open_wait.answerer, open_wait.key) == ("owner", "owner", second.key)
        assert open_wait.pause_id == second.pause_id
        await kit.answer(second, decision="b")
        outcome = await waiting_for(kit, session_id)
        assert outcome.end == ExecutionReturned(result=["done a", "done b"])
        assert (outcome.status, outcome.pending) == ("ended", ())


@pytest.mark.behaviour("G14")
async def test_the_id_that_a_channels_people_answer_by_is_in_no_outcome(tmp_path: Path) -> None:
    office = Office()
    async with Kit(build=office.app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("both", {})
        director = await kit.question("director")
        outcome = await waiting_for(kit, session_id)
        assert {wait.role: wait.pause_id is None for wait in outcome.pending} == {"director": True, "owner": False}
        assert director.pause_id not in repr(outcome)


@pytest.mark.behaviour("G33")
async def test_a_caller_waits_for_a_pass_that_another_instance_runs(tmp_path: Path) -> None:
    office = Office(is_held_up=True)
    async with Kit(build=office.app, path=tmp_path / "w.db").running() as kit, kit.beside() as other:
        session_id = await kit.start("both", {})
        question = await kit.question("director")
        await record(kit, question, "a")
        await until(lambda: office.acted == ["a"], kit)
        held = await kit.session(session_id)
        caller = waiting_for(other, session_id)
        await until(lambda: other.runtime.waiting.callers == 1, other)
        assert not caller.done()
        assert other.runtime.supervisor.active_sessions == 0
        office.go.set()
        outcome = await caller
        assert [wait.role for wait in outcome.pending] == ["owner"]
        row = await kit.store.pause(question.pause_id)
        assert row is not None
        assert row.status == "taken"
        assert (await kit.session(session_id)).lease_epoch == held.lease_epoch
    assert office.acted == ["a"]


@pytest.mark.behaviour("G33")
@pytest.mark.behaviour("G41")
async def test_a_caller_takes_over_from_a_holder_whose_lease_has_run_out(tmp_path: Path) -> None:
    office = Office(is_held_up=True)
    async with Kit(build=office.app, path=tmp_path / "w.db").running() as kit, kit.beside() as other:
        session_id = await kit.start("both", {})
        await record(kit, await kit.question("director"), "a")
        await until(lambda: office.acted == ["a"], kit)
        kit.freeze()
        held = await other.session(session_id)
        caller = waiting_for(other, session_id)
        await until(lambda: other.runtime.waiting.callers == 1, other)
        await other.clock.advance(ms=held.lease_until_ms - other.clock.now_ms())
        await until(lambda: office.acted == ["a", "a"], other)
        office.go.set()
        outcome = await caller
        assert ([wait.role for wait in outcome.pending], outcome.status) == (["owner"], "waiting")
        taken_over = await other.timeline(session_id)
        assert taken_over.session.lease_epoch == held.lease_epoch + 1
        kit.thaw()
        await kit.settle(other)
        assert (await other.timeline(session_id)).events == taken_over.events
        assert await other.session(session_id) == taken_over.session
    assert office.acted == ["a", "a"]
    assert len(set(office.keys)) == 1


@pytest.mark.behaviour("G33")
async def test_a_caller_whose_time_is_up_is_told_so_and_the_answer_stays(tmp_path: Path) -> None:
    office = Office(is_held_up=True)
    async with Kit(build=office.app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("both", {})
        await record(kit, await kit.question("director"), "a")
        caller = waiting_for(kit, session_id, timeout_s=5)
        await until(lambda: kit.runtime.waiting.callers == 1, kit)
        await kit.clock.advance(ms=4_999)
        await asyncio.wait({caller}, timeout=0.1)
        assert not caller.done()
        await kit.clock.advance(ms=1)
        with pytest.raises(SessionNotRestedError, match="within 5 s") as raised:
            await caller
        assert raised.value.retryable
        assert kit.runtime.waiting.callers == 0
        with pytest.raises(SessionNotRestedError):
            await waiting_for(kit, session_id, timeout_s=0)
        office.go.set()
        assert [wait.role for wait in (await waiting_for(kit, session_id)).pending] == ["owner"]
    assert office.acted == ["a"]


async def test_a_caller_that_goes_away_leaves_nothing_behind(tmp_path: Path) -> None:
    office = Office(is_held_up=True)
    async with Kit(build=office.app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("both", {})
        await record(kit, await kit.question("director"), "a")
        await until(lambda: office.acted == ["a"], kit)
        waiting = Waiting(store=(store := CountingStore(kit.store)), clock=kit.clock, reviver=kit.runtime, poll_s=2)
        callers = [
            asyncio.create_task(waiting.outcome_of(tenant="default", session_id=session_id), name=f"caller {number}")
            for number in range(20)
        ]
        await until(lambda: store.looks >= 20 and waits_in_memory() > 0, kit)
        assert waiting.callers == store.subscribed == 20
        for caller in callers:
            caller.cancel()
        await asyncio.gather(*callers, return_exceptions=True)
        assert waiting.callers == store.subscribed == 0
        assert waits_in_memory() == 0
        office.go.set()
        await kit.settle()
        assert (await kit.session(session_id)).status == "waiting"


async def test_sleeping_sessions_and_callers_that_have_their_outcome_hold_nothing(tmp_path: Path) -> None:
    async with Kit(build=Office().app, path=tmp_path / "w.db").running() as kit:
        for _ in range(3):
            await kit.start("both", {})
        before = len(asyncio.all_tasks())
        for _ in range(30):
            session_id = await kit.start("both", {})
            assert (await kit.runtime.waiting.outcome_of(tenant="default", session_id=session_id)).status == "waiting"
        assert kit.runtime.waiting.callers == waits_in_memory() == kit.runtime.supervisor.active_sessions == 0
        assert len(asyncio.all_tasks()) <= before + 2


async def test_a_waiting_caller_asks_the_store_a_few_times_however_much_is_written(tmp_path: Path) -> None:
    office = Office(is_held_up=True)
    async with Kit(build=office.app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("both", {})
        await record(kit, await kit.question("director"), "a")
        await until(lambda: office.acted == ["a"], kit)
        waiting = Waiting(store=(store := CountingStore(kit.store)), clock=kit.clock, reviver=kit.runtime, poll_s=2)
        caller = asyncio.create_task(waiting.outcome_of(tenant="default", session_id=session_id))
        loop = asyncio.get_running_loop()
        begun_s = loop.time()
        for _ in range(100):
            await kit.runtime.sessions.start(program="both", owner="o", message={})
        assert store.looks <= 2 + (loop.time() - begun_s) / LOOK_EVERY_S
        office.go.set()
        assert (await caller).status == "waiting"


class CountingStore:
    """The store as waiting callers see it, with a count of what they ask and hold of it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.looks = 0
        self.subscribed = 0

    async def session(self, session_id: str) -> SessionRow | None:
        self.looks += 1
        return await self._store.session(session_id)

    async def pending_pauses(self, *, tenant: str | None, session_id: str | None, limit: int) -> tuple[PauseRow, ...]:
        return await self._store.pending_pauses(tenant=tenant, session_id=session_id, limit=limit)

    async def events_before(
        self, session_id: str, execution_id: str, *, kinds: frozenset[str]
    ) -> tuple[LedgerRow, ...]:
        return await self._store.events_before(session_id, execution_id, kinds=kinds)

    def subscribe(self) -> CountedHints:
        self.subscribed += 1
        return CountedHints(self, self._store.subscribe())


class CountedHints:
    def __init__(self, counting: CountingStore, hints: Hints) -> None:
        self._counting = counting
        self._hints = hints

    async def wait(self) -> None:
        await self._hints.wait()

    def close(self) -> None:
        self._counting.subscribed -= 1
        self._hints.close()


@pytest.mark.behaviour("G6")
async def test_an_unknown_session_and_another_tenants_are_the_same_to_a_caller(tmp_path: Path) -> None:
    async with Kit(build=Office().app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("both", {})
        errors: list[str] = []
        for tenant, asked in (("default", "s-unknown"), ("other", session_id)):
            with pytest.raises(SessionUnknownError) as raised:
                await kit.runtime.waiting.outcome_of(tenant=tenant, session_id=asked)
            errors.append(str(raised.value))
        assert errors[0] == errors[1]
        assert kit.runtime.waiting.callers == 0


async def test_a_caller_is_told_how_it_failed(tmp_path: Path) -> None:
    office = Office(breaks=True)
    async with Kit(build=office.app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("both", {})
        for question in await kit.pending():
            await kit.answer(question, decision="a")
        outcome = await waiting_for(kit, session_id)
        assert outcome.status == "failed"
        assert isinstance(outcome.end, ExecutionFailed)
        assert "printer is on fire" in outcome.end.detail
        assert outcome.pending == ()


async def test_a_caller_is_told_that_it_was_cancelled(tmp_path: Path) -> None:
    office = Office(is_held_up=True)
    async with Kit(build=office.app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("both", {})
        await record(kit, await kit.question("director"), "a")
        caller = waiting_for(kit, session_id)
        await until(lambda: kit.runtime.waiting.callers == 1 and office.acted == ["a"], kit)
        await kit.runtime.sessions.cancel(tenant="default", session_id=session_id, by="ops", reason="wrong month")
        outcome = await caller
        assert (outcome.status, outcome.reason) == ("cancelled", "wrong month")
        assert outcome.end == ExecutionCancelled(by="ops", reason="wrong month")
        assert outcome.pending == ()


async def test_a_caller_of_a_blocked_session_is_told_why_and_its_answer_is_kept(tmp_path: Path) -> None:
    office = Office()
    async with Kit(build=office.app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("both", {})
        question = await kit.question("director")
        office.version = "2"
        await kit.restart()
        await record(kit, question, "a")
        outcome = await waiting_for(kit, session_id)
        assert (outcome.status, outcome.end) == ("blocked", None)
        assert outcome.reason is not None
        assert outcome.reason.startswith("session.definition-changed")
        row = await kit.store.pause(question.pause_id)
        assert row is not None
        assert row.status == "resolved"
    assert office.acted == []
