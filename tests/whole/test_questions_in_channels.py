"""What a channel is given, how often, by whom, and what it can do wrong."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal

import pytest
from structlog.testing import capture_logs

from overwinter.actors.answers import ChannelCredential, Decision
from overwinter.actors.asks import ApprovalForm, Ask, AwaitReply, Decided, Outcome, Progress, Withdrawal
from overwinter.actors.delivery_settings import DeliverySettings
from overwinter.actors.errors import ChannelRejectedError, ChannelUnreachableError, PauseNotPendingError
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.scripted_model import ScriptedModel, calls, calls_all, says
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.testing.kit import Kit
from overwinter.bots.tools import tool
from overwinter.channels.roles import Answerer, ApprovalRole, QuestionRole
from overwinter.store.changes import ClaimDeliveries

from .shop import Shop

YES = {"approved": True}


def three_refunds() -> ScriptedModel:
    three = calls_all(
        *(calls("refund_card", {"order_id": f"o{n}", "amount": "5.00"}, call_id=f"c{n}") for n in range(3))
    )
    return ScriptedModel.by_turn([three, says("Done.")])


def one_refund() -> ScriptedModel:
    return ScriptedModel.by_turn([calls("refund_card", {"order_id": "4471", "amount": "80.00"}), says("Done.")])


class SlowChannel:
    """Holds each ``send`` until told to go on."""

    name = "test"

    def __init__(self) -> None:
        self.asks: list[Ask] = []
        self.withdrawals: list[Withdrawal] = []
        self.sending = asyncio.Event()
        self.go_on = asyncio.Event()
        self.outcome: Outcome | Exception = AwaitReply(ref="r1")

    async def send(self, ask: Ask) -> Outcome:
        self.asks.append(ask)
        self.sending.set()
        await self.go_on.wait()
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome

    async def update(self, progress: Progress) -> None:
        """Nothing: one person is asked."""

    async def withdraw(self, withdrawal: Withdrawal) -> None:
        self.withdrawals.append(withdrawal)


# -- what a channel is given ------------------------------------------------------------------------------------------
@pytest.mark.behaviour("P53")
async def test_a_channel_is_told_who_asks_for_which_call_in_what_form_and_until_when(tmp_path: Path) -> None:
    shop = Shop()
    kit = Kit(build=lambda: shop.app(one_refund()), path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("support", "refund")
        pause = await kit.question("refund_card")
        (ask,) = shop.channel.asks
        assert (ask.bot, ask.owner, ask.tenant, ask.session_id) == ("support", "olga", "default", session_id)
        assert (ask.pause_id, ask.role, ask.step) == (pause.pause_id, pause.role, pause.key)
        assert (ask.asked_at_ms, ask.deadline_at_ms) == (pause.asked_at_ms, pause.deadline_at_ms)
        assert "refund_card" in ask.prompt
        form = ask.form
        assert isinstance(form, ApprovalForm)
        assert (form.tool, form.arguments["order_id"], form.arguments["amount"]) == ("refund_card", "4471", "80.00")
        assert form.call_id
        assert set(form.schema["properties"]) == set(form.arguments)
        await kit.answer("refund_card", decision={"approved": False})
        (withdrawal,) = shop.channel.withdrawals
        assert (withdrawal.ask, withdrawal.ref, withdrawal.answered_by) == (ask, "ref-0", "mara")


# -- asked once --------------------------------------------------------------------------------------------------------
@pytest.mark.behaviour("G25")
async def test_whoever_is_asked_is_asked_once_however_often_the_session_comes_back(tmp_path: Path) -> None:
    shop = Shop()
    kit = Kit(build=lambda: shop.app(three_refunds()), path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("support", "refund all")
        asked = {pause.key: pause.pause_id for pause in await kit.pending()}
        for _ in range(3):
            await kit.restart()
            await kit.settle()
            assert {pause.key: pause.pause_id for pause in await kit.pending()} == asked
            key = max(asked)
            await kit.answer(await kit.question(key=key), text="no")
            del asked[key]
        assert (await kit.session(session_id)).status == "idle"
    assert len(shop.channel.asks) == 3
    assert len({ask.pause_id for ask in shop.channel.asks}) == 3


@pytest.mark.behaviour("G25")
@pytest.mark.behaviour("G43")
async def test_a_send_tried_again_carries_the_same_id_and_what_is_sent_is_not_sent_again(tmp_path: Path) -> None:
    shop = Shop()
    seen: list[str] = []
    tries = 4

    class Flaky(RecordingChannel):
        async def send(self, ask: Ask) -> Outcome:
            seen.append(ask.pause_id)
            if len(seen) < tries:
                raise ChannelUnreachableError("503")
            return await super().send(ask)

    channel = Flaky()
    kit = Kit(build=lambda: shop.app(one_refund(), channel=channel), path=tmp_path / "w.db")
    async with kit.running():
        await kit.start("support", "refund")
        pause = await kit.question("refund_card")
        for _ in range(tries + 2):
            await kit.restart()
            await kit.settle()
            await kit.advance(timedelta(minutes=5))
    assert seen == [pause.pause_id] * tries
    assert [ask.pause_id for ask in channel.asks] == [pause.pause_id]


@pytest.mark.behaviour("G43")
async def test_a_question_being_sent_is_left_to_its_dispatcher_until_its_time_is_over(tmp_path: Path) -> None:
    shop, channel = Shop(), SlowChannel()
    settings = DeliverySettings(send_timeout_s=60.0, hold_s=100.0)
    kit = Kit(build=lambda: shop.app(one_refund(), channel=channel), path=tmp_path / "w.db", delivering=settings)
    async with kit.running():
        starting = asyncio.create_task(kit.start("support", "refund"))
        await channel.sending.wait()

        async def taken_by_another(at_s: float) -> int:
            now_ms = kit.clock.now_ms() + int(at_s * 1000)
            claim = ClaimDeliveries(holder="another", limit=10, now_ms=now_ms, until_ms=now_ms + 1000)
            return len((await kit.store.claim_deliveries(claim)).deliveries)

        assert await taken_by_another(0.0) == 0
        assert await taken_by_another(99.9) == 0
        channel.go_on.set()
        await starting
        assert (await kit.question("refund_card")).is_sent
        assert await taken_by_another(1_000.0) == 0
    assert len(channel.asks) == 1


@pytest.mark.behaviour("G43")
async def test_a_question_that_is_still_being_sent_as_its_time_runs_out_is_not_sent_beside_itself(
    tmp_path: Path,
) -> None:
    shop, channel = Shop(), SlowChannel()
    settings = DeliverySettings(send_timeout_s=60.0, hold_s=100.0)
    kit = Kit(build=lambda: shop.app(one_refund(), channel=channel), path=tmp_path / "w.db", delivering=settings)
    async with kit.running():
        starting = asyncio.create_task(kit.start("support", "refund"))
        await channel.sending.wait()
        for _ in range(3):
            channel.sending.clear()
            await kit.clock.advance(ms=101_000)  # the machine was asleep
            while (due_ms := (await kit.store.due()).delivery_ms) is None or due_ms <= kit.clock.now_ms():
                assert not channel.sending.is_set()
        channel.go_on.set()
        await starting
        assert (await kit.question("refund_card")).is_sent
        await kit.advance(timedelta(hours=1))
    assert len(channel.asks) == 1


@pytest.mark.behaviour("G43")
@pytest.mark.parametrize("is_closed", [False, True])
async def test_what_a_dead_process_was_sending_is_sent_under_the_same_id_or_not_at_all_if_it_has_closed(
    tmp_path: Path, is_closed: bool
) -> None:
    shop, dead, alive = Shop(), SlowChannel(), RecordingChannel()
    channels: list[Any] = [dead]
    kit = Kit(build=lambda: shop.app(one_refund(), channel=channels[-1]), path=tmp_path / "w.db")
    await kit.open()
    starting = asyncio.create_task(kit.start("support", "refund"))
    await dead.sending.wait()
    starting.cancel()
    await kit.close()
    channels.append(alive)
    async with kit.running():
        await kit.settle()
        pause = await kit.question("refund_card")
        if is_closed:
            await kit.answer(pause, decision=YES)
        await kit.advance(timedelta(minutes=2))
    assert [ask.pause_id for ask in dead.asks] == [pause.pause_id]
    assert [ask.pause_id for ask in alive.asks] == ([] if is_closed else [pause.pause_id])
    assert len(shop.ran) == is_closed


# -- taken back once ---------------------------------------------------------------------------------------------------
@pytest.mark.behaviour("G37")
async def test_a_withdrawal_carries_what_was_sent_and_why(tmp_path: Path) -> None:
    shop = Shop()
    kit = Kit(build=lambda: shop.app(three_refunds()), path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("support", "refund all")
        questions = sorted(await kit.pending(), key=lambda pause: pause.key)
        await kit.restart()
        await kit.answer(questions[1], text="no")
        await kit.runtime.answering.cancel(
            tenant="default", pause_id=questions[2].pause_id, by="ops", reason="obsolete"
        )
        await kit.settle()
        await kit.runtime.sessions.cancel(tenant="default", session_id=session_id, by="ops", reason="wrong")
        await kit.settle()
        await kit.restart()
        await kit.settle()
        await kit.advance(timedelta(hours=1))
    sent = {ask.pause_id: (f"ref-{place}", ask) for place, ask in enumerate(shop.channel.asks)}
    withdrawn = {withdrawal.ask.pause_id: withdrawal for withdrawal in shop.channel.withdrawals}
    assert len(shop.channel.withdrawals) == len(withdrawn) == 3
    assert {pause_id: (each.ref, each.ask) for pause_id, each in withdrawn.items()} == sent
    why = {pause_id: (each.why, each.answered_by) for pause_id, each in withdrawn.items()}
    assert [why[pause.pause_id] for pause in questions] == [
        ("cancelled", "ops"),
        ("replied", "mara"),
        ("cancelled", "ops"),
    ]


@pytest.mark.behaviour("G37")
@pytest.mark.parametrize("rival", ["answer", "cancel", "session", "deadline"])
async def test_of_two_who_close_a_question_at_once_one_does_and_it_is_withdrawn_once(
    tmp_path: Path, rival: str
) -> None:
    shop = Shop()
    async with Kit(build=lambda: shop.app(one_refund()), path=tmp_path / "w.db").running() as kit:
        for count in range(1, 11):
            await kit.start("support", "refund")
            ask = shop.channel.asks[-1]
            pair = [close(kit, "answer", ask, by="mara"), close(kit, rival, ask, by="tom")]
            results = await asyncio.gather(*(pair if count % 2 else reversed(pair)), return_exceptions=True)
            await kit.settle()
            assert len([result for result in results if isinstance(result, str)]) == 1
            row = await kit.store.pause(ask.pause_id)
            assert row is not None
            assert len(shop.channel.withdrawals) == count
            last = shop.channel.withdrawals[-1]
            assert (last.ask.pause_id, last.why, last.answered_by) == (ask.pause_id, row.resolution, row.responder)


async def close(kit: Kit, how: str, ask: Ask, *, by: str = "mara") -> str:
    """Close a question; returns the resolution that it has then. Raises if it was closed before."""
    answering = kit.runtime.answering
    match how:
        case "cancel":
            await answering.cancel(tenant="default", pause_id=ask.pause_id, by="ops", reason="no need")
            return "cancelled"
        case "session":
            await kit.runtime.sessions.cancel(tenant="default", session_id=ask.session_id, by="ops", reason="no need")
            row = await kit.store.pause(ask.pause_id)
            if row is None or row.resolution != "cancelled":
                raise PauseNotPendingError
            return "cancelled"
        case "deadline":
            pause = await kit.store.pause(ask.pause_id)
            if pause is None or not await answering.pass_deadline(pause):
                raise PauseNotPendingError
            return "timed_out"
        case _:
            credential = ChannelCredential(answered_by=by)
            await answering.answer(
                tenant="default", pause_id=ask.pause_id, answer=Decision(value=YES), credential=credential
            )
            return "decided"


# -- closed while it is being sent -------------------------------------------------------------------------------------
@pytest.mark.behaviour("G38")
@pytest.mark.parametrize("how", ["cancel", "session", "deadline", "answer"])
async def test_a_question_closed_while_it_is_being_sent_is_withdrawn_after_that(tmp_path: Path, how: str) -> None:
    shop, channel = Shop(), SlowChannel()
    settings = DeliverySettings(send_timeout_s=60.0)
    kit = Kit(build=lambda: shop.app(one_refund(), channel=channel), path=tmp_path / "w.db", delivering=settings)
    async with kit.running():
        starting = asyncio.create_task(kit.start("support", "refund"))
        await channel.sending.wait()
        why = await close(kit, how, channel.asks[0])
        assert channel.withdrawals == []
        channel.go_on.set()
        await starting
        await kit.settle()
        await kit.restart()
        await kit.settle()
    assert [(each.ref, each.why) for each in channel.withdrawals] == [("r1", why)]
    assert len(channel.asks) == 1


@pytest.mark.behaviour("G38")
@pytest.mark.parametrize("how", ["cancel", "session", "deadline", "answer"])
@pytest.mark.parametrize("outcome", ["refused", "decided"])
async def test_one_closed_while_its_send_fails_or_decides_is_not_withdrawn(
    tmp_path: Path, how: str, outcome: Literal["refused", "decided"]
) -> None:
    shop, channel = Shop(), SlowChannel()
    is_refused = outcome == "refused"
    channel.outcome = ChannelRejectedError("no room") if is_refused else Decided(decision=YES, answered_by="robot")
    settings = DeliverySettings(send_timeout_s=60.0)
    kit = Kit(build=lambda: shop.app(one_refund(), channel=channel), path=tmp_path / "w.db", delivering=settings)
    async with kit.running():
        starting = asyncio.create_task(kit.start("support", "refund"))
        await channel.sending.wait()
        why = await close(kit, how, channel.asks[0])
        channel.go_on.set()
        await starting
        await kit.settle()
        row = await kit.store.pause(channel.asks[0].pause_id)
        assert row is not None
        assert row.resolution == why
    assert channel.withdrawals == []
    assert shop.ran == ([("4471", "80.00")] if how == "answer" else [])


@pytest.mark.behaviour("G38")
@pytest.mark.parametrize("outcome", [Decided(decision=YES, answered_by="robot"), ChannelRejectedError("no such room")])
async def test_a_question_decided_at_once_or_never_sent_is_not_withdrawn(
    tmp_path: Path, outcome: Outcome | Exception
) -> None:
    shop = Shop()
    shop.channel.outcomes.append(outcome)
    kit = Kit(build=lambda: shop.app(one_refund()), path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("support", "refund")
        await kit.restart()
        await kit.settle()
        await kit.advance(timedelta(hours=1))
        assert [delivery.kind for delivery in (await kit.timeline(session_id)).deliveries] == ["post"]
    assert shop.channel.withdrawals == []


# -- a withdrawal that fails -------------------------------------------------------------------------------------------
@pytest.mark.behaviour("G39")
@pytest.mark.parametrize("error", [ChannelRejectedError("message_not_found"), RuntimeError("bug"), KeyError("ts")])
async def test_a_withdrawal_that_fails_is_one_warning_and_nothing_else(tmp_path: Path, error: Exception) -> None:
    async def story(name: str, *, fails: bool) -> tuple[Any, list[Any]]:
        shop = Shop()
        if fails:
            shop.channel.withdraw_errors.append(error)
        kit = Kit(build=lambda: shop.app(one_refund()), path=tmp_path / f"{name}.db")
        with capture_logs() as logs:
            async with kit.running():
                session_id = await kit.start("support", "refund")
                await kit.answer("refund_card", text="yes")
                await kit.advance(timedelta(hours=1))
                timeline = await kit.timeline(session_id)
        events = [(event.kind, event.key, event.body_json) for event in timeline.events]
        pauses = [(pause.status, pause.resolution, pause.responder) for pause in timeline.pauses]
        return (events, pauses, shop.ran), [log for log in logs if log["log_level"] in ("warning", "error")]

    sound, quiet = await story("sound", fails=False)
    failed, warned = await story("failed", fails=True)
    assert failed == sound
    assert quiet == []
    assert [(log["event"], log["log_level"]) for log in warned] == [("channel.withdraw-failed", "warning")]


@pytest.mark.behaviour("G39")
async def test_a_withdrawal_that_hangs_is_cut_off_and_holds_nobody(tmp_path: Path) -> None:
    shop = Shop()
    cut: list[str] = []

    class Hanging(RecordingChannel):
        async def withdraw(self, withdrawal: Withdrawal) -> None:
            try:
                await asyncio.Event().wait()
            finally:
                cut.append(withdrawal.why)

    settings = DeliverySettings(send_timeout_s=0.01, max_attempts=2)
    kit = Kit(build=lambda: shop.app(one_refund(), channel=Hanging()), path=tmp_path / "w.db", delivering=settings)
    with capture_logs() as logs:
        async with kit.running():
            session_id = await kit.start("support", "refund")
            await kit.answer("refund_card", text="yes")
            assert (await kit.session(session_id)).status == "idle"
            [pause] = (await kit.timeline(session_id)).pauses
            with pytest.raises(PauseNotPendingError):
                await kit.answer(pause, text="no")
            await kit.advance(timedelta(hours=1))
    assert shop.ran == [("4471", "80.00")]
    assert set(cut) == {"replied"}
    assert [log["event"] for log in logs if log["log_level"] == "warning"] == ["channel.withdraw-failed"]


@pytest.mark.behaviour("G39")
@pytest.mark.parametrize("asks", ["an approval", "an answer"])
@pytest.mark.parametrize(("channel_s", "tool_s"), [(60.0, 0.05), (0.05, 60.0)])
async def test_a_withdrawal_has_the_shorter_of_the_tools_time_and_the_channels(
    tmp_path: Path, asks: str, channel_s: float, tool_s: float
) -> None:
    class Hanging(RecordingChannel):
        async def withdraw(self, withdrawal: Withdrawal) -> None:
            await asyncio.Event().wait()

    channel = Hanging()
    approval = ApprovalRole(name="approval", answered_by=Answerer.CHANNEL)
    question = QuestionRole(name="question", answer=bool, answered_by=Answerer.CHANNEL)

    def app() -> App:
        limit = timedelta(seconds=tool_s)
        approved = tool(asks=approval, timeout=limit)
        answered = tool(answer=question, timeout=limit)

        async def act() -> str:
            """Act."""
            return "acted"

        made = approved(act) if asks == "an approval" else answered(act)
        model = ScriptedModel.by_turn([calls("act", {}), says("Done.")])
        role = approval if asks == "an approval" else question
        return App(name="a", agents=[Agent(name="bot", tools=[made], model=model)], channels={role: channel})

    settings = DeliverySettings(send_timeout_s=channel_s, max_attempts=1)
    with capture_logs() as logs:
        async with Kit(build=app, path=tmp_path / "w.db", delivering=settings).running() as kit:
            session_id = await kit.start("bot", "go")
            await kit.restart()
            await kit.answer("act", decision=YES if asks == "an approval" else True)
            assert await kit.outcome(session_id) == {"result": {"reply": "Done."}}
    assert [log["event"] for log in logs if log["log_level"] == "warning"] == ["channel.withdraw-failed"]
