"""How a process notices work: its own at once, that of another process within a second."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from overwinter.store.changes import PostMessage, StartSession
from overwinter.store.errors import StoreBusyError
from overwinter.store.store import Store
from overwinter.store.wakeups import Hints, Wakeups

from .children import start_child
from .examples import (
    MINUTE,
    T0,
    advance,
    asleep,
    claim,
    claim_deliveries,
    message,
    post,
    question,
    resolve,
    rest,
    running,
    session,
    settle,
    timer,
)

NEVER_S = 3600.0


async def is_given(hints: Hints) -> bool:
    """Whether there is a hint to take; it is taken."""
    waiting = asyncio.create_task(hints.wait())
    await asyncio.wait({waiting}, timeout=0)
    if not waiting.done():
        await asyncio.wait({asyncio.get_running_loop().create_future()}, timeout=0)
    waiting.cancel()
    await asyncio.wait({waiting})
    return not waiting.cancelled()


@pytest.fixture
async def quiet(database: Path) -> AsyncIterator[Store]:
    """A store that never polls: what it hints at, it wrote itself."""
    opened = await Store.open(database, poll_s=NEVER_S)
    yield opened
    await opened.aclose()


async def test_the_first_wait_returns_at_once_and_the_next_one_waits(quiet: Store) -> None:
    hints = quiet.subscribe()
    assert await is_given(hints)
    assert not await is_given(hints)


async def test_many_hints_come_as_one_to_every_subscriber(quiet: Store) -> None:
    subscribers = [quiet.subscribe() for _ in range(3)]
    for hints in subscribers:
        await hints.wait()
    for n in range(5):
        await quiet.start_session(StartSession(session=session(f"s{n}"), message=None))
    for hints in subscribers:
        assert await is_given(hints)
        assert not await is_given(hints)


async def test_a_closed_subscription_lets_go_whoever_waits_and_hears_no_more(quiet: Store) -> None:
    hints = quiet.subscribe()
    await hints.wait()
    waiting = asyncio.create_task(hints.wait())
    hints.close()
    await waiting
    await quiet.start_session(StartSession(session=session(), message=None))
    assert not await is_given(hints)


async def ready(store: Store) -> None:
    await asleep(store, question("p1"), timer("t1"), is_sent=True)


GIVES: dict[str, Callable[[Store], Awaitable[object]]] = {
    "a started session": lambda store: store.start_session(StartSession(session=session("new"), message=None)),
    "a message": lambda store: store.post_message(PostMessage(message=message(), now_ms=T0)),
    "an answer": lambda store: store.resolve_pause(resolve("p1")),
    "a fired timer": lambda store: store.resolve_pause(resolve("t1", resolution="fired")),
    "a deadline": lambda store: store.advance(advance("s2", open=(timer("t2", "s2"),))),
    "a delivery": lambda store: store.advance(
        advance("s2", open=(question("p2", "s2"),), deliveries=(post("p2", "s2"),))
    ),
    "a session that rests ready": lambda store: store.advance(advance("s2", rest=rest("ready"))),
}

GIVES_NOT: dict[str, Callable[[Store], Awaitable[object]]] = {
    "a claim": lambda store: store.claim(claim()),
    "a claim of deliveries": lambda store: store.claim_deliveries(claim_deliveries()),
    "a settled delivery": lambda store: store.settle_delivery(settle("p1:post")),
    "an actor at rest": lambda store: store.advance(advance("s2", rest=rest())),
    "an answer that lost": lambda store: store.resolve_pause(resolve("nowhere")),
    "a read": lambda store: store.load("s1"),
}


@pytest.mark.parametrize("what", [*GIVES, *GIVES_NOT])
async def test_a_hint_is_given_for_what_a_supervisor_may_have_to_act_on(quiet: Store, what: str) -> None:
    await ready(quiet)
    await running(quiet, "s2")
    hints = quiet.subscribe()
    await hints.wait()
    await {**GIVES, **GIVES_NOT}[what](quiet)
    assert await is_given(hints) == (what in GIVES)


async def test_a_retried_delivery_gives_a_hint(quiet: Store) -> None:
    await asleep(quiet, question())
    await quiet.claim_deliveries(claim_deliveries())
    hints = quiet.subscribe()
    await hints.wait()
    await quiet.settle_delivery(settle(outcome="retry", due_at_ms=T0 + MINUTE))
    assert await is_given(hints)


async def test_a_commit_of_another_process_is_noticed_within_a_second(database: Path) -> None:
    store = await Store.open(database)
    hints = store.subscribe()
    await hints.wait()
    with start_child("start", database, "from elsewhere") as child:
        await hints.wait()
        async with asyncio.timeout(1.0):
            while await store.session("from elsewhere") is None:
                await hints.wait()
        assert await asyncio.to_thread(child.communicate) == ("started\n", "")
    await store.aclose()


@pytest.mark.behaviour("W25")
async def test_a_poll_that_fails_hints_all_the_same_and_goes_on() -> None:
    answers = iter([1, StoreBusyError("busy"), 1, 1, 2])

    async def version() -> int:
        answer = next(answers, 2)
        if isinstance(answer, StoreBusyError):
            raise answer
        return answer

    wakeups = Wakeups(version=version, poll_s=0.0)
    hints = wakeups.subscribe()
    await hints.wait()
    await wakeups.start()
    for _ in range(3):
        await hints.wait()
    assert next(answers, None) is None
    await wakeups.aclose()
