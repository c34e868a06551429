"""The reading of mail beside an event loop that must not wait for it.

Mails, but for small ones, are read in threads, of which few work at once. A thread shares the interpreter with the loop, so
what is called for one mail never takes long in one piece: searches are cut into pieces, and what is too large is refused
before it is looked at. A thread cannot be stopped. One that takes longer than anybody's mail does is left to itself: its mail
counts as not readable, and its slot is free again when it has ended.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TypeVar

from .reading import question_in, read_mail, unread
from .results import MailReadingResult
from .settings import MailReading

AT_ONCE = 2
"""Threads that read; more would take turns with the loop without being faster."""
PATIENCE_S = 30.0
_SMALL_BYTES = 8 * 1024
"""What is no larger is read in the loop: a few milliseconds, however hostile it is."""

T = TypeVar("T")


async def read_mail_bounded(
    raw: bytes,
    *,
    settings: MailReading,
    slots: asyncio.Semaphore,
    envelope: Sequence[str] = (),
    originals: Sequence[str] | None = None,
    patience_s: float = PATIENCE_S,
) -> MailReadingResult:
    """``read_mail`` in a thread; a mail that takes longer than ``patience_s`` is ``oversize``.

    Args:
        slots: shared by all that read in this process: ``asyncio.Semaphore(AT_ONCE)``.
    """
    if len(raw) <= _SMALL_BYTES:
        return read_mail(raw, settings=settings, envelope=envelope, originals=originals)
    result = await in_thread(
        lambda: read_mail(raw, settings=settings, envelope=envelope, originals=originals),
        slots=slots,
        patience_s=patience_s,
    )
    return unread(raw, f"reading it took more than {patience_s:g} seconds") if result is None else result


async def question_in_bounded(
    raw: bytes,
    *,
    settings: MailReading,
    slots: asyncio.Semaphore,
    envelope: Sequence[str] = (),
    patience_s: float = PATIENCE_S,
) -> str | None:
    """``question_in`` in a thread; None too if it takes longer than ``patience_s``."""
    if len(raw) <= _SMALL_BYTES:
        return question_in(raw, settings=settings, envelope=envelope)
    return await in_thread(
        lambda: question_in(raw, settings=settings, envelope=envelope), slots=slots, patience_s=patience_s
    )


async def in_thread(work: Callable[[], T], *, slots: asyncio.Semaphore, patience_s: float) -> T | None:
    """What ``work`` returns; None if it goes on for longer. Its slot is taken until it has ended, also if nobody waits."""
    await slots.acquire()
    task = asyncio.get_running_loop().run_in_executor(None, work)
    task.add_done_callback(lambda _: slots.release())
    done, _ = await asyncio.wait({task}, timeout=patience_s)
    return task.result() if done else None
