"""Replies in people's own words, from the question to what the session made of them, and what reading them may cost."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import pytest
import structlog
from structlog.contextvars import merge_contextvars
from structlog.testing import capture_logs

from overwinter.actors.answers import Answered, ChannelCredential, Reply
from overwinter.actors.asks import ApprovalForm, Ask, NotUnderstood, Reading, Understood
from overwinter.actors.budgets import Budget
from overwinter.actors.errors import (
    BudgetExceededError,
    PauseNoReplyInterpreterError,
    PauseNotPendingError,
    PauseUninterpretableReplyError,
)
from overwinter.actors.messages import ModelCaller, ModelReply, ModelRequest
from overwinter.actors.ports import Model, ReplyReader
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.openai_model import OpenAIModel
from overwinter.bots.scripted_model import ScriptedModel, calls, says
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.testing.kit import Kit
from overwinter.bots.tools import tool
from overwinter.channels.interpreters.chain import Chain
from overwinter.channels.interpreters.code import CodeInterpreter
from overwinter.channels.interpreters.model import ModelInterpreter
from overwinter.channels.interpreters.probability import ProbabilityInterpreter
from overwinter.channels.interpreters.rules import RulesInterpreter
from overwinter.channels.roles import Answerer, ApprovalRole
from overwinter.store.costs import Spent
from overwinter.store.rows import PauseRow

from ..fakes.openai_server import Answer, OpenAIServer, error
from ..fakes.watched_clock import WatchedClock

READER = "reply-interpreter:payments"
UNCLEAR = {"verdict": "unclear", "evidence": ""}
APPROVES = {"approved": True, "reason": None, "override_arguments": None}


class Till:
    """Builds the app; ``paid`` outlives every restart of it, as the outside world does."""

    def __init__(self, interpreter: Callable[[], ReplyReader | None]) -> None:
        self._interpreter = interpreter
        self.paid: list[int] = []
        self.model = ScriptedModel.by_turn([calls("pay", {"amount": 80}), says("Done.")])

    def app(self) -> App:
        role = ApprovalRole(name="payments", answered_by=Answerer.CHANNEL, interpreter=self._interpreter())

        @tool(asks=role)
        async def pay(amount: int) -> str:
            """Pay."""
            self.paid.append(amount)
            return f"paid {amount}"

        agent = Agent(name="cashier", tools=[pay], model=self.model)
        return App(name="till", agents=[agent], channels={role: RecordingChannel()})

    def kit(self, tmp_path: Path) -> Kit:
        return Kit(build=self.app, path=tmp_path / "w.db")


def by_code(function: Callable[[Ask, str], Reading | Awaitable[Reading]]) -> Till:
    return Till(lambda: CodeInterpreter(function))


async def assert_untouched(kit: Kit, till: Till, question: PauseRow) -> None:
    """The question waits as it did, nobody has decided anything and nothing ran."""
    assert await kit.question("payments") == question
    timeline = await kit.timeline(question.session_id)
    assert (timeline.audit, timeline.session.status) == ((), "waiting")
    assert till.paid == []


# -- what a reader is given, and what becomes of what it says ----------------------------------------------------------


@pytest.mark.behaviour("G18")
@pytest.mark.behaviour("G24")
async def test_a_reader_gets_the_question_as_it_was_asked_in_the_frame_of_the_step_that_waits(tmp_path: Path) -> None:
    read: list[tuple[Ask, str]] = []

    async def keep(asked: Ask, reply: str) -> Reading:
        read.append((asked, reply))
        return NotUnderstood(reason="Hm.", by="code")

    till = by_code(keep)
    async with till.kit(tmp_path).running() as kit:
        session_id = await kit.start("cashier", "pay", owner="olga")
        await kit.restart()
        question = await kit.question("payments")
        with pytest.raises(PauseUninterpretableReplyError):
            await kit.answer(question, text=" Make it so! \n")
    ((asked, reply),) = read
    assert reply == " Make it so! \n"
    assert isinstance(asked.form, ApprovalForm)
    assert (asked.form.tool, asked.form.arguments, asked.role) == ("pay", {"amount": 80}, "payments")
    frame = (asked.tenant, asked.owner, asked.session_id, asked.execution_id, asked.step)
    assert frame == ("default", "olga", session_id, question.execution_id, question.key)


@pytest.mark.behaviour("G18")
async def test_what_is_read_is_what_the_tool_gets_as_typed_values_and_no_word_of_the_reply(tmp_path: Path) -> None:
    changed = {"approved": True, "reason": "less", "override_arguments": {"amount": 40}}
    till = by_code(lambda asked, reply: Understood(decision=changed, by="code", evidence=reply))
    async with till.kit(tmp_path).running() as kit:
        session_id = await kit.start("cashier", "pay")
        answered = await kit.answer("payments", text="forty is plenty")
        assert (answered.decision, answered.by) == (changed, "code")
        (entry,) = (await kit.timeline(session_id)).audit
    assert till.paid == [40]
    assert "plenty" not in (entry.decision_json or "")
    assert "plenty" not in str(till.model.requests[-1].messages)


UNREADABLE: dict[str, tuple[Any, str | None, str]] = {
    "not understood": (NotUnderstood(reason="Say it plainly.", by="code"), None, "Say it plainly."),
    "not understood, with a cause": (
        NotUnderstood(reason="Say it plainly.", by="code", cause="a fault inside"),
        "a fault inside",
        "Say it plainly.",
    ),
    "no decision": (Understood(decision="approve", by="code"), "pause.invalid-decision", "does not fit"),
    "half a decision": (Understood(decision={"approved": "yes"}, by="code"), "pause.invalid-decision", "does not fit"),
    "changes of a refused call": (
        Understood(decision={"approved": False, "override_arguments": {"amount": 1}}, by="code"),
        "pause.invalid-decision",
        "does not fit",
    ),
    "changes that the tool does not take": (
        Understood(decision={"approved": True, "override_arguments": {"amount": "much"}}, by="code"),
        "pause.invalid-decision",
        "does not fit",
    ),
    "a crash": (LookupError("no such manager"), "LookupError: no such manager", "could not be read"),
    "nothing": (None, "NoneType", "could not be read"),
    "a bare yes": (True, "bool", "could not be read"),
}


class Bare:
    """An interpreter of an author's own, around which nothing catches anything."""

    def __init__(self, reading: Any) -> None:
        self._reading = reading

    async def read(self, ask: Ask, reply: str) -> Reading:
        if reply == "clear":
            return Understood(decision=APPROVES, by="code")
        if isinstance(self._reading, Exception):
            raise self._reading
        return cast("Reading", self._reading)


@pytest.mark.behaviour("G19")
@pytest.mark.behaviour("G21")
@pytest.mark.parametrize("wrapped", [False, True], ids=["bare", "by code"])
@pytest.mark.parametrize("kind", UNREADABLE)
async def test_an_unreadable_reply_says_why_and_a_clear_one_after_it_still_counts(
    tmp_path: Path, kind: str, wrapped: bool
) -> None:
    reading, cause, says_so = UNREADABLE[kind]
    bare = Bare(reading)
    till = Till(lambda: CodeInterpreter(bare.read) if wrapped else bare)
    async with till.kit(tmp_path).running() as kit:
        await kit.start("cashier", "pay")
        question = await kit.question("payments")
        with pytest.raises(PauseUninterpretableReplyError) as raised:
            await kit.answer(question, text="mumble")
        assert raised.value.code == "pause.uninterpretable-reply"
        assert says_so in str(raised.value)
        assert (raised.value.cause is None) is (cause is None)
        assert (cause or "") in (raised.value.cause or "")
        await assert_untouched(kit, till, question)
        await kit.answer(question, text="clear")
        with pytest.raises(PauseNotPendingError):
            await kit.answer(question, text="clear")
    assert till.paid == [80]


class UnspeakableError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("not even this")


@pytest.mark.behaviour("G19")
@pytest.mark.parametrize("wrapped", [False, True], ids=["bare", "by code"])
async def test_a_crash_whose_text_crashes_is_told_all_the_same(tmp_path: Path, wrapped: bool) -> None:
    bare = Bare(UnspeakableError())
    till = Till(lambda: CodeInterpreter(bare.read) if wrapped else bare)
    async with till.kit(tmp_path).running() as kit:
        await kit.start("cashier", "pay")
        question = await kit.question("payments")
        with pytest.raises(PauseUninterpretableReplyError) as raised:
            await kit.answer(question, text="mumble")
        assert "UnspeakableError" in (raised.value.cause or "")
        await assert_untouched(kit, till, question)


@pytest.mark.behaviour("G21")
async def test_a_role_without_an_interpreter_takes_no_reply(tmp_path: Path) -> None:
    till = Till(lambda: None)
    async with till.kit(tmp_path).running() as kit:
        await kit.start("cashier", "pay")
        question = await kit.question("payments")
        with pytest.raises(PauseNoReplyInterpreterError):
            await kit.answer(question, text="yes")
        await assert_untouched(kit, till, question)


@pytest.mark.behaviour("G21")
async def test_a_question_that_closes_while_a_reply_is_read_is_not_decided_by_it(tmp_path: Path) -> None:
    begun, finish = asyncio.Event(), asyncio.Event()

    async def slowly(asked: Ask, reply: str) -> Reading:
        begun.set()
        await finish.wait()
        return Understood(decision=APPROVES, by="code")

    till = by_code(slowly)
    async with till.kit(tmp_path).running() as kit:
        session_id = await kit.start("cashier", "pay")
        question = await kit.question("payments")
        reading = asyncio.create_task(kit.answer(question, text="yes"))
        await begun.wait()
        await kit.answer(question, decision={"approved": False}, by="eve")
        finish.set()
        with pytest.raises(PauseNotPendingError, match="eve"):
            await reading
        assert [entry.responder for entry in (await kit.timeline(session_id)).audit] == ["eve"]
    assert till.paid == []


# -- on whose behalf ---------------------------------------------------------------------------------------------------


@pytest.mark.behaviour("G22")
@pytest.mark.behaviour("G24")
async def test_whatever_is_logged_while_a_reply_is_read_says_for_whom(tmp_path: Path) -> None:
    def read(asked: Ask, reply: str) -> Reading:
        structlog.get_logger("author").info("author.looked")
        if reply == "clear":
            return Understood(decision=APPROVES, by="code")
        return NotUnderstood(reason="Hm.", by="code", cause="nobody knows")

    till = by_code(read)
    async with till.kit(tmp_path).running() as kit:
        session_id = await kit.start("cashier", "pay")
        question = await kit.question("payments")
        with capture_logs(processors=[merge_contextvars]) as logs:
            with pytest.raises(PauseUninterpretableReplyError):
                await kit.answer(question, text="mumble")
            await kit.answer(question, text="clear")
    told = [entry for entry in logs if "reader" in entry]
    events = [entry["event"] for entry in told]
    assert events == ["author.looked", "reply.not-understood", "author.looked", "reply.understood"]
    frame = {
        "reader": READER,
        "tenant": "default",
        "session_id": session_id,
        "execution_id": question.execution_id,
        "step": question.key,
    }
    assert all(frame.items() <= entry.items() for entry in told)
    assert told[1]["cause"] == "nobody knows"
    assert question.pause_id not in str(logs)
    assert not any("reader" in entry for entry in logs if entry not in told)


class Reader:
    """The model of an interpreter: says what it is told to, and keeps who called."""

    def __init__(self, *script: dict[str, Any] | ModelReply) -> None:
        self._script = list(script)
        self.callers: list[ModelCaller | None] = []

    async def reply(self, request: ModelRequest) -> ModelReply:
        self.callers.append(request.caller)
        said = self._script.pop(0)
        if isinstance(said, ModelReply):
            return said
        reply = calls(request.tools[0].name, said)
        return ModelReply(tool_calls=reply.tool_calls, finish_reason="tool_calls", input_tokens=90, output_tokens=10)


def within(budget: Budget, model: Model) -> Till:
    return Till(lambda: Chain(RulesInterpreter(), ModelInterpreter("Read.", model=model, budget=budget)))


@pytest.mark.behaviour("G24")
async def test_a_model_is_asked_in_the_name_of_the_step_that_waits(tmp_path: Path) -> None:
    model = Reader(UNCLEAR)
    till = within(Budget(per="session", calls=5), model)
    async with till.kit(tmp_path).running() as kit:
        session_id = await kit.start("cashier", "pay", owner="olga")
        question = await kit.question("payments")
        with pytest.raises(PauseUninterpretableReplyError):
            await kit.answer(question, text="hm")
    (caller,) = model.callers
    assert caller == ModelCaller(
        name=READER,
        tenant="default",
        owner="olga",
        session_id=session_id,
        execution_id=question.execution_id,
        step=question.key,
    )


async def reply_in(kit: Kit, tenant: str, text: str) -> Answered:
    (question,) = await kit.store.pending_pauses(tenant=tenant, session_id=None, limit=10)
    return await kit.runtime.answering.answer(
        tenant=tenant,
        pause_id=question.pause_id,
        answer=Reply(text=text),
        credential=ChannelCredential(answered_by="mara"),
    )


@pytest.mark.behaviour("G24")
async def test_a_tenants_budget_is_its_own(tmp_path: Path) -> None:
    model = Reader(UNCLEAR, UNCLEAR)
    till = within(Budget(per="tenant", calls=1), model)
    async with till.kit(tmp_path).running() as kit:
        for tenant in ("acme", "umbrella"):
            await kit.runtime.sessions.start(program="cashier", owner="o", message="pay", tenant=tenant)
        await kit.settle()
        with pytest.raises(PauseUninterpretableReplyError):
            await reply_in(kit, "acme", "hm")
        with pytest.raises(BudgetExceededError):
            await reply_in(kit, "acme", "hm")
        with pytest.raises(PauseUninterpretableReplyError):
            await reply_in(kit, "umbrella", "hm")
        assert await kit.store.spent(budget=READER, subject="acme") == Spent(calls=1, tokens=100)
        assert await kit.store.spent(budget=READER, subject="umbrella") == Spent(calls=1, tokens=100)
    assert [caller.tenant for caller in model.callers if caller] == ["acme", "umbrella"]


# -- what it may cost --------------------------------------------------------------------------------------------------


@pytest.mark.behaviour("G22")
@pytest.mark.case("in18")
async def test_a_used_up_budget_leaves_the_question_as_it_is_and_rules_go_on_reading(tmp_path: Path) -> None:
    model = Reader(UNCLEAR)
    till = within(Budget(per="session", calls=1), model)
    async with till.kit(tmp_path).running() as kit:
        session_id = await kit.start("cashier", "pay")
        question = await kit.question("payments")
        with pytest.raises(PauseUninterpretableReplyError):
            await kit.answer(question, text="hm")
        for _ in range(2):
            with pytest.raises(BudgetExceededError) as raised:
                await kit.answer(question, text="make it so")
            assert raised.value.code == "budget.exceeded"
            assert f"{READER} is used up: 1 of 1 calls per session" in str(raised.value)
            await assert_untouched(kit, till, question)
            assert await kit.store.spent(budget=READER, subject=session_id) == Spent(calls=1, tokens=100)
            await kit.restart()
        assert len(model.callers) == 1
        answered = await kit.answer(question, text="yes")
        assert answered.by == "rules"
        assert await kit.store.spent(budget=READER, subject=session_id) == Spent(calls=1, tokens=100)
    assert till.paid == [80]


@pytest.mark.behaviour("G22")
async def test_a_budget_has_room_again_when_its_window_has_moved_on(tmp_path: Path) -> None:
    model = Reader(UNCLEAR, {"verdict": "approve", "evidence": "send the money"})
    till = within(Budget(per="app", calls=1, window=timedelta(hours=1)), model)
    async with till.kit(tmp_path).running() as kit:
        await kit.start("cashier", "pay")
        with pytest.raises(PauseUninterpretableReplyError):
            await kit.answer("payments", text="hm")
        with pytest.raises(BudgetExceededError):
            await kit.answer("payments", text="looks fine, send the money")
        await kit.advance(timedelta(hours=1))
        await kit.answer("payments", text="looks fine, send the money")
    assert till.paid == [80]


@pytest.mark.behaviour("G22")
async def test_each_try_of_a_reading_is_a_call_and_the_budget_is_looked_at_before_each(tmp_path: Path) -> None:
    cut = ModelReply(finish_reason="length", input_tokens=90, output_tokens=800)
    model = Reader(cut, UNCLEAR, cut)
    till = within(Budget(per="session", calls=3), model)
    async with till.kit(tmp_path).running() as kit:
        session_id = await kit.start("cashier", "pay")
        question = await kit.question("payments")
        with pytest.raises(PauseUninterpretableReplyError):
            await kit.answer(question, text="hm")
        assert await kit.store.spent(budget=READER, subject=session_id) == Spent(calls=2, tokens=990)
        with pytest.raises(BudgetExceededError):
            await kit.answer(question, text="hm")
        assert len(model.callers) == 3
        await assert_untouched(kit, till, question)


# -- a yes or a no by probability --------------------------------------------------------------------------------------


def chance(**probabilities: float) -> Answer:
    top = [{"token": token, "logprob": logprob, "bytes": None} for token, logprob in probabilities.items()]
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": "yes"},
        "finish_reason": "length",
        "logprobs": {"content": [{"token": "yes", "logprob": top[0]["logprob"], "top_logprobs": top}]} if top else None,
    }
    usage = {"prompt_tokens": 60, "completion_tokens": 1, "total_tokens": 61}
    return Answer(body={"id": "c", "object": "chat.completion", "choices": [choice], "usage": usage})


UNDECIDED = (
    ("send the money", error(400, "logprobs are not supported"), "model.rejected"),
    ("send the money", chance(), "no chances of tokens"),
    ("send the money", chance(yes=-0.7), "yes has 0.50"),
    ("yes", chance(no=-0.001), "a rejection where the reply approves"),
    ("send it if legal agrees", chance(yes=-0.001), "was not taken"),
)
"""What is said, what the server makes of it, and why it decides nothing."""


@pytest.mark.behaviour("G20")
async def test_a_server_that_tells_chances_decides_and_one_that_does_not_asks_again(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(OpenAIServer(*(act for _, act, _ in UNDECIDED), chance(yes=-0.001)))
        model = OpenAIModel(
            base_url=server.base_url, api_key=None, model="small-1", clock=WatchedClock(), random=lambda: 0.0
        )
        stack.push_async_callback(model.close)
        budget = Budget(per="session", calls=100)
        till = Till(lambda: ProbabilityInterpreter("A manager answered.", model=model, budget=budget))
        kit = await stack.enter_async_context(till.kit(tmp_path).running())
        session_id = await kit.start("cashier", "pay")
        question = await kit.question("payments")
        for text, _, cause in UNDECIDED:
            with pytest.raises(PauseUninterpretableReplyError) as raised:
                await kit.answer(question, text=text)
            assert cause in (raised.value.cause or "")
            await assert_untouched(kit, till, question)
        answered = await kit.answer(question, text="send the money")
        assert (answered.decision, answered.by) == (APPROVES, "model")
        assert await kit.store.spent(budget=READER, subject=session_id) == Spent(calls=6, tokens=5 * 61)
    assert till.paid == [80]
    bodies = [request.body for request in server.received]
    assert all(body["logprobs"] is True and "tools" not in body for body in bodies)
    assert session_id not in str(bodies)


# -- an agent's own calls ----------------------------------------------------------------------------------------------


def agent_within(budget: Budget, model: Model) -> App:
    @tool
    async def look(at: str) -> str:
        """Look."""
        return f"nothing at {at}"

    return App(name="a", agents=[Agent(name="scout", tools=[look], model=model, budget=budget)])


@pytest.mark.behaviour("G22")
async def test_an_agent_that_has_used_its_budget_up_ends_and_says_so(tmp_path: Path) -> None:
    model = ScriptedModel.by_turn([calls("look", {"at": "a"}), calls("look", {"at": "b"}), says("Never said.")])
    kit = Kit(build=lambda: agent_within(Budget(per="session", calls=2), model), path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("scout", "look around")
        outcome = await kit.outcome(session_id)
        assert outcome["code"] == "budget.exceeded"
        assert "agent:scout is used up: 2 of 2 calls per session" in outcome["detail"]
        assert len(model.requests) == 2
        assert await kit.store.spent(budget="agent:scout", subject=session_id) == Spent(calls=2, tokens=0)
        other = await kit.start("scout", "look around")
        assert await kit.store.spent(budget="agent:scout", subject=other) == Spent(calls=2, tokens=0)


class Hanging:
    """A model that answers none of its first calls."""

    def __init__(self, hangs: int) -> None:
        self._hangs = hangs
        self.asked = asyncio.Event()
        self.requests: list[ModelRequest] = []

    async def reply(self, request: ModelRequest) -> ModelReply:
        self.requests.append(request)
        self.asked.set()
        if len(self.requests) <= self._hangs:
            await asyncio.Event().wait()
        return ModelReply(content="Nothing there.", input_tokens=20, output_tokens=5)


@pytest.mark.behaviour("G22")
async def test_a_call_that_the_process_did_not_live_to_record_is_made_again_and_counted_once(tmp_path: Path) -> None:
    model = Hanging(hangs=1)
    kit = Kit(build=lambda: agent_within(Budget(per="app", calls=1), model), path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.runtime.sessions.start(program="scout", owner="olga", message="look", tenant="default")
        await model.asked.wait()
        assert await kit.store.spent(budget="agent:scout", subject="") == Spent(calls=1, tokens=0)
        await kit.restart()
        await kit.advance(timedelta(minutes=5))
        assert (await kit.outcome(session_id))["result"] == {"reply": "Nothing there."}
        assert await kit.store.spent(budget="agent:scout", subject="") == Spent(calls=1, tokens=25)
    first, second = (request.caller for request in model.requests)
    assert first == second
    assert first is not None
    assert (first.name, first.owner, first.session_id) == ("agent:scout", "olga", session_id)
    assert first.call_key == f"{first.execution_id}{first.step}"


@pytest.mark.behaviour("G22")
async def test_a_revival_counts_nothing_that_was_counted_before(tmp_path: Path) -> None:
    budget = Budget(per="app", calls=2)
    till = Till(RulesInterpreter)

    def build() -> App:
        app = till.app()
        (agent,) = app.agents
        limited = Agent(name=agent.name, tools=agent.tools, model=agent.model, budget=budget)
        return App(name="till", agents=[limited], channels=app.channels)

    async with Kit(build=build, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("cashier", "pay")
        for _ in range(3):
            await kit.restart()
            assert await kit.store.spent(budget="agent:cashier", subject="") == Spent(calls=1, tokens=0)
        await kit.answer("payments", text="yes")
        assert (await kit.outcome(session_id))["result"] == {"reply": "Done."}
        assert await kit.store.spent(budget="agent:cashier", subject="") == Spent(calls=2, tokens=0)
    assert till.paid == [80]
