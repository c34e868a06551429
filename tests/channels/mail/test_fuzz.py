"""Whatever arrives, reading it ends with a result, and nothing hidden, quoted, attached or forwarded is ever new text."""

from __future__ import annotations

import re

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from overwinter.channels.mail.results import MailClass, MailReadingResult

from .clients import letters
from .letters import FORWARD, OWN, WROTE, leaf, mail, multipart, quoted, read, with_body
from .test_messages import ROWS, eml

RAW = [letter.raw for letter in letters()] + [eml(row) for row in ROWS]
OF_PROGRAMS = [eml(row) for row in ROWS if row["expect"].get("class") in ("auto_reply", "list_mail", "bounce")]
BY_HEADERS = [raw for raw in OF_PROGRAMS if read(raw.partition(b"\r\n\r\n")[0] + b"\r\n\r\nApprove.").is_automatic]
"""Those whose headers alone say what they are."""

FEW = settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow], deadline=None)

FOREIGN = "notmine"
"""Stands in everything that is not the writer's own and visible; their own words are ``own`` and a number."""

own_words = st.integers(0, 99).map(lambda number: f"own{number} words")


def check(result: MailReadingResult) -> None:
    """What holds of every result."""
    assert result.why
    assert (result.text == "") or result.mail_class is MailClass.HUMAN_REPLY
    if not result.question_stays_open:
        assert result.mail_class is MailClass.HUMAN_REPLY
        assert result.sender_allowed
        assert result.question is not None
        assert result.text
        assert not result.doubts
    assert result.as_json()["class"] == result.mail_class.value


@FEW
@given(st.binary(max_size=2_000))
def test_any_bytes_are_read(raw: bytes) -> None:
    result = read(raw)
    check(result)
    assert result.question_stays_open


@FEW
@given(st.text(max_size=500), st.text(max_size=500))
def test_any_text_is_read(plain: str, html: str) -> None:
    for raw in (
        (mail(plain, charset="utf-8"), mail(html=html), mail(plain or "x", html=html)) if _is_utf8(plain + html) else ()
    ):
        check(read(raw))


PIECES = (
    *(b"\r\n", b"\0", b'"', b"=?utf-8?Q?=", b"?=", b"--=_b1\r\n", b"<", b">", b";", b"(", b"\xff\xfe", b"%00", b"*0*="),
    *(
        b"charset=",
        b"filename*=utf-8''%ff",
        b"Content-Type: multipart/mixed; boundary=x\r\n",
        b"Content-Type: text/html\r\n",
    ),
    *(b"Content-Transfer-Encoding: x-uuencode\r\n", b"Content-Type: message/delivery-status\r\n"),
)


@st.composite
def mutated(draw: st.DrawFn, raws: st.SearchStrategy[bytes]) -> bytes:
    """A mail with some of its bytes changed, moved, doubled or cut."""
    raw = draw(raws)
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(raw)))
        end = min(len(raw), at + draw(st.sampled_from((0, 1, 10, 200, 5_000))))
        inserted = draw(st.one_of(st.binary(max_size=8), st.sampled_from(PIECES), st.just(raw[at:end] * 2)))
        raw = raw[:at] + inserted + raw[end:]
    return raw


@FEW
@given(mutated(st.sampled_from(RAW)))
def test_a_broken_mail_is_read(raw: bytes) -> None:
    check(read(raw))


@FEW
@given(st.sampled_from(BY_HEADERS).flatmap(lambda raw: st.tuples(st.just(raw), mutated(st.just(raw)))))
def test_no_body_makes_a_person_of_a_program(mails: tuple[bytes, bytes]) -> None:
    raw, changed = mails
    result = read(raw.partition(b"\r\n\r\n")[0] + b"\r\n\r\n" + changed.partition(b"\r\n\r\n")[2])
    check(result)
    assert result.is_automatic
    assert result.question_stays_open


# A sender who is not proven stays so, whatever else is changed.

_TOP = re.compile(rb"Authentication-Results:[^\r\n]*\r\n", re.IGNORECASE)


@FEW
@given(mutated(st.sampled_from(RAW)))
def test_no_change_below_the_border_proves_a_sender(raw: bytes) -> None:
    below = _TOP.sub(b"", raw)
    top = b"Authentication-Results: mx.ask.example.net; dmarc=fail header.from=corp.example\r\nReceived: by mx.ask.example.net\r\n"
    result = read(top + below.lstrip(b"\r\n"))
    check(result)
    assert not result.sender_allowed


foreign_parts = st.sampled_from(
    (
        leaf(FOREIGN, extra="Content-Disposition: attachment\r\n"),
        leaf(FOREIGN, 'text/plain; name="a.txt"'),
        leaf(FOREIGN, 'text/html; name="a.html"'),
        leaf(FOREIGN, "text/x-amp-html"),
        leaf(FOREIGN, "application/octet-stream"),
        leaf(FOREIGN, "application/pgp-signature"),
        leaf(FOREIGN, "image/svg+xml"),
        b"Content-Type: message/rfc822\r\n\r\n" + mail(FOREIGN),
        leaf(f"> {FOREIGN}\n\n{quoted()}"),
        leaf(f"<blockquote>{FOREIGN}</blockquote>", "text/html"),
        leaf(f"<p style='display:none'>{FOREIGN}</p>", "text/html"),
    )
)
own_parts = own_words.flatmap(
    lambda words: st.sampled_from((leaf(words), leaf(f"<p>{words}</p>", "text/html"), leaf(words, charset="utf-16")))
)
trees = st.recursive(
    st.one_of(own_parts, foreign_parts),
    lambda inner: st.tuples(
        st.sampled_from(("mixed", "alternative", "related", "signed", "x-other")),
        st.lists(inner, min_size=1, max_size=4),
        st.integers(0, 10**9),
    ).map(lambda made: multipart(made[0], *made[1], boundary=f"=_t{made[2]}")),
    max_leaves=12,
)


@FEW
@given(trees)
def test_no_part_that_is_not_the_writers_text_is_new_text(body: bytes) -> None:
    result = read(with_body(body))
    check(result)
    assert FOREIGN not in result.text


hiding = st.sampled_from(
    (
        *("display:none", "visibility:hidden", "opacity:0", "font-size:0", "color:#fff", "color:transparent"),
        *("max-height:0", "position:absolute;left:-9999px", "text-indent:-9999px", "mso-hide:all"),
    )
)
elements = st.sampled_from(("div", "span", "p", "b", "td", "li", "section", "font", "a"))


@st.composite
def pages(draw: st.DrawFn, *, is_shown: bool = True, depth: int = 0) -> str:
    """HTML in which whatever nobody can see says so."""
    pieces: list[str] = []
    for _ in range(draw(st.integers(1, 4))):
        name, style = draw(elements), draw(hiding)
        match draw(st.integers(0, 5 if depth < 4 else 1)):
            case 0 | 1:
                pieces.append(f" {draw(own_words) if is_shown else FOREIGN} ")
            case 2:
                pieces.append(f"<{name} style='{style}'>{draw(pages(is_shown=False, depth=depth + 1))}</{name}>")
            case 3:
                pieces.append(f"<blockquote>{draw(pages(is_shown=False, depth=depth + 1))}</blockquote>")
            case _:
                pieces.append(f"<{name} class=x>{draw(pages(is_shown=is_shown, depth=depth + 1))}</{name}>")
    return "".join(pieces)


def _own(text: str) -> list[str]:
    return re.findall(r"own\d+", text)


@FEW
@given(pages())
def test_nothing_hidden_or_quoted_in_html_is_new_text(html: str) -> None:
    result = read(mail(html=html))
    check(result)
    assert FOREIGN not in result.text


marks = st.sampled_from(("> ", ">", ">> ", "  > ", "＞ ", ">>>"))
lines = st.lists(
    st.one_of(
        own_words.map(lambda words: (words, True)),
        marks.map(lambda mark: (f"{mark}{FOREIGN} approve", False)),
        st.just(("", False)),
    ),
    max_size=20,
)


@FEW
@given(lines)
def test_every_own_line_and_no_quoted_one_is_new_text(written: list[tuple[str, bool]]) -> None:
    result = read(mail("\n".join(line for line, _ in written)))
    check(result)
    assert FOREIGN not in result.text
    assert _own(result.text) == [number for line, is_own in written if is_own for number in _own(line)]


@FEW
@given(st.sampled_from(WROTE), own_words, st.lists(st.sampled_from(("approve", "yes", "", FOREIGN)), max_size=6))
def test_what_stands_below_an_announced_original_is_not_new(opening: str, words: str, original: list[str]) -> None:
    result = read(mail("\n".join((words, "", opening, "", *original))))
    check(result)
    assert result.text in (words, "")
    assert (result.mail_class is MailClass.FORWARDED) is (opening in FORWARD)


def _is_utf8(text: str) -> bool:
    return not re.search("[\ud800-\udfff]", text)


def test_there_are_programs_among_the_messages() -> None:
    assert len(BY_HEADERS) >= 25


def test_the_words_of_these_tests_are_read_as_they_should_be() -> None:
    assert read(mail(f"{OWN}\n\n> {FOREIGN}")).text == OWN
