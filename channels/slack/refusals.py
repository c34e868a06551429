"""What Slack's refusals mean: whether to try again, and what to mend. Vendor's words in, our two errors out.

The names are those of https://docs.slack.dev/reference/methods/chat.postMessage#errors and of the other methods' pages. What is
not listed as passing will not pass by itself, whatever it is called: it is told to an operator at once.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...actors.errors import ChannelRejectedError, ChannelUnreachableError

PASSING = frozenset(
    (
        "ratelimited",
        "rate_limited",
        "internal_error",
        "fatal_error",
        "service_unavailable",
        "request_timeout",
        "team_added_to_org",
        "external_channel_migrating",
    )
)
"""Trouble at Slack that passes by itself."""

GONE = frozenset(("message_not_found", "thread_not_found", "cannot_reply_to_message"))
"""The message that is named is not there any more, or never was."""

LONGEST_RETRY_AFTER_S = 3_600

_REMEDIES = {
    "not_in_channel": "invite the app to the channel: /invite and its name",
    "channel_not_found": "there is no such channel, or it is private and the app is not in it: invite the app there",
    "is_archived": "the channel is archived: unarchive it, or name another one",
    "message_not_found": "the message was deleted",
    "thread_not_found": "the thread's first message was deleted",
    "cannot_reply_to_message": "the message cannot be replied to",
    "cant_update_message": "the message is another app's, or of an earlier installation of this one",
    "edit_window_closed": "the workspace does not allow a message of this age to be edited",
    "invalid_auth": "the token is not valid: copy it again from the app's page",
    "not_authed": "no token was sent: set the bot token",
    "token_revoked": "the token was revoked: install the app again and set its new token",
    "token_expired": "the token has expired: install the app again and set its new token",
    "account_inactive": "the app was removed from the workspace: install it again and set its new token",
    "not_allowed_token_type": "this is another kind of token: xoxb- is the bot's, xapp- the app's",
    "missing_scope": "add the scope to the app and install it again",
    "restricted_action": "the workspace's settings do not allow it: ask an administrator",
    "restricted_action_read_only_channel": "the channel is read-only for the app: ask an administrator",
    "restricted_action_thread_locked": "the thread is locked: ask an administrator",
    "ekm_access_denied": "an administrator has suspended posting in this channel",
    "user_not_in_channel": "the person is not in the channel",
    "user_not_found": "there is no such user in this workspace",
    "users_not_found": "nobody in this workspace has this address",
    "messages_tab_disabled": "turn on the messages tab on the app's page, App Home",
}


def refusal(method: str, error: str, *, needed: str | None = None) -> ChannelRejectedError | ChannelUnreachableError:
    """The error of ours that stands for ``ok: false``.

    Args:
        needed: the scope that is missing, where Slack says so.
    """
    link = f"https://docs.slack.dev/reference/methods/{method}#errors"
    if error in PASSING:
        return ChannelUnreachableError(f"Slack could not do {method} just now: {error}; see {link}")
    remedy = _REMEDIES.get(error, "Slack will not do it")
    if needed:
        remedy = f"{remedy} ({needed})"
    return ChannelRejectedError(f"Slack refused {method}: {error}; {remedy}; see {link}")


def status_refusal(
    method: str, status: int, headers: Mapping[str, str]
) -> ChannelRejectedError | ChannelUnreachableError:
    """The error of ours that stands for an HTTP status without a word of Slack's."""
    if status == 429:
        wait_s = retry_after_s(headers.get("Retry-After"))
        asked = "" if wait_s is None else f", and says to wait {wait_s:g} s"
        return ChannelUnreachableError(f"Slack limits the rate of {method}{asked}", retry_after_s=wait_s)
    if status >= 500 or status in (408, 425) or status < 400:
        return ChannelUnreachableError(f"Slack could not do {method} just now: HTTP status {status}")
    return ChannelRejectedError(
        f"{method} was refused with HTTP status {status}: what answers there is not Slack's API"
    )


def retry_after_s(header: str | None) -> float | None:
    """How long Slack asks to wait; None if it does not say, or says something else than seconds.

    See https://docs.slack.dev/apis/web-api/rate-limits
    """
    found = (header or "").strip()
    if not found.isascii() or not found.isdigit() or len(found) > 9:
        return None
    return float(min(int(found), LONGEST_RETRY_AFTER_S))
