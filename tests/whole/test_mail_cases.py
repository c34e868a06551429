"""The cases of ``email_replies.yaml`` through everything: what each mail does to a question that waits, and who hears of it.

The mails answer a question of their own token; the question asked here has another, which is put into them in its place.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from email.utils import parseaddr
from pathlib import Path
from typing import Any

import pytest

from overwinter.channels.mail.addresses import mailboxes
from overwinter.channels.mail.parts import Part, parse_message
from overwinter.channels.mail.receiving import Handled
from overwinter.channels.mail.tokens import token_in_address

from ..channels.mail.letters import CASES, MARA, QUESTION, SETTINGS, TOKEN
from ..channels.mail.letters import cases as email_cases
from ..fakes.smtp_server import Mailed
from .mail_office import READING, MailOffice, mail_office

MAILS = [case for case in email_cases() if "eml" in case["input"]]
ANSWERS = {
    "approve": {"approve"},
    "reject": {"reject"},
    "conditional": {"asked again", "conditional"},
    "partial": {"asked again"},
    "not_approve": {"asked again", "reject"},
    "ask_again": {"asked again"},
    "none": {"kept", "told", "asked again"},
}
"""What may become of a question, by what a careful person would read."""


@dataclass
class Asked:
    """A question that waits for the mail of a case."""

    office: MailOffice
    mailed: Mailed
    token: str

    def arriving(self, case: dict[str, Any]) -> bytes:
        return (CASES / case["input"]["eml"]).read_bytes().replace(TOKEN.encode(), self.token.encode())

    async def became(self, handled: Handled) -> str:
        """What became of the question."""
        if not await self.office.is_open():
            if not self.office.refunds:
                return "reject"
            return "approve" if self.office.refunds == [REFUND] else "conditional"
        names = {Handled.ASKED_AGAIN: "asked again", Handled.QUARANTINED: "kept", Handled.TOLD: "told"}
        return names[handled]

    def told(self) -> list[str]:
        """Who was written to beside the question."""
        return [mailed.recipient for mailed in self.office.smtp.mails[1:]]


REFUND = {"order": 4471, "amount": "1234.56 EUR"}


def people(case: dict[str, Any]) -> tuple[str, ...]:
    """Mara, and the sender unless the case says that they may not answer."""
    message = parse_message((CASES / case["input"]["eml"]).read_bytes(), SETTINGS.limits)
    assert isinstance(message, Part)
    (box,) = mailboxes(message.first("from"))
    is_person = case["expect"].get("class", "human_reply") in ("human_reply", "empty", "unreadable")
    if box.address is None or not is_person or case["expect"].get("sender_allowed") is False:
        return (MARA,)
    return (box.address,)


@asynccontextmanager
async def asked(folder: Path, case: dict[str, Any]) -> AsyncGenerator[Asked]:
    async with mail_office(folder, people=people(case)) as office:
        mailed = await office.ask()
        token = token_in_address(parseaddr(mailed.header("Reply-To"))[1], READING.reply_address)
        assert token is not None
        # What the cases quote is what their own agent sent.
        sent = ("\n".join(QUESTION), "Yes, go ahead.")
        await office.register.change(token, lambda known: replace(known, texts=(*sent, *known.texts)))
        yield Asked(office, mailed, token)


@pytest.mark.parametrize(
    "case",
    [pytest.param(each, id=each["id"], marks=pytest.mark.case(each["id"].partition("_")[0])) for each in MAILS],
)
async def test_a_case_does_to_its_question_what_a_careful_person_would_and_nothing_when_it_comes_again(
    case: dict[str, Any], tmp_path: Path
) -> None:
    expects = case["expect"].get("one_of", [case["expect"]])
    decisions = {each.get("decision") or case["expect"]["if_question_still_open"] for each in expects}
    async with asked(tmp_path, case) as question:
        office, raw = question.office, question.arriving(case)
        became = await question.became(await office.take(raw))
        if case["expect"].get("question_delivery") == "failed":
            assert became == "reject"  # it is closed, and nothing ran
            assert await office.reasons() == ["question bounced"]
        else:
            assert became in set[str]().union(*(ANSWERS[decision] for decision in decisions))
        if case["expect"].get("question_stays_open"):
            assert await office.is_open()
        if case["expect"].get("send_no_mail_back") or case["expect"].get("security_event"):
            assert question.told() == []
        if became == "kept":
            (row,) = await office.quarantined()
            assert row.session_id == office.session_id
        if became == "asked again":
            assert len(question.told()) == 1
            assert await office.quarantined() == []
        # A scanner has put it in again, or we died before it was marked as seen.
        before = len(office.smtp.mails), list(office.refunds), await office.quarantined()
        assert await office.take(raw.replace(b"id rx0007", b"id rx0999")) is not Handled.ANSWERED
        assert before == (len(office.smtp.mails), office.refunds, await office.quarantined())


@pytest.mark.case("em23")
async def test_a_colleague_who_was_handed_the_question_is_told_once_that_it_is_not_theirs(tmp_path: Path) -> None:
    case = next(each for each in MAILS if each["id"].startswith("em23_"))
    async with asked(tmp_path, case) as question:
        await question.office.take(question.arriving(case))
        await question.office.take(question.arriving(case).replace(b"Message-ID: <", b"Message-ID: <second."))
        assert question.told() == ["sam.reed@corp.example"]


@pytest.mark.case("em31")
async def test_a_stranger_with_the_name_of_an_approver_hears_nothing(tmp_path: Path) -> None:
    case = next(each for each in MAILS if each["id"].startswith("em31_"))
    async with asked(tmp_path, case) as question:
        await question.office.take(question.arriving(case))
        assert question.told() == []
        assert await question.office.reasons() == ["not an answerer"]


@pytest.mark.case("em39")
async def test_a_correction_after_the_decision_is_told_what_was_done(tmp_path: Path) -> None:
    case = next(each for each in MAILS if each["id"].startswith("em39_"))
    async with asked(tmp_path, case) as question:
        office = question.office
        await office.answer(question.mailed, "Yes, go ahead.")
        assert office.refunds == [REFUND]
        assert await office.take(question.arriving(case)) is Handled.TOLD
        assert office.refunds == [REFUND]
        assert f"Approved by {office.people[0]}, 2026-01-01 00:00 UTC" in office.smtp.mails[-1].text
        assert await office.reasons() == ["question closed"]
