"""Where an app's declared channels meet the connections of the process that runs it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from ..actors.delivering import Carries
from ..actors.ports import Channel
from ..actors.reception import Connection, DeclaredChannel
from ..channels.terminal import TerminalChannel
from .app import App, Fault
from .errors import AssemblyError
from .patience_faults import ability_faults

Shows = Callable[[str], bool]
"""Whether a process's terminal shows what a session asks, by the session's id."""


def connected(app: App, connections: Sequence[Connection]) -> dict[str, Channel]:
    """The channels of an app by name, those that it only names bound to the connections that lead there.

    Raises:
        AssemblyError: (assembly.invalid) a connection is missing, is there twice, or cannot serve what is declared.
    """
    faults: list[Fault] = []
    for name, count in Counter(each.name for each in connections).items():
        if count > 1:
            faults.append(("assembly.duplicate-name", f"{count} connections are called {name}; keep one"))
    by_name = {each.name: each for each in connections}
    channels: dict[str, Channel] = {}
    for role in app.roles():
        for channel in app.asked_of(role):
            if not isinstance(channel, DeclaredChannel):
                channels[channel.name] = channel
                continue
            connection = by_name.get(channel.via)
            if connection is None:
                why = f"is asked in {channel.name}, and no connection to {channel.via} is configured here"
                faults.append(("assembly.channel-connection", f"role {role.name} {why}; {_remedy(channel.via)}"))
                continue
            try:
                channels[channel.name] = connection.channel_for(channel)
            except ValueError as error:
                faults.append(("assembly.channel-connection", f"role {role.name} is asked in {channel.name}: {error}"))
            else:
                faults.extend(ability_faults(role, channels[channel.name]))
    if faults:
        raise AssemblyError(faults)
    return channels


def carried_by(channels: Mapping[str, Channel], shows: Shows | None) -> Carries:
    """What a process carries: all that is asked elsewhere, and on its terminal what the sessions ask that it shows."""
    on_terminal = frozenset(name for name, channel in channels.items() if isinstance(channel, TerminalChannel))
    return lambda channel, session_id: shows is None or channel not in on_terminal or shows(session_id)


def _remedy(via: str) -> str:
    return f"give the service its table [{via}], or the runtime the connection itself"
