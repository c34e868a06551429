"""Tells those who wait for files that they have changed.

What is true is on the disk and in the store: each wait, and each trigger, keeps how its files looked when it began, and is over
when they look otherwise. So what was changed while no process ran is found by the next one. The operating system's own word only
makes this look sooner (``file_hints``); where there is none, as on some mounts, it looks every few seconds.

A change counts once it has stayed as it is for a while (``file_rests``): a file that still grows is not told of half-way.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import structlog

from ..store.errors import StoreError
from ..store.rows import PauseRow
from ..store.trigger_rows import TriggerRow
from .answering import Answering
from .asks import JsonValue
from .clock import Clock
from .confinement import Seen
from .errors import TriggerInvalidError, WorkspacePathError
from .failures import text_of
from .file_changes import changes, look_of, look_to_json, mark_of
from .file_hints import FileHints
from .file_rests import Unrest, after_telling
from .jsontext import from_json, to_json
from .looking import Looking
from .trigger_kinds import FileChange
from .triggers import Triggers, read
from .workspaces import Workspaces, look_at

TAKE_IN_EVERY_MS = 500
"""However many changes there are in the store, it is looked no more often whether somebody has added a trigger."""

_LOOK_EVERY_MS = 2_000
_LOOK_EVERY_WITH_HINTS_MS = 15_000
_AT_ONCE = 200
_RETRY_HINTS_MS = 60_000
_TELL_AGAIN_MS = 3_600_000
_LONGEST_REST_S = 2.0
_REST = 4.0
"""So many times as long as a look took there is no other: a file that grows without end keeps one who watches many busy no more."""

_log = structlog.get_logger("overwinter.files")


class WatchStore(Protocol):
    """What watching needs of the store about waits."""

    async def watching(self, *, limit: int, after_pause_id: str = "") -> tuple[PauseRow, ...]: ...


class WatchTriggers(Protocol):
    """What watching needs of the store about triggers."""

    async def of_kind(self, kind: str) -> tuple[TriggerRow, ...]: ...

    async def set_state(self, trigger_id: str, *, was: str | None, state_json: str) -> bool: ...


@dataclass(slots=True, kw_only=True)
class _Watch:
    """Files that somebody waits for.

    Attributes:
        before: how they looked when the wait began; None where nobody has looked yet.
        unrest: since when those that have changed look as they do.
        gone: which of them were not there at some look of this process. A file system gives a new file the number of an old one.
        trouble: why the last look failed, and in which hour, so that it is told once in that; None if it did not.
    """

    who: PauseRow | TriggerRow
    folder: Path
    paths: tuple[str, ...]
    events: tuple[str, ...]
    before: dict[str, Seen] | None
    unrest: Unrest = field(default_factory=Unrest)
    gone: set[str] = field(default_factory=set[str])
    trouble: tuple[str, int] | None = None


class FileWatching:
    """The watching of one service; works beside the supervisor.

    Args:
        poll_s: how long, while it watches nothing, a wait that another process has written may go unnoticed. That process watches
            as well, if it is one that runs sessions.
    """

    name = "files"

    def __init__(
        self,
        *,
        waits: WatchStore,
        stored_triggers: WatchTriggers,
        triggers: Triggers,
        workspaces: Workspaces,
        hints: FileHints,
        answering: Answering,
        clock: Clock,
        poll_s: float,
    ) -> None:
        self._waits = waits
        self._stored_triggers = stored_triggers
        self._triggers = triggers
        self._workspaces = workspaces
        self._hints = hints
        self._answering = answering
        self._clock = clock
        self._poll_ms = int(poll_s * 1000)
        self._looking = Looking(clock=clock, look=self._work, poll_ms=self._look_every_ms)
        self._watches: dict[str, _Watch] = {}
        self._hinting: asyncio.Task[None] | None = None
        self._hinted_folders: frozenset[Path] = frozenset()
        self._hints_failed_at_ms: int | None = None
        self._rests_until_s = clock.monotonic_s()
        self._looked_ms = self._everything_ms = round(clock.monotonic_s() * 1000)
        """When it was looked last, and when everything is to be looked at at the latest; on the clock that never goes back."""

    @property
    def is_busy(self) -> bool:
        return self._looking.is_busy

    def look(self) -> None:
        """Something has changed in the store: a trigger that another process has added sees what changes from here on."""
        if (left_ms := self._looked_ms + TAKE_IN_EVERY_MS - self._passed_ms()) <= 0:
            self._looking.tell()
        else:
            self._looking.tell_for(self._clock.now_ms() + left_ms)

    def look_now(self) -> None:
        """Somebody has begun to wait for files, or files have changed."""
        self._everything_ms = self._passed_ms()
        self._looking.tell()

    async def run(self) -> None:
        try:
            await self._looking.run()
        finally:
            await self._stop_hints()

    # -- what is waited for --------------------------------------------------------------------------------------------
    async def _work(self) -> int | None:
        """Look once; when to look again because something has changed and may change on, or it is time for everything."""
        began_s = self._clock.monotonic_s()
        if (rest_ms := round((self._rests_until_s - began_s) * 1000)) > 0:
            return self._clock.now_ms() + rest_ms
        self._looked_ms = self._passed_ms()
        is_everything = self._looked_ms >= self._everything_ms
        if is_everything:
            self._everything_ms = self._looked_ms + _LOOK_EVERY_WITH_HINTS_MS  # or sooner, as is known only at its end
        try:
            again_ms = await self._look(is_everything=is_everything)
        except StoreError:
            self._everything_ms = self._looked_ms
            raise
        finally:
            ended_s = self._clock.monotonic_s()
            self._rests_until_s = ended_s + min(_REST * (ended_s - began_s), _LONGEST_REST_S)
        waits_ms = [self._everything_ms - self._passed_ms()]
        if is_everything:
            waits_ms.append(self._look_every_ms())
        if again_ms is not None:
            waits_ms.append(again_ms - self._clock.now_ms())
        self._everything_ms = self._passed_ms() + min(waits_ms)
        return self._clock.now_ms() + min(waits_ms)

    async def _look(self, *, is_everything: bool) -> int | None:
        known = self._watches
        if is_everything:
            await self._take_in()
        await self._take_in_triggers()
        self._keep_hints()
        again: list[int] = []
        watches = [watch for key, watch in self._watches.items() if is_everything or known.get(key) is not watch]
        for at in range(0, len(watches), _AT_ONCE):
            some = watches[at : at + _AT_ONCE]
            looks = await asyncio.to_thread(_look_at_all, some, self._clock.now_ms())
            for watch, seen in zip(some, looks, strict=True):
                if seen is not None and (due_ms := await self._see(watch, seen)) is not None:
                    again.append(due_ms)
        return min(again, default=None)

    def _passed_ms(self) -> int:
        return round(self._clock.monotonic_s() * 1000)

    async def _take_in(self) -> None:
        """Learn which sessions wait now."""
        found = {key: watch for key, watch in self._watches.items() if isinstance(watch.who, TriggerRow)}
        after = ""
        while page := await self._waits.watching(limit=_AT_ONCE, after_pause_id=after):
            for pause in page:
                watch = self._watches.get(pause.pause_id) or self._watch_of_pause(pause)
                if watch is not None:
                    found[pause.pause_id] = watch
            after = page[-1].pause_id
        self._watches = found

    async def _take_in_triggers(self) -> None:
        found = {key: watch for key, watch in self._watches.items() if isinstance(watch.who, PauseRow)}
        for row in await self._stored_triggers.of_kind("file"):
            known = self._watches.get(row.trigger_id)
            if known is None or not isinstance(known.who, TriggerRow) or _differ(known.who, row):
                known = _watch_of_trigger(row)
            if known is not None:
                found[row.trigger_id] = known
        self._watches = found

    def _watch_of_pause(self, pause: PauseRow) -> _Watch | None:
        try:
            details: dict[str, Any] = from_json(pause.ask_json)["details"]
            return _Watch(
                who=pause,
                folder=self._workspaces.root / self._workspaces.name_of(pause.session_id),
                paths=tuple(details["paths"]),
                events=tuple(details["events"]),
                before=look_of(details["files"]),
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            _log.error("files.unreadable", session_id=pause.session_id, step=pause.key, error=text_of(error))
            return None

    # -- what has changed ----------------------------------------------------------------------------------------------
    async def _see(self, watch: _Watch, seen: dict[str, Seen] | WorkspacePathError) -> int | None:
        """As ``_compare``; what is wrong with one watch concerns that one alone.

        A wait for what cannot be looked at any more is over, and its result says why; a trigger is tried again.
        """
        try:
            if not isinstance(seen, WorkspacePathError):
                return await self._compare(watch, seen)
            if isinstance(watch.who, PauseRow):
                await self._answering.fire(watch.who, answer={"status": "refused", "reason": str(seen)})
            return None
        except Exception as error:
            if isinstance(error, StoreError) and error.retryable:
                raise
            _log.exception("files.not-told", folder=str(watch.folder))
            return None

    async def _compare(self, watch: _Watch, seen: dict[str, Seen]) -> int | None:
        """Tell of what has changed if it has settled; else when it will have."""
        if watch.before is None:
            await self._begin(watch, seen)
            return None
        watch.gone |= watch.before.keys() - seen.keys()
        found = changes(watch.before, seen, gone=watch.gone)
        rested = watch.unrest.look(found, seen, events=watch.events, now_ms=self._clock.now_ms())
        if not rested.told:
            return rested.again_ms
        listed: JsonValue = [change.to_json() for change in rested.told]
        match watch.who:
            case PauseRow() as pause:
                await self._answering.fire(pause, answer={"changes": listed})
                self._watches.pop(pause.pause_id, None)
            case TriggerRow() as row:
                left = after_telling(watch.before, seen, found=found, told=rested.told)
                state = (row.state_json, to_json(look_to_json(left)))
                # With the time: files may come to look once more as they did before.
                key = f"{mark_of(watch.before)}/{mark_of(left)}/{self._clock.now_ms()}"
                fired = await self._triggers.fire(row, key=key, payload={"changes": listed}, state=state)
                _log.debug("trigger.file", trigger=row.slug, outcome=fired.outcome)
                self._watches.pop(row.trigger_id, None)
                self._looking.tell()
        return None

    async def _begin(self, watch: _Watch, seen: dict[str, Seen]) -> None:
        """A trigger looks for the first time: from here on it sees what changes."""
        assert isinstance(watch.who, TriggerRow)
        state_json = to_json(look_to_json(seen))
        await self._stored_triggers.set_state(watch.who.trigger_id, was=None, state_json=state_json)
        self._watches.pop(watch.who.trigger_id, None)
        self._looking.tell()

    # -- hints ---------------------------------------------------------------------------------------------------------
    def _look_every_ms(self) -> int:
        if not self._watches:
            return self._poll_ms
        has_hints = self._hinting is not None and not self._hinting.done()
        return _LOOK_EVERY_WITH_HINTS_MS if has_hints else _LOOK_EVERY_MS

    def _keep_hints(self) -> None:
        """See to it that the operating system tells of all folders that are watched."""
        folders = frozenset(self._folders())
        if self._hinting is not None and folders == self._hinted_folders and not self._hinting.done():
            return
        failed_at_ms = self._hints_failed_at_ms
        if failed_at_ms is not None and self._clock.now_ms() - failed_at_ms < _RETRY_HINTS_MS:
            return
        if self._hinting is not None:
            self._hinting.cancel()
            self._hinting = None
        if folders:
            self._hinted_folders = folders
            self._hinting = asyncio.create_task(self._take_hints(sorted(folders)), name="file hints")

    def _folders(self) -> Iterable[Path]:
        for watch in self._watches.values():
            folder = self._workspaces.root if isinstance(watch.who, PauseRow) else watch.folder
            if folder.is_dir():
                yield folder

    async def _take_hints(self, folders: Sequence[Path]) -> None:
        try:
            await self._hints.run(folders, lambda _: self.look_now())
        except Exception as error:  # it has errors of its own beside those of the operating system
            self._hints_failed_at_ms = self._clock.now_ms()
            self._everything_ms = min(self._everything_ms, self._passed_ms() + _LOOK_EVERY_MS)
            self._looking.tell_for(self._hints_failed_at_ms + _LOOK_EVERY_MS)
            _log.warning(
                "files.no-hints",
                error=text_of(error),
                remedy="files are looked at every two seconds instead; if it says that a limit is reached, raise "
                "fs.inotify.max_user_watches (sysctl)",
            )

    async def _stop_hints(self) -> None:
        if self._hinting is not None:
            self._hinting.cancel()
            await asyncio.wait({self._hinting})
            self._hinting = None


def _look_at_all(watches: Sequence[_Watch], now_ms: int) -> list[dict[str, Seen] | WorkspacePathError | None]:
    """On the disk, in a thread; None where a look failed, and an error where it will again: which concerns that one alone.

    A workspace is never looked for behind a link: its session might have put that there. An operator's folder may be one.
    """
    found: list[dict[str, Seen] | WorkspacePathError | None] = []
    for watch in watches:
        try:
            folder = watch.folder if isinstance(watch.who, PauseRow) else watch.folder.resolve()
            found.append(look_at(folder, watch.paths, now_ms=now_ms, known=watch.before))
            watch.trouble = None
        except Exception as error:
            found.append(error if isinstance(error, WorkspacePathError) else None)
            told = (text_of(error), now_ms // _TELL_AGAIN_MS)
            if told != watch.trouble:
                _log.warning("files.not-seen", folder=str(watch.folder), error=told[0])
                watch.trouble = told
    return found


def _differ(old: TriggerRow, new: TriggerRow) -> bool:
    return (old.spec_json, old.state_json) != (new.spec_json, new.state_json)


def _watch_of_trigger(row: TriggerRow) -> _Watch | None:
    try:
        when = read(row).when
        if not isinstance(when, FileChange):
            return None
        before = None if row.state_json is None else look_of(from_json(row.state_json))
    except (TriggerInvalidError, ValueError, KeyError, TypeError) as error:
        _log.error("trigger.invalid", trigger=row.slug, error=text_of(error))
        return None
    return _Watch(who=row, folder=Path(when.folder), paths=when.paths, events=when.events, before=before)
