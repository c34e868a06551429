"""The executions of one session that run: a root, and below it its children at any depth.

A child is a row and a part of the ledger of its own, under an id that follows from its parent's and from the key of the operation
that started it; so a revival finds it again, and a child that has ended is not looked for. It is written before anything of it
runs. How it ended is its parent's event, in the same transaction as the end of its row.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from ..store.rows import ExecutionRow, ExecutionStatus, LedgerRow, SessionRow
from ..store.snapshots import LoadedSession
from .branches import ChildEnd
from .driver import Driver
from .errors import SessionDefinitionChangedError
from .events import EventKind
from .failures import failed_outcome, raised_body
from .ids import execution_id_of
from .journal import Journal
from .jsontext import read_back, to_json
from .keys import key_in_tree
from .operations import Child, Frame, Heard
from .program import Program
from .run import Run
from .surroundings import Surroundings


class Tree:
    """The running executions below one root.

    Args:
        loaded: with all executions that run, and their events.
        heard: what their code has been told of.
    """

    def __init__(
        self, *, root: ExecutionRow, loaded: LoadedSession, around: Surroundings, journal: Journal, heard: Heard
    ) -> None:
        self._root = root
        self._session: SessionRow = loaded.session
        self._events: tuple[LedgerRow, ...] = loaded.events
        self._around = around
        self._journal = journal
        self._heard = heard
        self._children = {row.execution_id: row for row in loaded.executions if row.execution_id != root.execution_id}

    def root_frame(self) -> Frame:
        next_seq = self._events[0].seq if self._events else self._session.next_seq
        return self._frame(self._root, has_history=next_seq > 0)

    def check(self) -> None:
        """Raises ``SessionDefinitionChangedError`` (session.definition-changed) if a child's code is not as it was."""
        for row in self._children.values():
            self._around.programs.of(row)

    def begin_unborn(self, driver: Driver) -> bool:
        """Run the children that the code has come to, new ones and those of a revival; whether there were any.

        Raises:
            SessionDefinitionChangedError: (session.definition-changed) one is not deployed.
        """
        unborn = driver.unborn()
        for operation in unborn:
            row = self._children.get(operation.execution_id)
            program = self._program_of(operation) if row is None else self._around.programs.of(row)
            if row is None:
                row = self._start(operation, program)
            frame = self._frame(row, item=operation.item)
            run = Run(path=row.execution_id, frame=frame)
            given = read_back(row.input_json, what=f"the input of execution {row.execution_id}")
            driver.begin_child(operation, frame=frame, main=partial(program.main, run, given))
        return bool(unborn)

    def end(self, end: ChildEnd) -> None:
        """A child is over: its row, and what its parent is told."""
        now_ms = self._around.clock.now_ms()
        if end.text is not None:
            outcome = f'{{"result":{end.text}}}'
            self._journal.note(self._root, EventKind.CHILD_RETURNED, end.text, end.key)
            self._write(end.execution_id, ExecutionStatus.ENDED, outcome, now_ms)
        elif end.error is not None:
            error = end.error
            body = raised_body(error)
            outcome = failed_outcome(error)
            self._journal.note(
                self._root, EventKind.CHILD_RAISED, to_json({**body, "execution_id": end.execution_id}), end.key
            )
            self._write(end.execution_id, ExecutionStatus.FAILED, outcome, now_ms)
        else:
            self._cut(end.execution_id, end.key, now_ms)

    def cut(self, joins: Iterable[str]) -> frozenset[str]:
        """Joins, by key, were decided while branches of theirs were open: end the children in those branches.

        The driver closes what it stands at. But where a result was saved without the decision that it led to, a replay decides
        before every branch stands where it stood: then the ledger knows the children that the driver has not come to.

        Returns:
            All executions in those branches that ran until now.
        """
        paths = tuple(f"{key}[" for key in joins)
        gone: set[str] = set()
        now_ms = self._around.clock.now_ms()
        for event in self._events:
            if event.kind != EventKind.CHILD_STARTED:
                continue
            key = key_in_tree(event.execution_id, event.key, self._root.execution_id)
            child_id = execution_id_of(event.execution_id, key)
            if key.startswith(paths) or event.execution_id in gone:
                gone.add(child_id)
                if child_id in self._children:
                    self._cut(child_id, key, now_ms)
        return frozenset(gone)

    def close(self) -> None:
        """The root is over, and with it whatever of its children its code has not come to again."""
        now_ms = self._around.clock.now_ms()
        for execution_id in list(self._children):
            self._write(execution_id, ExecutionStatus.CANCELLED, None, now_ms)

    def _frame(self, row: ExecutionRow, *, has_history: bool = False, item: int | None = None) -> Frame:
        return Frame(
            execution_id=row.execution_id,
            session_id=row.session_id,
            tenant=self._session.tenant,
            owner=self._session.owner,
            surface=self._session.surface,
            bot=row.program,
            clock=self._around.clock,
            ids=self._around.ids,
            has_history=has_history,
            item=item,
            fingerprint=row.fingerprint,
            heard=self._heard,
        )

    def _program_of(self, operation: Child) -> Program:
        name, version = operation.program, operation.version
        programs = self._around.programs
        program = programs.newest(name) if version is None else programs.version(name, version)
        if program is not None and operation.fingerprint in (None, program.fingerprint):
            return program
        which = name if version is None else f"{name} version {version}"
        what = "is not deployed" if program is None else "is deployed with other parameters"
        raise SessionDefinitionChangedError(
            f"{which}, which {operation.key} starts as a child, {what}; add it to the app, or cancel the session",
            session_id=self._session.session_id,
            stored=operation.fingerprint,
            current=None if program is None else program.fingerprint,
        )

    def _start(self, operation: Child, program: Program) -> ExecutionRow:
        row = ExecutionRow(
            execution_id=operation.execution_id,
            session_id=self._session.session_id,
            parent_id=operation.frame.execution_id,
            program=program.name,
            version=program.version,
            fingerprint=program.fingerprint,
            status=ExecutionStatus.RUNNING,
            input_json=to_json(operation.message),
            outcome_json=None,
            started_at_ms=self._around.clock.now_ms(),
            ended_at_ms=None,
        )
        self._children[row.execution_id] = row
        self._journal.draft.begin(row)
        body = {"execution_id": row.execution_id, "program": row.program, "version": row.version}
        self._journal.note(self._root, EventKind.CHILD_STARTED, to_json(body), operation.key)
        return row

    def _cut(self, execution_id: str, key: str, now_ms: int) -> None:
        self._journal.note(self._root, EventKind.CHILD_CLOSED, to_json({"execution_id": execution_id}), key)
        self._write(execution_id, ExecutionStatus.CANCELLED, None, now_ms)

    def _write(self, execution_id: str, status: ExecutionStatus, outcome_json: str | None, now_ms: int) -> None:
        row = self._children.pop(execution_id)
        ended = replace(row, status=status, outcome_json=outcome_json, ended_at_ms=now_ms)
        self._journal.draft.executions[execution_id] = ended
