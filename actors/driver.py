"""Runs durable coroutines by hand, from what is recorded to where nothing can move.

The driver does no I/O, knows no clock and is never async. Its owner (one pass of a session) calls ``pump`` until nothing moves,
looks at what is new (``take_news``, ``startable``), writes and runs it, feeds the results back (``finish_step``, ``resolve``,
``give_message``) and pumps again. Putting an execution away is dropping the driver after ``evict``; reviving it is a new
driver with the same function and what the ledger recalls.

    branch state: running -> done | failed | closed; an end never changes again

One driver runs a whole tree of executions. A child is a branch like those of a join, in an execution of its own: its frame says
which, and its keys begin with that execution's id. Its owner begins it (``unborn``, ``begin_child``), since only the owner knows
what is deployed; its end is told as news and answered to whoever awaits it.

Theory: an operation is answered from the ledger by its key, so branches may finish in any order and the replay need not
happen in the order of the first run; all that durable code may depend on comes out of recorded operations.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Literal

from ..store.errors import OverwinterError
from .asks import JsonValue
from .branches import Branch, ChildEnd, Ended, Group, News, Record, groups_above
from .comparing import check_all_reached, check_answered
from .failures import child_failed, step_error_of, step_failed
from .joining import Joining
from .jsontext import to_json
from .operations import (
    Child,
    Frame,
    Halt,
    Join,
    NextMessage,
    Operation,
    Recall,
    Step,
    StepError,
    Value,
    Wait,
    WaitResult,
    WasReached,
)
from .settlements import Settlement, settled
from .step_errors import ForeignAwaitError, foreign_await
from .waits import Waits

MAX_REFUSALS = 100
"""Foreign awaits of one branch after which it is ended."""

_Resume = tuple[Branch, Any, BaseException | None]


class Driver:
    """Drives one execution and its children.

    Args:
        frame: shared by all operations of the root.
        main: makes the root coroutine.
        recall: what the ledger knows; extended as the driver goes on.
        open_waits: waits that have a pause already, by key: the role that was asked, and who may answer; empty where neither
            matters any more.
    """

    def __init__(
        self,
        *,
        frame: Frame,
        main: Callable[[], Coroutine[Any, Any, Any]],
        recall: Recall,
        open_waits: Mapping[str, tuple[str, str]],
    ) -> None:
        self._recall = recall
        self._records: list[Record] = []
        self._dropped: list[str] = []
        self._children: list[ChildEnd] = []
        self._ready: deque[_Resume] = deque()
        self._queued: dict[str, tuple[Branch, Step]] = {}
        self._running: dict[str, tuple[Branch, Step]] = {}
        self._message_waits: deque[tuple[Branch, NextMessage]] = deque()
        self._unborn: dict[str, tuple[Branch, Child]] = {}
        self._waits = Waits(known=open_waits)
        self._joining = Joining(recall=recall, waits=self._waits, ready=self._ready, records=self._records)
        self._seen: set[str] = set()
        self.ended: Ended | None = None
        self._root = Branch(main(), frame)
        self._ready.append((self._root, None, None))

    # -- what the owner asks ------------------------------------------------------------------------------------------
    @property
    def waits_for_message(self) -> bool:
        return bool(self._message_waits)

    def is_deadline(self, key: str) -> bool:
        """Whether the open wait under ``key`` is the deadline of a join."""
        return self._joining.is_deadline(key)

    def unborn(self) -> list[Child]:
        """Children that have been reached and do not run yet: to be begun, or begun again after a revival."""
        return [operation for _, operation in self._unborn.values()] if self._unborn else []

    def step(self, key: str) -> Step | None:
        """The running step under ``key``; None if its branch was closed meanwhile."""
        entry = self._running.get(key)
        return entry[1] if entry else None

    @property
    def has_news(self) -> bool:
        return bool(self._records or self._dropped or self._children) or self._waits.has_news or self._joining.has_cut

    def take_news(self) -> News:
        opened, closed = self._waits.take_news()
        records, dropped, children = self._records[:], self._dropped[:], self._children[:]
        for taken in (self._records, self._dropped, self._children):
            taken.clear()
        cut = self._joining.take_cut()
        return News(records=records, opened=opened, closed=closed, dropped=dropped, children=children, cut=cut)

    @property
    def has_startable(self) -> bool:
        return bool(self._queued) and any(self._has_slot(branch) for branch, _ in self._queued.values())

    def startable(self) -> list[Step]:
        """Steps to start now; they count as running from here on.

        Where a join limits its concurrency, the branches that come first go first, so that what was begun is finished
        before more is begun.
        """
        started: list[Step] = []
        for key, (branch, step) in list(self._queued.items()):
            if not self._has_slot(branch):
                continue
            del self._queued[key]
            self._running[key] = (branch, step)
            for group in groups_above(branch):
                group.steps_running += 1
            started.append(step)
        return started

    # -- what the owner tells -----------------------------------------------------------------------------------------
    def finish_step(self, key: str, *, text: str) -> None:
        """The step has returned, its result recorded as ``text``."""
        self._recall.returned[key] = text
        branch, step = self._leave_running(key)
        self._ready.append(_loaded(branch, step, text))

    def fail_step(self, key: str, error: StepError, *, cause: BaseException | None = None) -> None:
        """The step has raised. Now and on replay the code sees the same ``StepFailedError``."""
        self._recall.raised[key] = error
        self._ready.append((self._leave_running(key)[0], None, step_failed(key, error, cause)))

    def lose_step(self, key: str) -> None:
        """The step left no result, and must not start twice: an operator says what became of it."""
        self._waits.reach_settlement(*self._leave_running(key))

    def resolve(self, key: str, result: WaitResult) -> bool:
        """An open wait has ended. False if the code does not stand there.

        The deadline of a join decides it at once: give what else has arrived, and pump, before it.

        Raises:
            SessionDefinitionChangedError: (session.definition-changed) it is an answer to another question than is asked now.
        """
        branch = self._waits.resolve(key)
        if branch is None:
            return False
        if isinstance(branch.waits_on, Wait):
            check_answered(branch.waits_on, result)
        self._recall.end_wait(key, result)
        if isinstance(branch.waits_on, Settlement):
            self._settle(branch, branch.waits_on, result)
        elif self._joining.is_deadline(key):
            self._close_rest(self._joining.end_deadline(key, result.resolution))
        else:
            self._ready.append((branch, result, None))
        return True

    def _settle(self, branch: Branch, settlement: Settlement, result: WaitResult) -> None:
        record, error = settled(settlement, result)
        self._records.append(record)
        if error is None:
            self._ready.append(_loaded(branch, settlement.step, record.body_json))
        else:
            self._ready.append((branch, None, step_failed(settlement.key, error, None)))

    def begin_child(self, operation: Child, *, frame: Frame, main: Callable[[], Coroutine[Any, Any, Any]]) -> None:
        """Run an unborn child, in an execution and a frame of its own."""
        branch, _ = self._unborn.pop(operation.key)
        branch.child = Branch(main(), frame, parent=branch)
        self._ready.append((branch.child, None, None))

    def give_message(self, message: JsonValue) -> str:
        """Hand a message to the code that has waited longest for one; returns the wait's key."""
        branch, operation = self._message_waits.popleft()
        self._recall.messages[operation.key] = message
        self._ready.append((branch, message, None))
        return operation.key

    def evict(self) -> None:
        """Put the coroutines away. Their ``finally`` blocks run; what they await does nothing."""
        self._close(self._root, decided=False)

    # -- the machine --------------------------------------------------------------------------------------------------
    def pump(self) -> None:
        """Go on until every branch has ended or stands before something that only the owner can give it.

        Raises:
            SessionDefinitionChangedError: (session.definition-changed) it asks otherwise than was asked and answered.
        """
        while self._ready or self._close_rest(self._joining.decide_again()):
            branch, value, error = self._ready.popleft()
            if branch.state != "running":
                continue
            branch.waits_on = None
            try:
                operation = branch.coroutine.throw(error) if error is not None else branch.coroutine.send(value)
            except StopIteration as stop:
                self._end(branch, "done", stop.value)
            except KeyboardInterrupt:
                raise
            except BaseException as failure:
                # Nothing is awaited in here, so a cancellation too is the code's own.
                self._end(branch, "failed", failure)
            else:
                self._answer(branch, operation)

    def _answer(self, branch: Branch, operation: Any) -> None:
        if not isinstance(operation, Operation) or operation.frame is not branch.frame:
            self._refuse(branch, foreign_await(operation))
            return
        branch.waits_on = operation
        key = operation.key
        if key in self._seen:
            # Two awaits of one operation object; made by hand or kept by mistake.
            self._ready.append(
                (branch, None, ForeignAwaitError(f"operation {key} was awaited before; call run.… again"))
            )
            return
        self._seen.add(key)
        match operation:
            case Join():
                self._close_rest(self._joining.begin(branch, operation))
            case Step() | Child() if (text := self._recall.returned.get(key)) is not None:
                self._ready.append(_loaded(branch, operation, text))
            case Step():
                if (failed := self._recall.raised.get(key)) is not None:
                    self._ready.append((branch, None, step_failed(key, failed, None)))
                elif operation.is_once and key in self._recall.started:
                    self._waits.reach_settlement(branch, operation)
                else:
                    self._queued[key] = (branch, operation)
            case Value():
                self._answer_value(branch, operation)
            case Wait():
                if (result := self._recall.waits.get(key)) is not None:
                    check_answered(operation, result)
                    self._ready.append((branch, result, None))
                else:
                    self._waits.reach(branch, operation)
            case Child():
                if (failed := self._recall.raised.get(key)) is not None:
                    self._ready.append((branch, None, child_failed(operation, failed, None)))
                else:
                    self._unborn[key] = (branch, operation)
            case WasReached(wait_key=wait_key):
                self._ready.append((branch, wait_key in self._recall.waits or self._waits.knows(wait_key), None))
            case NextMessage():
                if key in self._recall.messages:
                    self._ready.append((branch, self._recall.messages[key], None))
                else:
                    self._message_waits.append((branch, operation))
            case Halt(error=error):
                raise error
            case _:
                self._ready.append((branch, None, foreign_await(operation)))

    def _refuse(self, branch: Branch, error: ForeignAwaitError) -> None:
        """Raise in the code; code that goes on all the same is ended, or it would hold this process for ever."""
        branch.refusals += 1
        if branch.refusals < MAX_REFUSALS:
            self._ready.append((branch, None, error))
            return
        self._put_away(branch)
        self._end(branch, "failed", error)

    def _put_away(self, branch: Branch) -> None:
        branch.frame.is_closing = True
        branch.frame.awaits_while_closing = 0
        try:
            branch.coroutine.close()
        except RuntimeError as error:
            # It caught its own end and awaits on; it is left where it stands.
            if "ignored GeneratorExit" not in str(error):
                raise
        finally:
            branch.frame.is_closing = False

    def _answer_value(self, branch: Branch, operation: Value) -> None:
        key = operation.key
        text = self._recall.returned.get(key)
        if text is not None:
            self._ready.append(_loaded(branch, operation, text))
            return
        value = operation.make()
        try:
            text = operation.codec.dump(value, where=key)
        except OverwinterError as error:
            self._ready.append((branch, None, error))
            return
        self._recall.returned[key] = text
        self._records.append(Record(kind=operation.kind, key=key, body_json=text))
        self._ready.append((branch, value, None))

    def _end(self, branch: Branch, state: Literal["done", "failed"], result: Any) -> None:
        branch.state, branch.result = state, result
        if (group := branch.group) is not None:
            branch.group = None  # a ring of the two would outlive the pass, until the next garbage collection
            group.count(branch)
            self._close_rest(self._joining.judge(group))
            return
        is_root, cut = branch.parent is None, self._joining.cut_short
        check_all_reached(self._recall, frame=branch.frame, reached=self._seen, is_root=is_root, cut=cut)
        if branch.parent is not None:
            self._end_child(branch, branch.parent)
        else:
            self.ended = Ended(result=result if state == "done" else None, error=result if state == "failed" else None)

    def _end_child(self, child: Branch, parent: Branch) -> None:
        operation = parent.waits_on
        assert isinstance(operation, Child)
        key, execution_id = operation.key, child.frame.execution_id
        parent.child = None
        if child.state == "done":
            text = to_json(child.result)
            self._recall.returned[key] = text
            self._children.append(ChildEnd(key=key, execution_id=execution_id, text=text))
            self._ready.append(_loaded(parent, operation, text))
        else:
            error = step_error_of(child.result)
            self._recall.raised[key] = error
            self._children.append(ChildEnd(key=key, execution_id=execution_id, error=error))
            self._ready.append((parent, None, child_failed(operation, error, child.result)))

    def _close_rest(self, decided: Group | None) -> bool:
        """Close what still runs of a join that is decided; whether one was."""
        if decided is None:
            return False
        for branch in decided.branches:
            self._close(branch, decided=True)
        return True

    def _close(self, branch: Branch, *, decided: bool) -> None:
        """Close an unfinished branch at any depth; ``decided`` by a join, else put away to sleep."""
        if branch.state != "running":
            return
        match branch.waits_on:
            case Join() as join:
                for child in self._joining.drop(join, decided=decided):
                    self._close(child, decided=decided)
            case Wait(key=key):
                self._waits.leave(key, decided=decided)
            case Step(key=key) if key in self._running:
                self._leave_running(key)
                if decided:
                    self._dropped.append(key)
            case Step(key=key):
                self._queued.pop(key, None)
            case Child(key=key) if (child := branch.child) is not None:
                self._close(child, decided=decided)
                if decided:
                    self._children.append(ChildEnd(key=key, execution_id=child.frame.execution_id))
            case Child(key=key):
                self._unborn.pop(key, None)
            case NextMessage() as operation:
                self._message_waits = deque(entry for entry in self._message_waits if entry[1] is not operation)
            case _:
                pass
        branch.state = "closed"
        self._put_away(branch)
        branch.group = None  # as in ``_end``

    def _leave_running(self, key: str) -> tuple[Branch, Step]:
        branch, step = self._running.pop(key)
        for group in groups_above(branch):
            group.steps_running -= 1
        return branch, step

    def _has_slot(self, branch: Branch) -> bool:
        return all(
            group.join.max_concurrency is None or group.steps_running < group.join.max_concurrency
            for group in groups_above(branch)
        )


def _loaded(branch: Branch, operation: Step | Value | Child, text: str) -> _Resume:
    """A recorded result for its branch. One that cannot be read back ends the pass: it is not the code's to handle."""
    return (branch, operation.codec.load(text), None)
