"""The steps of a tree of executions that run now, as tasks of this process."""

from __future__ import annotations

import asyncio

from ..store.rows import ExecutionRow
from .driver import Driver
from .effects import StepOutcome, perform
from .events import EventKind
from .failures import raised_body
from .journal import Journal, Written
from .jsontext import to_json


class Steps:
    """Starts what the driver has ready, and gives it the outcomes, which are noted in the journal."""

    def __init__(self, *, driver: Driver, journal: Journal, execution: ExecutionRow) -> None:
        self._driver = driver
        self._journal = journal
        self._execution = execution
        self._tasks: dict[str, asyncio.Task[StepOutcome]] = {}

    @property
    def are_running(self) -> bool:
        return bool(self._tasks)

    async def start(self, *, nothing_else: bool) -> Written | None:
        """Start what is ready; ``STALE`` if it could not be recorded that a step which must not start twice does.

        Args:
            nothing_else: nothing can happen meanwhile, so a single step needs no task of its own.
        """
        driver = self._driver
        steps = driver.startable()
        for step in steps:
            if not step.is_once:
                continue
            self._journal.note(self._execution, EventKind.STEP_STARTED, "{}", step.key)
        if any(step.is_once for step in steps) and await self._journal.flush() is Written.STALE:
            return Written.STALE
        steps = [step for step in steps if driver.step(step.key) is not None]
        if len(steps) == 1 and nothing_else and not self._tasks:
            self._take(await perform(steps[0]))
            return None
        for step in steps:
            self._tasks[step.key] = asyncio.create_task(perform(step), name=step.key)
        return None

    async def wait(self, woken: asyncio.Event) -> None:
        """Until a step has ended or ``woken`` is set."""
        told = asyncio.create_task(woken.wait())
        try:
            await asyncio.wait({told, *self._tasks.values()}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            told.cancel()
        for key, task in list(self._tasks.items()):
            if task.done():
                del self._tasks[key]
                self._take(task.result())

    def drop(self, key: str) -> None:
        """The branch of a running step was closed: its outcome is not wanted any more."""
        if (task := self._tasks.pop(key, None)) is not None:
            task.cancel()

    async def close(self) -> None:
        tasks = list(self._tasks.values())
        self._tasks.clear()
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.gather(*tasks, return_exceptions=True)

    def _take(self, outcome: StepOutcome) -> None:
        step = self._driver.step(outcome.key)
        if step is None:
            return
        if outcome.text is not None:
            self._journal.note(self._execution, step.kind, outcome.text, outcome.key)
            self._driver.finish_step(outcome.key, text=outcome.text)
        elif outcome.error is not None:
            body = to_json(raised_body(outcome.error))
            self._journal.note(self._execution, EventKind.STEP_RAISED, body, outcome.key)
            self._driver.fail_step(outcome.key, outcome.error, cause=outcome.cause)
        else:
            self._driver.lose_step(outcome.key)
