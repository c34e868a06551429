"""How often Slack may be called, kept on our side, so that it seldom has to say no: https://docs.slack.dev/apis/web-api/rate-limits

A call that is too early is not held back here: whoever makes it is told when its turn is, and what waits in the database waits
there. So a thousand questions for one channel take a row each until then, and hold up nobody in other channels.
"""

from __future__ import annotations

from collections import deque

from ...store.values import value
from .limits import POSTS_AT_ONCE

_DEFAULT_CLOSED_MS = 1_000
"""For a refusal that does not say how long."""
_KEPT_MS = 60_000
"""A turn that nobody came for is given away after this."""


@value
class Pace:
    """How often something may be done.

    Attributes:
        every_ms: the time that one call takes up in the long run.
        burst: so many may be made at once after a pause.
    """

    every_ms: int
    burst: int


POSTING = Pace(every_ms=1_000, burst=POSTS_AT_ONCE)
"""Into one channel: one a second, and short bursts."""

_PACES = {
    # Tier 2, 20 a minute, and tier 3, 50 a minute: half of them at once.
    "conversations.list": Pace(every_ms=3_000, burst=10),
    "usergroups.list": Pace(every_ms=3_000, burst=10),
    "usergroups.users.list": Pace(every_ms=3_000, burst=10),
    "conversations.history": Pace(every_ms=1_200, burst=25),
    "conversations.replies": Pace(every_ms=1_200, burst=25),
    "conversations.info": Pace(every_ms=1_200, burst=25),
    "users.conversations": Pace(every_ms=1_200, burst=25),
    "users.lookupByEmail": Pace(every_ms=1_200, burst=25),
}
"""Of methods that are called in numbers and can wait. The others are called once for something that a person did."""


class Pacer:
    """Gives out turns, for one app in one workspace."""

    def __init__(self) -> None:
        self._lines: dict[str, _Line] = {}

    def wait_ms(self, method: str, place: str, *, now_ms: int) -> int:
        """Take a turn: 0 if the call may be made now, else how long until the turn that is kept for it.

        Args:
            place: the channel that is posted to; other methods are counted for all channels together.
        """
        pace = POSTING if method == "chat.postMessage" else _PACES.get(method)
        line = self._line(method, place)
        return line.wait_ms(pace, now_ms=now_ms)

    def close(self, method: str, place: str, *, now_ms: int, wait_s: float | None) -> None:
        """Slack has said no: nobody calls until it says so.

        Args:
            wait_s: how long Slack asks to wait; None if it does not say.
        """
        wait_ms = _DEFAULT_CLOSED_MS if wait_s is None else int(wait_s * 1000)
        self._line(method, place).closed_until_ms = now_ms + wait_ms

    def _line(self, method: str, place: str) -> _Line:
        return self._lines.setdefault(f"{method} {place}" if method == "chat.postMessage" else method, _Line())


class _Line:
    """Those who want to do one thing."""

    def __init__(self) -> None:
        self.closed_until_ms = 0
        self._even_ms = 0
        """When the calls made so far are paid for."""
        self._promised: deque[int] = deque()

    def wait_ms(self, pace: Pace | None, *, now_ms: int) -> int:
        if pace is None:
            return max(0, self.closed_until_ms - now_ms)
        while self._promised and self._promised[0] <= now_ms - _KEPT_MS:
            self._promised.popleft()
        if now_ms >= self.closed_until_ms:
            if self._promised and self._promised[0] <= now_ms:
                self._promised.popleft()
                self._even_ms = max(self._even_ms, now_ms) + pace.every_ms
                return 0
            is_free = self._even_ms - now_ms <= (pace.burst - 1) * pace.every_ms
            if not self._promised and is_free:
                self._even_ms = max(self._even_ms, now_ms) + pace.every_ms
                return 0
        last_ms = self._promised[-1] if self._promised else max(now_ms, self.closed_until_ms - pace.every_ms)
        turn_ms = max(last_ms + pace.every_ms, self.closed_until_ms)
        self._promised.append(turn_ms)
        return turn_ms - now_ms
