"""Calls that wait: what makes one wait, what is listed while it does, what its ledger looks like, what ends it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import AfterValidator, BaseModel

from overwinter.actors.asks import AskedCall, call_of, form_from_json
from overwinter.actors.errors import PauseInvalidDecisionError
from overwinter.actors.events import EventKind
from overwinter.actors.jsontext import from_json
from overwinter.bots.agents import Agent, fingerprint_of
from overwinter.bots.app import App
from overwinter.bots.errors import ToolDefinitionError
from overwinter.bots.scripted_model import ScriptedModel, calls, calls_all, says
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.testing.kit import Kit
from overwinter.bots.testing.script import answer, model, play, restart, user
from overwinter.bots.tools import Tool, ToolCall, tool
from overwinter.bots.toolsets.system import ask_user
from overwinter.channels.roles import Answerer, ApprovalRole, QuestionRole
from overwinter.store.rows import PauseRow

from .shop import Shop

REFUND = {"order_id": "4471", "amount": "80.00"}


class Seat(BaseModel):
    row: int
    letter: str


def app_of(tools: Sequence[Tool], script: ScriptedModel, *, yields: bool = False) -> App:
    return App(name="a", agents=[Agent(name="b", tools=tools, model=script, yields=yields)])


def call_asked(pause: PauseRow) -> AskedCall | None:
    return call_of(form_from_json(from_json(pause.ask_json)["form"]))


def results(script: ScriptedModel) -> dict[str | None, str]:
    return {message.call_id: message.content for message in script.requests[-1].messages if message.role == "tool"}


# -- what waits --------------------------------------------------------------------------------------------------------
@pytest.mark.behaviour("A1")
def test_a_tool_with_neither_a_body_nor_an_answer_is_refused_where_it_is_defined() -> None:
    async def nothing(action: str) -> str: ...  # type: ignore[empty-body]

    async def only_said(action: str) -> str:  # type: ignore[empty-body]
        """Do it."""

    for function in (nothing, only_said):
        with pytest.raises(ToolDefinitionError, match="no body and waits for no answer"):
            tool(function)
    assert tool(answer=str)(nothing).question is not None


@pytest.mark.behaviour("A1")
@pytest.mark.parametrize(
    ("shape", "given", "read"),
    [
        (str, "on the left", "on the left"),
        (Seat, {"row": 3, "letter": "a"}, '{"row":3,"letter":"a"}'),
        (bool, False, "false"),
    ],
)
async def test_the_answer_is_the_result_of_a_tool_without_a_body(
    tmp_path: Path, shape: type[Any], given: Any, read: str
) -> None:
    @tool(answer=shape)
    async def choose(what: str) -> Any: ...

    script = ScriptedModel.by_turn([calls("choose", {"what": "a seat"}, call_id="c1"), says("ok")])
    async with Kit(build=lambda: app_of([choose], script), path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("b", "go")
        assert (await kit.session(session_id)).status == "waiting"
        await kit.answer("choose", decision=given)
    assert results(script) == {"c1": read}


@pytest.mark.behaviour("A3")
@pytest.mark.parametrize("arguments", ['{"nights": "many"}', '{"nights": 2', "{}", '{"nights": 2, "stars": 5}'])
@pytest.mark.parametrize("kind", ["gated", "yielding"])
async def test_a_call_with_arguments_that_do_not_fit_asks_nobody(tmp_path: Path, kind: str, arguments: str) -> None:
    ran: list[int] = []
    gate = ApprovalRole(name="gate", answered_by=Answerer.CHANNEL)
    place = QuestionRole(name="place", answer=str, answered_by=Answerer.CHANNEL)

    async def book(nights: int) -> str:
        """Book."""
        ran.append(nights)
        return "booked"

    made = tool(asks=gate)(book) if kind == "gated" else tool(answer=place)(book)
    script = ScriptedModel.by_turn([calls("book", arguments, call_id="c1"), says("ok")])
    channel = RecordingChannel()
    agent = Agent(name="b", tools=[made], model=script)
    app = App(name="a", agents=[agent], channels={gate: channel, place: channel})
    async with Kit(build=lambda: app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("b", "go")
        assert (await kit.session(session_id)).status == "idle"
        assert (await kit.timeline(session_id)).pauses == ()
    assert (ran, channel.asks) == ([], [])
    told = script.requests[-1].messages[-1]
    assert (told.role, told.call_id) == ("tool", "c1")
    assert "nights" in told.content or "JSON" in told.content or "stars" in told.content


@pytest.mark.behaviour("G49")
async def test_a_body_is_not_called_with_what_does_not_fit_and_the_text_names_the_place(tmp_path: Path) -> None:
    seats: list[Seat] = []

    @tool
    async def reserve(seats_wanted: list[Seat]) -> str:
        """Reserve."""
        seats.extend(seats_wanted)
        return "reserved"

    wrong = {"seats_wanted": [{"row": 1, "letter": "a"}, {"row": "last", "letter": "b"}]}
    script = ScriptedModel.by_turn([calls("reserve", wrong, call_id="c1"), says("ok")])
    async with Kit(build=lambda: app_of([reserve], script), path=tmp_path / "w.db").running() as kit:
        await kit.start("b", "go")
    assert seats == []
    assert "seats_wanted[1].row" in results(script)["c1"]


@pytest.mark.behaviour("G49")
async def test_a_body_is_cancelled_when_its_time_is_over(tmp_path: Path) -> None:
    ended: list[str] = []

    @tool(timeout=timedelta(milliseconds=10))
    async def slow() -> str:
        """Take for ever."""
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("cancelled")
        return "never"

    script = ScriptedModel.by_turn([calls("slow", call_id="c1"), says("ok")])
    async with Kit(build=lambda: app_of([slow], script), path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("b", "go")
        assert (await kit.session(session_id)).status == "idle"
    assert ended == ["cancelled"]
    assert "longer than it may" in results(script)["c1"]


# -- what is listed ----------------------------------------------------------------------------------------------------
@pytest.mark.behaviour("A4")
@pytest.mark.behaviour("P37")
async def test_each_waiting_call_is_listed_by_its_id_with_its_arguments_as_prepared(tmp_path: Path) -> None:
    @tool(answer=str)
    async def book(call: ToolCall[str], hotel: str, nights: int = 9) -> str:
        """Book a hotel."""
        return f"{hotel}, {nights}: {call.answer}"

    @book.prepare
    async def _(call: ToolCall[Any], hotel: str, nights: int) -> dict[str, Any]:  # pyright: ignore[reportUnusedFunction]
        return {"nights": min(nights, 3)}

    gate = ApprovalRole(name="gate", answered_by=Answerer.CHANNEL)

    @tool(asks=gate)
    async def pay(amount: int) -> str:
        """Pay."""
        return f"paid {amount}"

    all_three = calls_all(
        calls("book", {"hotel": "Ritz"}, call_id="c1"),
        calls("book", {"hotel": "Adlon", "nights": 2}, call_id="c2"),
        calls("pay", {"amount": 5}, call_id="c3"),
    )
    script = ScriptedModel.by_turn([all_three, says("ok")])
    agent = Agent(name="b", tools=[book, pay], model=script)
    kit = Kit(build=lambda: App(name="a", agents=[agent], channels={gate: RecordingChannel()}), path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("b", "go")
        await kit.restart()
        assert (await kit.session(session_id)).status == "waiting"

        async def listed() -> dict[str, tuple[str, Any]]:
            asked = [call_asked(pause) for pause in await kit.pending(session_id)]
            return {call.call_id: (call.tool, call.arguments) for call in asked if call is not None}

        assert await listed() == {
            "c1": ("book", {"hotel": "Ritz", "nights": 3}),
            "c2": ("book", {"hotel": "Adlon", "nights": 2}),
            "c3": ("pay", {"amount": 5}),
        }
        await kit.answer(await kit.question("pay"), decision={"approved": False})
        assert (await listed()).keys() == {"c1", "c2"}
        await kit.answer(await kit.question(key="/gather#0[0]/answer#0"), decision="with breakfast")
        await kit.answer(await kit.question(key="/gather#0[1]/answer#0"), decision="without")
        assert (await kit.session(session_id)).status == "idle"
    assert results(script) == {
        "c1": "Ritz, 3: with breakfast",
        "c2": "Adlon, 2: without",
        "c3": "Rejected by mara: no reason given. The call did not run.",
    }


# -- the ledger --------------------------------------------------------------------------------------------------------
@pytest.mark.behaviour("A6")
@pytest.mark.behaviour("P5")
async def test_the_ledger_of_a_sleeping_session_ends_with_its_wait_and_is_only_appended_to(tmp_path: Path) -> None:
    shop = Shop()
    script = ScriptedModel.by_turn([calls("refund_card", REFUND), says("Done.")])
    kit = Kit(build=lambda: shop.app(script), path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("support", "refund 4471")
        asleep = (await kit.timeline(session_id)).events
        kinds = [event.kind for event in asleep]
        assert kinds[-1] == EventKind.PAUSE_OPENED
        assert EventKind.EXECUTION_ENDED not in kinds
        await kit.restart()
        assert (await kit.timeline(session_id)).events == asleep
        await kit.answer("refund_card", text="yes")
        timeline = await kit.timeline(session_id)
    assert timeline.events[: len(asleep)] == asleep
    assert [event.seq for event in timeline.events] == list(range(len(timeline.events)))
    after = timeline.events[len(asleep) :]
    assert {event.execution_id for event in after} == {asleep[-1].execution_id}
    assert len(timeline.executions) == 1
    assert [event.kind for event in after] == [
        EventKind.PAUSE_TAKEN,
        EventKind.TOOL_REPLIED,
        EventKind.MODEL_REPLIED,
        EventKind.EXECUTION_ENDED,
    ]


@pytest.mark.behaviour("A9")
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0)])
async def test_the_model_is_asked_again_only_when_every_call_has_its_result(
    tmp_path: Path, order: tuple[int, ...]
) -> None:
    shop = Shop()
    three = calls_all(
        *(calls("refund_card", {"order_id": f"o{n}", "amount": "5.00"}, call_id=f"c{n}") for n in range(3))
    )
    script = ScriptedModel.by_turn([three, says("Done.")])
    kit = Kit(build=lambda: shop.app(script), path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("support", "refund all")
        questions = sorted(await kit.pending(), key=lambda pause: pause.key)
        for count, index in enumerate(order):
            assert (await kit.session(session_id)).status == "waiting"
            assert len(script.requests) == 1
            assert len(shop.ran) == count
            await kit.restart()
            await kit.answer(questions[index], text="yes")
        assert (await kit.session(session_id)).status == "idle"
    assert len(script.requests) == 2
    assert [order_id for order_id, _ in shop.ran] == [f"o{index}" for index in order]


@pytest.mark.behaviour("A12")
async def test_a_month_between_two_messages_leaves_the_same_rows_as_a_second(tmp_path: Path) -> None:
    async def talk(name: str, idle: timedelta) -> tuple[list[tuple[str, str, str]], set[str]]:
        script = ScriptedModel.by_turn([says("Hello."), says("Hello again."), says("Bye.")])
        kit = Kit(build=lambda: app_of([], script, yields=True), path=tmp_path / f"{name}.db")
        async with kit.running():
            session_id = await kit.start("b", "hi")
            for text in ("still there?", "bye"):
                assert (await kit.session(session_id)).status == "waiting"
                await kit.advance(idle)
                await kit.restart()
                await kit.say(session_id, text)
            timeline = await kit.timeline(session_id)
            statuses = {execution.status for execution in timeline.executions}
            assert len(timeline.executions) == 1
            return [(event.kind, event.key, event.body_json) for event in timeline.events], statuses

    month, second = await talk("month", timedelta(days=30)), await talk("second", timedelta(seconds=1))
    assert month == second
    assert month[1] == {"running"}


# -- answers that do not fit -------------------------------------------------------------------------------------------
def shouted(text: str) -> str:
    if text != text.upper():
        raise ValueError("say it in capitals")
    return text


LOUD: Any = Annotated[str, AfterValidator(shouted)]
"""Has more to say of a value than its JSON Schema."""


@pytest.mark.behaviour("A7")
@pytest.mark.parametrize(
    ("shape", "wrong", "fault", "right"),
    [
        (int, "many", "integer", 7),
        (Seat, {"row": 3}, "letter", {"row": 3, "letter": "a"}),
        (LOUD, "quietly", "capitals", "LOUDLY"),
    ],
)
@pytest.mark.behaviour("P38")
async def test_an_answer_that_does_not_fit_is_refused_before_it_is_recorded(
    tmp_path: Path, shape: Any, wrong: Any, fault: str, right: Any
) -> None:
    ran: list[Any] = []

    async def take(call: ToolCall[Any]) -> str:
        """Take it."""
        ran.append(call.answer)
        return "taken"

    script = ScriptedModel.by_turn([calls("take", call_id="c1"), says("ok")])
    take_tool = tool(answer=QuestionRole(name="shape", answer=shape, answered_by=Answerer.OWNER))(take)
    async with Kit(build=lambda: app_of([take_tool], script), path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("b", "go")
        question = await kit.question("take")
        with pytest.raises(PauseInvalidDecisionError, match=fault):
            await kit.answer("take", decision=wrong)
        assert await kit.question("take") == question
        assert (await kit.session(session_id)).status == "waiting"
        assert ran == []
        await kit.answer("take", decision=right)
    assert len(ran) == 1
    assert results(script) == {"c1": "taken"}


@pytest.mark.behaviour("A7")
@pytest.mark.parametrize(
    ("role", "wrong", "fault"),
    [
        (QuestionRole(name="n", answer=int, answered_by=Answerer.OWNER), "many", "integer"),
        (QuestionRole(name="c", answer=str, choices=("red", "blue"), answered_by=Answerer.OWNER), "green", "'blue'"),
        (QuestionRole(name="s", answer=LOUD, answered_by=Answerer.OWNER), "quietly", "capitals"),
    ],
)
async def test_a_tool_may_have_the_model_told_of_an_answer_that_does_not_fit(
    tmp_path: Path, role: QuestionRole[Any], wrong: Any, fault: str
) -> None:
    ran: list[Any] = []
    script = ScriptedModel.by_turn([calls("take", call_id="c1"), says("ok")])

    def build() -> App:
        @tool(answer=role, on_invalid_answer="tell_model")
        async def take(call: ToolCall[Any]) -> str:
            """Take it."""
            ran.append(call.answer)
            return "taken"

        return app_of([take], script)

    kit = Kit(build=build, path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("b", "go")
        await kit.restart()
        await kit.answer("take", decision=wrong)
        assert (await kit.session(session_id)).status == "idle"
        (entry,) = (await kit.timeline(session_id)).audit
        assert entry.responder == "olga"
    assert ran == []
    text = results(script)["c1"]
    assert text.startswith("Invalid input: ")
    assert fault in text


@pytest.mark.behaviour("A7")
async def test_a_fitting_answer_to_such_a_tool_is_its_answer(tmp_path: Path) -> None:
    @tool(answer=int, on_invalid_answer="tell_model")
    async def number() -> int: ...  # type: ignore[empty-body]

    script = ScriptedModel.by_turn([calls("number", call_id="c1"), says("ok")])
    async with Kit(build=lambda: app_of([number], script), path=tmp_path / "w.db").running() as kit:
        await kit.start("b", "go")
        await kit.answer("number", decision=7)
    assert results(script) == {"c1": "7"}


def test_only_a_tool_that_waits_for_an_answer_can_be_told_of_an_invalid_one() -> None:
    async def pay(to: str) -> str:
        """Pay."""
        return to

    with pytest.raises(ToolDefinitionError, match="none can be invalid"):
        tool(on_invalid_answer="tell_model")(pay)


def test_what_becomes_of_an_invalid_answer_is_structure_and_leaves_other_tools_as_they_were() -> None:
    async def number() -> int: ...  # type: ignore[empty-body]

    plain = Agent(name="b", tools=[tool(answer=int)(number)])
    same = Agent(name="b", tools=[tool(answer=int, on_invalid_answer="refuse")(number)])
    other = Agent(name="b", tools=[tool(answer=int, on_invalid_answer="tell_model")(number)])
    assert fingerprint_of(plain) == fingerprint_of(same)
    assert fingerprint_of(plain) != fingerprint_of(other)


# -- the test kit ------------------------------------------------------------------------------------------------------
@pytest.mark.behaviour("A22")
async def test_a_script_finds_answers_by_their_tool_and_tells_what_the_calls_came_to(tmp_path: Path) -> None:
    shop = Shop()
    both = calls_all(
        calls("ask_user", {"prompt": "Which order?"}, call_id="c1"), calls("refund_card", REFUND, call_id="c2")
    )
    played = await play(
        [
            user("refund me"),
            model(both),
            answer("refund_card", "no, not this one", by="tom"),
            restart(),
            answer("ask_user", "4471"),
            model(says("I am sorry.")),
            user("why?"),
            model(says("Tom said no.")),
        ],
        build=lambda script: shop.app(script, tools=[ask_user]),
        bot="support",
        path=tmp_path / "w.db",
        surface="workspace",
    )
    assert (played.status, played.outcome) == ("idle", {"result": {"reply": "Tom said no."}})
    assert played.tool_results.keys() == {"c1", "c2"}
    assert played.tool_results["c1"] == "4471"
    assert "Rejected by tom" in played.tool_results["c2"]
    assert shop.ran == []
