"""Says what is wrong with when an app's roles remind people, and whom they ask when nobody answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta

from ..actors.ports import Channel, Relieving, Reminding
from ..actors.reception import AnyChannel
from ..channels.roles import Answerer, Role

Fault = tuple[str, str]

_REMINDERS = "assembly.role-reminders"
_ESCALATION = "assembly.role-escalation"


def patience_faults(role: Role, channels: Sequence[AnyChannel]) -> Iterator[Fault]:
    """The faults of one role, but for what its channels have to be able to do.

    Args:
        channels: those that it is asked in first.
    """
    yield from ((_REMINDERS, fault) for fault in _reminder_faults(role, channels))
    yield from ((_ESCALATION, fault) for fault in _escalation_faults(role, channels))


def ability_faults(role: Role, channel: Channel) -> Iterator[Fault]:
    """What one of the channels of a role would have to be able to do, and is not."""
    if role.reminders and not isinstance(channel, Reminding):
        yield (
            _REMINDERS,
            f"role {role.name} reminds people, and channel {channel.name} cannot; give it another channel, or no remind_after",
        )
    is_asked_first = role.escalate_to is not None and channel.name != role.escalate_to.name
    if is_asked_first and not isinstance(channel, Relieving):
        yield (
            _ESCALATION,
            f"role {role.name} is escalated, and channel {channel.name} cannot take a question from its people while it waits; "
            "ask it in another channel first, or leave escalate_to out",
        )


def _reminder_faults(role: Role, channels: Sequence[AnyChannel]) -> Iterator[str]:
    times = role.reminders
    if not times:
        return
    if strange := [each for each in times if not isinstance(each, timedelta)]:  # pyright: ignore[reportUnnecessaryIsInstance]  an author's word
        yield f"role {role.name} has remind_after={strange[0]!r}; give it a timedelta, or several"
        return
    if any(each <= timedelta() for each in times):
        yield f"role {role.name} reminds people before they are asked; give remind_after times that lie ahead"
    if len(set(times)) != len(times):
        yield f"role {role.name} reminds people twice at one time; name each time of remind_after once"
    if role.deadline is not None and (late := [each for each in times if each >= role.deadline]):
        yield f"role {role.name} reminds people after {late[0]}, and its deadline is {role.deadline}; remind them before"
    if not channels and role.answered_by is Answerer.OWNER:
        yield f"role {role.name} is asked in the conversation with its owner, where nobody is reminded; leave it out"


def _escalation_faults(role: Role, channels: Sequence[AnyChannel]) -> Iterator[str]:
    to, after = role.escalate_to, role.escalate_after
    if to is None and after is None:
        return
    if to is None:
        yield f"role {role.name} says when it is escalated and not to whom; give it escalate_to"
        return
    if after is None:
        yield f"role {role.name} says to whom it is escalated and not when; give it escalate_after"
    elif not isinstance(after, timedelta):  # pyright: ignore[reportUnnecessaryIsInstance]  an author's word
        yield f"role {role.name} has escalate_after={after!r}; give it a timedelta"
    elif after <= timedelta():
        yield f"role {role.name} is escalated before anybody is asked; give it an escalate_after that lies ahead"
    elif role.deadline is not None and after >= role.deadline:
        yield f"role {role.name} is escalated after {after}, and its deadline is {role.deadline}; escalate it before"
    if role.answered_by is Answerer.OWNER:
        yield f"role {role.name} is answered by the session's owner, and nobody else may; leave escalate_to out"
    if any(channel is to or channel.name == to.name for channel in channels):
        yield f"role {role.name} is escalated to channel {to.name}, where it is asked first; give it another channel"
