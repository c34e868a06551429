"""What a workflow does, as a value: drawn at random, given to the program as JSON, and read by the model."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, cast

from hypothesis import strategies as st

from overwinter.actors.joins import All, FailFast, First, JoinRule, Need, Quorum, QuorumGroups

OWNER, PEOPLE, ROBOT, LOST = "owner", "people", "robot", "lost"
"""Whom a question is put to: the owner, people in a channel, a channel that decides at once, one that refuses every post."""

SINGLE, PAIR, TRIO = "single", "pair", "trio"
"""Agents, whose one call needs one person, two of two, two of three."""


@dataclass(frozen=True, kw_only=True)
class Ask:
    """A question; ``no`` fails its branch, anything else is its result."""

    role: str
    hours: int | None = None
    name: str = ""


@dataclass(frozen=True, kw_only=True)
class Approve:
    """A child: an agent that makes one call, which people have to approve."""

    agent: str
    name: str = ""


@dataclass(frozen=True, kw_only=True)
class Step:
    """A step, which may fail."""

    fails: bool = False
    name: str = ""


@dataclass(frozen=True, kw_only=True)
class Sleep:
    hours: int
    name: str = ""


@dataclass(frozen=True, kw_only=True)
class Seq:
    """One after another, in one branch."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, kw_only=True)
class Try:
    """If ``part`` fails, ``other`` is done instead."""

    part: Node
    other: Node


@dataclass(frozen=True, kw_only=True)
class Child:
    """A workflow of its own."""

    part: Node


@dataclass(frozen=True, kw_only=True)
class Branches:
    """A join.

    Attributes:
        call: ``gather``, ``collect`` or ``map``.
        hours: until its deadline.
        slots: ``max_concurrency``.
        rescue: where a branch fails by a broken step, a question of this name is asked in it instead.
    """

    rule: JoinRule
    branches: tuple[Node, ...]
    call: str = "gather"
    hours: int | None = None
    slots: int | None = None
    rescue: str = ""


Node = Ask | Approve | Step | Sleep | Seq | Try | Child | Branches


def to_json(node: Node | JoinRule | Any) -> Any:
    """A tree as the workflow gets it."""
    match node:
        case Need(need=need, of=of):
            return {"need": need, "of": list(of)}
        case QuorumGroups(groups=groups):
            return {"kind": "QuorumGroups", "groups": {name: to_json(group) for name, group in groups.items()}}
        case All() | FailFast() | First():
            return {"kind": type(node).__name__}
        case Quorum(n=n, max=most):
            return {"kind": "Quorum", "n": n, "max": most}
        case Ask() | Approve() | Step() | Sleep() | Seq() | Try() | Child() | Branches():
            return {"kind": type(node).__name__} | {
                each.name: to_json(getattr(node, each.name)) for each in fields(node)
            }
        case tuple():
            return [to_json(each) for each in cast("tuple[Any, ...]", node)]
        case _:
            return node


def rule_from_json(rule: dict[str, Any]) -> JoinRule:
    match rule:
        case {"kind": "Quorum", "n": n, "max": most}:
            return Quorum(n, max=most)
        case {"kind": "QuorumGroups", "groups": groups}:
            return QuorumGroups({name: Need(group["need"], of=group["of"]) for name, group in groups.items()})
        case _:
            return {"All": All, "FailFast": FailFast, "First": First}[rule["kind"]]()


def parts_of(node: Node) -> tuple[Node, ...]:
    match node:
        case Seq(parts=parts):
            return parts
        case Branches(branches=branches):
            return branches
        case Try(part=part, other=other):
            return (part, other)
        case Child(part=part):
            return (part,)
        case _:
            return ()


def walk(node: Node) -> Iterator[Node]:
    yield node
    for part in parts_of(node):
        yield from walk(part)


def ends_by_itself(node: Node) -> bool:
    """Whether the node, or a join in it, may be decided before anybody has answered anything."""
    match node:
        case Step() | Ask(role="robot" | "lost"):
            return True
        case Seq(parts=parts):
            return not parts or ends_by_itself(parts[0])
        case Try(part=part) | Child(part=part):
            return ends_by_itself(part)
        case Branches(rule=Quorum(n=n), branches=branches) if n > len(branches):
            return True
        case Branches(branches=branches):
            return any(ends_by_itself(each) for each in branches)
        case _:
            return False


def named(node: Node, count: Iterator[int] | None = None) -> Node:
    """The tree with a name of its own for each leaf."""
    numbers = itertools.count() if count is None else count
    match node:
        case Ask() | Approve() | Step() | Sleep():
            return replace(node, name=f"n{next(numbers)}")
        case Seq(parts=parts):
            return replace(node, parts=tuple(named(each, numbers) for each in parts))
        case Try(part=part, other=other):
            return replace(node, part=named(part, numbers), other=named(other, numbers))
        case Child(part=part):
            return replace(node, part=named(part, numbers))
        case Branches(branches=branches, rescue=rescue):
            name = f"r{next(numbers)}" if rescue else ""
            return replace(node, rescue=name, branches=tuple(named(each, numbers) for each in branches))


# -- drawing -----------------------------------------------------------------------------------------------------------
_hours = st.integers(min_value=1, max_value=40)
_question = st.builds(
    Ask, role=st.sampled_from([PEOPLE, OWNER, PEOPLE, OWNER, PEOPLE, OWNER, ROBOT, LOST]), hours=st.none() | _hours
)
_leaf = st.one_of(
    _question,
    _question,
    _question,
    _question,
    st.builds(Approve, agent=st.sampled_from([SINGLE, PAIR, TRIO])),
    st.builds(Approve, agent=st.sampled_from([PAIR, TRIO])),
    st.builds(Step, fails=st.sampled_from([False, False, True])),
    st.builds(Sleep, hours=_hours),
)


@st.composite
def _rules(draw: st.DrawFn, count: int) -> JoinRule:
    kind = draw(st.sampled_from(["All", "FailFast", "First", "Quorum", "Quorum", "QuorumGroups"]))
    match kind:
        case "Quorum":
            # One more than there are can never be reached, and is known from the start.
            n = draw(st.integers(min_value=1, max_value=count + draw(st.sampled_from([0, 0, 0, 0, 1]))))
            return Quorum(n, max=draw(st.none() | st.integers(min_value=n, max_value=max(n, count))))
        case "QuorumGroups":
            groups: dict[str, Need] = {}
            for name in draw(st.sampled_from(["x", "xy"])):
                of = draw(st.sets(st.integers(min_value=0, max_value=count - 1), min_size=1))
                groups[name] = Need(draw(st.integers(min_value=1, max_value=len(of))), of=of)
            return QuorumGroups(groups)
        case _:
            return rule_from_json({"kind": kind})


@st.composite
def _joins(draw: st.DrawFn, part: st.SearchStrategy[Node]) -> Node:
    branches = draw(st.lists(part, min_size=2, max_size=4))
    rule = draw(_rules(len(branches)))
    if not isinstance(rule, All):
        # Of two that end by themselves at the same moment either may be first. Only one of them is let be.
        seen = False
        for index, each in enumerate(branches):
            if ends_by_itself(each):
                branches[index] = Seq(parts=(Ask(role=PEOPLE), each)) if seen else each
                seen = True
    return Branches(
        rule=rule,
        branches=tuple(branches),
        call=draw(st.sampled_from(["gather", "collect", "map"])),
        hours=draw(st.none() | _hours),
        slots=draw(st.sampled_from([None, None, 1])),
        rescue=draw(st.sampled_from(["", "", "", "rescue"])),
    )


def _deeper(part: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    return st.one_of(
        _joins(part),
        _joins(part),
        st.builds(Seq, parts=st.lists(part, min_size=2, max_size=3).map(tuple)),
        st.builds(Child, part=part),
        st.builds(Try, part=part, other=part),
    )


_LEAVES = (Ask, Approve, Step, Sleep)
MOST_LEAVES = 8

_inner = _deeper(_leaf)
_trees = st.one_of(
    _joins(_leaf),
    _joins(st.one_of(_leaf, _leaf, _inner)),
    _joins(st.one_of(_leaf, _inner, _inner)),
    _joins(st.one_of(_leaf, _inner, _deeper(_inner))),
    st.builds(lambda *parts: Seq(parts=parts), _joins(_leaf), _joins(_leaf)),
    _deeper(_joins(_leaf)),
)


def _is_small(node: Node) -> bool:
    return sum(isinstance(each, _LEAVES) for each in walk(node)) <= MOST_LEAVES and any(
        isinstance(each, Approve) or (isinstance(each, Ask) and each.role in (PEOPLE, OWNER)) for each in walk(node)
    )


trees: st.SearchStrategy[Node] = _trees.filter(_is_small).map(named)
"""Trees of at most eight leaves, three joins deep, in which somebody is asked."""
