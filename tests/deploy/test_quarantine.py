"""Mail that led nowhere, as operators see it, and how it is put through when what held it back is mended."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from overwinter.channels.mail.receiving import Handled

from ..fakes.mail_client import reply_to
from ..whole.mail_office import KEY, READING, mail_office
from .conftest import Overwinter

APP = """
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.scripted_model import ScriptedModel, says
from overwinter.bots.tools import ToolCall, tool
from overwinter.channels.interpreters.rules import RulesInterpreter
from overwinter.channels.mail.channel import MailChannel
from overwinter.channels.roles import Answerer, ApprovalRole

role = ApprovalRole(name="refund-approval", answered_by=Answerer.CHANNEL, interpreter=RulesInterpreter())

@tool(asks=role)
async def refund(order: int, amount: str, call: ToolCall) -> str:
    "Refund an order."
    return "refunded"

agent = Agent(name="support", tools=[refund], model=ScriptedModel.by_turn([says("Done.")]))
app = App(name="shop", agents=[agent], channels={role: MailChannel(["mara@corp.example"])})
"""
CONFIG = """
database = "office.db"
app = "office.py:app"

[mail]
reply_address = "agent@ask.example.net"
authserv_id = "{border}"
display_name = "Ops Agent"
token_keys = ["{key}"]

[mail.smtp]
host = "127.0.0.1"
tls = "none"
"""


def configure(border: str) -> None:
    Path("office.py").write_text(APP)
    Path("overwinter.toml").write_text(CONFIG.format(border=border, key=KEY.decode()))


def held_back(folder: Path) -> None:
    """A question that waits, and its answer in the quarantine: the border server has another name than was configured."""

    async def run() -> None:
        async with mail_office(folder, reading=replace(READING, authserv_id="mx.other.example")) as office:
            raw = reply_to(await office.ask(), "Yes, go ahead.")
            assert await office.take(raw) is Handled.QUARANTINED
            assert await office.take(b"Subject: hello\r\n\r\nAnybody?\x1b[2J\r\n") is Handled.QUARANTINED
            assert await office.is_open()

    asyncio.run(run())


def ids(overwinter: Overwinter) -> list[str]:
    return [each["mail"] for each in overwinter("mail", "quarantine", "list", "--json").document["mails"]]


def test_what_led_nowhere_is_listed_and_shown_with_its_reasons(overwinter: Overwinter, tmp_path: Path) -> None:
    held_back(tmp_path)
    configure("mx.ask.example.net")
    answer, hello = sorted(
        overwinter("mail", "quarantine", "list", "--json").document["mails"], key=lambda each: each["session"] is None
    )
    assert (answer["from"], answer["class"], answer["reason"]) == (
        "mara@corp.example",
        "unauthenticated",
        "sender not authenticated",
    )
    assert answer["session"]
    assert (hello["from"], hello["reason"], hello["subject"]) == (None, "no question", "hello")
    told = overwinter("mail", "quarantine", "list")
    assert "sender not authenticated (unauthenticated)" in told.out
    shown = overwinter("mail", "quarantine", "show", answer["mail"], "--json").document
    assert shown["is_whole"]
    assert "Yes, go ahead." in shown["raw"]
    assert {"step", "found", "why"} == set(shown["why"][0])
    told = overwinter("mail", "quarantine", "show", answer["mail"])
    assert "\r" in shown["raw"]
    assert "\\x0d" not in told.out
    assert "Yes, go ahead." in told.out
    assert "authentication: not proven" in told.out
    assert "Anybody?\\x1b[2J" in overwinter("mail", "quarantine", "show", hello["mail"]).out


def test_a_mail_that_was_held_back_by_a_wrong_setting_is_released_and_decides(
    overwinter: Overwinter, tmp_path: Path
) -> None:
    held_back(tmp_path)
    configure("mx.ask.example.net")
    (pause,) = overwinter("pending", "--json").document["questions"]
    assert pause["role"] == "refund-approval"
    answer = next(
        each["mail"]
        for each in overwinter("mail", "quarantine", "list", "--json").document["mails"]
        if each["session"] is not None
    )
    ran = overwinter("mail", "quarantine", "release", answer, "--json")
    assert (ran.code, ran.document) == (0, {"mail": answer, "became": "answered"})
    assert overwinter("pending", "--json").document["questions"] == []
    assert len(ids(overwinter)) == 1


def test_a_release_passes_no_check_by(overwinter: Overwinter, tmp_path: Path) -> None:
    held_back(tmp_path)
    configure("mx.third.example")
    for mail in ids(overwinter):
        ran = overwinter("mail", "quarantine", "release", mail, "--json")
        assert (ran.code, ran.error["code"]) == (6, "mail.not-released")
    assert len(ids(overwinter)) == 2
    assert len(overwinter("pending", "--json").document["questions"]) == 1


def test_a_mail_is_dropped_once(overwinter: Overwinter, tmp_path: Path) -> None:
    held_back(tmp_path)
    configure("mx.ask.example.net")
    gone, kept = ids(overwinter)
    assert overwinter("mail", "quarantine", "drop", gone, "--json").document == {"mail": gone, "dropped": True}
    assert ids(overwinter) == [kept]
    for verb in ("drop", "show", "release"):
        ran = overwinter("mail", "quarantine", verb, gone, "--json")
        assert (ran.code, ran.error["code"]) == (5, "mail.unknown")


def test_without_a_table_for_mail_nothing_is_released(overwinter: Overwinter, tmp_path: Path) -> None:
    held_back(tmp_path)
    configure("mx.ask.example.net")
    mail = ids(overwinter)[0]
    Path("overwinter.toml").write_text('database = "office.db"\n')
    Path("office.py").write_text(
        APP.replace('MailChannel(["mara@corp.example"])', "AutoReject()").replace(
            "from overwinter.channels.mail.channel import MailChannel",
            "from overwinter.channels.automatic import AutoReject",
        )
    )
    ran = overwinter("mail", "quarantine", "release", mail, "--app", "office.py:app", "--json")
    assert (ran.code, ran.error["code"]) == (2, "input.invalid")
