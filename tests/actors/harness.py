"""Drives durable code against memory: what a pass does, without a store, for the driver's own tests."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from overwinter.actors.asks import JsonValue
from overwinter.actors.clock import ManualClock
from overwinter.actors.driver import Driver
from overwinter.actors.effects import perform
from overwinter.actors.events import EventKind
from overwinter.actors.ids import RandomIds
from overwinter.actors.jsontext import from_json
from overwinter.actors.operations import Decision, Frame, Recall, WaitResult
from overwinter.actors.payloads import JSON
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
    children: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Key and end of each child that is over: returned, raised, closed."""

    def copy(self) -> Ledger:
        recall = Recall(
            returned=dict(self.recall.returned),
            raised=dict(self.recall.raised),
            waits=dict(self.recall.waits),
            messages=dict(self.recall.messages),
            started=set(self.recall.started),
            decisions=dict(self.recall.decisions),
        )
        return Ledger(
            recall=recall,
            open_waits=set(self.open_waits),
            ran=list(self.ran),
            withdrawn=list(self.withdrawn),
            dropped=list(self.dropped),
            children=list(self.children),
        )


class Nested:
    """A program that durable code may start as a child."""

    version = "1"
    fingerprint = "f"
    result_codec = JSON

    def __init__(self, function: Callable[..., Coroutine[Any, Any, Any]]) -> None:
        self.function = function
        self.name = function.__name__

    def input_of(self, *args: Any) -> JsonValue:
        return list(args)

    async def main(self, run: Run, message: JsonValue) -> JsonValue:
        return await self.function(run, *message["content"])


class Rested(Exception):  # noqa: N818  a state, not a fault
    """Every branch waits."""


class Harness:
    """Runs ``main`` from ``ledger`` until it rests or ends; answers are put into the ledger between runs.

    Attributes:
        commits: the ledger as it was each time when nothing could move without a step or an answer.
    """

    def __init__(self, main: Main, *, clock: ManualClock | None = None, children: Sequence[Nested] = ()) -> None:
        self.main = main
        self.clock = clock or ManualClock()
        self.ledger = Ledger()
        self.commits: list[Ledger] = []
        self._programs = {program.name: program for program in children}

    def frame(self, execution_id: str = "x1") -> Frame:
        return Frame(
            execution_id=execution_id,
            session_id="s1",
            tenant="t",
            owner="o",
            surface="chat",
            bot="b",
            clock=self.clock,
            ids=RandomIds(),
        )

    async def revive(
        self, answers: dict[str, JsonValue] | None = None, *, order: str = "fifo", fired: Sequence[str] = ()
    ) -> Any:
        """A new driver on what is recorded; returns the result, raises the failure, or raises ``Rested``.

        Args:
            fired: keys of joins whose deadline has passed.
        """
        frame = self.frame()
        recall = self.ledger.copy().recall
        driver = Driver(
            frame=frame,
            main=lambda: self.main(Run(path="", frame=frame)),
            recall=recall,
            open_waits=dict.fromkeys(self.ledger.open_waits, ("", "")),
        )
        try:
            driver.pump()
            while True:
                self._begin_children(driver)
                while self._feed(driver, answers or {}, fired):
                    self._begin_children(driver)
                self._note(driver)
                self.commits.append(self.ledger.copy())
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

    def _begin_children(self, driver: Driver) -> None:
        while unborn := driver.unborn():
            for operation in unborn:
                frame = self.frame(operation.execution_id)
                program = self._programs[operation.program]
                run = Run(path=operation.execution_id, frame=frame)
                driver.begin_child(operation, frame=frame, main=partial(program.main, run, operation.message))
            driver.pump()

    def _feed(self, driver: Driver, answers: dict[str, JsonValue], fired: Sequence[str]) -> bool:
        ends = {
            key: WaitResult(resolution="decided", answer=answer, responder="mara") for key, answer in answers.items()
        }
        ends |= {key: WaitResult(resolution="fired", answer=None, responder=None) for key in fired}
        fed = False
        for key, result in ends.items():
            if driver.resolve(key, result):
                fed = True
                self.ledger.recall.waits[key] = result
                self.ledger.open_waits.discard(key)
            driver.pump()
        return fed

    def _note(self, driver: Driver) -> None:
        news = driver.take_news()
        for record in news.records:
            if record.kind == EventKind.JOIN_DECIDED:
                body = from_json(record.body_json)
                self.ledger.recall.decisions[record.key] = Decision(
                    done=tuple(body["done"]),
                    failed=body["failed"],
                    why=body.get("why"),
                    detail=body.get("detail", ""),
                    group=body.get("group"),
                )
            else:
                self.ledger.recall.returned[record.key] = record.body_json
        for wait in news.opened.values():
            self.ledger.open_waits.add(wait.key)
        for key in news.closed:
            self.ledger.open_waits.discard(key)
            self.ledger.withdrawn.append(key)
        self.ledger.dropped.extend(news.dropped)
        for end in news.children:
            if end.text is not None:
                self.ledger.recall.returned[end.key] = end.text
            elif end.error is not None:
                self.ledger.recall.raised[end.key] = end.error
            how = "returned" if end.text is not None else "closed" if end.error is None else "raised"
            self.ledger.children.append((end.key, how))


async def upper(text: str) -> str:
    return text.upper()


def failing(message: str) -> Callable[[], Awaitable[str]]:
    async def fail() -> str:
        raise ValueError(message)

    return fail
