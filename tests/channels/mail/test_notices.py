"""Automatic answers without a header that says so, and what is left out by its form alone."""

from __future__ import annotations

import pytest

from overwinter.channels.mail.results import Doubt, MailClass

from .letters import REPLY_TO, SUBJECT, leaf, mail, multipart, quoted, read, with_body


@pytest.mark.parametrize(
    "text",
    [
        "Yes. This is an automated message.",
        "Danke!\n\nBitte antworten Sie nicht auf diese E-Mail.",
        "Oui.\n\nMerci de ne pas répondre à ce message.",
        "ありがとうございます。このメールは自動的に送信されています。",
        "同意。此邮件为系统自动发送，请勿回复。",
    ],
)
def test_what_says_of_itself_that_it_is_automatic_is_so(text: str) -> None:
    result = read(mail(text))
    assert (result.mail_class, result.text, result.question_stays_open) == (MailClass.AUTO_REPLY, "", True)
    assert result.is_automatic


def test_what_stands_in_the_quote_makes_nothing_automatic() -> None:
    result = read(mail("Approve.\n\n> This is an automated message, do not reply to this.\n"))
    assert (result.mail_class, result.text, result.question_stays_open) == (MailClass.HUMAN_REPLY, "Approve.", False)


@pytest.mark.parametrize(
    "text", ["Yes! I am out of the office till May.", "Ja, ich bin im Urlaub.", "はい。休暇中です。"]
)
def test_whoever_says_that_they_are_away_is_asked_again(text: str) -> None:
    result = read(mail(text))
    assert (result.mail_class, result.doubts, result.question_stays_open) == (
        MailClass.HUMAN_REPLY,
        (Doubt.AWAY_NOTICE,),
        True,
    )


@pytest.mark.parametrize(
    "text",
    [
        "Danke für Ihre Mail! Genehmigt. In dringenden Fällen hilft Tom.",
        "Kiitos viestistäsi. Hyväksytty. Kiireellisissä asioissa: Tom.",
        "感谢您的来信。同意。如有急事请打电话。",
        "Yes. Mara no longer works for us.",
        "Sí. A mi regreso contestaré.",
    ],
)
def test_what_reads_as_a_notice_is_asked_again(text: str) -> None:
    assert read(mail(text)).doubts == (Doubt.AWAY_NOTICE,)


@pytest.mark.parametrize(
    "text",
    ["Thank you for your email. Approved.", "Approved. In urgent cases do the same.", "Ja, danke für Ihre Nachricht."],
)
def test_a_person_may_greet_or_speak_of_haste(text: str) -> None:
    assert read(mail(text)).doubts == ()


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("Yes", f"Aceito: {SUBJECT}"),
        ("Hyväksytty", f"Hyväksytty: {SUBJECT}"),
        ("Nej", f"Avböjt: {SUBJECT}"),
        ("Yes", f"Recall: {SUBJECT}"),
        ("Karin Åberg vill återkalla meddelandet Godkänt.", f"Sv: {SUBJECT}"),
        ("👍 Ana ha reagito al tuo messaggio", f"R: {SUBJECT}"),
        ("Loved “Approve or reject?”", f"Re: {SUBJECT}"),
        ("Ana Mota gostou de “Approve or reject?”", f"Re: {SUBJECT}"),
        ("Tom přijal pozvánku.", f"Re: {SUBJECT}"),
        ("Godkänt", f"Godkänt: {SUBJECT}"),
        ("Ναι", f"Έγινε δεκτό: Re: {SUBJECT}"),
        ("👍 Mara Lind šiandien sureagavo", f"Re: {SUBJECT}"),
        ("🎉\n\nMara Lind tegi seda Gmaili kaudu", f"Re: {SUBJECT}"),
    ],
)
def test_what_programs_write_in_a_persons_name_is_asked_again(text: str, subject: str) -> None:
    result = read(mail(text, headers={"Subject": subject}))
    assert (result.mail_class, result.doubts) == (MailClass.HUMAN_REPLY, (Doubt.BY_PROGRAM,))
    assert result.question_stays_open
    assert not result.is_automatic


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("No.", SUBJECT),
        ("No.", f"Ynt: {SUBJECT}"),
        ("No.", f"[EXT] Re[2]: {SUBJECT}"),
        ("No.", f"Antw: Re: {SUBJECT}"),
        ("No.", f"回复：{SUBJECT}"),
        ("No.", "Re: something else"),
        ("👎 no", f"Re: {SUBJECT}"),
        ("👍 Mara", f"Re: {SUBJECT}"),
    ],
)
def test_an_answer_is_an_answer_under_any_sign_of_one(text: str, subject: str) -> None:
    result = read(mail(text, headers={"Subject": subject}))
    assert (result.text, result.doubts) == (text, ())


def test_a_reaction_is_known_by_its_part() -> None:
    body = multipart(
        "alternative", leaf("✅"), leaf('{"version":1,"emoji":"✅"}', "text/vnd.google.email-reaction+json")
    )
    assert read(with_body(body)).doubts == (Doubt.BY_PROGRAM,)


@pytest.mark.parametrize("text", ["Accepted: both.", "I liked the first one", "Recall what I said: no"])
def test_a_person_may_use_such_words(text: str) -> None:
    assert read(mail(text)).doubts == ()


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (f"No.\n\n>>> Ops Agent <{REPLY_TO}> 3/3/2026 10:12 >>>\nReply APPROVE.", "No."),
        ("No.\n\n>>> quoted >>>\nbut this is mine", "No.\n\nbut this is mine"),
        ("OA> Approve?\nOA> Reply APPROVE.\n\nNo.", "No."),
        ("Plan B> plan A, so reject.", "Plan B> plan A, so reject."),
        ("No.\n\n===== Upprunalegt bréf =====\nFrá: Ops\nSent: 3/3/2026\nTo: Mara\nSubject: x\n\nApprove.", "No."),
        ("No.\n\n--- but approve half ---\nFrom: me\nSent: 2026", "No.\n\n--- but approve half ---"),
        (f"{quoted()}\n[...]\nNo.", "No."),
        (f"{quoted()}\nand so on ...\nNo.", "and so on ...\nNo."),
        ("No.\n\nmara.lind@corp.example", "No."),
        ("No, ask\n\ntom@corp.example", "No, ask\n\ntom@corp.example"),
        ("Ne.\n\nPoslano iz mojega iPhona", "Ne."),
        ("Нет.\n\nПолучить Outlook для Android<https://x.example>", "Нет."),
        ("不行。\n\n从我的 iPhone 发送", "不行。"),
        ("No.\n\nSent from my Verizon, Samsung Galaxy smartphone", "No."),
        ("No.\n\nSent from my iPhone, approve the rest", "No.\n\nSent from my iPhone, approve the rest"),
        ("نمی‌خواهم", "نمی‌خواهم"),
    ],
)
def test_what_only_frames_an_answer_is_left_out_and_nothing_else(written: str, text: str) -> None:
    result = read(mail(written))
    assert result.text == text
    assert Doubt.HIDDEN_TEXT not in result.doubts


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>No.</p><div id='Signature'>Mara Lind<br>Head of Finance<br>+44 20 7946 0018</div>", "No."),
        (
            "<p>Yes.</p><div id='Signature'>Mara Lind<br>But only half of it</div>",
            "Yes.\n\nMara Lind\nBut only half of it",
        ),
        (
            "<p>No.</p><br id='lineBreakAtBeginningOfSignature'><div>Skeytið sent úr iPhone</div><div>Takk</div>",
            "No.\n\nTakk",
        ),
        (
            "<p>No.</p><div class='gmail_attr'>Þann 3. skrifaði Ops:</div><blockquote>Approve</blockquote><p>Or later.</p>",
            "No.\n\nOr later.",
        ),
    ],
)
def test_what_a_client_marks_is_left_out_unless_it_answers(html: str, text: str) -> None:
    assert read(mail(html=html)).text == text


def test_a_signature_that_the_html_marks_is_one_in_the_plain_text_too() -> None:
    plain = "Nei.\n\nSkeytið sent úr Galaxy<https://example.net>"
    html = "<p>Nei.</p><div class='x-signature'>Skeytið sent úr <a href='https://example.net'>Galaxy</a></div>"
    result = read(mail(plain, html=html))
    assert (result.text, result.doubts) == ("Nei.", ())


def test_a_forward_that_a_client_marks_as_introduction_is_still_a_forward() -> None:
    html = "<div class='gmail_attr'>---------- Forwarded message ---------<br>From: Tom</div><div>Approved.</div>"
    assert read(mail(html=html)).mail_class is MailClass.FORWARDED
