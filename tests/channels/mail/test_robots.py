"""What programs send is never an answer, whatever it says and whoever it comes from."""

from __future__ import annotations

import pytest

from overwinter.channels.mail.results import MailClass

from .letters import MARA, OTHER_TOKEN, QUESTION_ID, SUBJECT, TOKEN, leaf, mail, multipart, read, with_body

YES = "Yes, approved."


@pytest.mark.parametrize(
    ("headers", "mail_class"),
    [
        ({"Auto-Submitted": "auto-replied"}, MailClass.AUTO_REPLY),
        ({"Auto-Submitted": "auto-generated (rejected)"}, MailClass.AUTO_REPLY),
        ({"Auto-Submitted": "auto-notified; owner-email=x@corp.example"}, MailClass.AUTO_REPLY),
        ({"X-Autoreply": "yes"}, MailClass.AUTO_REPLY),
        ({"X-Autorespond": "1"}, MailClass.AUTO_REPLY),
        ({"X-Auto-Response-Suppress": "All"}, MailClass.AUTO_REPLY),
        ({"Precedence": "bulk"}, MailClass.AUTO_REPLY),
        ({"Precedence": "auto_reply"}, MailClass.AUTO_REPLY),
        ({"X-POST-MessageClass": "9; Autoresponder"}, MailClass.AUTO_REPLY),
        ({"Return-Path": "<>"}, MailClass.AUTO_REPLY),
        ({"Subject": f"Automatic reply: {SUBJECT}"}, MailClass.AUTO_REPLY),
        ({"Subject": f"Abwesenheitsnotiz: {SUBJECT}"}, MailClass.AUTO_REPLY),
        ({"Subject": f"Réponse automatique : {SUBJECT}"}, MailClass.AUTO_REPLY),
        ({"Subject": f"=?utf-8?B?5LiN5ZyoOg==?= {SUBJECT}"}, MailClass.AUTO_REPLY),
        ({"Subject": f"Автоответ: {SUBJECT}"}, MailClass.AUTO_REPLY),
        ({"List-Id": "Team <team.corp.example>"}, MailClass.LIST_MAIL),
        ({"Precedence": "list"}, MailClass.LIST_MAIL),
        ({"List-Unsubscribe": "<mailto:x@corp.example>"}, MailClass.LIST_MAIL),
        ({"From": "MAILER-DAEMON (Mail Delivery System)"}, MailClass.BOUNCE),
        ({"From": "postmaster@corp.example"}, MailClass.BOUNCE),
        ({"X-Failed-Recipients": MARA}, MailClass.BOUNCE),
        ({"From": "MicrosoftExchange0123456789abcdef0123456789abcdef@corp.example"}, MailClass.BOUNCE),
        ({"From": "Service <no-reply@corp.example>"}, MailClass.AUTO_REPLY),
        ({"From": "do_not.reply+4711@corp.example"}, MailClass.AUTO_REPLY),
        ({"From": "nao-responda@corp.example"}, MailClass.AUTO_REPLY),
        ({"Return-Path": "<>", "Subject": f"Unzustellbar: {SUBJECT}"}, MailClass.BOUNCE),
        ({"Subject": f"Gelesen: {SUBJECT}"}, MailClass.READ_RECEIPT),
        ({"Content-Class": "urn:content-classes:calendarmessage"}, MailClass.CALENDAR_REPLY),
    ],
)
def test_a_program_is_known_by_its_headers(headers: dict[str, str | None], mail_class: MailClass) -> None:
    result = read(mail(YES, headers=headers))
    assert (result.mail_class, result.text) == (mail_class, "")
    assert (result.question, result.question_stays_open, result.is_automatic) == (TOKEN, True, True)


@pytest.mark.parametrize(
    "headers",
    [
        {"Auto-Submitted": "no"},
        {"Precedence": "normal"},
        {"Importance": "high"},
        {"Subject": "Re: Automatic reply: something else"},
        {"Subject": "VS: " + SUBJECT},
        {"X-Mailer": "iPhone Mail (23D127)"},
    ],
)
def test_a_person_stays_a_person(headers: dict[str, str | None]) -> None:
    assert read(mail(YES, headers=headers)).question_stays_open is False


def report(action: str, *, status: str = "5.1.1") -> bytes:
    fields = (
        "Reporting-MTA: dns; mx.corp.example\r\n\r\n"
        f"Final-Recipient: rfc822; {MARA.upper()}\r\nAction: {action}\r\nStatus: {status}\r\n"
    )
    return multipart(
        "report",
        leaf(YES),
        f"Content-Type: message/delivery-status\r\n\r\n{fields}".encode(),
        f"Content-Type: message/rfc822\r\n\r\nMessage-ID: {QUESTION_ID}\r\nSubject: x\r\n\r\nReply APPROVE\r\n".encode(),
        parameters="; report-type=delivery-status",
    )


NOT_ADDRESSED: dict[str, str | None] = {
    "To": "bounces@ask.example.net",
    "Delivered-To": None,
    "In-Reply-To": None,
    "References": None,
}


@pytest.mark.parametrize(("action", "is_permanent"), [("failed", True), ("delayed", False), ("Failed ", True)])
@pytest.mark.case("em20")
def test_a_bounce_says_whom_the_question_did_not_reach(action: str, is_permanent: bool) -> None:
    result = read(with_body(report(action), headers=NOT_ADDRESSED))
    assert (result.mail_class, result.question, result.question_stays_open) == (MailClass.BOUNCE, TOKEN, True)
    assert result.failed_delivery is not None
    assert (result.failed_delivery.recipient, result.failed_delivery.is_permanent) == (MARA, is_permanent)
    assert result.failed_delivery.status == "5.1.1"


def test_a_report_of_a_delivery_is_no_bounce() -> None:
    result = read(with_body(report("delivered", status="2.0.0")))
    assert (result.mail_class, result.failed_delivery) == (MailClass.DELIVERY_RECEIPT, None)


def test_a_bounce_without_a_report_says_what_its_text_says() -> None:
    raw = mail("Sorry.\n550 5.7.1 blocked", headers={"From": "MAILER-DAEMON@corp.example", "X-Failed-Recipients": MARA})
    failed = read(raw).failed_delivery
    assert failed is not None
    assert (failed.recipient, failed.is_permanent, failed.status) == (MARA, True, "")
    raw = mail("<x> temporary failure 4.4.1 timeout", headers={"From": "MAILER-DAEMON@corp.example"})
    failed = read(raw).failed_delivery
    assert failed is not None
    assert (failed.recipient, failed.is_permanent, failed.status) == (None, False, "4.4.1")


@pytest.mark.parametrize(
    "kind",
    [
        'text/calendar; method=REPLY; charset="utf-8"',
        "text/calendar; charset=utf-8",
        'application/ics; method=COUNTER; name="invite.ics"',
    ],
)
@pytest.mark.case("em22")
def test_a_calendars_answer_is_about_the_meeting(kind: str) -> None:
    calendar = leaf("BEGIN:VCALENDAR\nMETHOD:REPLY\nEND:VCALENDAR", kind)
    result = read(with_body(multipart("mixed", leaf("Accepted"), calendar)))
    assert (result.mail_class, result.question_stays_open) == (MailClass.CALENDAR_REPLY, True)


def test_a_calendar_file_beside_an_answer_is_a_file() -> None:
    calendar = leaf("BEGIN:VCALENDAR\nEND:VCALENDAR", 'text/calendar; name="holidays.ics"')
    assert read(with_body(multipart("mixed", leaf("Approved"), calendar))).text == "Approved"


@pytest.mark.parametrize("kind", ["feedback-report", "disposition-notification"])
def test_any_other_report_is_no_answer(kind: str) -> None:
    result = read(with_body(multipart("report", leaf(YES), parameters=f"; report-type={kind}")))
    assert result.is_automatic
    assert result.text == ""


def test_a_bounce_of_another_question_is_not_this_ones() -> None:
    raw = with_body(report("failed").replace(TOKEN.encode(), OTHER_TOKEN.encode()), headers=NOT_ADDRESSED)
    assert read(raw).question == OTHER_TOKEN
