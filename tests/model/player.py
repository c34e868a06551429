"""Does to a session what rules and replays ask for, tells the model, and looks whether both agree."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from overwinter.actors.answers import ChannelCredential, Credential, Decision, OwnerCredential, Received
from overwinter.actors.asks import JsonValue
from overwinter.actors.jsontext import from_json
from overwinter.store.errors import OverwinterError
from overwinter.store.rows import PauseRow
from overwinter.store.snapshots import Timeline

from .closing import check_rows
from .history import History, Seen
from .office import Office, Process
from .semantics import NEEDS, Fact, Wait
from .trees import OWNER, Node, to_json

TAKEN = "taken"
"""What ``give`` says of an answer that was recorded."""

PERSON = ("mara", "otto", "ida")


def fact_of(wait: Wait, how: str, *, at_ms: int, word: str = "", by: str = "") -> Fact:
    return Fact(key=wait.key, how=how, at_ms=at_ms, word=word, by=by)


def decision_of(wait: Wait, word: str) -> JsonValue:
    return {"approved": word == "yes"} if wait.kind in NEEDS else word


def voter_for(wait: Wait) -> str:
    return PERSON[len(wait.voters)]


class Player:
    """Plays one history.

    Attributes:
        rows: the pauses that are open, by key.
        closed: pauses that were open once and are not.
    """

    def __init__(self, office: Office, history: History) -> None:
        self.office = office
        self.history = history
        self.rows: dict[str, PauseRow] = {}
        self.closed: dict[str, PauseRow] = {}

    @classmethod
    async def begin(cls, office: Office, tree: Node, process: Process) -> Player:
        office.histories += 1
        message_id = f"m{office.histories}"
        tenant = f"tenant-{office.histories}"
        begun_ms = office.clock.now_ms()
        session_id = await process.runtime.sessions.start(
            program="play",
            owner="olga",
            message={"tree": to_json(tree)},
            tenant=tenant,
            received=Received(channel="model", external_id=message_id),
        )
        history = History(
            tenant=tenant, session_id=session_id, message_id=f"model/{message_id}", tree=tree, begun_ms=begun_ms
        )
        await office.settle()
        player = cls(office, history)
        await player.look()
        return player

    @property
    def now_ms(self) -> int:
        return self.office.clock.now_ms()

    def wait(self, label: str) -> Wait:
        return next(wait for wait in self.history.waits if wait.label == label)

    # -- things that happen -------------------------------------------------------------------------------------------
    async def give(
        self,
        process: Process,
        wait: Wait | PauseRow,
        decision: JsonValue,
        *,
        by: str = "mara",
        credential: Credential | None = None,
        tenant: str | None = None,
        received: Received | None = None,
    ) -> str:
        """Answer, and say what came of it: ``TAKEN``, ``again`` for a message that was known, or the error's code."""
        row = wait if isinstance(wait, PauseRow) else self.rows[wait.key]
        if credential is None:
            is_owners = row.role == OWNER
            credential = OwnerCredential(owner="olga") if is_owners else ChannelCredential(answered_by=by)
        try:
            answered = await process.runtime.answering.answer(
                tenant=tenant or self.history.tenant,
                pause_id=row.pause_id,
                answer=Decision(value=decision),
                credential=credential,
                received=received,
            )
        except OverwinterError as error:
            return error.code
        return "again" if answered.is_duplicate else TAKEN

    async def answer(self, process: Process, wait: Wait, word: str, *, received: Received | None = None) -> None:
        by = voter_for(wait)
        assert await self.give(process, wait, decision_of(wait, word), by=by, received=received) == TAKEN
        self.history.happen(fact_of(wait, "said", at_ms=self.now_ms, word=word, by=by))
        await self.office.settle()
        await self.look()

    async def answer_together(self, answers: Sequence[tuple[Process, Wait, str]]) -> None:
        """Answers to different questions, at once."""
        given = [
            self.give(process, wait, decision_of(wait, word), by=voter_for(wait)) for process, wait, word in answers
        ]
        outcomes = await asyncio.gather(*given)
        await self.office.settle()
        at_ms = self.now_ms
        taken = [
            fact_of(wait, "said", at_ms=at_ms, word=word, by=voter_for(wait))
            for (_, wait, word), outcome in zip(answers, outcomes, strict=True)
            if outcome == TAKEN
        ]
        refused = [each for each in outcomes if each != TAKEN]
        # One may come too late: what another has said has closed its question.
        assert taken
        assert set(refused) <= {"pause.not-pending"}, refused
        self.history.happen(*taken)
        self.history.is_repeatable = False
        await self.look()

    async def duel(self, first: Process, second: Process, wait: Wait) -> str:
        """Two answers to one question at once: one is taken, and the other is told. Returns the one that counts."""
        outcomes = await asyncio.gather(
            self.give(first, wait, decision_of(wait, "yes"), by=voter_for(wait)),
            self.give(second, wait, decision_of(wait, "no"), by=voter_for(wait)),
        )
        assert sorted(outcomes) == ["pause.not-pending", TAKEN]
        word = "yes" if outcomes[0] == TAKEN else "no"
        self.history.happen(fact_of(wait, "said", at_ms=self.now_ms, word=word, by=voter_for(wait)))
        await self.office.settle()
        await self.look()
        return word

    async def move_clock(self, until_ms: int) -> None:
        self.history.happen(*self.overdue(until_ms))
        await self.office.move_clock(until_ms)
        await self.look()

    def overdue(self, at_ms: int) -> list[Fact]:
        """What the clock does to open waits when it comes to ``at_ms``."""
        return [
            fact_of(wait, "fired" if wait.kind in ("timer", "deadline") else "timed_out", at_ms=at_ms)
            for wait in self.history.waits
            if wait.due_ms is not None and wait.due_ms <= at_ms
        ]

    async def cancel_wait(self, process: Process, wait: Wait) -> None:
        await process.runtime.answering.cancel(
            tenant=self.history.tenant, pause_id=self.rows[wait.key].pause_id, by="root", reason="not needed"
        )
        self.history.happen(fact_of(wait, "cancelled", at_ms=self.now_ms))
        await self.office.settle()
        await self.look()

    async def cancel(self, process: Process) -> None:
        await process.runtime.sessions.cancel(
            tenant=self.history.tenant, session_id=self.history.session_id, by="root", reason="enough"
        )
        self.history.is_cancelled = True
        await self.office.settle()
        await self.look()

    # -- looking ------------------------------------------------------------------------------------------------------
    async def timeline(self) -> Timeline:
        timeline = await self.office.processes[-1].store.timeline(self.history.session_id)
        assert timeline is not None
        return timeline

    async def look(self) -> Timeline:
        """Everything that must hold now."""
        history = self.history
        timeline = await self.timeline()
        rows = {history.key_of(row): row for row in timeline.pauses}
        self.rows = {key: row for key, row in rows.items() if row.status == "pending"}
        self.closed = {key: row for key, row in rows.items() if row.status != "pending"}
        history.agree(
            Seen(
                open=frozenset((key, row.deadline_at_ms) for key, row in self.rows.items()),
                outcome=_outcome_of(timeline, history.root_id),
            )
        )
        check_rows(timeline, self.office.places, times=1 + history.deaths)
        self._check_bodies()
        self._check_status(timeline)
        return timeline

    def _check_bodies(self) -> None:
        keys: defaultdict[str, set[str]] = defaultdict(set)
        counts: Counter[str] = Counter()
        for name, key in self.office.bodies[self.history.tenant]:
            keys[name].add(key)
            counts[name] += 1
        for name, count in counts.items():
            most = 2 if name in self.history.repeated else 1
            assert count <= most, f"the body of {name} ran {count} times"
            assert len(keys[name]) == 1, f"{name} ran under several keys: {keys[name]}"
        ran = set(counts)
        believed = self.history.names_run()
        assert any(each <= ran and ran - each <= self.history.excused for each in believed), (
            f"bodies that ran: {sorted(ran)}; believed: {[sorted(each) for each in believed]}"
        )

    def _check_status(self, timeline: Timeline) -> None:
        outcome = _outcome_of(timeline, self.history.root_id)
        if self.history.is_cancelled:
            expected = "cancelled"
        elif outcome is None:
            expected = "waiting"
        else:
            expected = "ended" if "result" in outcome else "failed"
        assert timeline.session.status == expected


def _outcome_of(timeline: Timeline, root_id: str) -> Any:
    root = next(row for row in timeline.executions if row.execution_id == root_id)
    if root.outcome_json is None:
        return None
    outcome: Any = from_json(root.outcome_json)
    if "result" in outcome:
        return outcome
    kind = outcome["kind"].rpartition(".")[2]
    return {"failed": kind, "detail": outcome["detail"] if kind in ("RefusedError", "BrokenError") else ""}
