"""Who is asked and how their answers are read, as the runtime sees a role."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ..store.rows import AnswererKind
from .patience import Patience
from .ports import ReplyReader, Validator
from .quorum import QuorumRule


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleBinding:
    """A role with what the app has wired to it.

    Attributes:
        channels: names of the channels its questions go to.
        reader: reads free text; None where only decisions are taken.
        validate: refuses decisions that do not fit the question.
        quorum: how many people have to agree; None where one decides.
        patience: when they are reminded, and when others are asked.
    """

    name: str
    answerer: AnswererKind
    channels: tuple[str, ...]
    reader: ReplyReader | None
    validate: Validator
    quorum: QuorumRule | None = None
    patience: Patience = field(default_factory=Patience)

    @property
    def needs(self) -> int:
        """How many people have to approve."""
        return 1 if self.quorum is None else self.quorum.needs

    def for_people(self, needs: int) -> RoleBinding:
        """The role for a question that said it needs so many people: that stands, even if it needs fewer of them now."""
        if needs <= self.needs:
            return self
        of = needs if self.quorum is None else max(needs, self.quorum.of)
        in_order = self.quorum is not None and self.quorum.in_order
        return replace(self, quorum=QuorumRule(needs=needs, of=of, in_order=in_order))

    @property
    def first_channels(self) -> tuple[str, ...]:
        """Those that are asked at once."""
        return self.channels[:1] if self.quorum is not None and self.quorum.in_order else self.channels


class Roles:
    """All roles of an app by name."""

    def __init__(self, bindings: tuple[RoleBinding, ...]) -> None:
        self._by_name = {binding.name: binding for binding in bindings}

    def get(self, name: str) -> RoleBinding | None:
        return self._by_name.get(name)
