"""The model client against a real server on loopback: what is tried again, after how long, and what is final."""

from __future__ import annotations

import asyncio
import logging
import time
import traceback
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from httpx2 import Headers

from overwinter.actors.errors import ModelUnavailableError
from overwinter.actors.messages import Message, ModelReply, ModelRequest
from overwinter.bots.errors import ModelRejectedError
from overwinter.bots.openai_model import OpenAIModel, retry_after_s

from ..fakes.openai_server import Act, Answer, HangUp, OpenAIServer, Silence, error, said
from ..fakes.watched_clock import WatchedClock

KEY = "sk-very-secret-0123456789"
TIMEOUT_MS = 7_000
HELLO = ModelRequest(messages=(Message(role="user", content="Hello?"),))
NOW_MS = 1_767_225_600_000
"""The clock's time when a test begins: 1 January 2026, 00:00 UTC."""


@dataclass(kw_only=True)
class Stage:
    """A model, its server and its clock. Backoff is 1 s, 2 s, 4 s, 8 s here: the jitter takes nothing off."""

    model: OpenAIModel
    server: OpenAIServer
    clock: WatchedClock
    waits_ms: list[int] = field(default_factory=list[int])

    async def reply(self, request: ModelRequest = HELLO) -> ModelReply:
        """The model's reply, with the clock moved on over each wait between attempts, which is noted."""
        asking = asyncio.create_task(self.model.reply(request))
        while True:
            sleeping = asyncio.create_task(self.clock.wait_for_sleep())
            await asyncio.wait((asking, sleeping), return_when=asyncio.FIRST_COMPLETED)
            if not sleeping.done():
                sleeping.cancel()
                return await asking
            # An attempt's own time-out is a sleep too; it is left to run.
            if (wait_ms := sleeping.result()) != TIMEOUT_MS:
                self.waits_ms.append(wait_ms)
                await self.clock.advance(ms=wait_ms)


@asynccontextmanager
async def stage(
    *acts: Act, random: float = 0.0, base_url: str | None = None, api_key: str | None = KEY, max_attempts: int = 3
) -> AsyncGenerator[Stage]:
    clock = WatchedClock()
    async with OpenAIServer(*acts) as server:
        model = OpenAIModel(
            base_url=base_url or server.base_url,
            api_key=api_key,
            model="fake-1",
            clock=clock,
            random=lambda: random,
            timeout_s=TIMEOUT_MS / 1000,
            max_attempts=max_attempts,
            backoff_base_s=1.0,
            backoff_cap_s=8.0,
        )
        try:
            yield Stage(model=model, server=server, clock=clock)
        finally:
            await model.close()


async def test_request_goes_out_with_the_key_and_the_reply_comes_back() -> None:
    async with stage(said("Hello.")) as on:
        reply = await on.reply()

        assert reply == ModelReply(content="Hello.", finish_reason="stop", input_tokens=11, output_tokens=7)
        [received] = on.server.received
        assert received.path == "/v1/chat/completions"
        assert received.headers["Authorization"] == f"Bearer {KEY}"
        assert received.body == {"model": "fake-1", "messages": [{"role": "user", "content": "Hello?"}]}
        assert on.waits_ms == []


async def test_too_many_requests_are_tried_again_after_the_time_asked_for() -> None:
    async with stage(error(429, "slow down", headers={"Retry-After": "20"}), said("Hello.")) as on:
        reply = await on.reply()

        assert reply.content == "Hello."
        assert on.waits_ms == [21_000]
        assert len(on.server.received) == 2


async def test_vendor_that_asks_for_a_very_long_wait_is_unavailable_at_once() -> None:
    async with stage(error(429, "slow down", headers={"Retry-After": "3600"}), said("Hello.")) as on:
        with pytest.raises(ModelUnavailableError, match="asks to wait 3600 s"):
            await on.reply()

        assert on.waits_ms == []
        assert len(on.server.received) == 1


async def test_used_up_quota_is_not_tried_again() -> None:
    async with stage(error(429, "You exceeded your quota", code="insufficient_quota"), said("Hello.")) as on:
        with pytest.raises(ModelUnavailableError, match="quota is used up: raise it"):
            await on.reply()

        assert len(on.server.received) == 1


@pytest.mark.parametrize("status", [408, 409, 425, 500, 502, 503, 504, 529])
async def test_failure_that_may_pass_is_tried_again(status: int) -> None:
    async with stage(error(status, "later"), said("Hello.")) as on:
        assert (await on.reply()).content == "Hello."
        assert on.waits_ms == [1_000]


async def test_waits_double_up_to_the_cap_and_the_last_attempt_is_the_end() -> None:
    async with stage(*[error(500, "boom")] * 6, max_attempts=6) as on:
        with pytest.raises(ModelUnavailableError) as raised:
            await on.reply()

        assert on.waits_ms == [1_000, 2_000, 4_000, 8_000, 8_000]
        assert len(on.server.received) == 6
        assert "fake-1" in str(raised.value)
        assert "in 6 attempts" in str(raised.value)
        assert "500 Internal Server Error: boom" in str(raised.value)
        assert "Check that the server is up" in str(raised.value)
        assert raised.value.__cause__ is not None


async def test_jitter_takes_up_to_half_off() -> None:
    async with stage(error(500, "boom"), said("Hello."), random=0.5) as on:
        await on.reply()

        assert on.waits_ms == [750]


async def test_silent_server_is_given_up_after_the_timeout_and_asked_again() -> None:
    async with stage(Silence(), said("Hello.")) as on:
        asking = asyncio.create_task(on.reply())
        await on.server.wait_for_requests(1)
        await on.clock.advance(ms=TIMEOUT_MS - 1)
        assert len(on.server.received) == 1
        await on.clock.advance(ms=1)

        assert (await asking).content == "Hello."
        assert on.waits_ms == [1_000]


async def test_server_that_stays_silent_is_unavailable() -> None:
    async with stage(Silence(), max_attempts=1) as on:
        asking = asyncio.create_task(on.reply())
        await on.server.wait_for_requests(1)
        await on.clock.advance(ms=TIMEOUT_MS)

        with pytest.raises(ModelUnavailableError, match="no reply within 7 s"):
            await asking


async def test_connection_cut_within_the_body_is_tried_again() -> None:
    async with stage(HangUp(), said("Hello.")) as on:
        assert (await on.reply()).content == "Hello."
        assert len(on.server.received) == 2


async def test_server_that_cannot_be_reached_is_unavailable_after_all_attempts() -> None:
    async with OpenAIServer() as gone:
        address = gone.base_url
    async with stage(base_url=address.replace("http://", "http://operator:hunter2@")) as on:
        with pytest.raises(
            ModelUnavailableError, match=r"connection failed .*3 attempts|3 attempts.*connection failed"
        ) as r:
            await on.reply()

        assert on.waits_ms == [1_000, 2_000]
        assert "hunter2" not in str(r.value)


@pytest.mark.parametrize(
    "body", [b"<html>hello</html>", b'{"choices": [', b"", b'{"error": {"message": "upstream is down"}}']
)
async def test_body_that_is_no_chat_completion_is_tried_again(body: bytes) -> None:
    async with stage(Answer(body=body), Answer(body=body, content_type="text/html"), said("Hello.")) as on:
        assert (await on.reply()).content == "Hello."
        assert on.waits_ms == [1_000, 2_000]


async def test_garbage_to_the_end_is_unavailable_and_shown_in_short() -> None:
    async with stage(Answer(body=b"<html>" + b"x" * 9_000), max_attempts=1) as on:
        with pytest.raises(ModelUnavailableError, match="the body is not JSON: <html>xxx") as raised:
            await on.reply()

        assert len(str(raised.value)) < 600


async def test_error_in_a_successful_response_counts_by_the_status_it_names() -> None:
    def wrapped(code: int) -> Answer:
        return Answer(body={"error": {"code": code, "message": "says the upstream"}})

    async with stage(wrapped(503), wrapped(400)) as on:
        with pytest.raises(ModelRejectedError, match="says the upstream"):
            await on.reply()

        assert on.waits_ms == [1_000]


@pytest.mark.parametrize(
    ("status", "remedy"),
    [
        (400, "400 Bad Request: no, because"),
        (401, "Set a valid API key"),
        (403, "may use this model"),
        (404, "Check the model's name"),
        (413, "too long"),
        (422, "no, because"),
    ],
)
async def test_refused_request_is_final_and_says_what_to_do(status: int, remedy: str) -> None:
    async with stage(error(status, "no, because"), said("Hello.")) as on:
        with pytest.raises(ModelRejectedError) as raised:
            await on.reply()

        assert remedy in str(raised.value)
        assert raised.value.code == "model.rejected"
        assert raised.value.status == status
        assert not raised.value.retryable
        assert on.waits_ms == []
        assert len(on.server.received) == 1


@pytest.mark.parametrize("status", [400, 401, 500])
async def test_key_is_in_no_error_and_no_log_even_if_the_server_repeats_it(
    status: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with stage(error(status, f"Incorrect API key provided: {KEY}"), max_attempts=1) as on:
        with pytest.raises((ModelRejectedError, ModelUnavailableError)) as raised:
            await on.reply()

        assert KEY not in "".join(traceback.format_exception(raised.value))
        assert KEY not in caplog.text
        assert KEY not in repr(on.model)


async def test_part_of_the_key_that_a_server_shows_is_not_shown_again() -> None:
    async with stage(error(401, "Incorrect API key provided: sk-very*****6789")) as on:
        with pytest.raises(ModelRejectedError) as raised:
            await on.reply()

        assert "6789" not in "".join(traceback.format_exception(raised.value))


async def test_cancelled_caller_leaves_no_task_behind() -> None:
    async with stage(Silence()) as on:
        before = asyncio.all_tasks()
        asking = asyncio.create_task(on.model.reply(HELLO))
        await on.server.wait_for_requests(1)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking

        assert not [task for task in asyncio.all_tasks() - before if "OpenAIModel" in repr(task.get_coro())]


async def test_environment_of_the_openai_client_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.setenv(name, "from-the-environment")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    async with stage(said("Hello."), api_key=None) as on:
        await on.reply()

        assert "from-the-environment" not in str(on.server.received[0].headers)


@pytest.mark.parametrize("key", ["sk-\N{EURO SIGN}", "sk-a\nb"])
async def test_key_that_no_header_can_carry_is_refused_at_once(key: str) -> None:
    with pytest.raises(ValueError, match="copy it again") as raised:
        async with stage(api_key=key):
            pass

    assert key not in str(raised.value)


async def test_key_may_end_in_the_newline_of_its_file() -> None:
    async with stage(said("Hello."), api_key=f"{KEY}\n") as on:
        await on.reply()

        assert on.server.received[0].headers["Authorization"] == f"Bearer {KEY}"


async def test_number_of_attempts_must_be_at_least_one() -> None:
    with pytest.raises(ValueError, match="max_attempts"):
        async with stage(max_attempts=0):
            pass


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "3", "retry-after-ms": "1500"}, 1.5),
        ({"retry-after": "Thu, 01 Jan 2026 00:00:30 GMT"}, 30.0),
        ({"retry-after": "Wed, 31 Dec 2025 23:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "nan"}, None),
    ],
)
def test_retry_after_is_read_as_seconds_milliseconds_or_a_date(headers: dict[str, str], wait_s: float | None) -> None:
    assert retry_after_s(Headers(headers), now_ms=NOW_MS) == wait_s


def test_date_without_a_zone_is_in_utc_wherever_we_are(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "America/New_York")
        time.tzset()
        wait_s = retry_after_s(Headers({"retry-after": "Thu, 01 Jan 2026 00:00:30 -0000"}), now_ms=NOW_MS)
    time.tzset()

    assert wait_s == 30.0
