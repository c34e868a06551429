"""When files that have changed have come to rest. Pure, over the looks of one watch.

All changes that come together are told as one, once none of them has gone on for a moment. What goes on for longer, such as a log
that is always written to, holds up nobody else: then each file that has come to rest is told of by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..store.values import value
from .confinement import Seen
from .file_changes import FileChanged

SETTLED_MS = 500
"""So long a change must have stayed as it is."""

TOGETHER_MS = 5_000
"""So long it is waited for all to come to rest together."""


@value
class Rested:
    """What a look has found of changes.

    Attributes:
        told: those that are to be told of now, with at least one that is waited for among them; else none.
        again_ms: when to look again; None if nothing that is waited for goes on.
    """

    told: tuple[FileChanged, ...] = ()
    again_ms: int | None = None


class Unrest:
    """Since when each changed file of a watch looks as it does."""

    def __init__(self) -> None:
        self._since: dict[str, tuple[Seen | None, int]] = {}
        self._began_ms: int | None = None

    def look(
        self, found: Sequence[FileChanged], seen: Mapping[str, Seen], *, events: Sequence[str], now_ms: int
    ) -> Rested:
        """Take in what a look has found.

        Args:
            found: how the files differ from how they were when the watch began.
            events: which changes are waited for.
        """
        self._since = {each.path: self._since_of(each.path, seen.get(each.path), now_ms) for each in found}
        wanted = [each for each in found if each.is_one_of(events)]
        if not wanted:
            self._began_ms = None
            return Rested()
        if self._began_ms is None or now_ms < self._began_ms:
            self._began_ms = now_ms
        all_rest_ms = max(at_ms for _, at_ms in self._since.values()) + SETTLED_MS
        if now_ms >= all_rest_ms:
            return Rested(told=tuple(found))
        due_ms = {
            each.path: max(self._since[each.path][1] + SETTLED_MS, self._began_ms + TOGETHER_MS) for each in wanted
        }
        if now_ms < min(due_ms.values()):
            return Rested(again_ms=min(all_rest_ms, *due_ms.values()))
        self._began_ms = None
        return Rested(told=tuple(each for each in found if now_ms >= self._since[each.path][1] + SETTLED_MS))

    def _since_of(self, path: str, seen: Seen | None, now_ms: int) -> tuple[Seen | None, int]:
        """A clock that is set back begins anew."""
        was, since_ms = self._since.get(path, (None, now_ms))
        is_as_before = path in self._since and (
            was is seen or (was is not None and seen is not None and seen.is_as(was))
        )
        return (seen, since_ms if is_as_before and since_ms <= now_ms else now_ms)


def after_telling(
    before: Mapping[str, Seen], seen: Mapping[str, Seen], *, found: Sequence[FileChanged], told: Sequence[FileChanged]
) -> dict[str, Seen]:
    """How the files are to be taken to look once some of what was found is told: what is not is still to be."""
    untold = {each.path for each in found} - {each.path for each in told}
    kept = {path: each for path, each in seen.items() if path not in untold}
    return {**kept, **{path: each for path, each in before.items() if path in untold}}
