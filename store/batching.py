"""Many callers, one job: requests that are waiting together are served together.

While a job runs, new requests collect for the next one, so a busy store does few large jobs and an idle one starts
each request at once. No task exists while there is nothing to do.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Collection, Coroutine, Sequence
from contextlib import suppress
from typing import Any, Generic, TypeVar

from .errors import StoreClosedError

Q = TypeVar("Q")
A = TypeVar("A")


class _Entry(Generic[Q, A]):
    """One request.

    Attributes:
        answer: what its caller waits for; cancelled with the caller.
        served: done when its batch is over; None while it has not been picked up.
    """

    __slots__ = ("answer", "request", "served")

    def __init__(self, request: Q, answer: asyncio.Future[A]) -> None:
        self.request = request
        self.answer = answer
        self.served: asyncio.Future[None] | None = None


class Batching(Generic[Q, A]):
    """Collects requests and answers each with a value or an error of its own.

    A caller that is cancelled before its request was picked up withdraws it. After that the request is carried out, and
    the caller's cancellation waits for its end: whatever the caller reads then, it reads how it came out.
    """

    def __init__(
        self,
        *,
        job: Callable[[Sequence[Q]], Coroutine[Any, Any, Sequence[A | Exception]]],
        limit: int,
        is_urgent: Callable[[Q], bool] = lambda _: False,
        beside_urgent: int = 0,
    ) -> None:
        """
        Args:
            job: does the work of some requests and returns one answer for each, in their order. What it raises instead is
                the answer to all of them.
            limit: the most requests of one job.
            is_urgent: such a request goes before all that wait.
            beside_urgent: the most others of a job that has urgent ones, so that it is soon over.
        """
        self._job = job
        self._limit = limit
        self._is_urgent = is_urgent
        self._beside_urgent = beside_urgent
        self._urgent: deque[_Entry[Q, A]] = deque()
        self._waiting: deque[_Entry[Q, A]] = deque()
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
        # Made without naming its types: that would cost a call of ``typing`` each time.
        entry: _Entry[Q, A] = _Entry(request, asyncio.get_running_loop().create_future())
        (self._urgent if self._is_urgent(request) else self._waiting).append(entry)
        if self._task is None:
            self._task = asyncio.create_task(self._serve())
        try:
            return await entry.answer
        except asyncio.CancelledError:
            # However often: it is raised below, when the batch is over, and a batch is over in a moment.
            while entry.served is not None and not entry.served.done():
                with suppress(asyncio.CancelledError):
                    await asyncio.wait({entry.served})
            raise

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
            for entries in (self._urgent, self._waiting):
                _answer(entries, StoreClosedError())
                entries.clear()

    async def _serve_together(self, batch: Sequence[_Entry[Q, A]]) -> None:
        served: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        for entry in batch:
            entry.served = served
        outcome: Sequence[A | Exception] | BaseException = StoreClosedError()
        try:
            (outcome,) = await asyncio.gather(self._job([entry.request for entry in batch]), return_exceptions=True)
        finally:
            # Cancelled when the loop is torn down under us, and only then: nobody may be left waiting.
            _answer(batch, outcome)
            served.set_result(None)

    def _next(self) -> list[_Entry[Q, A]]:
        batch: list[_Entry[Q, A]] = []
        _move(self._urgent, batch, up_to=self._limit)
        room = min(self._limit, len(batch) + self._beside_urgent) if batch else self._limit
        _move(self._waiting, batch, up_to=room)
        return batch


def _move(waiting: deque[_Entry[Q, A]], batch: list[_Entry[Q, A]], *, up_to: int) -> None:
    """Take the first of those that still wait, until the batch has so many."""
    while waiting and len(batch) < up_to:
        entry = waiting.popleft()
        if not entry.answer.done():
            batch.append(entry)


def _answer(entries: Collection[_Entry[Q, A]], outcome: Sequence[A | Exception] | BaseException) -> None:
    answers = [outcome] * len(entries) if isinstance(outcome, BaseException) else outcome
    for entry, answer in zip(entries, answers, strict=True):
        if entry.answer.done():
            continue
        if isinstance(answer, BaseException):
            entry.answer.set_exception(answer)
        else:
            entry.answer.set_result(answer)
