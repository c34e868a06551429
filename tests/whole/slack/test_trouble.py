"""Slack in trouble, and what people see of it."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from overwinter.actors.asks import Ask, Reading
from overwinter.actors.delivery_settings import DeliverySettings
from overwinter.actors.errors import ChannelHeldUpError, ChannelUnreachableError
from overwinter.bots.testing.kit import Kit
from overwinter.channels.slack.events import Author
from overwinter.channels.slack.heard import Heard, note_of_heard
from overwinter.channels.slack.places import Spot

from .office import Desk, office_at_work


class Endless:
    """A reader that never comes to an end, as a model that hangs."""

    async def read(self, ask: Ask, reply: str) -> Reading:
        await asyncio.Event().wait()
        raise AssertionError(f"nobody waits for {reply!r} in {ask.prompt!r}")


@pytest.mark.parametrize("method", ["users.info", "usergroups.users.list"])
async def test_a_click_by_somebody_whom_slack_cannot_be_asked_about_is_not_acknowledged_and_counts_when_repeated(
    tmp_path: Path, method: str
) -> None:
    async with office_at_work(tmp_path, leaves=True) as office:
        session_id = await office.start()
        office.slack.break_next(method, status=502)
        first = await office.clicks("mara", office.question(), "Approve")
        assert first.trouble == "this app didn't respond in time"
        assert office.desk.ran == []
        assert office.buttons(office.question())
        second = await office.clicks("mara", office.question(), "Approve")
        assert second.is_acked
        assert office.desk.ran == ["O-1 40"]
        assert await office.outcome(session_id) == {"result": {"reply": "It is done."}}


@pytest.mark.parametrize("error", ["token_revoked", "account_inactive", "missing_scope"])
async def test_words_that_come_while_slack_refuses_us_are_kept_until_it_does_not(tmp_path: Path, error: str) -> None:
    settings = DeliverySettings(max_attempts=3)
    async with office_at_work(tmp_path, delivering=settings) as office:
        await office.start()
        office.slack.retire_token(office.slack.app.bot_token, error=error)
        with capture_logs() as logs:
            said = await office.says("mara", "yes, approved", office.question())
            for _ in range(12):
                await office.advance(timedelta(minutes=5))
        assert office.desk.ran == []
        assert {log["code"] for log in logs if log["event"] == "slack.words-held-up"} == {"channel.rejected"}
        assert "Slack refused" in next(log["error"] for log in logs if log["event"] == "slack.words-held-up")
        office.slack.app.retired_tokens.clear()  # an operator has installed the app again
        await office.advance(timedelta(minutes=6))
        assert said.text == "yes, approved"
        assert office.desk.ran == ["O-1 40"]
        assert "Approved by @mara" in office.lines()[0]


async def test_words_that_cannot_be_dealt_with_say_when_to_try_again_and_are_tried_however_often(
    tmp_path: Path,
) -> None:
    settings = DeliverySettings(max_attempts=3, backoff_base_s=2.0, backoff_cap_s=300.0)
    async with office_at_work(tmp_path) as office:
        await office.start()
        thread_ts = office.question().thread_ts or ""
        spot = Spot(channel_id=office.question().channel, thread_ts=thread_ts)
        heard = Heard(
            what="wrote",
            external_id="C0REFUNDS:9.000001",
            original_id="C0REFUNDS:9.000001",
            author=Author(user_id="U0MARA"),
            team_id=None,
            spot=spot,
            at_ts="9.000001",
            text="yes",
            raw_text="yes",
        )
        note = note_of_heard(heard, name="slack", tenant="default", session_id=None)
        office.slack.limit_next("users.info", 40)
        with pytest.raises(ChannelHeldUpError) as raised:
            await office.connections[-1].tell(note)
    assert raised.value.retry_after_s == 40
    assert settings.next_try_in_s(0, raised.value) == 40
    assert settings.next_try_in_s(100_000, raised.value) == 300
    assert settings.next_try_in_s(100_000, ChannelUnreachableError("down")) is None


async def test_words_whose_reader_takes_too_long_are_asked_for_again_at_once(tmp_path: Path) -> None:
    async with office_at_work(tmp_path, Desk(reader=Endless()), read_within_s=0.05) as office:
        await office.start()
        await office.says("mara", "fine by me", office.question())
        assert office.desk.ran == []
        assert "it took too long to read the reply" in office.lines()[-1]
        await office.clicks("mara", office.question(), "Approve")
        assert office.desk.ran == ["O-1 40"]


@pytest.mark.parametrize(
    ("words", "read"),
    [
        ("Yes. And who signs the next one?", "“Yes”, which says yes, but not the rest."),
        ("no - is that the right customer?", "“no”, which says no, but not the rest."),
        ("ja, aber wer zahlt?", "“ja”, which says yes, but not the rest."),
    ],
)
async def test_words_of_which_a_part_is_understood_decide_nothing_and_say_what_was_read(
    tmp_path: Path, words: str, read: str
) -> None:
    async with office_at_work(tmp_path) as office:
        await office.start()
        await office.says("mara", words, office.question())
        assert office.desk.ran == []
        assert office.buttons(office.question())
        assert f"I understood: {read}" in office.lines()[-1]
        await office.says("mara", "yes", office.question())
        assert office.desk.ran == ["O-1 40"]


async def test_that_a_message_was_changed_is_forgotten_after_a_month(tmp_path: Path) -> None:
    async with office_at_work(tmp_path) as office:
        session_id = await office.start()
        said = await office.says("mara", "hm", office.question())
        office.slack.edits(said, "hm, hm")
        await office.settle()

        async def kept() -> list[str]:
            rows = await office.kit.store.anchors.of_session("slack", session_id)
            return [row.anchor for row in rows if row.anchor.startswith("changed:")]

        assert await kept() == [f"changed:{said.channel}:{said.ts}"]
        await office.advance(timedelta(days=29))
        assert await kept() == [f"changed:{said.channel}:{said.ts}"]
        await office.advance(timedelta(days=1, hours=2))
        async with asyncio.timeout(60):
            while await kept():
                await office.settle()


async def test_a_click_on_a_question_that_another_service_asks_is_said_to_lead_nowhere(tmp_path: Path) -> None:
    async with office_at_work(tmp_path) as office:
        await office.start()
        question = office.question()
        await office.kit.close()
        await office.connections[-1].aclose()
        other = Kit(build=Desk().app, path=tmp_path / "other.db", clock=office.clock, connect=office.connect)
        async with other.running():
            await office.slack.wait_connected()
            with capture_logs() as logs:
                clicked = office.slack.clicks("mara", question, "q:approve")
                await office.slack.wait_until(lambda: clicked.is_acked)
                await other.settle()
            assert "asked by another service" in office.lines(by="mara")[-1]
            (warning,) = [log for log in logs if log["event"] == "slack.question-unknown"]
            assert "Slack app each" in warning["remedy"]
        await office.connections[-1].aclose()
        await office.kit.open()
        await office.connected()
        await office.clicks("mara", question, "Approve")
        assert office.desk.ran == ["O-1 40"]
