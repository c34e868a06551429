"""One session, and everything that the model believes of it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from overwinter.actors.ids import execution_id_of
from overwinter.store.rows import PauseRow

from .semantics import NEEDS, Ended, Fact, Open, Reading, Wait
from .trees import Node


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What is seen of a session at rest.

    Attributes:
        open: of each open pause its key and deadline.
        outcome: what the root came to, as JSON; None while it runs.
    """

    open: frozenset[tuple[str, int | None]]
    outcome: Any


class History:
    """A session and the orders in which what happened to it may have happened.

    Where things happen one at a time there is one order. Of things that happen at once, each order is kept that agrees with
    what is seen afterwards.

    Attributes:
        is_repeatable: nothing in it was decided by who came first or when, so that it goes the same way again.
        excused: steps that may have begun, since what led to them had happened before it was seen that they were not needed.
        repeated: steps in whose bodies a process died, or was taken for dead: they may have run twice.
    """

    def __init__(self, *, tenant: str, session_id: str, message_id: str, tree: Node, begun_ms: int) -> None:
        self.tenant = tenant
        self.session_id = session_id
        self.root_id = execution_id_of(session_id, message_id)
        self.tree = tree
        self.begun_ms = begun_ms
        self.orders: list[tuple[Fact, ...]] = [()]
        self.is_cancelled = False
        self.deaths = 0
        self.is_repeatable = True
        self.excused: set[str] = set()
        self.repeated: set[str] = set()

    def reading(self, order: Sequence[Fact] | None = None) -> Reading:
        facts = self.orders[0] if order is None else order
        return Reading(self.tree, facts, begun_ms=self.begun_ms, root_id=self.root_id)

    @property
    def waits(self) -> tuple[Wait, ...]:
        """What is open now, in an order that is the same in every run."""
        root = self.reading().root
        return root.waits if isinstance(root, Open) and not self.is_cancelled else ()

    @property
    def is_over(self) -> bool:
        return self.is_cancelled or isinstance(self.reading().root, Ended)

    def happen(self, *facts: Fact) -> None:
        """These happen at once.

        The deadline of a join comes after what has been said by then, unless that leads to a step: it may not be done in time.
        """
        before = self.waits
        deadlines = {wait.key for wait in before if wait.kind == "deadline"}
        quick = {
            fact.key
            for fact in facts
            if len(facts) > 1 and fact.how == "said" and not self._leads_to_steps(fact, before)
        }
        ways = [each for each in itertools.permutations(facts) if _is_possible(each, deadlines, quick)]
        self.orders = [(*order, *way) for order in self.orders for way in ways]
        if len(facts) > 1:
            self.is_repeatable = False
            for order in self.orders:
                self.excused |= self.reading(order).touched

    def _leads_to_steps(self, fact: Fact, waits: Sequence[Wait]) -> bool:
        is_agents = any(wait.key == fact.key and wait.kind in NEEDS for wait in waits)
        now, then = self.reading(self.orders[0]), self.reading((*self.orders[0], fact))
        return is_agents or now.touched != then.touched

    def begins_little(self, fact: Fact) -> bool:
        """Whether after this no more than one wait is new that has a deadline: then it is no matter what began it when."""
        root = self.reading((*self.orders[0], fact)).root
        known = {wait.key for wait in self.waits}
        new = [wait for wait in root.waits if wait.key not in known] if isinstance(root, Open) else []
        return sum(wait.due_ms is not None for wait in new) <= 1

    def happen_again(self, fact: Fact, *, at_ms: int) -> None:
        """Begun by one process, and done over by another one at ``at_ms``: what follows from it began then or now."""
        self.is_repeatable = False
        self.deaths += 1
        self.orders = [(*order, each) for order in self.orders for each in (fact, replace(fact, at_ms=at_ms))]

    def agree(self, seen: Seen) -> None:
        """Keep the orders that lead to what is seen; one of them must."""
        if self.is_cancelled:
            assert seen.open == frozenset(), "a cancelled session has no open questions"
            return
        believed = [(order, _believed(self.reading(order))) for order in self.orders]
        agreeing = [order for order, each in believed if each == seen]
        assert agreeing, "\n".join(
            [
                "the session is not where the model is",
                f"seen:     {seen}",
                *(f"believed: {each}" for _, each in believed),
            ]
        )
        # Orders in which everything has come to the same go on alike.
        self.orders = list({self.reading(order).signature: order for order in agreeing}.values())

    def names_run(self) -> list[set[str]]:
        """For each order that may have been, the steps that have run."""
        return [{name for name, _ in self.reading(order).root.ran} for order in self.orders]

    def key_of(self, row: PauseRow) -> str:
        return row.key if row.execution_id == self.root_id else row.execution_id + row.key


def _believed(reading: Reading) -> Seen:
    root = reading.root
    if isinstance(root, Open):
        return Seen(open=frozenset((wait.key, wait.due_ms) for wait in root.waits), outcome=None)
    if root.failure is None:
        return Seen(open=frozenset(), outcome={"result": root.value})
    failure = root.failure
    return Seen(open=frozenset(), outcome={"failed": failure.kind or failure.cls, "detail": failure.detail})


def _is_possible(facts: Sequence[Fact], deadlines: set[str], quick: set[str]) -> bool:
    is_late = False
    for fact in facts:
        if is_late and fact.key in quick:
            return False
        is_late = is_late or (fact.key in deadlines and fact.how == "fired")
    return True
