"""The store without a database, on a page: who wins, one change at a time."""

from __future__ import annotations

from dataclasses import dataclass, field

from overwinter.store.changes import Advance, CancelSession, Change, Claim, PostMessage, RenewLeases, StartSession
from overwinter.store.resolutions import CancelPause, ResolvePause
from overwinter.store.rows import TERMINAL_SESSION_STATUSES, InboundRow

from .examples import T0


@dataclass
class ModelSession:
    status: str = "ready"
    priority: int = 100
    due_at_ms: int = T0
    holder: str | None = None
    epoch: int = 0
    until_ms: int = 0
    wakes: int = 0
    events: int = 0


@dataclass
class Model:
    """Who wins, without a database: sessions, pauses and received messages, one change at a time."""

    sessions: dict[str, ModelSession] = field(default_factory=dict[str, ModelSession])
    pauses: dict[str, str] = field(default_factory=dict[str, str])
    received: dict[tuple[str, str], InboundRow] = field(default_factory=dict[tuple[str, str], InboundRow])

    def outcome(self, change: Change) -> object:
        """What the caller of ``change`` is told; None where the model has no opinion."""
        match change:
            case StartSession(session=row, message=first):
                assert first is not None
                if row.session_id in self.sessions or (first.channel, first.external_id) in self.received:
                    return "duplicate"
                self.sessions[row.session_id] = ModelSession()
                self.received[first.channel, first.external_id] = first
                return "started"
            case PostMessage(message=row):
                return self._post(row)
            case Claim():
                return self._claim(change)
            case RenewLeases():
                return self._renew(change)
            case Advance():
                return self._advance(change)
            case ResolvePause():
                return self._close(change.pause_id, "resolved", change.inbound)
            case CancelPause():
                return self._close(change.pause_id, "cancelled", None)
            case CancelSession():
                return self._cancel(change.session_id)
            case _:
                return None

    def _post(self, row: InboundRow) -> str:
        if row.session_id not in self.sessions:
            return "unknown_session"
        if (known := self.received.get((row.channel, row.external_id))) is not None:
            is_same = known.pause_id is not None or known.body_json == row.body_json
            return "duplicate" if is_same and known.session_id == row.session_id else "conflict"
        if self.sessions[row.session_id].status in TERMINAL_SESSION_STATUSES:
            return "ended_session"
        self.received[row.channel, row.external_id] = row
        self._wake(row.session_id)
        return "posted"

    def _wake(self, session_id: str) -> None:
        one = self.sessions[session_id]
        one.wakes += 1
        if one.status in ("waiting", "idle"):
            one.status, one.priority, one.due_at_ms = "ready", 50, T0
        elif one.status in ("ready", "running"):
            one.priority = min(one.priority, 50)

    def _claim(self, change: Claim) -> list[tuple[str, int]]:
        due = [
            (one.priority, one.due_at_ms, key)
            for key, one in self.sessions.items()
            if (one.status == "ready" and one.due_at_ms <= change.now_ms)
            or (one.status == "running" and one.until_ms <= change.now_ms)
        ]
        claimed = [key for _, _, key in sorted(due)][: change.limit]
        for key in claimed:
            one = self.sessions[key]
            one.status, one.holder, one.until_ms = "running", change.holder, change.until_ms
            one.epoch += 1
        return [(key, self.sessions[key].epoch) for key in claimed]

    def _renew(self, change: RenewLeases) -> set[str]:
        kept = {key for key, epoch in change.epochs.items() if self._holds(key, change.holder, epoch)}
        for key in kept:
            self.sessions[key].until_ms = change.until_ms
        return change.epochs.keys() - kept

    def _holds(self, session_id: str, holder: str, epoch: int) -> bool:
        one = self.sessions.get(session_id)
        return one is not None and (one.status, one.holder, one.epoch) == ("running", holder, epoch)

    def _advance(self, change: Advance) -> object:
        if not self._holds(change.session_id, change.holder, change.epoch):
            return "lease_lost"
        one = self.sessions[change.session_id]
        opened = [pause.pause_id for pause in change.open]
        believed = all(self.pauses.get(key) in ("resolved", "cancelled") for key in change.take)
        if not believed or any(self.pauses.get(closing.pause_id) != "pending" for closing in change.close):
            return "stale"
        if any(self.pauses.get(key) != "resolved" for key in change.end):
            return "stale"
        if (change.ledger and change.ledger[0].seq != one.events) or any(key in self.pauses for key in opened):
            return "refused"
        one.events += len(change.ledger)
        self.pauses |= dict.fromkeys(opened, "pending")
        self.pauses |= {key: "taken" for key in change.take if self.pauses[key] == "resolved"}
        self.pauses |= {closing.pause_id: "cancelled" for closing in change.close}
        self.pauses |= dict.fromkeys(change.end, "cancelled")
        if change.rest is None or change.rest.wakes != one.wakes:
            return ("done", False)
        one.status, one.holder, one.due_at_ms = change.rest.status, None, change.rest.due_at_ms
        return ("done", True)

    def _close(self, pause_id: str, status: str, inbound: InboundRow | None) -> str:
        if pause_id not in self.pauses:
            return "unknown"
        known = None if inbound is None else self.received.get((inbound.channel, inbound.external_id))
        if inbound is not None and known is not None:
            return "duplicate" if known.pause_id == inbound.pause_id else "conflict"
        if self.pauses[pause_id] != "pending":
            return "not_pending"
        if inbound is not None:
            self.received[inbound.channel, inbound.external_id] = inbound
        self.pauses[pause_id] = status
        self._wake(pause_id.split()[0])
        return "resolved"

    def _cancel(self, session_id: str) -> str:
        if session_id not in self.sessions:
            return "unknown_session"
        one = self.sessions[session_id]
        if one.status in TERMINAL_SESSION_STATUSES:
            return "already_ended"
        self.pauses |= {
            key: "cancelled"
            for key, status in self.pauses.items()
            if key.startswith(session_id) and status in ("pending", "resolved")
        }
        one.status, one.holder, one.events = "cancelled", None, one.events + 1
        return "cancelled"
