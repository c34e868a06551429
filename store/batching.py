"""Many callers, one job: requests that are waiting together are served together.

While a job runs, new requests collect for the next one, so a busy store does few large jobs and an idle one starts
each request at once. No task exists while there is nothing to do.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Generic, TypeVar

from .errors import StoreClosedError

Q = TypeVar("Q")
A = TypeVar("A")


class Batching(Generic[Q, A]):
    """Collects requests and answers each with a value or an error of its own.

    A caller that is cancelled before its request was picked up withdraws it; after that the request is carried out, and
    nobody hears of it.
    """

    def __init__(
        self, *, job: Callable[[Sequence[Q]], Coroutine[Any, Any, Sequence[A | Exception]]], limit: int
    ) -> None:
        """
        Args:
            job: does the work of some requests and returns one answer for each, in their order. What it raises instead is
                the answer to all of them.
            limit: the most requests of one job.
        """
        self._job = job
        self._limit = limit
        self._waiting: deque[tuple[Q, asyncio.Future[A]]] = deque()
        self._task: asyncio.Task[None] | None = None
        self._is_closed = False

    async def ask(self, request: Q) -> A:
        """Have one request served.

        Raises:
            StoreClosedError: ``store.closed``: it was not, and never will be.
            StoreError: whatever became of this request.
        """
        if self._is_closed:
            raise StoreClosedError
        future: asyncio.Future[A] = asyncio.get_running_loop().create_future()
        self._waiting.append((request, future))
        if self._task is None:
            self._task = asyncio.create_task(self._serve())
        return await future

    async def aclose(self) -> None:
        """Take no more requests and return when those that wait are served."""
        self._is_closed = True
        if self._task is not None:
            await asyncio.wait({self._task})

    async def _serve(self) -> None:
        try:
            while batch := self._next():
                await self._serve_together(batch)
        finally:
            self._task = None
            _answer(StoreClosedError(), [future for _, future in self._waiting])
            self._waiting.clear()

    async def _serve_together(self, batch: Sequence[tuple[Q, asyncio.Future[A]]]) -> None:
        outcome: Sequence[A | Exception] | BaseException = StoreClosedError()
        try:
            (outcome,) = await asyncio.gather(self._job([request for request, _ in batch]), return_exceptions=True)
        finally:
            # Cancelled when the loop is torn down under us, and only then: nobody may be left waiting.
            _answer(outcome, [future for _, future in batch])

    def _next(self) -> list[tuple[Q, asyncio.Future[A]]]:
        batch: list[tuple[Q, asyncio.Future[A]]] = []
        while self._waiting and len(batch) < self._limit:
            entry = self._waiting.popleft()
            if not entry[1].done():
                batch.append(entry)
        return batch


def _answer(outcome: Sequence[A | Exception] | BaseException, futures: Sequence[asyncio.Future[A]]) -> None:
    answers = [outcome] * len(futures) if isinstance(outcome, BaseException) else outcome
    for future, answer in zip(futures, answers, strict=True):
        if future.done():
            continue
        if isinstance(answer, BaseException):
            future.set_exception(answer)
        else:
            future.set_result(answer)
