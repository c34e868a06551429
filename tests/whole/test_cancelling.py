"""Cancels: of sessions that wait, queue or run, here and in another instance; of one question; and whatever they race with."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest

from overwinter.actors.answers import Answered, ChannelCredential, Decision
from overwinter.actors.asks import Ask, AwaitReply, Decided, Outcome, Progress, Withdrawal
from overwinter.actors.errors import (
    ChannelRejectedError,
    LeaseLostError,
    PauseCancelledError,
    PauseInvalidAnswerError,
    PauseNotPendingError,
    PauseTimedOutError,
    PauseUnknownError,
    SessionEndedError,
    SessionUnknownError,
)
from overwinter.actors.run import Run
from overwinter.actors.session import SessionPass
from overwinter.actors.supervisor import PEEK_EVERY_S
from overwinter.actors.supervisor_settings import SupervisorSettings
from overwinter.actors.surroundings import Lease
from overwinter.bots.app import App
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.testing.kit import Kit
from overwinter.bots.workflows import workflow
from overwinter.channels.roles import Answerer, QuestionRole
from overwinter.store.changes import Advance, Claim
from overwinter.store.rows import PauseRow
from overwinter.store.snapshots import Timeline

DIRECTOR = QuestionRole(name="director", answer=str, answered_by=Answerer.CHANNEL)
OWNER = QuestionRole(name="owner", answer=str, answered_by=Answerer.OWNER)
MARA = ChannelCredential(answered_by="mara")


class SlowChannel:
    """A channel whose ``send`` is under way until it is let go; then it gives the next of ``outcomes``."""

    name = "test"

    def __init__(self, *outcomes: Outcome | Exception) -> None:
        self.go = asyncio.Event()
        self.asks: list[Ask] = []
        self.withdrawals: list[Withdrawal] = []
        self._outcomes = deque(outcomes)

    async def send(self, ask: Ask) -> Outcome:
        self.asks.append(ask)
        await self.go.wait()
        outcome = self._outcomes.popleft()
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def update(self, progress: Progress) -> None:
        """Nothing is kept of it."""

    async def withdraw(self, withdrawal: Withdrawal) -> None:
        self.withdrawals.append(withdrawal)


@dataclass
class World:
    """A few workflows, and what their steps have seen."""

    channel: RecordingChannel | SlowChannel = field(default_factory=RecordingChannel)
    desk: RecordingChannel = field(default_factory=lambda: RecordingChannel(name="desk"))
    began: list[str] = field(default_factory=list[str])
    cancelled: list[str] = field(default_factory=list[str])
    ended: list[str] = field(default_factory=list[str])
    is_stubborn: bool = False
    go: asyncio.Event = field(default_factory=asyncio.Event)

    async def work(self, name: str) -> str:
        """Never comes to an end by itself."""
        self.began.append(name)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled.append(name)
            if not self.is_stubborn:
                raise
        self.ended.append(name)
        return name

    async def last(self, name: str) -> str:
        """Lasts until it is let go."""
        self.began.append(name)
        await self.go.wait()
        self.ended.append(name)
        return name

    async def quick(self, name: str) -> str:
        self.began.append(name)
        self.ended.append(name)
        return name

    def app(self) -> App:
        async def ask_director(run: Run, item: int) -> str:
            answer = await run.ask(DIRECTOR, f"Item {item}?", deadline=timedelta(hours=1))
            return await run.step(self.quick, f"{item}:{answer}")

        async def ask_owner(run: Run) -> str:
            return await run.ask(OWNER, "Fine?")

        async def nap(run: Run) -> str:
            await run.sleep(timedelta(days=1))
            return "slept"

        @workflow(version="1")
        async def waits(run: Run) -> list[str]:
            async def directors(run: Run) -> str:
                return ",".join(await run.map(ask_director, range(3)))

            return await run.gather(directors, ask_owner, nap)

        @workflow(version="1")
        async def asks(run: Run) -> str:
            return await ask_director(run, 0)

        @workflow(version="1")
        async def works(run: Run) -> str:
            done = await run.step(self.work, "work")
            return await run.step(self.quick, f"after {done}")

        @workflow(version="1")
        async def lasts(run: Run) -> str:
            return await run.step(self.last, "last")

        @workflow(version="1")
        async def works_twice(run: Run) -> list[str]:
            async def one(run: Run, name: str) -> str:
                return await run.step(self.work, name)

            return await run.map(one, ["left", "right"])

        @workflow(version="1")
        async def goes_on(run: Run) -> list[str]:
            async def careful(run: Run, item: int) -> str:
                try:
                    return await ask_director(run, item)
                except (PauseCancelledError, PauseTimedOutError) as error:
                    return await run.step(self.quick, error.code)

            return await run.map(careful, range(2))

        return App(
            name="w",
            workflows=[waits, asks, works, lasts, works_twice, goes_on],
            channels={DIRECTOR: self.channel, OWNER: self.desk},
        )


async def cancel(kit: Kit, session_id: str, *, reason: str = "wrong month") -> None:
    await kit.runtime.sessions.cancel(tenant="default", session_id=session_id, by="ops", reason=reason)


async def give(kit: Kit, pause: PauseRow, answer: str) -> Answered:
    return await kit.runtime.answering.answer(
        tenant="default", pause_id=pause.pause_id, answer=Decision(value=answer), credential=MARA
    )


async def begin(kit: Kit, bot: str) -> str:
    """Start a session without waiting for it to rest."""
    return await kit.runtime.sessions.start(program=bot, owner="olga", message={})


async def until(condition: Callable[[], bool], kit: Kit) -> None:
    async with asyncio.timeout(20):
        while not condition():
            await kit.store.due()


async def hops(kit: Kit, count: int) -> None:
    for _ in range(count):
        await kit.store.due()


def nothing_after_its_cancel(timeline: Timeline) -> bool:
    return [event.kind for event in timeline.events].index("session_cancelled") == len(timeline.events) - 1


# -- sessions that wait or queue ---------------------------------------------------------------------------------------
@pytest.mark.behaviour("G10")
@pytest.mark.behaviour("W16")
async def test_a_cancelled_session_takes_all_its_questions_back_at_once(tmp_path: Path) -> None:
    world = World()
    async with Kit(build=world.app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("waits", {})
        open_before = await kit.pending(session_id)
        assert Counter(pause.kind for pause in open_before) == {"ask": 4, "timer": 1}
        await cancel(kit, session_id)
        assert await kit.pending() == ()
        await kit.settle()
        timeline = await kit.timeline(session_id)
        assert {(pause.status, pause.resolution) for pause in timeline.pauses} == {("cancelled", "cancelled")}
        assert {(entry.resolution, entry.responder) for entry in timeline.audit} == {("cancelled", "ops")}
        assert len(timeline.audit) == 5
        assert [row.status for row in timeline.executions] == ["cancelled"]
        assert (timeline.session.status, timeline.session.reason) == ("cancelled", "wrong month")
    assert isinstance(world.channel, RecordingChannel)
    for channel, count in ((world.channel, 3), (world.desk, 1)):
        assert [withdrawal.why for withdrawal in channel.withdrawals] == ["cancelled"] * count
        assert {one.ask.pause_id for one in channel.withdrawals} == {ask.pause_id for ask in channel.asks}
    assert world.began == []


@pytest.mark.behaviour("W15")
async def test_what_comes_after_the_cancel_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    world = World()
    async with Kit(build=world.app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("waits", {})
        question = await kit.question("director")
        held = await kit.session(session_id)
        await cancel(kit, session_id)
        await kit.settle()
        ended = await kit.timeline(session_id)
        with pytest.raises(PauseNotPendingError, match="cancelled by ops"):
            await give(kit, question, "yes")
        with pytest.raises(PauseNotPendingError, match="cancelled by ops"):
            await kit.runtime.answering.cancel(tenant="default", pause_id=question.pause_id, by="eve", reason="mine")
        with pytest.raises(SessionEndedError):
            await kit.runtime.sessions.say(tenant="default", session_id=session_id, text="hello?")
        with pytest.raises(SessionEndedError):
            await cancel(kit, session_id, reason="again")
        with pytest.raises(SessionUnknownError):
            await kit.runtime.sessions.cancel(tenant="other", session_id=session_id, by="eve", reason="mine")
        for epoch in (held.lease_epoch, ended.session.lease_epoch):
            late = Advance(session_id=session_id, holder="w1", epoch=epoch, now_ms=kit.clock.now_ms())
            assert (await kit.store.advance(late)).outcome == "lease_lost"
        await kit.restart()
        await kit.advance(timedelta(days=2))
        assert (await kit.timeline(session_id)).events == ended.events
        assert await kit.session(session_id) == ended.session
    assert world.began == []


@pytest.mark.behaviour("W16")
async def test_a_session_cancelled_in_the_queue_never_runs(tmp_path: Path) -> None:
    world = World()
    kit = Kit(build=world.app, path=tmp_path / "w.db")
    async with kit.running():
        kit.runtime.supervisor.stop()
        await kit.settle()
        session_id = await begin(kit, "works")
        assert (await kit.session(session_id)).status == "ready"
        await cancel(kit, session_id)
        await kit.restart()
        await kit.advance(timedelta(hours=1))
        assert (await kit.session(session_id)).status == "cancelled"
    assert world.began == []


@pytest.mark.behaviour("P48")
async def test_whoever_has_just_claimed_a_cancelled_session_begins_nothing(tmp_path: Path) -> None:
    world = World()
    async with Kit(build=world.app, path=tmp_path / "w.db").running() as kit:
        kit.runtime.supervisor.stop()
        await kit.settle()
        session_id = await begin(kit, "works")
        now_ms = kit.clock.now_ms()
        claim = Claim(holder="w1", limit=1, now_ms=now_ms, until_ms=now_ms + 30_000)
        [claimed] = (await kit.store.claim(claim)).sessions
        await cancel(kit, session_id)
        assert (await kit.session(session_id)).is_cancel_requested
        lease = Lease(holder="w1", epoch=claimed.lease_epoch, until_ms=claim.until_ms)
        work = SessionPass(session=claimed, lease=lease, around=kit.runtime.supervisor.surroundings)
        with pytest.raises(LeaseLostError):
            await work.run()
    assert world.began == []


# -- sessions that run -------------------------------------------------------------------------------------------------
@pytest.mark.behaviour("P48")
@pytest.mark.behaviour("W16")
@pytest.mark.parametrize("is_stubborn", [False, True])
@pytest.mark.parametrize(("bot", "steps"), [("works", ["work"]), ("works_twice", ["left", "right"])])
async def test_a_running_step_is_cancelled_at_once_and_its_result_discarded(
    tmp_path: Path, bot: str, steps: list[str], is_stubborn: bool
) -> None:
    world = World(is_stubborn=is_stubborn)
    async with Kit(build=world.app, path=tmp_path / "w.db").running() as kit:
        session_id = await begin(kit, bot)
        await until(lambda: world.began == steps, kit)
        await cancel(kit, session_id)
        await until(lambda: kit.runtime.supervisor.active_sessions == 0, kit)
        assert world.cancelled == steps
        timeline = await kit.timeline(session_id)
        assert nothing_after_its_cancel(timeline)
        assert "step_returned" not in {event.kind for event in timeline.events}
        await kit.restart()
        await kit.advance(timedelta(hours=1))
        assert (await kit.timeline(session_id)).events == timeline.events
    assert world.began == steps


@pytest.mark.behaviour("P45")
@pytest.mark.behaviour("P48")
@pytest.mark.behaviour("W16")
async def test_a_step_that_another_instance_runs_is_cancelled_at_its_next_heartbeat(tmp_path: Path) -> None:
    world = World()
    async with Kit(build=world.app, path=tmp_path / "w.db").running() as kit, kit.beside() as other:
        session_id = await begin(kit, "works")
        await until(lambda: world.began == ["work"], kit)
        assert other.runtime.supervisor.active_sessions == 0
        await cancel(other, session_id)
        outcome = await other.runtime.waiting.outcome_of(tenant="default", session_id=session_id)
        assert outcome.status == "cancelled"
        await kit.clock.advance(ms=10_000)
        await until(lambda: kit.runtime.supervisor.active_sessions == 0, kit)
        assert world.cancelled == ["work"]
        assert nothing_after_its_cancel(await kit.timeline(session_id))
    assert world.ended == []


@pytest.mark.behaviour("P48")
async def test_a_step_that_another_instance_runs_is_cancelled_within_a_moment_however_lately_it_was_looked(
    tmp_path: Path,
) -> None:
    world = World()
    async with Kit(build=world.app, path=tmp_path / "w.db").running() as kit, kit.beside() as other:
        session_id = await begin(kit, "works")
        await until(lambda: world.began == ["work"], kit)
        heard = kit.store.subscribe()
        await heard.wait()
        await cancel(other, session_id)
        await heard.wait()
        heard.close()
        await hops(kit, 50)
        assert world.cancelled == [], "it has just been looked"
        await kit.clock.advance(ms=int(PEEK_EVERY_S * 1000))
        await until(lambda: world.cancelled == ["work"], kit)
    assert world.ended == []


@pytest.mark.behaviour("P45")
async def test_a_pass_whose_lease_is_lost_is_cancelled_when_its_holder_learns_of_it(tmp_path: Path) -> None:
    world = World()
    async with Kit(build=world.app, path=tmp_path / "w.db").running() as kit:
        session_id = await begin(kit, "works")
        await until(lambda: world.began == ["work"], kit)
        kit.freeze()
        held = await kit.session(session_id)
        async with kit.beside() as other:
            await kit.clock.advance(ms=held.lease_until_ms - kit.clock.now_ms())
            await until(lambda: world.began == ["work", "work"], other)
            kit.thaw()
            await until(lambda: kit.runtime.supervisor.active_sessions == 0, kit)
            assert world.cancelled == ["work"]
            assert other.runtime.supervisor.active_sessions == 1
            await cancel(kit, session_id)
    assert world.ended == []


@pytest.mark.behaviour("P45")
def test_a_lease_that_one_late_heartbeat_would_lose_is_refused() -> None:
    with pytest.raises(ValueError, match="at least twice heartbeat_s"):
        SupervisorSettings(lease_s=10, heartbeat_s=6)


# -- races -------------------------------------------------------------------------------------------------------------
@pytest.mark.behaviour("W15")
@pytest.mark.behaviour("W16")
@pytest.mark.parametrize("seed", range(12))
async def test_of_an_answer_and_a_cancel_the_cancel_stands_and_nothing_comes_after_it(
    tmp_path: Path, seed: int
) -> None:
    random = Random(seed)
    world = World()
    async with Kit(build=world.app, path=tmp_path / "w.db").running() as kit, kit.beside() as other:
        for _ in range(4):
            session_id = await kit.start("waits", {})
            questions = [pause for pause in await kit.pending(session_id) if pause.role == "director"]
            began_before = len(world.began)

            async def answer_late(pause: PauseRow, at: Kit, late: int) -> Answered | PauseNotPendingError:
                await hops(at, late)
                try:
                    return await give(at, pause, "yes")
                except PauseNotPendingError as error:
                    return error

            async def cancel_late(session_id: str, at: Kit, late: int) -> None:
                await hops(at, late)
                await cancel(at, session_id)

            late = random.choice([0, 2, 8])
            answering = [
                answer_late(pause, random.choice([kit, other]), random.randint(0, late)) for pause in questions
            ]
            cancelling = cancel_late(session_id, random.choice([kit, other]), random.randint(0, late))
            *answers, _ = await asyncio.gather(*answering, cancelling)
            await kit.clock.advance(ms=10_000)
            await kit.settle(other)
            timeline = await kit.timeline(session_id)
            assert timeline.session.status == "cancelled"
            assert nothing_after_its_cancel(timeline)
            assert {pause.status for pause in timeline.pauses} <= {"cancelled", "taken"}
            recorded = sum(isinstance(answer, Answered) for answer in answers)
            assert sum(pause.resolution == "decided" for pause in timeline.pauses) == recorded
            assert len(world.began) - began_before <= recorded
            told = [one for one in timeline.audit if one.resolution == "decided"]
            assert len(told) == recorded
    assert isinstance(world.channel, RecordingChannel)
    for channel in (world.channel, world.desk):
        assert Counter(one.ask.pause_id for one in channel.withdrawals) == {ask.pause_id: 1 for ask in channel.asks}


@pytest.mark.behaviour("W15")
@pytest.mark.behaviour("W16")
@pytest.mark.parametrize("seed", range(10))
async def test_of_a_step_that_ends_and_a_cancel_one_is_recorded(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    world = World()
    async with Kit(build=world.app, path=tmp_path / "w.db").running() as kit, kit.beside() as other:
        session_id = await begin(kit, "lasts")
        await until(lambda: world.began == ["last"], kit)

        async def let_go() -> None:
            await hops(kit, random.randint(0, 3))
            world.go.set()

        async def cancel_late(at: Kit) -> bool:
            await hops(at, random.randint(0, 3))
            try:
                await cancel(at, session_id)
            except SessionEndedError:
                return False
            return True

        is_cancelled, _ = await asyncio.gather(cancel_late(random.choice([kit, other])), let_go())
        await kit.clock.advance(ms=10_000)
        await kit.settle(other)
        timeline = await kit.timeline(session_id)
        kinds = [event.kind for event in timeline.events]
        if is_cancelled:
            assert timeline.session.status == "cancelled"
            assert nothing_after_its_cancel(timeline)
            assert "execution_ended" not in kinds
        else:
            assert (timeline.session.status, await kit.outcome(session_id)) == ("ended", {"result": "last"})
            assert "session_cancelled" not in kinds
    assert world.began == ["last"]


@pytest.mark.behaviour("W15")
@pytest.mark.parametrize("seed", range(8))
async def test_of_a_deadline_and_a_cancel_one_closes_the_question(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    world = World()
    async with Kit(build=world.app, path=tmp_path / "w.db").running() as kit, kit.beside() as other:
        session_id = await kit.start("goes_on", {})
        first, second = await kit.pending(session_id)
        await kit.clock.advance(ms=3_600_000)
        await hops(kit, random.randint(0, 6))
        at = random.choice([kit, other])
        cancels = [
            at.runtime.answering.cancel(tenant="default", pause_id=pause.pause_id, by="ops", reason="late")
            for pause in (first, second)
        ]
        results = await asyncio.gather(*cancels, return_exceptions=True)
        await kit.settle(other)
        expected: list[str] = []
        for result in results:
            if result is not None:
                assert isinstance(result, PauseNotPendingError)
                assert "timed out" in str(result)
            expected.append("pause.cancelled" if result is None else "pause.timed-out")
        by_key = {pause.key: code for pause, code in zip((first, second), expected, strict=True)}
        assert await kit.outcome(session_id) == {"result": [by_key[f"/map#0[{item}]/ask#0"] for item in range(2)]}
        assert len((await kit.timeline(session_id)).audit) == 2
    assert isinstance(world.channel, RecordingChannel)
    assert Counter(one.ask.pause_id for one in world.channel.withdrawals) == {first.pause_id: 1, second.pause_id: 1}


@pytest.mark.behaviour("G38")
@pytest.mark.behaviour("W16")
@pytest.mark.parametrize(
    ("outcome", "withdrawn"),
    [
        (AwaitReply(ref="r"), ["cancelled"]),
        (Decided(decision="yes", answered_by="mara"), []),
        (ChannelRejectedError("channel_not_found"), []),
    ],
)
async def test_a_question_whose_session_is_cancelled_while_it_is_sent_is_taken_back_if_people_saw_it(
    tmp_path: Path, outcome: Outcome | Exception, withdrawn: list[str]
) -> None:
    channel = SlowChannel(outcome)
    world = World(channel=channel)
    async with Kit(build=world.app, path=tmp_path / "w.db").running() as kit:
        session_id = await begin(kit, "asks")
        await until(lambda: len(channel.asks) == 1, kit)
        await cancel(kit, session_id)
        await hops(kit, 5)
        assert channel.withdrawals == []
        channel.go.set()
        await kit.settle()
        assert [one.why for one in channel.withdrawals] == withdrawn
        timeline = await kit.timeline(session_id)
        assert [pause.resolution for pause in timeline.pauses] == ["cancelled"]
        assert nothing_after_its_cancel(timeline)
        await kit.advance(timedelta(hours=2))
        assert [one.why for one in channel.withdrawals] == withdrawn
    assert world.began == []


# -- one question ------------------------------------------------------------------------------------------------------
@pytest.mark.behaviour("P39")
@pytest.mark.behaviour("P19")
async def test_a_cancelled_question_is_read_by_its_step_and_the_session_goes_on(tmp_path: Path) -> None:
    world = World()
    async with Kit(build=world.app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("goes_on", {})
        first, second = await kit.pending(session_id)
        with pytest.raises(PauseUnknownError):
            await kit.runtime.answering.cancel(tenant="other", pause_id=first.pause_id, by="eve", reason="mine")
        await kit.runtime.answering.cancel(tenant="default", pause_id=first.pause_id, by="ops", reason="obsolete")
        await kit.settle()
        assert world.began == ["pause.cancelled"]
        assert await kit.pending(session_id) == (second,)
        assert (await kit.session(session_id)).status == "waiting"
        with pytest.raises(PauseNotPendingError, match="cancelled by ops"):
            await give(kit, first, "yes")
        await kit.answer(second, decision="yes")
        results = await kit.outcome(session_id)
        assert sorted(results["result"]) == sorted(["pause.cancelled", f"{_item_of(second)}:yes"])
    assert isinstance(world.channel, RecordingChannel)
    assert Counter(one.why for one in world.channel.withdrawals) == {"cancelled": 1, "decided": 1}


UNSAYABLE = [
    ("", "obsolete"),
    (" \n", "obsolete"),
    ("ops\ud800", "obsolete"),
    ("ops", "x" * 1025),
    ("ops", "obsolete\udcff"),
]


@pytest.mark.behaviour("P39")
@pytest.mark.parametrize(("by", "reason"), UNSAYABLE)
async def test_who_cancels_is_named_and_says_little_or_nothing_is_cancelled(
    tmp_path: Path, by: str, reason: str
) -> None:
    world = World()
    async with Kit(build=world.app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("goes_on", {})
        (question, _) = await kit.pending(session_id)
        before = await kit.timeline(session_id)
        with pytest.raises(PauseInvalidAnswerError):
            await kit.runtime.answering.cancel(tenant="default", pause_id=question.pause_id, by=by, reason=reason)
        with pytest.raises(PauseInvalidAnswerError):
            await kit.runtime.sessions.cancel(tenant="default", session_id=session_id, by=by, reason=reason)
        with pytest.raises(PauseInvalidAnswerError):
            await kit.answer(question, decision="yes", by=by if by != "ops" else "")
        assert await kit.timeline(session_id) == before
        await kit.runtime.answering.cancel(tenant="default", pause_id=question.pause_id, by="ops", reason="x" * 1024)
        await kit.runtime.sessions.cancel(tenant="default", session_id=session_id, by="ops", reason="")
        await kit.settle()
        assert (await kit.session(session_id)).status == "cancelled"


async def test_a_sleep_that_is_cancelled_ends_at_once(tmp_path: Path) -> None:
    world = World()
    async with Kit(build=world.app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("waits", {})
        [timer] = [pause for pause in await kit.pending(session_id) if pause.kind == "timer"]
        await kit.runtime.answering.cancel(tenant="default", pause_id=timer.pause_id, by="ops", reason="no need")
        await kit.settle()
        for pause in await kit.pending(session_id):
            await kit.answer(pause, decision="yes")
        assert await kit.outcome(session_id) == {"result": ["0:yes,1:yes,2:yes", "yes", "slept"]}


def _item_of(pause: PauseRow) -> int:
    return int(pause.key.partition("[")[2].partition("]")[0])
