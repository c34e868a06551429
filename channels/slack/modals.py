"""The modals that a question's buttons open: https://docs.slack.dev/reference/views/modal-views

Each carries its question, so that what is sent from it is understood by any process.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from ...actors.asks import AnswerForm, ApprovalForm, Ask, JsonValue
from ..asked import Field
from ..visible import visible
from .arguments import NO_NAME, full_text
from .carried import Action, ModalKind, carried_by, numbered
from .choices import Choice, choices_of, option_labels
from .elements import Block, Element, actions, button, line, plain, preformatted, rich, section, words
from .fields import FieldKind, InputField, answer_fields, argument_fields
from .limits import INPUT_LABEL, INPUT_TEXT, MODAL_TITLE, OPTION_TEXT, SECTION_TEXT, chunks_of, clipped, units

View = dict[str, JsonValue]

REASON = "reason"
"""Block of the input for the reason, and its ``action_id``."""
CHOICE = "choice"
"""Block of the input for a choice, and its ``action_id``."""

_LONGEST_PROMPT = 600
_LONGEST_HINT = 300
_LONGEST_LABEL = 150
_CHUNK = 2_800
_PAGE_JSON = 60_000
_PAGE_BLOCKS = 60
_BLOCK_PARTS = 40
_LONG_TEXT = 80
_MOST_LONG_CHOICES = 40


def reason_modal(ask: Ask) -> View:
    """Asks why a call is rejected; the reason may be left out."""
    return _view(
        ask, ModalKind.REASON, "Reject", [_prompt(ask), _reason_input("Why? The bot is told so.")], submit="Reject"
    )


def changes_modal(ask: Ask) -> View:
    """The arguments to edit, as they are now.

    Raises:
        ValueError: the question is not about a call whose arguments can be edited.
    """
    if not isinstance(ask.form, ApprovalForm) or not (fields := argument_fields(ask.form)):
        raise ValueError("there are no arguments to edit")
    fixed = [name for name in ask.form.arguments if name not in {field.name for field in fields}]
    return _view(
        ask,
        ModalKind.CHANGES,
        "Approve with changes",
        [_prompt(ask), *map(_input, fields), *_fixed(fixed), _reason_input("Reason")],
        submit="Approve",
    )


def choice_modal(ask: Ask) -> View:
    """All choices of a question in one list.

    Raises:
        ValueError: there are none, or too many for a list.
    """
    choices = choices_of(ask.form)
    options = _options(choices)
    if not options:
        raise ValueError("there is nothing to choose from")
    element: Element = {"type": "static_select", "action_id": CHOICE, "options": options}
    blocks = [_prompt(ask), *_long_choices(choices), _labelled("Your answer", CHOICE, element, is_optional=False)]
    return _view(ask, ModalKind.CHOICE, "Choose", blocks, submit="Answer")


def answer_modal(ask: Ask) -> View:
    """The parts of an answer, to fill in.

    Raises:
        ValueError: the answer has no parts that could be filled in.
    """
    if not isinstance(ask.form, AnswerForm) or not (fields := answer_fields(ask.form)):
        raise ValueError("there are no fields to fill in")
    return _view(ask, ModalKind.ANSWER, "Answer", [_prompt(ask), *map(_input, fields)], submit="Answer")


def full_text_modal(ask: Ask, *, page: int = 0) -> View:
    """Everything a question asks, with nothing left out, on as many pages as it takes; the last for a higher ``page``."""
    pages = _pages(full_text(ask))
    at = min(max(page, 0), len(pages) - 1)
    blocks = list(pages[at])
    if len(pages) > 1:
        carried = carried_by(ask)
        turns = [(at - 1, "Back")] if at > 0 else []
        turns += [(at + 1, "Next page")] if at + 1 < len(pages) else []
        blocks.insert(0, section(f"Page {at + 1} of {len(pages)}", longest=SECTION_TEXT, block_id="page"))
        buttons = [button(text, action_id=numbered(Action.PAGE, to), value=carried) for to, text in turns]
        blocks.append(actions(*buttons, block_id="turn"))
    return _view(ask, ModalKind.FULL_TEXT, "The whole question", blocks, submit=None)


def told_modal(heading: str, why: str) -> View:
    """Says what became of an answer, in the place of the modal that it was given in."""
    return {
        "type": "modal",
        "title": plain("Overwinter", MODAL_TITLE),
        "close": plain("Close", MODAL_TITLE),
        "blocks": [section(f"{heading} {why}".strip(), longest=SECTION_TEXT, block_id="told")],
    }


def _view(ask: Ask, kind: ModalKind, title: str, blocks: Sequence[Block], *, submit: str | None) -> View:
    view: View = {
        "type": "modal",
        "callback_id": str(kind),
        "title": plain(title, MODAL_TITLE),
        "close": plain("Close" if submit is None else "Cancel", MODAL_TITLE),
        "private_metadata": carried_by(ask),
        "blocks": list(blocks),
    }
    return view if submit is None else {**view, "submit": plain(submit, MODAL_TITLE)}


def _prompt(ask: Ask) -> Block:
    return section(f"{ask.bot} asks: {ask.prompt}", longest=_LONGEST_PROMPT, block_id="asked")


def _reason_input(label: str) -> Block:
    element: Element = {"type": "plain_text_input", "action_id": REASON, "multiline": True, "max_length": INPUT_TEXT}
    return _labelled(label, REASON, element, is_optional=True)


def _input(field: InputField) -> Block:
    return _labelled(
        field.name,
        field.block_id,
        _element(field),
        is_optional=field.may_be_empty,
        hint=clipped(visible(field.description), _LONGEST_HINT),
    )


def _element(field: InputField) -> Element:
    element: Element = {"action_id": field.block_id}
    match field.kind:
        case FieldKind.CHOICE:
            options = _options(field.choices)
            element |= {"type": "static_select", "options": options}
            if field.prefill is not None:
                element["initial_option"] = options[int(field.prefill)]
            return element
        case FieldKind.DATE:
            initial = {} if field.prefill is None else {"initial_date": field.prefill}
            return {"type": "datepicker", **element, **initial}
        case FieldKind.TEXT | FieldKind.NUMBER | FieldKind.JSON:
            prefill = field.prefill or ""
            is_long = field.kind is FieldKind.JSON or len(prefill) > _LONG_TEXT or "\n" in prefill
            initial = {"initial_value": prefill} if prefill.strip() else {}
            return {
                "type": "plain_text_input",
                **element,
                "multiline": is_long,
                "max_length": INPUT_TEXT,
                **initial,
            }


def _labelled(label: str, block_id: str, element: Element, *, is_optional: bool, hint: str = "") -> Block:
    block: Block = {
        "type": "input",
        "block_id": block_id,
        "label": plain(label, _LONGEST_LABEL),
        "element": element,
        "optional": is_optional,
    }
    return {**block, "hint": plain(hint, INPUT_LABEL)} if hint.strip() else block


def _options(choices: Sequence[Choice]) -> list[Element]:
    labels = option_labels(tuple(choices))
    return [{"text": plain(label, OPTION_TEXT), "value": str(at)} for at, label in enumerate(labels)]


def _long_choices(choices: tuple[Choice, ...]) -> Iterable[Block]:
    """The whole texts of choices whose labels in the list are cut, as far as there is room for them."""
    labels = option_labels(choices)
    cut = [label for label in labels if clipped(label, OPTION_TEXT) != label][:_MOST_LONG_CHOICES]
    return [section(label, longest=_LONGEST_PROMPT, block_id=f"choice:{at}") for at, label in enumerate(cut)]


def _fixed(names: Sequence[str]) -> Iterable[Block]:
    if names:
        text = f"Cannot be edited here, and stay as they are: {', '.join(names)}"
        yield section(text, longest=_LONGEST_PROMPT, block_id="fixed")


def _pages(fields: Iterable[Field]) -> tuple[tuple[Block, ...], ...]:
    """All fields in blocks, and the blocks on pages."""
    pages: list[list[Block]] = [[]]
    parts: list[Element] = []
    room = _PAGE_JSON
    for field in fields:
        for piece in _pieces(field):
            size = len(json.dumps(piece))
            if parts and (size > room or len(parts) + len(piece) > _BLOCK_PARTS):
                pages[-1].append(rich(*parts, block_id=f"text:{len(pages[-1])}"))
                parts = []
                if size > room or len(pages[-1]) == _PAGE_BLOCKS:
                    pages.append([])
                    room = _PAGE_JSON
            parts += piece
            room -= size
    pages[-1].append(rich(*parts, block_id=f"text:{len(pages[-1])}"))
    return tuple(tuple(page) for page in pages)


def _pieces(field: Field) -> Iterable[list[Element]]:
    """A field in full: on one line, or in as many pieces as it takes."""
    if units(field.name) > _LONGEST_LABEL:
        for piece in chunks_of(field.name, _CHUNK):
            yield [line(words("The name of what follows:", bold=True)), preformatted(piece)]
    name = clipped(field.name or NO_NAME, _LONGEST_LABEL)
    if field.is_word or (units(field.text) <= _LONGEST_LABEL and "\n" not in field.text):
        yield [
            line(words(name, bold=True), words(": "), words(field.text, italic=field.is_word, code=not field.is_word))
        ]
        return
    pieces = chunks_of(field.text, _CHUNK)
    for at, piece in enumerate(pieces, start=1):
        part = "" if len(pieces) == 1 else f" ({at} of {len(pieces)})"
        yield [line(words(f"{name}{part}:", bold=True)), preformatted(piece)]
