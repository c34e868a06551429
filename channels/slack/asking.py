"""Puts questions into threads, shows how far they are, and closes them: what the runtime asks of a channel.

A question is posted once. Before its first attempt it is written down that there is one, and every attempt after that looks in
the thread for what the earlier ones may have posted, by the key in its metadata.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace

from ...actors.asks import Ask, AwaitReply, ChoiceForm, JsonValue, Outcome, Progress, Relief, Reminder, Withdrawal
from ...actors.errors import ChannelRejectedError, ChannelUnreachableError
from ...actors.notes import Note
from ...actors.questions import AskedQuestion
from ...actors.reception import Reception
from ...store.rows import AnchorRow, AnswererKind
from .authority import Authority, Member
from .carried import PostKind, delivery_key, key_in, question_metadata
from .client import SlackClient
from .declared import SlackChannel, answerers_of
from .events import Author
from .messages import Message
from .notes import reminded
from .objects import Posted, Refused
from .people import Person
from .places import (
    Chat,
    Ref,
    Spot,
    asked_anchor,
    channel_of_message,
    message_anchor,
    message_body,
    ref_in,
    ref_of_message,
    spot_body,
    spot_in,
)
from .questions import closed, handed_on, progressed, question
from .refusals import GONE
from .threads import Threads

_TRIES = 3
"""Threads that are tried for one question: its session's own, the one in the role's channel, another one there."""
_TIDIED_AFTER_MS = 120_000

TIDY = "tidy"
"""The kind of a note to ourselves: see what became of an attempt."""
STRAY = "stray"
"""The kind of a note to ourselves: a message asks a question that was posted in another one, or not known to be posted."""


class SlackQuestions:
    """A declared channel over a connection.

    Args:
        authority: gives it once it is known who we are, which asks Slack.
    """

    def __init__(
        self,
        *,
        connection: str,
        declared: SlackChannel,
        client: SlackClient,
        threads: Callable[[], Threads],
        authority: Callable[[], Awaitable[Authority]],
        reception: Callable[[], Reception],
    ) -> None:
        self.name = declared.name
        self.declared = declared
        self._connection = connection
        self._client = client
        self._threads = threads
        self._authority = authority
        self._reception = reception

    # -- the runtime's side --------------------------------------------------------------------------------------------
    async def send(self, ask: Ask) -> Outcome:
        posted = await self._asked(ask)
        await self._reception().anchors.bind(
            self._row(
                ask,
                message_anchor(posted.channel_id, posted.ts),
                message_body(channel=self.name, thread_ts=posted.thread_ts, tenant=ask.tenant),
            )
        )
        return AwaitReply(ref=posted.as_text)

    async def update(self, progress: Progress) -> None:
        ref = ref_in(progress.ref)
        if ref is None:
            raise ChannelRejectedError("it is not known where in Slack the question stands")
        owner = await self._owner_of(progress.ask)
        await self._client.update(ref.channel_id, ref.ts, progressed(progress, channel=self.name, owner=owner))

    async def withdraw(self, withdrawal: Withdrawal) -> None:
        """Every message that asks the question says how it ended, and has no buttons.

        Raises:
            ChannelRejectedError: (channel.rejected) a message cannot be edited; the thread says how it ended, if it is there.
        """
        ask = withdrawal.ask
        refs = await self._refs(ask, withdrawal.ref)
        found = await self._reception().questions.find(tenant=ask.tenant, pause_id=ask.pause_id)
        at_ms = self._reception().clock.now_ms()
        message = closed(
            withdrawal,
            channel=self.name,
            at_ms=at_ms if found is None else found.resolved_at_ms or at_ms,
            by=await self._person(withdrawal.answered_by),
            details=None if found is None else told_of(found),
        )
        await self._show_ending(ask, refs, message, what="")

    async def remind(self, reminder: Reminder) -> None:
        """Say so in the thread, and in the channel around it, where those are who do not follow the thread."""
        ref = ref_in(reminder.ref)
        if ref is None:
            raise ChannelRejectedError("it is not known where in Slack the question stands")
        await self._said(ref, reminded(reminder, channel=self.name), is_broadcast=not ref.channel_id.startswith("D"))

    async def relieve(self, relief: Relief) -> None:
        """Every message that asks the question says who is asked instead, and has no buttons; raises as ``withdraw``."""
        refs = await self._refs(relief.ask, relief.ref)
        at_ms = self._reception().clock.now_ms()
        message = handed_on(relief.ask, channel=self.name, at_ms=at_ms, to=relief.asked_instead)
        await self._show_ending(relief.ask, refs, message, what=" handed on")

    async def tidy(self, asked: AskedQuestion) -> None:
        """Close what an attempt has posted of which nobody knew, if the question has closed before anybody found it.

        Raises:
            ChannelUnreachableError: (channel.unreachable) the question is still on its way.
        """
        ask = asked.ask
        if self.name in asked.refs:
            return  # posted, and known: whoever closes it takes it back
        if asked.is_open:
            raise ChannelUnreachableError("the question is still on its way", retry_after_s=60.0)
        marker = await self._reception().anchors.find(self._connection, asked_anchor(self.name, ask.pause_id))
        ref = None if marker is None else await self._found(ask, spot_in(marker))
        if ref is not None:
            await self.withdraw(withdrawal_of(asked, ref=ref.as_text))

    async def close_stray(self, asked: AskedQuestion, ref: Ref) -> None:
        """Close a message that asks a closed question, if it is not the one that whoever closed the question takes back."""
        if not asked.is_open and ref.as_text not in asked.refs.values():
            await self.withdraw(withdrawal_of(asked, ref=ref.as_text))

    # -- asking --------------------------------------------------------------------------------------------------------
    async def _asked(self, ask: Ask) -> Ref:
        for attempt in range(_TRIES):
            is_theirs = attempt == 0 and not ask.escalated_from  # others are asked where they are
            own = await self._own_thread(ask) if is_theirs else None
            spot = own or await self._threads().root_of(ask, self.declared)
            marker = self._row(ask, asked_anchor(self.name, ask.pause_id), self._marked(spot))
            standing = await self._reception().anchors.bind(marker)
            if standing.body_json == marker.body_json:
                await self._tidied_later(ask)
            elif (found := await self._found(ask, spot_in(standing))) is not None:
                return found
            if spot_in(standing) != spot:
                # An earlier attempt was in another thread, and nothing has come of it: this one is to be found by the next.
                await self._reception().anchors.replace_if(standing, self._marked(spot))
            owner = await self._owner_of(ask)
            posted = await self._client.post(
                spot.channel_id,
                question(ask, channel=self.name, owner=owner),
                thread_ts=spot.thread_ts,
                expecting=GONE,
            )
            if isinstance(posted, Posted):
                return Ref(channel_id=posted.channel_id, ts=posted.ts, thread_ts=spot.thread_ts)
            if own is None:
                await self._threads().forget(ask, self.declared, spot)
        raise ChannelUnreachableError("the session's thread was deleted again and again", retry_after_s=30.0)

    async def _tidied_later(self, ask: Ask) -> None:
        """Should the question close before an attempt at posting it is known to have worked, nobody would take it back."""
        note = Note(
            note_id=f"tidy:{self.name}:{ask.pause_id}",
            channel=self._connection,
            kind=TIDY,
            body={"channel": self.name, "tenant": ask.tenant, "pause_id": ask.pause_id},
            tenant=ask.tenant,
            session_id=ask.session_id,
            pause_id=ask.pause_id,
        )
        await self._reception().notes.write(note, delay_ms=_TIDIED_AFTER_MS)

    def _marked(self, spot: Spot) -> str:
        return spot_body(spot, by=self._reception().ids.uuid().hex)

    async def _found(self, ask: Ask, spot: Spot) -> Ref | None:
        """The question, if an earlier attempt has posted it there."""
        replies = await self._client.replies(spot.channel_id, spot.thread_ts, expecting=GONE)
        if isinstance(replies, Refused):
            return None
        key = delivery_key(PostKind.QUESTION, channel=self.name, pause_id=ask.pause_id)
        for each in replies:
            ts = each.ts("ts")
            if ts is not None and key_in(each.value("metadata")) == key:
                return Ref(channel_id=spot.channel_id, ts=ts, thread_ts=spot.thread_ts)
        return None

    async def _own_thread(self, ask: Ask) -> Spot | None:
        """The thread in which the session began, if somebody who may answer can be there."""
        found = await self._threads().chat_of(ask.session_id)
        if found is None:
            return None
        spot, chat = found
        if not spot.channel_id.startswith("D") or await self._may_answer_alone(ask, chat):
            return spot
        return None

    async def _may_answer_alone(self, ask: Ask, chat: Chat) -> bool:
        """Whether the one person in a direct message may answer there."""
        asked = await self._reception().questions.find(tenant=ask.tenant, pause_id=ask.pause_id)
        if asked is not None and asked.answerer is AnswererKind.OWNER:
            return True
        if self.declared.not_requester or ask.needs > 1:
            return False
        authority = await self._authority()
        member = await authority.member(Author(user_id=chat.owner_id or ""), team_id=None)
        return isinstance(member, Member) and await authority.is_one_of(member, answerers_of(self.declared))

    # -- closing -------------------------------------------------------------------------------------------------------
    async def _refs(self, ask: Ask, ref_text: str | None) -> list[Ref]:
        """Every message of this channel that asks a question."""
        rows = await self._reception().anchors.of_pause(self._connection, ask.pause_id)
        refs = [ref_of_message(row) for row in rows if channel_of_message(row) == self.name]
        if (ref := ref_in(ref_text)) is not None and ref not in refs:
            refs.append(ref)
        if not refs:
            raise ChannelRejectedError("it is not known where in Slack the question stands")
        return refs

    async def _show_ending(self, ask: Ask, refs: list[Ref], message: Message, *, what: str) -> None:
        """Edit each message; where Slack refuses that for good, say in the thread what it would have said.

        Args:
            what: tells what is said from what else may be said of the question's end.
        """
        refusals: list[ChannelRejectedError] = []
        for ref in refs:
            try:
                await self._client.update(ref.channel_id, ref.ts, message)
            except ChannelRejectedError as refused:
                refusals.append(refused)
                key = delivery_key(PostKind.FOLLOW_UP, channel=self.name, pause_id=f"{ask.pause_id} {ref.ts}{what}")
                with suppress(ChannelRejectedError):  # the thread is gone, too: what counts is why the message stays
                    await self._said(ref, replace(message, metadata=question_metadata(key)))
        if refusals:
            raise refusals[0]

    async def _said(self, ref: Ref, message: Message, *, is_broadcast: bool = False) -> None:
        """Post into the question's thread, if it is there and the message is not there yet."""
        replies = await self._client.replies(ref.channel_id, ref.thread_ts, expecting=GONE)
        is_there = not isinstance(replies, Refused)
        if is_there and not any(key_in(each.value("metadata")) == key_in(message.metadata) for each in replies):
            await self._client.post(ref.channel_id, message, thread_ts=ref.thread_ts, is_broadcast=is_broadcast)

    # -- people --------------------------------------------------------------------------------------------------------
    async def _owner_of(self, ask: Ask) -> Person:
        found = await self._threads().chat_of(ask.session_id)
        return Person(name=ask.owner, user_id=None if found is None else found[1].owner_id)

    async def _person(self, name: str | None) -> Person | None:
        """Whoever answered, as Slack knows them; by their name alone where it does not, or cannot be asked."""
        if name is None:
            return None
        try:
            return Person(name=name, user_id=await (await self._authority()).user_id_of(name))
        except (ChannelUnreachableError, ChannelRejectedError):
            return Person(name=name)

    def _row(self, ask: Ask, anchor: str, body_json: str) -> AnchorRow:
        return AnchorRow(
            channel=self._connection,
            anchor=anchor,
            session_id=ask.session_id,
            pause_id=ask.pause_id,
            body_json=body_json,
            created_at_ms=self._reception().clock.now_ms(),
        )


def withdrawal_of(asked: AskedQuestion, *, ref: str | None) -> Withdrawal:
    """How a closed question ended, as a channel is told.

    Raises:
        ChannelRejectedError: (channel.rejected) it never reached anybody, so there is nothing to take back.
    """
    why = asked.resolution
    if why not in ("decided", "replied", "timed_out", "withdrawn", "cancelled"):
        raise ChannelRejectedError(f"a question closed as {why} is not taken back")
    summary = asked.summary or ""
    return Withdrawal(ask=asked.ask, ref=ref, why=why, answered_by=asked.responder, summary=summary)


def told_of(found: AskedQuestion) -> str | None:
    """What was decided, beside that it was: a reason, what was changed, an answer. None where there is nothing to add."""
    match found.decision:
        case None:
            return None
        case {"approved": bool(), "reason": reason, "override_arguments": override, **_votes}:
            changed = "" if override is None else f"With {_written(override)}"
            return "\n".join(part for part in (reason or "", changed) if part) or None
        case str() as word if isinstance(found.ask.form, ChoiceForm):
            return word
        case answer:
            return _written(answer)


def _written(found: JsonValue) -> str:
    return found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)
