"""Mail is read beside the event loop: the loop goes on, few threads read at once, and none is waited for too long."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import pytest

from overwinter.channels.mail.bounded import AT_ONCE, in_thread, question_in_bounded, read_mail_bounded
from overwinter.channels.mail.results import MailClass

from .letters import SETTINGS, TOKEN, mail, read
from .test_limits import GENERATED, HOSTILE, with_attachment
from .test_messages import ROWS
from .test_messages import read as read_row

LONGEST_BLOCK_S = 0.05
TRIES = 3
"""A piece of work that blocks the loop does so every time."""
MEGABYTE = 1024 * 1024


@asynccontextmanager
async def watched_loop() -> AsyncGenerator[list[float]]:
    """How much this process worked between two rounds of its loop, each, while the block runs.

    In seconds of the processor: what other processes take of it keeps the loop waiting too, but is no matter of ours.
    """
    loop = asyncio.get_running_loop()
    gaps: list[float] = []
    last = time.process_time()

    def round_of_the_loop() -> None:
        nonlocal last, handle
        now = time.process_time()
        gaps.append(now - last)
        last = now
        handle = loop.call_later(0.001, round_of_the_loop)

    handle = loop.call_soon(round_of_the_loop)
    try:
        yield gaps
    finally:
        handle.cancel()


WORST: dict[str, Callable[[], bytes]] = {
    **{name: make for name, make in (GENERATED | HOSTILE).items() if "attachment" not in name},
    "a calendar of 20 MB": lambda: with_attachment(15 * MEGABYTE).replace(b"application/pdf", b"text/calendar; x"),
    "a signature of 20 MB": lambda: with_attachment(15 * MEGABYTE).replace(
        b"application/pdf", b"application/pkcs7-mime"
    ),
}


@pytest.mark.case("em44")
@pytest.mark.parametrize("name", WORST)
async def test_the_loop_goes_on_while_a_mail_is_read(name: str) -> None:
    raw = WORST[name]()
    slots = asyncio.Semaphore(AT_ONCE)
    worst: list[float] = []
    for _ in range(TRIES):
        async with watched_loop() as gaps:
            await read_mail_bounded(raw, settings=SETTINGS, slots=slots)
        worst.append(max(gaps))
        if worst[-1] < LONGEST_BLOCK_S:
            return
    pytest.fail(f"the loop was away for {min(worst):.3f} s and more, every time")


async def test_what_comes_of_it_is_what_reading_gives() -> None:
    slots = asyncio.Semaphore(AT_ONCE)
    result = await read_mail_bounded(mail("Approve."), settings=SETTINGS, slots=slots)
    assert (result.text, result.question_stays_open) == ("Approve.", False)
    assert await question_in_bounded(mail("Approve."), settings=SETTINGS, slots=slots) == TOKEN
    told = mail("Approve.\n> but only 5")
    result = await read_mail_bounded(told, settings=SETTINGS, slots=slots, originals=["Approve?"])
    assert result.question_stays_open


async def test_a_mail_that_takes_too_long_is_too_large() -> None:
    slots = asyncio.Semaphore(1)
    slow = HOSTILE["one word of 40,000 characters and an at sign"]()
    result = await read_mail_bounded(slow, settings=SETTINGS, slots=slots, patience_s=0.001)
    assert (result.mail_class, result.text, result.question_stays_open) == (MailClass.OVERSIZE, "", True)
    assert "took more than 0.001 seconds" in result.why[0].reason


async def test_work_that_goes_on_keeps_its_slot_until_it_has_ended() -> None:
    go_on = threading.Event()
    slots = asyncio.Semaphore(1)
    assert await in_thread(lambda: go_on.wait(30), slots=slots, patience_s=0.01) is None
    assert slots.locked()
    waiting = asyncio.create_task(in_thread(lambda: "next", slots=slots, patience_s=30))
    for _ in range(3):
        await asyncio.to_thread(lambda: None)
    assert not waiting.done()
    go_on.set()
    assert await waiting == "next"


async def test_small_and_large_mails_are_read_alike() -> None:
    slots = asyncio.Semaphore(AT_ONCE)
    for padding in ("", "> x\n" * 4_000):
        raw = mail(f"Approve.\n{padding}")
        assert await read_mail_bounded(raw, settings=SETTINGS, slots=slots) == read(raw)
        assert await question_in_bounded(raw, settings=SETTINGS, slots=slots) == TOKEN


async def test_a_reader_that_is_cancelled_keeps_no_slot() -> None:
    slots = asyncio.Semaphore(1)
    large = mail("Yes.\n" + "> x\n" * 4_000)
    reading = asyncio.create_task(read_mail_bounded(large, settings=SETTINGS, slots=slots))
    await asyncio.to_thread(lambda: None)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert (await read_mail_bounded(mail("No."), settings=SETTINGS, slots=slots)).text == "No."


@pytest.mark.heavy
def test_a_usual_answer_is_read_in_five_milliseconds() -> None:
    def best(row: dict[str, object]) -> float:
        taken: list[float] = []
        for _ in range(3):
            started = time.thread_time()
            read_row(row)
            taken.append(time.thread_time() - started)
        return min(taken)

    slowest = max((best(row), row["id"]) for row in ROWS[::4])
    assert slowest[0] < 0.005 * 2, slowest  # a machine may be half as fast
