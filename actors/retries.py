"""Steps that are tried again: how often, when, and what is never tried again.

Each attempt is a step of its own in the ledger and each wait between two is a pause, so the count survives the process and a
wait of hours holds nothing. Towards the outside all attempts of a step have one idempotency key.

    @step(retry=Retry(attempts=5), timeout=timedelta(seconds=30))
    async def fetch(month: str) -> list[Expense]: ...
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, ParamSpec, TypeVar

from .step_errors import StepFailedError

P = ParamSpec("P")
T = TypeVar("T")

_SETTINGS = "__overwinter_step__"

FINAL_CODES = frozenset(
    {
        "step.unserializable",
        "step.too-large",
        "step.foreign-await",
        "step.indeterminate",
        "budget.exceeded",
        "pii.refused",
    }
)
"""Errors of ours that would be the same the next time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """When a step that fails is tried again.

    Attributes:
        attempts: how often it is tried at most, the first time included.
        backoff: how long to wait after the first failure.
        factor: by how much each further wait is longer.
        longest: no wait is longer.
        jitter: a wait is shorter by up to this part of it, by chance, so that many do not come back at once.
        not_on: errors that are not tried again, by class; a step is known by what it raised and by all that led to it.
    """

    attempts: int = 3
    backoff: timedelta = timedelta(seconds=1)
    factor: float = 2.0
    longest: timedelta = timedelta(minutes=5)
    jitter: float = 0.25
    not_on: tuple[type[BaseException], ...] = ()

    def __post_init__(self) -> None:
        if self.attempts < 1:
            raise ValueError(f"attempts must be at least 1, not {self.attempts}")
        if self.backoff < timedelta() or self.longest < timedelta() or self.factor < 1:
            raise ValueError("backoff and longest must not be negative, and factor at least 1")
        if not 0 <= self.jitter <= 1:
            raise ValueError(f"jitter is a part of the wait, from 0 to 1, not {self.jitter}")

    def wait_after(self, attempt: int, *, chance: float) -> timedelta:
        """How long to wait after an attempt, counted from 1.

        Args:
            chance: a random number in [0, 1).
        """
        longest_s = self.longest.total_seconds()
        try:
            wait_s = min(longest_s, self.backoff.total_seconds() * self.factor ** (attempt - 1))
        except OverflowError:
            wait_s = longest_s
        return timedelta(seconds=wait_s * (1 - self.jitter * chance))

    def is_final(self, error: StepFailedError) -> bool:
        """Whether the step is not tried again after this."""
        return error.cause_code in FINAL_CODES or any(map(error.is_caused_by, self.not_on))


@dataclass(frozen=True, slots=True, kw_only=True)
class StepSettings:
    """How a function is run as a step.

    Attributes:
        retry: None fails at its first failure.
        timeout: how long each attempt may run; None for as long as it takes.
        once: never started twice; if the process dies in it, or its time runs out, an operator settles what became of it.
    """

    retry: Retry | None = None
    timeout: timedelta | None = None
    once: bool = False

    def __post_init__(self) -> None:
        if self.once and self.retry is not None:
            raise ValueError("a step that is never started twice cannot be tried again: leave out once or retry")
        if self.timeout is not None and self.timeout <= timedelta():
            raise ValueError("timeout must be more than nothing")

    @property
    def of_perform(self) -> dict[str, Any]:
        """As ``Run.perform`` takes them."""
        timeout_s = None if self.timeout is None else self.timeout.total_seconds()
        return {"is_once": self.once, "timeout_s": timeout_s, "retry": self.retry}


PLAIN = StepSettings()


async def tried(
    make: Callable[..., Awaitable[T]],
    *,
    key: str,
    retry: Retry,
    chance: Callable[[], Awaitable[float]],
    wait: Callable[..., Awaitable[object]],
) -> T:
    """Await a step as often as it takes.

    Args:
        make: makes it, given its ``key``: that of the first attempt is the step's own.
        chance, wait: a random number and a wait for a ``deadline``, both recorded.
    """
    attempt = 1
    while True:
        try:
            return await make(key=key if attempt == 1 else f"{key}.{attempt}")
        except StepFailedError as error:
            if attempt >= retry.attempts or retry.is_final(error):
                raise
        await wait(deadline=retry.wait_after(attempt, chance=await chance()))
        attempt += 1


def step(
    *, retry: Retry | None = None, timeout: timedelta | None = None, once: bool = False
) -> Callable[[Callable[P, Awaitable[T]]], Callable[P, Awaitable[T]]]:
    """Say how a function is run wherever it is run as a step; called by itself it is as it was."""
    settings = StepSettings(retry=retry, timeout=timeout, once=once)

    def decorate(function: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[T]]:
        setattr(function, _SETTINGS, settings)
        return function

    return decorate


def settings_of(function: Callable[..., object]) -> StepSettings:
    return getattr(function, _SETTINGS, PLAIN)
