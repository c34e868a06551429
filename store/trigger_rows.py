"""The rows of triggers, and the words their state columns may hold; as ``rows``, for what the world does."""

from __future__ import annotations

from enum import StrEnum

from .values import value


class TriggerStatus(StrEnum):
    ENABLED = "enabled"
    DISABLED = "disabled"
    """An operator has switched it off; it keeps its place in time and fires nothing."""
    REMOVED = "removed"
    """Its app does not declare it any more, or an operator has taken it away; its fires are kept."""


class FireStatus(StrEnum):
    OPEN = "open"
    """Those who wait for it are being told."""
    QUEUED = "queued"
    """Told, but what it starts waits for an earlier run to end."""
    DONE = "done"


@value
class TriggerRow:
    trigger_id: str
    """Made of tenant and slug: the same trigger has the same id, in every process."""
    tenant: str
    slug: str
    kind: str
    """``cron``, ``delay``, ``webhook``, ``message`` or ``file``."""
    spec_json: str
    source: str | None
    """The app that declares it; None where an operator has added it."""
    status: str
    next_due_at_ms: int | None
    """When it fires next by the clock; None where it does not, or never again."""
    state_json: str | None
    """What it compares the world with: of a file trigger, the files as they were."""
    created_at_ms: int
    updated_at_ms: int


@value
class FireRow:
    """That a trigger has fired: once for each key."""

    fire_id: str
    trigger_id: str
    key: str
    """What it fired for: a scheduled time, the id of a delivery or of a message."""
    scheduled_at_ms: int
    fired_at_ms: int
    missed: int
    """How many scheduled times before this one were passed over."""
    payload_json: str | None
    status: str
    session_id: str | None
    """The session that it starts; set before that is there."""
    is_over: bool
    """What it has started has come to rest, or was never started."""
    outcome_json: str | None
    """Whom it has told, what it has started, and what went wrong."""
    settled_at_ms: int | None


@value
class SubscriptionRow:
    """A session that gets a message each time a trigger fires."""

    trigger_id: str
    session_id: str
    tenant: str
    created_at_ms: int
