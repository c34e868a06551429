"""A connection for tests: its channels keep what they are given, and so does it."""

from __future__ import annotations

import asyncio
from collections import deque

from ...actors.notes import Note
from ...actors.reception import DeclaredChannel, Reception
from ...store.values import value
from .channel import RecordingChannel


@value
class Declared:
    """A place that a ``RecordingConnection`` leads to."""

    name: str
    via: str = "post"


class RecordingConnection:
    """Keeps what it is told, and fails when it is told to.

    Attributes:
        channels: by name, those that were asked for.
        notes: every note told, once for each call of ``tell`` that did not fail.
        errors: what the next calls of ``tell`` raise.
        runs: how often its way in was begun.
        run_errors: what the next runs of it raise.
    """

    def __init__(self, *, name: str = "post") -> None:
        self.name = name
        self.channels: dict[str, RecordingChannel] = {}
        self.notes: list[Note] = []
        self.errors: deque[Exception] = deque()
        self.runs = 0
        self.run_errors: deque[Exception] = deque()
        self._reception: Reception | None = None

    @property
    def reception(self) -> Reception:
        if self._reception is None:
            raise RuntimeError("the connection is not open; give it to a runtime")
        return self._reception

    def open(self, reception: Reception) -> None:
        self._reception = reception

    def channel_for(self, declared: DeclaredChannel) -> RecordingChannel:
        if not declared.name:
            raise ValueError("it has no name")
        return self.channels.setdefault(declared.name, RecordingChannel(name=declared.name))

    async def tell(self, note: Note) -> None:
        if self.errors:
            raise self.errors.popleft()
        self.notes.append(note)

    async def run(self) -> None:
        self.runs += 1
        if self.run_errors:
            raise self.run_errors.popleft()
        await asyncio.Event().wait()
