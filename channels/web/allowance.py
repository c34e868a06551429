"""How much one caller may do: so many at once, and then so many a minute."""

from __future__ import annotations

from ...actors.clock import Clock

_MOST_CALLERS = 10_000
"""Beyond them the one that was heard of longest ago is forgotten."""


class Allowance:
    """Counts what callers do.

    Args:
        at_once: how often somebody may call who has not called for long.
        per_minute: how fast that comes back.
    """

    def __init__(self, *, at_once: int, per_minute: float, clock: Clock) -> None:
        self._at_once = at_once
        self._per_second = per_minute / 60
        self._clock = clock
        self._left: dict[str, tuple[float, float]] = {}

    def take(self, caller: str) -> bool:
        """Use one of a caller's calls; False if none is left."""
        left = self._left_of(caller)
        if left < 1:
            return False
        self._keep(caller, left - 1)
        return True

    def has(self, caller: str) -> bool:
        """Whether a caller has a call left."""
        return self._left_of(caller) >= 1

    def wait_s(self, caller: str) -> int:
        """Whole seconds until the caller has a call again."""
        return max(0, int((1 - self._left_of(caller)) / self._per_second) + 1)

    def _left_of(self, caller: str) -> float:
        left, at_s = self._left.get(caller, (float(self._at_once), 0.0))
        return min(float(self._at_once), left + (self._clock.monotonic_s() - at_s) * self._per_second)

    def _keep(self, caller: str, left: float) -> None:
        self._left.pop(caller, None)
        self._left[caller] = (left, self._clock.monotonic_s())
        if len(self._left) > _MOST_CALLERS:
            del self._left[next(iter(self._left))]
