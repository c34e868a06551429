"""How a supervisor works, as numbers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SupervisorSettings:
    """How a supervisor works.

    Attributes:
        concurrency: passes at once.
        lease_s: how long a claim lasts unless renewed; at least twice the heartbeat.
        heartbeat_s: how often leases are renewed.
        poll_s: how often the store is asked without any hint.
        sweep_s: how often what is over is deleted.
        retention_s: how long closed questions are kept.
        grace_s: how long a stop waits for running steps.
    """

    concurrency: int = 256
    lease_s: float = 30.0
    heartbeat_s: float = 10.0
    poll_s: float = 2.0
    sweep_s: float = 30.0
    retention_s: float = 24 * 3600.0
    grace_s: float = 20.0

    def __post_init__(self) -> None:
        if self.lease_s < 2 * self.heartbeat_s:
            raise ValueError(
                f"lease_s ({self.lease_s}) must be at least twice heartbeat_s ({self.heartbeat_s}), "
                "or one late heartbeat loses a living session"
            )
