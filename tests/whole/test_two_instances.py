"""Several instances on one database: answers that come to all of them at once, holders that freeze, holders that die."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest

from overwinter.actors.answers import ChannelCredential, Decision
from overwinter.actors.clock import ManualClock
from overwinter.actors.errors import PauseNotPendingError
from overwinter.actors.ids import RandomIds
from overwinter.actors.run import Run
from overwinter.actors.supervisor_settings import SupervisorSettings
from overwinter.actors.waiting import ExecutionReturned, PassOutcome
from overwinter.bots.app import App
from overwinter.bots.runtime import Runtime
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.testing.kit import Kit
from overwinter.bots.workflows import workflow
from overwinter.channels.roles import Answerer, QuestionRole
from overwinter.store.changes import Claim
from overwinter.store.rows import PauseRow
from overwinter.store.store import Store

DIRECTOR = QuestionRole(name="director", answer=str, answered_by=Answerer.CHANNEL)


@dataclass
class World:
    """What the instances do to the outside: each body that ran, with its idempotency key, in order. ``held`` holds it up."""

    channel: RecordingChannel = field(default_factory=RecordingChannel)
    ran: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    held: asyncio.Event | None = None

    def app(self) -> App:
        async def act(key: str, what: str) -> str:
            self.ran.append((what, key))
            if self.held is not None:
                await self.held.wait()
            return what

        async def file_away(what: str) -> str:
            return what

        async def one(run: Run, item: int) -> str:
            answer = await run.ask(DIRECTOR, f"Item {item}?")

            async def call(key: str) -> str:
                return await act(key, f"{item}:{answer}")

            return await run.step(file_away, await run.perform("act", call, wants_key=True))

        @workflow(version="1")
        async def review(run: Run, count: int) -> list[str]:
            return await run.map(one, range(count))

        @workflow(version="1")
        async def fresh(run: Run, name: str) -> str:
            async def call(key: str) -> str:
                return await act(key, name)

            return await run.perform("act", call, wants_key=True)

        return App(name="w", workflows=[review, fresh], channels={DIRECTOR: self.channel})

    def runs_of(self) -> Counter[str]:
        return Counter(what for what, _ in self.ran)


@asynccontextmanager
async def instances(
    world: World, path: Path, count: int, *, supervising: SupervisorSettings | None = None
) -> AsyncGenerator[list[Kit]]:
    async with AsyncExitStack() as stack:
        first = Kit(build=world.app, path=path, supervising=supervising)
        await stack.enter_async_context(first.running())
        yield [first, *[await stack.enter_async_context(first.beside()) for _ in range(count - 1)]]


async def give(kit: Kit, pause: PauseRow, answer: str, *, hops: int = 0) -> PassOutcome | PauseNotPendingError:
    """Answer on one instance, after a few hops of other work, and wait there for what it leads to."""
    for _ in range(hops):
        await kit.store.due()
    try:
        answered = await kit.runtime.answering.answer(
            tenant="default",
            pause_id=pause.pause_id,
            answer=Decision(value=answer),
            credential=ChannelCredential(answered_by="mara"),
        )
    except PauseNotPendingError as error:
        return error
    outcome = await kit.runtime.waiting.outcome_of(tenant="default", session_id=answered.session_id)
    row = await kit.store.pause(pause.pause_id)
    assert row is not None
    assert row.status == "taken", "a caller that has an outcome has one with its answer in it"
    return outcome


def item_of(pause: PauseRow) -> int:
    return int(pause.key.partition("[")[2].partition("]")[0])


async def until(condition: Callable[[], bool], kit: Kit) -> None:
    async with asyncio.timeout(20):
        while not condition():
            await kit.store.due()


# -- answers at once ---------------------------------------------------------------------------------------------------
@pytest.mark.behaviour("G32")
@pytest.mark.behaviour("G33")
@pytest.mark.behaviour("G40")
@pytest.mark.parametrize("seed", range(12))
async def test_answers_that_come_to_two_instances_at_once_are_all_taken(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    world = World()
    async with instances(world, tmp_path / "w.db", random.choice([2, 2, 3])) as kits:
        count = random.randint(2, 9)
        session_id = await kits[0].start("review", {"count": count})
        pauses = list(await kits[0].pending(session_id))
        random.shuffle(pauses)
        spread = random.choice([0, 3, 30])
        outcomes = await asyncio.gather(
            *(
                give(random.choice(kits), pause, f"yes {item_of(pause)}", hops=random.randint(0, spread))
                for pause in pauses
            )
        )
        await kits[0].settle(*kits[1:])
        expected = [f"{item}:yes {item}" for item in range(count)]
        assert await kits[0].outcome(session_id) == {"result": expected}
        ended = [outcome for outcome in outcomes if isinstance(outcome, PassOutcome) and outcome.end is not None]
        assert ended, "whoever gave the last answer is told of the end"
        assert all(outcome.end == ExecutionReturned(result=expected) for outcome in ended)
        timeline = await kits[0].timeline(session_id)
        assert {pause.status for pause in timeline.pauses} == {"taken"}
        taken = Counter(event.key for event in timeline.events if event.kind == "pause_taken")
        assert taken == {pause.key: 1 for pause in pauses}
        assert len(timeline.audit) == count
    assert world.runs_of() == dict.fromkeys(expected, 1)
    assert len(world.channel.asks) == len(world.channel.withdrawals) == count


@pytest.mark.behaviour("G32")
@pytest.mark.parametrize("seed", range(6))
async def test_of_two_instances_that_answer_the_same_questions_one_wins_each(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    world = World()
    async with instances(world, tmp_path / "w.db", 2) as kits:
        session_id = await kits[0].start("review", {"count": 5})
        pauses = await kits[0].pending(session_id)
        given = [
            (item_of(pause), name, give(kit, pause, name, hops=random.randint(0, 4)))
            for pause in pauses
            for name, kit in zip(("first", "second"), kits, strict=True)
        ]
        random.shuffle(given)
        results = await asyncio.gather(*(coroutine for _, _, coroutine in given))
        await kits[0].settle(kits[1])
        won = {
            item: name
            for (item, name, _), result in zip(given, results, strict=True)
            if isinstance(result, PassOutcome)
        }
        assert sorted(won) == [0, 1, 2, 3, 4]
        refused = [str(result) for result in results if isinstance(result, PauseNotPendingError)]
        assert refused == ["this question has been answered by mara already"] * 5
        expected = [f"{item}:{won[item]}" for item in range(5)]
        assert await kits[1].outcome(session_id) == {"result": expected}
    assert world.runs_of() == dict.fromkeys(expected, 1)


@pytest.mark.behaviour("G32")
@pytest.mark.behaviour("P13")
async def test_an_answer_that_another_instance_records_during_a_step_is_taken_before_the_session_rests(
    tmp_path: Path,
) -> None:
    world = World(held=asyncio.Event())
    async with instances(world, tmp_path / "w.db", 2) as (first, second):
        session_id = await first.start("review", {"count": 2})
        one, other = sorted(await first.pending(session_id), key=item_of)
        giving = [asyncio.create_task(give(first, one, "a"))]
        await until(lambda: len(world.ran) == 1, first)
        held = await first.session(session_id)
        giving.append(asyncio.create_task(give(second, other, "b")))
        await until(lambda: second.runtime.waiting.callers == 1, second)
        assert world.held is not None
        world.held.set()
        await asyncio.gather(*giving)
        ended = await first.session(session_id)
        assert (ended.status, ended.lease_epoch) == ("ended", held.lease_epoch)
    assert world.runs_of() == {"0:a": 1, "1:b": 1}


@pytest.mark.behaviour("G41")
async def test_each_lease_is_granted_to_one_instance_alone(tmp_path: Path) -> None:
    world = World()
    kit = Kit(build=world.app, path=tmp_path / "w.db")
    async with kit.running():
        kit.runtime.supervisor.stop()
        names = {
            await kit.runtime.sessions.start(program="fresh", owner="o", message={"name": str(number)})
            for number in range(40)
        }
        now_ms = kit.clock.now_ms()
        stores = [await Store.open(tmp_path / "w.db") for _ in range(3)]
        try:
            claims = [
                stores[number % 3].claim(Claim(holder=f"w{number}", limit=7, now_ms=now_ms, until_ms=now_ms + 30_000))
                for number in range(9)
            ]
            claimed = [row for result in await asyncio.gather(*claims) for row in result.sessions]
        finally:
            for store in stores:
                await store.aclose()
    assert sorted(row.session_id for row in claimed) == sorted(names)
    assert {row.lease_epoch for row in claimed} == {1}


# -- holders that freeze -----------------------------------------------------------------------------------------------
@pytest.mark.case("du22")
@pytest.mark.behaviour("G41")
@pytest.mark.behaviour("P46")
@pytest.mark.parametrize("seed", range(10))
async def test_an_instance_that_froze_anywhere_changes_nothing_when_it_thaws(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    world = World()
    async with instances(world, tmp_path / "w.db", 2) as (frozen, living):
        session_id = await frozen.start("review", {"count": 4})
        pauses = list(await frozen.pending(session_id))
        random.shuffle(pauses)
        answers = [
            asyncio.create_task(give(frozen, pause, "yes", hops=random.randint(0, 6)), name="on the frozen one")
            for pause in pauses[:2]
        ]
        for _ in range(random.randint(0, 12)):
            await living.store.due()
        frozen.freeze()
        await living.clock.advance(ms=31_000)
        for pause in pauses[2:]:
            await give(living, pause, "yes")
        await living.settle()
        frozen.thaw()
        await asyncio.gather(*answers)
        await frozen.settle(living)
        assert await living.outcome(session_id) == {"result": [f"{item}:yes" for item in range(4)]}
        timeline = await living.timeline(session_id)
        assert [event.seq for event in timeline.events] == list(range(len(timeline.events)))
        returned = Counter(event.key for event in timeline.events if event.kind == "step_returned")
        assert returned == {f"/map#0[{item}]/{step}#0": 1 for item in range(4) for step in ("act", "file_away")}
        assert {pause.status for pause in timeline.pauses} == {"taken"}
        assert len(timeline.audit) == 4
    assert all(count <= 2 for count in world.runs_of().values()), "again only where the frozen one was inside of it"
    assert len(set(world.ran)) == 4, "and then under the same key"


@pytest.mark.behaviour("G41")
async def test_an_instance_that_slept_past_its_lease_goes_on_with_what_nobody_took(tmp_path: Path) -> None:
    world = World(held=asyncio.Event())
    kit = Kit(build=world.app, path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.runtime.sessions.start(program="fresh", owner="o", message={"name": "once"})
        await until(lambda: len(world.ran) == 1, kit)
        held = await kit.session(session_id)
        kit.freeze()
        await kit.clock.advance(ms=10_000)  # a renewal is on its way, and will be too late
        await kit.clock.advance(ms=3_600_000)
        for _ in range(5):
            await kit.store.due()
        kit.thaw()
        for _ in range(20):
            await kit.store.due()
        assert world.held is not None
        world.held.set()
        await kit.settle()
        ended = await kit.session(session_id)
        assert (ended.status, ended.lease_epoch) == ("ended", held.lease_epoch)
    assert world.runs_of() == {"once": 1}


@pytest.mark.behaviour("W24")
async def test_a_step_that_takes_many_leases_keeps_its_own(tmp_path: Path) -> None:
    world = World(held=asyncio.Event())
    async with instances(world, tmp_path / "w.db", 2) as kits:
        one, other = kits
        session_id = await one.runtime.sessions.start(program="fresh", owner="olga", message={"name": "long"})
        await until(lambda: world.ran != [], one)
        begun = await one.session(session_id)
        for _ in range(80):
            await one.clock.advance(ms=2_500)
            renewed_to_ms = one.clock.now_ms() + 10_000
            async with asyncio.timeout(20):
                while (await other.session(session_id)).lease_until_ms < renewed_to_ms:
                    pass
        still = await other.session(session_id)
        assert (still.status, still.lease_holder, still.lease_epoch) == (
            "running",
            begun.lease_holder,
            begun.lease_epoch,
        )
        assert world.held is not None
        world.held.set()
        await one.settle(other)
        assert world.runs_of() == {"long": 1}
        assert await other.outcome(session_id) == {"result": "long"}


@pytest.mark.behaviour("G44")
@pytest.mark.behaviour("P2")
async def test_finished_work_is_taken_over_by_nobody(tmp_path: Path) -> None:
    world = World()
    async with instances(world, tmp_path / "w.db", 2) as (first, second):
        session_id = await first.start("fresh", {"name": "once"})
        ended = await first.session(session_id)
        await first.clock.advance(ms=3_600_000)
        await first.settle(second)
        await first.restart()
        await first.settle(second)
        assert await second.session(session_id) == ended
    assert world.runs_of() == {"once": 1}


# -- holders that die --------------------------------------------------------------------------------------------------
@pytest.mark.behaviour("G34")
@pytest.mark.behaviour("P44")
async def test_when_a_holder_has_died_what_was_answered_is_recovered_first(tmp_path: Path) -> None:
    world = World()
    kit = Kit(build=world.app, path=tmp_path / "w.db", supervising=SupervisorSettings(concurrency=1))
    async with kit.running():
        session_id = await kit.start("review", {"count": 2})
        pauses = await kit.pending(session_id)
        kit.runtime.supervisor.stop()
        await kit.settle()
        for number in range(5):
            await kit.runtime.sessions.start(program="fresh", owner="o", message={"name": f"fresh {number}"})
        await kit.clock.advance(ms=1000)
        for pause in pauses:
            await kit.runtime.answering.answer(
                tenant="default",
                pause_id=pause.pause_id,
                answer=Decision(value="yes"),
                credential=ChannelCredential(answered_by="mara"),
            )
        now_ms = kit.clock.now_ms()
        claim = Claim(holder="dies", limit=10, now_ms=now_ms, until_ms=now_ms + 30_000)
        assert len((await kit.store.claim(claim)).sessions) == 6
        await kit.clock.advance(ms=30_000)
        await kit.restart()
        await kit.settle()
        assert await kit.outcome(session_id) == {"result": ["0:yes", "1:yes"]}
    assert sorted(what for what, _ in world.ran[:2]) == ["0:yes", "1:yes"]
    assert world.runs_of() == dict.fromkeys(["0:yes", "1:yes", *(f"fresh {number}" for number in range(5))], 1)


@pytest.mark.behaviour("G45")
@pytest.mark.behaviour("P4")
async def test_any_instance_goes_on_with_what_another_began(tmp_path: Path) -> None:
    world = World()
    async with instances(world, tmp_path / "w.db", 2) as (first, second):
        session_id = await first.start("review", {"count": 3})
        pauses = sorted(await first.pending(session_id), key=item_of)
        await give(first, pauses[0], "a")
        await first.close()
        await give(second, pauses[1], "b")
        await first.open()
        await second.close()
        outcome = await give(first, pauses[2], "c")
        assert isinstance(outcome, PassOutcome)
        assert outcome.end == ExecutionReturned(result=["0:a", "1:b", "2:c"])
        await second.open()
    assert world.runs_of() == {"0:a": 1, "1:b": 1, "2:c": 1}


@pytest.mark.behaviour("W25")
async def test_an_answer_that_nobody_tells_of_is_found_when_it_is_looked_for(tmp_path: Path) -> None:
    world, clock, path = World(), ManualClock(), tmp_path / "w.db"
    deaf = await Store.open(path, poll_s=3_600)  # it hears of nothing that another process commits
    runtime = Runtime(app=world.app(), store=deaf, clock=clock, ids=RandomIds())
    work = asyncio.create_task(runtime.supervisor.run())

    async def rests() -> None:
        async with asyncio.timeout(20):
            while runtime.supervisor.is_busy:
                await deaf.due()

    try:
        session_id = await runtime.sessions.start(program="review", owner="o", message={"count": 1})
        await rests()
        (pause,) = await deaf.pending_pauses(tenant=None, session_id=session_id, limit=9)
        other = await Store.open(path)
        answering = Runtime(app=world.app(), store=other, clock=clock, ids=RandomIds()).answering
        await answering.answer(
            tenant="default",
            pause_id=pause.pause_id,
            answer=Decision(value="yes"),
            credential=ChannelCredential(answered_by="mara"),
        )
        await other.aclose()
        await rests()
        assert world.ran == []
        await clock.advance(ms=int(SupervisorSettings().poll_s * 1000))
        async with asyncio.timeout(20):
            while not world.ran or runtime.supervisor.is_busy:
                await deaf.due()
        assert world.runs_of() == {"0:yes": 1}
    finally:
        runtime.supervisor.stop()
        await work
        await deaf.aclose()
