"""Where an app's declared channels meet the connections of the process that runs it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..actors.ports import Channel
from ..actors.reception import Connection, DeclaredChannel
from .app import App, Fault
from .errors import AssemblyError
from .patience_faults import ability_faults


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


def _remedy(via: str) -> str:
    return f"give the service its table [{via}], or the runtime the connection itself"
