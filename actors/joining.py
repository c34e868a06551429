"""The joins at work in a tree: they begin, are decided by endings or by their deadline, and are decided again on a replay.

    begun -> decided        by the rule, at the ending of a branch, or by its deadline
          -> decided again  where the ledger has the decision, as soon as the branches it rests on have ended
          -> dropped        with the branch that awaits it

A decision that could have come out otherwise is recorded. On a replay it is taken again only when nothing else can move, so that
the branches it closes have gone as far as the ledger takes them, as they had before.
"""

from __future__ import annotations

from collections import deque
from heapq import heappop, heappush
from typing import Any

from ..store.rows import AnswererKind, PauseKind
from .asks import JsonValue
from .branches import Branch, Group, Record
from .events import EventKind
from .joins import QuorumGroups, Verdict, is_racing, judge, judge_late
from .jsontext import to_json
from .operations import Decision, Join, Recall, Wait
from .waits import Waits

DEADLINE = "deadline"
"""The role of the pause that holds the deadline of a join."""


class Joining:
    """What decides a join returns its group: its owner goes on, and whatever still runs of its branches is to be closed.

    Args:
        ready: where branches that can go on are put, with what they get.
        records: where is put what the ledger is to keep.
    """

    def __init__(
        self,
        *,
        recall: Recall,
        waits: Waits,
        ready: deque[tuple[Branch, Any, BaseException | None]],
        records: list[Record],
    ) -> None:
        self._recall = recall
        self._waits = waits
        self._ready = ready
        self._records = records
        self._groups: dict[Join, Group] = {}
        self._timed: dict[str, Group] = {}
        self._ranks = {key: rank for rank, key in enumerate(recall.decisions)}
        self._due_again: list[tuple[int, Group]] = []
        self._cut: list[str] = []
        self.cut_short: list[str] = []
        """Keys of all joins that were decided, now or before, while branches of theirs were open."""

    def begin(self, owner: Branch, join: Join) -> Group | None:
        """A branch awaits a join: make its branches. It may be decided at once."""
        group = Group(join, owner)
        self._groups[join] = group
        for index in range(join.count):
            branch = Branch(join.start(index), owner.frame, owner, group, index)
            group.branches.append(branch)
            self._ready.append((branch, None, None))
        if isinstance(join.rule, QuorumGroups):
            group.name_groups(join.rule)
        if (decided := self._recall.decisions.get(join.key)) is not None:
            group.missing = set(decided.needs)
        elif join.due_in_ms is not None and join.key not in self._recall.waits:
            self._timed[join.key] = group
            self._waits.reach(owner, _deadline_of(join, join.due_in_ms))
        if group.missing is not None or not group.branches or is_racing(join.rule):
            return self.judge(group)
        return None

    def drop(self, join: Join, *, decided: bool) -> list[Branch]:
        """The branch that awaits a join is closed: by another join that is decided, or put away. Its branches."""
        group = self._groups.pop(join, None)
        if group is None:
            return []
        self._leave_deadline(join, decided=decided)
        return group.branches

    def is_deadline(self, key: str) -> bool:
        return key in self._timed

    def end_deadline(self, key: str, resolution: str) -> Group | None:
        """The deadline of a join has passed, or was cancelled: then the join goes on without any."""
        group = self._timed.pop(key)
        return self.judge(group, is_late=True) if resolution == "fired" else None

    def judge(self, group: Group, *, is_late: bool = False) -> Group | None:
        """Decide the join if what has ended, or its deadline, does so."""
        join = group.join
        if group.owner.waits_on is not join:
            return None
        if group.missing is not None:
            if not group.missing and not group.is_due:
                group.is_due = True
                heappush(self._due_again, (self._ranks[join.key], group))
            return None
        tally = group.tally()
        verdict = judge_late(join.rule, tally) if is_late else judge(join.rule, tally)
        if verdict is Verdict.OPEN:
            return None
        decided = group.decision(verdict, tally)
        if tally.open:
            self._cut.append(join.key)
        if tally.open or is_racing(join.rule):
            self._record(join.key, decided)
        return self._decide(group, decided)

    @property
    def has_cut(self) -> bool:
        return bool(self._cut)

    def take_cut(self) -> list[str]:
        """Keys of joins that were decided while branches of theirs were open, since this was last asked."""
        cut, self._cut = self._cut, []
        return cut

    def decide_again(self) -> Group | None:
        """Take the recorded decision that came first of those that can be taken; None if there is none.

        To be called when nothing else can move.
        """
        while self._due_again:
            _, group = heappop(self._due_again)
            if group.join in self._groups:
                return self._decide(group, self._recall.decisions[group.join.key])
        return None

    def _decide(self, group: Group, decided: Decision) -> Group:
        del self._groups[group.join]
        if group.tally().open:
            self.cut_short.append(group.join.key)
        self._leave_deadline(group.join, decided=True)
        if (error := group.error(decided)) is not None:
            self._ready.append((group.owner, None, error))
        else:
            self._ready.append((group.owner, group.results(decided), None))
        return group

    def _leave_deadline(self, join: Join, *, decided: bool) -> None:
        if self._timed.pop(join.key, None) is not None:
            self._waits.leave(join.key, decided=decided)

    def _record(self, key: str, decision: Decision) -> None:
        self._recall.decisions[key] = decision
        body: dict[str, JsonValue] = {"done": list(decision.done), "failed": decision.failed}
        if decision.why is not None:
            body |= {"why": decision.why, "detail": decision.detail}
        if decision.group is not None:
            body["group"] = decision.group
        self._records.append(Record(kind=EventKind.JOIN_DECIDED, key=key, body_json=to_json(body)))


def _deadline_of(join: Join, due_in_ms: int) -> Wait:
    return Wait(
        key=join.key,
        frame=join.frame,
        pause_kind=PauseKind.TIMER,
        role=DEADLINE,
        prompt="",
        makes_form=None,
        answerer=AnswererKind.NOBODY,
        channel=None,
        due_in_ms=due_in_ms,
    )
