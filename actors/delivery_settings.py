"""How deliveries are carried, as numbers; and how long what has failed waits before it is tried again."""

from __future__ import annotations

from dataclasses import dataclass

from .errors import ChannelHeldUpError, ChannelUnreachableError

_MOST_DOUBLED = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliverySettings:
    """How deliveries are carried.

    Attributes:
        send_timeout_s: how long one call of a channel may take. A question about a tool's call is taken back within the tool's
            own time-out, where that is shorter.
        hold_s: how long a delivery stays taken; more than the time-out.
        max_attempts: after so many temporary failures it has failed for good; what people have said never has.
        backoff_base_s: wait after the first temporary failure; doubled each time.
        backoff_cap_s: longest wait between two attempts.
        concurrency: deliveries under way at once in this process.
    """

    send_timeout_s: float = 30.0
    hold_s: float = 60.0
    max_attempts: int = 20
    backoff_base_s: float = 2.0
    backoff_cap_s: float = 300.0
    concurrency: int = 256

    def next_try_in_s(self, attempts: int, error: BaseException) -> float | None:
        """How long to wait before what has failed is tried again; None if it never is.

        Args:
            attempts: how often it had failed before.
        """
        if not isinstance(error, ChannelUnreachableError | TimeoutError):
            return None
        if attempts + 1 >= self.max_attempts and not isinstance(error, ChannelHeldUpError):
            return None
        asked_s = error.retry_after_s if isinstance(error, ChannelUnreachableError) else None
        backoff_s = min(self.backoff_cap_s, self.backoff_base_s * 2 ** min(attempts, _MOST_DOUBLED))
        return max(backoff_s, asked_s or 0.0)
