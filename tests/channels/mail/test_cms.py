"""The message inside an opaque S/MIME signature."""

from __future__ import annotations

import pytest

from overwinter.channels.mail.cms import signed_content

from .letters import CASES, leaf, read, with_body

SIGNED_DATA, DATA = bytes.fromhex("06092a864886f70d010702"), bytes.fromhex("06092a864886f70d010701")
MESSAGE = b"Content-Type: text/plain\r\n\r\nRejected.\r\n"


def der(tag: int, *content: bytes) -> bytes:
    """An element of definite length."""
    data = b"".join(content)
    size = len(data).to_bytes(3, "big")
    return bytes((tag, len(data))) + data if len(data) < 128 else bytes((tag, 0x83)) + size + data


def ber(tag: int, *content: bytes) -> bytes:
    """An element of indefinite length, as signers that stream write it."""
    return bytes((tag, 0x80)) + b"".join(content) + b"\0\0"


def streamed(*pieces: bytes) -> bytes:
    octets = ber(0x24, *(der(0x04, piece) for piece in pieces))
    signed = ber(0x30, der(0x02, b"\x01"), der(0x31), ber(0x30, DATA, ber(0xA0, octets)))
    return ber(0x30, SIGNED_DATA, ber(0xA0, signed))


def whole(content: bytes, kind: bytes = SIGNED_DATA) -> bytes:
    signed = der(0x30, der(0x02, b"\x01"), der(0x31), der(0x30, DATA, der(0xA0, der(0x04, content))))
    return der(0x30, kind, der(0xA0, signed))


def test_the_content_is_found_however_it_is_encoded() -> None:
    assert signed_content(whole(MESSAGE)) == MESSAGE
    assert signed_content(whole(MESSAGE * 100)) == MESSAGE * 100
    assert signed_content(streamed(MESSAGE[:7], MESSAGE[7:])) == MESSAGE


def test_a_signed_answer_is_read() -> None:
    body = b"Content-Type: application/x-pkcs7-mime; name=smime.p7m\r\n\r\n" + streamed(MESSAGE)
    assert read(with_body(body)).text == "Rejected."


def test_a_signature_around_a_signature_is_opened_only_so_often() -> None:
    content = MESSAGE
    for _ in range(5):
        content = b"Content-Type: application/pkcs7-mime\r\n\r\n" + whole(content)
    assert read(with_body(content)).mail_class.value == "unreadable"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"0",
        b"0\x84\xff\xff\xff\xff",
        whole(MESSAGE)[:-5],
        whole(MESSAGE, kind=DATA),
        whole(MESSAGE, kind=der(0x02, b"\x01")),
        der(0x02, b"\x01"),
        der(0x30, SIGNED_DATA),
        b"\x30\x80" * 1_000,
        ber(0x30, *[der(0x02)] * 20_000),
        der(0x30, SIGNED_DATA, der(0xA0, der(0x30, der(0x02), der(0x31), der(0x30, DATA)))),
    ],
)
def test_what_is_no_signed_message_gives_nothing(data: bytes) -> None:
    assert signed_content(data) is None


@pytest.mark.case("em32")
def test_a_broken_signed_answer_says_nothing_else() -> None:
    raw = (CASES / "emails" / "em32_smime_opaque_signed.eml").read_bytes()
    for at in range(len(raw) - 2_000, len(raw), 37):
        assert read(raw[:at]).text in ("", "Rejected until legal has signed.")


def test_a_file_of_that_type_is_not_read_as_text() -> None:
    assert read(with_body(leaf("Approve", "application/pkcs7-mime"))).text == ""
