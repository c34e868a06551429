"""Answers as mail clients of many languages send them.

Each client's way of quoting is written once, as a function of an answer and of its own words in one language; ``LETTERS`` is
the table of who writes what. Names, dates and the quoted question are those of ``letters``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape

from .letters import QUESTION, REPLY_TO, SUBJECT, mail, quoted

FROM = f"Ops Agent <{REPLY_TO}>"
TO = "Mara Lind <mara.lind@corp.example>"
ORIGINAL_HTML = "<br>".join(escape(line) for line in QUESTION)


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """One mail.

    Attributes:
        answer: its new text.
        is_yes: it approves without a condition; anything else must never be read as an approval.
    """

    name: str
    answer: str
    is_yes: bool
    raw: bytes


def paragraphs(text: str) -> str:
    return "".join(f"<div>{escape(line) or '<br>'}</div>" for line in text.split("\n"))


def gmail(answer: str, attribution: str, *, below: str = "") -> tuple[str, str]:
    """Gmail: the attribution wrapped at 78 columns, in HTML a ``gmail_quote``; ``below`` stands under the quote."""
    at = attribution.find("<") + 1 or len(attribution)
    wrapped = attribution[:at] + ("\n" if len(attribution) > 78 else "") + attribution[at:]
    plain = f"{answer}\n\n{wrapped}\n\n{quoted()}\n" + (f"\n{below}\n" if below else "")
    html = (
        f'<div dir="ltr">{paragraphs(answer)}</div><br><div class="gmail_quote gmail_quote_container"><div dir="ltr" '
        f'class="gmail_attr">{escape(attribution)}<br></div><blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex;'
        f'border-left:1px solid rgb(204,204,204)">{ORIGINAL_HTML}</blockquote></div>' + paragraphs(below)
    )
    return plain, html


def headers(names: str, date: str, *, sep: str = ": ") -> list[str]:
    """A quoted message's headers, under the four names of one language: from, sent, to, subject."""
    return [f"{name}{sep}{value}" for name, value in zip(names.split("|"), (FROM, date, TO, SUBJECT), strict=True)]


def outlook_desktop(answer: str, names: str, date: str) -> tuple[str, str]:
    """Outlook for Windows: a bare block of headers; in HTML Word's paragraphs, with a rule above the headers."""
    block = headers(names, date)
    plain = "\n".join((answer, "", *block, "", *QUESTION, ""))
    html = (
        "<html xmlns:o='urn:schemas-microsoft-com:office:office'><head><style><!-- p.MsoNormal {margin:0cm; font-size:11.0pt;} "
        "--></style></head><body lang=EN-GB link='#0563C1'><div class=WordSection1>"
        + "".join(f"<p class=MsoNormal><span>{escape(line)}<o:p></o:p></span></p>" for line in answer.split("\n"))
        + "<p class=MsoNormal><o:p>&nbsp;</o:p></p><div><div style='border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm "
        "0cm 0cm'><p class=MsoNormal>"
        + "<br>".join(f"<b>{escape(line.partition(':')[0])}:</b>{escape(line.partition(':')[2])}" for line in block)
        + "<o:p></o:p></p></div></div>"
        + "".join(f"<p class=MsoNormal>{escape(line)}<o:p></o:p></p>" for line in QUESTION)
        + "</div></body></html>"
    )
    return plain, html


def outlook_separated(answer: str, separator: str, names: str, date: str) -> tuple[str, str]:
    """Outlook in plain text, Samsung, BlackBerry, Naver, QQ: a line in dashes and then the headers."""
    return "\n".join((answer, "", separator, *headers(names, date), "", *QUESTION, "")), ""


def outlook_mobile(answer: str, footer: str, names: str, date: str) -> tuple[str, str]:
    """Outlook for iOS and Android: a line about itself, a row of underscores, the headers."""
    block = headers(names, date)
    plain = "\n".join((answer, "", f"{footer}<https://aka.ms/o0ukef>", "_" * 32, *block, "", *QUESTION, ""))
    html = (
        f'<html><body><div dir="ltr">{paragraphs(answer)}</div><div><br></div>'
        f'<div id="ms-outlook-mobile-signature">{escape(footer)}</div><hr style="display:inline-block;width:98%" tabindex="-1">'
        f'<div id="divRplyFwdMsg" dir="ltr">{"<br>".join(escape(line) for line in block)}</div><div>{ORIGINAL_HTML}</div>'
        "</body></html>"
    )
    return plain, html


def outlook_web(answer: str, names: str, date: str) -> tuple[str, str]:
    """The new Outlook and Outlook on the web, HTML alone."""
    block = "<br>".join(f"<b>{escape(line)}</b>" for line in headers(names, date))
    html = (
        '<html><head><style type="text/css" style="display:none;"> P {margin-top:0;margin-bottom:0;} </style></head>'
        f'<body dir="ltr"><div class="elementToProof">{paragraphs(answer)}</div><div id="appendonsend"></div>'
        '<hr style="display:inline-block;width:98%" tabindex="-1"><div id="divRplyFwdMsg" dir="ltr">'
        f"<font>{block}</font><div>&nbsp;</div></div><div>{ORIGINAL_HTML}</div></body></html>"
    )
    return "", html


def apple(answer: str, attribution: str, *, footer: str = "") -> tuple[str, str]:
    """Apple Mail and iPhone: on the phone the attribution itself is quoted."""
    end = (
        f"\n\n{footer}\n\n{quoted(lines=(attribution, '', *QUESTION))}"
        if footer
        else f"\n\n{attribution}\n\n{quoted()}"
    )
    html = (
        f'<html><body dir="auto">{paragraphs(answer)}<br><div dir="ltr">{escape(footer)}</div><div dir="ltr"><br>'
        f'<blockquote type="cite">{escape(attribution)}<br><br></blockquote></div><blockquote type="cite"><div dir="ltr">'
        f"\ufeff{ORIGINAL_HTML}</div></blockquote></body></html>"
    )
    return f"{answer}{end}\n", html


def bottom(answer: str, attribution: str, *, signature: str = "") -> tuple[str, str]:
    """Thunderbird, mutt, Evolution: the answer under the quote, and then perhaps a signature."""
    return f"{attribution}\n{quoted()}\n\n{answer}\n" + (f"\n-- \n{signature}\n" if signature else ""), ""


def top(answer: str, attribution: str, *, signature: str = "") -> tuple[str, str]:
    """The answer above a marked quote."""
    between = f"\n\n-- \n{signature}" if signature else ""
    return f"{answer}{between}\n\n{attribution}\n{quoted()}\n", ""


def unmarked(answer: str, attribution: str, *, klass: str) -> tuple[str, str]:
    """Yahoo and other web mail: nothing marks the quoted lines of the plain part."""
    html = (
        f'<div><div dir="ltr">{paragraphs(answer)}</div></div><div class="{klass}"><div>{escape(attribution)}</div>'
        f"<div>{ORIGINAL_HTML}</div></div>"
    )
    return "\n".join((answer, "", attribution, "", *QUESTION, "")), html


def notes(answer: str) -> tuple[str, str]:
    """HCL Notes: the attribution inside dashes, then headers."""
    block = [f"To: {TO}", f'From: "Ops Agent" <{REPLY_TO}>', "Date: 03/03/2026 10:12", f"Subject: {SUBJECT}"]
    return "\n".join((answer, "", f'-----"Ops Agent" <{REPLY_TO}> wrote: -----', *block, "", *QUESTION)), ""


def pgp_inline(answer: str, attribution: str) -> tuple[str, str]:
    """Signed in place."""
    signed = f"{answer}\n\n{attribution}\n{quoted()}"
    return (
        f"-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n{signed}\n-----BEGIN PGP SIGNATURE-----\n\niQEzBAEBCAAdFiEE\n=aB3d\n"
        "-----END PGP SIGNATURE-----\n"
    ), ""


def gmx(answer: str) -> tuple[str, str]:
    """GMX and web.de: the headers of what is quoted, without a separator."""
    lines = (
        "Gesendet: Dienstag, 3. März 2026 um 10:12",
        f"Von: {FROM}",
        f"An: {TO}",
        f"Betreff: {SUBJECT}",
        "",
        *QUESTION,
    )
    return "\n".join((answer, "", *lines)), ""


CORPORATE_EN = """

Kind regards,
Mara Lind
Head of Finance
Corp Ltd | +44 20 7946 0018

This email and any attachments are confidential and intended solely for the addressee.
If you received it in error, please delete it."""
CORPORATE_DE = """

Mit freundlichen Grüßen
Mara Lind

Diese E-Mail enthält vertrauliche Informationen. Wenn Sie nicht der richtige Empfänger sind,
vernichten Sie bitte diese Mail."""

CORPORATE_GMBH = """

Mit freundlichen Grüßen

Mara Lind
Leiterin Finanzen

Corp GmbH
Hauptstr. 1, 10115 Berlin
Tel.: +49 30 1234567
www.corp.example

Geschäftsführer: A. Beispiel
Amtsgericht Berlin HRB 1234"""

Made = tuple[str, str]
Table = tuple[str, str, bool, Callable[[str], Made]]

_ROWS: tuple[Table, ...] = (
    # Gmail
    ("gmail-en-gb", "Approved.", True, lambda a: gmail(a, f"On Tue, 3 Mar 2026 at 10:12, {FROM} wrote:")),
    ("gmail-fr", "D'accord.", True, lambda a: gmail(a, f"Le mar. 3 mars 2026 à 10:12, {FROM} a écrit :")),
    (
        "gmail-es",
        "No, el importe está mal.",
        False,
        lambda a: gmail(a, f"El mar, 3 mar 2026 a las 10:12, {FROM} escribió:"),
    ),
    ("gmail-it", "Approvo.", True, lambda a: gmail(a, f"Il giorno mar 3 mar 2026 alle ore 10:12 {FROM} ha scritto:")),
    (
        "gmail-pt",
        "Não aprovo.",
        False,
        lambda a: gmail(a, f"Ops Agent <{REPLY_TO}> escreveu (terça, 3/03/2026 à(s) 10:12):"),
    ),
    ("gmail-nl", "Akkoord.", True, lambda a: gmail(a, f"Op di 3 mrt 2026 om 10:12 schreef {FROM}:")),
    ("gmail-sv", "Nej tack.", False, lambda a: gmail(a, f"Den tis 3 mars 2026 kl 10:12 skrev {FROM}:")),
    ("gmail-da", "Godkendt.", True, lambda a: gmail(a, f"Den tirs. 3. mar. 2026 kl. 10.12 skrev {FROM}:")),
    ("gmail-no", "Nei, vent.", False, lambda a: gmail(a, f"tir. 3. mar. 2026 kl. 10:12 skrev {FROM}:")),
    (
        "gmail-fi",
        "Hyväksytty.",
        True,
        lambda a: gmail(a, f"ti 3. maalisk. 2026 klo 10.12 Ops Agent <{REPLY_TO}> kirjoitti:"),
    ),
    ("gmail-pl", "Nie zgadzam się.", False, lambda a: gmail(a, f"wt., 3 mar 2026 o 10:12 {FROM} napisał(a):")),
    ("gmail-cs", "Schvaluji.", True, lambda a: gmail(a, f"út 3. 3. 2026 v 10:12 odesílatel {FROM} napsal:")),
    (
        "gmail-tr",
        "Hayır.",
        False,
        lambda a: gmail(a, f"Ops Agent <{REPLY_TO}>, 3 Mar 2026 Sal, 10:12 tarihinde şunu yazdı:"),
    ),
    ("gmail-ru", "Согласен.", True, lambda a: gmail(a, f"вт, 3 мар. 2026 г. в 10:12, {FROM}:")),
    ("gmail-uk", "Ні, почекайте.", False, lambda a: gmail(a, f"вт, 3 бер. 2026 р. о 10:12 {FROM} пише:")),
    ("gmail-el", "Όχι ακόμα.", False, lambda a: gmail(a, f"Στις Τρί 3 Μαρ 2026 στις 10:12 π.μ., ο/η {FROM} έγραψε:")),
    (
        "gmail-hu",
        "Jóváhagyva.",
        True,
        lambda a: gmail(a, f"Ops Agent <{REPLY_TO}> ezt írta (időpont: 2026. márc. 3., K, 10:12):"),
    ),
    (
        "gmail-ro",
        "Nu, suma este greșită.",
        False,
        lambda a: gmail(a, f"În mar., 3 mar. 2026 la 10:12, {FROM} a scris:"),
    ),
    ("gmail-ja", "承認します。", True, lambda a: gmail(a, f"2026年3月3日(火) 19:12 {FROM}:")),
    ("gmail-ko", "안 됩니다.", False, lambda a: gmail(a, f"2026년 3월 3일 (화) 오후 7:12, {FROM}님이 작성:")),
    ("gmail-zh-cn", "同意。", True, lambda a: gmail(a, f"Ops Agent <{REPLY_TO}> 于2026年3月3日周二 10:12写道：")),
    (
        "gmail-zh-tw",
        "不同意，金額有誤。",
        False,
        lambda a: gmail(a, f"Ops Agent <{REPLY_TO}> 於 2026年3月3日 週二 上午10:12寫道："),
    ),
    (
        "gmail-he",
        "לא, הסכום שגוי.",
        False,
        lambda a: gmail(a, f"\u202bבתאריך יום ג׳, 3 במרץ 2026 ב-10:12 מאת \u202a{FROM}\u202c\u200f>:\u202c"),
    ),
    (
        "gmail-ar",
        "موافق",
        True,
        lambda a: gmail(a, f"\u200fفي الثلاثاء، 3 مارس 2026 في 10:12 ص تمت كتابة ما يلي بواسطة \u202a{FROM}\u202c:"),
    ),
    (
        "gmail-bottom-en",
        "Reject, please.",
        False,
        lambda a: gmail("", f"On Tue, 3 Mar 2026 at 10:12, {FROM} wrote:", below=a),
    ),
    (
        "gmail-two-lines-en",
        "Approved, but\nonly up to 200.",
        False,
        lambda a: gmail(a, f"On Tue, Mar 3, 2026 at 10:12 AM {FROM} wrote:"),
    ),
    # Outlook for Windows
    (
        "outlook-en",
        "Please reject this one.",
        False,
        lambda a: outlook_desktop(a, "From|Sent|To|Subject", "Tuesday, March 3, 2026 10:12 AM"),
    ),
    (
        "outlook-de",
        "Genehmigt.",
        True,
        lambda a: outlook_desktop(a, "Von|Gesendet|An|Betreff", "Dienstag, 3. März 2026 10:12"),
    ),
    (
        "outlook-fr",
        "Non, pas avant vendredi.",
        False,
        lambda a: outlook_desktop(a, "De|Envoyé|À|Objet", "mardi 3 mars 2026 10:12"),
    ),
    (
        "outlook-es",
        "Aprobado.",
        True,
        lambda a: outlook_desktop(a, "De|Enviado el|Para|Asunto", "martes, 3 de marzo de 2026 10:12"),
    ),
    (
        "outlook-pt",
        "Rejeitado.",
        False,
        lambda a: outlook_desktop(a, "De|Enviada em|Para|Assunto", "terça-feira, 3 de março de 2026 10:12"),
    ),
    (
        "outlook-nl",
        "Niet akkoord.",
        False,
        lambda a: outlook_desktop(a, "Van|Verzonden|Aan|Onderwerp", "dinsdag 3 maart 2026 10:12"),
    ),
    ("outlook-sv", "Godkänt.", True, lambda a: outlook_desktop(a, "Från|Skickat|Till|Ämne", "den 3 mars 2026 10:12")),
    ("outlook-no", "Avslått.", False, lambda a: outlook_desktop(a, "Fra|Sendt|Til|Emne", "tirsdag 3. mars 2026 10:12")),
    (
        "outlook-fi",
        "Hylätty.",
        False,
        lambda a: outlook_desktop(a, "Lähettäjä|Lähetetty|Vastaanottaja|Aihe", "tiistai 3. maaliskuuta 2026 10.12"),
    ),
    (
        "outlook-pl",
        "Zatwierdzam.",
        True,
        lambda a: outlook_desktop(a, "Od|Wysłane|Do|Temat", "wtorek, 3 marca 2026 10:12"),
    ),
    (
        "outlook-cs",
        "Zamítám.",
        False,
        lambda a: outlook_desktop(a, "Od|Odesláno|Komu|Předmět", "úterý 3. března 2026 10:12"),
    ),
    (
        "outlook-tr",
        "Onaylandı.",
        True,
        lambda a: outlook_desktop(a, "Kimden|Gönderildi|Kime|Konu", "3 Mart 2026 Salı 10:12"),
    ),
    (
        "outlook-ru",
        "Отклоняю.",
        False,
        lambda a: outlook_desktop(a, "От|Отправлено|Кому|Тема", "вторник, 3 марта 2026 г. 10:12"),
    ),
    (
        "outlook-uk",
        "Відхилено.",
        False,
        lambda a: outlook_desktop(a, "Від|Надіслано|Кому|Тема", "вівторок, 3 березня 2026 р. 10:12"),
    ),
    (
        "outlook-el",
        "Εγκρίνεται.",
        True,
        lambda a: outlook_desktop(a, "Από|Εστάλη|Προς|Θέμα", "Τρίτη, 3 Μαρτίου 2026 10:12"),
    ),
    (
        "outlook-hu",
        "Elutasítva.",
        False,
        lambda a: outlook_desktop(a, "Feladó|Elküldve|Címzett|Tárgy", "2026. március 3., kedd 10:12"),
    ),
    (
        "outlook-ro",
        "Aprobat.",
        True,
        lambda a: outlook_desktop(a, "De la|Trimis|Către|Subiect", "marți, 3 martie 2026 10:12"),
    ),
    (
        "outlook-zh",
        "不批准。",
        False,
        lambda a: outlook_desktop(a, "发件人|发送时间|收件人|主题", "2026年3月3日 10:12"),
    ),
    (
        "outlook-ko",
        "승인합니다.",
        True,
        lambda a: outlook_desktop(a, "보낸 사람|보낸 날짜|받는 사람|제목", "2026년 3월 3일 화요일 오후 7:12"),
    ),
    ("outlook-he", "לא מאושר.", False, lambda a: outlook_desktop(a, "מאת|נשלח|אל|נושא", "יום שלישי 03 מרץ 2026 10:12")),
    (
        "outlook-ar",
        "مرفوض",
        False,
        lambda a: outlook_desktop(a, "من|تم الإرسال|إلى|الموضوع", "الثلاثاء، 3 مارس 2026 10:12"),
    ),
    (
        "outlook-unlisted-is",
        "Hafnað.",
        False,
        lambda a: outlook_desktop(a, "Sendandi|Sent þann|Móttakandi|Efni", "3. mars 2026 10:12"),
    ),
    (
        "outlook-plain-it",
        "Rifiutato.",
        False,
        lambda a: outlook_separated(
            a, "-----Messaggio originale-----", "Da|Inviato|A|Oggetto", "martedì 3 marzo 2026 10:12"
        ),
    ),
    (
        "outlook-plain-fr",
        "Approuvé.",
        True,
        lambda a: outlook_separated(a, "-----Message d'origine-----", "De|Envoyé|À|Objet", "mardi 3 mars 2026 10:12"),
    ),
    (
        "outlook-plain-zh",
        "同意",
        True,
        lambda a: outlook_separated(a, "-----邮件原件-----", "发件人|发送时间|收件人|主题", "2026年3月3日 10:12"),
    ),
    # The new Outlook and Outlook on phones
    (
        "outlook-web-fi",
        "Hyväksyn.",
        True,
        lambda a: outlook_web(a, "Lähettäjä|Lähetetty|Vastaanottaja|Aihe", "tiistai 3. maaliskuuta 2026 10.12"),
    ),
    (
        "outlook-web-ja",
        "却下します。",
        False,
        lambda a: outlook_web(a, "差出人|送信日時|宛先|件名", "2026年3月3日 19:12"),
    ),
    ("outlook-web-he", "מאשר", True, lambda a: outlook_web(a, "מאת|נשלח|אל|נושא", "יום שלישי 03 מרץ 2026 10:12")),
    (
        "outlook-ios-de",
        "Abgelehnt.",
        False,
        lambda a: outlook_mobile(
            a, "Outlook für iOS beziehen", "Von|Gesendet|An|Betreff", "Dienstag, März 3, 2026 10:12"
        ),
    ),
    (
        "outlook-android-es",
        "Rechazado.",
        False,
        lambda a: outlook_mobile(
            a, "Obtener Outlook para Android", "De|Enviado|Para|Asunto", "martes, marzo 3, 2026 10:12"
        ),
    ),
    (
        "outlook-android-pl",
        "Zgoda.",
        True,
        lambda a: outlook_mobile(
            a, "Pobierz Outlook dla systemu Android", "Od|Wysłane|Do|Temat", "wtorek, marca 3, 2026 10:12"
        ),
    ),
    (
        "outlook-ios-ja",
        "承認します。",
        True,
        lambda a: outlook_mobile(a, "iOS 版 Outlook を入手", "差出人|送信日時|宛先|件名", "火曜日, 3月 3, 2026 19:12"),
    ),
    # Apple
    ("apple-mail-en", "Yes.", True, lambda a: apple(a, f"On 3. Mar 2026, at 10:12, {FROM} wrote:")),
    ("apple-mail-de", "Nein.", False, lambda a: apple(a, f"Am 03.03.2026 um 10:12 schrieb {FROM}:")),
    (
        "iphone-fr",
        "Non.",
        False,
        lambda a: apple(a, f"Le 3 mars 2026 à 10:12, {FROM} a écrit :", footer="Envoyé de mon iPhone"),
    ),
    (
        "iphone-es",
        "Sí, adelante.",
        True,
        lambda a: apple(a, f"El 3 mar 2026, a las 10:12, {FROM} escribió:", footer="Enviado desde mi iPhone"),
    ),
    (
        "iphone-sv",
        "Avslås.",
        False,
        lambda a: apple(a, f"3 mars 2026 kl. 10:12 skrev {FROM}:", footer="Skickat från min iPhone"),
    ),
    (
        "ipad-nl",
        "Ja, akkoord.",
        True,
        lambda a: apple(
            a, f"Op 3 mrt. 2026 om 10:12 heeft {FROM} het volgende geschreven:", footer="Verstuurd vanaf mijn iPad"
        ),
    ),
    (
        "iphone-ru",
        "Нет.",
        False,
        lambda a: apple(a, f"3 марта 2026 г., в 10:12, {FROM} написал(а):", footer="Отправлено с iPhone"),
    ),
    ("iphone-ja", "いいえ。", False, lambda a: apple(a, f"2026/03/03 19:12、{FROM}のメール:", footer="iPhoneから送信")),
    (
        "iphone-he",
        "כן",
        True,
        lambda a: apple(a, f"\u200fב-3 במרץ 2026, בשעה 10:12, \u200f{FROM} כתב/ה:", footer="נשלח מה-iPhone שלי"),
    ),
    (
        "iphone-da",
        "Nej.",
        False,
        lambda a: apple(a, f"Den 3. mar. 2026 kl. 10.12 skrev {FROM}:", footer="Sendt fra min iPhone"),
    ),
    # Thunderbird, mutt, Evolution, The Bat
    (
        "thunderbird-de-bottom",
        "Abgelehnt, der Betrag stimmt nicht.",
        False,
        lambda a: bottom(a, "Am 03.03.26 um 10:12 schrieb Ops Agent:", signature="Mara Lind\nLeitung Freigaben"),
    ),
    (
        "thunderbird-fr",
        "D'accord.",
        True,
        lambda a: top(a, "Le 03/03/2026 à 10:12, Ops Agent a écrit :", signature="Mara"),
    ),
    ("thunderbird-cs", "Ne.", False, lambda a: top(a, "Dne 03. 03. 26 v 10:12 Ops Agent napsal(a):")),
    (
        "thunderbird-hu-bottom",
        "Igen, de csak pénteken.",
        False,
        lambda a: bottom(a, "2026. 03. 03. 10:12 keltezéssel, Ops Agent írta:"),
    ),
    ("evolution-en", "Declined.", False, lambda a: bottom(a, "On Tue, 2026-03-03 at 10:12 +0000, Ops Agent wrote:")),
    ("gnus-en", "Approved.", True, lambda a: top(a, f"Ops Agent <{REPLY_TO}> writes:")),
    ("horde-de", "Ja.", True, lambda a: top(a, f"Zitat von Ops Agent <{REPLY_TO}>:")),
    ("the-bat-ru", "Не согласен.", False, lambda a: bottom(a, "Вы писали 3 марта 2026 г., 10:12:12:")),
    ("fastmail-en", "No.", False, lambda a: gmail(a, "On Tue, 3 Mar 2026, at 10:12, Ops Agent wrote:")),
    # Web mail
    (
        "yahoo-en",
        "Rejected.",
        False,
        lambda a: unmarked(
            a, f"On Tuesday, March 3, 2026 at 10:12:44 AM GMT+1, {FROM} wrote:", klass="ydp1yahoo_quoted"
        ),
    ),
    (
        "yahoo-es",
        "Aprobado.",
        True,
        lambda a: unmarked(a, f"El martes, 3 de marzo de 2026, 10:12:44 CET, {FROM} escribió:", klass="yahoo_quoted"),
    ),
    (
        "yahoo-fr",
        "Refusé.",
        False,
        lambda a: unmarked(a, f"Le mardi 3 mars 2026 à 10:12:44 UTC+1, {FROM} a écrit :", klass="yahoo_quoted"),
    ),
    ("gmx-de", "Genehmigt.", True, gmx),
    (
        "mailru-ru",
        "Отказано.",
        False,
        lambda a: top(a, f"Вторник, 3 марта 2026, 12:12 +03:00 от Ops Agent <{REPLY_TO}>:", signature="Мара Линд"),
    ),
    (
        "qq-zh",
        "不同意",
        False,
        lambda a: outlook_separated(
            a,
            "------------------ 原始邮件 ------------------",
            "发件人|发送时间|收件人|主题",
            "2026年3月3日(星期二) 晚上10:12",
        ),
    ),
    ("163-zh", "批准", True, lambda a: top(a, f'在 2026-03-03 10:12:12，"Ops Agent" <{REPLY_TO}> 写道：')),
    (
        "naver-ko",
        "거절합니다.",
        False,
        lambda a: outlook_separated(
            a, "-----Original Message-----", "From|Sent|To|Subject", "2026-03-03 (화) 18:12:07 (UTC+09:00)"
        ),
    ),
    (
        "zimbra-pt",
        "Aprovado.",
        True,
        lambda a: outlook_separated(
            a, "----- Mensagem original -----", "De|Enviadas|Para|Assunto", "Terça-feira, 3 de março de 2026 10:12:12"
        ),
    ),
    (
        "proton-de",
        "Nein.",
        False,
        lambda a: top(
            a,
            "Gesendet mit Proton Mail sicherer E-Mail.\n\n-------- Original-Nachricht --------\n"
            f"Am Dienstag, 3. März 2026 um 10:12 schrieb {FROM}:\n",
        ),
    ),
    ("notes-en", "Do not pay this.", False, notes),
    # Phones
    (
        "samsung-en",
        "No way.",
        False,
        lambda a: outlook_separated(
            a + "\n\nSent from my Galaxy",
            "-------- Original message --------",
            "From|Date|To|Subject",
            "03/03/2026 10:12 (GMT+00:00)",
        ),
    ),
    (
        "samsung-de",
        "Freigegeben.",
        True,
        lambda a: outlook_separated(
            a + "\n\nVon meinem Samsung Galaxy Smartphone gesendet.",
            "-------- Ursprüngliche Nachricht --------",
            "Von|Datum|An|Betreff",
            "03.03.26 10:12 (GMT+01:00)",
        ),
    ),
    (
        "samsung-it",
        "No, aspettate.",
        False,
        lambda a: outlook_separated(
            a + "\n\nInviato dal mio Galaxy",
            "-------- Messaggio originale --------",
            "Da|Data|A|Oggetto",
            "03/03/26 10:12 (GMT+01:00)",
        ),
    ),
    (
        "blackberry-en",
        "Approved.",
        True,
        lambda a: outlook_separated(
            a + "\n\nSent from my BlackBerry 10 smartphone.",
            "-----Original Message-----",
            "From|Sent|To|Subject",
            "Tuesday, 3 March 2026 10:12",
        ),
    ),
    # Signatures and disclaimers
    ("pgp-inline-en", "Rejected.", False, lambda a: pgp_inline(a, "On 2026-03-03 10:12, Ops Agent wrote:")),
    (
        "corporate-en",
        "Approved.",
        True,
        lambda a: gmail(a + CORPORATE_EN, f"On Tue, 3 Mar 2026 at 10:12, {FROM} wrote:"),
    ),
    (
        "corporate-de",
        "Nicht genehmigt.",
        False,
        lambda a: outlook_desktop(a + CORPORATE_DE, "Von|Gesendet|An|Betreff", "Dienstag, 3. März 2026 10:12"),
    ),
    (
        "corporate-gmbh-de",
        "Genehmigt.",
        True,
        lambda a: outlook_desktop(a + CORPORATE_GMBH, "Von|Gesendet|An|Betreff", "Dienstag, 3. März 2026 10:12"),
    ),
    (
        "avast-es",
        "De acuerdo.",
        True,
        lambda a: gmail(f"{a}\n\nLibre de virus.www.avast.com", f"El mar, 3 mar 2026 a las 10:12, {FROM} escribió:"),
    ),
)


def letters() -> Iterator[Letter]:
    for name, answer, is_yes, make in _ROWS:
        plain, html = make(answer)
        yield Letter(name=name, answer=answer, is_yes=is_yes, raw=mail(plain, html=html or None))
