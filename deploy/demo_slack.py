"""The demonstration in one's own workspace: the refund bot asks in a channel of it, and goes on with the answer.

The bot, the database and the connection are real; only what is refunded is nobody's. The question is taken back if the
demonstration ends before anybody has answered, so no message with dead buttons stays behind.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ..actors.clock import Clock
from ..actors.events import EventKind
from ..actors.ids import Ids
from ..actors.jsontext import from_json
from ..bots.examples.refund import build, paid_back
from ..bots.runtime import Runtime
from ..channels.slack.declared import SlackChannel
from ..store.rows import DeliveryKind, DeliveryStatus
from ..store.snapshots import Timeline
from .demo import CUSTOMER, REQUEST
from .errors import DemoFailedError
from .service import supervising
from .settings import Config
from .slack_settings import SlackConfig
from .wiring import open_runtime

LOOK_EVERY_MS = 200
CLOSE_WITHIN_MS = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedInSlack:
    """How it ended.

    Attributes:
        answered_by: as Slack knows them; None where nobody answered in time.
        reply: what the customer was told; None where nobody answered.
    """

    outcome: Literal["approved", "rejected", "unanswered"]
    session_id: str
    answered_by: str | None
    reply: str | None
    tool_calls: list[dict[str, str]]


class SlackDemo:
    """Plays the story once.

    Args:
        place: the channel in which it asks; whoever is in it may answer.
        folder: where the database and the journal of refunds are made.
        asked: called once the question stands in Slack.
    """

    def __init__(
        self,
        slack: SlackConfig,
        *,
        place: str,
        folder: Path,
        clock: Clock,
        ids: Ids,
        asked: Callable[[], None],
    ) -> None:
        self._config = Config(database=folder / "refunds.db", slack=slack)
        self._journal = folder / "refunds.jsonl"
        self._app = build(self._journal, channel=SlackChannel(place, answerers=[place]))
        self._clock = clock
        self._ids = ids
        self._asked = asked

    async def play(self, *, within_s: float) -> PlayedInSlack:
        """Play it.

        Args:
            within_s: how long to wait for an answer.

        Raises:
            AssemblyError: (assembly.invalid) there can be no such channel.
            DemoFailedError: (demo.failed) the question could not be asked, or the bot did not go on.
        """
        async with (
            open_runtime(
                self._app, self._config, clock=self._clock, ids=self._ids, must_exist=False, receives=True
            ) as runtime,
            supervising(runtime) as check,
        ):
            session_id = await runtime.sessions.start(program="support", owner=CUSTOMER, message=REQUEST)
            try:
                return await self._told(runtime, session_id, check, within_s=within_s)
            finally:
                await self._closed(runtime, session_id)

    async def _told(
        self, runtime: Runtime, session_id: str, check: Callable[[], None], *, within_s: float
    ) -> PlayedInSlack:
        is_asked = False
        ends_ms = self._clock.now_ms() + int(within_s * 1000)
        while self._clock.now_ms() < ends_ms:
            check()
            timeline = await _timeline(runtime, session_id)
            if not is_asked and _is_posted(timeline):
                is_asked = True
                self._asked()
            if (played := self._played(timeline)) is not None:
                return played
            await self._clock.sleep_until_ms(self._clock.now_ms() + LOOK_EVERY_MS)
        return PlayedInSlack(outcome="unanswered", session_id=session_id, answered_by=None, reply=None, tool_calls=[])

    def _played(self, timeline: Timeline) -> PlayedInSlack | None:
        """How it ended; None while it has not."""
        events = {event.kind: from_json(event.body_json) for event in timeline.events}
        if (failure := events.get(EventKind.EXECUTION_FAILED)) is not None:
            raise DemoFailedError(f"the question could not be asked: {failure['detail']}")
        if (ended := events.get(EventKind.EXECUTION_ENDED)) is None:
            return None
        taken = events[EventKind.PAUSE_TAKEN]
        refunds = [{"order_id": each["order_id"], "amount": each["amount"]} for each in paid_back(self._journal)]
        return PlayedInSlack(
            outcome="approved" if taken["answer"]["approved"] else "rejected",
            session_id=timeline.session.session_id,
            answered_by=taken["responder"],
            reply=ended["result"]["reply"],
            tool_calls=refunds,
        )

    async def _closed(self, runtime: Runtime, session_id: str) -> None:
        """Take the question back if it is open, and let Slack show how it ended."""
        if any(pause.status == "pending" for pause in (await _timeline(runtime, session_id)).pauses):
            await runtime.sessions.cancel(
                tenant=self._config.tenant, session_id=session_id, by="the demonstration", reason="it is over"
            )
        ends_ms = self._clock.now_ms() + CLOSE_WITHIN_MS
        while self._clock.now_ms() < ends_ms:
            rows = (await _timeline(runtime, session_id)).deliveries
            if all(row.status != DeliveryStatus.DUE for row in rows):
                return
            await self._clock.sleep_until_ms(self._clock.now_ms() + LOOK_EVERY_MS)


async def _timeline(runtime: Runtime, session_id: str) -> Timeline:
    timeline = await runtime.store.timeline(session_id)
    if timeline is None:
        raise DemoFailedError(f"session {session_id} is gone")
    return timeline


def _is_posted(timeline: Timeline) -> bool:
    return any(row.kind == DeliveryKind.POST and row.status == DeliveryStatus.SENT for row in timeline.deliveries)
