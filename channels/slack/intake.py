"""Where everything that Slack tells comes in: read, put to whoever deals with it, and committed when ``take`` returns."""

from __future__ import annotations

from dataclasses import replace

import structlog

from ...actors.asks import JsonValue
from ...actors.reception import Reception
from ...store.rows import AnchorRow
from .answers import Answers
from .conversing import Conversing
from .events import (
    Click,
    Deleted,
    DirectMessage,
    Edited,
    Ignored,
    Mention,
    ModalSubmitted,
    Ourselves,
    Reaction,
    ThreadReply,
)
from .heard import heard_of, is_after, is_later_change, note_of_heard
from .places import Spot, change_in, changed_anchor, changed_body, chat_body, chat_in, message_anchor, thread_anchor
from .pressing import Pressing
from .reading import read_event

_log = structlog.get_logger("overwinter.slack")

_TRIES = 5


class Intake:
    """Takes payloads. Clicks, modals and emoji are dealt with at once; words are kept first, for reading them may take long."""

    def __init__(
        self,
        *,
        name: str,
        us: Ourselves,
        tenant: str,
        pressing: Pressing,
        conversing: Conversing,
        answers: Answers,
        reception: Reception,
    ) -> None:
        self._name = name
        self._us = us
        self._tenant = tenant
        self._pressing = pressing
        self._conversing = conversing
        self._answers = answers
        self._reception = reception

    async def take(self, payload: object) -> JsonValue:
        """Take what Slack tells; what it returns acknowledges it.

        Raises:
            ChannelError: it was not taken, and is to be told again.
            StoreError: as that.
        """
        event = read_event(payload, self._us)
        match event:
            case Click():
                await self._pressing.clicked(event)
            case ModalSubmitted():
                return await self._pressing.submitted(event)
            case Reaction():
                await self._pressing.reacted(event)
            case Mention() | DirectMessage():
                await self._conversing.begin(event)
            case ThreadReply():
                await self._written(event)
            case Edited() | Deleted():
                await self._changed(event)
            case Ignored(reason=reason):
                _log.debug("slack.ignored", reason=reason)
        return None

    async def _written(self, event: ThreadReply) -> None:
        row = await self._thread(event.channel_id, event.thread_ts)
        if row is None:
            if event.is_mention:
                await self._conversing.begin(event)
            return
        await self._keep(event, row)
        await self._read_up_to(row, event.ts)

    async def _changed(self, event: Edited | Deleted) -> None:
        if isinstance(event, Deleted) and event.is_ours:
            await self._lost(event)
            return
        row = None if event.thread_ts is None else await self._thread(event.channel_id, event.thread_ts)
        if row is not None and await self._note_change(event, row):
            await self._keep(event, row)

    async def _note_change(self, event: Edited | Deleted, thread: AnchorRow) -> bool:
        """From now on the words before the change stand no more, even if they are just being read.

        Returns:
            False for a change that was told after a later one: it changes nothing any more.
        """
        mine = AnchorRow(
            channel=self._name,
            anchor=changed_anchor(f"{event.channel_id}:{event.ts}"),
            session_id=thread.session_id,
            pause_id=None,
            body_json=changed_body(event.external_id),
            created_at_ms=self._reception.clock.now_ms(),
        )
        standing = await self._reception.anchors.bind(mine)
        for _ in range(_TRIES):
            if change_in(standing) == event.external_id:
                return True
            if is_later_change(change_in(standing), event.external_id):
                return False
            if await self._reception.anchors.replace_if(standing, mine.body_json):
                return True
            standing = await self._reception.anchors.bind(mine)
        return True

    async def _keep(self, event: ThreadReply | Edited | Deleted, row: AnchorRow) -> None:
        """Words are kept before they are acknowledged, and understood after."""
        if event.author is None or event.thread_ts is None:
            return
        spot = Spot(channel_id=event.channel_id, thread_ts=event.thread_ts)
        heard = heard_of(event, spot, event.author)
        note = note_of_heard(heard, name=self._name, tenant=self._tenant, session_id=row.session_id)
        await self._reception.notes.write(note)

    async def _read_up_to(self, row: AnchorRow, ts: str) -> None:
        """Note how far a thread has been heard, for whoever looks for what was missed."""
        for _ in range(_TRIES):
            chat = chat_in(row)
            if chat.read_ts and not is_after(ts, chat.read_ts):
                return
            if await self._reception.anchors.replace_if(row, chat_body(replace(chat, read_ts=ts))):
                return
            standing = await self._reception.anchors.find(row.channel, row.anchor)
            if standing is None:
                return
            row = standing

    async def _lost(self, event: Deleted) -> None:
        """Somebody deleted a message of ours; if it asks what is open, people cannot see any more that they are asked."""
        row = await self._reception.anchors.find(self._name, message_anchor(event.channel_id, event.ts))
        asked = None if row is None else await self._answers.find_any(row)
        if asked is not None and asked.is_open:
            _log.error(
                "slack.question-deleted",
                channel=event.channel_id,
                session_id=asked.ask.session_id,
                remedy="it can still be answered in its thread, or by: overwinter answer",
            )

    async def _thread(self, channel_id: str, thread_ts: str) -> AnchorRow | None:
        return await self._reception.anchors.find(
            self._name, thread_anchor(Spot(channel_id=channel_id, thread_ts=thread_ts))
        )
