"""One pass of a session: from revival to rest.

    load -> (blocked | failed)                         the code is not the one it began with; it crashed too often
         -> drive -> commit -> run steps -> drive ...  results are committed before the next outside effect
         -> rest                                       every branch waits, or the execution has ended

The pass holds the session's lease and writes nothing without it. What arrives while it runs (an answer, a message) raises the
session's count of wakes, and the write that gives the lease back is refused while that count has moved: so a pass always looks
again before it rests. An answer that closes the very question a decided join wants to withdraw makes the write ``stale``: then
the results of steps are saved, the coroutines are put away, and the pass begins again from the store.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

from ..store.changes import ClosePause, LoadedSession
from ..store.rows import (
    ExecutionRow,
    ExecutionStatus,
    InboundRow,
    PauseKind,
    PauseRow,
    PauseStatus,
    SessionRow,
    SessionStatus,
)
from .asks import JsonValue
from .driver import Driver, Ended
from .effects import INDETERMINATE, StepOutcome, perform, step_error_of
from .errors import (
    LeaseLostError,
    SessionDefinitionChangedError,
    SessionError,
    SessionIndeterminateError,
    SessionUnknownError,
)
from .events import EventKind
from .ids import execution_id_of
from .journal import Journal, Written
from .jsontext import from_json, to_json
from .opening import opened_event_of, pause_of, post_of
from .operations import Frame, Wait, WaitResult
from .program import Program
from .recall import is_closed, recall_of, wait_result_of
from .run import Run
from .surroundings import Lease, Surroundings

MAX_ATTEMPTS = 5
"""Claims in a row that did not reach rest, after which the session is taken to kill its process."""


class SessionPass:
    """Drives one claimed session until it rests.

    ``woken`` is set by the supervisor when something may have arrived for the session.
    """

    def __init__(
        self, *, session: SessionRow, lease: Lease, around: Surroundings, loaded: LoadedSession | None = None
    ) -> None:
        """Args:
        loaded: what the store holds of the session, where the caller has just written it; None to read it.
        """
        self.woken = asyncio.Event()
        self._session = session
        self._known = loaded
        self._lease = lease
        self._around = around
        self._journal = Journal(session=session, lease=lease, around=around)
        self._draft = self._journal.draft
        self._inbound: list[InboundRow] = []
        self._pending: dict[str, PauseRow] = {}
        self._closed: dict[str, PauseRow] = {}
        self._tasks: dict[str, asyncio.Task[StepOutcome]] = {}

    async def run(self) -> None:
        """Run the pass.

        Raises:
            LeaseLostError: (lease.lost) another supervisor has the session; nothing more was written.
            SessionCorruptError: (session.corrupt) its rows cannot be read back.
        """
        while True:
            loaded = await self._load()
            if loaded.session.attempts > MAX_ATTEMPTS:
                error = SessionIndeterminateError(
                    f"it was revived {MAX_ATTEMPTS} times in a row and never came to rest; what its last step did is unknown"
                )
                written = await self._stop(loaded, SessionStatus.FAILED, error)
            elif loaded.executions:
                written = await self._go_on(loaded, loaded.executions[0])
            elif self._inbound:
                written = await self._begin(loaded)
            else:
                written = await self._journal.flush(self._journal.rest(self._status_without_work(loaded.session)))
            if written is Written.RESTED:
                return

    async def release(self) -> None:
        """After the pass was cancelled: save the results it has, and give the lease back so that anybody may go on."""
        await self._journal.release()

    # -- beginning ----------------------------------------------------------------------------------------------------
    async def _load(self) -> LoadedSession:
        loaded = self._known or await self._around.store.load(self._session.session_id)
        self._known = None
        if loaded is None:
            raise SessionUnknownError(f"session {self._session.session_id} is gone")
        self._draft.next_seq = loaded.session.next_seq
        self._take_in(loaded)
        return loaded

    def _take_in(self, loaded: LoadedSession) -> None:
        self._draft.wakes = loaded.session.wakes
        taken = set(self._draft.consume)
        self._inbound = [row for row in loaded.inbound if (row.channel, row.external_id) not in taken]
        self._pending = {row.key: row for row in loaded.pauses if row.status == PauseStatus.PENDING}
        self._closed = {row.key: row for row in loaded.pauses if is_closed(row) and row.resolution != "withdrawn"}

    def _status_without_work(self, session: SessionRow) -> SessionStatus:
        program = self._around.programs.newest(session.program)
        return SessionStatus.IDLE if program is None else program.rests_as

    async def _begin(self, loaded: LoadedSession) -> Written:
        """Start the execution that the oldest message asks for."""
        program = self._around.programs.newest(loaded.session.program)
        if program is None:
            text = f"{loaded.session.program} is not deployed; deploy it, or cancel the session"
            return await self._stop(loaded, SessionStatus.BLOCKED, SessionDefinitionChangedError(text))
        message = self._inbound.pop(0)
        now_ms = self._around.clock.now_ms()
        execution = ExecutionRow(
            execution_id=execution_id_of(loaded.session.session_id, f"{message.channel}/{message.external_id}"),
            session_id=loaded.session.session_id,
            parent_id=None,
            program=program.name,
            version=program.version,
            fingerprint=program.fingerprint,
            status=ExecutionStatus.RUNNING,
            input_json=message.body_json,
            outcome_json=None,
            started_at_ms=now_ms,
            ended_at_ms=None,
        )
        self._draft.executions[execution.execution_id] = execution
        self._journal.note(
            execution, EventKind.EXECUTION_STARTED, to_json({"program": program.name, "version": program.version})
        )
        self._draft.add_message(message, execution_id=execution.execution_id, key="", at_ms=now_ms)
        return await self._drive(execution, program, loaded)

    async def _go_on(self, loaded: LoadedSession, execution: ExecutionRow) -> Written:
        program = self._around.programs.version(execution.program, execution.version)
        if program is None or program.fingerprint != execution.fingerprint:
            what = "is not deployed" if program is None else "has other tools, roles or schemas now"
            text = f"{execution.program} version {execution.version} {what}; deploy it as it was, or cancel the session"
            return await self._stop(loaded, SessionStatus.BLOCKED, SessionDefinitionChangedError(text))
        return await self._drive(execution, program, loaded)

    async def _stop(self, loaded: LoadedSession, status: SessionStatus, error: SessionError) -> Written:
        """Come to rest in a state that needs an operator, with its reason."""
        now_ms = self._around.clock.now_ms()
        execution = loaded.executions[0] if loaded.executions else None
        if status is SessionStatus.FAILED:
            for row in loaded.executions:
                outcome = to_json({"code": error.code, "detail": str(error)})
                self._draft.executions[row.execution_id] = replace(
                    row, status=ExecutionStatus.FAILED, outcome_json=outcome, ended_at_ms=now_ms
                )
            for pause in self._pending.values():
                self._draft.close.append(ClosePause(pause_id=pause.pause_id, resolution="cancelled"))
        self._draft.add(
            execution_id=execution.execution_id if execution else "",
            kind=EventKind.EXECUTION_FAILED if status is SessionStatus.FAILED else EventKind.SESSION_BLOCKED,
            key="",
            body_json=to_json({"kind": type(error).__name__, "code": error.code, "detail": str(error)}),
            at_ms=now_ms,
        )
        return await self._journal.flush(self._journal.rest(status, f"{error.code}: {error}"))

    # -- driving ------------------------------------------------------------------------------------------------------
    async def _drive(self, execution: ExecutionRow, program: Program, loaded: LoadedSession) -> Written:
        """Go on with one execution until the session rests, or must be built again from the store."""
        session = loaded.session
        frame = Frame(
            execution_id=execution.execution_id,
            session_id=session.session_id,
            tenant=session.tenant,
            owner=session.owner,
            surface=session.surface,
            bot=program.name,
            clock=self._around.clock,
            ids=self._around.ids,
            has_history=(loaded.events[0].seq if loaded.events else loaded.session.next_seq) > 0,
        )
        message: JsonValue = from_json(execution.input_json)
        recall = recall_of(event for event in loaded.events if event.execution_id == execution.execution_id)
        driver = Driver(
            frame=frame,
            main=lambda: program.main(Run(path="", frame=frame), message),
            recall=recall,
            open_waits=self._pending.keys() | self._closed.keys(),
        )
        try:
            while True:
                driver.pump()
                while self._feed(driver, execution):
                    driver.pump()
                self._gather_news(driver, execution)
                if driver.ended is not None:
                    return await self._finish(execution, program, driver.ended)
                written = await self._move(driver, execution)
                if written is not None:
                    return written
        finally:
            await self._drop_tasks()
            driver.evict()

    async def _move(self, driver: Driver, execution: ExecutionRow) -> Written | None:
        """Do the one thing that takes the execution further; None if it is to be driven on."""
        if driver.has_startable:
            self._journal.check_lease()
            if self._draft.must_be_written and await self._journal.flush() is Written.STALE:
                return Written.STALE
            return await self._start_steps(driver, execution)
        if self._tasks:
            if not self._draft.is_empty:
                return Written.STALE if await self._journal.flush() is Written.STALE else None
            await self._wait_for_tasks(driver, execution)
            return None
        written = await self._journal.flush(self._journal.rest(SessionStatus.WAITING))
        if written is not Written.KEPT:
            return written
        await self._look_again()
        return None

    async def _look_again(self) -> None:
        loaded = await self._around.store.load(self._session.session_id)
        if loaded is None or loaded.session.lease_epoch != self._lease.epoch:
            raise LeaseLostError
        self._take_in(loaded)

    def _feed(self, driver: Driver, execution: ExecutionRow) -> bool:
        """Give the driver what has arrived and it stands ready for; whether there was anything."""
        fed = False
        for key, pause in list(self._closed.items()):
            result = wait_result_of(pause)
            if not driver.resolve(key, result):
                continue
            del self._closed[key]
            if pause.status == PauseStatus.RESOLVED:
                self._draft.take.append(pause.pause_id)
            self._journal.note(execution, EventKind.PAUSE_TAKEN, _taken_body(result), key)
            fed = True
        while self._inbound and driver.waits_for_message:
            message = self._inbound.pop(0)
            key = driver.give_message(from_json(message.body_json))
            now_ms = self._around.clock.now_ms()
            self._draft.add_message(message, execution_id=execution.execution_id, key=key, at_ms=now_ms)
            fed = True
        return fed

    def _gather_news(self, driver: Driver, execution: ExecutionRow) -> None:
        news = driver.take_news()
        for record in news.records:
            self._journal.note(execution, record.kind, record.body_json, record.key)
        for key in news.closed:
            if (pause := self._pending.pop(key, None)) is not None:
                self._draft.close.append(ClosePause(pause_id=pause.pause_id, resolution="withdrawn"))
                self._journal.note(execution, EventKind.PAUSE_CLOSED, to_json({"resolution": "withdrawn"}), key)
        for key in news.dropped:
            if (task := self._tasks.pop(key, None)) is not None:
                task.cancel()
            self._journal.note(execution, EventKind.STEP_CLOSED, "{}", key)
        for wait in news.opened:
            self._open(wait, execution)

    def _open(self, wait: Wait, execution: ExecutionRow) -> None:
        channel = wait.channel or (self._around.channel_of(wait.role) if wait.pause_kind is PauseKind.ASK else "")
        now_ms = self._around.clock.now_ms()
        pause = pause_of(wait, pause_id=self._around.ids.pause_id(), channel=channel or "", now_ms=now_ms)
        if channel is None:
            # Found at assembly; an app that was put together by hand fails the step instead of waiting in silence.
            pause = replace(
                pause,
                resolution="undeliverable",
                answer_json=to_json({"reason": f"no channel is wired to role {wait.role}", "code": "channel.rejected"}),
            )
            self._closed[wait.key] = pause
            return
        self._pending[wait.key] = pause
        self._draft.open.append(pause)
        self._journal.note(execution, EventKind.PAUSE_OPENED, opened_event_of(pause, wait), wait.key)
        delivery = post_of(pause, hold=self._around.outbox.hold(channel))
        if delivery is not None:
            self._draft.deliveries.append(delivery)

    # -- steps --------------------------------------------------------------------------------------------------------
    async def _start_steps(self, driver: Driver, execution: ExecutionRow) -> Written | None:
        steps = driver.startable()
        for step in steps:
            if not step.is_once:
                continue
            if driver.was_started(step.key):
                self._take_outcome(driver, execution, StepOutcome(key=step.key, text=None, error=INDETERMINATE))
            else:
                self._journal.note(execution, EventKind.STEP_STARTED, "{}", step.key)
        if any(step.is_once for step in steps) and await self._journal.flush() is Written.STALE:
            return Written.STALE
        steps = [step for step in steps if driver.step(step.key) is not None]
        if len(steps) == 1 and not self._tasks and not self._pending:
            # Nothing else can happen meanwhile: no task of its own is needed.
            self._take_outcome(driver, execution, await perform(steps[0]))
            return None
        for step in steps:
            self._tasks[step.key] = asyncio.create_task(perform(step), name=step.key)
        return None

    async def _wait_for_tasks(self, driver: Driver, execution: ExecutionRow) -> None:
        woken = asyncio.create_task(self.woken.wait())
        try:
            await asyncio.wait({woken, *self._tasks.values()}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            woken.cancel()
        for key, task in list(self._tasks.items()):
            if task.done():
                del self._tasks[key]
                self._take_outcome(driver, execution, task.result())
        if self.woken.is_set():
            self.woken.clear()
            await self._look_again()

    def _take_outcome(self, driver: Driver, execution: ExecutionRow, outcome: StepOutcome) -> None:
        step = driver.step(outcome.key)
        if step is None:
            return
        if outcome.text is not None:
            self._journal.note(execution, step.kind, outcome.text, outcome.key)
            driver.finish_step(outcome.key, text=outcome.text)
        elif outcome.error is not None:
            error = outcome.error
            body = {"kind": error.kind, "detail": error.detail, "cause_code": error.cause_code}
            self._journal.note(execution, EventKind.STEP_RAISED, to_json(body), outcome.key)
            driver.fail_step(outcome.key, error, cause=outcome.cause)

    async def _drop_tasks(self) -> None:
        tasks = list(self._tasks.values())
        self._tasks.clear()
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.gather(*tasks, return_exceptions=True)

    # -- ending -------------------------------------------------------------------------------------------------------
    async def _finish(self, execution: ExecutionRow, program: Program, ended: Ended) -> Written:
        """The execution is over; the session rests, unless the next message is here already."""
        now_ms = self._around.clock.now_ms()
        await self._drop_tasks()
        for pause in self._pending.values():
            self._draft.close.append(ClosePause(pause_id=pause.pause_id, resolution="withdrawn"))
        self._pending.clear()
        reason = None
        status = program.rests_as
        if ended.error is None:
            outcome = to_json({"result": ended.result})
            self._journal.note(execution, EventKind.EXECUTION_ENDED, outcome)
            ended_as = ExecutionStatus.ENDED
        else:
            error = step_error_of(ended.error)
            code = error.cause_code or "execution.failed"
            outcome = to_json({"kind": error.kind, "detail": error.detail, "code": code})
            self._journal.note(execution, EventKind.EXECUTION_FAILED, outcome)
            ended_as = ExecutionStatus.FAILED
            reason = f"{code}: {error.detail}"
            status = SessionStatus.FAILED if status is SessionStatus.ENDED else status
        row = replace(execution, status=ended_as, outcome_json=outcome, ended_at_ms=now_ms)
        self._draft.executions[execution.execution_id] = row
        if self._inbound and status is SessionStatus.IDLE:
            return await self._journal.flush()
        return await self._journal.flush(self._journal.rest(status, reason))


def _taken_body(result: WaitResult) -> str:
    return to_json({"resolution": result.resolution, "answer": result.answer, "responder": result.responder})
