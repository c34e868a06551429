"""Mails made to exhaust whoever reads them end quickly, as too large or unreadable, and the next one is read."""

from __future__ import annotations

import base64
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import replace

import pytest

from overwinter.channels.mail.results import Doubt, MailClass
from overwinter.channels.mail.settings import Limits

from .letters import SETTINGS, leaf, mail, multipart, read, with_body

MEGABYTE = 1024 * 1024
LONGEST_S = 10.0
"""Of the processor, on a machine that measures coverage meanwhile; what grew with the square would take hours."""
KEPT_OPEN = (MailClass.OVERSIZE, MailClass.UNREADABLE)


def with_attachment(size: int) -> bytes:
    data = base64.encodebytes(b"\0" * size).replace(b"\n", b"\r\n")
    attachment = b"Content-Type: application/pdf; name=a.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n" + data
    return with_body(multipart("mixed", leaf("Approve"), attachment))


def nested(depth: int) -> bytes:
    head = b"".join(
        f'Content-Type: multipart/mixed; boundary="b{level}"\r\n\r\n--b{level}\r\n'.encode() for level in range(depth)
    )
    return with_body(head + leaf("Approve"))


def many_parts(count: int) -> bytes:
    return with_body(b'Content-Type: multipart/mixed; boundary="b"\r\n\r\n' + b"--b\r\n\r\n\r\n" * count + b"--b--\r\n")


GENERATED: dict[str, Callable[[], bytes]] = {
    "valid reply and an attachment of 40 MB": lambda: with_attachment(41_943_040),
    "nested 600 deep": lambda: nested(600),
    "200,000 empty parts": lambda: many_parts(200_000),
    "50,000 references": lambda: mail("Approve", headers={"References": "<a> " * 50_000}),
    "5 MB of quote marks in one line": lambda: mail("> " * 2_500_000),
    "On and 200,000 spaces": lambda: mail("On " + " " * 200_000),
}
HOSTILE: dict[str, Callable[[], bytes]] = {
    "a million quoted lines": lambda: mail("Approve\n" + "> x\n" * 1_000_000),
    "40,000 attributions": lambda: mail("On 2026-03-03 10:12, Ops Agent wrote:\n" * 40_000),
    "40,000 headers": lambda: mail("From: a@b.example\nSent: 2026\n" * 20_000),
    "40,000 header names": lambda: mail("x: y\n" * 40_000),
    "one line of 49,000 characters": lambda: mail("a" * 49_000 + ":"),
    "one word of 40,000 characters and an at sign": lambda: mail(("a" * 590 + "@" + ":\n") * 1_000),
    "half a megabyte of open tags": lambda: mail(html="<a " * 170_000),
    "half a megabyte of open quotes": lambda: mail(html="<a b=\"'" * 60_000),
    "half a megabyte of blanks in tags": lambda: mail(html=('<a b="' + " " * 30_000) * 16),
    "half a megabyte of elements": lambda: mail(html="<div>" * 100_000 + "</p>" * 10_000),
    "half a megabyte of comments": lambda: mail(html="<!--" * 120_000),
    "half a megabyte of raw elements": lambda: mail(html="<script>" * 60_000),
    "half a megabyte of styles": lambda: mail(html="<style>" + "a{" * 250_000),
    "thousands of style rules": lambda: mail(html="<style>" + ".a{color:red}" * 30_000 + "</style><p class=a>" * 1_000),
    "half a megabyte of entities": lambda: mail(html="&amp" * 120_000),
    "60,000 open brackets in From": lambda: mail("x", headers={"From": "<" * 30_000 + '"\\' * 15_000}),
    "60,000 quotes in To": lambda: mail("x", headers={"To": '"\\"' * 20_000}),
    "60,000 encoded words": lambda: mail("x", headers={"Subject": "=?a?q?" * 10_000}),
    "60,000 results": lambda: mail("x", results="mx.ask.example.net; " + "(" * 60_000),
    "a long boundary": lambda: with_body(b"Content-Type: multipart/mixed; boundary=" + b"b" * 60_000 + b"\r\n\r\n--b"),
    "lines that are almost boundaries": lambda: with_body(
        b"Content-Type: multipart/mixed; boundary=b\r\n\r\n" + b"--bc\r\n" * 1_000_000
    ),
    "a deep signature": lambda: with_body(leaf("\x30\x80" * 50_000, "application/pkcs7-mime", "latin-1")),
}


@pytest.mark.parametrize("name", GENERATED)
@pytest.mark.case("em44")
def test_a_mail_beyond_every_limit_leaves_the_question_open(name: str) -> None:
    raw = GENERATED[name]()
    tracemalloc.start()
    started = time.process_time()
    result = read(raw)
    seconds = time.process_time() - started
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert result.mail_class in KEPT_OPEN
    assert (result.text, result.question_stays_open) == ("", True)
    assert result.why
    assert seconds < LONGEST_S
    assert peak < 100 * MEGABYTE
    assert read(mail("Approve")).text == "Approve"


@pytest.mark.parametrize("name", HOSTILE)
def test_no_mail_takes_long(name: str) -> None:
    raw = HOSTILE[name]()
    started = time.process_time()
    read(raw)
    assert time.process_time() - started < LONGEST_S


def test_a_large_attachment_within_limits_is_left_alone() -> None:
    raw = with_attachment(17 * MEGABYTE)
    tracemalloc.start()
    result = read(raw)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert result.text == "Approve"
    assert peak < 60 * MEGABYTE


def test_an_answer_as_long_as_a_document_is_asked_again() -> None:
    result = read(mail("word " * 5_000 + "\n" + "more\n" * 10))
    assert result.doubts == (Doubt.TOO_LONG,)
    assert len(result.text) == SETTINGS.limits.reply_characters


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (Limits(message_bytes=100), "bytes, more than 100"),
        (Limits(header_bytes=100), "headers have more than 100 bytes"),
        (Limits(parts=2), "more than 2 parts"),
        (Limits(depth=0), "nested more than 0 deep"),
        (Limits(text_bytes=3), "a text in it has"),
        (Limits(text_characters=3), "more than 3 characters"),
        (Limits(text_lines=0), "more than 0 lines"),
        (Limits(line_characters=3), "a line of its text has"),
        (Limits(html_tags=0), "its HTML has more than 0 tags"),
    ],
)
def test_the_limit_that_is_passed_is_named(limits: Limits, reason: str) -> None:
    raw = with_body(multipart("mixed", leaf("Approve"), leaf("<p>Really</p>", "text/html")))
    result = read(raw, replace(SETTINGS, limits=limits))
    assert result.mail_class is MailClass.OVERSIZE
    assert any(reason in each.reason for each in result.why)
