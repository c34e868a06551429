"""The model: what a tree comes to, written down a second time, obviously and slowly.

There is no machine in here. Facts are what happened to waits, in the order in which it happened; the n-th has the moment n, and
everything begins at moment 0. A tree is read off from its facts, from the start, each time: a node has ended at some moment,
or it is open and stands at some waits. What takes no time (a step, a question that is decided at once) ends at the moment
at which it begins. A join walks through the endings of its branches in the order of their moments, and is decided at the
first of them at which its rule says so; what its branches do after that moment never happens.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, assert_never

from overwinter.actors.ids import execution_id_of
from overwinter.actors.joins import All, FailFast, First, JoinRule, Quorum, QuorumGroups

from .program import SINGLE_HOURS
from .trees import LOST, PAIR, PEOPLE, ROBOT, SINGLE, TRIO, Approve, Ask, Branches, Child, Node, Seq, Sleep, Step, Try

HOUR_MS = 3_600_000

NEEDS = {SINGLE: (1, 1), PAIR: (2, 2), TRIO: (2, 3)}
"""How many people have to approve, and how many are asked."""


@dataclass(frozen=True, kw_only=True)
class Fact:
    """Something that happened to the wait of that key: ``said``, ``timed_out``, ``fired`` or ``cancelled``."""

    key: str
    how: str
    word: str = ""
    by: str = ""
    at_ms: int = 0


@dataclass(frozen=True, kw_only=True)
class Wait:
    """A place where the tree stands.

    Attributes:
        label: its key, without ids: the same in every session that is given the same tree.
        kind: the role or agent that asks; ``timer``; ``deadline`` of a join.
        voters: who has said something already, where several people are needed.
    """

    key: str
    label: str
    kind: str
    due_ms: int | None = None
    voters: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Failure:
    """``is_broken``: a broken step is what it is, or is in the chain of what led to it."""

    cls: str
    kind: str = ""
    detail: str = ""
    is_broken: bool = False

    @property
    def told(self) -> str:
        return f"{self.cls} {self.kind} {self.detail}".strip().replace("  ", " ")


Ran = tuple[tuple[str, int], ...]
"""Names of steps, and the moment of each."""


@dataclass(frozen=True, kw_only=True)
class Ended:
    at: int
    value: Any = None
    failure: Failure | None = None
    ran: Ran = ()


@dataclass(frozen=True, kw_only=True)
class Open:
    waits: tuple[Wait, ...]
    ran: Ran = ()


class Path:
    """The keys of one branch, as ``Run`` gives them out."""

    def __init__(self, path: str, execution_id: str, label: str) -> None:
        self.path = path
        self._execution_id = execution_id
        self._label = label
        self._visits: Counter[str] = Counter()

    def key(self, name: str) -> str:
        self._visits[name] += 1
        return f"{self.path}/{name}#{self._visits[name] - 1}"

    def label(self, key: str) -> str:
        return self._label + key.removeprefix(self.path)

    def below(self, path: str) -> Path:
        return Path(path, self._execution_id, self.label(path))

    def child(self, name: str) -> Path:
        key = self.key(name)
        execution_id = execution_id_of(self._execution_id, key)
        return Path(execution_id, execution_id, f"{self.label(key)}:")


class Reading:
    """One tree and its facts.

    Attributes:
        touched: names of all steps that any branch would have come to, had it not been closed.
        decided: the rule and the verdict of each join that was decided.
    """

    def __init__(self, tree: Node, facts: Sequence[Fact], *, begun_ms: int, root_id: str) -> None:
        self._times = [begun_ms, *(fact.at_ms for fact in facts)]
        self._facts: dict[str, list[tuple[int, Fact]]] = {}
        for moment, fact in enumerate(facts, start=1):
            self._facts.setdefault(fact.key, []).append((moment, fact))
        self.touched: set[str] = set()
        self.decided: set[tuple[str, str]] = set()
        self._ends: list[str] = []
        self.root = self.read(tree, Path("", root_id, ""), 0)

    @property
    def signature(self) -> str:
        """The same for readings in which every node has come to the same, at whatever moment, and the same steps have run."""
        return "; ".join((*self._ends, *sorted(name for name, _ in self.root.ran)))

    def read(self, node: Node, path: Path, begun: int) -> Ended | Open:
        result = self._read(node, path, begun)
        if isinstance(result, Open):
            self._ends.append(f"{path.path} {result.waits}")
        else:
            self._ends.append(f"{path.path} {result.value} {result.failure}")
        return result

    def _read(self, node: Node, path: Path, begun: int) -> Ended | Open:
        match node:
            case Step(name=name, fails=fails):
                path.key("act")
                self.touched.add(name)
                broken = Failure(cls="StepFailedError", kind="BrokenError", detail=name, is_broken=True)
                return Ended(at=begun, value=f"did {name}", failure=broken if fails else None, ran=((name, begun),))
            case Sleep(hours=hours):
                key = path.key("sleep")
                return self._wait(key, path, "timer", hours, begun) or Ended(at=self._facts[key][0][0], value="slept")
            case Ask():
                return self._ask(node, path, begun)
            case Approve(name=name, agent=agent):
                return self._approve(name, agent, path, begun)
            case Seq(parts=parts):
                return self._seq(parts, path, begun)
            case Child(part=part):
                ended = self.read(part, path.child("play"), begun)
                if isinstance(ended, Open) or ended.failure is None:
                    return ended
                kind = ended.failure.kind or ended.failure.cls
                return replace(ended, failure=replace(ended.failure, cls="ChildFailedError", kind=kind))
            case Try(part=part, other=other):
                first = self.read(part, path, begun)
                if isinstance(first, Open) or first.failure is None:
                    return first
                return _after(first, self.read(other, path, first.at), [first.failure.told])
            case Branches():
                return self._join(node, path, begun)
            case _:
                assert_never(node)

    def _wait(self, key: str, path: Path, kind: str, hours: int | None, begun: int) -> Open | None:
        """Open, while nothing has happened to it."""
        if key in self._facts:
            return None
        due_ms = None if hours is None else self._times[begun] + hours * HOUR_MS
        return Open(waits=(Wait(key=key, label=path.label(key), kind=kind, due_ms=due_ms),))

    def _ask(self, node: Ask, path: Path, begun: int) -> Ended | Open:
        key = path.key("ask")
        if node.role == ROBOT:
            return Ended(at=begun, value=[node.name, "yes"])
        if node.role == LOST:
            return Ended(at=begun, failure=Failure(cls="PauseUndeliverableError"))
        if (wait := self._wait(key, path, node.role, node.hours, begun)) is not None:
            return wait
        at, fact = self._facts[key][0]
        match fact.how, fact.word:
            case "said", "no":
                return Ended(at=at, failure=Failure(cls="RefusedError", detail=node.name))
            case "said", word:
                return Ended(at=at, value=[node.name, word])
            case "timed_out", _:
                return Ended(at=at, failure=Failure(cls="PauseTimedOutError"))
            case _:
                return Ended(at=at, failure=Failure(cls="PauseCancelledError"))

    def _approve(self, name: str, agent: str, path: Path, begun: int) -> Ended | Open:
        needs, of = NEEDS[agent]
        child = path.child(agent)
        key = f"{child.path}/gather#0[0]/approval#0"
        said: list[Fact] = []
        for at, fact in self._facts.get(key, []):
            if fact.how != "said":
                return Ended(at=at, value="unpaid")
            said.append(fact)
            for_it = sum(each.word == "yes" for each in said)
            if for_it == needs:
                self.touched.add(name)
                return Ended(at=at, value=f"paid {name}", ran=((name, at),))
            if for_it + of - len(said) < needs:
                return Ended(at=at, value="unpaid")
        due_ms = self._times[begun] + SINGLE_HOURS * HOUR_MS if agent == SINGLE else None
        voters = tuple(fact.by for fact in said)
        return Open(waits=(Wait(key=key, label=child.label(key), kind=agent, due_ms=due_ms, voters=voters),))

    def _seq(self, parts: Sequence[Node], path: Path, begun: int) -> Ended | Open:
        done = Ended(at=begun, value=[])
        for part in parts:
            values: list[Any] = done.value
            result = _after(done, self.read(part, path, done.at), values)
            if isinstance(result, Open) or result.failure is not None:
                return result
            done = result
        return done

    def _join(self, node: Branches, path: Path, begun: int) -> Ended | Open:
        key = path.key(node.call)
        branches = [self._branch(node, key, path, index, begun) for index in range(len(node.branches))]
        moments = {begun} | {each.at for each in branches if isinstance(each, Ended)}
        late: Fact | None = None
        late_at = -1
        if key in self._facts:
            late_at, late = self._facts[key][0]
            moments.add(late_at)
        if _verdict(node.rule, [None] * len(branches)) is not None:
            # Not even all of them would be enough: none begins.
            self.decided.add((type(node.rule).__name__, "unreachable"))
            return Ended(at=begun, failure=Failure(cls="QuorumNotReachedError"))
        for moment in sorted(moments):
            ended = [each if isinstance(each, Ended) and each.at <= moment else None for each in branches]
            is_late = late is not None and late.how == "fired" and moment == late_at
            verdict = _verdict(node.rule, ended, is_late=is_late)
            if verdict is not None:
                self.decided.add((type(node.rule).__name__, verdict))
                ran = tuple(each for branch in branches for each in branch.ran if each[1] <= moment)
                return _outcome(node, verdict, ended, Ended(at=moment, ran=ran))
        waits = tuple(wait for each in branches if isinstance(each, Open) for wait in each.waits)
        if node.hours is not None and late is None:
            due_ms = self._times[begun] + node.hours * HOUR_MS
            waits = (*waits, Wait(key=key, label=path.label(key), kind="deadline", due_ms=due_ms))
        return Open(waits=waits, ran=tuple(each for branch in branches for each in branch.ran))

    def _branch(self, node: Branches, key: str, path: Path, index: int, begun: int) -> Ended | Open:
        result = self.read(node.branches[index], path.below(f"{key}[{index}]"), begun)
        if isinstance(result, Open) or result.failure is None or not result.failure.is_broken or not node.rescue:
            return result
        question = Ask(role=PEOPLE, name=node.rescue)
        other = self.read(question, path.below(f"{key}[{index}]/on_error"), result.at)
        if isinstance(other, Ended) and other.failure is not None:
            # Raised while the first error was being handled: that has led to it.
            other = replace(other, failure=replace(other.failure, is_broken=True))
        return _after(result, other, ["rescued"])


def _after(first: Ended, second: Ended | Open, before: list[Any]) -> Ended | Open:
    """What comes of two things done one after the other; the result of the second goes behind what was there ``before``."""
    ran = first.ran + second.ran
    if isinstance(second, Open) or second.failure is not None:
        return replace(second, ran=ran)
    return replace(second, ran=ran, value=[*before, second.value])


def _verdict(rule: JoinRule, ended: Sequence[Ended | None], *, is_late: bool = False) -> str | None:
    """What a join comes to: ``done``, ``failed``, ``unreachable``, ``late``; None while it is open."""
    done = {index for index, each in enumerate(ended) if each is not None and each.failure is None}
    failed = {index for index, each in enumerate(ended) if each is not None and each.failure is not None}
    is_over = len(done) + len(failed) == len(ended)
    late = "late" if is_late else None
    match rule:
        case All():
            return ("failed" if failed else "done") if is_over else late
        case FailFast():
            return "failed" if failed else "done" if is_over else late
        case First():
            return "done" if done else "failed" if is_over else late
        case Quorum(n=n, max=most):
            if len(ended) - len(failed) < n:
                return "unreachable"
            is_enough = len(done) >= (most or n) or (len(done) >= n and (is_over or is_late))
            return "done" if is_enough else late
        case QuorumGroups(groups=groups):
            if any(len(done & set(group.of)) >= group.need for group in groups.values()):
                return "done"
            is_lost = all(len(set(group.of) - failed) < group.need for group in groups.values())
            return "unreachable" if is_lost else late
        case _:
            assert_never(rule)


def _outcome(node: Branches, verdict: str, ended: Sequence[Ended | None], at: Ended) -> Ended:
    done = [(index, each.value) for index, each in enumerate(ended) if each is not None and each.failure is None]
    failures = [each.failure for each in ended if each is not None and each.failure is not None]
    match verdict:
        case "done":
            winner = None
            if isinstance(node.rule, QuorumGroups):
                has = {index for index, _ in done}
                groups = node.rule.groups.items()
                winner, group = next((n, g) for n, g in groups if len(has & set(g.of)) >= g.need)
                done = [(index, value) for index, value in done if index in group.of]
            results = [value for _, value in done]
            value = [winner, [index for index, _ in done], results] if node.call == "collect" else results
            return replace(at, value=value)
        case "failed":
            return replace(at, failure=failures[0])
        case "unreachable":
            is_broken = bool(failures) and failures[0].is_broken
            return replace(at, failure=Failure(cls="QuorumNotReachedError", is_broken=is_broken))
        case _:
            return replace(at, failure=Failure(cls="JoinDeadlineError"))
