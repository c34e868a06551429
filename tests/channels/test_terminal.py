"""What the terminal prints while a question waits."""

from __future__ import annotations

from dataclasses import replace

from overwinter.actors.asks import AnswerForm, Ask, Relief, Reminder
from overwinter.channels.terminal import TerminalChannel

ASK = Ask(
    pause_id="0f9c2e71b3a84d5c9e6f10a2b4c8d7e3",
    role="payments",
    prompt="Pay the rent?",
    form=AnswerForm(schema={"type": "string"}),
    session_id="s1",
    tenant="default",
    owner="olga",
    bot="clerk",
    asked_at_ms=0,
)


async def test_a_reminder_says_again_how_to_answer() -> None:
    printed: list[str] = []
    channel = TerminalChannel(write=printed.append, command="answer {pause}")
    await channel.remind(Reminder(ask=ASK, ref=None, number=1, at_ms=0, summary="Still waiting"))
    assert printed == [
        "[payments] Still waiting: Pay the rent?\n  answer: answer 0f9c2e71b3a84d5c9e6f10a2b4c8d7e3",
    ]


async def test_those_relieved_of_a_question_are_told_why_and_not_how_to_answer() -> None:
    printed: list[str] = []
    channel = TerminalChannel(write=printed.append)
    await channel.relieve(Relief(ask=ASK, ref=None, asked_instead="board", summary="Nobody answered\x1b[2J"))
    assert printed == ["[payments] not to be answered here any more: Nobody answered\\x1b[2J"]


async def test_those_asked_in_place_of_others_are_told_so() -> None:
    printed: list[str] = []
    channel = TerminalChannel(write=printed.append)
    await channel.send(replace(ASK, escalated_from=("desk", "lob\nby")))
    assert "\n  nobody answered in desk, lob\\x0aby, so it is asked here\n" in printed[0]
