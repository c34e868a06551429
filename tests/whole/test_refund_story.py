"""The main job: a bot asks, sleeps, is answered, goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from overwinter.actors.answers import ChannelCredential, Decision, OwnerCredential
from overwinter.actors.asks import ApprovalForm
from overwinter.actors.errors import (
    PauseNotPendingError,
    PauseUninterpretableReplyError,
    PauseUnknownError,
    PauseWrongAnswererError,
)
from overwinter.bots.scripted_model import ScriptedModel, calls, calls_all, says
from overwinter.bots.testing.kit import Kit
from overwinter.bots.testing.script import answer, model, play, restart, user

from .shop import Shop

REFUND = {"order_id": "4471", "amount": "80.00"}


async def test_an_approved_call_runs_once_with_what_was_approved(tmp_path: Path) -> None:
    shop = Shop()
    played = await play(
        [
            user("refund 4471"),
            model(calls("refund_card", REFUND)),
            restart(),
            answer("refund_card", "yes"),
            restart(),
            model(says("Done.")),
        ],
        build=shop.app,
        bot="support",
        path=tmp_path / "w.db",
    )
    assert played.status == "idle"
    assert played.outcome == {"result": {"reply": "Done."}}
    assert shop.ran == [("4471", "80.00")]


async def test_an_edited_call_runs_as_edited(tmp_path: Path) -> None:
    shop = Shop()
    await play(
        [
            user("refund 4471"),
            model(calls("refund_card", REFUND)),
            answer("refund_card", "ok, but only half"),
            model(says("Done.")),
        ],
        build=shop.app,
        bot="support",
        path=tmp_path / "w.db",
    )
    assert shop.ran == [("4471", "40.00")]


async def test_a_rejected_call_never_runs_and_the_model_reads_who_rejected_it(tmp_path: Path) -> None:
    shop = Shop()
    script = ScriptedModel.by_turn([calls("refund_card", REFUND), says("Sorry.")])
    async with Kit(build=lambda: shop.app(script), path=tmp_path / "w.db").running() as kit:
        await kit.start("support", "refund 4471")
        await kit.answer("refund_card", text="no, please don't approve this one", by="mara")
    assert shop.ran == []
    told = script.requests[-1].messages[-1]
    assert told.role == "tool"
    assert "Rejected by mara" in told.content


async def test_an_unclear_reply_leaves_the_question_open_and_a_clear_one_settles_it(tmp_path: Path) -> None:
    shop = Shop()
    script = ScriptedModel.by_turn([calls("refund_card", REFUND), says("Done.")])
    async with Kit(build=lambda: shop.app(script), path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("support", "refund 4471")
        before = await kit.question("refund_card")
        with pytest.raises(PauseUninterpretableReplyError):
            await kit.answer("refund_card", text="what is order 4471?")
        assert (await kit.session(session_id)).status == "waiting"
        assert (await kit.question("refund_card")).pause_id == before.pause_id
        assert shop.ran == []
        await kit.answer("refund_card", text="yes")
        assert shop.ran == [("4471", "80.00")]


async def test_a_waiting_session_is_not_in_memory(tmp_path: Path) -> None:
    shop = Shop()
    script = ScriptedModel.by_turn([calls("refund_card", REFUND), says("Done.")])
    async with Kit(build=lambda: shop.app(script), path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("support", "refund 4471")
        assert (await kit.session(session_id)).status == "waiting"
        assert kit.runtime.supervisor.active_sessions == 0
        [ask] = shop.channel.asks
        assert isinstance(ask.form, ApprovalForm)
        assert ask.form.arguments == REFUND


async def test_the_second_answer_is_refused_and_told_who_was_first(tmp_path: Path) -> None:
    shop = Shop()
    script = ScriptedModel.by_turn([calls("refund_card", REFUND), says("Done.")])
    async with Kit(build=lambda: shop.app(script), path=tmp_path / "w.db").running() as kit:
        await kit.start("support", "refund 4471")
        question = await kit.question("refund_card")
        await kit.answer(question, text="yes", by="mara")
        with pytest.raises(PauseNotPendingError, match="mara"):
            await kit.answer(question, text="no", by="tom")
    assert shop.ran == [("4471", "80.00")]


async def test_unknown_and_foreign_ids_give_the_same_error_and_wrong_credentials_decide_nothing(tmp_path: Path) -> None:
    shop = Shop()
    script = ScriptedModel.by_turn([calls("refund_card", REFUND), says("Done.")])
    async with Kit(build=lambda: shop.app(script), path=tmp_path / "w.db").running() as kit:
        await kit.start("support", "refund 4471")
        question = await kit.question("refund_card")
        answering = kit.runtime.answering
        yes = Decision(value={"approved": True})
        mara = ChannelCredential(answered_by="mara")
        texts: list[str] = []
        for tenant, pause_id in (("other", question.pause_id), ("default", "0" * 32)):
            with pytest.raises(PauseUnknownError) as caught:
                await answering.answer(tenant=tenant, pause_id=pause_id, answer=yes, credential=mara)
            texts.append(str(caught.value))
        assert texts[0] == texts[1]
        with pytest.raises(PauseWrongAnswererError):
            await answering.answer(
                tenant="default", pause_id=question.pause_id, answer=yes, credential=OwnerCredential(owner="olga")
            )
        assert (await kit.question("refund_card")).status == "pending"
    assert shop.ran == []


@pytest.mark.case("du01")
@pytest.mark.case("du02")
async def test_ten_calls_in_one_reply_answered_in_reverse_with_restarts_between(tmp_path: Path) -> None:
    shop = Shop()
    ten = calls_all(*(calls("refund_card", {"order_id": str(n), "amount": "5.00"}, call_id=f"c{n}") for n in range(10)))

    def build() -> ScriptedModel:
        return ScriptedModel.by_turn([ten, says("Done.")])

    last = build()
    kit = Kit(build=lambda: shop.app(last), path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("support", "refund all")
        questions = sorted(await kit.pending(), key=lambda pause: pause.key)
        assert len({question.pause_id for question in questions}) == 10
        for number, question in reversed(list(enumerate(questions))):
            await kit.restart()
            await kit.answer(question, text="yes" if number % 2 else "no")
        assert (await kit.session(session_id)).status == "idle"
    assert [order for order, _ in shop.ran] == ["9", "7", "5", "3", "1"]
    results = {message.call_id: message.content for message in last.requests[-1].messages if message.role == "tool"}
    assert {call_id: "refunded" in content for call_id, content in results.items()} == {
        f"c{n}": n % 2 == 1 for n in range(10)
    }
    assert [message.call_id for message in last.requests[-1].messages if message.role == "tool"] == [
        f"c{n}" for n in range(10)
    ]
