"""What an app may not say of reminders and escalation; and what it may."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from overwinter.actors.asks import Ask, AwaitReply, Outcome, Progress, Withdrawal
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.errors import AssemblyError
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.channels.automatic import AutoApprove
from overwinter.channels.roles import Answerer, ApprovalRole, QuestionRole

HOUR = timedelta(hours=1)
DESK, BOARD = RecordingChannel(name="desk"), RecordingChannel(name="board")


class PlainChannel:
    """It can neither remind anybody nor take a question back while it waits."""

    def __init__(self, name: str) -> None:
        self.name = name

    async def send(self, ask: Ask) -> Outcome:
        return AwaitReply()

    async def update(self, progress: Progress) -> None: ...

    async def withdraw(self, withdrawal: Withdrawal) -> None: ...


def faults_of(*channels: Any, kind: Any = ApprovalRole, **said: Any) -> list[tuple[str, str]]:
    """What an app is told whose one role says so."""
    if kind is QuestionRole:
        said["answer"] = str
    said.setdefault("answered_by", Answerer.CHANNEL)
    app = App(name="office", agents=[Agent(name="clerk", tools=[])], channels={kind(name="payments", **said): channels})
    try:
        app.check()
    except AssemblyError as error:
        return list(error.faults)
    return []


@pytest.mark.parametrize("kind", [ApprovalRole, QuestionRole])
@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"remind_after": -HOUR}, "lie ahead"),
        ({"remind_after": timedelta()}, "lie ahead"),
        ({"remind_after": [HOUR, timedelta(minutes=60)]}, "twice at one time"),
        ({"remind_after": 3600}, "give it a timedelta"),
        ({"remind_after": [3600]}, "give it a timedelta"),
        ({"remind_after": "1h"}, "give it a timedelta"),
        ({"remind_after": [HOUR, 3 * HOUR], "deadline": 3 * HOUR}, "its deadline is 3:00:00"),
    ],
)
def test_reminders_that_make_no_sense_are_refused(kind: Any, said: dict[str, Any], words: str) -> None:
    ((code, text),) = faults_of(DESK, kind=kind, **said)
    assert code == "assembly.role-reminders"
    assert words in text


@pytest.mark.parametrize("kind", [ApprovalRole, QuestionRole])
@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"escalate_after": HOUR}, "not to whom"),
        ({"escalate_to": BOARD}, "not when"),
        ({"escalate_to": BOARD, "escalate_after": 3600}, "give it a timedelta"),
        ({"escalate_to": BOARD, "escalate_after": -HOUR}, "lies ahead"),
        ({"escalate_to": BOARD, "escalate_after": timedelta()}, "lies ahead"),
        ({"escalate_to": BOARD, "escalate_after": HOUR, "deadline": HOUR}, "its deadline is 1:00:00"),
        ({"escalate_to": DESK, "escalate_after": HOUR}, "where it is asked first"),
        ({"escalate_to": RecordingChannel(name="desk"), "escalate_after": HOUR}, "where it is asked first"),
    ],
)
def test_an_escalation_that_makes_no_sense_is_refused(kind: Any, said: dict[str, Any], words: str) -> None:
    code, text = faults_of(DESK, kind=kind, **said)[0]
    assert code == "assembly.role-escalation"
    assert words in text


def test_what_the_sessions_owner_answers_goes_to_nobody_else() -> None:
    faults = faults_of(
        answered_by=Answerer.OWNER, remind_after=HOUR, escalate_to=BOARD, escalate_after=HOUR, kind=QuestionRole
    )
    assert [code for code, _ in faults] == ["assembly.role-reminders", "assembly.role-escalation"]


def test_an_owner_who_is_asked_in_a_channel_may_be_reminded() -> None:
    assert faults_of(DESK, answered_by=Answerer.OWNER, remind_after=HOUR) == []


def test_a_channel_has_to_be_able_to_do_what_is_asked_of_it() -> None:
    plain = PlainChannel("plain")
    ((code, text),) = faults_of(plain, remind_after=HOUR)
    assert (code, "plain cannot" in text) == ("assembly.role-reminders", True)
    ((code, text),) = faults_of(plain, escalate_to=BOARD, escalate_after=HOUR)
    assert (code, "plain cannot" in text) == ("assembly.role-escalation", True)
    assert faults_of(DESK, escalate_to=plain, escalate_after=HOUR) == [], "nothing is taken from those asked last"
    ((code, text),) = faults_of(DESK, escalate_to=plain, escalate_after=HOUR, remind_after=HOUR)
    assert (code, "plain cannot" in text) == ("assembly.role-reminders", True)


@pytest.mark.parametrize("name", ["two,names", "conversation", ""])
def test_the_channel_of_an_escalation_has_a_name_like_any_other(name: str) -> None:
    faults = faults_of(DESK, escalate_to=RecordingChannel(name=name), escalate_after=HOUR)
    assert [code for code, _ in faults] == ["assembly.channel-name"]


def test_two_channels_of_one_name_are_refused_where_one_is_an_escalation() -> None:
    role = ApprovalRole(
        name="payments", answered_by=Answerer.CHANNEL, escalate_to=RecordingChannel(name="lobby"), escalate_after=HOUR
    )
    other = ApprovalRole(name="visits", answered_by=Answerer.CHANNEL)
    lobby = RecordingChannel(name="lobby")
    app = App(name="office", agents=[Agent(name="clerk", tools=[])], channels={role: DESK, other: lobby})
    with pytest.raises(AssemblyError, match="two channels are called lobby"):
        app.check()


@pytest.mark.parametrize("channel", [DESK, AutoApprove()])
def test_what_makes_sense_is_taken(channel: Any) -> None:
    said = {"remind_after": [HOUR, 5 * HOUR], "escalate_to": BOARD, "escalate_after": 2 * HOUR, "deadline": 6 * HOUR}
    assert faults_of(channel, **said) == []
