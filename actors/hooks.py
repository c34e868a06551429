"""What an app's own code is told of its sessions: that one has come to rest, goes on, has ended.

A hook is called after what it tells is committed and before the lease is given back. So it is told at least once: a process that
dies in between leaves a lease that runs out, and whoever claims the session then tells again. Notices bear the ids by which a
receiver knows them again. A hook has no part in any transaction and decides nothing: what it raises is one warning, and one
that does not return in time is left behind.

Nothing of a notice is made where no hook wants it. A session that is cancelled ends without one: whoever cancelled it knows.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import structlog

from ..store.blocks import code_of
from ..store.changes import Advance
from ..store.rows import (
    AnswererKind,
    ExecutionRow,
    ExecutionStatus,
    LedgerRow,
    PauseRow,
    PauseStatus,
    SessionRow,
    SessionStatus,
)
from ..store.snapshots import LoadedSession, Timeline
from .asks import JsonValue, form_from_json
from .events import EventKind
from .hook_notices import EndNotice, PauseNotice, PendingWait, RestNotice, ResumeNotice, TakenWait
from .jsontext import from_json
from .keys import item_in
from .ledger_secrets import secrets_named
from .privacy import listed_prompt
from .redaction import Masks

_log = structlog.get_logger("overwinter.hooks")

RELEASED = "session.released"
"""The code of the reason of a session whose lease was given back in the middle of a pass."""


NoticeT = TypeVar("NoticeT", PauseNotice, ResumeNotice, EndNotice, RestNotice)

PauseHook = Callable[[PauseNotice], Awaitable[None]]
ResumeHook = Callable[[ResumeNotice], Awaitable[None]]
EndHook = Callable[[EndNotice], Awaitable[None]]
RestHook = Callable[[RestNotice], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hooks:
    """An app's hooks, and those of its connections; at least one is set.

    Attributes:
        on_rest: as ``on_pause``, and also where nothing is pending that could be answered.
        timeout_s: how long each call may take.
    """

    on_pause: PauseHook | None
    on_resume: ResumeHook | None
    on_end: EndHook | None
    timeout_s: float
    on_rest: RestHook | None = None


def joined(hooks: Sequence[Hooks]) -> Hooks | None:
    """All of them as one: each is called, whatever the others raise. None if there are none."""
    if len(hooks) < 2:
        return hooks[0] if hooks else None
    return Hooks(
        on_pause=_all([each.on_pause for each in hooks if each.on_pause is not None]),
        on_resume=_all([each.on_resume for each in hooks if each.on_resume is not None]),
        on_end=_all([each.on_end for each in hooks if each.on_end is not None]),
        on_rest=_all([each.on_rest for each in hooks if each.on_rest is not None]),
        timeout_s=max(each.timeout_s for each in hooks),
    )


def _all(hooks: Sequence[Callable[[NoticeT], Awaitable[None]]]) -> Callable[[NoticeT], Awaitable[None]] | None:
    if not hooks:
        return None

    async def call_all(notice: NoticeT) -> None:
        raised = await asyncio.gather(*(hook(notice) for hook in hooks), return_exceptions=True)
        for error in raised:
            if error is not None:
                raise error

    return call_all


class HookStore(Protocol):
    """What telling needs of the store."""

    async def load(self, session_id: str, *, without: frozenset[str]) -> LoadedSession | None: ...

    async def timeline(self, session_id: str) -> Timeline | None: ...


class Telling:
    """What one pass has to tell.

    Args:
        session: as it was claimed. Where it was claimed before and has not rested since, or was given back, the pass
            before this one may have ended between a write and the telling of it.
    """

    def __init__(self, *, hooks: Hooks, store: HookStore, session: SessionRow) -> None:
        self._hooks = hooks
        self._store = store
        self._session = session
        self._is_again = session.attempts > 1 or code_of(session.reason) == RELEASED
        self._has_moved = self._is_again
        self._before: LoadedSession | None = None
        self._taken: list[LedgerRow] = []
        self._ended: list[ExecutionRow] = []

    def note(self, change: Advance) -> None:
        """It is committed."""
        self._has_moved = self._has_moved or bool(change.open or change.take or change.close or change.consume)
        self._taken += [event for event in change.ledger if event.kind == EventKind.PAUSE_TAKEN]
        self._ended += [row for row in change.executions if row.parent_id is None and row.ended_at_ms is not None]

    async def look(self, events: Sequence[LedgerRow]) -> None:
        """Before a write: tell what the pass before this one may not have told, and see what the events rest on.

        Args:
            events: what is to be written.
        """
        if self._is_again:
            await self._tell_again()
        if self._hooks.on_resume is not None and any(event.kind == EventKind.PAUSE_TAKEN for event in events):
            # Afterwards the execution may have ended, and is loaded no more.
            self._before = await self._store.load(self._session.session_id, without=frozenset())

    async def _tell_again(self) -> None:
        self._is_again = False
        timeline = await self._store.timeline(self._session.session_id)
        roots = [row for row in timeline.executions if row.parent_id is None] if timeline is not None else []
        if timeline is None or not roots:
            return
        root = max(roots, key=lambda row: (row.ended_at_ms is None, row.ended_at_ms or 0))
        tree = _tree_of(root, timeline.executions)
        events = [event for event in timeline.events if event.execution_id in tree]
        await self._tell_resumed([event for event in events if event.kind == EventKind.PAUSE_TAKEN], root, events)
        if root.ended_at_ms is not None:
            await self._tell_ended(root, timeline)

    async def tell(self, *, is_resting: bool) -> None:
        """What was committed since the last time; with ``is_resting`` that the session is about to rest."""
        taken, self._taken = self._taken, []
        ended, self._ended = self._ended, []
        before, self._before = self._before, None
        if before is not None and before.executions:
            await self._tell_resumed(taken, before.executions[0], before.events)
        for row in ended:
            await self._tell_ended(row)
        wants_rest = self._hooks.on_pause is not None or self._hooks.on_rest is not None
        if is_resting and self._has_moved and wants_rest:
            self._has_moved = False
            loaded = await self._store.load(self._session.session_id, without=frozenset())
            if loaded is not None and loaded.executions:
                await self._tell_paused(loaded)
                await self._tell_rested(loaded)

    # -- the notices ---------------------------------------------------------------------------------------------------
    async def _tell_paused(self, loaded: LoadedSession) -> None:
        items = dict(_items_in(loaded.events))
        pending = tuple(
            _pending(row, loaded, item=items.get((row.execution_id, row.key)))
            for row in loaded.pauses
            if row.status == PauseStatus.PENDING
        )
        if self._hooks.on_pause is None or not pending:
            return
        notice = PauseNotice(**self._whose(loaded.executions[0]), status=SessionStatus.WAITING.value, pending=pending)
        await self._call("on_pause", self._hooks.on_pause, notice)

    async def _tell_rested(self, loaded: LoadedSession) -> None:
        if self._hooks.on_rest is not None:
            await self._call("on_rest", self._hooks.on_rest, RestNotice(**self._whose(loaded.executions[0])))

    async def _tell_resumed(self, taken: Sequence[LedgerRow], root: ExecutionRow, events: Sequence[LedgerRow]) -> None:
        if self._hooks.on_resume is None or not taken:
            return
        opened = {
            (event.execution_id, event.key): event.at_ms for event in events if event.kind == EventKind.PAUSE_OPENED
        }
        waits = tuple(_taken(event, opened.get((event.execution_id, event.key), event.at_ms)) for event in taken)
        waited_ms = max(wait.waited_ms for wait in waits)
        notice = ResumeNotice(**self._whose(root), taken=waits, waited_ms=waited_ms)
        await self._call("on_resume", self._hooks.on_resume, notice)

    async def _tell_ended(self, row: ExecutionRow, timeline: Timeline | None = None) -> None:
        if self._hooks.on_end is None or row.status == ExecutionStatus.CANCELLED:
            return
        timeline = timeline or await self._store.timeline(self._session.session_id)
        secrets = () if timeline is None else secrets_named(timeline.events)
        masks = Masks(secrets) if secrets else None
        outcome: Any = from_json(row.outcome_json or "{}")
        has_failed = row.status == ExecutionStatus.FAILED
        notice = EndNotice(
            **self._whose(row),
            status=row.status,
            result=None if has_failed else _shown(outcome["result"], masks),
            error=f"{outcome['code']}: {_shown(outcome['detail'], masks)}" if has_failed else None,
        )
        await self._call("on_end", self._hooks.on_end, notice)

    def _whose(self, root: ExecutionRow) -> dict[str, str]:
        return {
            "session_id": self._session.session_id,
            "tenant": self._session.tenant,
            "owner": self._session.owner,
            "bot": root.program,
            "execution_id": root.execution_id,
        }

    # -- the calls -----------------------------------------------------------------------------------------------------
    async def _call(self, name: str, hook: Callable[[NoticeT], Awaitable[None]], notice: NoticeT) -> None:
        """Call a hook, in a task of its own: one that will not be cancelled is left behind."""
        task = asyncio.create_task(_told(hook, notice), name=f"{name} of {self._session.session_id}")
        try:
            await asyncio.wait({task}, timeout=self._hooks.timeout_s)
        finally:
            in_time = task.done()
            task.cancel()
        fault = task.result() if in_time else f"it took longer than {self._hooks.timeout_s:g} s"
        if fault is not None:
            _log.warning("hook.failed", hook=name, session_id=self._session.session_id, error=fault)


def _shown(said: JsonValue, masks: Masks | None) -> JsonValue:
    return said if masks is None else masks.json(said)


async def _told(hook: Callable[[NoticeT], Awaitable[None]], notice: NoticeT) -> str | None:
    """Call a hook; what it raised, in words, or None."""
    try:
        await hook(notice)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        try:
            return f"{type(error).__name__}: {error}"
        except Exception:
            return type(error).__name__
    return None


def _items_in(events: Sequence[LedgerRow]) -> Iterator[tuple[tuple[str, str], int]]:
    """Execution and key of each wait that is about one item of a ``map``, and which."""
    for event in events:
        if event.kind == EventKind.PAUSE_OPENED:
            item: Any = from_json(event.body_json).get("item")
            if item is None:
                item = item_in(event.key)  # written before items were
            if item is not None:
                yield (event.execution_id, event.key), item


def _pending(row: PauseRow, loaded: LoadedSession, *, item: int | None) -> PendingWait:
    execution = next(each for each in loaded.executions if each.execution_id == row.execution_id)
    return PendingWait(
        pause_id=row.pause_id if row.answerer == AnswererKind.OWNER else None,
        execution_id=row.execution_id,
        is_child=execution.parent_id is not None,
        key=row.key,
        item=item,
        kind=row.kind,
        agent=execution.program,
        role=row.role,
        channel=row.channel,
        answerer=row.answerer,
        question=_question_of(row),
        asked_at_ms=row.asked_at_ms,
        deadline_at_ms=row.deadline_at_ms,
    )


def _question_of(row: PauseRow) -> str:
    try:
        asked: Any = from_json(row.ask_json)
        return listed_prompt(asked["prompt"], form_from_json(asked["form"]))
    except (ValueError, LookupError, TypeError):
        return ""  # whoever has to answer it will find out


def _tree_of(root: ExecutionRow, executions: Sequence[ExecutionRow]) -> set[str]:
    """The ids of an execution and of all its children."""
    tree: set[str] = set()
    grown = {root.execution_id}
    while grown:
        tree |= grown
        grown = {row.execution_id for row in executions if row.parent_id in grown} - tree
    return tree


def _taken(event: LedgerRow, opened_at_ms: int) -> TakenWait:
    body: Any = from_json(event.body_json)
    return TakenWait(
        execution_id=event.execution_id,
        key=event.key,
        resolution=body["resolution"],
        responder=body["responder"],
        waited_ms=event.at_ms - opened_at_ms,
    )
