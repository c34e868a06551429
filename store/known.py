"""Rows as the last transactions have left them, so that the next one need not read again what this connection has just written.

They are good for as long as nobody else has written: before they are used, the database is asked, inside the transaction that
holds the write lock, whether another connection has committed since. Rows leave for the view of the transaction that wants
them, and come back when it is committed: one that is rolled back has nothing to undo here.

Only what is there is known. That a row is not there is asked of the database each time.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from .audit import AuditHead
from .drafts import DeliveryDraft, InboundDraft, PauseDraft, SessionDraft
from .view import View

K = TypeVar("K")
V = TypeVar("V")

MOST_ROWS = 1024
"""Of each kind: those of the sessions that move now. It is memory that does not grow with sessions that wait."""

LONGEST = 16_384
"""Texts of more letters in all are read again."""


class Known:
    """What a writer knows between its transactions."""

    def __init__(self) -> None:
        self._version: int | None = None
        self.sessions: dict[str, SessionDraft] = {}
        self.pauses: dict[str, PauseDraft] = {}
        self.inbound: dict[tuple[str, str], InboundDraft] = {}
        """Messages that no execution has taken in yet."""
        self.deliveries: dict[str, list[DeliveryDraft]] = {}
        """By pause: all that it has."""
        self.audit_heads: dict[str, AuditHead] = {}
        """By tenant."""

    @property
    def _all(self) -> tuple[dict[Any, Any], ...]:
        return self.sessions, self.pauses, self.inbound, self.deliveries, self.audit_heads

    def check(self, version: int | None) -> None:
        """Forget everything if another connection has written since the last transaction.

        Args:
            version: changes with each such write; None where the database cannot tell, and then nothing is ever known.
        """
        if version is None or version != self._version:
            for rows in self._all:
                rows.clear()
        self._version = version

    def forget(self, pause_ids: Iterable[str]) -> None:
        """They are deleted."""
        for pause_id in pause_ids:
            self.pauses.pop(pause_id, None)
            self.deliveries.pop(pause_id, None)

    def take_deliveries(self, pause_ids: Iterable[str], view: View) -> list[str]:
        """As ``take``."""
        unknown: list[str] = []
        for pause_id in pause_ids:
            if (found := self.deliveries.pop(pause_id, None)) is None:
                unknown.append(pause_id)
                continue
            for each in found:
                view.add_delivery(each)
        return unknown

    def leave_to(self, view: View) -> None:
        """Forget what a view has read for itself: a later view of the same transaction is not to find it as it was before."""
        for session_id in view.sessions:
            self.sessions.pop(session_id, None)
        for pause_id in view.pauses:
            self.pauses.pop(pause_id, None)
        for delivery in view.deliveries.values():
            self.deliveries.pop(delivery.pause_id, None)

    def keep(self, view: View) -> None:
        """The view is committed: its rows are what the database has."""
        if self._version is None:
            return
        for session in view.sessions.values():
            session.old_status, session.old_epoch = session.status, session.lease_epoch
            session.is_changed = False
            self.sessions[session.session_id] = session
        self._keep_deliveries(view)
        for pause in view.pauses.values():
            pause.old_status = pause.status
            pause.is_changed = False
            if len(pause.ask_json) + len(pause.answer_json or "") <= LONGEST:
                self.pauses[pause.pause_id] = pause
        for key, message in view.inbound.items():
            if message.consumed_at_ms is None and len(message.body_json) <= LONGEST:
                message.row = None
                message.is_changed = False
                self.inbound[key] = message
        self.audit_heads.update(view.audit_heads)
        for rows in self._all:
            _drop_oldest(rows)

    def _keep_deliveries(self, view: View) -> None:
        opened = [pause.pause_id for pause in view.pauses.values() if pause.old_status is None]
        for pause_id in (*view.whole, *opened):
            self.deliveries[pause_id] = []
        for row in view.deliveries.values():
            row.old_status, row.old_holder = row.status, row.holder
            row.is_changed = False
            if (known := self.deliveries.get(row.pause_id)) is not None:
                known[:] = [each for each in known if (each.kind, each.channel) != (row.kind, row.channel)]
                known.append(row)


def take(known: dict[K, V], wanted: Iterable[K], into: dict[K, V]) -> list[K]:
    """Move what is known into a view; returns the keys of what has to be read."""
    unknown: list[K] = []
    for key in wanted:
        if (row := known.pop(key, None)) is None:
            unknown.append(key)
        else:
            into[key] = row
    return unknown


def _drop_oldest(rows: dict[K, V]) -> None:
    for key in list(rows)[: max(0, len(rows) - MOST_ROWS)]:
        del rows[key]
