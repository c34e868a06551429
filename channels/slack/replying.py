"""What people write in threads: which question it answers, what becomes of it, and what they are told.

The rules, in this order.

1. Words count only for questions that were there when they were written, and only from those who may answer.
2. A reply that names a question (``Q417: yes``) is for that one. If one is open, it is for that one. Of several it is asked which.
3. Whoever talks with a bot in the thread, and answers nothing there, talks to the bot.
4. Once something of a question was not understood, or somebody else has spoken after it, a mere "ok" that does not name the
   question is no answer to it: it may be said to an explanation, or to a warning.
5. What is not understood is asked again, in the thread, and the question stays open.

An edit is a reply with other words, to the questions that were there when the message was first written: while none of them has
taken it, the latest words count, once, and those before it count no more, even if they are just being read. When a message
has decided something, it has: neither a later edit nor its deletion changes that, and the thread is told so.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import structlog

from ...actors.answers import Credential, Received, Reply
from ...actors.errors import EffectConflictError, PauseUninterpretableReplyError, SessionEndedError, SessionUnknownError
from ...actors.notes import Note
from ...actors.questions import AskedQuestion
from ...actors.reception import Reception
from ...store.rows import AnchorRow
from ...store.values import value
from .answers import Answers, NotCounted, Taken, TooLate, Unclear, asked_elsewhere
from .authority import Authority, Member, Stranger
from .heard import Heard, at_ms, heard_in, is_after
from .messages import Message
from .naming import is_acknowledgement, label_of, named_in, with_label
from .notes import asked_again, came_too_late, edited_too_late, ended, refused, which_one
from .places import Chat, Ref, change_in, changed_anchor, chat_in, ref_in, ref_of_message, thread_anchor
from .telling import Cause, Teller

_log = structlog.get_logger("overwinter.slack")

_MOST_CLOSED = 20
"""Closed questions of a thread that are looked at for whether a message had answered them; the newest."""


_ACKNOWLEDGED = "After what was said here, that may mean no more than that you have read it."
_CLOCKS_APART_MS = 2_000


@value
class _Candidate:
    """A question that somebody may answer here, and by what right."""

    asked: AskedQuestion
    right: Credential


@value
class _Open:
    """The open questions of a thread, for one person.

    Attributes:
        theirs: those that they may answer.
        why_not: why they may not answer the others; None if there are none.
    """

    theirs: tuple[_Candidate, ...]
    why_not: str | None
    refused_of: AskedQuestion | None


class Replying:
    """Deals with words that were heard."""

    def __init__(
        self, *, name: str, authority: Authority, answers: Answers, teller: Teller, reception: Reception
    ) -> None:
        self._name = name
        self._authority = authority
        self._answers = answers
        self._teller = teller
        self._reception = reception

    async def deal_with(self, note: Note) -> None:
        """Deal with words that were kept; doing it again after a crash comes to the same.

        Raises:
            ChannelUnreachableError: (channel.unreachable) Slack could not be asked who wrote them.
        """
        heard = heard_in(note)
        row = await self._reception.anchors.find(self._name, thread_anchor(heard.spot))
        if row is None or row.session_id is None:
            return
        member = await self._authority.member(heard.author, team_id=heard.team_id)
        opened = await self._open_for(member, heard, row.session_id, note.tenant)
        if isinstance(member, Stranger):
            await self._turn_away(heard, note, opened)
            return
        if not await self._stands(heard):
            return  # they are other words by now, or none: what changed them is dealt with after this
        if heard.what != "wrote" and await self._has_counted(heard, note, row, member):
            return
        if heard.what == "deleted":
            return
        await self._answer(heard, note, chat_in(row), member, opened)

    # -- which question ------------------------------------------------------------------------------------------------
    async def _open_for(self, member: Member | Stranger, heard: Heard, session_id: str, tenant: str) -> _Open:
        theirs: list[_Candidate] = []
        why_not: str | None = None
        refused_of: AskedQuestion | None = None
        for asked in await self._reception.questions.open_in(tenant=tenant, session_id=session_id):
            if not self._stood_there(asked, heard):
                if isinstance(member, Member) and _was_handed_on(asked, heard):
                    why_not, refused_of = asked_elsewhere(asked), asked
                continue
            right = member if isinstance(member, Stranger) else await self._answers.right_of(member, asked)
            if isinstance(right, Stranger):
                why_not, refused_of = right.why, asked
            else:
                theirs.append(_Candidate(asked=asked, right=right))
        return _Open(theirs=tuple(theirs), why_not=why_not, refused_of=refused_of)

    def _stood_there(self, asked: AskedQuestion, heard: Heard) -> bool:
        """Whether a question had been asked in this thread when the words were written."""
        channels = self._answers.ours(asked)
        if not channels:
            return False
        refs = [ref for each in channels if (ref := ref_in(asked.refs.get(each.name))) is not None]
        if not refs:
            # On its way, or just arrived; ours may be ahead of Slack's clock by little.
            return at_ms(heard.at_ts) >= asked.ask.asked_at_ms - _CLOCKS_APART_MS
        return any(ref.spot == heard.spot and is_after(heard.at_ts, ref.ts) for ref in refs)

    async def _answer(self, heard: Heard, note: Note, chat: Chat, member: Member, opened: _Open) -> None:
        is_chatting = chat.owner_id == member.user_id
        theirs = {each.asked.ask.pause_id: each for each in opened.theirs}
        named = named_in(heard.text)
        if named is not None and (theirs or not is_chatting):
            found = with_label(named.label, theirs)
            if len(found) == 1:
                await self._give(heard, note, member, theirs[found[0]], named.text)
                return
            if not found and (closed := await self._closed_named(named.label, heard, note)) is not None:
                await self._too_late(heard, note, member, closed, f"{closed.summary}.")
                return
            if theirs:
                await self._ask_which(heard, note, opened.theirs)
                return
        if len(theirs) > 1:
            await self._ask_which(heard, note, opened.theirs)
        elif theirs:
            await self._give(heard, note, member, opened.theirs[0], heard.text)
        elif is_chatting:
            await self._say_to_bot(heard, note)
        elif opened.refused_of is not None:
            await self._turn_away(heard, note, opened)
        else:
            await self._tell_late(heard, note, member)

    # -- what becomes of it --------------------------------------------------------------------------------------------
    async def _give(self, heard: Heard, note: Note, member: Member, candidate: _Candidate, text: str) -> None:
        asked = candidate.asked
        talked_of = f"again:{asked.ask.pause_id}"
        is_talk = is_acknowledgement(text) and (
            await self._teller.times_said(talked_of) > 0 or await self._others_spoke(heard, asked)
        )
        if is_talk:
            # Something was asked or explained in between: this may say that it was read.
            again = asked_again(asked.ask, reason=_ACKNOWLEDGED, said=heard.text)
            await self._teller.say(_cause(heard.external_id, note, asked), heard.spot, again, counted_as=talked_of)
            return
        given = await self._answers.give(
            asked,
            member,
            candidate.right,
            Reply(text=text),
            external_id=heard.external_id,
            stands=partial(self._stands, heard),
        )
        match given:
            case Taken():
                pass
            case TooLate(why=why):
                if not await self._answers.has_answered(asked, member, external_id=heard.external_id):
                    await self._too_late(heard, note, member, asked, why)
            case NotCounted(why=why):
                await self._whisper(heard, note, asked, refused(why))
            case Unclear() if not await self._stands(heard):
                pass
            case Unclear(reason=reason, so_far=so_far):
                again = asked_again(asked.ask, reason=reason, said=heard.text, understood=so_far)
                cause = _cause(heard.external_id, note, asked)
                await self._teller.say(cause, heard.spot, again, counted_as=talked_of)

    async def _others_spoke(self, heard: Heard, asked: AskedQuestion) -> bool:
        """Whether words that name no question may be meant for somebody else's, said after the question was asked."""
        if named_in(heard.text) is not None:
            return False
        refs = [ref for text in asked.refs.values() if (ref := ref_in(text)) is not None and ref.spot == heard.spot]
        written_ts = heard.at_ts if heard.what == "wrote" else heard.external_id.rpartition(":")[2]
        return await self._teller.others_spoke(
            heard.spot,
            after_ts=refs[0].ts if refs else heard.spot.thread_ts,
            before_ts=written_ts,
            but=await self._answers.voters(asked) | {heard.author.user_id},
        )

    async def _stands(self, heard: Heard) -> bool:
        """Whether these are still the words of the message."""
        row = await self._reception.anchors.find(self._name, changed_anchor(heard.original_id))
        return row is None or change_in(row) == heard.external_id

    async def _ask_which(self, heard: Heard, note: Note, candidates: Sequence[_Candidate]) -> None:
        questions = [(label_of(each.asked.ask.pause_id), each.asked.ask) for each in candidates]
        await self._teller.say(_cause(heard.external_id, note), heard.spot, which_one(questions))

    async def _say_to_bot(self, heard: Heard, note: Note) -> None:
        """The session's owner goes on talking with it. The edit of a message that was said is not said again."""
        if heard.what != "wrote" or note.session_id is None or not heard.text.strip():
            return
        received = Received(channel=self._name, external_id=heard.external_id)
        cause = _cause(heard.external_id, note)
        try:
            await self._reception.sessions.say(
                tenant=note.tenant, session_id=note.session_id, text=heard.text, received=received
            )
        except PauseUninterpretableReplyError as error:
            await self._teller.say(cause, heard.spot, ended(str(error)))
        except (SessionEndedError, SessionUnknownError):
            await self._teller.say(
                cause, heard.spot, ended("This conversation has ended. Mention me to begin another.")
            )
        except EffectConflictError:
            _log.info("slack.counted-elsewhere")

    # -- what does not count -------------------------------------------------------------------------------------------
    async def _turn_away(self, heard: Heard, note: Note, opened: _Open) -> None:
        """Somebody who may not answer wrote where a question is open. They are told once for each question: people talk."""
        if opened.refused_of is None or heard.what != "wrote":
            return
        _log.info("slack.answer-refused", user=heard.author.user_id, reason=opened.why_not)
        await self._whisper(heard, note, opened.refused_of, refused(opened.why_not or ""))

    async def _tell_late(self, heard: Heard, note: Note, member: Member) -> None:
        """Somebody who could have answered writes where nothing is open any more: told once, for it may be small talk."""
        closed = await self._closed(heard, note)
        if closed and heard.what == "wrote" and is_after(heard.at_ts, closed[-1][0].ts):
            asked = closed[-1][1]
            if await self._answers.has_answered(asked, member, external_id=heard.external_id):
                return  # told again after it was recorded
            if not isinstance(await self._answers.right_of(member, asked), Stranger):
                await self._whisper(heard, note, asked, came_too_late(f"{asked.summary}."))

    async def _too_late(self, heard: Heard, note: Note, member: Member, asked: AskedQuestion, why: str) -> None:
        await self._whisper(heard, note, asked, came_too_late(why))

    async def _has_counted(self, heard: Heard, note: Note, row: AnchorRow, member: Member) -> bool:
        """Whether the message that was changed has decided a question, which stays; the thread is told so."""
        for ref, asked in reversed(await self._closed(heard, note)):
            if not is_after(heard.at_ts, ref.ts):
                continue
            if await self._answers.has_answered(asked, member, external_id=heard.external_id):
                return True  # this very change did, and is told again
            if await self._answers.has_answered(asked, member, external_id=heard.original_id):
                cause = _cause(heard.external_id, note, asked)
                await self._teller.say(cause, heard.spot, edited_too_late(f"{asked.summary}."))
                return True
        return False

    # -- the closed questions of a thread ------------------------------------------------------------------------------
    async def _closed(self, heard: Heard, note: Note) -> list[tuple[Ref, AskedQuestion]]:
        """The newest of them, in the order in which they were asked."""
        if note.session_id is None:
            return []
        rows = await self._reception.anchors.of_session(self._name, note.session_id)
        found: list[tuple[Ref, AskedQuestion]] = []
        for row in [row for row in rows if row.anchor.startswith("message:")][-_MOST_CLOSED:]:
            ref = ref_of_message(row)
            asked = await self._answers.find_any(row) if ref.spot == heard.spot else None
            if asked is not None and not asked.is_open:
                found.append((ref, asked))
        return found

    async def _closed_named(self, label: str, heard: Heard, note: Note) -> AskedQuestion | None:
        closed = [asked for _, asked in await self._closed(heard, note)]
        return next((asked for asked in closed if label_of(asked.ask.pause_id) == label), None)

    async def _whisper(self, heard: Heard, note: Note, asked: AskedQuestion, message: Message) -> None:
        cause = _cause(f"{heard.author.user_id} {asked.ask.pause_id}", note, asked)
        await self._teller.whisper(cause, heard.spot, heard.author.user_id, message)


def _was_handed_on(asked: AskedQuestion, heard: Heard) -> bool:
    """Whether a question stands in this thread that others are asked by now."""
    refs = (ref_in(ref) for name, ref in asked.refs.items() if name not in asked.channels)
    return any(ref is not None and ref.spot == heard.spot for ref in refs)


def _cause(name: str, note: Note, asked: AskedQuestion | None = None) -> Cause:
    pause_id = None if asked is None else asked.ask.pause_id
    return Cause(name=name, tenant=note.tenant, session_id=note.session_id, pause_id=pause_id)
