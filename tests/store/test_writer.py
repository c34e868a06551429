"""Group commit over the real thing: how many transactions, whose failure, and what a cancelled caller leaves behind."""

from __future__ import annotations

import asyncio
import itertools
import sqlite3
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event

from overwinter.store.changes import PostMessage, PostResult, StartResult, StartSession
from overwinter.store.errors import StoreRefusedError
from overwinter.store.resolutions import CancelPause
from overwinter.store.store import Store
from overwinter.store.writer import BESIDE_PEOPLE

from .examples import T0, advance, asleep, claim, message, question, resolve, rest, running, session, started


@contextmanager
def listening(name: str, hear: Callable[..., None]) -> Generator[None]:
    """Hear an event of every engine; it is called in the thread of the connection."""
    event.listen(Engine, name, hear)
    try:
        yield
    finally:
        event.remove(Engine, name, hear)


CANCEL = CancelPause(pause_id="p1", answer_json="{}", responder="op", now_ms=T0)


@contextmanager
def statements() -> Generator[list[str]]:
    """The text of every statement executed meanwhile."""
    heard: list[str] = []

    def hear(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        heard.append(statement)

    with listening("before_cursor_execute", hear):
        yield heard


def start(session_id: str) -> StartSession:
    return StartSession(session=session(session_id), message=message(session_id, f"first of {session_id}"))


@pytest.mark.behaviour("A16")
async def test_changes_that_wait_together_share_one_transaction(store: Store) -> None:
    with statements() as heard:
        results = await asyncio.gather(*(store.start_session(start(f"s{n}")) for n in range(100)))
    assert set(results) == {StartResult.STARTED}
    assert [text for text in heard if text.startswith("BEGIN")] == ["BEGIN IMMEDIATE"]
    writes = [text.split()[2] for text in heard if text.startswith("INSERT")]
    assert set(writes) == {"inbound", "sessions"}
    assert len(writes) < 20


@pytest.mark.parametrize(
    ("end", "goes_first"),
    [("replied", True), ("decided", True), ("cancelled", True), ("fired", False), ("timed_out", False)],
)
async def test_what_a_person_says_does_not_wait_for_all_else_that_is_to_be_written(
    store: Store, end: str, goes_first: bool
) -> None:
    await asleep(store, question())
    ended: list[str] = []

    async def note(name: str, work: Coroutine[Any, Any, object]) -> None:
        await work
        ended.append(name)

    starts = [note("start", store.start_session(start(f"n{number}"))) for number in range(400)]
    last = store.cancel_pause(CANCEL) if end == "cancelled" else store.resolve_pause(resolve(resolution=end))
    await asyncio.gather(*starts, note("last", last))
    assert (ended.index("last") <= BESIDE_PEOPLE) == goes_first
    assert len(ended) == 401


async def test_an_answer_wins_over_a_deadline_of_the_same_moment_and_not_over_a_cancellation(store: Store) -> None:
    await asleep(store, question("p1"), question("p2"))
    results = await asyncio.gather(
        store.resolve_pause(resolve("p1", resolution="timed_out")),
        store.resolve_pause(resolve("p1")),
        store.cancel_pause(replace(CANCEL, pause_id="p2")),
        store.resolve_pause(resolve("p2")),
    )
    assert [result.outcome for result in results] == ["not_pending", "resolved", "resolved", "not_pending"]


async def test_a_statement_with_nothing_to_write_is_not_made(store: Store) -> None:
    await running(store)
    with statements() as heard:
        await store.advance(advance(rest=rest()))
    assert [text.split()[0] for text in heard] == ["BEGIN", "PRAGMA", "UPDATE"]


async def test_reads_never_take_the_write_lock(store: Store) -> None:
    await running(store)
    with statements() as heard:
        await asyncio.gather(store.load("s1"), store.pause("p1"), store.session("s1"), store.due())
        await store.timeline("s1")
        await store.sessions(tenant=None, statuses=None, limit=1)
    assert {text for text in heard if text.startswith("BEGIN")} == {"BEGIN"}
    assert {text.split()[0] for text in heard} == {"BEGIN", "SELECT"}


async def test_revivals_that_wait_together_are_loaded_together(store: Store) -> None:
    for n in range(20):
        await started(store, f"s{n}")
    with statements() as heard:
        loaded = await asyncio.gather(*(store.load(f"s{n % 20}") for n in range(40)), store.load("nobody"))
    assert [one.session.session_id for one in loaded if one is not None] == [f"s{n % 20}" for n in range(40)]
    assert loaded[-1] is None
    assert len([text for text in heard if text.startswith("SELECT")]) == 5


BAD = {
    "a constraint of a column": lambda: session("bad", surface="phone"),
    "half a surrogate pair": lambda: session("bad", owner="\ud800"),
    "half a surrogate pair in a key": lambda: session("bad\ud800"),
    "a number of more than 64 bits": lambda: session("bad", priority=2**63),
    "a value of another type": lambda: session("bad", owner=("a", "b")),
    "no value": lambda: session("bad", owner=None),
}


@pytest.mark.parametrize("why", BAD)
async def test_one_bad_change_never_fails_its_neighbours(store: Store, why: str) -> None:
    bad = StartSession(session=BAD[why](), message=None)
    results = await asyncio.gather(
        store.start_session(start("s1")),
        store.start_session(bad),
        store.start_session(start("s2")),
        store.start_session(start("s1")),
        return_exceptions=True,
    )
    assert results[0] is StartResult.STARTED
    assert isinstance(results[1], StoreRefusedError)
    assert results[2] is StartResult.STARTED
    assert results[3] is StartResult.DUPLICATE
    found = await store.sessions(tenant=None, statuses=None, limit=9)
    assert {one.session_id for one in found} == {"s1", "s2"}


async def test_a_refusal_does_not_tell_what_was_refused(store: Store) -> None:
    await running(store)
    await store.advance(advance(open=(question("0123456789abcdef"),)))
    with pytest.raises(StoreRefusedError) as raised:
        await store.advance(advance(open=(question("0123456789abcdef", ask_json='{"card":"4111"}'),)))
    told = f"{raised.value!r} {raised.value.__cause__!r} {raised.value.__cause__}"
    assert "0123456789abcdef" not in told
    assert "4111" not in told


# -- cancelled callers -------------------------------------------------------------------------------------------------
def can_write_within_1_s(database: Path) -> bool:
    with sqlite3.connect(database, timeout=1.0, isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        other.execute("ROLLBACK")
    other.close()
    return True


class Canceller:
    """Cancels a task from inside the connection's thread, at one point of its transaction."""

    def __init__(self, point: str) -> None:
        self._point = point
        self._loop = asyncio.get_running_loop()
        self.task: asyncio.Task[Any] | None = None
        self.hits = 0

    def reach(self, point: str) -> None:
        if point == self._point and self.task is not None:
            self.hits += 1
            self._loop.call_soon_threadsafe(self.task.cancel)

    def executed(self, _connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if statement.startswith("INSERT"):
            self.reach("after an insert")

    def executing(self, _connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if statement.startswith("BEGIN IMMEDIATE"):
            self.reach("before begin")

    def committing(self, _connection: Any) -> None:
        self.reach("before commit")

    def rolling_back(self, _connection: Any) -> None:
        self.reach("before rollback")

    @contextmanager
    def armed(self) -> Generator[None]:
        with (
            listening("before_cursor_execute", self.executing),
            listening("after_cursor_execute", self.executed),
            listening("commit", self.committing),
            listening("rollback", self.rolling_back),
        ):
            yield


@pytest.mark.case("st02")
@pytest.mark.parametrize("point", ["before begin", "after an insert", "before commit", "before rollback"])
async def test_a_caller_cancelled_anywhere_leaves_no_transaction_open(store: Store, database: Path, point: str) -> None:
    canceller = Canceller(point)
    written = 0
    with canceller.armed():
        for n in range(200):
            surface = "phone" if point == "before rollback" else "chat"
            change = StartSession(session=session(f"s{n}", surface=surface), message=message(f"s{n}", f"m{n}"))
            canceller.task = asyncio.create_task(store.start_session(change))
            (outcome,) = await asyncio.gather(canceller.task, return_exceptions=True)
            assert isinstance(outcome, asyncio.CancelledError | StoreRefusedError | StartResult)
            loaded = await store.load(f"s{n}")
            assert loaded is None or [row.external_id for row in loaded.inbound] == [f"m{n}"]
            written += loaded is not None
    assert canceller.hits >= 200
    assert written == (0 if point == "before rollback" else 200)
    assert can_write_within_1_s(database)
    assert await store.start_session(start("after all")) is StartResult.STARTED


@pytest.mark.case("st02")
async def test_a_caller_cancelled_while_begin_waits_for_the_lock_is_carried_out_and_others_go_on(
    store: Store, database: Path
) -> None:
    reached = asyncio.Event()
    loop = asyncio.get_running_loop()

    def hear(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if statement.startswith("BEGIN IMMEDIATE"):
            loop.call_soon_threadsafe(reached.set)

    with listening("before_cursor_execute", hear):
        for n in range(200):
            with sqlite3.connect(database, isolation_level=None) as other:
                other.execute("BEGIN IMMEDIATE")
                reached.clear()
                picked_up = asyncio.create_task(store.start_session(start(f"picked up {n}")))
                await reached.wait()
                waiting = asyncio.create_task(store.start_session(start(f"waiting {n}")))
                patient = asyncio.create_task(store.start_session(start(f"patient {n}")))
                picked_up.cancel()
                waiting.cancel()
                await asyncio.wait({waiting})
                assert not picked_up.done()
                other.execute("ROLLBACK")
            other.close()
            assert await patient is StartResult.STARTED
            await asyncio.wait({picked_up})
            assert (picked_up.cancelled(), waiting.cancelled()) == (True, True)
            assert await store.session(f"picked up {n}") is not None
            assert await store.session(f"waiting {n}") is None
    assert can_write_within_1_s(database)


@pytest.mark.case("st01")
async def test_a_reader_that_turns_to_writing_never_meets_a_snapshot_that_is_too_old(database: Path) -> None:
    """Two processes' worth of stores on one file: each reads, the other commits, and then it writes."""
    one, other = await Store.open(database), await Store.open(database)
    try:
        await started(one, "s1")
        with statements() as heard:
            for n in range(100):
                await asyncio.gather(one.load("s1"), other.load("s1"))
                posted = await asyncio.gather(
                    one.post_message(PostMessage(message=message(external_id=f"one {n}"), now_ms=T0)),
                    other.post_message(PostMessage(message=message(external_id=f"other {n}"), now_ms=T0)),
                )
                assert posted == [PostResult.POSTED] * 2
        loaded = await one.load("s1")
        assert loaded is not None
        assert loaded.session.wakes == 200
        begins = [before for before, after in itertools.pairwise(heard) if not after.startswith(("SELECT", "BEGIN"))]
        assert {text for text in begins if text.startswith("BEGIN")} <= {"BEGIN IMMEDIATE"}
    finally:
        await one.aclose()
        await other.aclose()


async def test_a_claim_is_a_write_even_when_it_takes_nothing(store: Store) -> None:
    with statements() as heard:
        assert (await store.claim(claim())).sessions == ()
    assert heard[0] == "BEGIN IMMEDIATE"
