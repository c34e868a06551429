"""Methods about conversations: ``conversations.*`` and ``users.conversations``."""

from __future__ import annotations

from .messages import Message
from .methods import Call, Method, page
from .people import FAMILIES, Channel
from .rates import Tier
from .refusals import Refusal
from .shapes import JsonObject

TYPES = {"public_channel": "channel", "private_channel": "group", "im": "im", "mpim": "mpim"}
MAX_OPEN_WITH = 8
"""How many people a group message may be opened with. See https://docs.slack.dev/reference/methods/conversations.open"""


def info(call: Call) -> JsonObject:
    """See https://docs.slack.dev/reference/methods/conversations.info"""
    channel = call.channel()
    call.need(f"{channel.family}:read")
    return {"channel": channel.body(viewer=call.app.user_id)}


def members(call: Call) -> JsonObject:
    """See https://docs.slack.dev/reference/methods/conversations.members"""
    channel = call.channel()
    call.need(f"{channel.family}:read")
    shown, cursor = page([{"id": member} for member in channel.members], call, default=100)
    return {"members": [member["id"] for member in shown], "response_metadata": {"next_cursor": cursor}}


def _listed(call: Call, channels: list[Channel]) -> JsonObject:
    kinds: set[str] = set()
    for name in call.names("types") or ["public_channel"]:
        if name not in TYPES:
            raise Refusal("invalid_types")
        kinds.add(TYPES[name])
        call.need(f"{FAMILIES.get(TYPES[name], TYPES[name])}:read")
    wanted = [channel for channel in channels if channel.kind in kinds]
    if call.flag("exclude_archived"):
        wanted = [channel for channel in wanted if not channel.is_archived]
    shown, cursor = page([channel.body(viewer=call.app.user_id) for channel in wanted], call, default=100)
    return {"channels": shown, "response_metadata": {"next_cursor": cursor}}


def list_all(call: Call) -> JsonObject:
    """Those the app could see. See https://docs.slack.dev/reference/methods/conversations.list"""
    everyone = call.workspace.channels.values()
    return _listed(call, [each for each in everyone if each.kind == "channel" or call.app.user_id in each.members])


def list_own(call: Call) -> JsonObject:
    """Those the app is in. See https://docs.slack.dev/reference/methods/users.conversations"""
    viewer = call.text("user", call.app.user_id)
    if viewer not in call.workspace.users:
        raise Refusal("user_not_found")
    return _listed(call, [each for each in call.workspace.channels.values() if viewer in each.members])


def open_direct(call: Call) -> JsonObject:
    """See https://docs.slack.dev/reference/methods/conversations.open"""
    if call.text("channel"):
        channel = call.channel()
        if not (channel.is_im or channel.is_mpim):
            raise Refusal("channel_not_found")
    else:
        users = call.names("users")
        if not users:
            raise Refusal("users_list_not_supplied")
        if len(users) > MAX_OPEN_WITH:
            raise Refusal("too_many_users")
        call.need("im:write" if len(users) == 1 else "mpim:write")
        for user_id in users:
            user = call.workspace.users.get(user_id)
            if user is None:
                raise Refusal("user_not_found")
            if user.is_deleted:
                raise Refusal("user_disabled")
        channel = call.workspace.direct(call.app.user_id, *users)
    return {"channel": channel.body(viewer=call.app.user_id) if call.flag("return_im") else {"id": channel.id}}


def join(call: Call) -> JsonObject:
    """See https://docs.slack.dev/reference/methods/conversations.join"""
    channel = call.channel()
    if channel.kind != "channel":
        raise Refusal("method_not_supported_for_channel_type")
    if channel.is_archived:
        raise Refusal("is_archived")
    if call.app.user_id in channel.members:
        return {"channel": channel.body(viewer=call.app.user_id), "warning": "already_in_channel"}
    call.workspace.join(channel, call.app.user_id)
    return {"channel": channel.body(viewer=call.app.user_id)}


def _within(call: Call, messages: list[Message]) -> list[Message]:
    """Those between ``oldest`` and ``latest``, which count themselves only where ``inclusive`` says so."""
    least, most = _bound(call, "oldest") or 0, _bound(call, "latest")
    if not call.flag("inclusive"):
        least, most = least + 1, None if most is None else most - 1
    return [each for each in messages if least <= _micros(each.ts) and (most is None or _micros(each.ts) <= most)]


def _bound(call: Call, name: str) -> int | None:
    try:
        return _micros(call.text(name)) if call.text(name) else None
    except ValueError:
        raise Refusal(f"invalid_ts_{name}") from None


def _micros(ts: str) -> int:
    seconds, _, micros = ts.partition(".")
    return int(seconds) * 1_000_000 + int(micros[:6].ljust(6, "0"))


def _readable(call: Call) -> Channel:
    channel = call.channel()
    call.need(f"{channel.family}:history")
    return call.own_channel()


def history(call: Call) -> JsonObject:
    """Newest first; replies are not among them. See https://docs.slack.dev/reference/methods/conversations.history"""
    channel = _readable(call)
    wanted = _within(call, call.workspace.roots(channel.id))[::-1]
    bodies = [call.workspace.body(each, has_metadata=call.flag("include_all_metadata")) for each in wanted]
    shown, cursor = page(bodies, call, default=100, most=999)
    return {"messages": shown, "has_more": bool(cursor), "pin_count": 0} | _next(cursor)


def replies(call: Call) -> JsonObject:
    """The root, then its replies, oldest first; the root comes with every page.

    See https://docs.slack.dev/reference/methods/conversations.replies
    """
    channel = _readable(call)
    root = call.workspace.find(channel.id, call.text("ts"))
    if root is None:
        raise Refusal("thread_not_found")
    has_metadata = call.flag("include_all_metadata")
    wanted = [] if root.thread_ts else _within(call, call.workspace.replies(channel.id, root.ts))
    bodies = [call.workspace.body(each, has_metadata=has_metadata) for each in wanted]
    shown, cursor = page(bodies, call, default=1000)
    first = call.workspace.body(root, has_metadata=has_metadata)
    return {"messages": [first, *shown], "has_more": bool(cursor)} | _next(cursor)


def _next(cursor: str) -> JsonObject:
    return {"response_metadata": {"next_cursor": cursor}} if cursor else {}


_LISTING = ("cursor", "exclude_archived", "limit", "types")
_READING = ("cursor", "include_all_metadata", "inclusive", "latest", "limit", "oldest")

METHODS = (
    Method(
        name="conversations.info",
        do=info,
        tier=Tier.THREE,
        required=("channel",),
        optional=("include_locale", "include_num_members"),
    ),
    Method(
        name="conversations.members",
        do=members,
        tier=Tier.FOUR,
        required=("channel",),
        optional=("cursor", "limit"),
    ),
    Method(name="conversations.list", do=list_all, tier=Tier.TWO, optional=_LISTING),
    Method(name="users.conversations", do=list_own, tier=Tier.THREE, optional=(*_LISTING, "user")),
    Method(
        name="conversations.open",
        do=open_direct,
        tier=Tier.THREE,
        optional=("channel", "prevent_creation", "return_im", "users"),
        takes_json=True,
    ),
    Method(
        name="conversations.join",
        do=join,
        tier=Tier.THREE,
        required=("channel",),
        scopes=("channels:join",),
        takes_json=True,
    ),
    Method(name="conversations.history", do=history, tier=Tier.THREE, required=("channel",), optional=_READING),
    Method(name="conversations.replies", do=replies, tier=Tier.THREE, required=("channel", "ts"), optional=_READING),
)
