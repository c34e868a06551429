"""Rows while a transaction works on them: the same columns as in ``rows``, but they may be assigned.

Drafts are made positionally from what the driver returns, in the order of the table's columns, and cost a tenth of a
frozen row. They never leave the transaction: what a caller gets is frozen first.

In all of them ``old_status`` is the status that the database has; None marks a row that is still to be inserted.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Self

from .rows import DeliveryRow, InboundRow, PauseRow, SessionRow

_SESSION = tuple(field.name for field in fields(SessionRow))
_PAUSE = tuple(field.name for field in fields(PauseRow))
_DELIVERY = tuple(field.name for field in fields(DeliveryRow))

_session_values = attrgetter(*_SESSION)
_pause_values = attrgetter(*_PAUSE)
_delivery_values = attrgetter(*_DELIVERY)


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
    is_cancel_requested: bool
    created_at_ms: int
    updated_at_ms: int
    old_status: str | None = None
    old_epoch: int = 0
    is_changed: bool = False

    @classmethod
    def of(cls, row: SessionRow) -> Self:
        return cls(*_session_values(row))

    def frozen(self) -> SessionRow:
        return SessionRow(**dict(zip(_SESSION, _session_values(self), strict=True)))


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
    is_sent: bool
    channel_ref: str | None
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
        return PauseRow(**dict(zip(_PAUSE, _pause_values(self), strict=True)))


@dataclass(slots=True)
class DeliveryDraft:
    delivery_id: str
    pause_id: str
    session_id: str
    channel: str
    kind: str
    status: str
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
        return DeliveryRow(**dict(zip(_DELIVERY, _delivery_values(self), strict=True)))


@dataclass(slots=True)
class InboundDraft:
    """What is known of a received message; ``row`` is set while it is still to be inserted."""

    channel: str
    external_id: str
    session_id: str
    consumed_at_ms: int | None
    row: InboundRow | None = None
    is_changed: bool = False
