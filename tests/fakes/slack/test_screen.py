"""What a person reads, whom it pings and where it leads."""

from __future__ import annotations

from typing import Any

import pytest

from .messages import Message
from .screen import Seen, seen
from .shapes import JsonObject

NAMES = {"U0TOM": "tom", "S0FINANCE": "finance", "C0OPS": "ops", "U0BOT": "overwinter"}


def shown(text: str = "", **more: Any) -> Seen:
    message = Message(channel="C0OPS", ts="1.000001", user="U0BOT", text=text, **more)
    return seen(message, name_of=lambda an_id: NAMES.get(an_id, an_id), replies=0)


@pytest.mark.parametrize(
    ("text", "read", "pings"),
    [
        ("a &lt; b &amp;&amp; b &gt; c", "a < b && b > c", ()),
        ("&amp;lt;", "&lt;", ()),
        ("<@U0TOM> and <@U0TOM|thomas>", "@tom and @thomas", ("U0TOM", "U0TOM")),
        ("<!subteam^S0FINANCE> <!here>", "@finance @here", ("S0FINANCE", "!here")),
        ("in <#C0OPS>", "in #ops", ()),
        ("<!date^1392734382^{date}|18 Feb 2014>", "18 Feb 2014", ()),
        ("<mailto:ana@corp.example|ana@corp.example>", "ana@corp.example", ()),
    ],
)
def test_text_is_read_as_slack_shows_it(text: str, read: str, pings: tuple[str, ...]) -> None:
    on_screen = shown(text)
    assert (on_screen.text, on_screen.pings) == (read, pings)


def test_a_link_says_where_it_leads() -> None:
    assert shown("see <https://evil.example/?a=1&amp;b=2|your bank>").links == (
        ("your bank", "https://evil.example/?a=1&b=2"),
    )


def test_plain_text_has_no_mentions() -> None:
    block: JsonObject = {"type": "section", "text": {"type": "plain_text", "text": "<!channel> now"}}
    on_screen = shown("not shown", blocks=[block])
    assert (on_screen.text, on_screen.pings) == ("<!channel> now", ())


def test_every_kind_of_block_is_read() -> None:
    bold = {"type": "text", "text": "bold", "style": {"bold": True}}
    inner: list[JsonObject] = [
        {
            "type": "rich_text_section",
            "elements": [bold, {"type": "text", "text": " and "}, {"type": "emoji", "name": "x"}],
        },
        {"type": "rich_text_section", "elements": [{"type": "user", "user_id": "U0TOM"}]},
        {"type": "rich_text_section", "elements": [{"type": "usergroup", "usergroup_id": "S0FINANCE"}]},
        {"type": "rich_text_section", "elements": [{"type": "broadcast", "range": "channel"}]},
        {"type": "rich_text_section", "elements": [{"type": "channel", "channel_id": "C0OPS"}]},
        {"type": "rich_text_section", "elements": [{"type": "link", "url": "https://a.example", "text": "a"}]},
    ]
    blocks: list[JsonObject] = [
        {"type": "header", "text": {"type": "plain_text", "text": "Head"}},
        {"type": "divider"},
        {"type": "section", "fields": [{"type": "mrkdwn", "text": "one"}, {"type": "mrkdwn", "text": "two"}]},
        {"type": "context", "elements": [{"type": "mrkdwn", "text": "by"}, {"type": "mrkdwn", "text": "<@U0TOM>"}]},
        {"type": "markdown", "text": "**md**"},
        {"type": "image", "alt_text": "a picture", "image_url": "https://a.example/x.png"},
        {"type": "input", "label": {"type": "plain_text", "text": "Why?"}, "element": {"type": "plain_text_input"}},
        {"type": "rich_text", "elements": [{"type": "rich_text_list", "elements": inner}]},
    ]
    on_screen = shown(blocks=blocks)
    assert on_screen.text.splitlines() == [
        "Head",
        "one",
        "two",
        "by @tom",
        "**md**",
        "a picture",
        "Why?",
        "• bold and :x:",
        "• @tom",
        "• @finance",
        "• @channel",
        "• #ops",
        "• a",
    ]
    assert on_screen.pings == ("U0TOM", "U0TOM", "S0FINANCE", "!channel")
    assert on_screen.links == (("a", "https://a.example"),)


def test_buttons_in_sections_and_attachments_are_seen() -> None:
    button: JsonObject = {"type": "button", "action_id": "yes", "text": {"type": "plain_text", "text": "Yes"}}
    section: JsonObject = {"type": "section", "text": {"type": "mrkdwn", "text": "Go?"}, "accessory": button}
    on_screen = shown("Before", attachments=[{"blocks": [section]}, {"fallback": "an old one"}])
    assert on_screen.line == "overwinter: Before / Go? / an old one [Yes]"
    assert [each.action_id for each in on_screen.buttons] == ["yes"]
