"""How often each method may be called. See https://docs.slack.dev/apis/web-api/rate-limits

Counted over the last minute for each method and app, by the fake's clock; posting over the last second for each channel.
Slack allows short bursts and promises none of them, so that none are allowed here, but for one: an app may open its ten
sockets at once, which is a method of the first tier.
"""

from __future__ import annotations

import math
from collections import deque
from enum import Enum

from overwinter.actors.clock import Clock


class Tier(Enum):
    """Calls a minute. ``POSTING`` is one a second for each channel; ``SPECIAL`` is not counted."""

    ONE = 10
    TWO = 20
    THREE = 50
    FOUR = 100
    POSTING = "posting"
    SPECIAL = "special"


class Limiter:
    """Counts calls, and says how long to wait before the next."""

    def __init__(self, *, clock: Clock, is_enforced: bool) -> None:
        self._clock = clock
        self._is_enforced = is_enforced
        self._calls: dict[str, deque[int]] = {}
        self._closed_until_ms: dict[str, int] = {}

    def close(self, method: str, *, seconds: int) -> None:
        """Refuse the method until so many seconds have passed by the clock."""
        self._closed_until_ms[method] = self._clock.now_ms() + seconds * 1000

    def wait_s(self, method: str, tier: Tier, channel: str) -> int | None:
        """Whole seconds to wait, as ``Retry-After`` gives them; None if the call may be made, which counts it."""
        now_ms = self._clock.now_ms()
        left_ms = self._closed_until_ms.get(method, now_ms) - now_ms
        if left_ms > 0:
            return math.ceil(left_ms / 1000)
        if not self._is_enforced or tier is Tier.SPECIAL:
            return None
        key, most, window_ms = method, 1, 1000
        if tier is Tier.POSTING:
            key = f"{method}/{channel}"
        else:
            most, window_ms = int(tier.value), 60_000
        calls = self._calls.setdefault(key, deque())
        while calls and calls[0] <= now_ms - window_ms:
            calls.popleft()
        if len(calls) >= most:
            return math.ceil((calls[0] + window_ms - now_ms) / 1000)
        calls.append(now_ms)
        return None
