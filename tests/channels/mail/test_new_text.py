"""What of a text is new, beyond what clients do by themselves: where people put their words, and what stands around them."""

from __future__ import annotations

import orjson
import pytest

from overwinter.channels.mail.results import Doubt, MailClass

from .letters import MARA, QUESTION, REPLY_TO, SUBJECT, leaf, mail, multipart, quoted, read, with_body

WROTE = f"On Tue, Mar 3, 2026 at 10:12 AM Ops Agent <{REPLY_TO}> wrote:"
BLOCK = f"From: Ops Agent <{REPLY_TO}>\nSent: Tuesday, 3 March 2026 10:12\nTo: Mara\nSubject: {SUBJECT}"
BELOW = f"\n\n{WROTE}\n\n{quoted()}\n"
BASE64 = b"Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n"
QUOTED_PRINTABLE = BASE64.replace(b"base64", b"quoted-printable")
LIMITING = (
    "However, this message is confidential: the addressee of the credit note must not learn of it, and any disclosure, "
    "also by mail to the other departments, is prohibited until the audit is over."
)
EINSCHRÄNKEND = (
    "Allerdings nur, wenn die Nachricht an den Kunden vertraulich bleibt: der Empfänger darf den Betrag nicht erfahren, und "
    "die Weitergabe der Mail ist nicht gestattet."
)
DISCLAIMER = (
    "If you are not the intended recipient of this confidential message, any disclosure is prohibited. Only the addressee may "
    "read the attachments."
)


@pytest.mark.parametrize(
    ("written", "text"),
    [
        # Where the answer stands.
        ("Yes." + BELOW, "Yes."),
        (f"{WROTE}\n{quoted()}\n\nYes.", "Yes."),
        (f"{WROTE}\n{quoted()}\nYes.", "Yes."),
        (f"Hello,{BELOW}\nYes.", "Hello,\n\nYes."),
        (f"> {QUESTION[0]}\n\nYes.\n\n> {QUESTION[-1]}\n", "Yes."),
        # Own words that look like a quote's beginning.
        ("On our side the limit is 500.\nApprove 500.\n" + BELOW, "On our side the limit is 500.\nApprove 500."),
        ("On Friday\nOn 2026-03-03 10:12, Ops Agent wrote:\n" + quoted(), "On Friday"),
        ("Approve, but not this part:\n> refund(order=4471)", "Approve, but not this part:"),
        ("Yes, as I wrote:\n> only until Friday", "Yes, as I wrote:"),
        ("Yes.\nOnly until 2026-03-06, and for this:\n" + quoted(), "Yes.\nOnly until 2026-03-06, and for this:"),
        ("Yes.\nBut ask bob@corp.example about this:\n" + quoted(), "Yes.\nBut ask bob@corp.example about this:"),
        (f"Yes, but only half\nOps Agent <{REPLY_TO}> wrote at 10:12:\n{quoted()}", "Yes, but only half"),
        ("From: 1 March\nTo: 5 March\nyes", "From: 1 March\nTo: 5 March\nyes"),
        ("Yes\n-----\nbut only 200", "Yes\n-----\nbut only 200"),
        ("Yes\n________________\nbut only 200", "Yes\n________________\nbut only 200"),
        ("Approved.\nLimit: 200\n" + BLOCK, "Approved.\nLimit: 200"),
        ("Approved.\nDate: Friday only\n\n" + BLOCK, "Approved.\nDate: Friday only"),
        ("Yes.\nOn Friday only,\nOn 2026-03-03 10:12, Ops Agent wrote:\n" + quoted(), "Yes.\nOn Friday only,"),
        (BLOCK + f"\n\n{quoted()}\n\nNote: only 200\nYes", "Note: only 200\nYes"),
        # Signatures, and what is none.
        ("Yes.\n\n-- \nMara Lind\nHead of Approvals" + BELOW, "Yes."),
        ("Yes.\n--\nMara Lind" + BELOW, "Yes."),
        ("Yes\n--\nbut only 200", "Yes\n--\nbut only 200"),
        ("Yes\n--\n200 at most", "Yes\n--\n200 at most"),
        ("Yes.\n\nThanks,\nMara" + BELOW, "Yes."),
        ("Yes.\n\nThanks,\nMara\nP.S. only until Friday" + BELOW, "Yes.\n\nThanks,\nMara\nP.S. only until Friday"),
        ("Yes.\n\nRegards,\nMara\nNur März\n+44 20 7946 0018", "Yes.\n\nRegards,\nMara\nNur März\n+44 20 7946 0018"),
        ("Yes.\n\nRegards,\nMara\nHead of Finance\n+44 20 7946 0018", "Yes."),
        ("Yes.\n\nThanks,\nCancel" + BELOW, "Yes.\n\nThanks,\nCancel"),
        ("Yes.\n\nThanks" + BELOW, "Yes.\n\nThanks"),
        ("Yes.\n\nSent from my iPhone" + BELOW, "Yes."),
        ("Yes.\n\nSent from my iPhone, but only until Friday", "Yes.\n\nSent from my iPhone, but only until Friday"),
        ("Yes.\n\nSent from my Fairphone" + BELOW, "Yes."),
        ("Ja.\n\nGesendet von meinem Xperia™-Smartphone" + BELOW, "Ja."),
        ("Yes.\n\nSent from a mobile device, please excuse typos and brevity." + BELOW, "Yes."),
        ("Yes.\n\nSent on the go - sorry for any typos" + BELOW, "Yes."),
        ("Ja.\n\nVon unterwegs gesendet; entschuldige etwaige Tippfehler." + BELOW, "Ja."),
        ("Sim.\n\nEnviado com o Proton Mail para Android" + BELOW, "Sim."),
        ("同意。\n\n发自我的华为手机" + BELOW, "同意。"),
        ("Yes.\n\nSent from my phone, sorry, only 200", "Yes.\n\nSent from my phone, sorry, only 200"),
        ("Yes.\n\nSent from my boss", "Yes.\n\nSent from my boss"),
        ("Yes.\n\nSent on the go - not for order 4471", "Yes.\n\nSent on the go - not for order 4471"),
        ("Sent from my iPhone\n\nYes.", "Sent from my iPhone\n\nYes."),
        ("Yes\nbut only what was sent by mail", "Yes\nbut only what was sent by mail"),
        ("Yes\nSent via mail only", "Yes\nSent via mail only"),
        ("Yes\nbut not the avast invoice", "Yes\nbut not the avast invoice"),
        ("Yes\nhttps://x.example/instead", "Yes\nhttps://x.example/instead"),
        ("Yes.\n\nSent from Yahoo Mail for iPhone<https://x.example>" + BELOW, "Yes."),
        (
            "Yes.\n\nSent from my phone. Excuse typos, approve only 200.",
            "Yes.\n\nSent from my phone. Excuse typos, approve only 200.",
        ),
        ("Yes.\n\n[cid:image001.png@01D]\n[image: logo]", "Yes."),
        ("Yes.\n\nVirenfrei.www.avast.com", "Yes."),
        (
            "Yes.\n\nBut keep this message confidential to the addressee.",
            "Yes.\n\nBut keep this message confidential to the addressee.",
        ),
        ("Yes.\nFrom: a@corp.example\nTo: b@corp.example", "Yes.\nFrom: a@corp.example\nTo: b@corp.example"),
        ("Yes.\n\nSent from my phone. Please excuse typos." + BELOW, "Yes."),
        ("Yes, if the addressee is right.", "Yes, if the addressee is right."),
        ("CAUTION: This email originated from outside the organisation.\nDo not click.\n\nYes.", "Yes."),
        ("ACHTUNG: Externer Absender!\n\nJa.", "Ja."),
        ("Only if the external sender agrees.\n\nYes.", "Only if the external sender agrees.\n\nYes."),
        # What stands below an answer as a signature or a disclaimer does, and takes it back.
        ("Ja\n-- \nAber erst ab Mai" + BELOW, "Ja\n-- \nAber erst ab Mai".replace("-- ", "--")),
        ("Yes.\n--\nMara Lind\nP.S. Not before Friday." + BELOW, "Yes.\n--\nMara Lind\nP.S. Not before Friday."),
        ("同意\n--\n但不超过500元", "同意\n--\n但不超过500元"),
        (
            "Oui\n—\nÀ condition que le service juridique soit d'accord",
            "Oui\n—\nÀ condition que le service juridique soit d'accord",
        ),
        ("Yes.\n--\nMax Limit" + BELOW, "Yes."),
        ("Yes.\n--\nHead of Approvals\nNo. 1 Street" + BELOW, "Yes.\n--\nHead of Approvals\nNo. 1 Street"),
        (f"Yes.\n\n{LIMITING}", f"Yes.\n\n{LIMITING}"),
        (f"Ja.\n\n{EINSCHRÄNKEND}", f"Ja.\n\n{EINSCHRÄNKEND}"),
        (f"Yes.\n\n{DISCLAIMER}", "Yes."),
        # Marks of other kinds.
        ("\ufeffYes.\u200b" + BELOW, "Yes."),
        ("\u200fכן.\u200f\n\u200fתודה.\u200e", "כן.\nתודה."),
        ("Yes.\r\rNo.\u2028Maybe.", "Yes.\n\nNo.\nMaybe."),
        ("  Yes.\xa0 \n\n\n\n  Really. ", "Yes.\n\nReally."),
        (">Yes." + BELOW, ""),
        ("» Yes." + BELOW, ""),
    ],
)
def test_the_new_text_is_what_is_left(written: str, text: str) -> None:
    assert read(mail(written)).text == text


def test_nothing_new_is_an_empty_answer() -> None:
    result = read(mail(BELOW + "\n-- \nMara Lind | Head of Approvals"))
    assert (result.mail_class, result.text, result.question_stays_open) == (MailClass.EMPTY, "", True)


def test_several_answers_between_quotes_are_asked_again() -> None:
    result = read(mail(f"{WROTE}\n> refund 4471\nyes\n> refund 4472\nno\n"))
    assert (result.text, result.doubts) == ("yes\n\nno", (Doubt.ANSWERS_BETWEEN_QUOTES,))
    assert result.question_stays_open


@pytest.mark.parametrize(
    "written",
    [
        "Approved.\n\n---------- Forwarded message ---------\nFrom: Tom <tom@corp.example>\nDate: 3 Mar 2026\n\nYes, approved.",
        "Approved.\n\nBegin forwarded message:\n\n> From: Tom <tom@corp.example>\n> Yes, approved.",
        f"\n-------- Weitergeleitete Nachricht --------\nVon: Tom <tom@corp.example>\nBetreff: {SUBJECT}\n\nGenehmigt.",
        f"---------- 转发的邮件 ---------\n发件人： Tom <tom@corp.example>\n主题： {SUBJECT}\n\n同意",
    ],
)
@pytest.mark.case("em23")
def test_a_forwarded_mail_approves_nothing(written: str) -> None:
    result = read(mail(written))
    assert (result.mail_class, result.text, result.question_stays_open) == (MailClass.FORWARDED, "", True)


@pytest.mark.parametrize(
    "prefix", ["Fwd", "FW", "WG", "TR", "RV", "I", "ENC", "VB", "PD", "İLT", "Πρθ", "转发", "転送"]
)
def test_a_subject_of_a_forward_approves_nothing(prefix: str) -> None:
    assert read(mail("Approved.", headers={"Subject": f"{prefix}: {SUBJECT}"})).mail_class is MailClass.FORWARDED
    assert read(mail("Approved.", headers={"Subject": f"Re: {prefix}: {SUBJECT}"})).text == "Approved."


def test_a_redirected_mail_approves_nothing() -> None:
    result = read(mail("Approved.", headers={"Resent-From": "tom@corp.example"}))
    assert (result.mail_class, result.question_stays_open) == (MailClass.FORWARDED, True)


def test_an_attached_mail_is_not_read() -> None:
    attached = b"Content-Type: message/rfc822\r\n\r\n" + mail("Approved.")
    result = read(with_body(multipart("mixed", leaf(""), attached)))
    assert (result.mail_class, result.text) == (MailClass.FORWARDED, "")
    assert read(with_body(multipart("mixed", leaf("No."), attached))).text == "No."


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (multipart("mixed", leaf("Yes, but"), leaf("only 200")), "Yes, but\nonly 200"),
        (multipart("mixed", leaf("Yes"), leaf("No", 'text/plain; name="no.txt"')), "Yes"),
        (multipart("mixed", leaf("Yes"), leaf("No", extra="Content-Disposition: attachment\r\n")), "Yes"),
        (multipart("related", leaf("<p>Yes</p>", "text/html"), leaf("No")), "Yes"),
        (
            multipart("related", leaf("No"), leaf("Yes", extra="Content-ID: <a>\r\n"), parameters='; start="<a>"'),
            "Yes",
        ),
        (multipart("alternative", leaf(""), leaf("<p>Yes</p>", "text/html")), "Yes"),
        (
            multipart("alternative", leaf("*Yes* <https://x.example>"), leaf("<b>Yes</b>", "text/html")),
            "*Yes* <https://x.example>",
        ),
        (multipart("signed", leaf("Yes"), leaf("No", "application/pgp-signature")), "Yes"),
        (multipart("mixed", multipart("alternative", leaf("Yes"), boundary="=_b2"), leaf("x", "image/png")), "Yes"),
        (multipart("x-unknown", leaf("Yes")), "Yes"),
        (leaf("Yes", 'TEXT/PLAIN; CHARSET="x-nonsense"'), "Yes"),
        (b"Content-Type: nonsense\r\n\r\nYes", "Yes"),
        (b"\r\nYes", "Yes"),
        (b"Content-Type: text/plain\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nY=65s=\r\n, sir", "Yes, sir"),
        (b"Content-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n\r\nWWVz!!\r\n", "Yes"),
        (multipart("mixed", leaf("Yes")).removesuffix(b"--=_b1--\r\n"), "Yes"),
        # Encoded in pieces, each with its padding; and a list's footer, which is no piece.
        (BASE64 + b"WWVzLA==\r\nIG5vdA==\r\nIG5vdyE=\r\n", "Yes, not now!"),
        (BASE64 + b"WWVzLA==IG5vdA==\r\n", "Yes, not"),
        (BASE64 + b"WWVzLg==\r\n\r\n  \r\nTm8u\r\n", "Yes.No."),
        (BASE64 + b"WWVzLg==\r\n____________\r\nfinance mailing list\r\n", "Yes."),
        (BASE64 + b"WQ==\r\n" * 5_000, ""),
        (QUOTED_PRINTABLE + b"Yes, but not= \t\r\n for 900 =E2=82= \r\n=AC", "Yes, but not for 900 €"),
    ],
)
def test_a_text_is_found_in_any_shape_of_mail(body: bytes, text: str) -> None:
    assert read(with_body(body)).text == text


@pytest.mark.parametrize(
    "body",
    [
        multipart("encrypted", leaf("Version: 1", "application/pgp-encrypted"), leaf("x", "application/octet-stream")),
        leaf("-----BEGIN PGP MESSAGE-----\n\nhQEMA\n-----END PGP MESSAGE-----"),
        leaf("x", 'application/pkcs7-mime; smime-type=enveloped-data; name="smime.p7m"'),
        multipart("mixed", leaf("x", 'application/ms-tnef; name="winmail.dat"')),
        leaf("x", "application/pdf"),
        b"Content-Type: multipart/mixed; boundary=x\r\n\r\nno part at all",
        b"Content-Type: multipart/mixed\r\n\r\nno boundary",
    ],
)
@pytest.mark.case("em32")
def test_what_cannot_be_read_is_said_to_be_so(body: bytes) -> None:
    result = read(with_body(body))
    assert (result.mail_class, result.text, result.question_stays_open) == (MailClass.UNREADABLE, "", True)
    assert result.why[-2].reason


def test_a_winmail_dat_beside_a_text_is_no_harm() -> None:
    body = multipart("mixed", leaf("Yes"), leaf("x", 'application/ms-tnef; name="winmail.dat"'))
    assert read(with_body(body)).text == "Yes"


@pytest.mark.parametrize(
    ("flow", "written", "text"),
    [
        ("format=flowed", "Yes, but \nonly \n200.\n\n-- \nMara", "Yes, but only 200."),
        ("format=flowed; delsp=yes", "Yes, bu \nt no.", "Yes, but no."),
        ("format=flowed", "> quoted \n> on\nYes \n> quoted", "Yes"),
        ("format=fixed", "Yes, \nbut.", "Yes,\nbut."),
    ],
)
@pytest.mark.case("em07")
def test_flowed_lines_are_joined(flow: str, written: str, text: str) -> None:
    assert read(mail(written, content_type=f"text/plain; {flow}")).text == text


@pytest.mark.parametrize(
    ("label", "data", "text"),
    [
        ("utf-8", "Beløp 900".encode("latin-1"), "Beløp 900"),
        ("us-ascii", "Für März".encode(), "Für März"),
        ("us-ascii", "Für März".encode("cp1252"), "Für März"),
        ("iso-8859-1", "„Ja“ – 5 €".encode("cp1252"), "„Ja“ – 5 €"),
        ("ks_c_5601-1987", "뷁".encode("cp949"), "뷁"),
        ("gb2312", "镕".encode("gbk"), "镕"),
        ("shift_jis", "①承認".encode("cp932"), "①承認"),
        ("x-nonsense", "Да".encode(), "Да"),
        ("utf-8", "\ufeffJa".encode(), "Ja"),
        ("utf-7", b"+AFk-es", "+AFk-es"),
        ("unicode_escape", rb"\x59es", r"\x59es"),
        ("x-nonsense", b"Bel\xf8p", "Beløp"),
        ("hex", b"\xff", "ÿ"),
        ("rot13", b"Lrf", "Lrf"),
        ('"\0"', b"Yes", "Yes"),
        ('"../utf-8"', b"Yes", "Yes"),
        ("aliases", b"Yes", "Yes"),
        ("euc-jp", b"\xff\xffYes", "\ufffd\ufffdYes"),
    ],
)
@pytest.mark.case("em13")
@pytest.mark.case("em40")
def test_a_text_is_decoded_whatever_its_label(label: str, data: bytes, text: str) -> None:
    body = f"Content-Type: text/plain; charset={label}\r\nContent-Transfer-Encoding: 8bit\r\n\r\n".encode() + data
    assert read(with_body(body)).text == text


def test_a_subject_is_shown_on_one_line() -> None:
    raw = mail("Yes", headers={"Subject": "=?utf-8?Q?Re:_a=0D=0ABcc:_x?=\r\n =?x-nonsense?B?w6k=?="})
    assert read(raw).subject == "Re: a Bcc: xé"


def test_a_subject_that_cannot_be_decoded_is_shown_as_it_is() -> None:
    assert read(mail("Yes", headers={"Subject": "=?utf-8?B?a?= yes"})).subject == "=?utf-8?B?a?= yes"


def test_the_result_is_json_in_the_words_of_the_cases() -> None:
    found = read(mail("Yes", headers={"From": f"M <{MARA}>"})).as_json()
    assert (found["class"], found["text"], found["sender"]) == ("human_reply", "Yes", MARA)
    assert orjson.loads(orjson.dumps(found)) == found


def test_each_step_says_what_it_found() -> None:
    steps = [each.step for each in read(mail("Yes")).why]
    assert steps == ["size", "question", "person", "authentication", "sender", "text", "class", "outcome"]
    assert all(each.found and each.reason for each in read(mail("Yes")).why)


@pytest.mark.parametrize(
    ("name", "written", "text"),
    [
        ("Linh Yes", "Pay it twice?\nYes", "Pay it twice?\nYes"),
        ("Ana Nein", "Freigabe:\nNein", "Freigabe:\nNein"),
        ("Ana Nein", "Freigabe erteilt.\nAna Nein", "Freigabe erteilt."),
    ],
)
def test_an_answer_is_nobodys_name(name: str, written: str, text: str) -> None:
    assert read(mail(written, headers={"From": f"{name} <{MARA}>"})).text == text


@pytest.mark.parametrize(
    "written",
    [
        f"Non.\n\n  Le mer. 4 mars 2026 à 9:05, Ops Agent<{REPLY_TO}> a écrit :   {QUESTION[0]}\n{QUESTION[1]}\n",
        f"Non.\n\nOn Wed, Mar 4, 2026 at 9:05, Ops Agent <{REPLY_TO}> wrote:  {QUESTION[3]}",
    ],
)
def test_an_original_may_begin_right_behind_what_announces_it(written: str) -> None:
    result = read(mail(written))
    assert (result.text, result.doubts) == ("Non.", ())


def test_a_line_with_a_colon_announces_nothing_by_itself() -> None:
    written = "On 3 March 2026 at 10:12 I said:   no."
    assert read(mail(written)).text == "On 3 March 2026 at 10:12 I said:   no."
