"""From what Slack sends to what a person did: any payload in, one ``Event`` out, never an exception.

Payloads are those of the Events API (https://docs.slack.dev/apis/events-api) and of interactions
(https://docs.slack.dev/reference/interaction-payloads), decoded from JSON, by HTTP and by Socket Mode alike.

Nobody's answer are: messages of apps, ours included; edits that change no word, as when Slack unfolds a link; messages in a
channel outside every thread.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping

from ...actors.asks import JsonValue
from .events import (
    Author,
    Click,
    Deleted,
    DirectMessage,
    Edited,
    Event,
    Ignored,
    Mention,
    ModalSubmitted,
    Ourselves,
    Reaction,
    SharedFile,
    ThreadReply,
)
from .payloads import Payload
from .wording import emoji_name, said

_BY_PEOPLE = (None, "thread_broadcast", "file_share", "me_message")
"""Subtypes of messages that a person wrote: https://docs.slack.dev/reference/events/message"""
_EMOJI_NAME = re.compile(r"[\w+:'-]{1,120}")
_SLACKBOT = "USLACKBOT"
_MOST_FILES = 20
_MOST_INPUTS = 100


def read_event(payload: object, us: Ourselves) -> Event:
    """What a person did."""
    found = Payload(payload)
    app_id = found.text("api_app_id")
    if app_id is not None and app_id != us.app_id:
        return Ignored(reason="it is for another app")
    match found.text("type"):
        case "event_callback":
            return _happening(found, found.part("event"), us)
        case "block_actions":
            return _click(found)
        case "view_submission":
            return _submission(found)
        case "view_closed":
            return Ignored(reason="a modal was closed without being sent")
        case _:
            return Ignored(reason="no kind of payload that we read")


def _happening(envelope: Payload, event: Payload, us: Ourselves) -> Event:
    match event.text("type"):
        case "message":
            return _message(envelope, event, us)
        case "app_mention":
            return _written(envelope, event, us, is_mention=True)
        case "reaction_added" | "reaction_removed":
            return _reaction(envelope, event, us)
        case _:
            return Ignored(reason="no kind of event that we read")


def _message(envelope: Payload, event: Payload, us: Ourselves) -> Event:
    match event.value("subtype"):
        case "message_changed":
            return _change(envelope, event, us)
        case "message_deleted":
            return _deletion(envelope, event, event.part("previous_message"), us, ts=event.ts("deleted_ts"))
        case subtype if subtype in _BY_PEOPLE:
            return _written(envelope, event, us, is_mention=False)
        case _:
            return Ignored(reason="no message that a person wrote")


def _written(envelope: Payload, event: Payload, us: Ourselves, *, is_mention: bool) -> Event:
    """A message of a person: in a thread, to us alone, or naming us."""
    if event.value("subtype") not in _BY_PEOPLE or _is_by_program(event, us):
        return Ignored(reason="an app wrote it")
    channel_id, ts, author = event.id("channel"), event.ts("ts"), _author(event, envelope)
    if channel_id is None or ts is None or author is None:
        return Ignored(reason="a message without channel, time or author")
    thread_ts = event.ts("thread_ts")
    raw = event.text("text") or ""
    text = said(raw, our_user_id=us.user_id)
    external_id, team_id, files = f"{channel_id}:{ts}", envelope.id("team_id"), _files(event)
    if thread_ts is not None and thread_ts != ts:
        return ThreadReply(
            external_id=external_id,
            author=author,
            team_id=team_id,
            channel_id=channel_id,
            ts=ts,
            thread_ts=thread_ts,
            text=text,
            raw_text=raw,
            files=files,
            is_mention=is_mention,
        )
    if event.text("channel_type") == "im" or channel_id.startswith("D"):
        kind = DirectMessage
    elif is_mention:
        kind = Mention
    else:
        return Ignored(reason="a message in a channel, outside every thread")
    return kind(
        external_id=external_id,
        author=author,
        team_id=team_id,
        channel_id=channel_id,
        ts=ts,
        text=text,
        raw_text=raw,
        files=files,
    )


def _change(envelope: Payload, event: Payload, us: Ourselves) -> Event:
    message, before = event.part("message"), event.part("previous_message")
    if message.text("subtype") == "tombstone":
        # What Slack makes of a deleted message that has replies.
        return _deletion(envelope, event, before, us, ts=message.ts("ts"))
    if _is_by_program(message, us):
        return Ignored(reason="an app wrote it")
    channel_id, ts, author = event.id("channel"), message.ts("ts"), _author(message, envelope)
    edited_ts = message.part("edited").ts("ts")
    if channel_id is None or ts is None or author is None:
        return Ignored(reason="a change without channel, time or author")
    raw = message.text("text") or ""
    if edited_ts is None or raw == (before.text("text") or ""):
        return Ignored(reason="a change that is not in the words")
    if message.part("edited").id("user") != author.user_id:
        return Ignored(reason="somebody else changed it")
    return Edited(
        external_id=f"{channel_id}:{ts}:edited:{edited_ts}",
        author=author,
        team_id=envelope.id("team_id"),
        channel_id=channel_id,
        ts=ts,
        thread_ts=message.ts("thread_ts") or before.ts("thread_ts"),
        text=said(raw, our_user_id=us.user_id),
        raw_text=raw,
    )


def _deletion(envelope: Payload, event: Payload, before: Payload, us: Ourselves, *, ts: str | None) -> Event:
    channel_id = event.id("channel")
    if channel_id is None or ts is None:
        return Ignored(reason="a deletion without channel or time")
    return Deleted(
        external_id=f"{channel_id}:{ts}:deleted",
        author=_author(before, envelope),
        team_id=envelope.id("team_id"),
        channel_id=channel_id,
        ts=ts,
        thread_ts=before.ts("thread_ts"),
        is_ours=before.id("user") == us.user_id or before.id("bot_id") == us.bot_id,
    )


def _reaction(envelope: Payload, event: Payload, us: Ourselves) -> Event:
    item, name, author = event.part("item"), event.text("reaction") or "", _author(event, envelope)
    channel_id, ts = item.id("channel"), item.ts("ts")
    if item.text("type") != "message" or channel_id is None or ts is None or author is None:
        return Ignored(reason="a reaction to something else than a message")
    if not _EMOJI_NAME.fullmatch(name):
        return Ignored(reason="a reaction without a name")
    if author.user_id == us.user_id:
        return Ignored(reason="our own reaction")
    is_added = event.text("type") == "reaction_added"
    told = envelope.id("event_id") or event.ts("event_ts") or ""
    how = "added" if is_added else "removed"
    return Reaction(
        external_id=f"{channel_id}:{ts}:{how}:{author.user_id}:{emoji_name(name)}:{told}",
        author=author,
        team_id=envelope.id("team_id"),
        channel_id=channel_id,
        message_ts=ts,
        name=emoji_name(name),
        is_added=is_added,
        is_found=not told,
    )


def _click(payload: Payload) -> Event:
    pressed = payload.parts("actions")
    user, message, container, view = (payload.part(name) for name in ("user", "message", "container", "view"))
    user_id = user.id("id")
    if len(pressed) != 1 or user_id is None:
        return Ignored(reason="a click without a person, or not on one button")
    action = pressed[0]
    action_id = action.text("action_id")
    if not action_id:
        return Ignored(reason="a click on nothing")
    message_ts = message.ts("ts") or container.ts("message_ts")
    view_id = view.id("id")
    return Click(
        external_id=":".join(
            (
                user_id,
                message_ts or view_id or "",
                action_id,
                action.ts("action_ts") or payload.text("trigger_id") or "",
            )
        ),
        author=Author(user_id=user_id, team_id=user.id("team_id")),
        team_id=payload.part("team").id("id"),
        channel_id=payload.part("channel").id("id") or container.id("channel_id"),
        message_ts=message_ts,
        thread_ts=message.ts("thread_ts") or container.ts("thread_ts"),
        action_id=action_id,
        value=action.text("value") or view.text("private_metadata"),
        trigger_id=payload.text("trigger_id"),
        view_id=view_id,
    )


def _submission(payload: Payload) -> Event:
    view, user = payload.part("view"), payload.part("user")
    user_id, view_id, callback_id = user.id("id"), view.id("id"), view.text("callback_id")
    if user_id is None or view_id is None or callback_id is None:
        return Ignored(reason="a modal without a person or a name")
    values: dict[str, str | None] = {}
    for block_id, inputs in view.part("state").part("values").members()[:_MOST_INPUTS]:
        values[block_id] = next((_typed(element) for _, element in inputs.members()), None)
    return ModalSubmitted(
        external_id=f"{user_id}:{view_id}:{_digest(values)}",
        author=Author(user_id=user_id, team_id=user.id("team_id")),
        team_id=payload.part("team").id("id"),
        view_id=view_id,
        callback_id=callback_id,
        carried=view.text("private_metadata") or "",
        values=values,
    )


def _digest(values: Mapping[str, str | None]) -> str:
    """Tells what was sent after an error from what was sent before it: it is the same modal."""
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:16]


def _typed(element: Payload) -> str | None:
    """What stands in an input: https://docs.slack.dev/reference/interaction-payloads/view-interactions-payload"""
    match element.text("type"):
        case "static_select" | "radio_buttons":
            return element.part("selected_option").text("value")
        case "datepicker":
            return element.text("selected_date")
        case _:
            return element.text("value")


def _author(event: Payload, envelope: Payload) -> Author | None:
    user_id = event.id("user")
    if user_id is None:
        return None
    team_id = event.id("user_team") or event.id("source_team") or event.id("team") or envelope.id("team_id")
    return Author(user_id=user_id, team_id=team_id)


def _is_by_program(event: Payload, us: Ourselves) -> bool:
    is_marked = any(event.value(name) for name in ("bot_id", "bot_profile", "app_id"))
    return is_marked or event.value("subtype") == "bot_message" or event.value("user") in (us.user_id, _SLACKBOT)


def _files(event: Payload) -> tuple[SharedFile, ...]:
    found: list[SharedFile] = []
    for each in event.parts("files")[:_MOST_FILES]:
        file_id = each.id("id")
        if file_id is not None:
            size = each.value("size")
            found.append(
                SharedFile(
                    file_id=file_id,
                    name=each.text("name") or "",
                    mimetype=each.text("mimetype") or "",
                    size_bytes=size if isinstance(size, int) and not isinstance(size, bool) and size > 0 else 0,
                )
            )
    return tuple(found)


def reaction_decides(reaction: Reaction, decisions: Mapping[str, JsonValue]) -> JsonValue:
    """What an emoji means where a role lets emoji answer; None if nothing.

    Args:
        decisions: by the name of the emoji, in any of its spellings.
    """
    meanings = {emoji_name(name): decision for name, decision in decisions.items()}
    return meanings.get(reaction.name) if reaction.is_added else None
