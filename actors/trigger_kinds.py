"""What may set a trigger off, and what it starts: values, and their form as JSON.

    Cron(...)            at the times of a schedule
    Delay(...)           once, after some time or at one moment
    Webhook(...)         when somebody calls its address with its token
    ChannelMessage(...)  when a message comes in on a channel
    FileChange(...)      when files change

A trigger wakes whoever waits for it, tells the sessions that are subscribed to it, and may start a session itself.
"""

from __future__ import annotations

import hashlib
import re
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, assert_never, get_args

from ..store.values import value
from .asks import JsonValue
from .clock import LONGEST
from .confinement import check_path, is_pattern
from .errors import TriggerInvalidError, WorkspacePathError
from .pattern_errors import PatternInvalidError
from .patterns import compiled
from .schedules import CatchUp, Schedule

Overlap = Literal["skip", "queue"]
FileEvent = Literal["created", "modified", "deleted"]
Surface = Literal["chat", "workspace"]

MAX_WEBHOOK_BYTES = 1024 * 1024
_SLUG = re.compile(r"[a-z0-9][a-z0-9_.-]{0,79}")


@value
class Cron:
    """Fires at the times of a cron expression.

    Attributes:
        expression, zone: as in ``Schedule``.
        catch_up: what becomes of times that passed while nothing ran: fire for the last of them (``one``), for each of the last
            ``at_most`` (``all``), or not (``none``). The fire says for which time it is and how many were passed over.
    """

    expression: str
    zone: str = "UTC"
    catch_up: CatchUp = "one"
    at_most: int = 10

    @property
    def schedule(self) -> Schedule:
        return Schedule(expression=self.expression, zone=self.zone)


@value
class Delay:
    """Fires once: ``after`` so much time, counted from when it was first added; or ``at`` one moment."""

    after: timedelta | None = None
    at: datetime | None = None


@value
class Webhook:
    """Fires when its address is called.

    Attributes:
        token_digest: of the token that the caller must know (``digest_of``); the token itself is kept nowhere.
        secret: the caller signs the body with it (HMAC-SHA256); None asks for no signature.
        signature_header: where the signature is, in hex, with ``sha256=`` in front or without.
        max_bytes: a larger body is refused (413).
        per_minute: more calls are refused (429).
    """

    token_digest: str
    secret: str | None = None
    signature_header: str = "X-Hub-Signature-256"
    max_bytes: int = MAX_WEBHOOK_BYTES
    per_minute: int = 60


@value
class ChannelMessage:
    """Fires when a message comes in on a channel that is no answer and belongs to no conversation; then it begins none.

    In Slack whoever may talk there may set it off; by mail everybody whose address is proven (``[mail] authserv_id``).

    Attributes:
        channel: the name of the connection, ``slack`` or ``mail``; or a place on it, ``slack:C0REFUNDS``.
        pattern: a regular expression, as Python's ``re`` and the library ``regex`` read it, that is searched for in the text,
            whatever the case; None for every message. The first line of a mail's text is its subject. A text on which the search
            takes too long sets nothing off, and is logged.
    """

    channel: str
    pattern: str | None = None


@value
class FileChange:
    """Fires when files change.

    Attributes:
        folder: where, as the service sees it; absolute. It may be a link to a folder.
        paths: files and folders in there; with what is in them.
        events: which kinds of change count.
    """

    folder: str
    paths: tuple[str, ...] = (".",)
    events: tuple[FileEvent, ...] = ("created", "modified")


When = Cron | Delay | Webhook | ChannelMessage | FileChange


@value
class Starts:
    """The session that a fire starts.

    Attributes:
        bot: the agent or workflow.
        message: what it is told; the fire itself is added to an object, under ``fire``, and to a text, as JSON on a line of its
            own. None: the fire alone. A workflow is told of the fire only if it has an argument ``fire``.
        overlap: with ``at_once`` runs under way already, a fire starts none (``skip``), or starts one when a place is free.
    """

    bot: str
    owner: str = "triggers"
    message: JsonValue = None
    surface: Surface = "chat"
    overlap: Overlap = "skip"
    at_once: int = 1


@value
class Trigger:
    """What an author declares, or an operator adds.

    Attributes:
        slug: its name; unique in its tenant.
        starts: what each fire starts; None where it only wakes and tells.
    """

    slug: str
    when: When
    starts: Starts | None = None


def kind_of(when: When) -> str:
    match when:
        case Cron():
            return "cron"
        case Delay():
            return "delay"
        case Webhook():
            return "webhook"
        case ChannelMessage():
            return "message"
        case FileChange():
            return "file"
        case _:
            assert_never(when)


def check(trigger: Trigger) -> None:
    """Raises ``TriggerInvalidError`` (trigger.invalid) for one that can never fire, or not as it is meant."""
    if _SLUG.fullmatch(trigger.slug) is None:
        raise TriggerInvalidError(
            f"{trigger.slug!r} cannot be a trigger's name: give 1 to 80 of a-z, 0-9, '.', '_' and '-', a letter or digit first"
        )
    if trigger.starts is not None and trigger.starts.at_once < 1:
        raise TriggerInvalidError(
            f"trigger {trigger.slug} may start {trigger.starts.at_once} sessions at once; give 1 or more"
        )
    match trigger.when:
        case Cron() as cron:
            cron.schedule.check()
            if cron.at_most < 1:
                raise TriggerInvalidError(
                    f"trigger {trigger.slug} catches up {cron.at_most} times at most; give 1 or more"
                )
        case Delay(after=after, at=at):
            if (after is None) == (at is None):
                raise TriggerInvalidError(
                    f"trigger {trigger.slug} fires after some time or at one moment; give one of them"
                )
            if at is not None and at.tzinfo is None:
                raise TriggerInvalidError(f"trigger {trigger.slug} fires at {at}, in no time zone; give one")
            if after is not None and after < timedelta():
                raise TriggerInvalidError(f"trigger {trigger.slug} fires after less than no time")
            if after is not None and after > LONGEST:
                raise TriggerInvalidError(f"trigger {trigger.slug} fires after more than a thousand years")
        case Webhook() as webhook:
            _check_webhook(trigger.slug, webhook)
        case ChannelMessage(pattern=pattern):
            try:
                compiled(pattern or "", is_any_case=True)
            except PatternInvalidError as error:
                raise TriggerInvalidError(f"trigger {trigger.slug}: {error}") from error
        case FileChange() as files:
            _check_files(trigger.slug, files)
        case _:
            assert_never(trigger.when)


def _check_files(slug: str, files: FileChange) -> None:
    if not files.folder.startswith("/") or "\0" in files.folder or not files.paths or not files.events:
        raise TriggerInvalidError(f"trigger {slug} watches nothing: give an absolute folder, paths and events")
    for path in files.paths:
        if is_pattern(path):
            raise TriggerInvalidError(
                f"trigger {slug} watches {path!r}, and patterns are not read; give the folder, with all that is in it"
            )
        try:
            check_path(path)
        except WorkspacePathError as error:
            raise TriggerInvalidError(
                f"trigger {slug} watches {path!r}; give paths relative to its folder, without '..'"
            ) from error


def _check_webhook(slug: str, webhook: Webhook) -> None:
    if re.fullmatch(r"[0-9a-f]{64}", webhook.token_digest) is None:
        raise TriggerInvalidError(f"trigger {slug} has no digest of a token; make one with digest_of")
    if webhook.token_digest == digest_of(""):
        raise TriggerInvalidError(f"the token of trigger {slug} is empty, so everybody would know it; give one")
    if webhook.secret is not None and not webhook.secret.strip():
        raise TriggerInvalidError(f"the secret of trigger {slug} is empty, so everybody could sign; give one, or None")
    if not webhook.signature_header.strip():
        raise TriggerInvalidError(f"trigger {slug} names no header for its signature")
    if webhook.max_bytes < 1 or webhook.per_minute < 1:
        raise TriggerInvalidError(f"trigger {slug} takes no call: give max_bytes and per_minute of 1 or more")


def first_due_ms(when: When, *, added_at_ms: int) -> int | None:
    """When a trigger that is added then is due first; None if the clock does not fire it."""
    match when:
        case Cron() as cron:
            return cron.schedule.next_ms(added_at_ms)
        case Delay(after=timedelta() as after):
            return added_at_ms + after // timedelta(milliseconds=1)
        case Delay(at=datetime() as at):
            return (at - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)
        case _:
            return None


def digest_of(token: str) -> str:
    """What is kept of a webhook's token."""
    return hashlib.sha256(token.encode(errors="surrogateescape")).hexdigest()


def trigger_id_of(tenant: str, slug: str) -> str:
    return "t" + hashlib.blake2b(f"{tenant}/{slug}".encode(), digest_size=12).hexdigest()


def fire_id_of(trigger_id: str, key: str) -> str:
    """The same for the same key, whoever fires and however often."""
    return "f" + hashlib.blake2b(f"{trigger_id}/{key}".encode(), digest_size=12).hexdigest()


# -- as JSON -----------------------------------------------------------------------------------------------------------
def spec_to_json(trigger: Trigger) -> JsonValue:
    """All but the name."""
    starts = trigger.starts
    return {
        "when": _when_to_json(trigger.when),
        "starts": None
        if starts is None
        else {
            "bot": starts.bot,
            "owner": starts.owner,
            "message": starts.message,
            "surface": starts.surface,
            "overlap": starts.overlap,
            "at_once": starts.at_once,
        },
    }


def _when_to_json(when: When) -> JsonValue:
    match when:
        case Cron():
            return {
                "expression": when.expression,
                "zone": when.zone,
                "catch_up": when.catch_up,
                "at_most": when.at_most,
            }
        case Delay():
            return {
                "after_s": None if when.after is None else when.after.total_seconds(),
                "at": None if when.at is None else when.at.astimezone(UTC).isoformat(),
            }
        case Webhook():
            return {
                "token_digest": when.token_digest,
                "secret": when.secret,
                "signature_header": when.signature_header,
                "max_bytes": when.max_bytes,
                "per_minute": when.per_minute,
            }
        case ChannelMessage():
            return {"channel": when.channel, "pattern": when.pattern}
        case FileChange():
            return {"folder": when.folder, "paths": list(when.paths), "events": list(when.events)}
        case _:
            assert_never(when)


def trigger_of(slug: str, kind: str, spec: JsonValue) -> Trigger:
    """Raises ``ValueError``, ``KeyError``, ``TypeError`` or ``AttributeError`` for what this version cannot read."""
    starts: dict[str, Any] | None = spec["starts"]
    if starts is not None:
        _check_words(starts.get("overlap", "skip"), of=Overlap)
        _check_words(starts.get("surface", "chat"), of=Surface)
    return Trigger(slug=slug, when=_when_of(kind, spec["when"]), starts=None if starts is None else Starts(**starts))


def _check_words(*words: str, of: Any) -> None:
    if unknown := sorted(set(words).difference(get_args(of))):
        raise ValueError(f"unknown {', '.join(unknown)}; it was written by a newer Overwinter")


def _when_of(kind: str, when: dict[str, Any]) -> When:
    match kind:
        case "cron":
            _check_words(when.get("catch_up", "one"), of=CatchUp)
            return Cron(**when)
        case "delay":
            after_s, at = when["after_s"], when["at"]
            return Delay(
                after=None if after_s is None else timedelta(seconds=after_s),
                at=None if at is None else datetime.fromisoformat(at),
            )
        case "webhook":
            return Webhook(**when)
        case "message":
            return ChannelMessage(**when)
        case "file":
            _check_words(*when["events"], of=FileEvent)
            return FileChange(folder=when["folder"], paths=tuple(when["paths"]), events=tuple(when["events"]))
        case _:
            raise ValueError(f"unknown kind of trigger {kind!r}; it was written by a newer Overwinter")
