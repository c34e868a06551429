"""What went wrong, as a sentence of its own: texts of errors follow a colon elsewhere."""

from __future__ import annotations


def as_sentence(text: str) -> str:
    """The text with a capital letter and an end; nothing where it says nothing."""
    said = text.strip()
    ends = said.endswith((".", "!", "?", ")")) or not said
    return said[:1].upper() + said[1:] + ("" if ends else ".")
