"""Rules in which a process is gone, or cut off, in the midst of a step."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import rule

from .machine import PauseMachine, picks
from .player import TAKEN, decision_of, fact_of, voter_for
from .semantics import Wait

HELD_MS = 61_000
"""After so long nothing is held any more by a process that is gone: no lease, no delivery."""


class OneProcess(PauseMachine):
    """With a process that dies in the body of a step."""

    @rule(pick=picks, word=st.sampled_from(["yes", "perhaps"]))
    def die_in_a_body(self, pick: int, word: str) -> None:
        if not self.is_quiet:
            return
        wait = self.chosen(pick)
        self.actions.append(("answer", wait.label, word))
        self.do(self.die(wait, word))

    async def die(self, wait: Wait, word: str) -> None:
        player, process = self.player, self.process(0)
        by = voter_for(wait)
        if not self.history.begins_little(fact_of(wait, "said", at_ms=player.now_ms, word=word, by=by)):
            await player.answer(process, wait, word)
            return
        process.dies_in = self.history.tenant
        assert await player.give(process, wait, decision_of(wait, word), by=by) == TAKEN
        fact = fact_of(wait, "said", at_ms=player.now_ms, word=word, by=by)
        if not await process.stands_in_body():
            self.history.happen(fact)
        else:
            self.note("death in a body")
            self.history.happen_again(fact, at_ms=player.now_ms + HELD_MS)
            self.history.repeated.add(self.office.bodies[self.history.tenant][-1][0])
            await process.die()
            # Its lease is nobody's after that.
            await self.office.clock.advance(ms=HELD_MS)
        await self.office.settle()
        await player.look()


class TwoProcesses(PauseMachine):
    """With a process that is cut off from the database in the body of a step, while the other one takes its work over."""

    @rule(pick=picks, word=st.sampled_from(["yes", "perhaps"]), where=picks)
    def freeze_in_a_body(self, pick: int, word: str, where: int) -> None:
        if not self.is_quiet:
            return
        wait = self.chosen(pick)
        self.actions.append(("answer", wait.label, word))
        self.do(self.freeze(wait, word, where))

    async def freeze(self, wait: Wait, word: str, where: int) -> None:
        player, office = self.player, self.office
        one, other = self.process(where), self.process(where + 1)
        by = voter_for(wait)
        if not self.history.begins_little(fact_of(wait, "said", at_ms=player.now_ms, word=word, by=by)):
            await player.answer(one, wait, word)
            return
        one.freezes_in = self.history.tenant
        assert await player.give(one, wait, decision_of(wait, word), by=by) == TAKEN
        fact = fact_of(wait, "said", at_ms=player.now_ms, word=word, by=by)
        if not await one.stands_in_body():
            self.history.happen(fact)
        else:
            self.note("freeze in a body")
            self.history.happen_again(fact, at_ms=player.now_ms + HELD_MS)
            self.history.repeated |= {name for name, _ in office.bodies[self.history.tenant]}
            await office.clock.advance(ms=HELD_MS)
            await office.settle(other)
            one.thaw()
        await office.settle()
        await player.look()
