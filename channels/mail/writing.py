"""What stands in our mails: a question, how it ended, and the few words that answer a person's mail.

Pure: from an ask or a withdrawal to a subject and the pieces of a body. A subject stands on lock screens, in lists and in the
log of every server on the way, so it carries no argument of a call; and it is the same over a session, so that clients keep
the session's mails together.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from ...actors.asks import AnswerForm, ApprovalForm, Ask, ChoiceForm, Relief, Reminder, Withdrawal
from ...actors.moments import to_the_minute
from ..asked import Field, asked_fields
from .letters import LONGEST_SUBJECT, header_text
from .sheets import Fact, Link, Piece, Quoted, Said, as_html, as_text, shortened

_MOST_FIELDS = 40
_LONGEST_VALUE = 1_500
_LONGEST_VALUES = 16_000
_SHORTEST_SHARE = 200
_LONGEST_PROMPT = 3_000
_LONGEST_FILE = 1_000_000
_LONGEST_READ = 600
_LONGEST_BOT = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """The body of a mail.

    Attributes:
        attachment: everything in full, where the body leaves something out; None if it does not.
    """

    text: str
    html: str
    attachment: str | None = None


def subject_of_session(ask: Ask) -> str:
    """The subject of all mails of a session: whose bot asks, and a few letters that tell one session from another."""
    mark = hashlib.blake2b(ask.session_id.encode(), digest_size=4).hexdigest()
    return header_text(
        f"{header_text(ask.bot, longest=_LONGEST_BOT)} needs your answer [{mark}]", longest=LONGEST_SUBJECT
    )


def question(ask: Ask, *, page: str | None = None) -> Written:
    """The mail that asks.

    Args:
        page: the address of a page on which it can be answered too; None if there is none.
    """
    prompt, of_prompt = shortened(ask.prompt, _LONGEST_PROMPT)
    asking = () if ask.prompt.startswith(ask.bot) else (Said(text=f"{_named(ask.bot)} asks:"),)
    facts, of_fields = _facts(asked_fields(ask))
    pieces: list[Piece] = [*asking, Quoted(text=prompt), *_runs(ask), *facts]
    if of_prompt or of_fields:
        pieces.append(Said(text="Not all of it is shown here. The attached file question.txt has everything."))
    pieces.append(Said(text=_invitation(ask)))
    if page is not None:
        pieces.append(Link(label="Or answer on this page:", url=page))
    pieces.append(Said(text=_about(ask), is_small=True))
    return Written(
        text=as_text(pieces), html=as_html(pieces), attachment=_in_full(ask) if of_prompt or of_fields else None
    )


def closing(withdrawal: Withdrawal) -> Written:
    """The follow-up that says how a question ended."""
    return _written(
        Said(text=f"{withdrawal.summary}. This question is closed and takes no more answers."),
        *_reminder(withdrawal.ask),
    )


def reminding(reminder: Reminder) -> Written:
    """Says once more that a question waits."""
    return _written(
        Said(text=f"{reminder.summary}."),
        *_reminder(reminder.ask),
        Said(text=_invitation(reminder.ask)),
        Said(text=_about(reminder.ask), is_small=True),
    )


def relieving(relief: Relief) -> Written:
    """Says that others are asked now."""
    return _written(
        Said(text=f"{relief.summary}. The question is theirs now, and takes no answer from here any more."),
        *_reminder(relief.ask),
    )


def not_understood(ask: Ask, *, read: str, why: str) -> Written:
    """Asks again: what was read of an answer, and why it settles nothing."""
    shown = [Said(text="This was read of it:"), Quoted(text=shortened(read, _LONGEST_READ)[0])] if read.strip() else []
    return _written(
        Said(text=f"Thank you. Your answer does not settle the question, which stays open. {why}"),
        *shown,
        Said(text="Please answer once more by replying to this mail. " + _invitation(ask)),
        *_reminder(ask),
    )


def confirming(ask: Ask, *, number: str, shown: str) -> Written:
    """The number that confirms an answer which somebody gave on the page."""
    return _written(
        Said(text="This answer was given on the page of the question, in your name:"),
        Quoted(text=shortened(shown, _LONGEST_READ)[0]),
        Said(text=f"If you gave it, type this number there to confirm it: {number}"),
        Said(
            text="If you did not, somebody else has your mail. Tell nobody the number: without it the answer does not count."
        ),
        *_reminder(ask),
    )


def told(ask: Ask, *, what: str) -> Written:
    """One line to somebody who wrote, which asks for nothing."""
    return _written(Said(text=what), *_reminder(ask))


def plainly(what: str) -> Written:
    """One line that says nothing of the question."""
    return _written(Said(text=what))


def _written(*pieces: Piece) -> Written:
    return Written(text=as_text(pieces), html=as_html(pieces))


def _reminder(ask: Ask) -> tuple[Piece, ...]:
    return Said(text="The question was:"), Quoted(text=shortened(ask.prompt, _LONGEST_READ)[0])


def _runs(ask: Ask) -> tuple[Piece, ...]:
    """What an approval lets run, whatever the prompt says."""
    return (Fact(name="To run", text=ask.form.tool),) if isinstance(ask.form, ApprovalForm) else ()


def _facts(fields: tuple[Field, ...]) -> tuple[list[Piece], int]:
    """The fields as far as a mail shows them, and how much of them is left out."""
    last = _MOST_FIELDS // 3
    skipped = max(0, len(fields) - _MOST_FIELDS)
    shown = fields if not skipped else (*fields[: _MOST_FIELDS - last], *fields[len(fields) - last :])
    share = min(_LONGEST_VALUE, max(_SHORTEST_SHARE, _LONGEST_VALUES // max(1, len(shown))))
    facts: list[Piece] = []
    missing = skipped
    for at, field in enumerate(shown):
        if skipped and at == _MOST_FIELDS - last:
            facts.append(Fact(name="…", text=f"{skipped:,} more fields are left out here", is_word=True))
        name, of_name = shortened(field.name or "(no name)", _SHORTEST_SHARE)
        text, of_text = shortened(field.text, share)
        missing += of_name + of_text
        facts.append(Fact(name=name, text=text, is_word=field.is_word))
    return facts, missing


def _in_full(ask: Ask) -> str:
    pieces: list[Piece] = [Quoted(text=ask.prompt), *_runs(ask)]
    pieces += [Fact(name=field.name or "(no name)", text=field.text) for field in asked_fields(ask)]
    return shortened(as_text(pieces), _LONGEST_FILE)[0]


def _invitation(ask: Ask) -> str:
    match ask.form:
        case ApprovalForm():
            how = "Say yes or no, or what should be different."
        case ChoiceForm(choices=choices) if len(choices) <= _MOST_FIELDS:
            how = "Choose one of those above."
        case ChoiceForm() | AnswerForm():
            how = "Use your own words."
    return f"Reply to this mail and write your answer above whatever your mail program quotes. {how}"


def _about(ask: Ask) -> str:
    facts = [f"{_named(ask.role)}, for {_named(ask.owner)}"]
    if ask.needs > 1:
        facts.append(f"{ask.needs} people have to approve, each for themselves")
    if ask.deadline_at_ms is not None:
        facts.append(f"answer by {to_the_minute(ask.deadline_at_ms)}")
    return " · ".join(facts)


def _named(text: str) -> str:
    return header_text(text, longest=_LONGEST_BOT)
