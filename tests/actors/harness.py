"""Drives durable code against memory: what a pass does, without a store, for the driver's own tests."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

from overwinter.actors.asks import JsonValue
from overwinter.actors.clock import ManualClock
from overwinter.actors.driver import Driver
from overwinter.actors.effects import perform
from overwinter.actors.events import EventKind
from overwinter.actors.ids import RandomIds
from overwinter.actors.jsontext import from_json
from overwinter.actors.operations import Decision, Frame, Recall, WaitResult
from overwinter.actors.run import Run

Main = Callable[[Run], Coroutine[Any, Any, Any]]


@dataclass
class Ledger:
    """One execution's memory across restarts."""

    recall: Recall = field(default_factory=Recall)
    open_waits: set[str] = field(default_factory=set[str])
    ran: list[str] = field(default_factory=list[str])
    withdrawn: list[str] = field(default_factory=list[str])
    dropped: list[str] = field(default_factory=list[str])

    def copy(self) -> Ledger:
        recall = Recall(
            returned=dict(self.recall.returned),
            raised=dict(self.recall.raised),
            waits=dict(self.recall.waits),
            messages=dict(self.recall.messages),
            started=set(self.recall.started),
            decisions=dict(self.recall.decisions),
        )
        return Ledger(recall=recall, open_waits=set(self.open_waits), ran=self.ran, withdrawn=self.withdrawn)


class Rested(Exception):  # noqa: N818  a state, not a fault
    """Every branch waits."""


class Harness:
    """Runs ``main`` from ``ledger`` until it rests or ends; answers are put into the ledger between runs."""

    def __init__(self, main: Main, *, clock: ManualClock | None = None) -> None:
        self.main = main
        self.clock = clock or ManualClock()
        self.ledger = Ledger()

    def frame(self) -> Frame:
        return Frame(
            execution_id="x1",
            session_id="s1",
            tenant="t",
            owner="o",
            surface="chat",
            bot="b",
            clock=self.clock,
            ids=RandomIds(),
        )

    async def revive(self, answers: dict[str, JsonValue] | None = None, *, order: str = "fifo") -> Any:
        """A new driver on what is recorded; returns the result, raises the failure, or raises ``Rested``."""
        frame = self.frame()
        recall = self.ledger.copy().recall
        driver = Driver(
            frame=frame,
            main=lambda: self.main(Run(path="", frame=frame)),
            recall=recall,
            open_waits=set(self.ledger.open_waits),
        )
        try:
            driver.pump()
            while True:
                self._feed(driver, answers or {})
                self._note(driver)
                if driver.ended is not None:
                    if driver.ended.error is not None:
                        raise driver.ended.error
                    return driver.ended.result
                steps = driver.startable()
                if not steps:
                    raise Rested
                for step in steps if order == "fifo" else reversed(steps):
                    if driver.step(step.key) is None:
                        continue
                    self.ledger.ran.append(step.key)
                    outcome = await perform(step)
                    if outcome.text is not None:
                        self.ledger.recall.returned[step.key] = outcome.text
                        driver.finish_step(step.key, text=outcome.text)
                    elif outcome.error is not None:
                        self.ledger.recall.raised[step.key] = outcome.error
                        driver.fail_step(step.key, outcome.error, cause=outcome.cause)
                    driver.pump()
        finally:
            self._note(driver)
            driver.evict()

    def _feed(self, driver: Driver, answers: dict[str, JsonValue]) -> None:
        for key, answer in answers.items():
            result = WaitResult(resolution="decided", answer=answer, responder="mara")
            if driver.resolve(key, result):
                self.ledger.recall.waits[key] = result
                self.ledger.open_waits.discard(key)
            driver.pump()

    def _note(self, driver: Driver) -> None:
        news = driver.take_news()
        for record in news.records:
            if record.kind == EventKind.JOIN_DECIDED:
                body = from_json(record.body_json)
                self.ledger.recall.decisions[record.key] = Decision(done=tuple(body["done"]), failed=body["failed"])
            else:
                self.ledger.recall.returned[record.key] = record.body_json
        for wait in news.opened:
            self.ledger.open_waits.add(wait.key)
        for key in news.closed:
            self.ledger.open_waits.discard(key)
            self.ledger.withdrawn.append(key)
        self.ledger.dropped.extend(news.dropped)


async def upper(text: str) -> str:
    return text.upper()


def failing(message: str) -> Callable[[], Awaitable[str]]:
    async def fail() -> str:
        raise ValueError(message)

    return fail
