"""Which question a mail belongs to, and the tokens by which that is known."""

from __future__ import annotations

import re

import pytest

from overwinter.channels.mail.reading import question_in, read_mail
from overwinter.channels.mail.results import Doubt, MatchedBy
from overwinter.channels.mail.tokens import (
    is_reply_token,
    message_id,
    parse_token,
    reply_address,
    reply_token,
    token_in_address,
    token_in_message_id,
)

from .letters import MARA, OTHER_TOKEN, QUESTION_ID, REPLY_TO, SETTINGS, TOKEN, mail, read

KEY, OLD_KEY = b"k" * 32, b"o" * 32
PAUSE = "00112233445566778899aabbccddeeff"
OTHER_ID = QUESTION_ID.replace(TOKEN, OTHER_TOKEN)
UNTHREADED: dict[str, str | None] = {"In-Reply-To": None, "References": None}
UNADDRESSED: dict[str, str | None] = {"To": "agent@ask.example.net", "Delivered-To": "agent@ask.example.net"}


def token(key: bytes = KEY, *, tenant: str = "t", pause_id: str = PAUSE, recipient: str = MARA) -> str:
    return reply_token(key, tenant=tenant, pause_id=pause_id, recipient=recipient)


def test_a_token_has_the_form_of_the_cases_and_says_nothing_of_the_pause() -> None:
    made = token()
    assert parse_token(made) == made
    assert parse_token(TOKEN) == TOKEN
    assert re.fullmatch("[0-7][0-9a-hjkmnp-tv-z]{25}", made)
    assert PAUSE not in made


def test_a_token_is_one_questions_and_one_recipients() -> None:
    others = {token(OLD_KEY), token(tenant="u"), token(pause_id="f" * 32), token(recipient="sam@corp.example")}
    assert len(others | {token()}) == 5
    assert token(recipient="Mara.Lind@Corp.example") == token()
    assert token(tenant="ab", pause_id="c") != token(tenant="a", pause_id="bc")


def test_a_token_is_checked_against_every_key() -> None:
    made = token(OLD_KEY)
    assert is_reply_token(made.upper(), (KEY, OLD_KEY), tenant="t", pause_id=PAUSE, recipient=MARA)
    assert not is_reply_token(made, (KEY,), tenant="t", pause_id=PAUSE, recipient=MARA)
    assert not is_reply_token("", (KEY, OLD_KEY), tenant="t", pause_id=PAUSE, recipient=MARA)
    assert not is_reply_token(made, (), tenant="t", pause_id=PAUSE, recipient=MARA)


def test_a_short_key_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 32 bytes"):
        token(b"short")


@pytest.mark.parametrize(
    "text", ["", TOKEN[:-1], TOKEN + "0", "8" + TOKEN[1:], TOKEN.replace("7", "i"), TOKEN[:-1] + "\u0130", "é" * 26]
)
def test_what_has_not_the_form_is_no_token(text: str) -> None:
    assert parse_token(text) is None


def test_an_address_and_a_message_id_lead_back_to_their_token() -> None:
    address = reply_address("agent@ask.example.net", TOKEN)
    assert address == REPLY_TO
    assert token_in_address(address.upper(), "Agent@ask.example.net") == TOKEN
    assert message_id(TOKEN, 1, "ask.example.net") == QUESTION_ID
    assert token_in_message_id(QUESTION_ID.upper(), "ask.example.net") == TOKEN
    assert token_in_message_id(message_id(TOKEN, 12, "ask.example.net"), "Ask.Example.Net") == TOKEN


@pytest.mark.parametrize(
    "text", [QUESTION_ID.replace("q.", "r."), QUESTION_ID.replace(".1@", ".0@"), QUESTION_ID.replace("ask.", "x.")]
)
def test_a_message_id_that_is_not_ours_bears_no_token(text: str) -> None:
    assert token_in_message_id(text, "ask.example.net") is None


@pytest.mark.parametrize(
    ("headers", "question", "matched_by"),
    [
        ({}, TOKEN, ("plus_address", "references")),
        (UNTHREADED, TOKEN, ("plus_address",)),
        ({**UNTHREADED, "To": "x@corp.example", "Cc": f"A, <{REPLY_TO.upper()}>"}, TOKEN, ("plus_address",)),
        (UNADDRESSED, TOKEN, ("references",)),
        ({**UNADDRESSED, "In-Reply-To": None}, TOKEN, ("references",)),
        ({**UNADDRESSED, "References": None}, TOKEN, ("references",)),
        ({**UNADDRESSED, "References": f"{OTHER_ID} {QUESTION_ID}", "In-Reply-To": "<x@gw>"}, TOKEN, ("references",)),
        (
            {**UNADDRESSED, "References": f"{QUESTION_ID},{OTHER_ID}", "In-Reply-To": QUESTION_ID},
            TOKEN,
            ("references",),
        ),
        ({**UNADDRESSED, **UNTHREADED}, None, ()),
        ({**UNADDRESSED, **UNTHREADED, "To": f'"{REPLY_TO}" <x@corp.example>'}, None, ()),
        ({**UNADDRESSED, **UNTHREADED, "To": REPLY_TO.replace("agent", "agents")}, None, ()),
        ({**UNADDRESSED, **UNTHREADED, "To": REPLY_TO.replace("ask.", "ask.x.")}, None, ()),
        ({**UNADDRESSED, **UNTHREADED, "Subject": f"Re: {TOKEN}"}, None, ()),
    ],
)
@pytest.mark.case("em25")
def test_a_question_is_found(headers: dict[str, str | None], question: str | None, matched_by: tuple[str, ...]) -> None:
    result = read(mail("Approve", headers=headers))
    assert (result.question, tuple(each.value for each in result.matched_by)) == (question, matched_by)
    assert result.question_stays_open is (question is None)


@pytest.mark.parametrize(
    ("headers", "question", "doubt"),
    [
        ({"To": f"{REPLY_TO}, {REPLY_TO.replace(TOKEN, OTHER_TOKEN)}"}, TOKEN, Doubt.SEVERAL_QUESTIONS),
        ({"In-Reply-To": OTHER_ID, "References": OTHER_ID}, TOKEN, Doubt.SEVERAL_QUESTIONS),
        ({"To": REPLY_TO.replace(TOKEN, OTHER_TOKEN), "In-Reply-To": None}, OTHER_TOKEN, Doubt.SEVERAL_QUESTIONS),
        ({**UNTHREADED, "To": "somebody@corp.example"}, TOKEN, Doubt.NOT_WRITTEN_TO_US),
        (
            {"To": "sam@corp.example", "Cc": REPLY_TO, "In-Reply-To": "<sam-1@corp.example>"},
            TOKEN,
            Doubt.ANSWERS_OTHERS,
        ),
        (
            {"To": "sam@corp.example, x@corp.example", "In-Reply-To": "<sam-1@corp.example>"},
            TOKEN,
            Doubt.ANSWERS_OTHERS,
        ),
    ],
)
def test_a_mail_of_doubtful_belonging_is_asked_again(
    headers: dict[str, str | None], question: str, doubt: Doubt
) -> None:
    result = read(mail("Approve", headers=headers))
    assert (result.question, result.doubts, result.question_stays_open) == (question, (doubt,), True)


@pytest.mark.parametrize(
    "headers",
    [
        {"To": "sam@corp.example", "Cc": REPLY_TO},
        {"To": f"sam@corp.example, {REPLY_TO}", "In-Reply-To": "<sam-1@corp.example>"},
        {"To": "agent@ask.example.net", "Cc": REPLY_TO, "In-Reply-To": "<gateway-1@corp.example>"},
        {"In-Reply-To": "<my-first-answer@corp.example>"},
    ],
)
def test_an_answer_to_us_may_go_to_others_too(headers: dict[str, str | None]) -> None:
    result = read(mail("Approve", headers=headers))
    assert (result.question, result.doubts) == (TOKEN, ())


def test_the_envelope_names_a_question_but_alone_proves_nothing() -> None:
    raw = mail("Approve", headers={**UNTHREADED, **UNADDRESSED})
    result = read_mail(raw, settings=SETTINGS, envelope=(REPLY_TO,))
    assert (result.question, result.matched_by) == (TOKEN, (MatchedBy.ENVELOPE,))
    assert (result.doubts, result.question_stays_open) == ((Doubt.NOT_WRITTEN_TO_US,), True)


def test_a_question_is_found_before_anything_else_is_read() -> None:
    raw = mail("Approve")
    assert question_in(raw, settings=SETTINGS) == read(raw).question == TOKEN
    assert question_in(mail("x", headers={**UNTHREADED, **UNADDRESSED}), settings=SETTINGS) is None
    assert question_in(b"x: y\r\n" * 20_000, settings=SETTINGS) is None
