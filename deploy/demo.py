"""The demonstration: a bot asks, hibernates, its process is killed, it is answered in plain words and goes on in a new one.

Nothing is staged: the bot runs in a process of its own, which is killed with SIGKILL; the answer is given by the command
``overwinter answer`` in another one; a third finds it in the database and runs the tool.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ..actors.asks import JsonValue
from ..actors.clock import SystemClock
from ..actors.events import EventKind
from ..actors.ids import RandomIds
from ..bots.examples.refund import build, paid_back
from ..store.snapshots import Timeline
from .children import Child, Children, Finished, children_in
from .errors import DemoFailedError
from .settings import Config
from .timeline import Entry, entries_of
from .wiring import open_runtime, open_store

REQUEST = "refund order 4471, 80.00"
DEFAULT_REPLY = "ok, but only half"
CUSTOMER = "olga"
MANAGER = "mara"

_WORKER = "overwinter.deploy.demo_worker"
_COMMAND = "overwinter.deploy.cli"
_PATIENCE_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One thing that happened.

    Attributes:
        step: asked, hibernated, killed, answered, interpreted, asked_again, revived, tool_ran, finished.
        pid: the process in which it happened.
        facts: what there is to say of it.
    """

    step: str
    pid: int
    facts: dict[str, JsonValue]

    def to_json(self) -> dict[str, JsonValue]:
        return {"step": self.step, "pid": self.pid, **self.facts}


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """How it ended."""

    outcome: Literal["approved", "rejected", "asked_again"]
    session_id: str
    tool_calls: list[dict[str, str]]


class Demo:
    """Plays the story once.

    Args:
        folder: where the database and the journal of refunds are made.
        tell: given each step when it has happened.
        reply: what the manager says; called again if it settles nothing, until it gives None.
    """

    def __init__(
        self, *, folder: Path, tell: Callable[[Step], None], reply: Callable[[], Awaitable[str | None]]
    ) -> None:
        self._database = folder / "refunds.db"
        self._journal = folder / "refunds.jsonl"
        self._folder = folder
        self._tell = tell
        self._reply = reply

    async def play(self) -> Played:
        """Play it.

        Raises:
            DemoFailedError: (demo.failed) something did not happen.
        """
        async with children_in(self._folder) as children:
            first = await children.start(_WORKER, str(self._database), str(self._journal))
            await first.wait_said(lambda said: "status" in said, within_s=_PATIENCE_S)
            session_id = await self._start_session()
            pause_id = await self._ask_and_kill(first)
            outcome = await self._answer(children, pause_id)
            if outcome != "asked_again":
                await self._revive(children, session_id)
            calls = [{"order_id": each["order_id"], "amount": each["amount"]} for each in paid_back(self._journal)]
            return Played(outcome=outcome, session_id=session_id, tool_calls=calls)

    async def _start_session(self) -> str:
        """What any program does that has a customer's message: it writes, and leaves the work to the service."""
        app = build(self._journal)
        config = Config(database=self._database)
        async with open_runtime(app, config, clock=SystemClock(), ids=RandomIds(), must_exist=True) as runtime:
            return await runtime.sessions.start(program="support", owner=CUSTOMER, message=REQUEST)

    async def _ask_and_kill(self, worker: Child) -> str:
        """Let the bot ask, see that nothing of it is in memory, and kill its process. Returns the question's id."""
        said = await worker.wait_said(lambda said: "question" in said, within_s=_PATIENCE_S)
        question: str = said["question"]
        found = re.search(r"\b[0-9a-f]{32}\b", question)
        if found is None:
            raise DemoFailedError("the question does not say how it is answered")
        self._step("asked", worker.pid, message=REQUEST, question=question)
        state = await worker.wait_said(_is_asleep, within_s=_PATIENCE_S)
        self._step(
            "hibernated",
            worker.pid,
            sessions_in_memory=state["sessions_in_memory"],
            pauses_pending=state["pauses_pending"],
            database_bytes=sum(file.stat().st_size for file in self._folder.glob(f"{self._database.name}*")),
        )
        self._step("killed", worker.pid, signal="SIGKILL", exit_code=await worker.kill())
        return found[0]

    async def _answer(self, children: Children, pause_id: str) -> Literal["approved", "rejected", "asked_again"]:
        """Answer in a process of its own, as often as it takes."""
        pid = 0
        while (text := await self._reply()) is not None:
            done = await children.run(
                _COMMAND,
                *("answer", pause_id, "--as", MANAGER, "--app", "overwinter.bots.examples.refund:app"),
                *("--db", str(self._database), "--json", "--", text),
                within_s=_PATIENCE_S,
            )
            pid = done.pid
            self._step("answered", pid, reply=text, by=MANAGER, exit_code=done.code)
            outcome = self._interpreted(done)
            if outcome != "asked_again":
                return outcome
        async with open_store(Config(database=self._database), must_exist=True) as store:
            pauses = await store.pending_pauses(tenant=None, session_id=None, limit=10)
        self._step("asked_again", pid, pauses_pending=len(pauses))
        return "asked_again"

    def _interpreted(self, done: Finished) -> Literal["approved", "rejected", "asked_again"]:
        """What the command has made of the reply."""
        if done.code == 0:
            said = json.loads(done.stdout)
            decision = said["decision"]
            self._step("interpreted", done.pid, outcome="understood", decision=decision, by=said["by"], reason=None)
            return "approved" if decision["approved"] else "rejected"
        error = _error_in(done)
        if error["code"] != "pause.uninterpretable-reply":
            raise DemoFailedError(f"the answer was refused: {error['code']}: {error['message']}")
        self._step("interpreted", done.pid, outcome="not_understood", decision=None, by=None, reason=error["message"])
        return "asked_again"

    async def _revive(self, children: Children, session_id: str) -> None:
        """Start a new process, which finds the answer and goes on."""
        worker = await children.start(_WORKER, str(self._database), str(self._journal))
        await worker.wait_said(lambda said: said.get("status") == "idle", within_s=_PATIENCE_S)
        async with open_store(Config(database=self._database), must_exist=True) as store:
            timeline = await store.timeline(session_id)
        if timeline is None:
            raise DemoFailedError(f"session {session_id} is gone")
        taken = _event(timeline, EventKind.PAUSE_TAKEN)
        self._step("revived", worker.pid, resolution=taken.body["resolution"], answered_by=taken.body["responder"])
        for call in paid_back(self._journal):
            self._step("tool_ran", worker.pid, tool="refund_card", **call)
        ended = _event(timeline, EventKind.EXECUTION_ENDED)
        self._step("finished", worker.pid, status=timeline.session.status, reply=ended.body["result"]["reply"])

    def _step(self, step: str, pid: int, **facts: JsonValue) -> None:
        self._tell(Step(step=step, pid=pid, facts=facts))


def _is_asleep(said: dict[str, Any]) -> bool:
    """Nothing of the session is in the worker's memory, and its question waits."""
    return (
        said.get("status") == "waiting"
        and said["sessions_in_memory"] == 0
        and not said["is_busy"]
        and said["pauses_pending"] == 1
    )


def _event(timeline: Timeline, kind: EventKind) -> Entry:
    for entry in entries_of(timeline):
        if entry.kind == kind:
            return entry
    raise DemoFailedError(f"session {timeline.session.session_id} has no event {kind}")


def _error_in(done: Finished) -> dict[str, str]:
    """The error a command said last, as JSON."""
    lines = done.stderr.strip().splitlines()
    try:
        return json.loads(lines[-1])["error"]
    except (IndexError, ValueError, KeyError, TypeError) as error:
        raise DemoFailedError(f"process {done.pid} ended with code {done.code} and no word why") from error
