"""What is pressed, filled in and put on a question: buttons, modals, emoji. All of it is recorded before it is acknowledged."""

from __future__ import annotations

from dataclasses import replace

import structlog

from ...actors.answers import Credential, Decision
from ...actors.asks import AnswerForm, ApprovalForm, Ask, JsonValue
from ...actors.notes import Note
from ...actors.questions import AskedQuestion
from ...actors.reception import Reception
from ...store.rows import AnchorRow
from ..sentences import as_sentence
from .answers import FORGOTTEN, Answers, Given, NotCounted, Taken, TooLate, Unclear
from .asking import STRAY
from .authority import Authority, Member, Stranger
from .carried import Action, ModalKind, Pressed, pressed, question_in
from .client import SlackClient
from .events import Author, Click, ModalSubmitted, Reaction
from .fields import answer_fields, argument_fields, explained, faults_by_field
from .messages import Message
from .modals import (
    CHOICE,
    REASON,
    View,
    answer_modal,
    changes_modal,
    choice_modal,
    full_text_modal,
    reason_modal,
    told_modal,
)
from .notes import came_too_late, edited_too_late, refused
from .objects import Refused
from .places import Ref, Spot, channel_of_message, message_anchor, message_body, ref_of_message
from .submissions import FieldErrors, ToDecide, ToOpen, on_press, on_submit
from .telling import Cause, Teller

_log = structlog.get_logger("overwinter.slack")

_STRAY_AFTER_MS = 3_000
"""By then whoever posts the question has said where it stands, if all is well."""
_OUT_OF_DATE = frozenset(
    ("expired_trigger_id", "exchanged_trigger_id", "invalid_trigger_id", "trigger_expired", "not_found")
)


class Pressing:
    """Deals with what people press."""

    def __init__(
        self,
        *,
        name: str,
        client: SlackClient,
        authority: Authority,
        answers: Answers,
        teller: Teller,
        reception: Reception,
    ) -> None:
        self._name = name
        self._client = client
        self._reception = reception
        self._anchors = reception.anchors
        self._authority = authority
        self._answers = answers
        self._teller = teller

    # -- buttons -------------------------------------------------------------------------------------------------------
    async def clicked(self, click: Click) -> None:
        press = pressed(click.action_id, click.value)
        if press is None:
            _log.warning("slack.click-unread", action=click.action_id[:40])
            return
        asked = await self._answers.find(tenant=press.question.tenant, pause_id=press.question.pause_id)
        spot = _spot_of(click)
        cause = Cause(
            name=click.external_id,
            tenant=press.question.tenant,
            session_id=None if asked is None else asked.ask.session_id,
        )
        if asked is None:
            _log.warning(
                "slack.question-unknown",
                channel=click.channel_id,
                message=click.message_ts,
                remedy="services that do not share a database need a Slack app each",
            )
            await self._whisper(cause, spot, click.author, refused(FORGOTTEN))
            return
        member = await self._authority.member(click.author, team_id=click.team_id)
        if isinstance(member, Stranger):
            await self._refuse(cause, spot, click.author, member.why)
            return
        doing = on_press(asked.ask.form, press)
        if doing is None:
            _log.warning("slack.click-unread", action=click.action_id[:40])
            return
        if isinstance(doing, ToOpen) and doing.modal is ModalKind.FULL_TEXT:
            await self._open(click, full_text_modal(asked.ask, page=doing.page), press)
            return
        channel = await self._channel_of(click.channel_id, click.message_ts)
        right = await self._answers.right_of(member, asked, in_channel=channel)
        if isinstance(right, Stranger):
            await self._refuse(cause, spot, click.author, right.why)
            return
        if isinstance(doing, ToOpen):
            if asked.is_open:
                await self._open(click, _modal(asked.ask, doing.modal), press)
                return
            await self._whisper(cause, spot, click.author, came_too_late(asked.summary or ""))
            return
        given = await self._decide(asked, member, right, doing.decision, click.external_id)
        await self._answer(given, cause, spot, click.author)
        if isinstance(given, Taken | TooLate):
            await self._close_stray(asked, click)

    async def _open(self, click: Click, view: View, press: Pressed) -> None:
        if press.action is Action.PAGE and click.view_id is not None:
            await self._client.update_view(click.view_id, view, expecting=_OUT_OF_DATE)
        elif click.trigger_id is not None and isinstance(
            await self._client.open_view(click.trigger_id, view, expecting=_OUT_OF_DATE), Refused
        ):
            _log.info("slack.trigger-expired")

    async def _close_stray(self, asked: AskedQuestion, click: Click) -> None:
        """The message that was clicked may be one that nobody knows of: Slack had posted it though it said that it had not."""
        if click.channel_id is None or click.message_ts is None or not (channels := self._answers.ours(asked)):
            return
        ref = Ref(channel_id=click.channel_id, ts=click.message_ts, thread_ts=click.thread_ts or click.message_ts)
        if ref.as_text in asked.refs.values():
            return
        ask, channel = asked.ask, channels[0].name
        row = AnchorRow(
            channel=self._name,
            anchor=message_anchor(ref.channel_id, ref.ts),
            session_id=ask.session_id,
            pause_id=ask.pause_id,
            body_json=message_body(channel=channel, thread_ts=ref.thread_ts, tenant=ask.tenant),
            created_at_ms=self._reception.clock.now_ms(),
        )
        standing = await self._reception.anchors.bind(row)
        note = Note(
            note_id=f"{self._name}:{STRAY}:{ref.channel_id}:{ref.ts}",
            channel=self._name,
            kind=STRAY,
            body={
                "channel": channel_of_message(standing) or channel,
                "tenant": ask.tenant,
                "pause_id": ask.pause_id,
                "ref": ref.as_text,
            },
            tenant=ask.tenant,
            session_id=ask.session_id,
            pause_id=ask.pause_id,
        )
        await self._reception.notes.write(note, delay_ms=_STRAY_AFTER_MS)

    # -- modals --------------------------------------------------------------------------------------------------------
    async def submitted(self, modal: ModalSubmitted) -> JsonValue:
        """Deal with what was sent from a modal. Returns what acknowledges it: None closes the modal."""
        question = question_in(modal.carried)
        kind = next((kind for kind in ModalKind if kind == modal.callback_id), None)
        if question is None or kind is None:
            _log.warning("slack.modal-unread", modal=modal.callback_id[:40])
            return None
        asked = await self._answers.find(tenant=question.tenant, pause_id=question.pause_id)
        if asked is None:
            return _shows("Your answer does not count.", as_sentence(FORGOTTEN))
        member = await self._authority.member(modal.author, team_id=modal.team_id)
        right = member if isinstance(member, Stranger) else await self._answers.right_of(member, asked)
        if isinstance(member, Stranger) or isinstance(right, Stranger):
            why = member.why if isinstance(member, Stranger) else right.why if isinstance(right, Stranger) else ""
            return _shows("Your answer does not count.", as_sentence(why))
        match on_submit(asked.ask.form, kind, modal.values):
            case None:
                return None
            case FieldErrors() as errors:
                return errors.as_response()
            case ToDecide(decision=decision):
                pass
        given = await self._decide(asked, member, right, decision, modal.external_id)
        match given:
            case Taken():
                return None
            case TooLate(is_theirs=True):
                return None
            case TooLate(why=why):
                return _shows("Your answer came too late.", why)
            case NotCounted(why=why):
                return _shows("Your answer does not count.", as_sentence(why))
            case Unclear(reason=reason):
                return _errors_of(asked.ask, kind, reason)

    # -- emoji ---------------------------------------------------------------------------------------------------------
    async def reacted(self, reaction: Reaction) -> None:
        """Deal with an emoji; those that decide nothing, and those on other messages, are nobody's answer."""
        row = await self._anchors.find(self._name, message_anchor(reaction.channel_id, reaction.message_ts))
        if row is None or row.pause_id is None or (channel := channel_of_message(row)) is None:
            return
        asked = await self._answers.find_any(row)
        declared = (
            None if asked is None else next((each for each in self._answers.ours(asked) if each.name == channel), None)
        )
        if asked is None or declared is None or (decision := declared.decides(reaction.name)) is None:
            return
        ref = ref_of_message(row)
        cause = Cause(
            name=reaction.external_id,
            tenant=asked.ask.tenant,
            session_id=asked.ask.session_id,
            pause_id=asked.ask.pause_id,
        )
        # Told once for each question, however often they try, and however we come to know of it.
        refusal = replace(cause, name=f"{reaction.author.user_id} {asked.ask.pause_id}")
        member = await self._authority.member(reaction.author, team_id=reaction.team_id)
        if isinstance(member, Stranger):
            if reaction.is_added:
                await self._refuse(refusal, ref.spot, reaction.author, member.why)
            return
        if not reaction.is_added:
            await self._taken_back(asked, member, decision, ref.spot, reaction)
            return
        right = await self._answers.right_of(member, asked, in_channel=channel)
        if isinstance(right, Stranger):
            await self._refuse(refusal, ref.spot, reaction.author, right.why)
            return
        given = await self._decide(asked, member, right, decision, reaction.external_id)
        # One that was found and is too late had counted, or its giver was told, at its time.
        if not (reaction.is_found and isinstance(given, TooLate)):
            await self._answer(given, cause, ref.spot, reaction.author)

    async def _taken_back(
        self, asked: AskedQuestion, member: Member, decision: JsonValue, spot: Spot, reaction: Reaction
    ) -> None:
        """An emoji that has decided was taken away again: the decision stays, and the thread is told so."""
        if self._answers.is_decided_by(asked, member, decision):
            cause = Cause(
                name=reaction.external_id,
                tenant=asked.ask.tenant,
                session_id=asked.ask.session_id,
                pause_id=asked.ask.pause_id,
            )
            await self._teller.say(cause, spot, edited_too_late(f"{asked.summary}."))

    # -- what all have in common ---------------------------------------------------------------------------------------
    async def _decide(
        self, asked: AskedQuestion, member: Member, right: Credential, decision: JsonValue, external_id: str
    ) -> Given:
        return await self._answers.give(asked, member, right, Decision(value=decision), external_id=external_id)

    async def _answer(self, given: Given, cause: Cause, spot: Spot | None, author: Author) -> None:
        match given:
            case Taken() | TooLate(is_theirs=True):
                pass
            case TooLate(why=why):
                await self._whisper(cause, spot, author, came_too_late(why))
            case NotCounted(why=why) | Unclear(reason=why):
                await self._refuse(cause, spot, author, why)

    async def _refuse(self, cause: Cause, spot: Spot | None, author: Author, why: str) -> None:
        _log.info("slack.answer-refused", user=author.user_id, reason=why)
        await self._whisper(cause, spot, author, refused(why))

    async def _whisper(self, cause: Cause, spot: Spot | None, author: Author, message: Message) -> None:
        if spot is not None:
            await self._teller.whisper(cause, spot, author.user_id, message)

    async def _channel_of(self, channel_id: str | None, ts: str | None) -> str | None:
        if channel_id is None or ts is None:
            return None
        row = await self._anchors.find(self._name, message_anchor(channel_id, ts))
        return None if row is None else channel_of_message(row)


def _spot_of(click: Click) -> Spot | None:
    if click.channel_id is None:
        return None
    return Spot(channel_id=click.channel_id, thread_ts=click.thread_ts or "")


def _modal(ask: Ask, kind: ModalKind) -> View:
    match kind:
        case ModalKind.REASON:
            return reason_modal(ask)
        case ModalKind.CHANGES:
            return changes_modal(ask)
        case ModalKind.CHOICE:
            return choice_modal(ask)
        case ModalKind.ANSWER:
            return answer_modal(ask)
        case ModalKind.FULL_TEXT:
            return full_text_modal(ask)


def _shows(heading: str, why: str) -> JsonValue:
    """The modal gives way to one that says why."""
    return {"response_action": "update", "view": told_modal(heading, why)}


def _errors_of(ask: Ask, kind: ModalKind, reason: str) -> JsonValue:
    """What is wrong with a decision, under the input that it is about."""
    blocks = {ModalKind.REASON: REASON, ModalKind.CHOICE: CHOICE}
    if kind in blocks:
        return FieldErrors(errors={blocks[kind]: explained(reason)}).as_response()
    match ask.form:
        case ApprovalForm() as form:
            fields = argument_fields(form)
        case AnswerForm() as form:
            fields = answer_fields(form)
        case _:
            fields = ()
    if not fields:
        return _shows("Your answer does not fit.", reason)
    return FieldErrors(errors=faults_by_field(reason, fields)).as_response()
