"""Only Slack's own requests are taken, now, and once."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overwinter.channels.slack.signatures import (
    WINDOW_S,
    SignatureFault,
    SignatureMemory,
    signature_fault,
    signature_of,
)

from .asking import case
from .strategies import unhurried

NOW_S = 1_531_420_618
SECRET = "8f742231b10e8888abcd99yyyzzz85a5"
BODY = (
    b"token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar"
    b"&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com"
    b"%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10"
    b"d2c447fce8b6703c"
)
SIGNED = "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503"
"""The example of https://docs.slack.dev/authentication/verifying-requests-from-slack."""


def fault(**change: Any) -> SignatureFault | None:
    given_values: dict[str, Any] = {
        "body": BODY,
        "timestamp": str(NOW_S),
        "signature": SIGNED,
        "secrets": (SECRET,),
        "now_s": NOW_S,
    }
    return signature_fault(**{**given_values, **change})


def test_the_example_that_slack_gives_is_taken() -> None:
    assert signature_of(SECRET, timestamp=str(NOW_S), body=BODY) == SIGNED
    assert fault() is None
    assert fault(secrets=("another", SECRET)) is None


@pytest.mark.case("se08")
@pytest.mark.parametrize("timestamp", case("se08", "security")["input"]["timestamps"])
def test_a_request_is_taken_within_five_minutes_of_its_time(timestamp: str) -> None:
    found = case("se08", "security")
    signed = signature_of(SECRET, timestamp=timestamp, body=BODY)
    taken = fault(timestamp=timestamp, signature=signed, now_s=found["input"]["now"]) is None
    assert taken == (timestamp in found["expect"]["accepted"])


@pytest.mark.case("se08")
def test_a_signature_is_taken_once_within_its_window() -> None:
    memory = SignatureMemory()
    assert memory.fault(SIGNED, now_s=NOW_S) is None
    for later_s in (0, 1, WINDOW_S, 2 * WINDOW_S):
        assert memory.fault(SIGNED, now_s=NOW_S + later_s) is SignatureFault.SEEN
    assert memory.fault("v0=other", now_s=NOW_S) is None


@pytest.mark.case("se08")
def test_a_signature_is_forgotten_only_when_its_time_refuses_it() -> None:
    """A request may be five minutes ahead of us, and be replayed until it is five minutes behind."""
    memory = SignatureMemory()
    sent_s = NOW_S + WINDOW_S
    signed = signature_of(SECRET, timestamp=str(sent_s), body=BODY)
    assert memory.fault(signed, now_s=NOW_S) is None
    for now_s in range(NOW_S, NOW_S + 3 * WINDOW_S, 50):
        if fault(timestamp=str(sent_s), signature=signed, now_s=now_s) is None:
            assert memory.fault(signed, now_s=now_s) is SignatureFault.SEEN


def test_a_memory_is_no_larger_than_it_was_told() -> None:
    memory = SignatureMemory(most=3)
    for number in range(10):
        assert memory.fault(str(number), now_s=NOW_S) is None
    assert memory.fault("9", now_s=NOW_S) is SignatureFault.SEEN
    assert memory.fault("0", now_s=NOW_S) is None


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"body": BODY + b"&"}, SignatureFault.NOT_SLACK),
        ({"timestamp": str(NOW_S + 1)}, SignatureFault.NOT_SLACK),
        ({"signature": SIGNED[:-1]}, SignatureFault.NOT_SLACK),
        ({"signature": SIGNED.upper()}, SignatureFault.NOT_SLACK),
        ({"signature": ""}, SignatureFault.NOT_SLACK),
        ({"signature": None}, SignatureFault.NOT_SLACK),
        ({"signature": "v0=\ud800é"}, SignatureFault.NOT_SLACK),
        ({"secrets": ("another",)}, SignatureFault.NOT_SLACK),
        ({"secrets": ()}, SignatureFault.NO_SECRET),
        ({"secrets": ("", " ")}, SignatureFault.NO_SECRET),
        ({"timestamp": None}, SignatureFault.NO_TIMESTAMP),
        ({"timestamp": "١٥٣١٤٢٠٦١٨"}, SignatureFault.NO_TIMESTAMP),
        ({"timestamp": f" {NOW_S}"}, SignatureFault.NO_TIMESTAMP),
        ({"timestamp": f"{NOW_S}\n"}, SignatureFault.NO_TIMESTAMP),
        ({"timestamp": "9" * 5_000}, SignatureFault.NO_TIMESTAMP),
        ({"now_s": NOW_S + WINDOW_S + 1}, SignatureFault.NOT_NOW),
    ],
)
def test_whatever_is_not_slacks_is_refused(change: dict[str, Any], why: SignatureFault) -> None:
    assert fault(**change) is why


@pytest.mark.parametrize("secret", ["", " ", "\n"])
def test_a_signature_under_an_empty_secret_counts_for_nothing(secret: str) -> None:
    signed = signature_of(secret, timestamp=str(NOW_S), body=BODY)
    assert fault(secrets=(secret,), signature=signed) is SignatureFault.NO_SECRET


@unhurried
@given(st.none() | st.text(), st.none() | st.text(), st.binary())
def test_no_header_raises(timestamp: str | None, signature: str | None, body: bytes) -> None:
    assert fault(timestamp=timestamp, signature=signature, body=body) is not None
