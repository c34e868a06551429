"""From a person who answers to an answer that is recorded, or to why not: their right to it, and what became of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import structlog

from ...actors.answers import ChannelCredential, Credential, Decision, OwnerCredential, Received, Reply
from ...actors.asks import JsonValue
from ...actors.errors import (
    BudgetExceededError,
    EffectConflictError,
    PauseAlreadyVotedError,
    PauseInvalidAnswerError,
    PauseInvalidDecisionError,
    PauseNoReplyInterpreterError,
    PauseNotOwnerError,
    PauseNotPendingError,
    PauseUninterpretableReplyError,
    PauseUnknownError,
    PauseWrongAnswererError,
    PiiRefusedError,
)
from ...actors.jsontext import from_json, is_same, to_json
from ...actors.questions import AskedQuestion
from ...actors.reading import Stands
from ...actors.reception import Reception
from ...store.rows import AnchorRow, AnswererKind
from ...store.values import value
from .authority import Authority, Member, Stranger
from .declared import SlackChannel, answerers_of, spoken
from .people import short
from .places import tenant_of_message, voter_anchor, voter_in
from .threads import Threads

_log = structlog.get_logger("overwinter.slack")

FORGOTTEN = (
    "this question is not known here: it was closed some time ago, or is asked by another service with the same app."
)


@value
class Taken:
    """It is recorded, or was by the same message before."""

    is_duplicate: bool


@value
class TooLate:
    """The question is closed.

    Attributes:
        why: one sentence.
        is_theirs: it was this person who answered, and in the same sense: a second click, say. Nothing is to be told.
    """

    why: str
    is_theirs: bool


@value
class Unclear:
    """Nothing is recorded, and the question is open: it was not understood, or does not fit."""

    reason: str
    so_far: str | None = None
    """What of it was understood, in words for them."""


@value
class NotCounted:
    """Nothing is recorded, and will not be from this person."""

    why: str


Given = Taken | TooLate | Unclear | NotCounted


def asked_elsewhere(asked: AskedQuestion) -> str:
    """Why those who were asked first may not answer any more."""
    return f"nobody answered in time, so {', '.join(map(short, asked.channels))} is asked now."


class Answers:
    """Gives answers in the names of those who may.

    Args:
        name: the connection's.
        channels: those of the app that lead to Slack, by name.
        read_within_s: a reply that takes longer to be read is asked for again.
    """

    def __init__(
        self,
        *,
        name: str,
        channels: Callable[[], Mapping[str, SlackChannel]],
        authority: Authority,
        threads: Threads,
        reception: Reception,
        read_within_s: float,
    ) -> None:
        self._name = name
        self._read_within_s = read_within_s
        self._channels = channels
        self._authority = authority
        self._threads = threads
        self._reception = reception

    def ours(self, asked: AskedQuestion) -> tuple[SlackChannel, ...]:
        """The channels of Slack that a question goes to."""
        channels = self._channels()
        return tuple(channels[name] for name in asked.channels if name in channels)

    async def find(self, *, tenant: str, pause_id: str) -> AskedQuestion | None:
        return await self._reception.questions.find(tenant=tenant, pause_id=pause_id)

    async def find_any(self, row: AnchorRow) -> AskedQuestion | None:
        """The question that an anchor is bound to."""
        tenant = tenant_of_message(row)
        if row.pause_id is None or tenant is None:
            return None
        return await self.find(tenant=tenant, pause_id=row.pause_id)

    def is_decided_by(self, asked: AskedQuestion, member: Member, decision: JsonValue) -> bool:
        """Whether somebody's decision of this sense has closed a question."""
        is_by_them = asked.responder is not None and self._authority.is_same_person(member, asked.responder)
        return is_by_them and is_same(_sense(decision), _sense(asked.decision))

    async def right_of(
        self, member: Member, asked: AskedQuestion, *, in_channel: str | None = None
    ) -> Credential | Stranger:
        """By what right somebody may answer a question; why not, if they may not.

        Args:
            in_channel: the name of the channel whose message they answered; None if that is not known.

        Raises:
            ChannelUnreachableError: (channel.unreachable) Slack could not be asked who they are.
        """
        if asked.answerer is AnswererKind.OWNER:
            if await self._is_owner(member, asked):
                return OwnerCredential(owner=asked.ask.owner)
            return Stranger(
                why=f"only {short(asked.ask.owner)}, for whom {short(asked.ask.bot)} works, may answer this."
            )
        refused: list[str] = []
        for declared in self.ours(asked):
            if in_channel is not None and declared.name != in_channel:
                continue
            answerers = answerers_of(declared)
            if not await self._authority.is_one_of(member, answerers):
                refused.append(f"only {spoken(answerers)} may answer this.")
            elif declared.not_requester and await self._is_owner(member, asked):
                refused.append("somebody else than the one it is for has to answer this.")
            else:
                name = await self._voter_name(member, asked)
                return ChannelCredential(answered_by=name, channel=declared.name)
        if not refused and asked.ask.escalated_from:
            return Stranger(why=asked_elsewhere(asked))
        others = "others are asked now." if in_channel is not None else "this question is not answered in Slack."
        return Stranger(why=refused[0] if refused else others)

    async def give(
        self,
        asked: AskedQuestion,
        member: Member,
        credential: Credential,
        answer: Decision | Reply,
        *,
        external_id: str,
        stands: Stands | None = None,
    ) -> Given:
        """Record an answer; its transaction is committed when this returns.

        Args:
            external_id: of what they did; the same one again has no effect.
            stands: as for ``Answering.answer``.
        """
        try:
            answered = await self._reception.answering.answer(
                tenant=asked.ask.tenant,
                pause_id=asked.ask.pause_id,
                answer=answer,
                credential=credential,
                received=Received(channel=self._name, external_id=external_id),
                stands=stands,
                read_within_s=self._read_within_s,
            )
        except (PauseNotPendingError, PauseAlreadyVotedError) as error:
            return await self._late(asked, member, answer, str(error))
        except PauseUnknownError:
            return TooLate(why=FORGOTTEN, is_theirs=False)
        except (PauseWrongAnswererError, PauseNotOwnerError) as error:
            return NotCounted(why=str(error))
        except EffectConflictError:
            # The same message was an answer to another question, or the beginning of a session: there it counts.
            _log.info("slack.counted-elsewhere")
            return Taken(is_duplicate=True)
        except PauseUninterpretableReplyError as error:
            return Unclear(reason=str(error), so_far=error.so_far)
        except (
            PauseNoReplyInterpreterError,
            PauseInvalidDecisionError,
            PauseInvalidAnswerError,
            BudgetExceededError,
            PiiRefusedError,
        ) as error:
            return Unclear(reason=str(error))
        return Taken(is_duplicate=answered.is_duplicate)

    async def voters(self, asked: AskedQuestion) -> frozenset[str]:
        """The users who have answered a question that needs several people, or were asked again by it."""
        rows = await self._reception.anchors.of_pause(self._name, asked.ask.pause_id)
        return frozenset(user_id for row in rows if (user_id := voter_in(row)) is not None)

    async def has_answered(self, asked: AskedQuestion, member: Member, *, external_id: str) -> bool:
        """Whether a closed question was closed by this very message."""
        # A closed question takes nothing: all that is found out is whether the message was taken before.
        by = OwnerCredential(owner=asked.ask.owner) if asked.answerer is AnswererKind.OWNER else None
        credential = by or ChannelCredential(answered_by=member.name)
        given = await self.give(asked, member, credential, Decision(value=None), external_id=external_id)
        return given == Taken(is_duplicate=True)

    async def _late(self, asked: AskedQuestion, member: Member, answer: Decision | Reply, why: str) -> TooLate:
        now = await self.find(tenant=asked.ask.tenant, pause_id=asked.ask.pause_id) or asked
        is_by_them = now.responder is not None and self._authority.is_same_person(member, now.responder)
        says_the_same = isinstance(answer, Decision) and is_same(_sense(answer.value), _sense(now.decision))
        return TooLate(why=f"{why}.", is_theirs=is_by_them and says_the_same)

    async def _is_owner(self, member: Member, asked: AskedQuestion) -> bool:
        chat = await self._threads.chat_of(asked.ask.session_id)
        if chat is not None and chat[1].owner_id == member.user_id:
            return True
        return self._authority.is_same_person(member, asked.ask.owner)

    async def _voter_name(self, member: Member, asked: AskedQuestion) -> str:
        """The name that counts. Where several people are needed it is the same for all that one user does.

        Their address may change in between, or stop being shown to us.
        """
        if asked.ask.needs == 1:
            return member.name
        row = AnchorRow(
            channel=self._name,
            anchor=voter_anchor(asked.ask.pause_id, member.user_id),
            session_id=asked.ask.session_id,
            pause_id=asked.ask.pause_id,
            body_json=to_json(member.name),
            created_at_ms=self._reception.clock.now_ms(),
        )
        return from_json((await self._reception.anchors.bind(row)).body_json)


def _sense(decision: JsonValue) -> JsonValue:
    """What a decision comes to, for telling a second click from another mind."""
    match decision:
        case {"approved": bool() as approved}:
            return approved
        case _:
            return decision
