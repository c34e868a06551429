"""What a reader of an HTML mail cannot see is no text, and a mail that has such text is asked again."""

from __future__ import annotations

import pytest

from overwinter.channels.mail.html import lines_of_html
from overwinter.channels.mail.results import Doubt

from .letters import mail, read

HIDDEN = "approve approve"


@pytest.mark.parametrize(
    "html",
    [
        "<div style='display:none'>{}</div>",
        "<div style='DISPLAY : NONE !important'>{}</div>",
        "<div style='display&#58;none'>{}</div>",
        "<p style='visibility:hidden'>{}</p>",
        "<span hidden>{}</span>",
        "<span hidden=''>{}</span>",
        "<p style='opacity:0'>{}</p>",
        "<p style='opacity:0.01'>{}</p>",
        "<p style='font-size:0'>{}</p>",
        "<p style='font-size:1px'>{}</p>",
        "<p style='font-size:0.01em'>{}</p>",
        "<p style='font:0/0 a'>{}</p>",
        "<p style='font:1px arial'>{}</p>",
        "<p style='color:#fff'>{}</p>",
        "<p style='color:white'>{}</p>",
        "<p style='color:rgb(255, 254, 253)'>{}</p>",
        "<p style='color:#fefefe;background:#ffffff'>{}</p>",
        "<p style='color:transparent'>{}</p>",
        "<p style='color:rgba(0,0,0,0)'>{}</p>",
        "<p style='color:#00000000'>{}</p>",
        "<font color=white>{}</font>",
        "<font color='#FFFFFF'>{}</font>",
        "<div style='background:#000'><p style='color:#010101'>{}</p></div>",
        "<table bgcolor='#003366'><tr><td style='color:#003366'>{}</td></tr></table>",
        "<p style='position:absolute;left:-9999px'>{}</p>",
        "<p style='text-indent:-9999px'>{}</p>",
        "<p style='margin-left:-5000px'>{}</p>",
        "<div style='max-height:0;overflow:hidden'>{}</div>",
        "<div style='height:0px;overflow:hidden'>{}</div>",
        "<div style='width:1px;overflow:hidden'>{}</div>",
        "<div style='clip:rect(0,0,0,0);position:absolute'>{}</div>",
        "<div style='transform:scale(0)'>{}</div>",
        "<div style='mso-hide:all'>{}</div>",
        "<style>.x{{display:none}}</style><div class=x>{}</div>",
        "<style>div.a, p.x {{ color: white }}</style><p class='b x'>{}</p>",
        "<style>@media screen {{ #h {{ font-size:0 }} }}</style><div id=h>{}</div>",
        "<style>u{{opacity:0}}</style><u>{}</u>",
        "<div style='display:none'><div style='display:block'><b>{}</b></div></div>",
        "<p style='color:hsl(120, 0%, 99%)'>{}</p>",
        "<p style='color:hsla(0 0% 0% / 0)'>{}</p>",
        "<p style='color:Linen'>{}</p>",
        "<td style='background:midnightblue;color:#191971'>{}</td>",
        '<style>[data-x="a > b"]{{display:none}}</style><p data-x=1>{}</p>',
        "<style>td *[lang|=en]{{opacity:0}}</style><i lang=en-GB>{}</i>",
        "<style>p{{color:#333}} .w *{{color:#fff}}</style><i>{}</i><style>*{{color:#000}}</style>",
        "<style>.\\66oo{{d\\69splay:n\\6f ne}}</style><p class=foo>{}</p>",
        "<p style='dis\\70lay:none'>{}</p>",
        "<p style='transform:translate(0, -3000px)'>{}</p>",
        "<p style='transform:rotate(3deg) translate3d(-100em, 0, 0) translateX(-400pt)'>{}</p>",
        "<p style='position:absolute;left:9999px'>{}</p>",
        "<p style='zoom:0'>{}</p>",
        "<p style='filter:blur(2px) opacity(3%)'>{}</p>",
        "<p style='font:italic bold .01rem/2 serif'>{}</p>",
        "<p style='font:400 0 Arial'>{}</p>",
        "<p style='font-size:calc(10px - 10px)'>{}</p>",
        "<p style='clip-path:polygon(0 0, 0 0, 0 0)'>{}</p>",
        "<p style='-webkit-text-fill-color:#fffffe'>{}</p>",
        "<details>{}<summary></summary></details>",
        "<details><summary></summary><div><p>{}</p></div></details>",
        "<progress max=2>{}</progress>",
    ],
)
@pytest.mark.case("em34")
def test_text_that_cannot_be_seen_is_no_text(html: str) -> None:
    result = read(mail(html=f"<html><body><div>Hold off.</div>{html.format(HIDDEN)}<div>Please.</div></body></html>"))
    assert result.text == "Hold off.\nPlease." or result.text == "Hold off.\n\nPlease."
    assert (result.hidden_text_found, result.doubts) == (True, (Doubt.HIDDEN_TEXT,))
    assert result.question_stays_open


@pytest.mark.parametrize(
    "html",
    [
        "<!-- {} -->",
        "<!--[if mso]>{}<![endif]-->",
        "<script>{}</script>",
        "<style>{}</style>",
        "<title>{}</title>",
        "<template>{}</template>",
        "<noscript>{}</noscript>",
        "<textarea>{}</textarea>",
        "<select><option>{}</option></select>",
        "<input value='{}'>",
        "<img alt='{}'>",
        "<p title='{}'></p>",
        "<!doctype {}>",
        "<?xml {} ?>",
        "<script>{}",
        "<style></styl>{}",
    ],
)
def test_what_no_client_shows_is_no_text(html: str) -> None:
    result = read(mail(html=f"<div>Hold off.</div>{html.format(HIDDEN)}"))
    assert result.text == "Hold off."


@pytest.mark.parametrize(
    "html",
    [
        "<p style='color:#333'>Yes</p>",
        "<p style='font-size:11.0pt;line-height:0;margin:0;left:0'>Yes</p>",
        "<p style='max-width:600px;width:100%;height:auto;overflow:hidden'>Yes</p>",
        "<body style='background:#000;color:#fff'><p>Yes</p></body>",
        "<div style='background-color:navy'><font color=white>Yes</font></div>",
        "<table><tr><td bgcolor=black style='color:#eee'>Yes</td></tr></table>",
        "<p style='color:rgba(0,0,0,0.87)'>Yes</p>",
        "<p style='opacity:1;text-indent:0;font:12px/1.5 Arial'>Yes</p>",
        "<p style='font-size:0.9em'>Yes</p>",
        "<style>p.other{display:none} @font-face{font-family:x}</style><p class=p1>Yes</p>",
        "<head><style>.x{display:none}</style><meta charset=utf-8><body><p>Yes",
        "<p>Yes<o:p></o:p></p><p style='display:none'>&nbsp;\u200b</p>",
        "<p hidden></p><p>Yes",
        "Y&#101;s",
        "<b>Y</b>es",
        "<p style='color:hsl(210,50%,20%);font:13px/1.5 Arial, sans-serif'>Yes</p>",
        "<p style='color:windowtext;transform:translate(10px,-5px);zoom:1;filter:none'>Yes</p>",
        "<style>[data-x]{display:none} *{box-sizing:border-box} .a[title]{opacity:0}</style><p class=b title=x>Yes</p>",
        "<details open><summary>Yes</summary></details>",
        "<details><summary>Yes</summary></details>",
        "<p>Yes</p><svg viewBox='0 0 9 9'><path d='M0 0L9 9'/></svg>",
        "<p style='font-family:\"Segoe UI\\,Bold\"'>Yes</p>",
    ],
)
def test_what_a_reader_sees_is_text(html: str) -> None:
    result = read(mail(html=html))
    assert (result.text, result.doubts) == ("Yes", ())


@pytest.mark.parametrize(
    "html",
    [
        "<p><s>Do not</s> approve</p>",
        "<p><strike>Do not</strike> approve</p>",
        "<p><span style='text-decoration: line-through red'>Do not</span> approve</p>",
        "<style>.n::before{content:'not '}</style><p>Do <span class=n>approve</span></p>",
        "<p><bdo dir=rtl>evorppa</bdo></p>",
        "<style>.r{unicode-bidi:isolate-override;direction:rtl}</style><p>I <b class=r>on yas</b></p>",
        "<p>I do <svg><text>not</text></svg> approve</p>",
        "<p>I do <svg><foreignObject><b>not</b></foreignObject></svg> approve</p>",
        "<p>Approve <textarea>not</textarea></p>",
    ],
)
def test_text_that_does_not_say_what_its_letters_say_is_asked_about(html: str) -> None:
    result = read(mail(html=html))
    assert (result.doubts, result.question_stays_open) == ((Doubt.RESTYLED_TEXT,), True)


@pytest.mark.parametrize("style", ["li:before{content:'•'}", "p:after{content:none}", "p{text-decoration:underline}"])
def test_decoration_is_no_text(style: str) -> None:
    assert read(mail(html=f"<style>{style}</style><p>Yes</p><blockquote><s>old</s></blockquote>")).doubts == ()


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("<div>Yes</div><div class='gmail_signature'>Mara Lind<br>Head of Finance</div>", "Yes"),
        ("<div>Yes</div><div class='gmail_signature'>mara</div>", "Yes"),
        ("<div>Yes</div><div id='ms-outlook-mobile-signature'>but only 200</div>", "Yes\nbut only 200"),
        ("<div>Yes</div><div class='moz-signature'>-- <br>Mara</div>", "Yes"),
    ],
)
def test_a_marked_signature_is_left_out_unless_somebody_wrote_on_in_it(written: str, text: str) -> None:
    assert read(mail(html=written)).text == text


def test_what_is_hidden_in_a_quote_is_nobodys_matter() -> None:
    html = "<div>Yes</div><blockquote>Question<span style='display:none'>preview text</span></blockquote>"
    assert read(mail(html=html)).doubts == ()


def test_invisible_letters_in_an_answer_are_asked_about() -> None:
    tagged = "Hold off." + "".join(chr(0xE0000 + ord(char)) for char in "approve")
    result = read(mail(tagged))
    assert (result.doubts, result.question_stays_open) == ((Doubt.HIDDEN_TEXT,), True)


@pytest.mark.parametrize(
    ("plain", "html"),
    [
        ("Approve", "<p>Do not approve</p>"),
        ("Approve", "<p>Approve</p><p>but only 200</p>"),
        ("Approve\n\nbut only 200", "<p>Approve</p>"),
        ("Approve", "<p>Approve</p><blockquote>x</blockquote><p>not</p>"),
    ],
)
def test_parts_that_say_different_things_are_asked_about(plain: str, html: str) -> None:
    result = read(mail(plain, html=html))
    assert (result.doubts, result.question_stays_open) == ((Doubt.PARTS_DIFFER,), True)


def test_lines_are_those_a_reader_sees() -> None:
    html = (
        "<p>A&amp;B<br>C</p><ul><li>D</li><li>E</li></ul><pre>F\n  G</pre><table><tr><td>H</td><td>I</td></tr></table>"
    )
    rendered = lines_of_html(html)
    assert rendered is not None
    assert [line.text for line in rendered.lines if line.text] == ["A&B", "C", "D", "E", "F", "G", "H", "I"]


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<ol><li>yes</li><li>no</li></ol>", "1. yes\n2. no"),
        ("<ol start=4><li><p>yes</p></li></ol><ul><li>no</li></ul>", "4. yes\n\nno"),
        ("<ol><li>yes<ol><li>no</li></ol></li><li>wait</li></ol>", "1. yes\n\n1. no\n\n2. wait"),
        ("<p>All: <img alt='✅' src='cid:a'></p>", "All: ✅"),
        ("<p>No <img alt='👎🏽'><img alt='logo 👍'><img alt='👍' style='display:none'></p>", "No 👎🏽"),
    ],
)
def test_numbers_and_emoji_that_html_draws_are_read(html: str, text: str) -> None:
    result = read(mail(html=html))
    assert (result.text, result.doubts) == (text, ())


def test_a_list_is_the_same_with_and_without_its_numbers() -> None:
    result = read(mail("a) yes\nb) no", html="<ol type=a><li>yes</li><li>no</li></ol>"))
    assert (result.text, result.doubts) == ("a) yes\nb) no", ())


@pytest.mark.parametrize("text", ["אושר \u200e(500\u200f)\u200f.", "\u061cموافق على 12\u200e/3."])
def test_marks_of_direction_hide_nothing_beside_letters_that_run_from_right_to_left(text: str) -> None:
    assert read(mail(text)).doubts == ()


@pytest.mark.parametrize("text", ["approve\u200fd (500)", "אושר \u202eלא\u202c (500)", "אושר \u2063לא"])
def test_other_marks_are_asked_about(text: str) -> None:
    assert read(mail(text)).doubts == (Doubt.HIDDEN_TEXT,)
