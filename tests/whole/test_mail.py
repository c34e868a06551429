"""Questions by mail, over a whole app: who is asked, what decides, what does not, and what people hear of it."""

from __future__ import annotations

from pathlib import Path

from overwinter.channels.mail.receiving import Handled

from .mail_office import MARA, mail_office


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
