"""What a person said, from what Slack made of it.

Slack's clients turn addresses, links, people and channels into forms in angle brackets, write three characters as entities and
quotation marks as curly ones: https://docs.slack.dev/messaging/formatting-message-text/#retrieving-messages
"""

from __future__ import annotations

import re

_ANGLED = re.compile(r"<([^<>]*)>")
_ENTITY = re.compile("&(amp|lt|gt);")
_CHARACTERS = {"amp": "&", "lt": "<", "gt": ">"}
_STRAIGHT = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'"})
_TONE = re.compile(r"::skin-tone-[2-6]$")
_ALIASES = {"thumbsup": "+1", "thumbsdown": "-1"}
_USER = re.compile(r"@([UW][A-Z0-9]+)")


def said(raw: str, *, our_user_id: str) -> str:
    """The words of a person; ours in front of them, which only calls us, is left out.

    Entities are turned back once, so that whoever writes ``&lt;`` is read as having written that.
    """
    parts = _ANGLED.split(_without_call(raw, our_user_id))
    texts = (_unescaped(part) if at % 2 == 0 else _form(part) for at, part in enumerate(parts))
    return "".join(texts).translate(_STRAIGHT)


def emoji_name(reaction: str) -> str:
    """The name of an emoji without its skin tone, and the same for all its aliases."""
    name = _TONE.sub("", reaction)
    return _ALIASES.get(name, name)


def _without_call(raw: str, our_user_id: str) -> str:
    call = re.compile(rf"\s*<@{re.escape(our_user_id)}(\|[^<>]*)?>[\s:,]*")
    found = call.match(raw)
    return raw if found is None else raw[found.end() :]


def _form(inside: str) -> str:
    """What a form in angle brackets says."""
    target, _, label = inside.partition("|")
    target, label = _unescaped(target), _unescaped(label)
    if user := _USER.fullmatch(target):
        return f"@{label.removeprefix('@') or user[1]}"
    if target.startswith("#"):
        return f"#{label.removeprefix('#') or target[1:]}"
    if target.startswith("!date^"):
        return label
    if target.startswith("!"):
        return f"@{label.removeprefix('@') or target[1:].partition('^')[2] or target[1:]}"
    if target.startswith("mailto:"):
        return target.removeprefix("mailto:")
    if not label or label in target:
        return target
    return label if target.startswith("tel:") else f"{label} ({target})"


def _unescaped(text: str) -> str:
    return _ENTITY.sub(lambda found: _CHARACTERS[found[1]], text)
