"""The rules: what may happen to a session, in any order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any, ClassVar, TypeVar

from hypothesis import event
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from overwinter.actors.answers import ChannelCredential, OwnerCredential, Received
from overwinter.actors.asks import JsonValue
from overwinter.store.rows import PauseRow

from .history import History
from .office import Office, Process
from .player import TAKEN, Player, decision_of, fact_of, voter_for
from .program import QUESTIONS, WORDS
from .replay import Action, play_again
from .semantics import HOUR_MS, NEEDS, Wait
from .trees import OWNER, Node, trees, walk

T = TypeVar("T")

MOST_ORDERS = 6
"""Nothing more happens at once while so many orders may have been."""

MOST_AT_ONCE = 4
picks = st.integers(min_value=0, max_value=11)
_words = st.sampled_from([*WORDS, "yes"])
_disturbances = st.sampled_from(
    [
        "late",
        "again",
        "message",
        "message",
        "message",
        "voter",
        "invalid",
        "tenant",
        "credential",
        "stranger",
        "nobody",
        "id",
        "late",
        "voter",
    ]
)


class PauseMachine(RuleBasedStateMachine):
    """One history, and one more when that is over.

    No rule has a precondition: which of two things at once came first differs from run to run, and what hypothesis draws must
    not. A rule that has nothing to do answers something instead.

    Attributes:
        office: set by whoever runs the machine.
        counts: what has occurred, over all runs: ``node …``, ``verdict …``, ``event …``, ``end …``.
    """

    office: ClassVar[Office]
    counts: ClassVar[Counter[str]]

    player: Player
    actions: list[Action]
    received: dict[str, Received]
    next_trees: list[Node]
    is_lost: bool = True
    is_finished_at_end: bool
    is_played_again: bool

    # -- beginning and ending -----------------------------------------------------------------------------------------
    @initialize(
        tree=trees,
        next_tree=trees,
        is_finished=st.sampled_from([True, False]),
        is_played_again=st.sampled_from([False, False, True]),
    )
    def begin(self, tree: Node, next_tree: Node, is_finished: bool, is_played_again: bool) -> None:
        self.is_finished_at_end, self.is_played_again = is_finished, is_played_again
        self.next_trees = [next_tree]
        self.begin_with(tree)

    def begin_with(self, tree: Node) -> None:
        self.actions, self.received = [], {}
        self.player = self.do(Player.begin(self.office, tree, self.process(self.office.histories)))
        self.counts["history"] += 1
        for node in walk(tree):
            self.counts[f"node {type(node).__name__}"] += 1

    def teardown(self) -> None:
        is_well = False
        try:
            if not self.is_lost:
                if self.is_finished_at_end:
                    self.finish()
                self.end()
                is_well = True
        finally:
            if not is_well:
                self.office.do(self.office.abandon())

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        """What raises in the midst of something leaves a session of which nothing is known."""
        self.is_lost = True
        result = self.office.do(work)
        self.is_lost = False
        return result

    def expect(self, outcome: str, work: Coroutine[Any, Any, str]) -> None:
        got = self.do(work)
        self.is_lost = got != outcome
        assert got == outcome

    def finish(self) -> None:
        """Say yes to everything, and let time pass, until it is over."""
        while not self.history.is_over:
            process = self.process(0)
            if askable := self.askable:
                self.act(("answer", askable[0].label, "yes"), self.player.answer(process, askable[0], "yes"))
            else:
                self.pass_time_until(min(wait.due_ms or 0 for wait in self.history.waits))

    def end(self) -> None:
        history = self.history
        self.counts[f"end {self.end_of(history)}"] += 1
        for order in history.orders:
            for name, verdict in history.reading(order).decided:
                self.counts[f"verdict {name} {verdict}"] += 1
        if not history.is_over:
            self.do(self.player.cancel(self.process(0)))
        if self.is_played_again and history.is_repeatable:
            self.note("played again")
            self.do(play_again(self.player, self.actions))

    def end_of(self, history: History) -> str:
        if history.is_cancelled:
            return "cancelled"
        root = history.reading().root
        if not history.is_over:
            return "cut short"
        return "failed" if getattr(root, "failure", None) else "ended"

    # -- what rules go by ---------------------------------------------------------------------------------------------
    @property
    def history(self) -> History:
        return self.player.history

    @property
    def askable(self) -> list[Wait]:
        """Open questions."""
        return [wait for wait in self.history.waits if wait.kind not in ("timer", "deadline")]

    @property
    def is_certain(self) -> bool:
        return len(self.history.orders) <= MOST_ORDERS

    @property
    def is_quiet(self) -> bool:
        """There is something to answer, and for a while the clock changes nothing."""
        return self.is_certain and bool(self.askable) and not self.player.overdue(self.player.now_ms + HOUR_MS)

    def process(self, pick: int) -> Process:
        return self.office.processes[pick % len(self.office.processes)]

    def chosen(self, pick: int) -> Wait:
        return self.askable[pick % len(self.askable)]

    def note(self, what: str) -> None:
        self.counts[f"event {what}"] += 1
        event(what)

    def act(self, action: Action, work: Any) -> None:
        self.actions.append(action)
        self.note(action[0])
        self.do(work)

    # -- answers ------------------------------------------------------------------------------------------------------
    @rule(pick=picks, word=_words, where=picks)
    def answer(self, pick: int, word: str, where: int) -> None:
        if self.history.is_over and self.next_trees:
            self.end()
            self.begin_with(self.next_trees.pop())
        if not self.askable:
            return
        wait = self.chosen(pick)
        received = Received(channel="slack", external_id=f"{self.history.tenant} {len(self.actions)}")
        self.received[wait.key] = received
        self.act(("answer", wait.label, word), self.player.answer(self.process(where), wait, word, received=received))

    @rule(pick=picks, word=_words, where=picks)
    def answer_another(self, pick: int, word: str, where: int) -> None:
        self.answer(pick, word, where)

    @rule(pick=picks, where=picks)
    def say_yes(self, pick: int, where: int) -> None:
        self.answer(pick, "yes", where)

    @rule(pick=picks, count=st.integers(2, 3), words=st.tuples(_words, _words, _words), where=picks)
    def answer_together(self, pick: int, count: int, words: tuple[str, str, str], where: int) -> None:
        if len(self.askable) < 2 or not self.is_certain:
            self.answer(pick, words[0], where)
            return
        answers = [
            (self.process(where + index), wait, words[index]) for index, wait in enumerate(self.some(pick, count))
        ]
        self.act(("together",), self.player.answer_together(answers))

    def some(self, pick: int, count: int) -> list[Wait]:
        """Different open questions."""
        waits = self.askable
        first = pick % len(waits)
        return (waits[first:] + waits[:first])[:count]

    @rule(pick=picks, where=picks, other=picks)
    def duel(self, pick: int, where: int, other: int) -> None:
        waits = [wait for wait in self.askable if NEEDS.get(wait.kind, (1, 1)) == (1, 1)]
        if not waits:
            self.answer(pick, "no", where)
            return
        wait = waits[pick % len(waits)]
        self.note("duel")
        word = self.do(self.player.duel(self.process(where), self.process(other), wait))
        self.actions.append(("answer", wait.label, word))

    # -- what must change nothing -------------------------------------------------------------------------------------
    @rule(pick=picks, where=picks, other=picks, how=_disturbances)
    def disturb(self, pick: int, where: int, other: int, how: str) -> None:
        """Answers that must not be taken."""
        process = self.process(where)
        match how:
            case "late":
                self.answer_too_late(pick, process)
            case "again":
                self.deliver_again(other, process)
            case _ if not self.askable:
                return
            case "message":
                self.answer_in_a_known_message(self.chosen(pick), other, process)
            case _:
                fitting = [wait for wait in self.askable if _is_for(how, wait)] or self.askable
                self.answer_wrongly(fitting[pick % len(fitting)], process, how)
        self.do(self.office.settle())
        self.do(self.player.look())

    @rule(pick=picks, where=picks)
    def come_late(self, pick: int, where: int) -> None:
        self.disturb(pick, where, 0, "late")

    def answer_wrongly(self, wait: Wait, process: Process, how: str) -> None:
        give, right = self.player.give, decision_of(wait, "yes")
        is_owners = wait.kind == OWNER
        match how:
            case "invalid":
                got, wanted = give(process, wait, 17, by=voter_for(wait)), "pause.invalid-decision"
            case "tenant":
                got, wanted = give(process, wait, right, tenant="another"), "pause.unknown"
            case "credential":
                credential = ChannelCredential(answered_by="mara") if is_owners else OwnerCredential(owner="olga")
                got, wanted = give(process, wait, right, credential=credential), "pause.wrong-answerer"
            case "stranger" if is_owners:
                got, wanted = give(process, wait, right, credential=OwnerCredential(owner="eve")), "pause.not-owner"
            case "voter" if wait.voters:
                got, wanted = give(process, wait, right, by=wait.voters[0]), "pause.already-voted"
            case "id":
                got, wanted = (
                    give(process, replace(self.player.rows[wait.key], pause_id="0" * 32), right),
                    "pause.unknown",
                )
            case _:
                how = "nobody"
                credential = OwnerCredential(owner=" ") if is_owners else ChannelCredential(answered_by=" ")
                got, wanted = give(process, wait, right, credential=credential), "pause.invalid-answer"
        self.note(f"wrong {how}")
        self.expect(wanted, got)

    def answer_too_late(self, pick: int, process: Process) -> None:
        asked = [row for row in self.player.closed.values() if row.kind == "ask"]
        rows = {row.resolution: row for row in sorted(asked, key=lambda row: row.key)}
        if rows:
            row = rows[sorted(rows, key=str)[pick % len(rows)]]
            self.note(f"late {row.resolution}")
            self.expect("pause.not-pending", self.player.give(process, row, _yes_to(row)))

    def deliver_again(self, other: int, process: Process) -> None:
        """The same message comes again."""
        if self.received:
            key, received = list(self.received.items())[other % len(self.received)]
            row = self.player.closed.get(key) or self.player.rows[key]
            self.note("delivered again")
            self.expect("again", self.player.give(process, row, _yes_to(row), by="ida", received=received))

    def answer_in_a_known_message(self, wait: Wait, other: int, process: Process) -> None:
        """A message that has answered one question answers no other."""
        known = [received for key, received in self.received.items() if key != wait.key]
        if known:
            self.note("known message")
            give = self.player.give(
                process, wait, decision_of(wait, "yes"), by=voter_for(wait), received=known[other % len(known)]
            )
            self.expect("effect.conflict", give)

    # -- time ---------------------------------------------------------------------------------------------------------
    @rule(count=st.integers(0, 3), further=st.sampled_from([0, 0, 1, HOUR_MS, 5 * HOUR_MS]))
    def pass_time(self, count: int, further: int) -> None:
        """Until so many waits are due, and a little longer."""
        due = self.due
        until_ms = due[min(count, len(due)) - 1] if count and due else self.player.now_ms
        self.pass_time_until(until_ms + further)

    @property
    def due(self) -> list[int]:
        """When open waits are due, in order."""
        return sorted(wait.due_ms for wait in self.history.waits if wait.due_ms is not None)

    def pass_time_until(self, until_ms: int) -> None:
        until_ms = self.latest(until_ms, MOST_AT_ONCE if self.is_certain else 1)
        for fact in self.player.overdue(until_ms):
            self.note(f"clock {fact.how}")
        self.act(("clock", until_ms - self.history.begun_ms), self.player.move_clock(until_ms))

    def latest(self, until_ms: int, most: int) -> int:
        """No later than when so many waits are due; more than that only if all of them are due at one moment."""
        while until_ms > self.due_first and len(self.player.overdue(until_ms)) > most:
            until_ms = max(self.due_first, until_ms - HOUR_MS)
        return max(until_ms, self.player.now_ms)

    @property
    def due_first(self) -> int:
        return self.due[0] if self.due else 0

    # -- cancelling ---------------------------------------------------------------------------------------------------
    @rule(pick=picks, where=picks, is_session=st.sampled_from([False, False, False, True]))
    def cancel(self, pick: int, where: int, is_session: bool) -> None:
        waits = self.history.waits
        if not waits:
            return
        if is_session:
            self.act(("cancel",), self.player.cancel(self.process(where)))
            return
        wait = waits[pick % len(waits)]
        self.note(f"cancel of {'a question' if wait in self.askable else wait.kind}")
        self.act(("cancel wait", wait.label), self.player.cancel_wait(self.process(where), wait))

    # -- processes ----------------------------------------------------------------------------------------------------
    @rule(where=picks, how=st.sampled_from(["cut", "cut", "cut", "cut", "politely", "politely", "file closed"]))
    def restart(self, where: int, how: str) -> None:
        self.note(f"restart {how}")
        restart = self.process(where).restart(politely=how == "politely", reopens=how == "file closed")
        self.do(restart)
        self.do(self.office.settle())
        self.do(self.player.look())

    @rule(
        pick=picks,
        count=st.integers(0, 2),
        words=st.tuples(_words, _words),
        due=st.integers(0, 2),
        is_late=st.booleans(),
    )
    def be_away(self, pick: int, count: int, words: tuple[str, str], due: int, is_late: bool) -> None:
        """While no supervisor runs, answers are recorded, then time passes, and perhaps somebody is too late."""
        if not self.history.waits or not self.is_certain:
            return
        self.note("away")
        waits = self.some(pick, count) if self.askable else []
        self.do(self.away([*zip(waits, words, strict=False)], due, is_late=is_late))

    async def away(self, answers: list[tuple[Wait, str]], due: int, *, is_late: bool) -> None:
        player, office = self.player, self.office
        for process in office.processes:
            await process.stop()
            process.start(supervises=False)
        process = office.processes[0]
        answered: list[tuple[Wait, str, str]] = []
        for wait, word in answers:
            if wait.due_ms is None or wait.due_ms > player.now_ms:
                by = voter_for(wait)
                assert await player.give(process, wait, decision_of(wait, word), by=by) == TAKEN
                answered.append((wait, word, by))
        if due and self.due:
            until_ms = self.latest(self.due[min(due, len(self.due)) - 1], MOST_AT_ONCE - len(answered))
            await office.clock.advance(ms=until_ms - player.now_ms)
        now_ms = player.now_ms
        decided = {wait.key for wait, _, _ in answered if wait.kind not in ("pair", "trio")}
        overdue = [fact for fact in player.overdue(now_ms) if fact.key not in decided]
        if is_late:
            for wait in self.askable:
                if wait.due_ms is not None and wait.due_ms <= now_ms and wait.key not in decided:
                    self.note("late before anybody noticed")
                    assert await player.give(process, wait, decision_of(wait, "yes")) == "pause.not-pending"
        # A replay waits first, since it goes on at once with what is answered; unless that would be too late then.
        if any(wait.due_ms is not None and wait.due_ms <= now_ms for wait, _, _ in answered):
            self.history.is_repeatable = False
        self.actions.append(("clock", now_ms - self.history.begun_ms))
        self.actions.extend(("answer", wait.label, word) for wait, word, _ in answered)
        for each in office.processes:
            each.start()
        self.history.happen(
            *(fact_of(wait, "said", at_ms=now_ms, word=word, by=by) for wait, word, by in answered), *overdue
        )
        await office.settle()
        await player.look()


def _is_for(how: str, wait: Wait) -> bool:
    """Whether one can go wrong so with this question."""
    match how:
        case "stranger":
            return wait.kind == OWNER
        case "voter":
            return bool(wait.voters)
        case _:
            return True


def _yes_to(row: PauseRow) -> JsonValue:
    return "yes" if row.role in QUESTIONS else {"approved": True}
