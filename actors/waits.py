"""The waits at which the branches of a tree stand, and which of them are news to the store."""

from __future__ import annotations

from collections.abc import Mapping

from .branches import Branch
from .comparing import check_asked
from .operations import Step, Wait
from .settlements import settlement_of


class Waits:
    """Args:
    known: waits that have a pause already, by key: the role that was asked, and who may answer; empty where neither is known.
    """

    def __init__(self, *, known: Mapping[str, tuple[str, str]]) -> None:
        self._known = dict(known)
        self._standing: dict[str, Branch] = {}
        self._opened: dict[str, Wait] = {}
        self._closed: list[str] = []

    def reach(self, branch: Branch, wait: Wait) -> None:
        """A branch has come to a wait that is not resolved.

        Raises:
            SessionDefinitionChangedError: (session.definition-changed) the question that is open there was put to others.
        """
        key = wait.key
        if (asked := self._known.get(key)) is not None:
            check_asked(wait, role=asked[0], answerer=asked[1])
        else:
            self._known[key] = (wait.role, wait.answerer)
            self._opened[key] = wait
        self._standing[key] = branch

    def reach_settlement(self, branch: Branch, step: Step) -> None:
        """A branch stands before a step that left no result, and must not start twice."""
        branch.waits_on = settlement = settlement_of(step)
        self.reach(branch, settlement)

    def knows(self, key: str) -> bool:
        """Whether the wait is open."""
        return key in self._known

    def resolve(self, key: str) -> Branch | None:
        """The wait is over: the branch that stood there; None if none does."""
        branch = self._standing.pop(key, None)
        if branch is not None:
            self._known.pop(key, None)
        return branch

    def leave(self, key: str, *, decided: bool) -> None:
        """The branch that stands there is closed: by a decided join, which closes the wait, or put away to sleep."""
        if self._standing.pop(key, None) is None or not decided:
            return
        if self._opened.pop(key, None) is None:
            self._closed.append(key)
        else:
            # Reached and closed before anybody was told: it never was.
            self._known.pop(key, None)

    @property
    def has_news(self) -> bool:
        return bool(self._opened or self._closed)

    def take_news(self) -> tuple[dict[str, Wait], list[str]]:
        """Waits reached that nobody knows of yet, and keys of known ones that are closed, since this was last asked."""
        opened, closed = self._opened, self._closed
        self._opened, self._closed = {}, []
        return opened, closed
