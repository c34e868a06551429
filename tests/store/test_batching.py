"""Requests that wait together are served together, each with its own answer."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from overwinter.store.batching import Batching
from overwinter.store.errors import StoreBusyError, StoreClosedError

URGENT = 1000


class Kitchen:
    """Doubles numbers, a batch at a time; each batch waits until it is let go. Large ones are urgent."""

    def __init__(self, *, limit: int = 100) -> None:
        self.batches: list[list[int]] = []
        self.gate = asyncio.Event()
        self.batching = Batching[int, int](
            job=self.cook, limit=limit, is_urgent=lambda number: number >= URGENT, beside_urgent=2
        )

    async def cook(self, numbers: Sequence[int]) -> Sequence[int | Exception]:
        self.batches.append(list(numbers))
        await self.gate.wait()
        if 13 in numbers:
            raise RuntimeError("thirteen")
        return [StoreBusyError(f"{number} is busy") if number < 0 else number * 2 for number in numbers]


async def settle(turns: int = 5) -> None:
    """Let everything that can run do so."""
    loop = asyncio.get_running_loop()
    for _ in range(turns):
        turn: asyncio.Future[None] = loop.create_future()
        loop.call_soon(turn.set_result, None)
        await turn


async def test_what_waits_together_is_served_together() -> None:
    kitchen = Kitchen()
    first = asyncio.create_task(kitchen.batching.ask(1))
    await settle()
    rest = [asyncio.create_task(kitchen.batching.ask(number)) for number in (2, 3, 4)]
    await settle()
    kitchen.gate.set()
    assert await first == 2
    assert [await task for task in rest] == [4, 6, 8]
    assert kitchen.batches == [[1], [2, 3, 4]]


async def test_a_batch_has_a_limit() -> None:
    kitchen = Kitchen(limit=2)
    kitchen.gate.set()
    assert await asyncio.gather(*(kitchen.batching.ask(number) for number in range(5))) == [0, 2, 4, 6, 8]
    assert kitchen.batches == [[0, 1], [2, 3], [4]]


async def test_what_is_urgent_goes_first_and_few_go_with_it() -> None:
    kitchen = Kitchen(limit=4)
    asked = [asyncio.create_task(kitchen.batching.ask(number)) for number in (1, 2, 3, 4)]
    await settle()
    asked += [asyncio.create_task(kitchen.batching.ask(number)) for number in (5, 6, 7, 8, 9, URGENT, URGENT + 1)]
    await settle()
    kitchen.gate.set()
    await asyncio.gather(*asked)
    assert kitchen.batches == [[1, 2, 3, 4], [URGENT, URGENT + 1, 5, 6], [7, 8, 9]]


async def test_what_is_urgent_keeps_nothing_else_waiting_without_end() -> None:
    kitchen = Kitchen(limit=4)
    kitchen.gate.set()
    urgent = (kitchen.batching.ask(URGENT + number) for number in range(20))
    await asyncio.gather(*urgent, *(kitchen.batching.ask(number) for number in range(6)))
    assert all(len(batch) <= 4 for batch in kitchen.batches)
    kitchen = Kitchen()
    asked = [asyncio.create_task(kitchen.batching.ask(number)) for number in (0, 1, 2, 3, URGENT)]
    await settle()
    kitchen.gate.set()
    await asyncio.gather(*asked)
    assert kitchen.batches == [[URGENT, 0, 1], [2, 3]]


async def test_an_error_is_its_own_requests_alone() -> None:
    kitchen = Kitchen()
    kitchen.gate.set()
    results = await asyncio.gather(*(kitchen.batching.ask(number) for number in (1, -2, 3)), return_exceptions=True)
    assert (results[0], results[2]) == (2, 6)
    assert isinstance(results[1], StoreBusyError)


async def test_a_job_that_breaks_tells_everyone_and_the_next_one_works() -> None:
    kitchen = Kitchen()
    kitchen.gate.set()
    results = await asyncio.gather(*(kitchen.batching.ask(number) for number in (12, 13)), return_exceptions=True)
    assert [str(result) for result in results] == ["thirteen", "thirteen"]
    assert await kitchen.batching.ask(5) == 10


async def test_a_request_cancelled_before_it_was_picked_up_is_withdrawn() -> None:
    kitchen = Kitchen()
    first = asyncio.create_task(kitchen.batching.ask(1))
    await settle()
    cancelled = asyncio.create_task(kitchen.batching.ask(2))
    last = asyncio.create_task(kitchen.batching.ask(3))
    await settle()
    cancelled.cancel()
    await settle()
    kitchen.gate.set()
    assert (await first, await last) == (2, 6)
    assert kitchen.batches == [[1], [3]]
    assert cancelled.cancelled()


async def test_a_request_cancelled_after_that_disturbs_nobody() -> None:
    kitchen = Kitchen()
    tasks = [asyncio.create_task(kitchen.batching.ask(number)) for number in (1, 2)]
    await settle()
    for _ in range(3):
        tasks[0].cancel()
        await settle()
    assert not tasks[0].done(), "its cancellation waits: what it reads next is how it came out"
    kitchen.gate.set()
    assert await tasks[1] == 4
    await settle()
    assert tasks[0].cancelled()
    assert kitchen.batches == [[1, 2]]


async def test_closing_serves_what_waits_and_takes_no_more() -> None:
    kitchen = Kitchen(limit=1)
    tasks = [asyncio.create_task(kitchen.batching.ask(number)) for number in (1, 2)]
    await settle()
    closing = asyncio.create_task(kitchen.batching.aclose())
    await settle()
    assert not closing.done()
    with pytest.raises(StoreClosedError) as raised:
        await kitchen.batching.ask(3)
    assert raised.value.code == "store.closed"
    kitchen.gate.set()
    await closing
    assert [await task for task in tasks] == [2, 4]
    await kitchen.batching.aclose()
