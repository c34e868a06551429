"""The cases of ``tests/cases/email_replies.yaml``, with their mails byte for byte."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from overwinter.actors.asks import Understood
from overwinter.channels.interpreters.rules import read_by_rules
from overwinter.channels.mail.addresses import mailboxes
from overwinter.channels.mail.parts import Part, parse_message
from overwinter.channels.mail.results import MailReadingResult
from overwinter.channels.roles import Approval

from ..interpreters.asks import CHOICES, PROMPT, refund
from .letters import CASES, MARA, REPLY_TO, SETTINGS, TOKEN, cases, mail, read

WORDS = (
    *("class", "question", "matched_by", "sender", "sender_allowed", "question_stays_open", "hidden_text_found"),
    *("failed_recipient", "permanent", "security_event", "send_no_mail_back"),
)
"""What a case may expect of the reading alone, under the names of ``as_json``."""


def eml(case: dict[str, Any]) -> bytes:
    return (CASES / case["input"]["eml"]).read_bytes()


def approvers() -> tuple[str, ...]:
    """Every address in ``From`` of the people's answers, except where the case says it is not allowed."""
    found: set[str] = set()
    for case in MAILS:
        message = parse_message(eml(case), SETTINGS.limits)
        assert isinstance(message, Part)
        if case["expect"].get("sender_allowed", True):
            found.update(box.address for box in mailboxes(message.first("from")) if box.address)
    return tuple(sorted(found))


MAILS = [case for case in cases() if "eml" in case["input"]]
APPROVERS = replace(SETTINGS, answerers=approvers())


def expectations(case: dict[str, Any]) -> list[dict[str, Any]]:
    return case["expect"].get("one_of", [case["expect"]])


def params(*wanted: str) -> list[Any]:
    """The cases with a mail that say all of ``wanted``."""
    return [
        pytest.param(case, id=case["id"], marks=pytest.mark.case(case["id"].partition("_")[0]))
        for case in MAILS
        if all(any(word in expect for expect in expectations(case)) for word in wanted)
    ]


def decisions(result: MailReadingResult) -> set[str]:
    """What rules make of a mail, asked for a choice and for a refund: ``none`` where it is not put to them."""
    if result.question_stays_open:
        return {"none"}
    found: set[str] = set()
    for form in (CHOICES, refund("1234.56")):
        reading = read_by_rules(form, PROMPT, result.text)
        if not isinstance(reading, Understood):
            found.add("ask_again")
        elif isinstance(reading.decision, str):
            found.add(reading.decision)
        else:
            approval = Approval.model_validate(reading.decision)
            is_changed = approval.override_arguments is not None
            found.add("conditional" if is_changed else "approve" if approval.approved else "reject")
    return found


ALLOWED = {
    "approve": {"approve"},
    "reject": {"reject"},
    "conditional": {"conditional", "ask_again"},
    "partial": {"partial", "ask_again"},
    "not_approve": {"none", "ask_again", "reject"},
    "ask_again": {"none", "ask_again"},
    "none": {"none"},
}


@pytest.mark.parametrize("case", params())
def test_a_mail_is_read_as_its_case_says(case: dict[str, Any]) -> None:
    found = read(eml(case), APPROVERS).as_json()
    wanted = [{word: expect[word] for word in WORDS if word in expect} for expect in expectations(case)]
    assert {word: found[word] for word in wanted[0]} in wanted


@pytest.mark.parametrize("case", params("text"))
def test_the_new_text_is_exactly_that_of_its_case(case: dict[str, Any]) -> None:
    result = read(eml(case), APPROVERS)
    texts = {expect["text"] for expect in expectations(case) if "text" in expect}
    endings = {
        text + "\n\n" + case["expect"]["text_may_end_with"] for text in texts if "text_may_end_with" in case["expect"]
    }
    assert result.text in texts | endings


@pytest.mark.parametrize("case", params())
def test_nothing_forbidden_is_in_the_text(case: dict[str, Any]) -> None:
    text = read(eml(case), APPROVERS).text
    assert [word for word in case["expect"].get("must_not_contain", []) if word in text] == []
    assert [word for word in case["expect"].get("must_contain", []) if word not in text] == []


@pytest.mark.parametrize("case", params("decision"))
def test_rules_decide_what_a_careful_person_would(case: dict[str, Any]) -> None:
    allowed: set[str] = set[str]().union(*(ALLOWED[expect["decision"]] for expect in expectations(case)))
    assert decisions(read(eml(case), APPROVERS)) <= allowed


@pytest.mark.case("em39")
def test_a_correction_decides_by_its_own_words() -> None:
    (case,) = [each for each in MAILS if each["id"].startswith("em39_")]
    assert decisions(read(eml(case), APPROVERS)) == {case["expect"]["if_question_still_open"]}


@pytest.mark.case("em32")
def test_an_opaque_signature_hides_no_answer() -> None:
    (case,) = [each for each in MAILS if each["id"].startswith("em32_")]
    result = read(eml(case), APPROVERS)
    assert result.text == "Rejected until legal has signed."
    assert decisions(result) == {"reject"}


@pytest.mark.case("em27")
def test_a_mail_that_comes_again_is_known_by_its_key() -> None:
    (case,) = [each for each in MAILS if each["id"].startswith("em27_")]
    first = eml(case)
    again = first.replace(b"id rx0007", b"id rx0999").replace(b"Delivered-To", b"X-Scanned: yes\r\nDelivered-To")
    assert read(again, APPROVERS).dedupe_key == read(first, APPROVERS).dedupe_key
    forged = first.replace(b"From: Mara Lind <mara.lind@", b"From: Mara Lind <mallory@")
    assert read(forged, APPROVERS).dedupe_key != read(first, APPROVERS).dedupe_key


@pytest.mark.case("em27")
def test_a_mail_without_a_message_id_is_known_by_its_content() -> None:
    one, again = (mail("Reject.", headers={"Message-ID": None, "Received": f"by mx id {number}"}) for number in (1, 2))
    other = mail("Approve.", headers={"Message-ID": None})
    assert read(one).dedupe_key == read(again).dedupe_key != read(other).dedupe_key


@pytest.mark.case("em46")
@pytest.mark.parametrize("sender", [REPLY_TO, "agent@ask.example.net", f"Agent+{TOKEN.upper()}@Ask.Example.Net"])
def test_our_own_mail_come_back_is_no_answer(sender: str) -> None:
    result = read(
        mail("Approve", headers={"From": f"Ops Agent <{sender}>", "Message-ID": f"<q.{TOKEN}.1@ask.example.net>"})
    )
    assert result.as_json()["class"] == "own_mail"
    assert (result.text, result.question_stays_open, result.is_automatic) == ("", True, True)
    assert (
        read(mail("Approve", headers={"Message-ID": f"<q.{TOKEN}.2@ask.example.net>"})).mail_class.value == "own_mail"
    )


def test_every_case_with_a_mail_is_read() -> None:
    assert len(MAILS) == 29
    assert MARA in APPROVERS.answerers
    assert "sam.reed@corp.example" not in APPROVERS.answerers
