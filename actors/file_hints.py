"""Says at once where files change, as far as the operating system tells: a hint, and never needed.

One watcher for the process, in a thread of its own, while anything is watched.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from watchfiles import watch

_STOPS_WITHIN_MS = 200


class FileHints(Protocol):
    """Watches folders, with all that is in them."""

    async def run(self, folders: Sequence[Path], changed: Callable[[Path], None]) -> None:
        """Call ``changed`` for each path that does, until it is cancelled. Raises ``OSError`` where it cannot watch."""
        ...


class SystemFileHints:
    """By inotify, FSEvents or their like."""

    async def run(self, folders: Sequence[Path], changed: Callable[[Path], None]) -> None:
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[None] = loop.create_future()
        stop = threading.Event()

        def tell(paths: set[str]) -> None:
            for path in paths:
                changed(Path(path))

        def end(error: BaseException | None) -> None:
            if ended.done():
                return
            if error is None:
                ended.set_result(None)
            else:
                ended.set_exception(error)

        def work() -> None:
            failure: BaseException | None = None
            try:
                watching = watch(
                    *folders,
                    watch_filter=None,
                    debounce=100,
                    step=20,
                    stop_event=stop,
                    rust_timeout=_STOPS_WITHIN_MS,
                    yield_on_timeout=False,
                    raise_interrupt=False,
                )
                for found in watching:
                    loop.call_soon_threadsafe(tell, {path for _, path in found})
            except Exception as error:
                failure = error
            with suppress(RuntimeError):  # the loop is gone
                loop.call_soon_threadsafe(end, failure)

        thread = threading.Thread(target=work, name="overwinter-files", daemon=True)
        thread.start()
        try:
            await ended
        finally:
            stop.set()
            thread.join(timeout=2.0)
