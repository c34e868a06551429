"""Runs plain functions beside the event loop, so that one that takes its time keeps nobody waiting but its own caller.

A thread cannot be stopped: one whose caller has given up goes on until its function returns, and what that returns is nobody's
any more. So only so many are let to run at once, and the threads hold no process back from ending.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from typing import Generic, TypeVar

from ..errors import GateBusyError

T = TypeVar("T")

MOST_AT_ONCE = 32


class Beside(Generic[T]):
    """The threads of one gate."""

    def __init__(self, *, most: int = MOST_AT_ONCE) -> None:
        self._free = threading.BoundedSemaphore(most)
        self._most = most

    async def run(self, work: Callable[[], T]) -> T:
        """Run a function in a thread of its own, in this context.

        Raises:
            GateBusyError: (policy.busy) so many of those before it have not come to an end.
        """
        if not self._free.acquire(blocking=False):
            raise GateBusyError(f"{self._most} judgements that were given up still go on")
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[tuple[T | None, BaseException | None]] = loop.create_future()
        context = copy_context()

        def tell(result: T | None, error: BaseException | None) -> None:
            if not ended.done():
                ended.set_result((result, error))

        def in_thread() -> None:
            result: T | None = None
            failure: BaseException | None = None
            try:
                result = context.run(work)
            except BaseException as error:
                failure = error
            finally:
                self._free.release()
            with suppress(RuntimeError):  # the loop is gone
                loop.call_soon_threadsafe(tell, result, failure)

        try:
            threading.Thread(target=in_thread, name="overwinter-gate", daemon=True).start()
        except RuntimeError:
            self._free.release()
            raise
        result, failure = await ended
        if failure is not None:
            raise failure
        return result  # type: ignore[return-value]  without a failure it is the function's
