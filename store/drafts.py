"""Rows while a transaction works on them: the same columns as in ``rows``, but they may be assigned.

Drafts are made positionally from what the driver returns, in the order of the table's columns, and cost a tenth of a
frozen row. They never leave the transaction: what a caller gets is frozen first.

A flag that was read is still the number that the database has for it. In all of them ``old_status`` is the status that the
database has; None marks a row that is still to be inserted.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import Self

from .freezing import maker, names_of
from .rows import DeliveryRow, InboundRow, PauseRow, SessionRow

_session_values = attrgetter(*names_of(SessionRow))
_pause_values = attrgetter(*names_of(PauseRow))
_delivery_values = attrgetter(*names_of(DeliveryRow))
_session_row = maker(SessionRow)
_pause_row = maker(PauseRow)
_delivery_row = maker(DeliveryRow)


@dataclass(slots=True)
class SessionDraft:
    session_id: str
    tenant: str
    owner: str
    surface: str
    program: str
    status: str
    reason: str | None
    priority: int
    due_at_ms: int
    lease_holder: str | None
    lease_epoch: int
    lease_until_ms: int
    wakes: int
    attempts: int
    next_seq: int
    is_cancel_requested: bool | int
    created_at_ms: int
    updated_at_ms: int
    old_status: str | None = None
    old_epoch: int = 0
    is_changed: bool = False

    @classmethod
    def of(cls, row: SessionRow) -> Self:
        return cls(*_session_values(row))

    def frozen(self) -> SessionRow:
        return _session_row(_session_values(self))


@dataclass(slots=True)
class PauseDraft:
    pause_id: str
    tenant: str
    session_id: str
    execution_id: str
    key: str
    kind: str
    role: str
    channel: str
    answerer: str
    owner: str
    status: str
    is_sent: bool | int
    ask_json: str
    asked_at_ms: int
    deadline_at_ms: int | None
    resolution: str | None
    answer_json: str | None
    responder: str | None
    resolved_at_ms: int | None
    old_status: str | None = None
    is_changed: bool = False

    @classmethod
    def of(cls, row: PauseRow) -> Self:
        return cls(*_pause_values(row))

    def frozen(self) -> PauseRow:
        return _pause_row(_pause_values(self))


@dataclass(slots=True)
class DeliveryDraft:
    pause_id: str
    kind: str
    channel: str
    session_id: str
    status: str
    ref: str | None
    due_at_ms: int
    attempts: int
    last_error: str | None
    holder: str | None
    held_until_ms: int
    created_at_ms: int
    settled_at_ms: int | None
    old_status: str | None = None
    old_holder: str | None = None
    is_changed: bool = False

    @classmethod
    def of(cls, row: DeliveryRow) -> Self:
        return cls(*_delivery_values(row))

    def frozen(self) -> DeliveryRow:
        return _delivery_row(_delivery_values(self))


@dataclass(slots=True)
class InboundDraft:
    """What is known of a received message; ``row`` is set while it is still to be inserted."""

    channel: str
    external_id: str
    session_id: str
    pause_id: str | None
    consumed_at_ms: int | None
    body_json: str
    row: InboundRow | None = None
    is_changed: bool = False
