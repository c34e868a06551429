"""Who is asked and how their answers are read, as the runtime sees a role."""

from __future__ import annotations

from dataclasses import dataclass

from ..store.rows import AnswererKind
from .ports import ReplyReader, Validator


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleBinding:
    """A role with what the app has wired to it.

    Attributes:
        channel: name of the channel its questions go to.
        reader: reads free text; None where only decisions are taken.
        validate: refuses decisions that do not fit the question.
    """

    name: str
    answerer: AnswererKind
    channel: str
    reader: ReplyReader | None
    validate: Validator


class Roles:
    """All roles of an app by name."""

    def __init__(self, bindings: tuple[RoleBinding, ...]) -> None:
        self._by_name = {binding.name: binding for binding in bindings}

    def get(self, name: str) -> RoleBinding | None:
        return self._by_name.get(name)

    def channel_of(self, name: str) -> str | None:
        binding = self._by_name.get(name)
        return binding.channel if binding else None
