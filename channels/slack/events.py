"""What people do in Slack, as values: each is one thing that happened, with a name that is the same when it is told again.

Ids and texts in here are Slack's, checked for their form and nothing else: who somebody is and what they may do is for
others to say.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Ourselves:
    """Who we are in this workspace, as ``auth.test`` says: https://docs.slack.dev/reference/methods/auth.test"""

    app_id: str
    user_id: str
    bot_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Author:
    """Who did it.

    Attributes:
        team_id: their workspace, which is another one for guests of a shared channel; None if Slack does not say.
    """

    user_id: str
    team_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedFile:
    """A file that came with a message; its content is fetched elsewhere."""

    file_id: str
    name: str
    mimetype: str
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Click:
    """A button or a menu was used.

    Attributes:
        external_id: the same for every delivery of this click.
        team_id: the workspace that it happened in.
        channel_id: None in a modal.
        message_ts, thread_ts: of the message with the button; None in a modal.
        value: what the button carries; in a modal what the modal carries, if the button has nothing.
        trigger_id: opens a modal, once, within 3 seconds; None if there is none.
        view_id: of the modal it was used in; None for a message.
    """

    external_id: str
    author: Author
    team_id: str | None
    channel_id: str | None
    message_ts: str | None
    thread_ts: str | None
    action_id: str
    value: str | None
    trigger_id: str | None
    view_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModalSubmitted:
    """A modal was sent.

    Attributes:
        carried: the modal's private metadata.
        values: what stands in each input, by its block; None for an empty one.
    """

    external_id: str
    author: Author
    team_id: str | None
    view_id: str
    callback_id: str
    carried: str
    values: Mapping[str, str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadReply:
    """A person wrote in a thread.

    Attributes:
        external_id: the same for every delivery, and for the two events that Slack makes of one mention.
        text: what they said, without Slack's markup and without our own name in front.
        raw_text: as Slack sent it.
        is_mention: it came because we are named in it.
    """

    external_id: str
    author: Author
    team_id: str | None
    channel_id: str
    ts: str
    thread_ts: str
    text: str
    raw_text: str
    files: tuple[SharedFile, ...] = ()
    is_mention: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A person named us in a channel, outside every thread. Attributes as for ``ThreadReply``."""

    external_id: str
    author: Author
    team_id: str | None
    channel_id: str
    ts: str
    text: str
    raw_text: str
    files: tuple[SharedFile, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectMessage:
    """A person wrote to us alone, outside every thread. Attributes as for ``ThreadReply``."""

    external_id: str
    author: Author
    team_id: str | None
    channel_id: str
    ts: str
    text: str
    raw_text: str
    files: tuple[SharedFile, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reaction:
    """A person put an emoji on a message, or took it back.

    Attributes:
        name: without its skin tone, and in one spelling: ``thumbsup`` is ``+1``.
        message_ts: of the message it is on.
        is_found: it was seen on the message, and may have been told before under another ``external_id``.
    """

    external_id: str
    author: Author
    team_id: str | None
    channel_id: str
    message_ts: str
    name: str
    is_added: bool
    is_found: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """A person changed the words of a message of theirs.

    While their question is open the latest words count, once; after that the decision stays, and the thread is told so.

    Attributes:
        ts: of the message, as when it was first sent.
        thread_ts: None if it stands in no thread, or Slack does not say.
    """

    external_id: str
    author: Author
    team_id: str | None
    channel_id: str
    ts: str
    thread_ts: str | None
    text: str
    raw_text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Deleted:
    """A message was deleted.

    Attributes:
        is_ours: we had written it: a question that nobody sees any more.
        author: whoever wrote it, not whoever deleted it; None if Slack does not say.
    """

    external_id: str
    author: Author | None
    team_id: str | None
    channel_id: str
    ts: str
    thread_ts: str | None
    is_ours: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Ignored:
    """Nothing that concerns us; ``reason`` is for logs, and quotes nothing of what was sent."""

    reason: str


Event = Click | ModalSubmitted | ThreadReply | Reaction | Mention | DirectMessage | Edited | Deleted | Ignored
