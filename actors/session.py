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
from collections.abc import Sequence
from dataclasses import replace

from ..store.changes import ClosePause
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
from ..store.snapshots import LoadedSession
from .asking import asked
from .asks import JsonValue
from .driver import Driver, Ended
from .errors import (
    LeaseLostError,
    SessionCorruptError,
    SessionDefinitionChangedError,
    SessionError,
    SessionIndeterminateError,
    SessionUnknownError,
)
from .events import UNREAD_KINDS, EventKind
from .failures import failed_outcome, step_error_of
from .ids import execution_id_of
from .journal import Journal, Written
from .jsontext import read_back, to_json
from .keys import key_in_tree, place_of
from .operations import Wait
from .program import Program
from .recall import asked_of, is_closed, recall_of, taken_body, wait_result_of
from .run import Run
from .settlements import INDETERMINATE
from .stepping import Steps
from .surroundings import Lease, Surroundings
from .tree import Tree

MAX_ATTEMPTS = 5
"""Claims in a row that did not reach rest, after which the session is taken to kill its process."""


class SessionPass:
    """Drives one claimed session until it rests.

    ``woken`` is set by the supervisor when something may have arrived for the session.
    """

    def __init__(
        self,
        *,
        session: SessionRow,
        lease: Lease,
        around: Surroundings,
        loaded: LoadedSession | None = None,
        forgiven: int = 0,
    ) -> None:
        """Args:
        loaded: what the store holds of the session, where the caller has just written it; None to read it.
        forgiven: how many of its attempts were ended by the store, and so do not count.
        """
        self.woken = asyncio.Event()
        self._session = session
        self._known = loaded
        self._forgiven = forgiven
        self._lease = lease
        self._around = around
        self._journal = Journal(session=session, lease=lease, around=around)
        self._draft = self._journal.draft
        self._inbound: list[InboundRow] = []
        self._pending: dict[str, PauseRow] = {}
        self._closed: dict[str, PauseRow] = {}

    async def run(self) -> None:
        """Run the pass.

        Raises:
            LeaseLostError: (lease.lost) another supervisor has the session; nothing more was written.
            SessionCorruptError: (session.corrupt) its rows cannot be read back.
        """
        before: LoadedSession | None = None
        while True:
            loaded = await self._load()
            if loaded == before:
                # What was not written was refused because of rows that are not there as they are read.
                raise SessionCorruptError(
                    "its rows contradict each other; restore them from a copy, or cancel the session"
                )
            before = loaded
            if loaded.session.attempts - self._forgiven > MAX_ATTEMPTS:
                error = SessionIndeterminateError(
                    f"it was revived {MAX_ATTEMPTS} times in a row and never came to rest; what its last step did is unknown"
                )
                written = await self._stop(loaded, SessionStatus.FAILED, error)
            elif loaded.executions:
                written = await self._go_on(loaded, loaded.executions[0])
            elif self._inbound:
                written = await self._begin(loaded)
            else:
                written = await self._rest_without_work(loaded.session)
            if written is Written.RESTED:
                return

    async def release(self) -> None:
        """After the pass was cancelled: save the results it has, and give the lease back so that anybody may go on."""
        await self._journal.release()

    # -- beginning ----------------------------------------------------------------------------------------------------
    async def _load(self) -> LoadedSession:
        loaded = self._known or await self._around.store.load(self._session.session_id, without=UNREAD_KINDS)
        self._known = None
        if loaded is None:
            raise SessionUnknownError(f"session {self._session.session_id} is gone")
        if loaded.session.lease_epoch != self._lease.epoch:
            raise LeaseLostError  # cancelled, or claimed again, since we claimed it: nothing is begun
        self._draft.next_seq = loaded.session.next_seq
        self._take_in(loaded)
        return loaded

    def _take_in(self, loaded: LoadedSession) -> None:
        self._draft.wakes = loaded.session.wakes
        taken = set(self._draft.consume)
        self._inbound = [row for row in loaded.inbound if (row.channel, row.external_id) not in taken]
        self._pending, self._closed = {}, {}
        root_id = loaded.executions[0].execution_id if loaded.executions else ""
        for row in loaded.pauses:
            key = key_in_tree(row.execution_id, row.key, root_id)
            if row.status == PauseStatus.PENDING:
                self._pending[key] = row
            elif is_closed(row) and row.resolution != "withdrawn":
                self._closed[key] = row

    async def _rest_without_work(self, session: SessionRow) -> Written:
        """Nothing is there to do: the session is as its last execution has left it."""
        program = self._around.programs.newest(session.program)
        rests_as = SessionStatus.IDLE if program is None else program.rests_as
        ended = await self._around.store.last_ended(session.session_id)
        return await self._journal.flush(self._journal.rest(*_left_as(ended, rests_as)))

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
        try:
            program = self._around.programs.of(execution)
        except SessionDefinitionChangedError as error:
            return await self._stop(loaded, SessionStatus.BLOCKED, error)
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
            pending = [ClosePause(pause_id=row.pause_id, resolution="cancelled") for row in self._pending.values()]
            self._draft.close += pending
            self._draft.end += [row.pause_id for row in self._closed.values() if row.status == PauseStatus.RESOLVED]
        body = {"kind": type(error).__name__, "code": error.code, "detail": str(error)}
        if isinstance(error, SessionDefinitionChangedError):
            body |= {"stored": error.stored, "current": error.current}
            body |= {"question": error.question} if error.question else {}
            body |= {"unasked": error.unasked} if error.unasked else {}
        self._draft.add(
            execution_id=execution.execution_id if execution else "",
            kind=EventKind.EXECUTION_FAILED if status is SessionStatus.FAILED else EventKind.SESSION_BLOCKED,
            key="",
            body_json=to_json(body),
            at_ms=now_ms,
        )
        return await self._journal.flush(self._journal.rest(status, f"{error.code}: {error}"))

    # -- driving ------------------------------------------------------------------------------------------------------
    async def _drive(self, execution: ExecutionRow, program: Program, loaded: LoadedSession) -> Written:
        """Go on with one execution until the session rests, or must be built again from the store."""
        recall = recall_of(loaded.events, root_id=execution.execution_id)
        tree = Tree(root=execution, loaded=loaded, around=self._around, journal=self._journal, heard=recall.heard)
        frame = tree.root_frame()
        message: JsonValue = read_back(execution.input_json, what=f"the input of execution {execution.execution_id}")
        driver = Driver(
            frame=frame,
            main=lambda: program.main(Run(path="", frame=frame), message),
            recall=recall,
            open_waits={key: asked_of(row) for rows in (self._pending, self._closed) for key, row in rows.items()},
        )
        steps = Steps(driver=driver, journal=self._journal, execution=execution)
        try:
            tree.check()
            while True:
                driver.pump()
                while tree.begin_unborn(driver) or self._feed(driver, execution):
                    driver.pump()
                if driver.has_news:
                    self._gather_news(driver, execution, tree, steps)
                if self._closed and self._feed(driver, execution):
                    continue
                if driver.ended is not None:
                    await steps.close()
                    return await self._finish(execution, program, tree, driver.ended)
                written = await self._move(driver, steps)
                if written is not None:
                    return written
        except SessionDefinitionChangedError as error:
            self._gather_news(driver, execution, tree, steps)
            return await self._stop(loaded, SessionStatus.BLOCKED, error)
        finally:
            await steps.close()
            driver.evict()

    async def _move(self, driver: Driver, steps: Steps) -> Written | None:
        """Do the one thing that takes the execution further; None if it is to be driven on."""
        if driver.has_startable:
            self._journal.check_lease()
            if self._draft.must_be_written and await self._journal.flush() is Written.STALE:
                return Written.STALE
            return await steps.start(nothing_else=not self._pending)
        if steps.are_running:
            if not self._draft.is_empty:
                return Written.STALE if await self._journal.flush() is Written.STALE else None
            await steps.wait(self.woken)
            if self.woken.is_set():
                self.woken.clear()
                await self._look_again()
            return None
        written = await self._journal.flush(self._journal.rest(SessionStatus.WAITING, self._unsettled()))
        if written is not Written.KEPT:
            return written
        await self._look_again()
        return None

    def _unsettled(self) -> str | None:
        """Why a session that waits needs an operator; None if it does not."""
        keys = [key for key, row in self._pending.items() if row.kind == PauseKind.SETTLE]
        if not keys:
            return None
        what = "was started and left no result; overwinter settle says what became of it"
        return f"{INDETERMINATE.cause_code}: {', '.join(keys)} {what}"

    async def _look_again(self) -> None:
        loaded = await self._around.store.load(self._session.session_id, without=UNREAD_KINDS)
        if loaded is None or loaded.session.lease_epoch != self._lease.epoch:
            raise LeaseLostError
        self._take_in(loaded)

    def _feed(self, driver: Driver, execution: ExecutionRow) -> bool:
        """Give the driver what has arrived and it stands ready for; whether there was anything.

        The deadline of a join comes last: an answer that has arrived when it decides still counts.
        """
        if not self._closed and not self._inbound:
            return False
        fed = False
        late: list[str] = []
        for key in list(self._closed):
            if driver.is_deadline(key):
                late.append(key)
            else:
                fed |= self._give(key, driver, execution)
        while self._inbound and driver.waits_for_message:
            message = self._inbound.pop(0)
            said: JsonValue = read_back(message.body_json, what=f"message {message.external_id}")
            execution_id, key = place_of(driver.give_message(said), execution.execution_id)
            now_ms = self._around.clock.now_ms()
            self._draft.add_message(message, execution_id=execution_id, key=key, at_ms=now_ms)
            fed = True
        return fed or any(self._give(key, driver, execution) for key in late)

    def _give(self, key: str, driver: Driver, execution: ExecutionRow) -> bool:
        """Give the driver a closed pause; False if the code does not stand there."""
        pause = self._closed[key]
        result = wait_result_of(pause)
        if not driver.resolve(key, result):
            return False
        del self._closed[key]
        if pause.status == PauseStatus.RESOLVED:
            self._draft.take.append(pause.pause_id)
        self._journal.note(execution, EventKind.PAUSE_TAKEN, taken_body(result), key)
        return True

    def _gather_news(self, driver: Driver, execution: ExecutionRow, tree: Tree, steps: Steps) -> None:
        news = driver.take_news()
        for record in news.records:
            self._journal.note(execution, record.kind, record.body_json, record.key)
        for key in news.closed:
            self._withdraw(key, execution)
        for key in news.dropped:
            steps.drop(key)
            self._journal.note(execution, EventKind.STEP_CLOSED, "{}", key)
        for child in news.children:
            tree.end(child)
        if news.cut:
            self._cut(news.cut, tree, execution)
        for wait in news.opened.values():
            self._open(wait, execution)

    def _cut(self, joins: Sequence[str], tree: Tree, execution: ExecutionRow) -> None:
        """Joins were decided: close what waits in their branches and the code has not come to again."""
        gone = tree.cut(joins)
        paths = tuple(f"{key}[" for key in joins)
        for pauses in (self._pending, self._closed):
            for key in [key for key, row in pauses.items() if key.startswith(paths) or row.execution_id in gone]:
                self._withdraw(key, execution)

    def _withdraw(self, key: str, execution: ExecutionRow) -> None:
        """Nobody needs the answer any more. One that has come meanwhile is taken, and that is all that becomes of it."""
        if (pause := self._pending.pop(key, None)) is not None:
            self._draft.close.append(ClosePause(pause_id=pause.pause_id, resolution="withdrawn"))
        elif (pause := self._closed.pop(key, None)) is not None and pause.status == PauseStatus.RESOLVED:
            self._draft.take.append(pause.pause_id)
        else:
            return
        self._journal.note(execution, EventKind.PAUSE_CLOSED, to_json({"resolution": "withdrawn"}), key)

    def _open(self, wait: Wait, execution: ExecutionRow) -> None:
        reached = asked(wait, self._around)
        if reached.event is None:
            self._closed[wait.key] = reached.pause
            return
        self._pending[wait.key] = reached.pause
        self._draft.open.append(reached.pause)
        self._journal.note(execution, EventKind.PAUSE_OPENED, reached.event, wait.key)
        self._draft.deliveries += reached.posts

    # -- ending -------------------------------------------------------------------------------------------------------
    async def _finish(self, execution: ExecutionRow, program: Program, tree: Tree, ended: Ended) -> Written:
        """The execution is over; the session rests, unless the next message is here already."""
        now_ms = self._around.clock.now_ms()
        for key in [*self._pending, *self._closed]:
            self._withdraw(key, execution)
        tree.close()
        if ended.error is None:
            outcome = to_json({"result": ended.result})
            self._journal.note(execution, EventKind.EXECUTION_ENDED, outcome)
            ended_as = ExecutionStatus.ENDED
        else:
            outcome = failed_outcome(step_error_of(ended.error))
            self._journal.note(execution, EventKind.EXECUTION_FAILED, outcome)
            ended_as = ExecutionStatus.FAILED
        row = replace(execution, status=ended_as, outcome_json=outcome, ended_at_ms=now_ms)
        self._draft.executions[execution.execution_id] = row
        status, reason = _left_as(row, program.rests_as)
        if self._inbound and status is SessionStatus.IDLE:
            return await self._journal.flush()
        return await self._journal.flush(self._journal.rest(status, reason))


def _left_as(ended: ExecutionRow | None, rests_as: SessionStatus) -> tuple[SessionStatus, str | None]:
    """What a session is after its last execution, and why it is not well."""
    if ended is None or ended.status != ExecutionStatus.FAILED:
        return rests_as, None
    outcome: JsonValue = read_back(ended.outcome_json or "{}", what=f"the outcome of execution {ended.execution_id}")
    status = SessionStatus.FAILED if rests_as is SessionStatus.ENDED else rests_as
    return status, f"{outcome['code']}: {outcome['detail']}"
