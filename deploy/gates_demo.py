"""The demonstration of gates: a policy in Rego, a judge, a person, and a call that runs later, each deciding on one refund.

It runs in this process, over a database of its own and by the machine's clock; the models are scripts.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..actors.answers import ChannelCredential, Reply
from ..actors.asks import JsonValue
from ..actors.clock import Clock
from ..actors.events import EventKind
from ..actors.ids import Ids
from ..actors.jsontext import from_json
from ..bots.examples.gated_refunds import build
from ..bots.examples.refund import paid_back
from ..bots.runtime import Runtime
from ..store.rows import SessionStatus
from .errors import DemoFailedError
from .service import supervising
from .settings import Config
from .wiring import open_runtime

MANAGER = "mara"
REQUESTS = (
    "refund order 4471, 20.00",
    "refund order 4472, 80.00, it does not fit",
    "refund order 4473, 300.00, the goods came back",
    "refund order 4474, 5000.00, the goods came back",
)
"""Each is decided in another way: allowed, asked about, put off, denied."""

_PATIENCE_S = 30.0
_PAUSE_MS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What became of one request.

    Attributes:
        findings: what each gate said, as the decision log keeps it.
        runs_before: how often the tool had run when the gates had spoken: before an answer, before it was due.
        waited_for: ``answer``, ``action`` or None.
        runs: how often it has run in the end.
    """

    request: str
    verdict: str
    findings: list[dict[str, JsonValue]]
    waited_for: str | None
    runs_before: int
    runs: int
    reply: str

    def to_json(self) -> dict[str, JsonValue]:
        return {
            "request": self.request,
            "verdict": self.verdict,
            "findings": [{name: each[name] for name in ("policy", "verdict", "reason")} for each in self.findings],
            "waited_for": self.waited_for,
            "runs_before": self.runs_before,
            "runs": self.runs,
            "reply": self.reply,
        }


async def play_gates(*, folder: Path, clock: Clock, ids: Ids, tell: Callable[[Shown], None]) -> list[Shown]:
    """Play it.

    Args:
        folder: where the database and the journal of refunds are made.
        tell: given each request when all has become of it.

    Raises:
        DemoFailedError: (demo.failed) something did not happen.
    """
    journal = folder / "refunds.jsonl"
    questions: list[str] = []
    app = build(journal, write=questions.append)
    config = Config(database=folder / "refunds.db")
    shown: list[Shown] = []
    async with (
        open_runtime(app, config, clock=clock, ids=ids, must_exist=False) as runtime,
        supervising(runtime) as check,
    ):
        for request in REQUESTS:
            story = _Story(runtime=runtime, clock=clock, journal=journal, questions=questions, check=check)
            shown.append(await story.play(request))
            tell(shown[-1])
    return shown


@dataclass(frozen=True, slots=True, kw_only=True)
class _Story:
    runtime: Runtime
    clock: Clock
    journal: Path
    questions: list[str]
    check: Callable[[], None]

    async def play(self, request: str) -> Shown:
        order = re.findall(r"\d+", request)[0]
        session_id = await self.runtime.sessions.start(program="support", owner="olga", message=request)
        await self._until(session_id, {SessionStatus.WAITING, SessionStatus.IDLE})
        runs_before = self._runs(order)
        waits = await self.runtime.store.pending_pauses(tenant=None, session_id=session_id, limit=9)
        waited_for = None
        if waits:
            waited_for = "action" if waits[0].kind == "action" else "answer"
        if waited_for == "answer":
            await self.runtime.answering.answer(
                tenant="default",
                pause_id=waits[0].pause_id,
                answer=Reply(text="yes"),
                credential=ChannelCredential(answered_by=MANAGER),
            )
        await self._until(session_id, {SessionStatus.IDLE})
        timeline = await self.runtime.store.timeline(session_id)
        if timeline is None:
            raise DemoFailedError(f"session {session_id} is gone")
        bodies: dict[str, Any] = {event.kind: from_json(event.body_json) for event in timeline.events}
        judged = bodies[EventKind.GATES_JUDGED]
        return Shown(
            request=request,
            verdict=judged["verdict"],
            findings=judged["findings"],
            waited_for=waited_for,
            runs_before=runs_before,
            runs=self._runs(order),
            reply=bodies[EventKind.EXECUTION_ENDED]["result"]["reply"],
        )

    def _runs(self, order: str) -> int:
        return sum(entry["order_id"] == order for entry in paid_back(self.journal))

    async def _until(self, session_id: str, statuses: set[SessionStatus]) -> None:
        try:
            async with asyncio.timeout(_PATIENCE_S):
                while True:
                    self.check()
                    session = await self.runtime.store.session(session_id)
                    if session is not None and session.status in statuses:
                        return
                    await self.clock.sleep_until_ms(self.clock.now_ms() + _PAUSE_MS)
        except TimeoutError as error:
            raise DemoFailedError(f"session {session_id} did not come to rest within {_PATIENCE_S:g} s") from error
