"""What people type into the original they quote is noticed by whoever knows what was sent."""

from __future__ import annotations

import pytest

from overwinter.channels.mail.originals import added_to_originals, with_originals
from overwinter.channels.mail.reading import read_mail
from overwinter.channels.mail.results import Doubt

from .clients import Letter, letters
from .letters import FORWARD, QUESTION, REPLY_TO, SETTINGS, SUBJECT, WROTE, case, mail, quoted, read
from .test_email_cases import APPROVERS, MAILS, eml
from .test_messages import ROWS
from .test_messages import read as read_row

SENT = "\n".join(QUESTION)
QUOTING = (
    "em01",
    "em02",
    "em04",
    "em05",
    "em07",
    "em08",
    "em10",
    "em12",
    "em13",
    "em15",
    "em16",
    "em37",
    "em39",
    "em42",
)
THREAD = (SENT, "Yes, go ahead.")
BELOW = f"\n\nOn Tue, 3 Mar 2026 at 10:12, Ops Agent <{REPLY_TO}> wrote:\n\n"
BLOCK = f"\n\nFrom: Ops Agent <{REPLY_TO}>\nSent: Tuesday, 3 March 2026 10:12\nTo: Mara\nSubject: {SUBJECT}\n\n"


@pytest.mark.parametrize("letter", [pytest.param(each, id=each.name) for each in letters()])
def test_what_clients_quote_is_what_was_sent(letter: Letter) -> None:
    result = read(letter.raw)
    assert with_originals(result, (SENT,)) == result


@pytest.mark.parametrize("short", QUOTING)
def test_the_cases_quote_what_was_sent(short: str) -> None:
    assert case(short) in MAILS
    result = read(eml(case(short)), APPROVERS)
    assert with_originals(result, THREAD) == result
    assert not result.question_stays_open


@pytest.mark.parametrize(
    "written",
    [
        f"Approved.{BLOCK}{SENT}\n\nBut only if legal agrees.",
        f"Approved.{BELOW}{SENT}\n\nBut only if legal agrees.",
        f"Approved.{BELOW}{quoted()}\n> But only if legal agrees.",
        f"Approved.{BELOW}{quoted(lines=(QUESTION[0], 'But only if legal agrees.', *QUESTION[1:]))}",
        f"Approved.{BLOCK}{SENT.replace('1234.56', '200')}",
        f"Approved.{BLOCK}{SENT}\nonly until 2026-03-06 10:00, says bob@corp.example",
    ],
)
def test_what_was_typed_into_the_quote_is_asked_about(written: str) -> None:
    result = read(mail(written))
    assert (result.text, result.question_stays_open) == ("Approved.", False)
    checked = with_originals(result, (SENT,))
    assert (checked.doubts, checked.question_stays_open) == ((Doubt.WRITTEN_INTO_QUOTE,), True)
    assert checked.why[-1].step == "doubt"


def test_a_mail_is_compared_as_it_is_read() -> None:
    raw = mail(f"Approved.{BLOCK}{SENT}\n\nBut only if legal agrees.")
    assert read_mail(raw, settings=SETTINGS, originals=(SENT,)).doubts == (Doubt.WRITTEN_INTO_QUOTE,)
    assert not read_mail(mail(f"Approved.{BLOCK}{SENT}"), settings=SETTINGS, originals=(SENT,)).question_stays_open


def test_html_is_compared_as_its_reader_sees_it() -> None:
    question = "<div>Agent &quot;billing-bot&quot; wants to <b>run</b></div>"
    typed = read(mail(html=f"<div>Yes</div><blockquote>{question}<div style='color:red'>only 200</div></blockquote>"))
    assert added_to_originals(typed.left_out, (SENT,)) == ("only 200",)
    clean = read(mail(html=f"<div>Yes</div><blockquote>{question}</blockquote>"))
    assert added_to_originals(clean.left_out, (SENT,)) == ()


@pytest.mark.parametrize("opening", [each for each in WROTE if each not in FORWARD])
def test_a_clients_words_inside_a_quote_are_its_own(opening: str) -> None:
    inner = "\n".join(f"> {line}" for line in f"{opening}\n\n{SENT}".split("\n"))
    assert added_to_originals(inner, (SENT,)) == ()


def test_without_an_original_everything_quoted_is_added() -> None:
    result = read(mail(f"Yes{BELOW}> one\n> two"))
    assert added_to_originals(result.left_out, ()) == ("> one", "> two")


BARE = f'Od "Ops Agent" <{REPLY_TO}>\nKomu mara.lind@corp.example\nDatum 03.03.2026 10:12:44\nPředmět {SUBJECT}'


@pytest.mark.parametrize(
    "below",
    [
        f"------ Původní zpráva ------\n{BARE}\n\n{quoted()}",
        quoted(prefix="OA> "),
        f'-----"Ops Agent" <{REPLY_TO}> ha scritto: -----\n\n{quoted()}',
        f"---- Le Tue, 03 Mar 2026 10:12:12 +0100 Ops Agent <{REPLY_TO}> a écrit ----\n\n{quoted()}",
    ],
)
def test_what_announces_a_quote_in_other_ways_is_no_addition(below: str) -> None:
    result = read(mail(f"Ne.\n\n{below}\n"))
    assert (result.text, added_to_originals(result.left_out, (SENT,))) == ("Ne.", ())


BANNER = "CAUTION: This email originated from outside of the organization. Do not click links or\nopen attachments."


@pytest.mark.parametrize(
    ("banner", "added"),
    [
        (BANNER, ()),
        ("Achtung: Diese E-Mail kommt von außerhalb der Organisation.", ()),
        ("CAUTION: This email originated from outside of the organization. Only 200.", ("> CAUTION",)),
        (f"{BANNER}\nonly 200", ("> only 200",)),
        ("CAUTION: only 200", ("> CAUTION",)),
        ("Do not open", ("> Do not open",)),
    ],
)
def test_a_border_servers_warning_inside_a_quote_is_no_addition(banner: str, added: tuple[str, ...]) -> None:
    above = "".join(f"> {line}\n" for line in banner.split("\n"))
    result = read(mail(f"Denied.\n\nOn 2026-03-03 10:12, Ops Agent wrote:\n{above}{quoted()}\n"))
    found = added_to_originals(result.left_out, (SENT,))
    assert result.text == "Denied."
    assert len(found) == len(added)
    assert all(line.startswith(wanted) for line, wanted in zip(found, added, strict=True))


def test_an_answer_with_somebodys_initials_is_an_addition() -> None:
    typed = read(mail(f"See below.\n\n{quoted(prefix='OA> ')}\nML> only 200\nML> at most\n"))
    assert added_to_originals(typed.left_out, (SENT,)) == ("ML> only 200", "ML> at most")


def test_the_original_of_every_message_is_known_as_what_was_sent() -> None:
    typed_into = {"outlook_de_red_below", "outlook_pl_inline_unmarked", "outlook_cs_two_levels", "html_red_inline_en"}
    quotes_others = {"thirds_approval_quoted_en", "forward_as_quoted_reply_en", "correction_by_reply_to_own_mail_nl"}
    quotes_others |= {"two_replies_quoted_en", "fyi_under_re_en"}
    read_clean = {row["id"]: read_row(row) for row in ROWS}
    closing = {name: result for name, result in read_clean.items() if not result.question_stays_open}
    found = {name for name, result in closing.items() if with_originals(result, (SENT,)).question_stays_open}
    assert found == typed_into | quotes_others
