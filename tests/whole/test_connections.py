"""Ways to a vendor: declared channels find theirs, what has to be told is told once, and a way in that fails comes back."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from overwinter.actors.answers import Received
from overwinter.actors.errors import ChannelRejectedError, ChannelUnreachableError
from overwinter.actors.notes import Note
from overwinter.actors.run import Run
from overwinter.bots.app import App
from overwinter.bots.errors import AssemblyError
from overwinter.bots.testing.connection import Declared, RecordingConnection
from overwinter.bots.testing.kit import Kit
from overwinter.bots.workflows import workflow
from overwinter.channels.roles import Answerer, QuestionRole

ROLE = QuestionRole(name="desk", answer=str, answered_by=Answerer.CHANNEL)


@workflow(version="1")
async def asking(run: Run, prompt: str) -> str:
    return await run.ask(ROLE, prompt)


def app(*channels: Declared) -> App:
    return App(name="office", workflows=[asking], channels={ROLE: channels or (Declared(name="front"),)})


def note(note_id: str = "n1", **fields: object) -> Note:
    return Note(note_id=note_id, channel="post", kind="word", body={"text": note_id}, **fields)  # pyright: ignore[reportArgumentType]


def kit_over(path: Path, *connections: RecordingConnection) -> Kit:
    return Kit(build=app, path=path, connect=lambda: connections)


class Slow(RecordingConnection):
    """Holds each note until told to go on."""

    def __init__(self) -> None:
        super().__init__()
        self.begun = 0
        self.telling = asyncio.Event()
        self.go_on = asyncio.Event()

    async def tell(self, note: Note) -> None:
        self.begun += 1
        self.telling.set()
        await self.go_on.wait()
        await super().tell(note)


async def test_a_declared_channel_is_asked_over_its_connection_and_answered_through_its_reception(
    tmp_path: Path,
) -> None:
    post = RecordingConnection()
    kit = kit_over(tmp_path / "a.db", post)
    async with kit.running():
        session_id = await kit.start("asking", "which door?")
        (ask,) = post.channels["front"].asks
        found = await post.reception.questions.find(tenant=kit.tenant, pause_id=ask.pause_id)
        assert found is not None
        assert (found.ask, found.is_open, found.refs, found.channels) == (ask, True, {"front": "ref-0"}, ("front",))
        assert await post.reception.questions.find(tenant="other", pause_id=ask.pause_id) is None
        open_now = await post.reception.questions.open_in(tenant=kit.tenant, session_id=session_id, channel="front")
        assert [each.ask.pause_id for each in open_now] == [ask.pause_id]
        assert await post.reception.questions.open_in(tenant=kit.tenant, session_id=session_id, channel="back") == ()
        await kit.answer(decision="the left one", received=Received(channel="post", external_id="e1"))
        closed = await post.reception.questions.find(tenant=kit.tenant, pause_id=ask.pause_id)
        assert closed is not None
        assert (closed.is_open, closed.summary, closed.responder) == (False, "Answered by mara", "mara")
        assert await post.reception.questions.open_in(tenant=kit.tenant, session_id=session_id) == ()
        assert await kit.outcome(session_id) == {"result": "the left one"}


@pytest.mark.parametrize(
    ("channel", "connections", "said"),
    [
        (Declared(name="front"), (), "no connection to post is configured here; give the service its table [post]"),
        (Declared(name="front", via="pigeon"), ("post",), "no connection to pigeon"),
        (Declared(name="front"), ("post", "post"), "2 connections are called post"),
    ],
)
async def test_an_app_whose_channels_lead_nowhere_is_not_put_together(
    tmp_path: Path, channel: Declared, connections: tuple[str, ...], said: str
) -> None:
    kit = Kit(
        build=lambda: app(channel),
        path=tmp_path / "a.db",
        connect=lambda: tuple(RecordingConnection(name=name) for name in connections),
    )
    with pytest.raises(AssemblyError, match="assembly") as raised:
        await kit.open()
    assert said in str(raised.value)


async def test_a_note_is_told_once_whatever_is_written_again_and_whoever_dies(tmp_path: Path) -> None:
    post = RecordingConnection()
    kit = kit_over(tmp_path / "a.db", post)
    async with kit.running():
        assert await post.reception.notes.write(note())
        await kit.settle()
        assert not await post.reception.notes.write(note())
        await kit.restart()
        await kit.settle()
        assert [each.note_id for each in post.notes] == ["n1"]


async def test_a_note_that_is_still_being_told_as_its_time_runs_out_is_not_told_beside_itself(tmp_path: Path) -> None:
    post = Slow()
    kit = kit_over(tmp_path / "a.db", post)
    async with kit.running():
        await post.reception.notes.write(note())
        await post.telling.wait()
        await kit.clock.advance(ms=61_000)  # the machine was asleep
        while (due_ms := await kit.store.notes.due_ms("post")) is None or due_ms <= kit.clock.now_ms():
            assert post.begun == 1
        post.go_on.set()
        await kit.settle()
        await kit.advance(timedelta(hours=1))
    assert post.begun == 1
    assert [each.note_id for each in post.notes] == ["n1"]


async def test_a_note_that_its_writer_did_not_live_to_tell_is_told_by_the_next(tmp_path: Path) -> None:
    post = RecordingConnection()
    kit = kit_over(tmp_path / "a.db", post)
    post.errors.append(ChannelUnreachableError("down", retry_after_s=30.0))
    async with kit.running():
        await post.reception.notes.write(note())
        await kit.settle()
        assert post.notes == []
        await kit.restart()
        await kit.advance(timedelta(seconds=29))
        assert post.notes == []
        await kit.advance(timedelta(seconds=1))
        assert [each.note_id for each in post.notes] == ["n1"]


async def test_a_note_that_is_refused_for_good_is_given_up_and_holds_nobody_up(tmp_path: Path) -> None:
    post = RecordingConnection()
    kit = kit_over(tmp_path / "a.db", post)
    async with kit.running():
        post.errors.extend((ChannelRejectedError("gone"), ValueError("a bug")))
        for position in range(4):
            await post.reception.notes.write(note(f"n{position}", lane="thread", position=position))
        await kit.settle()
        assert [each.note_id for each in post.notes] == ["n2", "n3"]
        await kit.advance(timedelta(days=1))
        assert len(post.notes) == 2


async def test_what_is_said_in_a_thread_keeps_its_order_while_the_vendor_is_away(tmp_path: Path) -> None:
    post = RecordingConnection()
    kit = kit_over(tmp_path / "a.db", post)
    async with kit.running():
        post.errors.extend(ChannelUnreachableError("down") for _ in range(3))
        for position in range(3):
            await post.reception.notes.write(note(f"n{position}", lane="thread", position=position))
        await kit.settle()
        for _ in range(10):
            await kit.advance(timedelta(minutes=5))
        assert [each.note_id for each in post.notes] == ["n0", "n1", "n2"]


async def test_a_note_may_be_written_for_later(tmp_path: Path) -> None:
    post = RecordingConnection()
    kit = kit_over(tmp_path / "a.db", post)
    async with kit.running():
        await post.reception.notes.write(note(), delay_ms=60_000)
        await kit.advance(timedelta(seconds=59))
        assert post.notes == []
        await kit.advance(timedelta(seconds=1))
        assert len(post.notes) == 1


async def test_notes_to_somebody_are_counted_over_a_span(tmp_path: Path) -> None:
    post = RecordingConnection()
    kit = kit_over(tmp_path / "a.db", post)
    async with kit.running():
        notes = post.reception.notes
        await notes.write(note("n1", addressee="mara"))
        await kit.advance(timedelta(minutes=50))
        await notes.write(note("n2", addressee="mara"))
        assert await notes.count_to("post", "mara", within_ms=3_600_000) == 2
        await kit.advance(timedelta(minutes=11))
        assert await notes.count_to("post", "mara", within_ms=3_600_000) == 1


async def test_told_notes_are_forgotten_after_the_retention(tmp_path: Path) -> None:
    post = RecordingConnection()
    kit = kit_over(tmp_path / "a.db", post)
    async with kit.running():
        await post.reception.notes.write(note(session_id="s1"))
        await kit.settle()
        await kit.advance(timedelta(hours=23))
        assert len(await kit.store.notes.of_session("s1")) == 1
        await kit.advance(timedelta(hours=3))
        assert await kit.store.notes.of_session("s1") == ()


async def test_a_way_in_that_fails_is_begun_again_and_harms_nothing_else(tmp_path: Path) -> None:
    post, other = RecordingConnection(), RecordingConnection(name="other")
    post.run_errors.extend((ConnectionError("reset"), RuntimeError("a bug")))
    kit = kit_over(tmp_path / "a.db", post, other)
    async with kit.running():
        await kit.start("asking", "which door?")
        assert (post.runs, other.runs) == (1, 1)
        await kit.advance(timedelta(seconds=5))
        assert post.runs == 2
        await kit.advance(timedelta(seconds=10))
        assert post.runs == 3
        await kit.advance(timedelta(hours=1))
        assert (post.runs, other.runs) == (3, 1)
