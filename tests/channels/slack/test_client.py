"""The client: what Slack refuses becomes one of two errors, what it limits is not asked again before its time."""

from __future__ import annotations

import logging

import pytest
from structlog.testing import capture_logs

from overwinter.actors.clock import ManualClock
from overwinter.actors.errors import ChannelRejectedError, ChannelUnreachableError
from overwinter.channels.slack.client import SlackClient
from overwinter.channels.slack.elements import line, rich, words
from overwinter.channels.slack.messages import Message, message
from overwinter.channels.slack.objects import Posted, Refused
from overwinter.channels.slack.pacing import Pacer
from overwinter.channels.slack.redacting import RedactingFilter, Redactor, quiet_logger
from overwinter.channels.slack.refusals import refusal, retry_after_s, status_refusal

from ...fakes.slack_server import SlackServer


def note(text: str) -> Message:
    return message(text, blocks=(rich(line(words(text)), block_id="note"),))


async def post(client: SlackClient, text: str = "hello", *, channel: str = "#refunds") -> Posted:
    posted = await client.post(channel, note(text))
    assert isinstance(posted, Posted)
    return posted


async def test_it_says_who_it_is_and_what_it_may(client: SlackClient, slack: SlackServer) -> None:
    identity = await client.identify()
    assert (identity.us.app_id, identity.us.user_id, identity.us.bot_id) == ("A0APP", "U0BOT", "B0SELF")
    assert (identity.team_id, identity.url) == ("T0HOME", "https://home.slack.com/")
    assert identity.scopes == set(slack.app.scopes)


async def test_a_message_is_posted_edited_and_read_back(client: SlackClient, slack: SlackServer) -> None:
    root = await post(client)
    assert root.channel_id == "C0REFUNDS"
    await client.post("#refunds", note("a reply"), thread_ts=root.ts)
    assert await client.update(root.channel_id, root.ts, note("edited")) is None
    assert slack.lines("#refunds", thread_ts=root.ts) == ["overwinter: edited", "overwinter: a reply"]
    replies = await client.replies(root.channel_id, root.ts)
    assert not isinstance(replies, Refused)
    assert [reply.text("text") for reply in replies] == ["edited", "a reply"]


async def test_a_long_thread_is_read_to_its_end(client: SlackClient, slack: SlackServer) -> None:
    root = await post(client)
    for number in range(450):
        slack.says("mara", "#refunds", str(number), thread_ts=root.ts)
    replies = await client.replies(root.channel_id, root.ts)
    assert not isinstance(replies, Refused)
    texts = [reply.text("text") for reply in replies]
    assert [text for text in texts if text != "hello"] == [str(number) for number in range(450)]


async def test_one_person_alone_sees_a_whisper(client: SlackClient, slack: SlackServer) -> None:
    assert await client.whisper("C0REFUNDS", "U0MARA", note("for you")) is None
    assert slack.lines("#refunds", by="mara") == ["overwinter: for you"]
    assert slack.lines("#refunds", by="tom") == []


async def test_people_groups_and_places_are_looked_up(client: SlackClient, slack: SlackServer) -> None:
    slack.add_guest("gast")
    slack.add_stranger("eve")
    slack.add_group("finance", "mara")
    mara, guest, eve = [await client.user(user_id) for user_id in ("U0MARA", "U0GAST", "U0EVE")]
    assert mara is not None
    assert guest is not None
    assert eve is not None
    assert (mara.name, mara.team_id, mara.is_guest, mara.is_stranger) == ("mara", "T0HOME", False, False)
    assert guest.is_guest
    assert eve.is_stranger
    assert await client.user("U404") is None
    assert await client.user_of_address("mara@home.example") == mara
    assert await client.user_of_address("who@home.example") is None
    assert [(group.group_id, group.handle) for group in await client.groups()] == [("S0FINANCE", "finance")]
    assert await client.members_of_group("S0FINANCE") == {"U0MARA"}
    conversation = await client.conversation("C0REFUNDS")
    assert conversation is not None
    assert (conversation.name, conversation.is_member, conversation.is_shared) == ("refunds", True, False)
    assert await client.conversation("C404") is None
    assert [each.name async for each in client.own_conversations()] == ["refunds"]
    assert await client.members_of_channel("C0REFUNDS") == {"U0MARA", "U0TOM", "U0BOT"}


@pytest.mark.case("sl14")
@pytest.mark.parametrize(
    "error",
    [
        "message_not_found",
        "cant_update_message",
        "channel_not_found",
        "is_archived",
        "not_in_channel",
        "edit_window_closed",
        "token_revoked",
        "an_error_that_slack_adds_next_year",
    ],
)
async def test_what_slack_refuses_for_good_says_why_and_what_to_mend(
    client: SlackClient, slack: SlackServer, error: str
) -> None:
    root = await post(client)
    slack.fail_next("chat.update", error)
    with pytest.raises(ChannelRejectedError, match=f"chat.update: {error}; .*https://docs.slack.dev/") as raised:
        await client.update(root.channel_id, root.ts, note("x"))
    assert raised.value.code == "channel.rejected"


@pytest.mark.case("sl14")
@pytest.mark.parametrize("error", ["internal_error", "fatal_error", "service_unavailable", "request_timeout"])
async def test_what_passes_at_slack_may_be_tried_again(client: SlackClient, slack: SlackServer, error: str) -> None:
    slack.fail_next("chat.postMessage", error)
    with pytest.raises(ChannelUnreachableError, match=error):
        await post(client)
    await post(client)


async def test_a_refusal_that_is_expected_comes_back(client: SlackClient, slack: SlackServer) -> None:
    slack.fail_next("chat.postMessage", "thread_not_found")
    refused = await client.post("#refunds", note("x"), expecting=frozenset(("thread_not_found",)))
    assert refused == Refused(error="thread_not_found")


async def test_a_missing_scope_is_named(client: SlackClient, slack: SlackServer) -> None:
    slack.app.scopes = tuple(scope for scope in slack.app.scopes if scope != "chat:write")
    with pytest.raises(ChannelRejectedError, match=r"missing_scope; .*\(chat:write\)"):
        await post(client)


@pytest.mark.parametrize("status", [500, 502, 503, 504])
async def test_a_broken_server_may_work_later(client: SlackClient, slack: SlackServer, status: int) -> None:
    slack.break_next("chat.postMessage", status=status)
    with pytest.raises(ChannelUnreachableError, match=str(status)):
        await post(client)


@pytest.mark.parametrize("is_done", [False, True])
async def test_a_connection_that_breaks_is_not_tried_again_by_itself(
    client: SlackClient, slack: SlackServer, is_done: bool
) -> None:
    slack.cut_next("chat.postMessage", is_done=is_done)
    with pytest.raises(ChannelUnreachableError, match="could not be reached"):
        await post(client)
    assert len(slack.calls_of("chat.postMessage")) == 1
    assert len(slack.lines("#refunds")) == is_done


async def test_nobody_listening_may_pass(slack: SlackServer, clock: ManualClock) -> None:
    client = SlackClient(token="xoxb-1-secret", clock=clock, base_url="http://127.0.0.1:9/api/")
    try:
        with pytest.raises(ChannelUnreachableError) as raised:
            await post(client)
    finally:
        await client.aclose()
    assert "secret" not in str(raised.value)


@pytest.mark.case("sl20")
async def test_nobody_asks_before_the_time_that_slack_gave(
    client: SlackClient, slack: SlackServer, clock: ManualClock
) -> None:
    slack.limit_next("chat.postMessage", 30)
    with pytest.raises(ChannelUnreachableError) as raised:
        await post(client)
    assert raised.value.retry_after_s == 30
    for _ in range(2):
        with pytest.raises(ChannelUnreachableError, match="turn"):
            await post(client)
    assert len(slack.calls_of("chat.postMessage")) == 1
    await client.update(
        "C0REFUNDS", slack.says("mara", "#refunds", "x").ts, note("x"), expecting=frozenset(("cant_update_message",))
    )
    await clock.advance(ms=30_000)
    await post(client)
    assert len(slack.calls_of("chat.postMessage")) == 2


@pytest.mark.case("sl20")
@pytest.mark.parametrize(
    ("header", "wait_s"),
    [("2", 2), ("0", 0), (None, None), ("", None), ("soon", None), ("-3", None), ("1.5", None), ("9" * 8, 3600)],
)
def test_a_time_to_wait_is_whole_seconds_or_none(header: str | None, wait_s: float | None) -> None:
    assert retry_after_s(header) == wait_s
    error = status_refusal("chat.postMessage", 429, {} if header is None else {"Retry-After": header})
    assert isinstance(error, ChannelUnreachableError)
    assert error.retry_after_s == wait_s


def test_a_stranger_in_the_place_of_slack_is_final() -> None:
    assert isinstance(status_refusal("chat.postMessage", 404, {}), ChannelRejectedError)
    assert isinstance(status_refusal("chat.postMessage", 408, {}), ChannelUnreachableError)
    assert isinstance(refusal("auth.test", "invalid_auth"), ChannelRejectedError)


def test_turns_in_one_channel_come_a_second_apart_and_hold_up_no_other() -> None:
    pacer = Pacer()
    waits = [pacer.wait_ms("chat.postMessage", "C1", now_ms=0) for _ in range(12)]
    assert waits == [0] * 8 + [1_000, 2_000, 3_000, 4_000]
    assert pacer.wait_ms("chat.postMessage", "C2", now_ms=0) == 0
    assert [pacer.wait_ms("chat.postMessage", "C1", now_ms=now_ms) for now_ms in (1_000, 2_000, 3_000, 4_000)] == [
        0
    ] * 4


def test_who_comes_between_has_to_stand_in_line() -> None:
    pacer = Pacer()
    for _ in range(9):
        pacer.wait_ms("chat.postMessage", "C1", now_ms=0)
    assert pacer.wait_ms("chat.postMessage", "C1", now_ms=500) == 1_500
    assert pacer.wait_ms("chat.postMessage", "C1", now_ms=1_000) == 0


def test_a_turn_that_nobody_comes_for_is_given_away() -> None:
    pacer = Pacer()
    for _ in range(9):
        pacer.wait_ms("chat.postMessage", "C1", now_ms=0)
    assert pacer.wait_ms("chat.postMessage", "C1", now_ms=100_000) == 0
    assert [pacer.wait_ms("chat.postMessage", "C1", now_ms=100_000) for _ in range(8)] == [0] * 7 + [1_000]


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer xoxb-12-34-abcDEF",
        "xoxe.xoxp-1-Mi0yLTEyMw rotates",
        "opened with xapp-1-A0APP-12-0ff",
        "wss://wss.slack.com/link/?ticket=f00-b4r&app_id=x",
        "signed with 8f742231b10e8888abcd99yyyzzz85a5",
    ],
)
def test_no_token_is_told(text: str) -> None:
    redactor = Redactor(("8f742231b10e8888abcd99yyyzzz85a5",))
    told = redactor.text(text)
    assert "(redacted)" in told
    for secret in ("34-abc", "Mi0yL", "A0APP-12", "f00-b4r", "8f7422"):
        assert secret not in told


def test_a_record_of_the_sdk_is_told_without_tokens_and_without_its_frames() -> None:
    try:
        raise ValueError("xoxb-1-2-abcdef")
    except ValueError as error:
        info = (ValueError, error, error.__traceback__)
        record = logging.LogRecord("sdk", logging.ERROR, "f", 1, "Failed: %s", ("xoxb-1-2-abcdef",), info)
    assert RedactingFilter(Redactor(())).filter(record)
    assert logging.Formatter().format(record) == "Failed: (redacted) (ValueError)"


def test_what_the_sdk_has_to_say_goes_where_all_logs_go_and_without_tokens() -> None:
    logger = quiet_logger(Redactor(()), name="test")
    with capture_logs() as logs:
        logger.info("Received message (data: everything)")
        logger.error("Failed to connect: %s", "wss://slack.example/link/?ticket=f00")
    assert logs == [
        {
            "event": "slack.library",
            "log_level": "error",
            "said": "Failed to connect: wss://slack.example/link/?ticket=(redacted)",
        }
    ]
