"""The one way in for answers: Slack, mail, web, CLI, HTTP and code all come through here.

    shape -> look up -> status -> credential -> read the reply -> validate -> one conditional write

Nothing is written before the last, and whatever fails before it leaves the question waiting. An unknown id and another
tenant's give the same error, so that ids cannot be tried out.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Literal, Protocol, assert_never

from ..store.changes import SettleDelivery, SettleResult
from ..store.resolutions import CancelPause, ResolvePause, ResolveResult
from ..store.rows import AnswererKind, DeliveryKey, DeliveryKind, PauseKind, PauseRow, PauseStatus, Priority
from .answers import (
    Answered,
    ChannelCredential,
    Credential,
    Decision,
    OwnerCredential,
    Received,
    Reply,
    check_cancel,
    check_shape,
    inbound_of,
    responder_of,
)
from .asks import JsonValue
from .clock import Clock
from .endings import not_pending
from .errors import (
    ChannelRejectedError,
    EffectConflictError,
    PauseAlreadyVotedError,
    PauseNoReplyInterpreterError,
    PauseUnknownError,
    PauseWrongAnswererError,
)
from .jsontext import to_json
from .opening import whole_ask_of
from .privacy import listed_decision
from .quorum import QuorumRule, Standing, standing_of
from .reading import Stands, read_reply
from .roles import RoleBinding, Roles
from .surroundings import Outbox, Reviver
from .tickets import ticket_of
from .voting import VoteStore, ballots_of, listed_votes, vote


class AnswerStore(VoteStore, Protocol):
    """What answering needs of the store."""

    async def pause(self, pause_id: str) -> PauseRow | None: ...

    async def resolve_pause(self, change: ResolvePause) -> ResolveResult: ...

    async def cancel_pause(self, change: CancelPause) -> ResolveResult: ...

    async def settle_delivery(self, change: SettleDelivery) -> SettleResult: ...


class Answering:
    """Takes answers.

    Args:
        reviver: the supervisor of this process, which revives the session at once if it has room.
        outbox: takes closed questions back at once where this process can.
        person_of: who a responder is, by one name, whatever name a channel knows them by: nobody votes twice.
    """

    def __init__(
        self,
        *,
        store: AnswerStore,
        clock: Clock,
        roles: Roles,
        reviver: Reviver,
        outbox: Outbox,
        person_of: Callable[[str], str],
    ) -> None:
        self._store = store
        self._clock = clock
        self._roles = roles
        self._reviver = reviver
        self._outbox = outbox
        self._person_of = person_of

    async def answer(
        self,
        *,
        tenant: str,
        pause_id: str,
        answer: Decision | Reply,
        credential: Credential,
        received: Received | None = None,
        priority: int = Priority.RESUME,
        stands: Stands | None = None,
        read_within_s: float | None = None,
    ) -> Answered:
        """Record an answer.

        Args:
            read_within_s: a reply that takes longer to be read is not understood; None waits for its reader.

        Raises:
            PauseInvalidAnswerError: (pause.invalid-answer) an empty or overlong reply, an empty credential.
            PauseUnknownError: (pause.unknown) no such pause, or another tenant's.
            PauseNotPendingError: (pause.not-pending) it is closed; says who answered.
            EffectConflictError: (effect.conflict) the message it came in was received before as something else.
            PauseWrongAnswererError: (pause.wrong-answerer) the other kind of credential is wanted, or it has been escalated
                to others.
            PauseNotOwnerError: (pause.not-owner)
            PauseAlreadyVotedError: (pause.already-voted) it needs several people, and this one has answered.
            PauseUninterpretableReplyError: (pause.uninterpretable-reply) still pending.
            PauseNoReplyInterpreterError: (pause.no-reply-interpreter) still pending.
            PauseInvalidDecisionError: (pause.invalid-decision) still pending.
            BudgetExceededError: (budget.exceeded) still pending: the role's model is not asked any more.
            PiiRefusedError: (pii.refused) still pending: no model may read a reply to this question.
        """
        check_shape(answer, credential)
        pause = await self._store.pause(pause_id)
        if pause is None or pause.tenant != tenant or pause.kind != PauseKind.ASK:
            raise PauseUnknownError
        if pause.status != PauseStatus.PENDING:
            return await self._closed_already(pause, received)
        await self._refuse_if_late(pause)
        responder = responder_of(pause, credential)
        ask = whole_ask_of(pause)
        role = self._role_of(pause)
        by: Literal["decision", "rules", "model", "code"] = "decision"
        match answer:
            case Decision(value=value):
                resolution: Literal["decided", "replied"] = "decided"
                decision = role.validate(ask, value)
            case Reply(text=text):
                understood = await read_reply(role, ask, text, stands=stands, within_s=read_within_s)
                decision, by, resolution = understood.decision, understood.by, "replied"
        await self._refuse_if_late(pause)  # it may have passed while the reply was read
        listed = listed_decision(ask.form, decision)
        change = ResolvePause(
            pause_id=pause_id,
            resolution=resolution,
            answer_json=to_json(decision),
            responder=responder,
            decision_json=to_json(listed),
            inbound=None if received is None else inbound_of(received, pause, listed, self._clock.now_ms()),
            now_ms=self._clock.now_ms(),
            priority=priority,
        )
        result, standing = await self._record_from(change, pause, credential, role.for_people(ask.needs))
        return self._answered(result, pause, listed, by, standing)

    async def decide_at_once(self, pause: PauseRow, *, decision: JsonValue, answered_by: str, channel: str) -> None:
        """Record what a channel decided from within ``send``. Validated like any other; a bad one raises.

        Somebody may have answered while ``send`` was returning: then that answer stands, and this one is dropped. Where several
        people are needed it is one vote.

        Args:
            channel: that channel, by name; where others are asked by now, what it decided is dropped.

        Raises:
            PauseInvalidAnswerError: (pause.invalid-answer) it does not say who decided.
            PauseNotOwnerError: (pause.not-owner) only the session's owner may, and it was somebody else.
            PauseInvalidDecisionError: (pause.invalid-decision)
        """
        is_owners = pause.answerer == AnswererKind.OWNER
        by = (
            OwnerCredential(owner=answered_by)
            if is_owners
            else ChannelCredential(answered_by=answered_by, channel=channel)
        )
        check_shape(Decision(value=decision), by)
        responder_of(pause, by)
        ask = whole_ask_of(pause)
        role = self._role_of(pause)
        valid = role.validate(ask, decision)
        change = ResolvePause(
            pause_id=pause.pause_id,
            resolution="decided",
            answer_json=to_json(valid),
            responder=answered_by,
            decision_json=to_json(listed_decision(ask.form, valid)),
            inbound=None,
            now_ms=self._clock.now_ms(),
            priority=Priority.RESUME,
        )
        with suppress(PauseWrongAnswererError):
            await self._record_from(change, pause, by, role.for_people(ask.needs))

    async def standing_of(self, pause: PauseRow) -> Standing:
        """How a question stands that needs several people."""
        role = self._role_of(pause)
        rule = role.quorum or QuorumRule(needs=1, of=1)
        return standing_of(rule, ballots_of(await self._store.votes(pause.pause_id)))

    async def cancel(self, *, tenant: str, pause_id: str, by: str, reason: str) -> None:
        """Close a pause without an answer, as an operator: its step reads ``cancelled``; the session goes on.

        Raises:
            PauseInvalidAnswerError: (pause.invalid-answer) nobody is named, or the reason is overlong.
            PauseUnknownError: (pause.unknown)
            PauseNotPendingError: (pause.not-pending)
        """
        check_cancel(by, reason)
        pause = await self._store.pause(pause_id)
        if pause is None or pause.tenant != tenant:
            raise PauseUnknownError
        change = CancelPause(
            pause_id=pause.pause_id,
            answer_json=to_json({"reason": reason, "code": "pause.cancelled"}),
            responder=by,
            now_ms=self._clock.now_ms(),
        )
        result = await self._store.cancel_pause(change)
        if result.outcome != "resolved":
            raise not_pending(result.pause or pause)
        self._reviver.wake(pause.session_id)

    async def returned(self, *, tenant: str, pause_id: str, channel: str, reason: str) -> bool:
        """A question that a channel had sent has come back: nobody there has it. True if its step fails with that.

        It does if the question is still open and no other channel has it, or is about to.
        """
        pause = await self._store.pause(pause_id)
        if pause is None or pause.tenant != tenant:
            return False
        now_ms = self._clock.now_ms()
        change = SettleDelivery(
            delivery=DeliveryKey(pause_id, DeliveryKind.POST, channel),
            holder="",
            created_at_ms=0,
            outcome="returned",
            ref=None,
            error=reason,
            due_at_ms=now_ms,
            now_ms=now_ms,
            stranded_json=to_json({"reason": reason, "code": ChannelRejectedError.code}),
        )
        is_stranded = await self._store.settle_delivery(change) is SettleResult.STRANDED
        if is_stranded:
            self._reviver.wake(pause.session_id)
        return is_stranded

    async def pass_deadline(self, pause: PauseRow) -> bool:
        """The clock has reached the pause's deadline: a timer or an action fires, all else times out.

        False if it was closed before; or if it is an action, and neither due nor expired.
        """
        match pause.kind:
            case PauseKind.TIMER:
                return await self.fire(pause, answer={"due_at_ms": pause.deadline_at_ms})
            case PauseKind.ACTION if not (ticket := ticket_of(pause)).has_expired_at(now_ms := self._clock.now_ms()):
                # A clock that was set back meanwhile has reached neither of its times.
                return ticket.may_run_at(now_ms) and await self.fire(pause, answer={"due_at_ms": pause.deadline_at_ms})
            case _:
                role = self._roles.get(pause.role) if pause.kind == PauseKind.ASK else None
                votes = () if role is None or role.quorum is None else await self._store.votes(pause.pause_id)
                decision_json = listed_votes(pause, votes) if votes else None
                reason: JsonValue = {"reason": "timed out"}
                return await self._end(pause, "timed_out", answer=reason, by=None, decision_json=decision_json)

    async def fire(self, pause: PauseRow, *, answer: JsonValue, by: str | None = None) -> bool:
        """What the pause waits for has happened: its step reads the answer. False if it was closed before."""
        return await self._end(pause, "fired", answer=answer, by=by)

    async def _end(
        self,
        pause: PauseRow,
        resolution: Literal["fired", "timed_out"],
        *,
        answer: JsonValue,
        by: str | None,
        decision_json: str | None = None,
    ) -> bool:
        change = ResolvePause(
            pause_id=pause.pause_id,
            resolution=resolution,
            answer_json=to_json(answer),
            responder=by,
            decision_json=decision_json,
            inbound=None,
            now_ms=self._clock.now_ms(),
            priority=Priority.RESUME,
        )
        return (await self._resolve(change, pause)).outcome == "resolved"

    async def _record_from(
        self, change: ResolvePause, pause: PauseRow, credential: Credential, role: RoleBinding
    ) -> tuple[ResolveResult, Standing | None]:
        """Write the answer of somebody who may give it, looking again if others have come to be asked meanwhile.

        Raises:
            PauseWrongAnswererError: (pause.wrong-answerer) they have, and this person is not among them.
        """
        while True:
            result, standing = await self._record(replace(change, asked_in=pause.channel), pause, role)
            if result.outcome != "moved" or result.pause is None:
                return result, standing
            pause = result.pause
            responder_of(pause, credential)

    async def _record(
        self, change: ResolvePause, pause: PauseRow, role: RoleBinding
    ) -> tuple[ResolveResult, Standing | None]:
        if role.quorum is None:
            return await self._resolve(change, pause), None
        voter = self._person_of(change.responder or "")
        return await vote(store=self._store, role=role, pause=pause, change=change, voter=voter, resolve=self._resolve)

    async def _resolve(self, change: ResolvePause, pause: PauseRow) -> ResolveResult:
        """Write the answer; take the question back and revive the session in the same breath if there is room for it here."""
        granted = self._reviver.grant()
        claimed = None
        hold = self._outbox.hold(pause.channel, session_id=pause.session_id) if pause.is_sent else None
        try:
            result = await self._store.resolve_pause(replace(change, grant=granted, hold=hold))
            claimed = result.claimed
        finally:
            self._reviver.settle(granted, claimed)
        if result.pause is not None:
            for withdrawal in result.withdrawals:
                self._outbox.offer(withdrawal, result.pause)
        if result.outcome == "resolved" and claimed is None:
            self._reviver.wake(pause.session_id)
        return result

    async def _refuse_if_late(self, pause: PauseRow) -> None:
        """Its time may be up before any supervisor has said so: then it is closed as that, and the answer is not taken."""
        if pause.deadline_at_ms is not None and self._clock.now_ms() >= pause.deadline_at_ms:
            await self.pass_deadline(pause)
            raise not_pending(await self._store.pause(pause.pause_id) or pause)

    def _role_of(self, pause: PauseRow) -> RoleBinding:
        role = self._roles.get(pause.role)
        if role is None:
            raise PauseNoReplyInterpreterError(f"role {pause.role} is not deployed, so its answers cannot be checked")
        return role

    async def _closed_already(self, pause: PauseRow, received: Received | None) -> Answered:
        """Either this very message closed it, delivered again now; or somebody else did."""
        if received is not None:
            change = ResolvePause(
                pause_id=pause.pause_id,
                resolution="decided",
                answer_json="null",
                responder=None,
                decision_json=None,
                inbound=inbound_of(received, pause, None, self._clock.now_ms()),
                now_ms=self._clock.now_ms(),
                priority=Priority.RESUME,
            )
            result = await self._store.resolve_pause(change)
            if result.outcome != "not_pending":
                return self._answered(result, pause, None, "decision")
        raise not_pending(pause)

    def _answered(
        self,
        result: ResolveResult,
        pause: PauseRow,
        decision: JsonValue,
        by: Literal["decision", "rules", "model", "code"],
        standing: Standing | None = None,
    ) -> Answered:
        match result.outcome:
            case "resolved" | "voted":
                return Answered(
                    session_id=pause.session_id,
                    execution_id=pause.execution_id,
                    decision=decision,
                    by=by,
                    standing=standing,
                )
            case "voted_already":
                raise PauseAlreadyVotedError
            case "stale" | "moved":
                raise AssertionError("what was judged by an earlier state is judged again")
            case "duplicate":
                return Answered(
                    session_id=pause.session_id,
                    execution_id=pause.execution_id,
                    decision=None,
                    by=by,
                    is_duplicate=True,
                )
            case "not_pending":
                raise not_pending(result.pause or pause)
            case "conflict":
                raise EffectConflictError(
                    "the message of this id has been received before, and not as an answer to this question"
                )
            case "unknown":
                raise PauseUnknownError
            case _:
                assert_never(result.outcome)
