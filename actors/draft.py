"""What one pass has to write next: it gathers what is new and turns it into one ``Advance``."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ..store.changes import Advance, AdvanceResult, ClosePause, Rest
from ..store.rows import DeliveryRow, ExecutionRow, InboundRow, LedgerRow, PauseRow
from .events import RESULT_KINDS, EventKind

_FACTS = RESULT_KINDS | {EventKind.STEP_RAISED, EventKind.STEP_STARTED}


@dataclass(slots=True, kw_only=True)
class Draft:
    """Changes of one session that are not committed yet."""

    session_id: str
    holder: str
    epoch: int
    next_seq: int
    wakes: int
    events: list[LedgerRow] = field(default_factory=list[LedgerRow])
    executions: dict[str, ExecutionRow] = field(default_factory=dict[str, ExecutionRow])
    open: list[PauseRow] = field(default_factory=list[PauseRow])
    take: list[str] = field(default_factory=list[str])
    close: list[ClosePause] = field(default_factory=list[ClosePause])
    deliveries: list[DeliveryRow] = field(default_factory=list[DeliveryRow])
    consume: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    has_results: bool = False
    """Something is in here that has happened and must not be lost before the next outside effect."""

    def add(self, *, execution_id: str, kind: str, key: str, body_json: str, at_ms: int) -> None:
        event = LedgerRow(
            session_id=self.session_id,
            seq=self.next_seq + len(self.events),
            execution_id=execution_id,
            kind=kind,
            key=key,
            body_json=body_json,
            at_ms=at_ms,
        )
        self.events.append(event)
        if kind in _FACTS:
            self.has_results = True

    def add_message(self, message: InboundRow, *, execution_id: str, key: str, at_ms: int) -> None:
        """A message is taken in: it becomes an event of the execution."""
        self.consume.append((message.channel, message.external_id))
        self.add(
            execution_id=execution_id,
            kind=EventKind.MESSAGE_RECEIVED,
            key=key,
            body_json=message.body_json,
            at_ms=at_ms,
        )

    @property
    def must_be_written(self) -> bool:
        """Before the next outside effect: what has happened, what was taken, what was closed."""
        return self.has_results or bool(self.close)

    @property
    def is_empty(self) -> bool:
        return not (self.events or self.executions or self.open or self.take or self.close or self.consume)

    def advance(self, *, now_ms: int, rest: Rest | None) -> Advance:
        return Advance(
            session_id=self.session_id,
            holder=self.holder,
            epoch=self.epoch,
            now_ms=now_ms,
            ledger=tuple(self.events),
            executions=tuple(self.executions.values()),
            open=tuple(self.open),
            take=tuple(self.take),
            close=tuple(self.close),
            deliveries=tuple(self.deliveries),
            consume=tuple(self.consume),
            rest=rest,
        )

    def salvage(self, *, now_ms: int) -> Advance:
        """Only what has happened for sure: results of steps. For when the rest rests on an answer that has since come."""
        facts = [event for event in self.events if event.kind in _FACTS]
        return Advance(
            session_id=self.session_id,
            holder=self.holder,
            epoch=self.epoch,
            now_ms=now_ms,
            ledger=tuple(replace(event, seq=self.next_seq + index) for index, event in enumerate(facts)),
        )

    def written(self, result: AdvanceResult, change: Advance) -> None:
        """``change`` is committed; start again behind it."""
        self.next_seq += len(change.ledger)
        self.wakes = result.wakes
        self.clear()

    def clear(self) -> None:
        self.events.clear()
        self.executions.clear()
        self.open.clear()
        self.take.clear()
        self.close.clear()
        self.deliveries.clear()
        self.consume.clear()
        self.has_results = False
