"""What went wrong, as a sentence of its own: texts of errors follow a colon elsewhere."""

from __future__ import annotations


def as_sentence(text: str) -> str:
    said = text.strip()
    return said[:1].upper() + said[1:] + ("" if said.endswith((".", "!", "?", ")")) else ".")
