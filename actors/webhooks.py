"""Calls from outside that set triggers off: who may, how large, how often, and the same one again.

    look up by name and token (404) -> as it is, not compressed (415) -> size (413) -> signature over the raw bytes (401)
        -> one fire for each delivery (202), but not too many in a minute (429)

An unknown name and a wrong token are told apart by nobody, and both comparisons take the same time whatever is given.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Mapping
from typing import assert_never

import structlog

from ..store.trigger_rows import TriggerRow, TriggerStatus
from ..store.values import value
from .asks import JsonValue
from .errors import TriggerInvalidError, TriggerUnknownError
from .jsontext import from_json, is_finite, is_flat_enough
from .trigger_kinds import Webhook, digest_of
from .triggers import Triggers, read

DELIVERY_HEADERS = ("Webhook-Id", "X-GitHub-Delivery", "Idempotency-Key")
"""Where senders say which delivery it is, the same each time they send it: Standard Webhooks, GitHub, the IETF's draft."""

_log = structlog.get_logger("overwinter.webhooks")

_LONGEST_ID = 200
_NOBODY = "0" * 64


@value
class Called:
    """A webhook whose token the caller knows."""

    row: TriggerRow
    when: Webhook


@value
class WebhookAnswer:
    """What the caller is told.

    Attributes:
        status: of HTTP.
        retry_after_s: when to try again; None where that would not help.
    """

    status: int
    body: JsonValue
    retry_after_s: int | None = None


NOT_FOUND = WebhookAnswer(status=404, body={"error": "not found"})
TOO_LARGE = WebhookAnswer(status=413, body={"error": "the body is too large"})
TOO_SLOW = WebhookAnswer(status=408, body={"error": "the body took too long"})
PACKED = WebhookAnswer(status=415, body={"error": "the body is compressed; send it as it is"})
UNREADABLE = WebhookAnswer(status=400, body={"error": "the body cannot be read"})


class Webhooks:
    """The webhooks of one tenant."""

    def __init__(self, *, triggers: Triggers, tenant: str) -> None:
        self._triggers = triggers
        self._tenant = tenant

    async def called(self, slug: str, token: str) -> Called | None:
        """The webhook of that name, if the token is its own; else None."""
        try:
            row = await self._triggers.get(self._tenant, slug)
            when = read(row).when
        except (TriggerUnknownError, TriggerInvalidError) as error:
            if isinstance(error, TriggerInvalidError):
                _log.error(error.code, trigger=slug, error=str(error))
            row = when = None
        expected = when.token_digest if isinstance(when, Webhook) else _NOBODY
        is_known = hmac.compare_digest(digest_of(token), expected)
        if row is None or not isinstance(when, Webhook) or not is_known or row.status != TriggerStatus.ENABLED:
            return None
        return Called(row=row, when=when)

    async def receive(self, called: Called, *, headers: Mapping[str, str], body: bytes) -> WebhookAnswer:
        """Take one call in.

        Args:
            headers: by name, whatever the case of that (a ``CIMultiDict``).
            body: the bytes as they came: they are what is signed.
        """
        if len(body) > called.when.max_bytes:
            return TOO_LARGE
        if not _is_signed(called.when, headers, body):
            return WebhookAnswer(status=401, body={"error": "the signature does not fit"})
        given = next((headers[name] for name in DELIVERY_HEADERS if headers.get(name)), None)
        if given is not None and (len(given) > _LONGEST_ID or not given.isprintable()):
            return WebhookAnswer(
                status=400, body={"error": f"the delivery's id has more than {_LONGEST_ID} characters"}
            )
        key = None if given is None else f"delivery {given}"
        payload = _payload_of(body, headers.get("Content-Type", ""))
        fired = await self._triggers.fire(called.row, key=key, payload=payload, per_minute=called.when.per_minute)
        match fired.outcome:
            case "fired" | "duplicate":
                return WebhookAnswer(status=202, body={"delivery_id": fired.fire_id})
            case "conflict":
                return WebhookAnswer(status=409, body={"error": "this delivery came before with another body"})
            case "limited":
                return WebhookAnswer(status=429, body={"error": "too many calls in a minute"}, retry_after_s=60)
            case "refused":
                return NOT_FOUND
            case _:
                assert_never(fired.outcome)


def _is_signed(when: Webhook, headers: Mapping[str, str], body: bytes) -> bool:
    if when.secret is None:
        return True
    expected = hmac.new(when.secret.encode(), body, hashlib.sha256).hexdigest()
    given = headers.get(when.signature_header, "").removeprefix("sha256=").lower()
    return hmac.compare_digest(given.encode(errors="replace"), expected.encode())


def _payload_of(body: bytes, content_type: str) -> JsonValue:
    """The body as JSON if it is that, to the letter, and not nested too deeply to be kept; else as text, else in base64."""
    content_type = content_type.encode(errors="surrogateescape").decode(errors="replace")
    try:
        payload: JsonValue = {"content_type": content_type, "body": from_json(body.decode())}
        if is_finite(payload) and is_flat_enough(payload):
            return payload
    except ValueError:
        pass
    try:
        return {"content_type": content_type, "body": body.decode()}
    except UnicodeDecodeError:
        return {"content_type": content_type, "body_base64": base64.b64encode(body).decode()}
