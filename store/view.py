"""The rows that one transaction works on, in memory.

A transaction reads all rows that its changes may touch into a ``View``, each change is judged against it and applied to it
in turn, and at the end the view knows which rows to insert and which to update. So a change sees what the changes before
it did, one row changed ten times is written once, and the number of statements does not grow with the number of changes.

A row that is not in the view is not in the database: whoever fills it reads everything that the changes name.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from .audit import AuditDraft, AuditHead
from .drafts import DeliveryDraft, InboundDraft, PauseDraft, SessionDraft
from .errors import StoreCorruptError, StoreRefusedError
from .rows import DeliveryKind, ExecutionRow, InboundRow, LedgerRow, VoteRow

_POST = DeliveryKind.POST.value


def check_ids(session_id: str, message: InboundRow | None) -> None:
    """Raise ``StoreRefusedError`` (store.refused) for ids from outside that could be written and never found again."""
    ids = (session_id,) if message is None else (session_id, message.channel, message.external_id)
    if any("\0" in each for each in ids):
        raise StoreRefusedError("an id with a NUL character in it is not taken")


class View:
    """What is known, by id, and what is new."""

    __slots__ = (
        "_deliveries_of",
        "audit",
        "audit_heads",
        "deliveries",
        "executions",
        "has_news",
        "inbound",
        "ledger",
        "new_votes",
        "pauses",
        "sessions",
        "votes",
        "whole",
        "written_executions",
    )

    def __init__(self) -> None:
        self.sessions: dict[str, SessionDraft] = {}
        self.pauses: dict[str, PauseDraft] = {}
        self.deliveries: dict[tuple[str, str, str], DeliveryDraft] = {}
        """By (pause_id, kind, channel)."""
        self._deliveries_of: defaultdict[str, list[DeliveryDraft]] = defaultdict(list)
        self.whole: set[str] = set()
        """Pauses that are in the view for their deliveries: it has all of them."""
        self.votes: dict[str, list[VoteRow]] = {}
        """By pause, of those to be voted on."""
        self.new_votes: list[VoteRow] = []
        self.inbound: dict[tuple[str, str], InboundDraft] = {}
        self.executions: dict[tuple[str, str], ExecutionRow] = {}
        """By (session_id, execution_id): those written, and the running ones of sessions to be cancelled or accepted."""
        self.written_executions: set[tuple[str, str]] = set()
        self.ledger: list[LedgerRow] = []
        self.audit: list[AuditDraft] = []
        self.audit_heads: dict[str, AuditHead] = {}
        """By tenant, of those in ``audit``: where the chain ends when it is written."""
        self.has_news = False
        """Something was written that a supervisor may have to act on."""

    def session_of(self, pause: PauseDraft) -> SessionDraft:
        """Raises ``StoreCorruptError`` (store.corrupt) where it is not there."""
        if (session := self.sessions.get(pause.session_id)) is None:
            raise StoreCorruptError(
                f"there is no session {pause.session_id}, and a pause of it: a row is damaged; restore it from a copy"
            )
        return session

    def post_of(self, pause_id: str, channel: str) -> DeliveryDraft | None:
        return self.deliveries.get((pause_id, _POST, channel))

    def add_delivery(self, delivery: DeliveryDraft) -> None:
        self.deliveries[delivery.pause_id, delivery.kind, delivery.channel] = delivery
        self._deliveries_of[delivery.pause_id].append(delivery)

    def deliveries_of(self, pause_id: str) -> Sequence[DeliveryDraft]:
        """What is known of the deliveries of a pause, in no order that means anything."""
        return tuple(self._deliveries_of.get(pause_id, ()))

    def received(self, message: InboundRow) -> InboundDraft | None:
        """The message of the same id that was received before."""
        return self.inbound.get((message.channel, message.external_id))

    def receive(self, message: InboundRow) -> None:
        self.inbound[message.channel, message.external_id] = InboundDraft(
            message.channel,
            message.external_id,
            message.session_id,
            message.pause_id,
            message.consumed_at_ms,
            message.body_json,
            message,
        )

    def note(self, session: SessionDraft, kind: str, *, execution_id: str, body_json: str, now_ms: int) -> None:
        """Add an event of the session itself, of no step, to the ledger."""
        self.ledger.append(
            LedgerRow(
                session_id=session.session_id,
                seq=session.next_seq,
                execution_id=execution_id,
                kind=kind,
                key="",
                body_json=body_json,
                at_ms=now_ms,
            )
        )
        session.next_seq += 1

    def write_execution(self, row: ExecutionRow) -> None:
        key = (row.session_id, row.execution_id)
        self.executions[key] = row
        self.written_executions.add(key)
