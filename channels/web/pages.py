"""All that the answer page shows, from values to HTML."""

from __future__ import annotations

from collections.abc import Mapping

from ...actors.asks import AnswerForm, ApprovalForm, Ask, ChoiceForm
from ...actors.moments import to_the_minute
from ...actors.questions import AskedQuestion
from ..asked import Field, asked_fields
from .forms import CHOSEN, IN_WORDS, MOST_CHOICES, REASON, WORDS, Filled, options_of
from .markup import page, paragraph, text, value_of
from .tickets import Ticket

STEP, CHOOSE, CONFIRM = "step", "choose", "confirm"
TICKET, ANSWER, NUMBER = "ticket", "answer", "number"
"""The names of the fields that a form of ours holds beside those of ``forms``."""

_MOST_FIELDS = 200
_LONGEST_VALUE = 20_000


def question_page(
    asked: AskedQuestion, *, ticket: Ticket, name: str, note: str = "", given: Mapping[str, str] | None = None
) -> str:
    """An open question with the form to answer it; nothing is chosen in it but what ``given`` holds.

    Args:
        name: whose answer it will be.
    """
    return page(
        f"{asked.ask.bot} needs your answer",
        paragraph(note, style="note") if note else "",
        *_about(asked.ask),
        paragraph(f"You answer as {name}. If that is not you, please leave it to them."),
        _choosing(asked.ask, ticket, given or {}),
        paragraph("Nothing is decided yet: you are asked to confirm what you choose.", style="small"),
    )


def confirm_page(
    asked: AskedQuestion, filled: Filled, *, ticket: Ticket, name: str, is_sent: bool = False, note: str = ""
) -> str:
    """What was filled in, to be confirmed by typing a number that stands in the text, or was sent.

    Args:
        name: whose answer it is.
    """
    where = (
        f"To give this answer, type the number that was sent to {text(name)}:"
        if is_sent
        else f"To give this answer, type the number <b>{ticket.number}</b> here:"
    )
    return page(
        "Please confirm your answer",
        paragraph(note, style="note") if note else "",
        *_about(asked.ask),
        paragraph(f"The answer of {name}:"),
        f"<blockquote>{text(filled.shown)}</blockquote>",
        '<form method="post" autocomplete="off">',
        _hidden(STEP, CONFIRM) + _hidden(TICKET, ticket.text) + _hidden(ANSWER, filled.text),
        f"<label>{where}",
        f'<input class="number" type="text" name="{NUMBER}" inputmode="numeric" maxlength="12" required></label>',
        "<p><button>Give this answer</button></p></form>",
        '<form method="get"><p class="small"><button>Choose something else</button></p></form>',
    )


def answered_page(asked: AskedQuestion, *, summary: str, is_open: bool) -> str:
    """An answer was recorded."""
    more = "The question waits for other people's answers too." if is_open else "You can close this page."
    return page("Thank you, your answer is recorded", *_about(asked.ask), paragraph(summary), paragraph(more))


def closed_page(asked: AskedQuestion) -> str:
    """How a question ended that takes no more answers."""
    at_ms = asked.resolved_at_ms
    when = "" if at_ms is None else f" ({to_the_minute(at_ms)})"
    return page(
        "This question is closed",
        *_about(asked.ask),
        paragraph(f"{asked.summary or 'It was closed'}{when}. It takes no more answers."),
    )


def unknown_page() -> str:
    """For every link that leads nowhere, whatever the reason."""
    return page(
        "There is no question here",
        paragraph(
            "The link is not complete, or its question was closed some time ago, or is not yours to answer any more."
        ),
    )


def busy_page(wait_s: int) -> str:
    return page(
        "Please wait a little", paragraph(f"There were too many tries. Come back in {max(1, wait_s // 60)} min.")
    )


def trouble_page(what: str) -> str:
    """Something went wrong that is no fault of whoever reads this; nothing was recorded."""
    return page("Your answer is not recorded", paragraph(what))


def _about(ask: Ask) -> list[str]:
    runs = [Field(name="To run", text=ask.form.tool)] if isinstance(ask.form, ApprovalForm) else []
    fields = (*runs, *asked_fields(ask, with_choices=False))
    shown = "".join(_fact(field) for field in fields[:_MOST_FIELDS])
    facts = f"{ask.role}, for {ask.owner}"
    if ask.needs > 1:
        facts += f" · {ask.needs} people have to approve, each for themselves"
    if ask.deadline_at_ms is not None:
        facts += f" · answer by {to_the_minute(ask.deadline_at_ms)}"
    return [
        f"<blockquote>{text(ask.prompt)}</blockquote>",
        f"<dl>{shown}</dl>" if shown else "",
        paragraph(f"{len(fields) - _MOST_FIELDS:,} more values are not shown here.")
        if len(fields) > _MOST_FIELDS
        else "",
        paragraph(facts, style="small"),
    ]


def _fact(field: Field) -> str:
    cut = len(field.text) - _LONGEST_VALUE
    more = f" … and {cut:,} more characters" if cut > 0 else ""
    style = ' class="word"' if field.is_word else ""
    return f"<dt>{text(field.name or '(no name)')}</dt><dd{style}>{text(field.text[:_LONGEST_VALUE])}{more}</dd>"


def _choosing(ask: Ask, ticket: Ticket, given: Mapping[str, str]) -> str:
    chosen = given.get(CHOSEN, "")
    rows: list[str] = []
    for option in options_of(ask.form):
        checked = " checked" if option.name == chosen else ""
        rows.append(
            f'<label><input type="radio" name="{CHOSEN}" value="{value_of(option.name)}"{checked}> {text(option.text)}</label>'
        )
        if option.name == IN_WORDS:
            rows.append(f'<textarea name="{WORDS}" rows="4">{text(given.get(WORDS, ""))}</textarea>')
    reason = (
        f'<label>Reason, if you want to give one: <input type="text" name="{REASON}" value="{value_of(given.get(REASON, ""))}">'
        "</label>"
        if isinstance(ask.form, ApprovalForm)
        else ""
    )
    return (
        f'<form method="post" autocomplete="off">{_hidden(STEP, CHOOSE)}{_hidden(TICKET, ticket.text)}'
        f"<fieldset><legend>{_invitation(ask)}</legend>{''.join(rows)}</fieldset>{reason}<p><button>Go on</button></p></form>"
    )


def _invitation(ask: Ask) -> str:
    match ask.form:
        case ApprovalForm():
            return "May it run?"
        case ChoiceForm(choices=choices) if len(choices) > MOST_CHOICES:
            return f"The first {MOST_CHOICES} of {len(choices):,} choices; any other can be written:"
        case ChoiceForm() | AnswerForm():
            return "Your answer"


def _hidden(name: str, held: str) -> str:
    return f'<input type="hidden" name="{name}" value="{value_of(held)}">'
