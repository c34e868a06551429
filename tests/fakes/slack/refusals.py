"""The two ways to be told no: Slack refuses a call of the app, and a person cannot do what a test wants of them."""

from __future__ import annotations

from .shapes import JsonObject


class Refusal(Exception):  # noqa: N818  an answer of Slack's, not a fault of the fake
    """Slack answers ``{"ok": false, "error": …}``; the names are those of the method's documentation.

    See https://docs.slack.dev/apis/web-api/#evaluating_responses and each method's page.
    """

    def __init__(self, error: str, **extra: object) -> None:
        super().__init__(error)
        self.error = error
        self.extra: JsonObject = dict(extra)

    def body(self) -> JsonObject:
        return {"ok": False, "error": self.error, **self.extra}


def invalid_arguments(*complaints: str) -> Refusal:
    """What Slack says to arguments of the wrong shape; the messages name each one."""
    return Refusal(
        "invalid_arguments", response_metadata={"messages": [f"[ERROR] {complaint}" for complaint in complaints]}
    )


class ImpossibleError(AssertionError):
    """A test asked of a person what Slack's clients would not let them do."""
