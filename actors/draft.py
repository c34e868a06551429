"""What one pass has to write next: it gathers what is new and turns it into one ``Advance``."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ..store.changes import Advance, ClosePause, Rest
from ..store.rows import DeliveryRow, ExecutionRow, InboundRow, LedgerRow, PauseRow
from .events import RESULT_KINDS, EventKind

_FACTS = RESULT_KINDS | {EventKind.STEP_RAISED, EventKind.STEP_STARTED}
_BINDING = _FACTS | {EventKind.JOIN_DECIDED}


@dataclass(slots=True, kw_only=True)
class Draft:
    """Changes of one session that are not committed yet."""

    session_id: str
    holder: str
    epoch: int
    next_seq: int
    wakes: int
    """The session's count when the pass last looked into the store: what has arrived since is still to be looked at."""
    events: list[LedgerRow] = field(default_factory=list[LedgerRow])
    executions: dict[str, ExecutionRow] = field(default_factory=dict[str, ExecutionRow])
    open: list[PauseRow] = field(default_factory=list[PauseRow])
    take: list[str] = field(default_factory=list[str])
    close: list[ClosePause] = field(default_factory=list[ClosePause])
    end: list[str] = field(default_factory=list[str])
    deliveries: list[DeliveryRow] = field(default_factory=list[DeliveryRow])
    consume: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    begun: set[str] = field(default_factory=set[str])
    """Children that are not in the store yet."""
    has_results: bool = False
    """Something is in here that has happened, or was decided, and must not be lost before the next outside effect."""

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
        if kind in _BINDING:
            self.has_results = True

    def begin(self, child: ExecutionRow) -> None:
        """A child is to be written before anything of it runs."""
        self.executions[child.execution_id] = child
        self.begun.add(child.execution_id)

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
        """Before the next outside effect: what has happened, what was decided and closed, what was begun."""
        return self.has_results or bool(self.close) or bool(self.begun)

    @property
    def is_empty(self) -> bool:
        return not (self.events or self.executions or self.open or self.take or self.close or self.end or self.consume)

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
            end=tuple(self.end),
            deliveries=tuple(self.deliveries),
            consume=tuple(self.consume),
            rest=rest,
        )

    def salvage(self, *, now_ms: int) -> Advance:
        """Only what has happened for sure: results of steps. For when the rest rests on an answer that has since come."""
        facts = [event for event in self.events if event.kind in _FACTS and event.execution_id not in self.begun]
        return Advance(
            session_id=self.session_id,
            holder=self.holder,
            epoch=self.epoch,
            now_ms=now_ms,
            ledger=tuple(replace(event, seq=self.next_seq + index) for index, event in enumerate(facts)),
        )

    def written(self, change: Advance) -> None:
        """``change`` is committed; start again behind it.

        The count of wakes stays: a write does not look. Taken from its result, the count would let the pass rest on an
        answer that another process recorded just before the write, and that nobody would come back for.
        """
        self.next_seq += len(change.ledger)
        self.clear()

    def clear(self) -> None:
        self.events.clear()
        self.executions.clear()
        self.open.clear()
        self.take.clear()
        self.close.clear()
        self.end.clear()
        self.deliveries.clear()
        self.consume.clear()
        self.begun.clear()
        self.has_results = False
