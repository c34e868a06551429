"""Blocks: their ids, the elements a person can use in them, and the least that Slack asks of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from .shapes import JsonObject, object_of, objects, text_of

Surface = Literal["message", "modal"]

MAX_BLOCKS: dict[Surface, int] = {"message": 50, "modal": 100}
"""See https://docs.slack.dev/reference/block-kit/blocks"""

MAX_SECTION_CHARS = 3_000
"""See https://docs.slack.dev/reference/block-kit/blocks/section-block"""


@dataclass(frozen=True, slots=True)
class Element:
    """A part of a block that a person can press, choose or fill in."""

    block: JsonObject
    element: JsonObject

    @property
    def block_id(self) -> str:
        return str(self.block["block_id"])

    @property
    def action_id(self) -> str:
        return str(self.element.get("action_id", ""))

    @property
    def kind(self) -> str:
        return str(self.element.get("type", ""))

    @property
    def is_input(self) -> bool:
        return self.block.get("type") == "input"

    @property
    def label(self) -> str:
        return text_of(self.element.get("text") or self.element.get("placeholder") or self.block.get("label"))


def elements(blocks: Sequence[JsonObject]) -> Iterator[Element]:
    """Every element a person can use, in the order in which they see them."""
    for block in blocks:
        match block.get("type"):
            case "actions":
                for element in objects(block.get("elements")):
                    yield Element(block, element)
            case "section" if block.get("accessory"):
                yield Element(block, object_of(block["accessory"]))
            case "input":
                yield Element(block, object_of(block.get("element")))
            case _:
                pass


def with_ids(blocks: Sequence[JsonObject], new_id: Callable[[], str]) -> list[JsonObject]:
    """The blocks as Slack keeps them: one without a ``block_id`` is given one, an element without an ``action_id`` too."""
    kept = [block if block.get("block_id") else {**block, "block_id": new_id()} for block in blocks]
    for each in elements(kept):
        if not each.element.get("action_id") and each.kind:
            each.element["action_id"] = new_id()
    return kept


def complaints_of_blocks(blocks: Sequence[JsonObject], surface: Surface) -> Sequence[str]:
    """How many, of a named type, ids once each, sections not too long: the least that Slack asks."""
    complaints: list[str] = []
    if len(blocks) > MAX_BLOCKS[surface]:
        complaints.append(f"no more than {MAX_BLOCKS[surface]} items allowed [json-pointer:/blocks]")
    seen: set[str] = set()
    for at, block in enumerate(blocks):
        if not isinstance(block.get("type"), str):
            complaints.append(f"missing required field: type [json-pointer:/blocks/{at}]")
        block_id = block.get("block_id")
        if isinstance(block_id, str):
            if block_id in seen:
                complaints.append(f"block_id {block_id!r} already exists [json-pointer:/blocks/{at}/block_id]")
            seen.add(block_id)
        texts = [block.get("text"), *objects(block.get("fields"))] if block.get("type") == "section" else []
        if any(len(text_of(text)) > MAX_SECTION_CHARS for text in texts):
            complaints.append(f"must be less than {MAX_SECTION_CHARS + 1} characters [json-pointer:/blocks/{at}/text]")
    return complaints
