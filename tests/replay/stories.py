"""What happened to each recorded session before it was recorded, and what is to come of it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from overwinter.actors.answers import ChannelCredential, Decision
from overwinter.actors.settling import Failed
from overwinter.bots.testing.kit import Kit

from .office import Office


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """One session, put away and gone on with.

    Attributes:
        record: brings a session to the point where it is recorded.
        go_on: what people do then.
        status, outcome: how it ends.
        ran_before, ran_after: what the bodies of tools and steps did on either side of the recording.
        model_calls_after: how often a model is asked after it.
    """

    record: Callable[[Kit, Office], Awaitable[None]]
    go_on: Callable[[Kit, str], Awaitable[None]]
    status: str
    outcome: Any
    ran_before: list[str]
    ran_after: list[str]
    model_calls_after: int = 0


async def _approve(kit: Kit, *, key: str) -> None:
    await kit.answer(await kit.question(key=key), decision={"approved": True})


async def _say_what(kit: Kit, *, key: str, what: str) -> None:
    await kit.answer(await kit.question(key=key), decision=what)


async def _nothing(kit: Kit, session_id: str) -> None:
    """The session goes on by itself."""


# -- one reply with three calls: one approved and run, one that asks nobody, one that still waits ----------------------
async def _record_calls(kit: Kit, office: Office) -> None:
    await kit.start("support", "refund orders 1 and 2")
    await _approve(kit, key="/gather#0[0]/approval#0")


async def _go_on_calls(kit: Kit, session_id: str) -> None:
    await _approve(kit, key="/gather#0[2]/approval#0")
    await kit.say(session_id, "thanks")


# -- answered by a process that revives nobody -------------------------------------------------------------------------
async def _record_answered(kit: Kit, office: Office) -> None:
    await _record_calls(kit, office)
    question = await kit.question(key="/gather#0[2]/approval#0")
    kit.runtime.supervisor.stop()
    await kit.runtime.answering.answer(
        tenant=kit.tenant,
        pause_id=question.pause_id,
        answer=Decision(value={"approved": False, "reason": "a duplicate"}),
        credential=ChannelCredential(answered_by="mara"),
    )


# -- blocked, as other code was deployed -------------------------------------------------------------------------------
async def _record_blocked(kit: Kit, office: Office) -> None:
    await _record_calls(kit, office)
    office.is_changed = True
    await kit.restart()
    await _approve(kit, key="/gather#0[2]/approval#0")


# -- a map whose branches wait, end and wait --------------------------------------------------------------------------
async def _record_map(kit: Kit, office: Office) -> None:
    await kit.start("close_month", "2026-11", surface="workspace")
    await _say_what(kit, key="/map#0[1]/ask#0", what="yes")


async def _go_on_map(kit: Kit, session_id: str) -> None:
    await _say_what(kit, key="/map#0[2]/ask#0", what="no")
    await _say_what(kit, key="/map#0[0]/ask#0", what="yes")


# -- a join that a failure has decided, and a question after it -------------------------------------------------------
async def _record_failed_fast(kit: Kit, office: Office) -> None:
    await kit.start("board", {}, surface="workspace")
    await _say_what(kit, key="/gather#0[1]/ask#0", what="no")


async def _go_on_failed_fast(kit: Kit, session_id: str) -> None:
    await _say_what(kit, key="/ask#0", what="postpone")


# -- asleep for a month -----------------------------------------------------------------------------------------------
async def _record_sleep(kit: Kit, office: Office) -> None:
    await kit.start("archive", {}, surface="workspace")


async def _go_on_sleep(kit: Kit, session_id: str) -> None:
    await kit.advance(timedelta(days=30))


# -- agents that wait for their user ----------------------------------------------------------------------------------
async def _record_yield(kit: Kit, office: Office) -> None:
    session_id = await kit.start("companion", "hello")
    await kit.say(session_id, "are you there?")


async def _say_bye(kit: Kit, session_id: str) -> None:
    await kit.say(session_id, "bye")


async def _record_user_asked(kit: Kit, office: Office) -> None:
    await kit.start("clerk", "find my order")


async def _name_the_order(kit: Kit, session_id: str) -> None:
    await kit.say(session_id, "4471")


# -- a step that never starts twice, and the end of its process --------------------------------------------------------
async def _settle(kit: Kit, session_id: str) -> None:
    """An operator has looked: it was not paid."""
    (unsettled,) = await kit.runtime.settling.open(tenant=kit.tenant, session_id=session_id)
    await kit.runtime.settling.settle(
        tenant=kit.tenant, session_id=session_id, call=unsettled.step, outcome=Failed(detail="not paid"), by="op"
    )
    await kit.settle()


async def _record_once(kit: Kit, office: Office) -> None:
    office.hangs = True
    starting = asyncio.create_task(kit.start("cashier", "pay me"))
    while not office.ran:
        await kit.store.due()
    starting.cancel()
    await asyncio.wait({starting})


# -- approved, prepared, and waiting for the answer of its own ---------------------------------------------------------
async def _record_second_wait(kit: Kit, office: Office) -> None:
    await kit.start("planner", "book a room")
    await _approve(kit, key="/gather#0[0]/approval#0")


async def _confirm(kit: Kit, session_id: str) -> None:
    await kit.answer(await kit.question(session_id=session_id), decision={"approved": True})


STORIES = {
    "one_call_of_three_waits": Story(
        record=_record_calls,
        go_on=_go_on_calls,
        status="idle",
        outcome={"result": {"reply": "You are welcome."}},
        ran_before=["look up 1", "refund 1 10.00"],
        ran_after=["refund 2 20.00"],
        model_calls_after=2,
    ),
    "answered_and_not_revived": Story(
        record=_record_answered,
        go_on=_nothing,
        status="idle",
        outcome={"result": {"reply": "Both are refunded."}},
        ran_before=["look up 1", "refund 1 10.00"],
        ran_after=[],
        model_calls_after=1,
    ),
    "blocked_by_other_code": Story(
        record=_record_blocked,
        go_on=_nothing,
        status="idle",
        outcome={"result": {"reply": "Both are refunded."}},
        ran_before=["look up 1", "refund 1 10.00"],
        ran_after=["refund 2 20.00"],
        model_calls_after=1,
    ),
    "map_partly_answered": Story(
        record=_record_map,
        go_on=_go_on_map,
        status="ended",
        outcome={"result": ["train: yes", "hotel: yes", "lunch: no"]},
        ran_before=["fetch 2026-11", "book hotel yes"],
        ran_after=["book lunch no", "book train yes"],
    ),
    "join_failed_fast": Story(
        record=_record_failed_fast,
        go_on=_go_on_failed_fast,
        status="ended",
        outcome={"result": "postpone"},
        ran_before=["veto"],
        ran_after=["carry out postpone"],
    ),
    "asleep_for_a_month": Story(
        record=_record_sleep,
        go_on=_go_on_sleep,
        status="ended",
        outcome={"result": {"same": True, "later": True}},
        ran_before=["note"],
        ran_after=[],
    ),
    "agent_waits_for_a_message": Story(
        record=_record_yield,
        go_on=_say_bye,
        status="waiting",
        outcome=None,
        ran_before=[],
        ran_after=[],
        model_calls_after=1,
    ),
    "user_was_asked": Story(
        record=_record_user_asked,
        go_on=_name_the_order,
        status="idle",
        outcome={"result": {"reply": "Found."}},
        ran_before=[],
        ran_after=[],
        model_calls_after=1,
    ),
    "died_in_a_step_that_runs_once": Story(
        record=_record_once,
        go_on=_settle,
        status="idle",
        outcome={"result": {"reply": "That is that."}},
        ran_before=["pay out 5"],
        ran_after=[],
        model_calls_after=1,
    ),
    "approved_and_asks_again": Story(
        record=_record_second_wait,
        go_on=_confirm,
        status="idle",
        outcome={"result": {"reply": "Booked."}},
        ran_before=["prepare"],
        ran_after=["book A for mara True", "finalize"],
        model_calls_after=1,
    ),
}
