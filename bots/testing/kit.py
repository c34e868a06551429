"""Runs an app over a database of its own, on a clock moved by hand, and throws everything away when told to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from pathlib import Path

from ...actors.answers import Answered, ChannelCredential, Credential, Decision, OwnerCredential, Received, Reply
from ...actors.asks import JsonValue, call_of, form_from_json
from ...actors.clock import ManualClock
from ...actors.delivery_settings import DeliverySettings
from ...actors.events import EventKind
from ...actors.file_hints import FileHints
from ...actors.ids import Ids, RandomIds
from ...actors.jsontext import from_json
from ...actors.ports import Model
from ...actors.reception import Connection
from ...actors.supervisor_settings import SupervisorSettings
from ...store.rows import AnswererKind, PauseRow, SessionRow, channels_in
from ...store.snapshots import Timeline
from ...store.store import Store
from ..app import App
from ..runtime import Runtime
from ..tools import Surface
from .stalling import StallingStore

PATIENCE_S = 60.0
"""How long ``settle`` lets real work (threads of the database) go on before it says that something hangs."""

_GLANCE_S = 0.0005
"""Between two looks whether anything moves: the threads of the database have the interpreter to themselves meanwhile."""


class Kit:
    """An app at work, for tests.

    Args:
        build: makes the app; called again at each ``restart``, so that nothing in memory is carried over.
        path: the database's file.
        connect: makes the connections, as ``build`` makes the app.
    """

    def __init__(
        self,
        *,
        build: Callable[[], App],
        path: Path,
        clock: ManualClock | None = None,
        ids: Ids | None = None,
        model: Model | None = None,
        tenant: str = "default",
        supervising: SupervisorSettings | None = None,
        delivering: DeliverySettings | None = None,
        file_hints: FileHints | None = None,
        connect: Callable[[], Sequence[Connection]] = tuple,
    ) -> None:
        self.clock = clock or ManualClock()
        self.tenant = tenant
        self._build = build
        self._path = path
        self._ids = ids or RandomIds()
        self._model = model
        self._supervising = supervising
        self._delivering = delivering
        self._file_hints = file_hints
        self._connect = connect
        self._runtime: Runtime | None = None
        self._stalling: StallingStore | None = None
        self._work: asyncio.Task[None] | None = None

    @property
    def runtime(self) -> Runtime:
        if self._runtime is None:
            raise RuntimeError("the kit is not open; use `async with kit.running():`")
        return self._runtime

    @property
    def store(self) -> Store:
        return self.runtime.store

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[Kit]:
        """Work until the block ends."""
        await self.open()
        try:
            yield self
        finally:
            await self.close()

    async def open(self) -> None:
        store = self._stalling = await StallingStore.open(self._path)
        try:
            self._runtime = Runtime(
                app=self._build(),
                store=store,
                clock=self.clock,
                ids=self._ids,
                model=self._model,
                supervising=self._supervising,
                delivering=self._delivering,
                connections=self._connect(),
                tenant=self.tenant,
                workspaces=self._path.parent / "workspaces",
                file_hints=self._file_hints,
            )
        except BaseException:
            await store.aclose()
            raise
        self._work = asyncio.create_task(self._runtime.supervisor.run(), name="supervisor")

    async def close(self) -> None:
        """End without ceremony, as a process that is killed, but with the file closed."""
        if self._work is not None:
            self._work.cancel()
            with suppress(asyncio.CancelledError):
                await self._work
            self._work = None
        if self._runtime is not None:
            await self._runtime.store.aclose()
            self._runtime = self._stalling = None

    async def restart(self) -> None:
        """Throw every object away and go on from the database alone."""
        await self.close()
        await self.open()

    # -- several instances --------------------------------------------------------------------------------------------
    @asynccontextmanager
    async def beside(self, *, supervising: SupervisorSettings | None = None) -> AsyncGenerator[Kit]:
        """Another instance of the app at work on the same database, by the same clock, until the block ends."""
        other = Kit(
            build=self._build,
            path=self._path,
            clock=self.clock,
            ids=self._ids,
            model=self._model,
            tenant=self.tenant,
            supervising=supervising or self._supervising,
            delivering=self._delivering,
            connect=self._connect,
        )
        async with other.running():
            yield other

    def freeze(self) -> None:
        """Nothing that this instance writes gets through: it renews no lease and records no result, and does not know it."""
        if self._stalling is not None:
            self._stalling.stall()

    def thaw(self) -> None:
        """What it still wanted to write is written now, or refused."""
        if self._stalling is not None:
            self._stalling.flow()

    # -- time ---------------------------------------------------------------------------------------------------------
    async def settle(self, *others: Kit) -> None:
        """Return once nothing can move, here and in the other instances named, without a person or the clock."""
        kits = (self, *others)
        async with asyncio.timeout(PATIENCE_S):
            while not await self._are_settled(kits):
                for kit in kits:
                    if kit._work is not None and kit._work.done():
                        kit._work.result()
                await asyncio.wait({asyncio.get_running_loop().create_future()}, timeout=_GLANCE_S)

    async def _are_settled(self, kits: Sequence[Kit]) -> bool:
        if any(kit.runtime.supervisor.is_busy for kit in kits):
            return False
        due = await self.store.due()
        now_ms = self.clock.now_ms()
        trigger_ms = await self.store.triggers.due_ms()
        if any(
            ms is not None and ms <= now_ms for ms in (due.session_ms, due.deadline_ms, due.delivery_ms, trigger_ms)
        ):
            return False
        for teller in (teller for kit in kits for teller in kit.runtime.tellers):
            note_ms = await teller.due_ms()
            if note_ms is not None and note_ms <= now_ms:
                return False
        return not any(kit.runtime.supervisor.is_busy for kit in kits)

    async def advance(self, duration: timedelta) -> None:
        """Move the clock, and let what has come due happen."""
        await self.clock.advance(ms=int(duration.total_seconds() * 1000))
        await self.settle()

    # -- people -------------------------------------------------------------------------------------------------------
    async def start(self, bot: str, message: JsonValue, *, owner: str = "olga", surface: Surface = "chat") -> str:
        """Start a session and let it work; returns its id."""
        session_id = await self.runtime.sessions.start(
            program=bot,
            owner=owner,
            message=message,
            tenant=self.tenant,
            surface=surface,
        )
        await self.settle()
        return session_id

    async def say(self, session_id: str, text: str) -> None:
        await self.runtime.sessions.say(tenant=self.tenant, session_id=session_id, text=text)
        await self.settle()

    async def pending(self, session_id: str | None = None) -> tuple[PauseRow, ...]:
        """Open questions and timers, oldest first."""
        return await self.store.pending_pauses(tenant=self.tenant, session_id=session_id, limit=10_000)

    async def question(
        self, asked: str | None = None, *, session_id: str | None = None, key: str | None = None
    ) -> PauseRow:
        """The oldest open question of a role or about a tool.

        Raises:
            LookupError: there is none; says which there are.
        """
        pauses = await self.pending(session_id)
        for pause in pauses:
            if (asked is None or asked in _names_of(pause)) and (key is None or pause.key == key):
                return pause
        open_now = ", ".join(f"{'/'.join(_names_of(pause))} at {pause.key}" for pause in pauses) or "none"
        raise LookupError(f"no open question of {asked or 'anyone'}{f' at {key}' if key else ''}; open: {open_now}")

    async def answer(
        self,
        asked: str | PauseRow | None = None,
        *,
        text: str | None = None,
        decision: JsonValue = None,
        by: str = "mara",
        received: Received | None = None,
        channel: str | None = None,
    ) -> Answered:
        """Answer a question (the oldest of that role or tool) in words or by decision, and let the session go on.

        Args:
            channel: where the answer is given; None for where the question is asked, by the row given or found.
        """
        pause = asked if isinstance(asked, PauseRow) else await self.question(asked)
        is_owners = pause.answerer == AnswererKind.OWNER
        channel = channel or channels_in(pause.channel)[0]
        credential: Credential = (
            OwnerCredential(owner=pause.owner) if is_owners else ChannelCredential(answered_by=by, channel=channel)
        )
        answered = await self.runtime.answering.answer(
            tenant=self.tenant,
            pause_id=pause.pause_id,
            answer=Decision(value=decision) if text is None else Reply(text=text),
            credential=credential,
            received=received,
        )
        await self.settle()
        return answered

    # -- what became of it --------------------------------------------------------------------------------------------
    async def session(self, session_id: str) -> SessionRow:
        row = await self.store.session(session_id)
        if row is None:
            raise LookupError(f"no session {session_id}")
        return row

    async def timeline(self, session_id: str) -> Timeline:
        timeline = await self.store.timeline(session_id)
        if timeline is None:
            raise LookupError(f"no session {session_id}")
        return timeline

    async def outcome(self, session_id: str) -> JsonValue:
        """What the session's last execution came to, as JSON; None while it is under way."""
        timeline = await self.timeline(session_id)
        begun = [event.execution_id for event in timeline.events if event.kind == EventKind.EXECUTION_STARTED]
        last = next(row for row in timeline.executions if row.execution_id == begun[-1])
        return None if last.outcome_json is None else from_json(last.outcome_json)

    async def tool_results(self, session_id: str) -> dict[str, str]:
        """What the model read of each call that has ended, by the call's id; of an id used twice, the last."""
        bodies = [
            from_json(event.body_json)
            for event in (await self.timeline(session_id)).events
            if event.kind == EventKind.TOOL_REPLIED
        ]
        return {body["call_id"]: body["content"] for body in bodies}


def _names_of(pause: PauseRow) -> tuple[str, ...]:
    call = call_of(form_from_json(from_json(pause.ask_json)["form"]))
    return (pause.role,) if call is None else (pause.role, call.tool)
