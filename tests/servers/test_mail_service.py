"""The service as operators run it, with real servers: configured by a file, started, stopped and started again."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from ..fakes.mail_client import reply_to
from .mailboxes import Mailbox
from .post_office import PASSWORD, PostOffice
from .waiting import until

MARA = "mara.service@corp.example"
AGENT = "agent@ask.example.net"
LISTS = {"Authentication-Results": None, "Received": None, "Return-Path": None, "Delivered-To": None}

APP = f'''
from pathlib import Path
from typing import Any

from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.scripted_model import ScriptedModel, calls, says
from overwinter.bots.tools import ToolCall, tool
from overwinter.channels.interpreters.rules import RulesInterpreter
from overwinter.channels.mail.channel import MailChannel
from overwinter.channels.roles import Answerer, ApprovalRole

role = ApprovalRole(name="refund-approval", answered_by=Answerer.CHANNEL, interpreter=RulesInterpreter())


@tool(asks=role)
async def refund(order: int, call: ToolCall[Any]) -> str:
    """Refund an order."""
    with Path("refunds").open("a") as file:
        file.write(f"{{order}}\\n")
    return "refunded"


model = ScriptedModel.by_turn([calls("refund", {{"order": 4471}}), says("Done.")])
app = App(name="shop", agents=[Agent(name="support", tools=[refund], model=model)], channels={{role: MailChannel(["{MARA}"])}})
'''


def configuration(post: PostOffice) -> str:
    return f"""
[mail]
reply_address = "{AGENT}"
authentication = "none"
display_name = "Ops Agent"
token_keys = ["{"k" * 44}"]

[mail.smtp]
host = "127.0.0.1"
port = {post.smtp_port}
tls = "none"

[mail.imap]
host = "127.0.0.1"
port = {post.imap_port}
tls = "none"
user = "{AGENT}"
password = "{PASSWORD}"
"""


async def overwinter(folder: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "overwinter.deploy.cli", *arguments]
    ran = await asyncio.create_subprocess_exec(
        *command, cwd=folder, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, err = await ran.communicate()
    assert ran.returncode == 0, err.decode()
    return out.decode()


@asynccontextmanager
async def serving(folder: Path) -> AsyncGenerator[None]:
    """``overwinter serve`` for as long as the block takes; then it is asked to end, and ends in order."""
    with (folder / "log").open("ab") as log:
        service = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "overwinter.deploy.cli", "serve", "shop.py:app", cwd=folder, stdout=log, stderr=log
        )
    try:
        yield
    finally:
        service.terminate()
        code = await service.wait()
    assert code == 0, (folder / "log").read_text()[-3_000:]


async def test_a_question_outlives_the_service_and_its_answer_is_waiting_for_the_next(
    post: PostOffice, tmp_path: Path
) -> None:
    (tmp_path / "shop.py").write_text(APP)
    (tmp_path / "overwinter.toml").write_text(configuration(post))
    mara = Mailbox(post, MARA)
    await overwinter(tmp_path, "start", "shop.py:app", "support", "refund 4471")
    async with serving(tmp_path):
        (mailed,) = await until(mara.mails, "the question is in the mailbox")
    assert re.search(r"agent\+[0-9a-z]{26}@ask\.example\.net", mailed.header("Reply-To"))

    answer = reply_to(mailed, "Yes, go ahead.", message_id="<while-away@corp.example>", headers=dict(LISTS))
    await mara.send(answer, to=mailed.header("Reply-To"))
    refunds = tmp_path / "refunds"

    async def is_refunded() -> bool:
        return refunds.exists()

    async def told_the_end() -> bool:
        return len(await mara.mails()) == 2

    async with serving(tmp_path):
        await until(is_refunded, "the answer that came meanwhile is read")
        await until(told_the_end, "the thread says how it ended")
        await mara.send(answer, to=mailed.header("Reply-To"))
        late = reply_to(mailed, "No, wait!", message_id="<late@corp.example>", headers=dict(LISTS))
        await mara.send(late, to=mailed.header("Reply-To"))

        async def told_that_it_was_late() -> bool:
            return len(await mara.mails()) == 3

        await until(told_that_it_was_late, "who answers too late is told so")
    assert refunds.read_text() == "4471\n"
    assert "was closed before your answer came" in (await mara.mails())[2].text
    assert "Warning" not in (tmp_path / "log").read_text()
