"""What has become of a fire: whom it has told, what it has started, and what went wrong; kept with it as JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..store.trigger_rows import FireRow
from .jsontext import from_json, to_json


@dataclass(slots=True, kw_only=True)
class FireOutcome:
    """What has become of it so far.

    Attributes:
        skipped: subscribers that were not told, by why.
    """

    woken: int = 0
    told: int = 0
    started: str | None = None
    not_started: str | None = None
    skipped: dict[str, int] = field(default_factory=dict[str, int])

    @classmethod
    def of(cls, fire: FireRow) -> FireOutcome:
        kept: dict[str, Any] = {} if fire.outcome_json is None else from_json(fire.outcome_json)
        return cls(**kept)

    def skip(self, why: str) -> None:
        self.skipped[why] = self.skipped.get(why, 0) + 1

    def to_json(self) -> str:
        return to_json(
            {
                "woken": self.woken,
                "told": self.told,
                "started": self.started,
                "not_started": self.not_started,
                "skipped": self.skipped,
            }
        )
