"""Plugins: what others contribute to an app. So far: gates, and the kinds of action that these may put calls off as."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .policies.gates import Gate


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Plugin:
    """Contributes to an app.

    Attributes:
        action_kinds: what hosts of this plugin perform, by names that no other plugin has: ``billing.settle``.
        gates: judge each call of every agent's tools, as those of the app do. The kinds they name must be of this plugin.
    """

    name: str
    action_kinds: Sequence[str] = ()
    gates: Sequence[Gate] = ()

    def __post_init__(self) -> None:
        # An iterator would be at its end when it was gone through once, and no call would be judged any more.
        for name in ("gates",):
            object.__setattr__(self, name, tuple(getattr(self, name)))
