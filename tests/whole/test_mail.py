"""Questions by mail, over a whole app: who is asked, what decides, what does not, and what people hear of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from overwinter.channels.mail.channel import MailChannel
from overwinter.channels.mail.receiving import Handled

from ..fakes.mail_client import reply_to
from ..fakes.smtp_server import Mailed
from .mail_office import KEY, LONE, MARA, READING, mail_office


async def test_a_reply_is_the_decision_and_its_thread_says_so(tmp_path: Path) -> None:
    async with mail_office(tmp_path) as office:
        mailed = await office.ask()
        assert "To run: refund\norder: 4471\namount: 1234.56 EUR" in mailed.text
        assert await office.answer(mailed, "Yes, go ahead.") is Handled.ANSWERED
        assert office.refunds == [{"order": 4471, "amount": "1234.56 EUR"}]
        question, closing = office.smtp.mails
        assert closing.text.startswith(f"Approved by {MARA}. This question is closed")
        assert closing.header("In-Reply-To") == question.header("Message-ID")
        assert closing.header("Subject") == f"Re: {question.header('Subject')}"
        assert closing.header("Auto-Submitted") == "auto-generated"
        assert await office.quarantined() == []


async def test_a_session_is_one_thread_for_each_of_its_people(tmp_path: Path) -> None:
    async with mail_office(tmp_path, times=2) as office:
        first = await office.ask()
        await office.answer(first, "Yes, go ahead.")
        second = office.smtp.mails[-1]
        assert "order: 4472" in second.text
        assert second.header("Subject") == f"Re: {first.header('Subject')}"
        assert second.header("References") == first.header("Message-ID")
        assert second.header("Reply-To") != first.header("Reply-To")
        assert await office.answer(second, "No.", message_id="<answer-2@corp.example>") is Handled.ANSWERED
        assert [refund["order"] for refund in office.refunds] == [4471]
        assert office.smtp.mails[-1].text.startswith(f"Rejected by {MARA}.")


async def test_each_of_several_people_gets_a_mail_and_a_token_of_their_own_and_one_answers(tmp_path: Path) -> None:
    async with mail_office(tmp_path, people=(MARA, LONE)) as office:
        await office.ask()
        to_mara, to_lone = office.smtp.mails
        assert {to_mara.recipient, to_lone.recipient} == {MARA, LONE}
        assert len({each.header("Reply-To") for each in office.smtp.mails}) == 2
        assert len({each.header("Message-ID") for each in office.smtp.mails}) == 2
        assert await office.answer(office.smtp.to(LONE)[0], "Approved.") is Handled.ANSWERED
        assert [mailed.text.split(".")[0] for mailed in office.smtp.mails[2:]] == ["Approved by lone@corp"] * 2
        assert {mailed.recipient for mailed in office.smtp.mails[2:]} == {MARA, LONE}


async def test_an_answer_may_come_from_the_mail_of_another_who_may_answer(tmp_path: Path) -> None:
    async with mail_office(tmp_path, people=(MARA, LONE)) as office:
        await office.ask()
        assert await office.answer(office.smtp.to(MARA)[0], "Approved.", sender=LONE) is Handled.ANSWERED


async def test_where_two_must_approve_each_answers_for_themselves(tmp_path: Path) -> None:
    async with mail_office(tmp_path, people=(MARA, LONE), role={"needs": 2}) as office:
        await office.ask()
        to_mara, to_lone = (office.smtp.to(each)[0] for each in (MARA, LONE))
        assert await office.answer(to_mara, "Approved.") is Handled.ANSWERED
        assert await office.answer(to_mara, "Approved.", message_id="<again@corp.example>") is Handled.TOLD
        assert office.refunds == []
        assert "your answer stands" in office.smtp.to(MARA)[-1].text
        assert await office.answer(to_lone, "Approved.") is Handled.ANSWERED
        assert len(office.refunds) == 1


# -- what does not decide ----------------------------------------------------------------------------------------------
async def test_an_unclear_answer_is_asked_again_in_its_thread_and_the_second_one_counts(tmp_path: Path) -> None:
    async with mail_office(tmp_path) as office:
        mailed = await office.ask()
        assert await office.answer(mailed, "Hm, let me think about it.") is Handled.ASKED_AGAIN
        assert await office.is_open()
        again = office.smtp.mails[-1]
        assert "    Hm, let me think about it." in again.text
        assert again.header("In-Reply-To") == "<answer-1@corp.example>"
        assert mailed.header("Message-ID") in again.header("References")
        assert again.header("Auto-Submitted") == "auto-replied"
        assert again.header("Reply-To") == mailed.header("Reply-To")
        # Their mail program quotes what we quoted of them.
        assert await office.answer(again, "Yes, go ahead.", message_id="<answer-2@corp.example>") is Handled.ANSWERED
        assert len(office.refunds) == 1


async def test_an_answer_of_which_a_part_is_understood_is_asked_again_and_says_what_was_read(tmp_path: Path) -> None:
    async with mail_office(tmp_path) as office:
        mailed = await office.ask()
        assert await office.answer(mailed, "Approved. But who signs the next one?") is Handled.ASKED_AGAIN
        assert await office.is_open()
        assert "I understood: “Approved”, which says yes, but not the rest." in office.smtp.mails[-1].text.replace(
            "\n", " "
        )


async def test_a_doubtful_mail_is_asked_again_and_says_why(tmp_path: Path) -> None:
    async with mail_office(tmp_path) as office:
        mailed = await office.ask()
        typed_below = "> But only after legal has signed.\r\n"
        assert await office.answer(mailed, "Approved.", below=typed_below) is Handled.ASKED_AGAIN
        assert office.refunds == []
        assert "Something was written into the quoted mail" in office.smtp.mails[-1].text
        empty = await office.answer(mailed, "", message_id="<answer-2@corp.example>")
        assert empty is Handled.ASKED_AGAIN


async def test_a_stranger_learns_nothing_and_the_operators_see_it(tmp_path: Path) -> None:
    async with mail_office(tmp_path) as office:
        mailed = await office.ask()
        assert await office.answer(mailed, "Approved.", sender="mallory@attacker.example") is Handled.QUARANTINED
        assert await office.is_open()
        assert len(office.smtp.mails) == 1
        (row,) = await office.quarantined()
        assert (row.reason, row.sender, row.session_id) == (
            "not an answerer",
            "mallory@attacker.example",
            office.session_id,
        )
        kept = await office.kit.store.quarantine.find(row.quarantine_id)
        assert kept is not None
        assert b"Approved." in kept.raw


async def test_a_colleague_is_told_once_whose_question_it_is_and_nothing_of_it(tmp_path: Path) -> None:
    async with mail_office(tmp_path) as office:
        mailed = await office.ask()
        for number in range(3):
            message_id = f"<colleague-{number}@corp.example>"
            handled = await office.answer(mailed, "Approved.", sender="sam@corp.example", message_id=message_id)
            assert handled is Handled.QUARANTINED
        (told,) = office.smtp.to("sam@corp.example")
        assert "Only the people to whom this question was sent may answer it" in told.text
        assert "4471" not in told.text
        assert told.header("Reply-To") == "Ops Agent <agent@ask.example.net>"
        assert await office.is_open()


async def test_who_is_not_proven_to_be_who_they_say_learns_nothing(tmp_path: Path) -> None:
    async with mail_office(tmp_path) as office:
        mailed = await office.ask()
        handled = await office.answer(
            mailed, "Approved.", results="mx.ask.example.net; dmarc=fail header.from=corp.example"
        )
        assert handled is Handled.QUARANTINED
        assert await office.reasons() == ["sender not authenticated"]
        assert len(office.smtp.mails) == 1
        assert await office.is_open()


async def test_an_answer_that_comes_too_late_is_told_so_once(tmp_path: Path) -> None:
    async with mail_office(tmp_path) as office:
        mailed = await office.ask()
        await office.kit.answer(decision={"approved": False}, by="olaf")
        for number in range(3):
            late = await office.answer(mailed, "Approved.", message_id=f"<late-{number}@corp.example>")
            assert late is Handled.TOLD
        assert office.refunds == []
        _, closing, told = office.smtp.mails
        assert closing.text.startswith("Rejected by olaf.")
        assert "was closed before your answer came: Rejected by olaf, 2026-01-01 00:00 UTC" in told.text
        assert await office.reasons() == ["question closed"] * 3


async def test_a_mail_that_comes_again_changes_nothing_and_is_told_nothing(tmp_path: Path) -> None:
    async with mail_office(tmp_path) as office:
        mailed = await office.ask()
        assert await office.answer(mailed, "Approved.") is Handled.ANSWERED
        sent = len(office.smtp.mails)
        for _ in range(2):
            assert await office.answer(mailed, "Approved.") is Handled.REPEATED
        await office.kit.restart()
        assert await office.answer(mailed, "Approved.") is Handled.REPEATED
        assert len(office.smtp.mails) == sent
        assert len(office.refunds) == 1


async def test_an_unclear_mail_that_comes_again_is_answered_once(tmp_path: Path) -> None:
    async with mail_office(tmp_path) as office:
        mailed = await office.ask()
        for _ in range(3):
            assert await office.answer(mailed, "Hm.") is Handled.ASKED_AGAIN
        assert len(office.smtp.mails) == 2


async def test_a_mail_about_no_question_of_ours_is_kept(tmp_path: Path) -> None:
    async with mail_office(tmp_path) as office:
        mailed = await office.ask()
        plain = {"To": "agent@ask.example.net", "Delivered-To": None, "In-Reply-To": None, "References": None}
        assert await office.answer(mailed, "Hello?", headers=plain) is Handled.QUARANTINED
        other = {**plain, "To": f"agent+{'0' * 26}@ask.example.net", "Message-ID": "<b@corp.example>"}
        assert await office.answer(mailed, "Approved.", headers=other) is Handled.QUARANTINED
        assert await office.take(b"\x00\xff not a mail at all") is Handled.QUARANTINED
        assert sorted(await office.reasons()) == ["no question", "no question", "unknown question"]


async def test_an_answerer_whose_mail_belongs_to_no_question_is_told_so_once_a_day(tmp_path: Path) -> None:
    async with mail_office(tmp_path) as office:
        mailed = await office.ask()
        nowhere = {"To": "agent@ask.example.net", "Delivered-To": None, "In-Reply-To": None, "References": None}
        for number in range(3):
            headers = {**nowhere, "Message-ID": f"<astray-{number}@corp.example>"}
            assert await office.answer(mailed, "Approved.", headers=headers) is Handled.QUARANTINED
        _, told = office.smtp.mails
        assert "cannot be told which question your mail answers" in told.text
        assert (told.recipient, told.header("In-Reply-To")) == (MARA, "<astray-0@corp.example>")
        assert told.header("Reply-To") == "Ops Agent <agent@ask.example.net>"
        assert await office.is_open()
        await office.kit.advance(timedelta(days=1))
        await office.answer(mailed, "Approved.", headers={**nowhere, "Message-ID": "<astray-9@corp.example>"})
        assert len(office.smtp.mails) == 3


@pytest.mark.parametrize(
    "changed",
    [
        {"sender": "sam@corp.example"},
        {"results": "mx.ask.example.net; dmarc=fail header.from=corp.example"},
        {"headers": {"Auto-Submitted": "auto-replied"}},
    ],
)
async def test_nobody_else_is_told_anything_about_a_question_that_is_not_known(
    tmp_path: Path, changed: dict[str, Any]
) -> None:
    async with mail_office(tmp_path) as office:
        mailed = await office.ask()
        nowhere = {"To": f"agent+{'0' * 26}@ask.example.net", "Delivered-To": None, "In-Reply-To": None}
        headers = {**nowhere, "References": None, **changed.pop("headers", {})}
        assert await office.answer(mailed, "Approved.", headers=headers, **changed) is Handled.QUARANTINED
        assert len(office.smtp.mails) == 1


async def test_an_answer_to_a_question_that_is_no_longer_kept_is_told_so(tmp_path: Path) -> None:
    async with mail_office(tmp_path) as office:
        mailed = await office.ask()
        await office.kit.answer(decision={"approved": False}, by="olaf")
        for _ in range(4):
            await office.kit.advance(timedelta(days=1))
        sent = len(office.smtp.mails)
        assert await office.answer(mailed, "Approved.") is Handled.QUARANTINED
        assert await office.reasons() == ["unknown question"]
        (told,) = office.smtp.mails[sent:]
        assert "is not open here any more" in told.text
        assert (told.recipient, told.header("Subject")) == (MARA, f"Re: {mailed.header('Subject')}")
        assert office.refunds == []


@pytest.mark.parametrize("is_whole", [True, False])
async def test_who_sends_more_than_is_read_is_told_so_and_decides_nothing(tmp_path: Path, is_whole: bool) -> None:
    async with mail_office(tmp_path) as office:
        raw = reply_to(await office.ask(), "Approved." + ("\n" + "x" * 60_000 if is_whole else ""))
        assert await office.take(raw, is_whole=is_whole) is Handled.ASKED_AGAIN
        assert "too large to be read" in office.smtp.mails[-1].text
        assert await office.reasons() == ["oversize"]
        assert await office.is_open()


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": 'application/ms-tnef; name="winmail.dat"'},
        {"Content-Type": "application/pkcs7-mime; smime-type=enveloped-data"},
        {"Content-Type": "audio/amr"},
    ],
)
async def test_who_sends_what_cannot_be_read_is_told_so(tmp_path: Path, headers: dict[str, str | None]) -> None:
    async with mail_office(tmp_path) as office:
        mailed = await office.ask()
        assert await office.answer(mailed, "Approved.", headers=headers) is Handled.ASKED_AGAIN
        assert "It could not be read" in office.smtp.mails[-1].text
        assert await office.is_open()


async def test_a_mail_of_which_only_the_head_was_fetched_is_kept(tmp_path: Path) -> None:
    async with mail_office(tmp_path) as office:
        raw = reply_to(await office.ask(), "Approved.", sender="mallory@attacker.example")
        assert await office.take(raw, is_whole=False) is Handled.QUARANTINED
        (row,) = await office.quarantined()
        assert (row.reason, row.is_whole) == ("not an answerer", False)
        assert await office.is_open()
        assert len(office.smtp.mails) == 1


# -- programs ----------------------------------------------------------------------------------------------------------
@pytest.mark.case("em46")
async def test_a_responder_that_answers_every_mail_is_never_answered(tmp_path: Path) -> None:
    async with mail_office(tmp_path) as office:
        mailed = await office.ask()
        for number in range(20):
            headers = {"Auto-Submitted": "auto-replied", "Message-ID": f"<auto-{number}@corp.example>"}
            assert await office.answer(mailed, "I am away.", headers=headers) is Handled.QUARANTINED
        assert len(office.smtp.mails) == 1
        own = {"From": "agent@ask.example.net", "Message-ID": mailed.header("Message-ID")}
        assert await office.answer(mailed, "Approved.", headers=own) is Handled.IGNORED
        assert await office.is_open()


@pytest.mark.case("em46")
async def test_about_one_question_three_mails_an_hour_go_out_at_most(tmp_path: Path) -> None:
    async with mail_office(tmp_path) as office:
        mailed = await office.ask()
        for number in range(20):
            message_id = f"<unclear-{number}@corp.example>"
            assert await office.answer(mailed, f"Hm, {number}?", message_id=message_id) is Handled.ASKED_AGAIN
        assert len(office.smtp.mails) == 2
        await office.kit.advance(timedelta(hours=1))
        assert len(office.smtp.mails) == 3  # the one that had to wait
        await office.answer(mailed, "Yes, go ahead.", message_id="<clear@corp.example>")
        assert len(office.smtp.mails) == 4
        assert office.smtp.mails[-1].text.startswith("Approved by")


async def test_who_has_answered_is_not_asked_again_by_a_mail_that_had_to_wait(tmp_path: Path) -> None:
    async with mail_office(tmp_path) as office:
        mailed = await office.ask()
        for number in range(2):
            message_id = f"<unclear-{number}@corp.example>"
            await office.answer(mailed, f"Hm, {number}?", message_id=message_id)
        await office.answer(mailed, "Yes, go ahead.", message_id="<clear@corp.example>")
        sent = len(office.smtp.mails)
        await office.kit.advance(timedelta(hours=2))
        assert len(office.smtp.mails) == sent


BOUNCE = """Return-Path: <>
From: MAILER-DAEMON@mx.corp.example
To: {to}
Subject: Undelivered Mail Returned to Sender
Message-ID: <dsn-{number}@mx.corp.example>
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="b"

--b
Content-Type: text/plain

I am sorry. Approved.

--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.corp.example

Final-Recipient: rfc822; {recipient}
Action: {action}
Status: {status}

--b--
"""


def bounce(mailed: Mailed, *, action: str = "failed", status: str = "5.1.1", number: int = 1) -> bytes:
    text = BOUNCE.format(to=mailed.sender, recipient=mailed.recipient, action=action, status=status, number=number)
    return text.replace("\n", "\r\n").encode()


@pytest.mark.case("em20")
async def test_a_question_that_came_back_is_not_waited_for(tmp_path: Path) -> None:
    async with mail_office(tmp_path) as office:
        mailed = await office.ask()
        assert mailed.sender in mailed.header("Reply-To")
        assert await office.take(bounce(mailed, action="delayed", status="4.4.1")) is Handled.QUARANTINED
        assert await office.is_open()
        assert await office.take(bounce(mailed, number=2)) is Handled.QUARANTINED
        assert not await office.is_open()
        result = str(await office.kit.outcome(office.session_id))
        assert "came back from mara@corp.example (5.1.1)" in result
        assert len(office.smtp.mails) == 1
        assert "question bounced" in await office.reasons()


@pytest.mark.case("em20")
async def test_a_question_that_came_back_from_one_is_still_with_the_others(tmp_path: Path) -> None:
    async with mail_office(tmp_path, people=(MARA, LONE)) as office:
        mailed = await office.ask()
        await office.take(bounce(mailed))
        assert await office.is_open()
        assert await office.answer(office.smtp.to(LONE)[0], "Approved.") is Handled.ANSWERED
        assert [len(office.smtp.to(each)) for each in (MARA, LONE)] == [1, 2]


async def test_one_person_is_never_two_by_a_subaddress(tmp_path: Path) -> None:
    reading = replace(READING, takes_subaddresses=True)
    async with mail_office(tmp_path, people=(MARA, LONE), role={"needs": 2}, reading=reading) as office:
        await office.ask()
        (to_mara,) = office.smtp.to(MARA)
        assert await office.answer(to_mara, "Approved.") is Handled.ANSWERED
        again = await office.answer(to_mara, "Approved.", sender="mara+x@corp.example", message_id="<2@corp.example>")
        assert again is Handled.TOLD
        assert office.refunds == []


# -- servers -----------------------------------------------------------------------------------------------------------
async def test_one_bad_address_among_several_does_not_keep_the_others_from_being_asked(tmp_path: Path) -> None:
    async with mail_office(tmp_path, people=(MARA, LONE)) as office:
        office.smtp.refusals[MARA] = "550 5.1.1 no such user"
        office.session_id = await office.kit.start("support", "refund 4471")
        assert [mailed.recipient for mailed in office.smtp.mails] == [LONE]
        assert await office.answer(office.smtp.mails[0], "Approved.") is Handled.ANSWERED
        assert len(office.refunds) == 1


async def test_where_nobody_can_be_reached_the_step_fails_with_what_the_server_said(tmp_path: Path) -> None:
    async with mail_office(tmp_path) as office:
        office.smtp.refusals[MARA] = "550 5.1.1 no such user"
        office.session_id = await office.kit.start("support", "refund 4471")
        assert not await office.is_open()
        result = str(await office.kit.outcome(office.session_id))
        assert "550" in result
        assert office.refunds == []


async def test_who_is_reached_later_is_mailed_later_and_the_others_not_twice(tmp_path: Path) -> None:
    async with mail_office(tmp_path, people=(MARA, LONE)) as office:
        office.smtp.refusals[LONE] = "451 4.7.1 greylisted"
        office.session_id = await office.kit.start("support", "refund 4471")
        await office.kit.advance(timedelta(minutes=5))
        assert [mailed.recipient for mailed in office.smtp.mails] == [MARA]
        office.smtp.refusals.clear()
        await office.kit.advance(timedelta(minutes=5))
        assert [mailed.recipient for mailed in office.smtp.mails] == [MARA, LONE]


async def test_who_is_not_reached_for_long_is_left_out_where_others_have_the_question(tmp_path: Path) -> None:
    async with mail_office(tmp_path, people=(MARA, LONE)) as office:
        office.smtp.refusals[LONE] = "451 4.7.1 greylisted"
        office.session_id = await office.kit.start("support", "refund 4471")
        for _ in range(12):
            await office.kit.advance(timedelta(minutes=5))
        (delivery,) = (await office.kit.timeline(office.session_id)).deliveries
        assert delivery.status == "sent"
        assert await office.answer(office.smtp.mails[0], "Approved.") is Handled.ANSWERED


async def test_an_hour_without_a_server_loses_nothing(tmp_path: Path) -> None:
    async with mail_office(tmp_path) as office:
        office.smtp.refusals[MARA] = "421 4.3.2 shutting down"
        office.session_id = await office.kit.start("support", "refund 4471")
        for _ in range(12):
            await office.kit.advance(timedelta(minutes=5))
        assert office.smtp.mails == []
        assert await office.is_open()
        office.smtp.refusals.clear()
        await office.kit.advance(timedelta(minutes=5))
        (mailed,) = office.smtp.mails
        assert await office.answer(mailed, "Hm?") is Handled.ASKED_AGAIN
        office.smtp.refusals[MARA] = "421 4.3.2 shutting down"
        assert await office.answer(mailed, "Yes, go ahead.", message_id="<2@corp.example>") is Handled.ANSWERED
        for _ in range(12):
            await office.kit.advance(timedelta(minutes=5))
        office.smtp.refusals.clear()
        await office.kit.advance(timedelta(minutes=5))
        assert [each.text.split(" ")[0] for each in office.smtp.mails[2:]] == ["Approved"]


async def test_a_mail_of_which_nobody_knows_whether_it_is_out_is_sent_again_as_the_same_mail(tmp_path: Path) -> None:
    async with mail_office(tmp_path) as office:
        office.smtp.data_answers.append("")  # it is taken, and the connection breaks
        office.session_id = await office.kit.start("support", "refund 4471")
        await office.kit.restart()
        await office.kit.advance(timedelta(minutes=5))
        first, again = office.smtp.mails
        assert first.raw == again.raw
        await office.kit.restart()
        await office.kit.advance(timedelta(minutes=5))
        assert len(office.smtp.mails) == 2


# -- keys and people change --------------------------------------------------------------------------------------------
async def test_mails_of_an_older_key_are_answered_until_it_is_taken_away(tmp_path: Path) -> None:
    async with mail_office(tmp_path) as office:
        mailed = await office.ask()
        office.keys = (b"n" * 32, KEY)
        await office.kit.restart()
        await office.kit.advance(timedelta(minutes=5))
        assert len(office.smtp.mails) == 1
        office.keys = (b"n" * 32,)
        await office.kit.restart()
        assert await office.answer(mailed, "Approved.") is Handled.QUARANTINED
        assert await office.reasons() == ["unknown question"]
        office.keys = (b"n" * 32, KEY)
        await office.kit.restart()
        assert await office.answer(mailed, "Approved.") is Handled.ANSWERED


async def test_who_may_answer_is_what_the_app_says_now(tmp_path: Path) -> None:
    async with mail_office(tmp_path) as office:
        mailed = await office.ask()
        office.people = (LONE,)
        await office.kit.restart()
        assert await office.answer(mailed, "Approved.") is Handled.QUARANTINED
        assert await office.is_open()
        assert await office.answer(mailed, "Approved.", sender=LONE, message_id="<2@corp.example>") is Handled.ANSWERED


# -- nobody answers ----------------------------------------------------------------------------------------------------
async def test_who_does_not_answer_is_reminded_in_the_thread_and_may_answer_that(tmp_path: Path) -> None:
    async with mail_office(tmp_path, role={"remind_after": [timedelta(hours=4)]}) as office:
        mailed = await office.ask()
        await office.kit.advance(timedelta(hours=4))
        _, reminder = office.smtp.mails
        assert reminder.text.startswith("Still waiting for an answer")
        assert reminder.header("In-Reply-To") == mailed.header("Message-ID")
        assert reminder.header("Message-ID") != mailed.header("Message-ID")
        assert await office.answer(reminder, "Yes, go ahead.") is Handled.ANSWERED
        assert len(office.refunds) == 1


async def test_others_are_asked_in_place_of_who_does_not_answer_whose_answer_counts_no_more(tmp_path: Path) -> None:
    board = MailChannel([LONE, MARA], name="board")
    role = {"escalate_to": board, "escalate_after": timedelta(hours=8)}
    async with mail_office(tmp_path, role=role) as office:
        mailed = await office.ask()
        await office.kit.advance(timedelta(hours=8))
        assert "board" in next(each for each in office.smtp.to(MARA) if "theirs now" in each.text).text
        assert await office.answer(mailed, "Yes, go ahead.") is Handled.TOLD
        assert office.refunds == []
        assert "this question has gone to board" in office.smtp.to(MARA)[-1].text
        asked_anew = next(each for each in office.smtp.to(MARA)[1:] if "To run: refund" in each.text)
        assert asked_anew.header("Reply-To") != mailed.header("Reply-To")
        answered = await office.answer(asked_anew, "Yes, go ahead.", message_id="<2@corp.example>")
        assert answered is Handled.ANSWERED
        assert len(office.refunds) == 1
