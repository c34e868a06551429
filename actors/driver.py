"""Runs durable coroutines by hand, from what is recorded to where nothing can move.

The driver does no I/O, knows no clock and is never async. Its owner (one pass of a session) calls ``pump`` until nothing moves,
looks at what is new (``take_news``, ``startable``), writes and runs it, feeds the results back (``finish_step``, ``resolve``,
``give_message``) and pumps again. Putting an execution away is dropping the driver after ``evict``; reviving it is a new
driver with the same function and what the ledger recalls.

    branch state: running -> done | failed | closed; an end never changes again

Theory: an operation is answered from the ledger by its key, so branches may finish in any order and the replay need not
happen in the order of the first run; all that durable code may depend on comes out of recorded operations.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any, Literal

from ..store.errors import OverwinterError
from .asks import JsonValue
from .branches import Branch, Ended, Group, News, Record, groups_above, indices
from .errors import ForeignAwaitError, StepFailedError
from .events import EventKind
from .joins import Verdict
from .jsontext import to_json
from .operations import Decision, Frame, Join, NextMessage, Operation, Recall, Step, StepError, Value, Wait, WaitResult

MAX_REFUSALS = 100
"""Foreign awaits of one branch after which it is ended."""

_Resume = tuple[Branch, Any, BaseException | None]


class Driver:
    """Drives one execution.

    Args:
        frame: shared by all operations of the execution.
        main: makes the root coroutine.
        recall: what the ledger knows; extended as the driver goes on.
        open_waits: keys of waits that have a pending pause already.
    """

    def __init__(
        self,
        *,
        frame: Frame,
        main: Callable[[], Coroutine[Any, Any, Any]],
        recall: Recall,
        open_waits: set[str],
    ) -> None:
        self._frame = frame
        self._recall = recall
        self._known_waits = open_waits
        self._news = News()
        self._ready: deque[_Resume] = deque()
        self._queued: dict[str, tuple[Branch, Step]] = {}
        self._running: dict[str, tuple[Branch, Step]] = {}
        self._waiting: dict[str, tuple[Branch, Wait]] = {}
        self._message_waits: deque[tuple[Branch, NextMessage]] = deque()
        self._groups: dict[Join, Group] = {}
        self._seen: set[str] = set()
        self.ended: Ended | None = None
        self._root = Branch("", main(), None)
        self._ready.append((self._root, None, None))

    # -- what the owner asks ------------------------------------------------------------------------------------------
    @property
    def waits_for_message(self) -> bool:
        return bool(self._message_waits)

    @property
    def running_keys(self) -> frozenset[str]:
        return frozenset(self._running)

    def wait(self, key: str) -> Wait | None:
        """The open wait under ``key``; None if the code does not stand there (any more)."""
        entry = self._waiting.get(key)
        return entry[1] if entry else None

    def was_started(self, key: str) -> bool:
        """Whether an earlier pass recorded the start of a step that must never start twice."""
        return key in self._recall.started

    def step(self, key: str) -> Step | None:
        """The running step under ``key``; None if its branch was closed meanwhile."""
        entry = self._running.get(key)
        return entry[1] if entry else None

    def take_news(self) -> News:
        news, self._news = self._news, News()
        return news

    @property
    def has_startable(self) -> bool:
        return any(self._has_slot(branch) for branch, _ in self._queued.values())

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
        branch, _ = self._leave_running(key)
        self._ready.append((branch, None, _step_failed(key, error, cause)))

    def resolve(self, key: str, result: WaitResult) -> bool:
        """An open wait has ended. False if the code does not stand there."""
        entry = self._waiting.pop(key, None)
        if entry is None:
            return False
        self._recall.waits[key] = result
        self._known_waits.discard(key)
        self._ready.append((entry[0], result, None))
        return True

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
        """Go on until every branch has ended or stands before something that only the owner can give it."""
        while self._ready:
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
        if not isinstance(operation, Operation) or operation.frame is not self._frame:
            self._refuse(branch, ForeignAwaitError(_foreign_text(operation)))
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
                self._begin_group(branch, operation)
            case Step():
                if (text := self._recall.returned.get(key)) is not None:
                    self._ready.append(_loaded(branch, operation, text))
                elif (failed := self._recall.raised.get(key)) is not None:
                    self._ready.append((branch, None, _step_failed(key, failed, None)))
                else:
                    self._queued[key] = (branch, operation)
            case Value():
                self._answer_value(branch, operation)
            case Wait():
                if (result := self._recall.waits.get(key)) is not None:
                    self._ready.append((branch, result, None))
                else:
                    self._waiting[key] = (branch, operation)
                    if key not in self._known_waits:
                        self._known_waits.add(key)
                        self._news.opened.append(operation)
            case NextMessage():
                if key in self._recall.messages:
                    self._ready.append((branch, self._recall.messages[key], None))
                else:
                    self._message_waits.append((branch, operation))
            case _:
                self._ready.append((branch, None, ForeignAwaitError(_foreign_text(operation))))

    def _refuse(self, branch: Branch, error: ForeignAwaitError) -> None:
        """Raise in the code; code that goes on all the same is ended, or it would hold this process for ever."""
        branch.refusals += 1
        if branch.refusals < MAX_REFUSALS:
            self._ready.append((branch, None, error))
            return
        self._put_away(branch)
        self._end(branch, "failed", error)

    def _put_away(self, branch: Branch) -> None:
        self._frame.is_closing = True
        self._frame.awaits_while_closing = 0
        try:
            branch.coroutine.close()
        except RuntimeError as error:
            # It caught its own end and awaits on; it is left where it stands.
            if "ignored GeneratorExit" not in str(error):
                raise
        finally:
            self._frame.is_closing = False

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
        self._news.records.append(Record(kind=operation.kind, key=key, body_json=text))
        self._ready.append((branch, value, None))

    def _begin_group(self, branch: Branch, join: Join) -> None:
        group = Group(join, branch)
        self._groups[join] = group
        for path, function in join.branches:
            child = Branch(path, function(), group)
            group.branches.append(child)
            self._ready.append((child, None, None))
        if not group.branches:
            self._judge(group)

    def _end(self, branch: Branch, state: Literal["done", "failed"], result: Any) -> None:
        branch.state, branch.result = state, result
        group = branch.group
        if group is None:
            self.ended = Ended(result=result if state == "done" else None, error=result if state == "failed" else None)
            return
        if state == "done":
            group.done += 1
        else:
            group.failed += 1
        self._judge(group)

    def _judge(self, group: Group) -> None:
        if group.owner.waits_on is not group.join:
            return
        decided = self._recall.decisions.get(group.join.key)
        if decided is None:
            match group.join.rule.judge(group.tally()):
                case Verdict.OPEN:
                    return
                case Verdict.SUCCEED:
                    decided = Decision(done=indices(group, "done"), failed=None)
                case Verdict.FAIL:
                    decided = Decision(done=(), failed=indices(group, "failed")[0])
            if group.tally().open:
                self._record_decision(group.join.key, decided)
        elif not all(group.branches[index].state != "running" for index in decided.needs):
            return
        if decided.failed is None:
            outcome: _Resume = (group.owner, [group.branches[index].result for index in decided.done], None)
        else:
            outcome = (group.owner, None, group.branches[decided.failed].result)
        self._groups.pop(group.join, None)
        for child in group.branches:
            self._close(child, decided=True)
        self._ready.append(outcome)

    def _record_decision(self, key: str, decision: Decision) -> None:
        """Which branches decided a join early, so that a replay, where endings come in another order, decides the same."""
        self._recall.decisions[key] = decision
        body = to_json({"done": list(decision.done), "failed": decision.failed})
        self._news.records.append(Record(kind=EventKind.JOIN_DECIDED, key=key, body_json=body))

    def _close(self, branch: Branch, *, decided: bool) -> None:
        """Close an unfinished branch at any depth; ``decided`` by a join, else put away to sleep."""
        if branch.state != "running":
            return
        match branch.waits_on:
            case Join() as join if (group := self._groups.pop(join, None)) is not None:
                for child in group.branches:
                    self._close(child, decided=decided)
            case Wait(key=key) if key in self._waiting:
                del self._waiting[key]
                if decided:
                    self._forget_wait(key)
            case Step(key=key) if key in self._running:
                self._leave_running(key)
                if decided:
                    self._news.dropped.append(key)
            case Step(key=key):
                self._queued.pop(key, None)
            case NextMessage() as operation:
                self._message_waits = deque(entry for entry in self._message_waits if entry[1] is not operation)
            case _:
                pass
        branch.state = "closed"
        self._put_away(branch)

    def _forget_wait(self, key: str) -> None:
        for index, wait in enumerate(self._news.opened):
            if wait.key == key:
                # Reached and closed before anybody was told: it never was.
                del self._news.opened[index]
                self._known_waits.discard(key)
                return
        self._news.closed.append(key)

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


def _loaded(branch: Branch, operation: Step | Value, text: str) -> _Resume:
    """A recorded result for its branch. One that cannot be read back ends the pass: it is not the code's to handle."""
    return (branch, operation.codec.load(text), None)


def _step_failed(key: str, error: StepError, cause: BaseException | None) -> StepFailedError:
    failed = StepFailedError(step=key, kind=error.kind, detail=error.detail, cause_code=error.cause_code)
    failed.__cause__ = cause
    return failed


def _foreign_text(operation: Any) -> str:
    what = "nothing (a bare yield, such as asyncio.sleep(0))" if operation is None else f"{type(operation).__name__}"
    return (
        f"durable code awaited {what}, which is not an operation of its run and cannot be replayed; "
        "put it into an async function and await run.step(function, ...)"
    )
