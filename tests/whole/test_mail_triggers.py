"""Mails that are about no question, over a whole app: which of them set a trigger off, and which are for the operators."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from overwinter.actors.run import Run
from overwinter.actors.trigger_kinds import ChannelMessage, Starts, Trigger
from overwinter.bots.workflows import workflow
from overwinter.channels.mail.receiving import Handled

from ..fakes.mail_client import BORDER
from .mail_office import mail_office


class Desk:
    """An app's workflow that mails about invoices start, and what it was told."""

    def __init__(self, *, channel: str = "mail", pattern: str | None = "invoice") -> None:
        self.seen: list[dict[str, Any]] = []

        async def keep(payload: dict[str, Any]) -> None:
            self.seen.append(payload)

        @workflow(version="1")
        async def take_in(run: Run, fire: dict[str, Any]) -> None:
            await run.step(keep, fire["payload"])

        when = ChannelMessage(channel=channel, pattern=pattern)
        trigger = Trigger(slug="invoices", when=when, starts=Starts(bot="take_in", at_once=9))
        self.more: dict[str, Any] = {"workflows": [take_in], "triggers": [trigger]}


def mail(text: str = "Please find it attached.", changed: Mapping[str, str | None] | None = None) -> bytes:
    fields: dict[str, str | None] = {
        "Return-Path": "<otto@supplier.example>",
        "Delivered-To": "agent@ask.example.net",
        "Authentication-Results": f"{BORDER}; dmarc=pass header.from=supplier.example",
        "From": "Otto <otto@supplier.example>",
        "To": "agent@ask.example.net",
        "Subject": "Invoice 2026-118",
        "Date": "Tue, 3 Mar 2026 10:41:02 +0100",
        "Message-ID": "<invoice-118@supplier.example>",
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=utf-8",
        **(changed or {}),
    }
    head = "".join(f"{name}: {value}\n" for name, value in fields.items() if value is not None)
    return f"{head}\n{text}\n".replace("\n", "\r\n").encode()


@pytest.mark.parametrize("channel", ["mail", "mail:agent@ask.example.net"])
async def test_a_mail_that_a_trigger_waits_for_sets_it_off_once(tmp_path: Path, channel: str) -> None:
    desk = Desk(channel=channel)
    async with mail_office(tmp_path, more=desk.more) as office:
        await office.kit.settle()
        assert await office.take(mail()) is Handled.FIRED
        assert await office.take(mail()) is Handled.FIRED
        await office.kit.restart()
        assert await office.take(mail()) is Handled.FIRED
        assert await office.quarantined() == []
    assert desk.seen == [
        {
            "channel": "mail",
            "place": "agent@ask.example.net",
            "text": "Invoice 2026-118\n\nPlease find it attached.",
            "from": "otto@supplier.example",
        }
    ]


async def test_a_mail_of_a_subject_alone_sets_off_as_well(tmp_path: Path) -> None:
    desk = Desk()
    async with mail_office(tmp_path, more=desk.more) as office:
        await office.kit.settle()
        assert await office.take(mail("")) is Handled.FIRED
    assert [payload["text"] for payload in desk.seen] == ["Invoice 2026-118"]


@pytest.mark.behaviour("W32")
@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"Subject": "Lunch?"}, "no question"),
        ({"Authentication-Results": None}, "no question"),
        ({"Authentication-Results": f"{BORDER}; dmarc=fail header.from=supplier.example"}, "no question"),
        ({"From": "otto@supplier.example, mara@corp.example"}, "no question"),
        ({"Auto-Submitted": "auto-replied"}, "no question"),
        ({"List-Id": "<all.supplier.example>", "Precedence": "list"}, "no question"),
    ],
)
async def test_other_mails_set_nothing_off_and_are_kept_for_the_operators(
    tmp_path: Path, changed: dict[str, str | None], reason: str
) -> None:
    desk = Desk()
    async with mail_office(tmp_path, more=desk.more) as office:
        await office.kit.settle()
        assert await office.take(mail(changed=changed)) is Handled.QUARANTINED
        assert await office.reasons() == [reason]
    assert desk.seen == []


async def test_an_answer_to_a_question_sets_nothing_off(tmp_path: Path) -> None:
    desk = Desk(pattern=None)
    async with mail_office(tmp_path, more=desk.more) as office:
        mailed = await office.ask()
        assert await office.answer(mailed, "Yes, go ahead.") is Handled.ANSWERED
        assert await office.answer(mailed, "And the invoice?", message_id="<late@corp.example>") is Handled.TOLD
    assert (desk.seen, len(office.refunds)) == ([], 1)


async def test_a_mail_too_large_to_be_read_sets_nothing_off(tmp_path: Path) -> None:
    desk = Desk(pattern=None)
    async with mail_office(tmp_path, more=desk.more) as office:
        await office.kit.settle()
        assert await office.take(mail(), is_whole=False) is Handled.QUARANTINED
        assert await office.reasons() == ["oversize"]
    assert desk.seen == []
