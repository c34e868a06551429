"""Ways to a vendor: what all channels of one Slack app, or of one mailbox, share, and what its way in is given.

An author names where a question goes (``DeclaredChannel``), without secrets; the service that runs the app has the
connection, with the secrets; the two meet when the app is put together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from ..store.rows import AnchorRow, QuarantineRow
from .answering import Answering
from .clock import Clock
from .hooks import Hooks
from .ids import Ids
from .notes import Note, Notes
from .ports import Channel
from .questions import Questions
from .sessions import Sessions
from .spoken import Words
from .triggers import Triggers


class Anchors(Protocol):
    """What a channel has out there, bound to what it is here (``AnchorRow``)."""

    async def bind(self, row: AnchorRow) -> AnchorRow:
        """Keep an anchor if it is new; returns the one that stands, which may be another's."""
        ...

    async def replace_if(self, row: AnchorRow, body_json: str) -> bool:
        """Give an anchor another body if it still has the one in ``row``."""
        ...

    async def release_if(self, row: AnchorRow) -> bool:
        """Forget an anchor if it still has the body in ``row``."""
        ...

    async def find(self, channel: str, anchor: str) -> AnchorRow | None: ...

    async def of_session(self, channel: str, session_id: str) -> tuple[AnchorRow, ...]: ...

    async def of_pause(self, channel: str, pause_id: str) -> tuple[AnchorRow, ...]: ...

    async def sweep(self, channel: str, *, prefix: str, before_ms: int, limit: int) -> int:
        """Forget up to ``limit`` anchors that begin with ``prefix`` and were bound before then; returns how many."""
        ...


class Quarantine(Protocol):
    """What arrived and led nowhere, for operators (``QuarantineRow``)."""

    async def keep(self, row: QuarantineRow) -> bool:
        """Put something aside; False if it is there already."""
        ...

    async def find(self, quarantine_id: str) -> QuarantineRow | None: ...

    async def drop(self, quarantine_id: str) -> bool: ...

    async def sweep(self, channel: str, *, before_ms: int, most: int) -> int:
        """Throw away what was received before then, and all but the newest ``most``; returns how many."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Reception:
    """What a connection is given: how it puts what people write to those it is for.

    Attributes:
        words: what sessions have said to their owners.
        triggers: a message that leads to no session may set one off (``Triggers.message``).
        person_of: who somebody is, by one name, whatever name a channel knows them by.
    """

    answering: Answering
    sessions: Sessions
    questions: Questions
    anchors: Anchors
    notes: Notes
    quarantine: Quarantine
    clock: Clock
    ids: Ids
    words: Words
    triggers: Triggers
    person_of: Callable[[str], str]


@runtime_checkable
class DeclaredChannel(Protocol):
    """Where a question goes, as an author names it."""

    @property
    def name(self) -> str: ...

    @property
    def via(self) -> str:
        """The name of the connection that leads there."""
        ...


AnyChannel = Channel | DeclaredChannel
"""A channel that is ready, or the name of a place that a connection of the process leads to."""


class Connection(Protocol):
    """One way to a vendor. Made once for a process; ``open`` comes before everything else."""

    @property
    def name(self) -> str:
        """What ``DeclaredChannel.via`` and ``Note.channel`` name."""
        ...

    def open(self, reception: Reception) -> None:
        """Take what sending and receiving need of the runtime. Nothing is sent or received yet."""
        ...

    def channel_for(self, declared: DeclaredChannel) -> Channel:
        """The channel that an author has declared. Raises ``ValueError``, saying why, for one it cannot serve."""
        ...

    async def tell(self, note: Note) -> None:
        """Tell a note. Raises as ``Channel.send`` does; the same ``note_id`` may come again after a crash."""
        ...

    async def run(self) -> None:
        """Take in what people write until it is cancelled; then finish what is being recorded.

        What it raises is logged, and it is begun again after a while.
        """
        ...


@runtime_checkable
class Follower(Protocol):
    """A connection that wants to know when sessions come to rest, go on or end."""

    @property
    def hooks(self) -> Hooks | None: ...
