"""People who do not answer are reminded: at the times the role names, once each, and never of what is closed."""

from __future__ import annotations

import asyncio
from pathlib import Path

from overwinter.actors.asks import Decided, Reminder, Withdrawal
from overwinter.actors.errors import ChannelRejectedError, ChannelUnreachableError

from .waiting_office import HOUR, MINUTE, YES, Office


def numbers(office: Office) -> list[int]:
    return [each.number for each in office.desk.reminders]


async def test_people_are_reminded_at_each_time_and_told_how_long_it_has_waited(tmp_path: Path) -> None:
    office = Office(tmp_path, remind_after=[4 * HOUR, HOUR])
    async with office.asked():
        await office.kit.advance(HOUR - MINUTE)
        assert office.desk.reminders == []
        await office.kit.advance(MINUTE)
        (first,) = office.desk.reminders
        assert (first.number, first.ref, first.ask) == (1, "ref-0", office.desk.asks[0])
        assert first.summary == "Still waiting for an answer, for 60 minutes now"
        assert first.at_ms == office.kit.clock.now_ms()
        await office.kit.advance(3 * HOUR)
        assert office.desk.reminders[1].summary == "Still waiting for an answer, for 4 hours now"
        await office.kit.advance(100 * HOUR)
        assert numbers(office) == [1, 2]
        await office.answer("desk")
        assert office.paid == ["80.00"]


async def test_nobody_is_reminded_of_an_answered_question(tmp_path: Path) -> None:
    office = Office(tmp_path, remind_after=HOUR)
    async with office.asked() as session_id:
        assert (await office.deliveries(session_id))["desk", "remind"].status == "due"
        await office.answer("desk")
        assert (await office.deliveries(session_id))["desk", "remind"].status == "dropped"
        await office.kit.advance(2 * HOUR)
        assert office.desk.reminders == []


async def test_a_reminder_is_never_sent_once_the_deadline_has_passed(tmp_path: Path) -> None:
    office = Office(tmp_path, deadline=2 * HOUR, remind_after=[30 * MINUTE, 100 * MINUTE])
    async with office.asked():
        await office.kit.advance(3 * HOUR)  # the clock jumps over the reminders and the deadline at once
        assert office.desk.reminders == []
        (withdrawal,) = office.desk.withdrawals
        assert withdrawal.why == "timed_out"
        assert office.paid == []


async def test_a_reminder_survives_a_restart_and_is_sent_once(tmp_path: Path) -> None:
    office = Office(tmp_path, remind_after=[HOUR, 2 * HOUR])
    async with office.asked():
        await office.kit.restart()
        await office.kit.advance(HOUR)
        await office.kit.restart()
        assert numbers(office) == [1]
        await office.kit.advance(HOUR)
        await office.kit.restart()
        await office.kit.advance(HOUR)
        assert numbers(office) == [1, 2]


async def test_reminders_whose_time_passed_while_nothing_ran_come_as_one(tmp_path: Path) -> None:
    office = Office(tmp_path, remind_after=[HOUR, 2 * HOUR, 30 * HOUR])
    async with office.asked():
        await office.kit.close()
        await office.kit.clock.advance(ms=24 * 3600 * 1000)
        await office.kit.open()
        await office.kit.settle()
        assert numbers(office) == [2]
        await office.kit.advance(6 * HOUR)
        assert numbers(office) == [2, 3]


async def test_a_clock_that_goes_back_sends_none_again(tmp_path: Path) -> None:
    office = Office(tmp_path, remind_after=[HOUR, 3 * HOUR])
    async with office.asked():
        await office.kit.advance(HOUR)
        await office.kit.advance(-HOUR)
        await office.kit.advance(HOUR + MINUTE)
        assert numbers(office) == [1]
        await office.kit.advance(2 * HOUR)
        assert numbers(office) == [1, 2]


async def test_reminders_count_from_when_people_were_sent_the_question(tmp_path: Path) -> None:
    office = Office(tmp_path, remind_after=HOUR)
    office.desk.outcomes.append(ChannelUnreachableError("slack is down", retry_after_s=7200))
    async with office.asked():
        await office.kit.advance(2 * HOUR)
        assert len(office.desk.asks) == 1
        await office.kit.advance(HOUR - MINUTE)
        assert office.desk.reminders == []
        await office.kit.advance(MINUTE)
        assert numbers(office) == [1]


async def test_a_reminder_that_the_channel_says_was_not_sent_is_tried_again(tmp_path: Path) -> None:
    office = Office(tmp_path, remind_after=HOUR)
    office.desk.remind_errors.append(ChannelUnreachableError("slack is down", retry_after_s=60))
    async with office.asked():
        await office.kit.advance(HOUR)
        assert office.desk.reminders == []
        await office.kit.advance(MINUTE)
        assert numbers(office) == [1]


async def test_a_reminder_that_is_refused_harms_nothing_else(tmp_path: Path) -> None:
    office = Office(tmp_path, remind_after=[HOUR, 2 * HOUR])
    office.desk.remind_errors.append(ChannelRejectedError("no such thread"))
    async with office.asked():
        await office.kit.advance(HOUR)
        assert office.desk.reminders == []
        await office.kit.advance(HOUR)
        assert numbers(office) == [2]
        await office.answer("desk")
        assert office.paid == ["80.00"]


async def test_an_instance_that_freezes_while_it_reminds_leaves_no_second_reminder(tmp_path: Path) -> None:
    office = Office(tmp_path, remind_after=[HOUR, 5 * HOUR])
    async with office.asked():
        office.desk.during_remind = lambda _: office.kit.freeze()
        await office.kit.clock.advance(ms=3600 * 1000)
        async with asyncio.timeout(10):
            while not office.desk.reminders:
                await asyncio.wait({asyncio.create_task(office.kit.store.due())})
        office.desk.during_remind = None
        async with office.kit.beside() as living:
            await office.kit.clock.advance(ms=2 * 3600 * 1000)
            await living.settle()
            assert numbers(office) == [1], "whether it was sent nobody knows, so it is not sent again"
            office.kit.thaw()
            await office.kit.settle(living)
            await office.kit.clock.advance(ms=2 * 3600 * 1000)
            await office.kit.settle(living)
            assert numbers(office) == [1, 2], "and the next one is sent all the same"


async def test_those_who_are_asked_later_are_reminded_later(tmp_path: Path) -> None:
    office = Office(tmp_path, channels=2, needs=2, in_order=True, remind_after=2 * HOUR)
    async with office.asked():
        await office.kit.advance(HOUR)
        await office.answer("desk", by="mara")
        assert len(office.lobby.asks) == 1
        await office.kit.advance(HOUR)
        assert (len(office.desk.reminders), len(office.lobby.reminders)) == (1, 0)
        await office.kit.advance(HOUR)
        assert (len(office.desk.reminders), len(office.lobby.reminders)) == (1, 1)


async def test_a_channel_that_decides_at_once_is_reminded_of_nothing(tmp_path: Path) -> None:
    office = Office(tmp_path, remind_after=HOUR)
    office.desk.outcomes.append(Decided(decision=YES, answered_by="robot"))
    async with office.asked() as session_id:
        assert office.paid == ["80.00"]
        assert ("desk", "remind") not in await office.deliveries(session_id)


async def test_of_two_processes_one_reminds(tmp_path: Path) -> None:
    office = Office(tmp_path, remind_after=HOUR)
    async with office.asked(), office.kit.beside() as other:
        await office.kit.clock.advance(ms=3600 * 1000)
        await office.kit.settle(other)
        assert numbers(office) == [1]


async def test_a_reminder_under_way_when_the_question_closes_comes_before_the_closing(tmp_path: Path) -> None:
    office = Office(tmp_path, remind_after=HOUR)
    told: list[str] = []
    reached, go_on = asyncio.Event(), asyncio.Event()

    async def slowly(reminder: Reminder) -> None:
        reached.set()
        await go_on.wait()
        told.append(f"reminder {reminder.number}")

    async def closed(withdrawal: Withdrawal) -> None:
        told.append(withdrawal.why)

    office.desk.remind, office.desk.withdraw = slowly, closed
    async with office.asked():
        await office.kit.clock.advance(ms=3600 * 1000)
        await reached.wait()
        (pause,) = await office.kit.pending()
        await office.kit.runtime.answering.cancel(
            tenant=office.kit.tenant, pause_id=pause.pause_id, by="olga", reason="not needed"
        )
        go_on.set()
        await office.kit.settle()
        assert told == ["reminder 1", "cancelled"]
