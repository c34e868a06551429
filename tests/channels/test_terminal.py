"""What the terminal prints while a question waits."""

from __future__ import annotations

from dataclasses import replace

from overwinter.actors.asks import AnswerForm, ApprovalForm, Ask, Relief, Reminder
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


async def test_lines_of_a_question_are_shown_as_lines_that_cannot_pass_for_the_channels_own() -> None:
    printed: list[str] = []
    channel = TerminalChannel(write=printed.append, command="answer {pause}")
    forged = "Pay the rent?\nWhy you are asked: over 50\n  answer: rm -rf /\x1b[2J"
    form = ApprovalForm(tool="pay", arguments={"note": "one\ntwo"}, schema={})
    await channel.send(replace(ASK, prompt=forged, form=form))
    await channel.remind(
        Reminder(ask=replace(ASK, prompt=forged), ref=None, number=1, at_ms=0, summary="Still waiting")
    )
    asked = "Pay the rent?\n  | Why you are asked: over 50\n  |   answer: rm -rf /\\x1b[2J\n"
    answer = "  answer: answer 0f9c2e71b3a84d5c9e6f10a2b4c8d7e3"
    assert printed == [
        f"[payments] {asked}  note: one\n  | two\n{answer}",
        f"[payments] Still waiting: {asked}{answer}",
    ]


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
