"""The small messages around a question: who may not answer, what was not understood, what is still open."""

from __future__ import annotations

from collections.abc import Sequence

from ...actors.asks import ApprovalForm, Ask, ChoiceForm, Reminder
from ...actors.moments import to_the_minute
from ..sentences import as_sentence
from ..visible import visible
from .carried import PostKind, delivery_key, question_metadata, session_key, session_metadata
from .elements import Element, line, moment, preformatted, rich, words
from .escaping import brief
from .limits import chunks_of, clipped
from .messages import Message, message
from .people import Person, named, short

REMINDER = "q:reminder"
"""The block of a reminder."""
_LONGEST_SAID = 600
_LONGEST_LISTED = 150
_LONGEST_SPOKEN = 2_800
_MOST_LISTED = 10


def session_root(*, bot: str, owner: Person, channel: str, session_id: str) -> Message:
    """The message whose thread the questions of a session are asked in."""
    said = line(words(short(bot), bold=True), words(" works for "), named(owner), words(". It asks in this thread."))
    return message(
        f"{short(bot)} works for {short(owner.name)}. It asks in this thread.",
        blocks=(rich(said, block_id="q:root"),),
        metadata=session_metadata(session_key(channel=channel, session_id=session_id)),
    )


def refused(why: str) -> Message:
    """For the eyes of whoever answered and may not; nothing was recorded.

    Args:
        why: one sentence that may be shown to them.
    """
    return _note("Your answer does not count.", as_sentence(why))


def came_too_late(why: str) -> Message:
    """To somebody who answered a question that is closed, or whose message still shows old buttons.

    Args:
        why: how it closed, as one sentence.
    """
    return _note("Your answer came too late.", why)


def ended(why: str) -> Message:
    """In the thread of a conversation that takes no more words, or none of these."""
    return _note(why, "")


def spoken_words(text: str) -> tuple[Message, ...]:
    """What a bot says in its thread, in as many messages as it takes."""
    pieces = chunks_of(text.strip(), _LONGEST_SPOKEN)
    return tuple(message(piece, blocks=(rich(line(words(piece)), block_id="q:words"),)) for piece in pieces)


def failed(code: str) -> Message:
    """In the thread of a conversation whose bot could not go on."""
    return _note("I could not go on with this.", f"({code})")


def edited_too_late(why: str) -> Message:
    """In the thread, when somebody changes or takes back the words that have decided a question.

    Args:
        why: how it was decided, as one sentence.
    """
    return _note("The decision stays: it was taken before this change.", why)


def asked_again(ask: Ask, *, reason: str, said: str, understood: str | None = None) -> Message:
    """In the thread, when a reply did not settle the question; it stays open.

    Args:
        reason: why not, for whoever replied.
        said: the reply.
        understood: what it was taken to say as far as it went; None if nothing.
    """
    heading = "I have not taken this as an answer."
    parts = [line(words(heading, bold=True), words(f" {brief(reason, _LONGEST_SAID)}"))]
    parts.append(preformatted(clipped(visible(said), _LONGEST_SAID)))
    if understood is not None:
        parts.append(line(words(f"I understood: {brief(understood, _LONGEST_SAID)}")))
    parts.append(line(words(_how_to_answer(ask))))
    understanding = "" if understood is None else f"I understood: {understood}"
    return message(
        f"{heading} {reason}", understanding, _how_to_answer(ask), blocks=(rich(*parts, block_id="q:again"),)
    )


def which_one(questions: Sequence[tuple[str, Ask]]) -> Message:
    """In the thread, when a reply may be meant for any of several open questions.

    Args:
        questions: those that are open, in the order in which they were asked, each with the label it goes by, as ``Q2``.
    """
    heading = f"{len(questions)} questions are open here. Which one do you mean?"
    example = questions[0][0] if questions else "Q1"
    advice = f"Please name it: “{short(example)}: yes”. Or press a button of the question."
    listed = [
        line(words(f"{short(label)}: ", bold=True), words(brief(ask.prompt, _LONGEST_LISTED)))
        for label, ask in questions[:_MOST_LISTED]
    ]
    parts = [line(words(heading, bold=True)), *listed, line(words(advice))]
    texts = [f"{label}: {brief(ask.prompt, 60)}" for label, ask in questions[:_MOST_LISTED]]
    return message(heading, *texts, advice, blocks=(rich(*parts, block_id="q:which"),))


def reminded(reminder: Reminder, *, channel: str, people: Sequence[Person] = ()) -> Message:
    """In the thread, when a question has waited for long.

    Args:
        people: whom it calls; Slack notifies those among them who are users of its own.
    """
    ask = reminder.ask
    called: list[Element] = [part for person in people[:_MOST_LISTED] for part in (named(person), words(" "))]
    said = [*called, words(f"{short(reminder.summary)}: "), words(brief(ask.prompt, _LONGEST_SAID))]
    when: list[Element] = []
    if ask.deadline_at_ms is not None:
        when = [words(" Answer by "), moment(ask.deadline_at_ms)]
    by = "" if ask.deadline_at_ms is None else f"Answer by {to_the_minute(ask.deadline_at_ms)}"
    key = delivery_key(PostKind.REMINDER, channel=channel, pause_id=f"{ask.pause_id} {reminder.number}")
    return message(
        f"{reminder.summary}: {ask.prompt}",
        by,
        blocks=(rich(line(*said, *when), block_id=REMINDER),),
        metadata=question_metadata(key),
    )


def _note(heading: str, why: str) -> Message:
    told = brief(why, _LONGEST_SAID)
    parts = [words(heading, bold=True), *([words(f" {told}")] if told else [])]
    return message(f"{heading} {told}", blocks=(rich(line(*parts), block_id="q:note"),))


def _how_to_answer(ask: Ask) -> str:
    match ask.form:
        case ApprovalForm():
            return "Please answer “yes” or “no” here, with a reason if you like, or press a button of the question."
        case ChoiceForm(choices=choices):
            return f"Please answer with one of: {brief(', '.join(choices), _LONGEST_SAID)}"
        case _:
            return "Please answer again, in other words."
