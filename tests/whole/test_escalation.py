"""A question that nobody answers in time goes to others, and is theirs alone from then on."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from overwinter.actors.asks import Ask, Decided, Outcome
from overwinter.actors.errors import (
    ChannelRejectedError,
    ChannelUnreachableError,
    PauseNotPendingError,
    PauseWrongAnswererError,
)

from .waiting_office import HOUR, MINUTE, YES, Office


async def test_others_are_asked_in_time_and_those_before_are_told_why(tmp_path: Path) -> None:
    office = Office(tmp_path, escalate_after=4 * HOUR)
    async with office.asked():
        await office.kit.advance(4 * HOUR - MINUTE)
        assert (office.board.asks, office.desk.reliefs) == ([], [])
        await office.kit.advance(MINUTE)
        (ask,) = office.board.asks
        assert ask.escalated_from == ("desk",)
        assert ask.pause_id == office.desk.asks[0].pause_id
        (relief,) = office.desk.reliefs
        assert (relief.ref, relief.asked_instead) == ("ref-0", "board")
        assert relief.summary == "Nobody answered within 4 hours, so board is asked now"
        (pause,) = await office.kit.pending()
        assert pause.channel == "board"
        await office.answer("board", by="ceo")
        assert office.paid == ["80.00"]
        assert [each.summary for each in office.desk.withdrawals] == ["Approved by ceo"]
        (closed,) = office.board.withdrawals
        assert (closed.summary, closed.ask.escalated_from) == ("Approved by ceo", ("desk",))


@pytest.mark.parametrize("channel", ["desk", "elsewhere", None])
async def test_whoever_was_asked_before_answers_no_more(tmp_path: Path, channel: str | None) -> None:
    office = Office(tmp_path, escalate_after=HOUR)
    async with office.asked():
        await office.kit.advance(HOUR)
        with pytest.raises(PauseWrongAnswererError, match="board") as raised:
            await office.answer(channel)
        assert raised.value.code == "pause.wrong-answerer"
        assert office.paid == []
        assert len(await office.kit.pending()) == 1
        assert await office.kit.store.audit(tenant=office.kit.tenant, limit=10) == ()
        await office.kit.restart()
        with pytest.raises(PauseWrongAnswererError):
            await office.answer(channel)
        await office.answer("board")
        assert office.paid == ["80.00"]


@pytest.mark.parametrize("channel", ["desk", "board", None])
async def test_what_is_answered_before_the_escalation_counts(tmp_path: Path, channel: str | None) -> None:
    office = Office(tmp_path, escalate_after=HOUR)
    async with office.asked():
        await office.kit.advance(HOUR - MINUTE)
        await office.answer(channel)
        assert office.paid == ["80.00"]
        await office.kit.advance(2 * HOUR)
        assert (office.board.asks, office.desk.reliefs) == ([], [])


async def test_the_state_decides_and_not_the_clock(tmp_path: Path) -> None:
    """Until the others have been sent the question, those asked first may answer: else nobody could."""
    office = Office(tmp_path, escalate_after=HOUR)
    office.board.outcomes.append(ChannelUnreachableError("mail is down", retry_after_s=3600))
    async with office.asked():
        await office.kit.advance(90 * MINUTE)
        assert office.board.asks == []
        assert office.desk.reliefs == []
        await office.answer("desk")
        assert office.paid == ["80.00"]


async def test_an_answer_on_its_way_while_others_come_to_be_asked_is_refused(tmp_path: Path) -> None:
    office = Office(tmp_path, escalate_after=HOUR)
    async with office.asked():
        office.kit.freeze()
        answering = asyncio.create_task(office.answer("desk"))  # judged while the desk is asked, and written after
        for _ in range(20):
            await office.kit.store.due()
        async with office.kit.beside() as other:
            await office.kit.clock.advance(ms=3600 * 1000)
            await other.settle()
            assert len(office.board.asks) == 1
            office.kit.thaw()
            with pytest.raises(PauseWrongAnswererError):
                await answering
            await office.kit.settle(other)
        assert office.paid == []
        await office.answer("board")
        assert office.paid == ["80.00"]


async def test_an_answer_of_the_others_that_comes_before_their_channel_says_sent_is_taken(tmp_path: Path) -> None:
    office = Office(tmp_path, escalate_after=HOUR)
    send = office.board.send

    async def answered_meanwhile(ask: Ask) -> Outcome:
        await office.give("board", by="ceo")
        return await send(ask)

    office.board.send = answered_meanwhile
    async with office.asked():
        await office.kit.advance(HOUR)
        assert office.paid == ["80.00"]
        assert [each.answered_by for each in office.board.withdrawals] == ["ceo"]
        assert [each.answered_by for each in office.desk.withdrawals] == ["ceo"]
        assert office.desk.reliefs == []


async def test_others_are_asked_at_once_where_nobody_can_be_asked_first(tmp_path: Path) -> None:
    office = Office(tmp_path, escalate_after=24 * HOUR)
    office.desk.outcomes.append(ChannelRejectedError("the channel is archived"))
    async with office.asked():
        assert len(office.board.asks) == 1
        assert office.desk.reliefs == []
        await office.answer("board")
        assert office.paid == ["80.00"]
        assert office.desk.withdrawals == [], "it has never had the question"


async def test_a_question_that_neither_can_be_sent_fails(tmp_path: Path) -> None:
    office = Office(tmp_path, escalate_after=HOUR)
    for channel in (office.desk, office.board):
        channel.outcomes.append(ChannelRejectedError("the channel is archived"))
    async with office.asked() as session_id:
        assert await office.kit.pending() == ()
        assert office.paid == []
        outcome = await office.kit.outcome(session_id)
        assert "archived" in outcome["detail"]


async def test_those_asked_first_keep_a_question_that_the_others_cannot_be_sent(tmp_path: Path) -> None:
    office = Office(tmp_path, escalate_after=HOUR)
    office.board.outcomes.append(ChannelRejectedError("the channel is archived"))
    async with office.asked():
        await office.kit.advance(HOUR)
        assert office.desk.reliefs == []
        await office.answer("desk")
        assert office.paid == ["80.00"]


async def test_others_are_asked_at_once_where_a_question_has_come_back(tmp_path: Path) -> None:
    office = Office(tmp_path, escalate_after=24 * HOUR)
    async with office.asked():
        assert not await office.returned("desk")
        assert len(office.board.asks) == 1
        await office.answer("board")
        assert office.paid == ["80.00"]


async def test_an_escalated_question_that_comes_back_is_nobodys_and_fails(tmp_path: Path) -> None:
    office = Office(tmp_path, escalate_after=HOUR)
    async with office.asked() as session_id:
        await office.kit.advance(HOUR)
        assert await office.returned("board")
        await office.kit.settle()
        assert await office.kit.pending() == ()
        assert "no such mailbox" in (await office.kit.outcome(session_id))["detail"]
        assert office.paid == []


async def test_a_first_channel_that_cannot_be_reached_is_not_waited_for(tmp_path: Path) -> None:
    office = Office(tmp_path, escalate_after=HOUR)
    office.desk.outcomes.append(ChannelUnreachableError("slack is down", retry_after_s=7200))
    async with office.asked() as session_id:
        await office.kit.advance(HOUR)
        assert len(office.board.asks) == 1
        await office.kit.advance(2 * HOUR)
        assert office.desk.asks == [], "others are asked by now"
        assert (await office.deliveries(session_id))["desk", "post"].status == "dropped"
        await office.answer("board")
        assert office.paid == ["80.00"]


async def test_a_question_being_sent_while_it_is_escalated_is_taken_back(tmp_path: Path) -> None:
    office = Office(tmp_path, escalate_after=timedelta(seconds=10))
    reached, go_on = asyncio.Event(), asyncio.Event()
    send = office.desk.send

    async def slowly(ask: Ask) -> Outcome:
        reached.set()
        await go_on.wait()
        return await send(ask)

    office.desk.send = slowly
    async with office.kit.running():
        await office.kit.runtime.sessions.start(program="clerk", owner="olga", message="pay", tenant=office.kit.tenant)
        await reached.wait()
        await office.kit.clock.advance(ms=10_000)
        async with asyncio.timeout(10):
            while not office.board.asks:
                await asyncio.wait({asyncio.create_task(office.kit.store.due())})
        go_on.set()
        await office.kit.settle()
        assert len(office.desk.asks) == 1
        (relief,) = office.desk.reliefs
        assert relief.ref == "ref-0"
        with pytest.raises(PauseWrongAnswererError):
            await office.answer("desk")
        await office.answer("board")
        assert (office.paid, len(office.desk.withdrawals)) == (["80.00"], 1)


async def test_nobody_else_is_asked_once_the_deadline_has_passed(tmp_path: Path) -> None:
    office = Office(tmp_path, escalate_after=HOUR, deadline=2 * HOUR)
    async with office.asked():
        await office.kit.advance(3 * HOUR)  # over both at once
        assert (office.board.asks, office.desk.reliefs, office.paid) == ([], [], [])
        assert [each.why for each in office.desk.withdrawals] == ["timed_out"]


async def test_an_escalation_survives_a_restart_and_happens_once(tmp_path: Path) -> None:
    office = Office(tmp_path, escalate_after=HOUR)
    async with office.asked():
        await office.kit.restart()
        await office.kit.advance(HOUR)
        await office.kit.restart()
        await office.kit.advance(HOUR)
        assert (len(office.board.asks), len(office.desk.reliefs)) == (1, 1)


async def test_reminders_go_to_whoever_is_asked(tmp_path: Path) -> None:
    office = Office(tmp_path, escalate_after=3 * HOUR, remind_after=[2 * HOUR, 4 * HOUR])
    async with office.asked():
        for _ in range(10):
            await office.kit.advance(HOUR)
        assert [each.number for each in office.desk.reminders] == [1]
        assert [each.number for each in office.board.reminders] == [1, 2]
        assert office.board.reminders[0].ask.escalated_from == ("desk",)


async def test_votes_cast_before_an_escalation_stand(tmp_path: Path) -> None:
    office = Office(tmp_path, channels=2, escalate_after=HOUR, needs=2)
    async with office.asked():
        await office.answer("desk", by="mara")
        await office.kit.advance(HOUR)
        assert [len(each.reliefs) for each in (office.desk, office.lobby)] == [1, 1]
        assert office.board.asks[0].escalated_from == ("desk", "lobby")
        with pytest.raises(PauseWrongAnswererError):
            await office.answer("lobby", by="tom")
        assert office.paid == []
        await office.answer("board", by="ceo")
        assert office.paid == ["80.00"]


async def test_nobody_is_asked_in_order_after_an_escalation(tmp_path: Path) -> None:
    office = Office(tmp_path, channels=2, escalate_after=HOUR, needs=3, in_order=True)
    async with office.asked():
        await office.kit.advance(HOUR)
        await office.answer("board", by="ceo")
        assert office.lobby.asks == []
        assert [each.summary for each in office.board.updates] == ["1 of 3 approved (ceo)"]
        assert office.desk.updates == []


async def test_others_may_decide_at_once(tmp_path: Path) -> None:
    office = Office(tmp_path, escalate_after=HOUR)
    office.board.outcomes.append(Decided(decision=YES, answered_by="robot"))
    async with office.asked():
        await office.kit.advance(HOUR)
        assert office.paid == ["80.00"]
        assert [each.answered_by for each in office.desk.withdrawals] == ["robot"]
        assert office.board.withdrawals == []


async def test_a_message_that_had_answered_is_no_wrong_answer_when_it_comes_again(tmp_path: Path) -> None:
    office = Office(tmp_path, escalate_after=HOUR)
    async with office.asked():
        (pause,) = await office.kit.pending()
        await office.kit.answer(pause, decision=YES)
        await office.kit.advance(HOUR)
        with pytest.raises(PauseNotPendingError, match="mara"):
            await office.kit.answer(pause, decision=YES, by="tom")
