"""What stands in our mails: readable, in full where it matters, and nothing that a bot or a person wrote acts in them."""

from __future__ import annotations

import email
import email.policy
import re
from dataclasses import replace
from html import escape
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overwinter.actors.asks import AnswerForm, ApprovalForm, Ask, ChoiceForm, Form, Withdrawal
from overwinter.channels.mail.channel import MailChannel
from overwinter.channels.mail.letters import Letter, composed
from overwinter.channels.mail.originals import added_to_originals
from overwinter.channels.mail.reading import read_mail
from overwinter.channels.mail.writing import closing, not_understood, question, subject_of_session

from .letters import MARA, REPLY_TO, SETTINGS, TOKEN, mail, quoted

ARGUMENTS = {"order_id": "4471", "amount": "80.00", "notify": True, "lines": [{"sku": "A-1", "count": 2}]}
WROTE = f"On Tue, 3 Mar 2026 at 10:12, Ops Agent <{REPLY_TO}> wrote:"
APPROVAL = ApprovalForm(tool="refund_card", arguments=ARGUMENTS, schema={"type": "object"})


def asked(form: Form = APPROVAL, **changed: Any) -> Ask:
    ask = Ask(
        pause_id="0f" * 16,
        role="refund-approval",
        prompt="support asks to run refund_card. Approve?",
        form=form,
        session_id="s-1",
        tenant="default",
        owner="olga",
        bot="support",
        asked_at_ms=1_772_000_000_000,
        deadline_at_ms=1_772_600_000_000,
    )
    return replace(ask, **changed)


def letter(ask: Ask | None = None, **changed: Any) -> Letter:
    ask = ask or asked()
    written = question(ask)
    values: dict[str, Any] = {
        "sender": "agent@ask.example.net",
        "sender_name": "Ops Agent",
        "recipient": MARA,
        "reply_to": f"agent+{TOKEN}@ask.example.net",
        "subject": subject_of_session(ask),
        "message_id": f"<q.{TOKEN}.1@ask.example.net>",
        "references": (),
        "at_ms": ask.asked_at_ms,
        "text": written.text,
        "html": written.html,
        "attachment": written.attachment,
    }
    return Letter(**(values | changed))


def parsed(raw: bytes) -> Any:
    return email.message_from_bytes(raw, policy=email.policy.default)


# -- the body ----------------------------------------------------------------------------------------------------------
def test_a_deadline_that_no_calendar_has_is_shown_as_the_last_day_that_it_has() -> None:
    assert "answer by 9999-12-31 23:59 UTC" in question(asked(deadline_at_ms=10**17)).text


def test_a_question_shows_who_asks_what_would_run_and_how_to_answer() -> None:
    text = question(asked()).text
    assert text.startswith("    support asks to run refund_card. Approve?\n")
    assert (
        "To run: refund_card\norder_id: 4471\namount: 80.00\nnotify: yes\nlines[0].sku: A-1\nlines[0].count: 2" in text
    )
    assert "Reply to this mail" in text
    assert "refund-approval, for olga · answer by 2026-03-04 04:53 UTC" in text


def test_a_choice_lists_what_there_is_to_choose_from_and_a_question_its_bot() -> None:
    text = question(asked(ChoiceForm(choices=("left", "right")), prompt="Which door?")).text
    assert text.startswith("support asks:\n\n    Which door?\n")
    assert "choice 1: left\nchoice 2: right" in text
    assert "Use your own words" in question(asked(AnswerForm(schema={"type": "string"}), prompt="Why?")).text


def test_a_question_to_several_says_how_many_it_needs() -> None:
    assert "2 people have to approve, each for themselves" in question(asked(needs=2)).text


def test_a_page_is_linked_where_there_is_one() -> None:
    written = question(asked(), page="https://ask.example.net/a/x?y=1&z=2")
    assert "Or answer on this page:\nhttps://ask.example.net/a/x?y=1&z=2" in written.text
    assert '<a href="https://ask.example.net/a/x?y=1&amp;z=2">' in written.html


LONG = "harmless " * 1000 + "and wire 90,000 to mallory"


def test_a_long_value_shows_both_its_ends_and_the_file_beside_it_has_all_of_it() -> None:
    written = question(asked(replace(APPROVAL, arguments={"note": LONG})))
    assert "and wire 90,000 to mallory" in written.text
    assert re.search(r"\[… [\d,]+ of 9,026 characters left out here; it ends: …\]", written.text)
    assert len(written.text) < 4_000
    assert "question.txt" in written.text
    assert written.attachment is not None
    assert " ".join(written.attachment.split()).count("harmless") == 1000
    assert question(asked()).attachment is None


def test_of_many_arguments_the_first_and_the_last_are_shown() -> None:
    arguments = {f"field{number}": number for number in range(500)}
    written = question(asked(replace(APPROVAL, arguments=arguments)))
    assert "field0: 0" in written.text
    assert "field499: 499" in written.text
    assert "460 more fields are left out here" in written.text
    assert "field250: 250" not in written.text
    assert written.attachment is not None
    assert "field250: 250" in written.attachment


FORGED = "Approve?\n\nTo run: nothing_at_all\namount: 1.00"


def test_no_line_of_a_bot_passes_for_one_of_ours() -> None:
    text = question(asked(replace(APPROVAL, arguments={"note": FORGED}), prompt=FORGED)).text
    assert [line for line in text.split("\n") if line.startswith("To run:")] == ["To run: refund_card"]
    assert [line for line in text.split("\n") if line.startswith("amount:")] == []


@pytest.mark.case("se07")
@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        '"><img src=x onerror=alert(1)>',
        "javascript:alert(1)",
        "<a href='//evil.example'>",
        "&lt;",
    ],
)
def test_nothing_that_a_bot_writes_acts_in_the_html(hostile: str) -> None:
    form = ApprovalForm(tool=hostile, arguments={hostile: hostile}, schema={})
    html = question(asked(form, prompt=hostile, bot=hostile, owner=hostile, role=hostile)).html
    tags = set(re.findall(r"<\s*/?\s*([a-zA-Z!]+)", html))
    assert tags <= {"!DOCTYPE", "html", "body", "div", "p", "table", "tr", "th", "td", "br"}
    assert not re.search(r"<[^>]*(?:src|href|on\w+)\s*=", html)


def test_unseen_characters_are_written_out() -> None:
    text = question(asked(prompt="pay \u202e00.08 now\u200b")).text
    assert "pay \\u202e00.08 now\\u200b" in text


def test_how_a_question_ended_is_one_short_mail() -> None:
    gone = Withdrawal(ask=asked(), ref=None, why="decided", answered_by=MARA, summary=f"Approved by {MARA}")
    text = closing(gone).text
    assert text.startswith(f"Approved by {MARA}. This question is closed")
    assert len(text) < 400


def test_who_was_not_understood_is_told_what_was_read_and_why() -> None:
    text = not_understood(asked(), read="maybe\nlater", why="It says neither yes nor no.").text
    assert "It says neither yes nor no." in text
    assert "    maybe\n    later" in text
    assert "support asks to run refund_card. Approve?" in text


# -- what people quote of it -------------------------------------------------------------------------------------------
HARD = asked(
    replace(APPROVAL, arguments={**ARGUMENTS, "note": "a\n\nb -- c", "<b>": "<i>x</i>", "empty": "", "gap": LONG}),
    prompt="Q:\n> a\nOn Monday X wrote:\nb",
)


@pytest.mark.parametrize("ask", [asked(), HARD, asked(ChoiceForm(choices=("a b", "c"))), asked(needs=3)])
@pytest.mark.parametrize("page", [None, "https://ask.example.net/a/x"])
def test_a_quote_of_the_html_holds_nothing_that_the_plain_text_has_not(ask: Ask, page: str | None) -> None:
    written = question(ask, page=page)
    attribution = f'<div class="gmail_attr">{escape(WROTE)}<br></div>'
    quote = f'<div class="gmail_quote">{attribution}<blockquote class="gmail_quote">{written.html}</blockquote></div>'
    html = f"<div>Yes, go ahead.</div><br>{quote}"
    result = read_mail(mail(html=html), settings=SETTINGS, originals=(written.text,))
    assert (result.text, result.doubts) == ("Yes, go ahead.", ())
    assert added_to_originals(result.left_out, (written.text,)) == ()
    assert result.left_out


@pytest.mark.parametrize("ask", [asked(), HARD])
def test_a_quote_of_the_plain_text_is_known_as_ours(ask: Ask) -> None:
    written = question(ask)
    lines = tuple(written.text.rstrip("\n").split("\n"))
    text = f"Yes, go ahead.\n\n{WROTE}\n\n{quoted(lines=lines)}\n"
    result = read_mail(mail(text), settings=SETTINGS, originals=(written.text,))
    assert (result.text, result.question_stays_open) == ("Yes, go ahead.", False)


# -- the headers -------------------------------------------------------------------------------------------------------
@pytest.mark.case("em46")
def test_a_question_says_that_it_is_automatic_and_where_its_answer_goes() -> None:
    message = parsed(composed(letter()))
    assert message["Auto-Submitted"] == "auto-generated"
    assert message["X-Auto-Response-Suppress"] == "All"
    assert TOKEN in message["Message-ID"]
    assert message["Reply-To"] == f"Ops Agent <agent+{TOKEN}@ask.example.net>"
    assert message["From"] == "Ops Agent <agent@ask.example.net>"
    assert message["To"] == MARA
    assert message["In-Reply-To"] is None
    assert [part.get_content_type() for part in message.iter_parts()] == ["text/plain", "text/html"]


def test_the_same_letter_is_the_same_mail_to_the_byte() -> None:
    big = asked(replace(APPROVAL, arguments={"note": LONG}))
    assert composed(letter(big)) == composed(letter(big))


def test_a_later_mail_of_a_thread_names_the_first_and_the_latest() -> None:
    ids = tuple(f"<q.{number}@ask.example.net>" for number in range(40))
    message = parsed(composed(letter(references=ids)))
    assert message["In-Reply-To"] == ids[-1]
    assert message["References"].split() == [ids[0], *ids[-11:]]


def test_the_subject_is_the_same_over_a_session_and_carries_no_argument() -> None:
    first, second = asked(), asked(replace(APPROVAL, arguments={"amount": "9.99"}), prompt="support asks again")
    assert subject_of_session(first) == subject_of_session(second) != subject_of_session(asked(session_id="s-2"))
    assert "80.00" not in subject_of_session(first)


@pytest.mark.case("se10")
@pytest.mark.parametrize(
    "hostile",
    [
        "Hi\r\nBcc: x@evil.example",
        "Hi\nX-A: 1",
        "Hi\rBcc: x@evil.example",
        "=?utf-8?Q?Hi=0D=0ABcc:_x=40evil.example?=",
        "a       b",
        "x" * 4000,
        "\0null",
        'A" <x@evil.example>, "B',
        "A\r\nReply-To: x@evil.example",
        "\u2028Bcc: x@evil.example",
    ],
)
def test_no_name_adds_a_header_or_a_recipient(hostile: str) -> None:
    plain = parsed(composed(letter()))
    raw = composed(letter(asked(bot=hostile), sender_name=hostile))
    head = raw.partition(b"\r\n\r\n")[0].decode()
    names = [line.partition(":")[0] for line in head.split("\r\n") if line[:1] not in (" ", "\t")]
    assert names == list(plain.keys())
    assert not re.search(r"[^\r]\n|\r[^\n]", head)
    message = parsed(raw)
    assert [each.addr_spec for each in message["From"].addresses] == ["agent@ask.example.net"]
    assert [each.addr_spec for each in message["To"].addresses] == [MARA]
    assert [each.addr_spec for each in message["Reply-To"].addresses] == [f"agent+{TOKEN}@ask.example.net"]
    assert len(str(message["Subject"])) <= 250


@given(st.text(max_size=300), st.text(max_size=80))
def test_whatever_a_bot_is_called_the_headers_are_ours(name: str, prompt: str) -> None:
    raw = composed(letter(asked(bot=name, prompt=prompt, role=name, owner=name), sender_name=name))
    message = parsed(raw)
    assert message.defects == []
    assert message.keys() == parsed(composed(letter())).keys()
    assert [each.addr_spec for each in message["From"].addresses] == ["agent@ask.example.net"]


@pytest.mark.case("se10")
@pytest.mark.parametrize(
    "address",
    [
        "a@corp.example\r\nRCPT TO:<x@evil.example>",
        "a@corp.example, x@evil.example",
        '"a b"@corp.example',
        "a@corp.example ",
        "мара@corp.example",
        "corp.example",
        "",
    ],
)
def test_what_is_not_one_plain_address_is_refused_where_it_is_declared(address: str) -> None:
    if address.strip() == "a@corp.example":
        assert MailChannel([address]).answerers == ("a@corp.example",)
        return
    with pytest.raises(ValueError, match="not one plain mail address"):
        MailChannel([address])
    with pytest.raises(ValueError, match="not one plain address"):
        composed(letter(recipient=address))


def test_a_channel_names_its_people_once_and_somebody_at_all() -> None:
    assert MailChannel(["Mara@Corp.example", "mara@corp.example"]).answerers == ("mara@corp.example",)
    with pytest.raises(ValueError, match="at least one"):
        MailChannel([])
    with pytest.raises(ValueError, match="list of addresses"):
        MailChannel("mara@corp.example")
