"""What a database that is busy for a while must not do to a question, a session, or an answer."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from overwinter.actors.asks import Decided
from overwinter.actors.errors import PauseUndeliverableError
from overwinter.actors.run import Run
from overwinter.bots.app import App
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.testing.kit import Kit
from overwinter.bots.workflows import workflow
from overwinter.channels.roles import Answerer, QuestionRole
from overwinter.store.changes import Advance, Change, SettleDelivery
from overwinter.store.errors import StoreBusyError, StoreError, StoreFullError
from overwinter.store.resolutions import ResolvePause

DIRECTOR = QuestionRole(name="director", answer=str, answered_by=Answerer.CHANNEL)


class Trouble:
    """Makes the store refuse some changes."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self.refuse: Callable[[Change], StoreError | None] = lambda _: None

    def install(self) -> None:
        store: Any = self._kit.store
        write = store._write

        async def refusing(change: Change, kind: Any) -> Any:
            if (error := self.refuse(change)) is not None:
                raise error
            return await write(change, kind)

        store._write = refusing


def only(kind: type, error: type[StoreError], *, times: int) -> Callable[[Change], StoreError | None]:
    left = iter(range(times))

    def refuse(change: Change) -> StoreError | None:
        return error("not now") if isinstance(change, kind) and next(left, None) is not None else None

    return refuse


def office(path: Path, channel: RecordingChannel) -> tuple[Kit, Trouble]:
    @workflow(version="1")
    async def ask(run: Run) -> str:
        return await run.ask(DIRECTOR, "May I?")

    kit = Kit(build=lambda: App(name="w", workflows=[ask], channels={DIRECTOR: channel}), path=path / "w.db")
    return kit, Trouble(kit)


@pytest.mark.parametrize(
    ("error", "times"), [(StoreBusyError, 1), (StoreBusyError, 2), (StoreBusyError, 5), (StoreFullError, 4)]
)
async def test_a_question_that_is_out_stays_open_though_that_could_not_be_recorded(
    tmp_path: Path, error: type[StoreError], times: int
) -> None:
    channel = RecordingChannel()
    kit, trouble = office(tmp_path, channel)
    async with kit.running():
        trouble.install()
        trouble.refuse = only(SettleDelivery, error, times=times)
        session_id = await kit.start("ask", {})
        for _ in range(3):
            await kit.advance(timedelta(seconds=90))
        (pause,) = await kit.pending()
        assert pause.is_sent
        assert {ask.pause_id for ask in channel.asks} == {pause.pause_id}, "sent again, it is the same question"
        await kit.answer(decision="yes")
        assert await kit.outcome(session_id) == {"result": "yes"}
        assert len(channel.withdrawals) == 1


async def test_what_a_channel_decided_is_not_thrown_away_when_the_store_is_busy(tmp_path: Path) -> None:
    channel = RecordingChannel()
    channel.outcomes.extend(
        [Decided(decision="yes", answered_by="policy"), Decided(decision="yes", answered_by="policy")]
    )
    kit, trouble = office(tmp_path, channel)
    async with kit.running():
        trouble.install()
        trouble.refuse = only(ResolvePause, StoreBusyError, times=1)
        session_id = await kit.start("ask", {})
        await kit.advance(timedelta(seconds=90))
        assert await kit.outcome(session_id) == {"result": "yes"}


async def test_a_session_does_not_fail_for_a_store_that_was_busy_for_long(tmp_path: Path) -> None:
    kit, trouble = office(tmp_path, RecordingChannel())
    async with kit.running():
        trouble.install()
        trouble.refuse = only(Advance, StoreBusyError, times=10_000)
        session_id = await kit.start("ask", {})
        for _ in range(8):
            await kit.advance(timedelta(seconds=40))
        trouble.refuse = lambda _: None
        for _ in range(2):
            await kit.advance(timedelta(seconds=40))
        assert (await kit.session(session_id)).status == "waiting"
        await kit.answer(decision="yes")
        assert await kit.outcome(session_id) == {"result": "yes"}


@pytest.mark.parametrize("prompt", ["half a \ud800 character", "and \udfff another"])
async def test_a_question_that_cannot_be_stored_is_the_codes_to_handle(tmp_path: Path, prompt: str) -> None:
    ran: list[str] = []

    async def count() -> str:
        ran.append("x")
        return "x"

    @workflow(version="1")
    async def ask(run: Run) -> str:
        await run.step(count)
        try:
            return await run.ask(DIRECTOR, prompt)
        except PauseUndeliverableError as error:
            return error.cause_code or ""

    kit = Kit(
        build=lambda: App(name="w", workflows=[ask], channels={DIRECTOR: RecordingChannel()}), path=tmp_path / "w.db"
    )
    async with kit.running():
        session_id = await kit.start("ask", {})
        assert await kit.outcome(session_id) == {"result": "step.unserializable"}
        assert ran == ["x"]
