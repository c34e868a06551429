"""Code that asks others now, while a question of before is open or answered: one person's answer never stands for another's."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field

from overwinter.actors.answers import ChannelCredential, Decision, OwnerCredential
from overwinter.actors.errors import PauseCancelledError, SessionQuestionChangedError
from overwinter.actors.joins import First
from overwinter.actors.jsontext import from_json
from overwinter.actors.run import Run
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.scripted_model import ScriptedModel, calls, says
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.testing.kit import Kit
from overwinter.bots.tools import tool
from overwinter.bots.workflows import workflow
from overwinter.channels.roles import Answerer, ApprovalRole, QuestionRole

BOSS = QuestionRole(name="boss", answer=str, answered_by=Answerer.CHANNEL)
LEGAL = QuestionRole(name="legal", answer=str, answered_by=Answerer.CHANNEL)
NOTARY = QuestionRole(name="notary", answer=str, answered_by=Answerer.CHANNEL)


def boss(answer: Any, *, choices: tuple[str, ...] = ()) -> QuestionRole[Any]:
    """The role, asked for something else."""
    return QuestionRole(name="boss", answer=answer, choices=choices, answered_by=Answerer.CHANNEL)


class Contracts:
    """A workflow whose code is changed under one version.

    Attributes:
        asks: who is asked first; then the notary is.
        rescues: the code goes on without an answer where its first question is cancelled.
    """

    def __init__(self, path: Path, *, asks: QuestionRole[Any] = BOSS) -> None:
        self.asks: QuestionRole[Any] = asks
        self.rescues = False
        self.signed: list[Any] = []
        self.kit = Kit(build=self.app, path=path / "w.db")

    def app(self) -> App:
        @workflow(version="1")
        async def contract(run: Run) -> str:
            answer: Any = None
            try:
                answer = await run.ask(self.asks, "May I?")
            except PauseCancelledError:
                if not self.rescues:
                    raise
            more = await run.ask(NOTARY, "Sure?")
            self.signed.append((answer, more))
            return "signed"

        roles = {role.name: role for role in (BOSS, LEGAL, NOTARY, self.asks)}
        return App(
            name="w",
            workflows=[contract],
            channels={role: RecordingChannel(name=name) for name, role in roles.items()},
        )

    async def change(self, asks: QuestionRole[Any]) -> None:
        """Deploy code that asks so first, and let it look at what there is."""
        self.asks = asks
        await self.kit.restart()
        await self.kit.settle()

    async def answer(self, words: Any) -> None:
        (pause,) = await self.kit.pending()
        await self.kit.runtime.answering.answer(
            tenant=self.kit.tenant,
            pause_id=pause.pause_id,
            answer=Decision(value=words),
            credential=ChannelCredential(answered_by="mara"),
        )
        await self.kit.settle()

    async def stands(self, session_id: str) -> tuple[str, str]:
        """The session's status, and the code of the reason for it."""
        session = await self.kit.session(session_id)
        return session.status, (session.reason or "").partition(":")[0]


BLOCKED = ("blocked", "session.definition-changed")


# -- others are asked --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("is_answered_before", [True, False])
async def test_the_answer_of_one_role_is_not_taken_for_that_of_another(
    tmp_path: Path, is_answered_before: bool
) -> None:
    contracts = Contracts(tmp_path)
    async with contracts.kit.running():
        session_id = await contracts.kit.start("contract", {})
        if is_answered_before:
            await contracts.answer("yes")
        await contracts.change(LEGAL)
        await contracts.answer("and yes" if is_answered_before else "yes")
        reason = (await contracts.kit.session(session_id)).reason or ""
        assert contracts.signed == []
        assert await contracts.stands(session_id) == BLOCKED
        assert "boss" in reason
        assert "legal" in reason
        await contracts.change(BOSS)
        if not is_answered_before:
            await contracts.answer("and yes")
        assert contracts.signed == [("yes", "and yes")], "the code as it was goes on"


async def test_a_question_that_was_cancelled_is_not_compared_with_what_is_asked_now(tmp_path: Path) -> None:
    contracts = Contracts(tmp_path)
    async with contracts.kit.running():
        session_id = await contracts.kit.start("contract", {})
        (pause,) = await contracts.kit.pending()
        contracts.rescues = True
        contracts.asks = LEGAL
        await contracts.kit.restart()
        await contracts.kit.runtime.answering.cancel(
            tenant=contracts.kit.tenant, pause_id=pause.pause_id, by="op", reason="asked of the wrong people"
        )
        await contracts.kit.settle()
        assert (await contracts.kit.session(session_id)).status == "waiting"
        await contracts.answer("yes")
        assert contracts.signed == [(None, "yes")]


# -- another answer is asked for ---------------------------------------------------------------------------------------
class Terms(BaseModel):
    days: int
    note: str = ""


class OtherTerms(BaseModel):
    days: str
    note: str = ""


CHANGED: list[Any] = [
    pytest.param(boss(str, choices=("yes", "no")), "yes", boss(str, choices=("yes", "later", "no")), id="choices"),
    pytest.param(boss(str, choices=("yes", "no")), "no", boss(str), id="choices to words"),
    pytest.param(boss(str), "yes", boss(str, choices=("yes", "no")), id="words to choices"),
    pytest.param(boss(int), 4, boss(float), id="another type"),
    pytest.param(boss(int), 4, boss(int | None), id="one type more"),
    pytest.param(boss(Terms), {"days": 4, "note": ""}, boss(OtherTerms), id="the type of a field"),
    pytest.param(boss(dict[str, int]), {"days": 4}, boss(Terms), id="other fields"),
]


@pytest.mark.parametrize(("asked", "answer", "asks"), CHANGED)
@pytest.mark.parametrize("is_answered_before", [True, False])
async def test_an_answer_is_not_taken_for_one_to_another_form(
    tmp_path: Path, asked: QuestionRole[Any], answer: Any, asks: QuestionRole[Any], is_answered_before: bool
) -> None:
    contracts = Contracts(tmp_path, asks=asked)
    async with contracts.kit.running():
        session_id = await contracts.kit.start("contract", {})
        if is_answered_before:
            await contracts.answer(answer)
        await contracts.change(asks)
        await contracts.answer("sure" if is_answered_before else answer)
        assert await contracts.stands(session_id) == BLOCKED, "the answer was recorded all the same"
        assert contracts.signed == []
        await contracts.change(asked)
        if not is_answered_before:
            await contracts.answer("sure")
        [(signed, _)] = contracts.signed
        assert signed == (Terms(**answer) if isinstance(signed, Terms) else answer)


class Renamed(BaseModel):
    """As ``Terms``, in other words."""

    days: Annotated[int, Field(gt=0, title="Days", description="How many.")]
    note: Annotated[str, Field(max_length=80)] = "none"


@pytest.mark.parametrize(
    ("asked", "answer", "asks"),
    [
        pytest.param(boss(Terms), {"days": 4, "note": ""}, boss(Renamed), id="names, texts, limits"),
        pytest.param(boss(int | str), 4, boss(str | int), id="the order of a union"),
        pytest.param(boss(str, choices=("yes", "no")), "no", boss(str, choices=("no", "yes")), id="of choices"),
    ],
)
@pytest.mark.parametrize("is_answered_before", [True, False])
async def test_what_says_nothing_of_the_answer_may_change(
    tmp_path: Path, asked: QuestionRole[Any], answer: Any, asks: QuestionRole[Any], is_answered_before: bool
) -> None:
    contracts = Contracts(tmp_path, asks=asked)
    async with contracts.kit.running():
        await contracts.kit.start("contract", {})
        if is_answered_before:
            await contracts.answer(answer)
        await contracts.change(asks)
        if not is_answered_before:
            await contracts.answer(answer)
        await contracts.answer("sure")
        assert len(contracts.signed) == 1


@pytest.mark.parametrize("catches", [True, False])
async def test_a_recorded_answer_beyond_a_new_limit_blocks_and_is_not_the_codes_to_handle(
    tmp_path: Path, catches: bool
) -> None:
    limit = 100
    told: list[str] = []

    def app() -> App:
        amount: QuestionRole[Any] = boss(Annotated[int, Field(le=limit)])

        @workflow(version="1")
        async def spend(run: Run) -> int:
            try:
                spent = await run.ask(amount, "How much?")
            except BaseException as error:
                told.append(type(error).__name__)
                if not catches:
                    raise
                spent = 0
            await run.ask(NOTARY, "Sure?")
            return spent

        return App(
            name="w", workflows=[spend], channels={amount: RecordingChannel(), NOTARY: RecordingChannel(name="n")}
        )

    kit = Kit(build=app, path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("spend", {})
        await kit.answer("boss", decision=70)
        limit = 50
        await kit.restart()
        await kit.answer("notary", decision="yes")
        session = await kit.session(session_id)
        assert (session.status, (session.reason or "")[:26]) == ("blocked", "session.definition-changed")
        assert "70" not in (session.reason or "")
        assert set(told) <= {"GeneratorExit"}
        limit = 100
        await kit.restart()
        await kit.settle()
        assert await kit.outcome(session_id) == {"result": 70}


# -- nothing is asked any more -----------------------------------------------------------------------------------------
class Leave:
    """A workflow that asks, then sleeps for a day, then asks again: an answer is taken long before its end.

    Attributes:
        code: ``asks``; ``asks-not``: it begins with its sleep; ``fails``: it raises at once.
    """

    def __init__(self, path: Path) -> None:
        self.code = "asks"
        self.kit = Kit(build=self.app, path=path / "w.db")

    def app(self) -> App:
        @workflow(version="1")
        async def leave(run: Run) -> str:
            if self.code == "fails":
                raise KeyError("a slip")
            answer = await run.ask(BOSS, "May I?") if self.code == "asks" else "unasked"
            await run.sleep(timedelta(days=1))
            return answer

        return App(name="w", workflows=[leave], channels={BOSS: RecordingChannel()})

    async def asleep(self) -> str:
        """A session whose answer is taken; its id."""
        session_id = await self.kit.start("leave", {})
        await self.kit.answer("boss", decision="yes")
        return session_id

    async def wake(self, code: str) -> None:
        """Let a day pass under that code."""
        self.code = code
        await self.kit.restart()
        await self.kit.advance(timedelta(days=1))


@pytest.mark.parametrize("code", ["asks-not", "fails"])
async def test_code_that_ends_without_asking_for_a_recorded_answer_is_blocked(tmp_path: Path, code: str) -> None:
    leave = Leave(tmp_path)
    async with leave.kit.running() as kit:
        session_id = await leave.asleep()
        await leave.wake(code)
        session = await kit.session(session_id)
        assert (session.status, (session.reason or "").partition(":")[0]) == BLOCKED
        assert "/ask#0" in (session.reason or "")
        assert await kit.outcome(session_id) is None, "it has neither ended nor failed"
        await leave.wake("asks")
        assert await kit.outcome(session_id) == {"result": "yes"}


async def test_code_that_asks_no_more_is_accepted_as_it_is(tmp_path: Path) -> None:
    leave = Leave(tmp_path)
    async with leave.kit.running() as kit:
        session_id = await leave.asleep()
        await leave.wake("asks-not")
        (accepted,) = await kit.runtime.accepting.accept(tenant=kit.tenant, session_id=session_id, by="otto")
        assert accepted.stored == accepted.accepted
        await kit.settle()
        assert await kit.outcome(session_id) == {"result": "unasked"}
        (event,) = [each for each in (await kit.timeline(session_id)).events if each.kind == "definition_accepted"]
        assert from_json(event.body_json)["by"] == "otto"


async def test_a_child_that_asks_no_more_blocks_before_its_end_is_written(tmp_path: Path) -> None:
    asks = True

    def app() -> App:
        @workflow(version="1")
        async def child(run: Run) -> str:
            answer = await run.ask(BOSS, "May I?") if asks else "unasked"
            await run.sleep(timedelta(days=1))
            return answer

        @workflow(version="1")
        async def parent(run: Run) -> str:
            return await run.workflow(child)

        return App(name="w", workflows=[parent, child], channels={BOSS: RecordingChannel()})

    kit = Kit(build=app, path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("parent", {})
        await kit.answer("boss", decision="yes")
        asks = False
        await kit.restart()
        await kit.advance(timedelta(days=1))
        assert (await kit.session(session_id)).status == "blocked"
        assert {row.status for row in (await kit.timeline(session_id)).executions} == {"running"}
        asks = True
        await kit.restart()
        await kit.settle()
        assert await kit.outcome(session_id) == {"result": "yes"}


@pytest.mark.behaviour("G36")
async def test_what_a_decided_join_has_closed_is_not_missed(tmp_path: Path) -> None:
    steps: list[str] = []

    async def slow(run: Run) -> str:
        first = await run.ask(BOSS, "slow one?")
        return first + await run.ask(LEGAL, "slow two?")

    async def fast(run: Run) -> str:
        return await run.ask(NOTARY, "fast?")

    async def noted(what: str) -> None:
        steps.append(what)

    def app() -> App:
        @workflow(version="1")
        async def race(run: Run) -> list[str]:
            won = await run.gather(slow, fast, join=First())
            await run.step(noted, "decided")
            await run.ask(BOSS, "and now?")
            return won

        channels = {role: RecordingChannel(name=role.name) for role in (BOSS, LEGAL, NOTARY)}
        return App(name="w", workflows=[race], channels={**channels})

    kit = Kit(build=app, path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("race", {})
        for role in ("boss", "notary", "boss"):
            await kit.answer(role, decision=role)
            await kit.restart()
        await kit.settle()
        assert await kit.outcome(session_id) == {"result": ["notary"]}
        assert steps == ["decided"]


# -- accepting ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("asks", [LEGAL, boss(str, choices=("yes", "no"))], ids=["others", "another form"])
async def test_accepting_code_that_asks_otherwise_is_refused_and_says_what_to_do(
    tmp_path: Path, asks: QuestionRole[Any]
) -> None:
    contracts = Contracts(tmp_path)
    async with contracts.kit.running() as kit:
        session_id = await kit.start("contract", {})
        await contracts.answer("yes")
        await contracts.change(asks)
        await contracts.answer("sure")
        for cancels_question in (False, True):
            with pytest.raises(SessionQuestionChangedError, match=f"overwinter cancel {session_id}"):
                await kit.runtime.accepting.accept(
                    tenant=kit.tenant, session_id=session_id, by="otto", cancels_question=cancels_question
                )
        assert await contracts.stands(session_id) == BLOCKED
        assert contracts.signed == []


async def test_accepting_may_cancel_the_question_that_is_asked_otherwise_now(tmp_path: Path) -> None:
    contracts = Contracts(tmp_path)
    contracts.rescues = True
    async with contracts.kit.running() as kit:
        session_id = await kit.start("contract", {})
        await contracts.change(LEGAL)
        await kit.say(session_id, "are you there?")
        assert await contracts.stands(session_id) == BLOCKED
        accepting = kit.runtime.accepting
        with pytest.raises(SessionQuestionChangedError, match="--cancel-question"):
            await accepting.accept(tenant=kit.tenant, session_id=session_id, by="otto")
        assert await accepting.accept(tenant=kit.tenant, session_id=session_id, by="otto", cancels_question=True) == ()
        await kit.settle()
        (entry,) = (await kit.timeline(session_id)).audit
        assert (entry.resolution, entry.responder) == ("cancelled", "otto")
        await contracts.answer("sure")
        assert contracts.signed == [(None, "sure")]


# -- approvals ---------------------------------------------------------------------------------------------------------
async def test_an_owner_who_may_no_longer_approve_cannot_by_an_old_question(tmp_path: Path) -> None:
    paid: list[str] = []
    answerer = Answerer.OWNER

    def app() -> App:
        role = ApprovalRole(name="payment", answered_by=answerer)

        @tool(asks=role)
        async def pay(amount: str) -> str:
            """Pay."""
            paid.append(amount)
            return "paid"

        model = ScriptedModel.by_turn([calls("pay", {"amount": "80.00"}), says("done")])
        channels: dict[Any, Any] = {role: RecordingChannel()}
        return App(name="a", agents=[Agent(name="clerk", tools=[pay], model=model)], channels=channels)

    kit = Kit(build=app, path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("clerk", "pay me", owner="olga")
        (pause,) = await kit.pending()
        answerer = Answerer.CHANNEL
        await kit.restart()
        await kit.runtime.answering.answer(
            tenant=kit.tenant,
            pause_id=pause.pause_id,
            answer=Decision(value={"approved": True}),
            credential=OwnerCredential(owner="olga"),
        )
        await kit.settle()
        assert paid == []
        assert (await kit.session(session_id)).status == "blocked"
