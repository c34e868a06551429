"""Roles that need several people: distinct ones, across channels, all at once or in order."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from overwinter.actors.answers import ChannelCredential, Decision
from overwinter.actors.asks import Decided
from overwinter.actors.errors import PauseAlreadyVotedError, PauseNotPendingError
from overwinter.actors.jsontext import from_json
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.errors import AssemblyError
from overwinter.bots.scripted_model import ScriptedModel, calls, says
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.testing.kit import Kit
from overwinter.bots.tools import tool
from overwinter.channels.roles import Answerer, ApprovalRole

YES: dict[str, Any] = {"approved": True}
NO: dict[str, Any] = {"approved": False, "reason": "not this month"}


class Office:
    """A bot that pays, and the people who have to approve."""

    def __init__(
        self, path: Path, *, channels: int = 1, people: dict[str, Sequence[str]] | None = None, **role: Any
    ) -> None:
        self.paid: list[str] = []
        self.channels = [RecordingChannel(name=name) for name in ("slack", "mail", "web")[:channels]]
        wanted: dict[str, Any] = {"needs": 2, "answered_by": Answerer.CHANNEL, **role}
        self.role = ApprovalRole(name="two-of-us", **wanted)
        self.people = people or {}
        self.kit = Kit(build=self.app, path=path / "office.db")

    def app(self) -> App:
        @tool(asks=self.role)
        async def pay(amount: str) -> str:
            """Pay."""
            self.paid.append(amount)
            return f"paid {amount}"

        model = ScriptedModel.by_turn([calls("pay", {"amount": "80.00"}), says("done")])
        return App(
            name="office",
            agents=[Agent(name="clerk", tools=[pay], model=model)],
            channels={self.role: self.channels},
            people=self.people,
        )

    async def answer(self, by: str, decision: Any = YES) -> Any:
        (pause,) = await self.kit.pending()
        answered = await self.kit.runtime.answering.answer(
            tenant=self.kit.tenant,
            pause_id=pause.pause_id,
            answer=Decision(value=decision),
            credential=ChannelCredential(answered_by=by),
        )
        await self.kit.settle()
        return answered


@asynccontextmanager
async def at_work(office: Office) -> AsyncGenerator[str]:
    async with office.kit.running():
        yield await office.kit.start("clerk", "pay the rent")


async def test_the_call_runs_when_two_people_have_approved(tmp_path: Path) -> None:
    office = Office(tmp_path)
    async with at_work(office) as session_id:
        (ask,) = office.channels[0].asks
        assert ask.needs == 2
        first = await office.answer("mara")
        assert (first.standing.summary, first.standing.missing) == ("1 of 2 approved (mara)", 1)
        assert office.paid == []
        assert [update.summary for update in office.channels[0].updates] == ["1 of 2 approved (mara)"]
        await office.kit.restart()
        second = await office.answer("otto")
        assert second.standing.missing == 0
        assert office.paid == ["80.00"]
        (withdrawal,) = office.channels[0].withdrawals
        assert withdrawal.summary == "Approved by mara, otto"
        (entry,) = await office.kit.store.audit(tenant=office.kit.tenant, limit=10)
        assert entry.responder == "mara, otto"
        assert [each["by"] for each in from_json(entry.decision_json or "")["votes"]] == ["mara", "otto"]
        assert (await office.kit.session(session_id)).status == "idle"


@pytest.mark.parametrize(
    "again",
    ["mara", " Mara ", "mara@example.com", "MARA@Example.com", "U0MARA", "ma\u200bra", "ｍａｒａ", "mara\0", "ma ra"],
)
async def test_one_person_is_one_vote_whatever_name_a_channel_knows_them_by(tmp_path: Path, again: str) -> None:
    office = Office(tmp_path, channels=2, people={"mara": ["mara@example.com", "U0MARA"]})
    async with at_work(office):
        await office.answer("mara")
        with pytest.raises(PauseAlreadyVotedError) as raised:
            await office.answer(again)
        assert raised.value.code == "pause.already-voted"
        assert office.paid == []
        await office.answer("otto@example.com")
        assert office.paid == ["80.00"]


@pytest.mark.parametrize("again", ["ZOE\u0301", "zoé", "Zoé@", "zo\u2060é"])
async def test_somebody_of_no_list_is_one_person_too_however_the_name_is_written(tmp_path: Path, again: str) -> None:
    office = Office(tmp_path)
    async with at_work(office):
        await office.answer("Zoé" if "@" not in again else "zoé@")
        with pytest.raises(PauseAlreadyVotedError):
            await office.answer(again)
        assert office.paid == []
        assert office.channels[0].updates[-1].approved_by == ("Zoé" if "@" not in again else "zoé@",), (
            "as they are called"
        )


async def test_the_question_goes_to_every_channel_and_is_taken_back_in_each(tmp_path: Path) -> None:
    office = Office(tmp_path, channels=2)
    async with at_work(office):
        assert [len(channel.asks) for channel in office.channels] == [1, 1]
        await office.answer("mara")
        assert [len(channel.updates) for channel in office.channels] == [1, 1]
        await office.answer("otto")
        assert [len(channel.withdrawals) for channel in office.channels] == [1, 1]


async def test_one_rejection_decides_where_nobody_can_take_its_place(tmp_path: Path) -> None:
    office = Office(tmp_path)
    async with at_work(office):
        await office.answer("mara")
        pauses = await office.kit.pending()
        await office.answer("otto", NO)
        assert office.paid == []
        assert not await office.kit.pending()
        with pytest.raises(PauseNotPendingError):
            await office.kit.runtime.answering.answer(
                tenant=office.kit.tenant,
                pause_id=pauses[0].pause_id,
                answer=Decision(value=YES),
                credential=ChannelCredential(answered_by="olga"),
            )
        (withdrawal,) = office.channels[0].withdrawals
        assert withdrawal.summary == "Rejected by otto"


async def test_of_three_people_one_may_say_no(tmp_path: Path) -> None:
    office = Office(tmp_path, of=3)
    async with at_work(office):
        await office.answer("mara", NO)
        await office.answer("otto")
        assert office.paid == []
        await office.answer("olga")
        assert office.paid == ["80.00"]


async def test_people_who_change_the_amount_must_change_it_alike(tmp_path: Path) -> None:
    office = Office(tmp_path, of=3)
    async with at_work(office):
        await office.answer("mara", {"approved": True, "override_arguments": {"amount": "40.00"}})
        await office.answer("otto")
        assert office.paid == []
        await office.answer("olga", {"approved": True, "override_arguments": {"amount": "40.00"}})
        assert office.paid == ["40.00"]


async def test_in_order_the_next_channel_is_asked_after_an_approval(tmp_path: Path) -> None:
    office = Office(tmp_path, channels=2, in_order=True)
    async with at_work(office):
        assert [len(channel.asks) for channel in office.channels] == [1, 0]
        await office.kit.restart()
        assert [len(channel.asks) for channel in office.channels] == [1, 0]
        await office.answer("mara")
        assert [len(channel.asks) for channel in office.channels] == [1, 1]
        await office.answer("otto")
        assert office.paid == ["80.00"]
        assert [len(channel.withdrawals) for channel in office.channels] == [1, 1]


async def test_in_order_a_rejection_asks_nobody_else(tmp_path: Path) -> None:
    office = Office(tmp_path, channels=2, in_order=True)
    async with at_work(office):
        await office.answer("mara", NO)
        assert office.paid == []
        assert [len(channel.asks) for channel in office.channels] == [1, 0]
        assert [len(channel.withdrawals) for channel in office.channels] == [1, 0]


async def test_in_order_the_next_channel_is_asked_after_a_rejection_that_does_not_decide(tmp_path: Path) -> None:
    office = Office(tmp_path, channels=3, in_order=True, of=3)
    async with at_work(office):
        await office.answer("mara", NO)
        assert [len(channel.asks) for channel in office.channels] == [1, 1, 0]
        await office.answer("otto")
        assert [len(channel.asks) for channel in office.channels] == [1, 1, 1]
        await office.answer("olga")
        assert office.paid == ["80.00"]


async def test_a_channel_that_decides_at_once_gives_one_vote(tmp_path: Path) -> None:
    office = Office(tmp_path, channels=2)
    office.channels[0].outcomes.append(Decided(decision=YES, answered_by="policy"))
    async with at_work(office):
        assert office.paid == []
        await office.answer("mara")
        assert office.paid == ["80.00"]
        assert office.channels[0].withdrawals == [], "it has nothing to take back"


async def test_a_channel_that_decides_alone_cannot_make_up_two_people(tmp_path: Path) -> None:
    office = Office(tmp_path)
    office.channels[0].outcomes.append(Decided(decision=YES, answered_by="policy"))
    async with at_work(office) as session_id:
        assert office.paid == []
        assert not await office.kit.pending()
        outcome = await office.kit.outcome(session_id)
        assert "more people have to approve" in outcome["detail"]


async def test_the_audit_of_a_deadline_says_who_had_voted(tmp_path: Path) -> None:
    office = Office(tmp_path, deadline=timedelta(hours=1))
    async with at_work(office):
        await office.answer("mara")
        await office.kit.advance(timedelta(hours=2))
        assert office.paid == []
        (entry,) = await office.kit.store.audit(tenant=office.kit.tenant, limit=10)
        assert entry.resolution == "timed_out"
        assert [each["by"] for each in from_json(entry.decision_json or "")["votes"]] == ["mara"]


async def test_a_question_that_needed_two_people_does_not_need_one_after_a_deployment(tmp_path: Path) -> None:
    office = Office(tmp_path)
    async with at_work(office):
        office.role = ApprovalRole(name="two-of-us", answered_by=Answerer.CHANNEL)
        await office.kit.restart()
        await office.answer("mara")
        assert office.paid == []
        await office.answer("otto")
        assert office.paid == ["80.00"]


@pytest.mark.parametrize(
    "role",
    [
        {"needs": 0},
        {"needs": 1, "of": 3},
        {"needs": 3, "of": 2},
        {"needs": 2, "answered_by": Answerer.OWNER},
        {"needs": 2, "in_order": True},
    ],
)
def test_a_quorum_that_can_never_be_reached_is_refused_at_assembly(role: dict[str, Any]) -> None:
    options: dict[str, Any] = {"name": "odd", "answered_by": Answerer.CHANNEL, **role}
    wanted = ApprovalRole(**options)

    @tool(asks=wanted)
    async def pay(amount: str) -> str:
        """Pay."""
        return amount

    app = App(
        name="office",
        agents=[Agent(name="clerk", tools=[pay], model=ScriptedModel.by_turn([]))],
        channels={wanted: RecordingChannel()},
    )
    with pytest.raises(AssemblyError) as raised:
        app.check()
    assert {code for code, _ in raised.value.faults} == {"assembly.role-quorum"}


async def test_arguments_sent_back_as_they_were_asked_are_the_same_call(tmp_path: Path) -> None:
    office = Office(tmp_path)
    async with at_work(office):
        await office.answer("mara", {"approved": True, "override_arguments": {"amount": "80.00"}})
        await office.answer("otto")
        assert office.paid == ["80.00"]


async def test_a_question_goes_only_to_channels_that_can_take_it_back(tmp_path: Path) -> None:
    office = Office(tmp_path, channels=2, in_order=True, of=3)
    async with at_work(office):
        late = RecordingChannel(name="phone")
        office.channels = [office.channels[0], late]
        await office.kit.restart()
        await office.answer("mara")
        await office.answer("otto")
        assert office.paid == ["80.00"]
        assert (len(late.asks), len(late.withdrawals)) == (0, 0)


@pytest.mark.parametrize("name", ["", "  ", None])
async def test_a_channel_that_does_not_say_who_decided_decides_nothing(tmp_path: Path, name: Any) -> None:
    office = Office(tmp_path, needs=1)
    office.channels[0].outcomes.append(Decided(decision=YES, answered_by=name))
    async with at_work(office) as session_id:
        assert office.paid == []
        assert (await office.kit.outcome(session_id))["code"] == "pause.undeliverable"


async def test_what_only_the_owner_may_decide_no_channel_decides_for_somebody_else(tmp_path: Path) -> None:
    office = Office(tmp_path, needs=1, answered_by=Answerer.OWNER)
    office.channels[0].outcomes.append(Decided(decision=YES, answered_by="somebody-else"))
    async with at_work(office):
        assert office.paid == []


@pytest.mark.parametrize(
    ("people", "code"),
    [
        ({"mara": "mara@example.com"}, "assembly.people"),
        ({"mara": ["m@x.example"], "otto": ["M@X.example"]}, "assembly.people"),
        ({"mara": ["\u200b"]}, "assembly.people"),
    ],
)
def test_people_who_cannot_be_told_apart_are_refused(people: Any, code: str) -> None:
    app = App(name="office", agents=[Agent(name="clerk", model=ScriptedModel.by_turn([]))], people=people)
    with pytest.raises(AssemblyError) as raised:
        app.check()
    assert [fault for fault, _ in raised.value.faults] == [code]
