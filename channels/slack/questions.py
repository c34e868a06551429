"""The message of a question: while it is open, while some of several people have approved, and when it is closed.

Each state is rendered from the question itself, never from the message that stands in Slack, so an edit always fits and
always takes the buttons away.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence

from ...actors.asks import ApprovalForm, Ask, ChoiceForm, JsonValue, Progress, Withdrawal
from ...actors.moments import to_the_minute
from ...store.values import value
from ..asked import Field, asked_fields
from ..visible import visible
from .arguments import Budget, Layout, laid_out
from .carried import Action, PostKind, carried_by, delivery_key, numbered, question_metadata
from .choices import are_buttons, are_options, choices_of
from .elements import (
    Block,
    Element,
    actions,
    button,
    confirmation,
    emoji,
    line,
    moment,
    preformatted,
    quote,
    rich,
    words,
)
from .fields import has_answer_fields, has_editable_fields
from .limits import MESSAGE_JSON, end_of, start_of, units
from .messages import Message, message
from .people import Person, named, short

_BUDGETS = (
    (Budget(fields=16, text=6_000), 1_500),
    (Budget(fields=12, text=3_000), 900),
    (Budget(fields=6, text=900), 300),
)
"""What is tried until a message fits: of the arguments, and units of the prompt. The last fits beside the fullest buttons."""

PROMPT = "q:prompt"
"""The block with the question; every state of the message has it."""
_LONGEST_DETAILS = 600
_IN_TEXT = Budget(fields=16, text=1_200)


@value
class _Shown:
    """What of a question stands in its message; the same in every state."""

    blocks: tuple[Block, ...]
    left_out: str


def question(ask: Ask, *, channel: str, owner: Person | None = None, progress: str | None = None) -> Message:
    """The message that asks.

    Args:
        channel: the channel's name in the app.
        owner: the session's owner, for whom the bot works; None shows the name in the ask.
        progress: how far a question to several people is, as ``1 of 2 approved (mara)``; None before anybody has answered.

    Raises:
        ChannelRejectedError: (channel.rejected) the question cannot be carried by Slack's buttons.
    """
    about = _about(ask, owner or Person(name=ask.owner), progress)
    carried = carried_by(ask)

    def rest(shown: _Shown) -> tuple[Block, ...]:
        buttons = _buttons(ask, carried, shown.left_out)
        pressable = (actions(*buttons, block_id="q:buttons"),) if buttons else ()
        return about, *pressable, rich(line(_invitation(ask, bool(buttons))), block_id="q:invitation")

    return message(
        _spoken(ask, "asks"),
        *_in_words(ask),
        progress or "",
        blocks=_fitted(ask, rest),
        metadata=_metadata(ask, channel),
    )


def progressed(progress: Progress, *, channel: str, owner: Person | None = None) -> Message:
    """The message of a question that some of several people have answered; its buttons stay."""
    return question(progress.ask, channel=channel, owner=owner, progress=progress.summary)


def closed(
    withdrawal: Withdrawal, *, channel: str, at_ms: int, by: Person | None = None, details: str | None = None
) -> Message:
    """The message of a question that is closed: what happened, by whom, when; no buttons.

    Args:
        at_ms: when it closed; UTC epoch milliseconds.
        by: who answered or cancelled; None shows the name in the withdrawal.
        details: the reason or the answer in words; None leaves it out.
    """
    ask = withdrawal.ask
    person = by or (None if withdrawal.answered_by is None else Person(name=withdrawal.answered_by))
    verdict = withdrawal.summary.removesuffix(f" by {withdrawal.answered_by}") if person else withdrawal.summary
    said = [emoji(_symbol(withdrawal)), words(f" {short(verdict)}", bold=True)]
    if person is not None:
        said += [words(" by "), named(person)]
    said += [words(", "), moment(at_ms)]
    parts = [line(*said)]
    if details is not None and details.strip():
        parts.append(preformatted(_middle_out(visible(details), _LONGEST_DETAILS)))
    ending = rich(*parts, block_id="q:ending")
    return message(
        f"{withdrawal.summary}, {to_the_minute(at_ms)}",
        _spoken(ask, "asked"),
        blocks=_fitted(ask, lambda _: (ending,)),
        metadata=_metadata(ask, channel),
    )


def handed_on(ask: Ask, *, channel: str, at_ms: int, to: str) -> Message:
    """The message of a question that others are asked now: it is open, and has no buttons here any more.

    Args:
        to: who is asked now, for people.
    """
    said = (emoji("arrow_right"), words(f" Nobody answered in time; asked {short(to)} instead, "), moment(at_ms))
    ending = rich(line(*said), block_id="q:ending")
    return message(
        f"Nobody answered in time; asked {short(to)} instead, {to_the_minute(at_ms)}",
        _spoken(ask, "asked"),
        blocks=_fitted(ask, lambda _: (ending,)),
        metadata=_metadata(ask, channel),
    )


def _metadata(ask: Ask, channel: str) -> JsonValue:
    return question_metadata(delivery_key(PostKind.QUESTION, channel=channel, pause_id=ask.pause_id))


def _fitted(ask: Ask, rest: Callable[[_Shown], tuple[Block, ...]]) -> tuple[Block, ...]:
    """The question and what follows it, with as much of the question as fits."""
    prompt = visible(ask.prompt)
    fields = asked_fields(ask, with_choices=not are_buttons(choices_of(ask.form)))
    blocks: tuple[Block, ...] = ()
    for budget, prompt_units in _BUDGETS:
        shown = _shown(ask, prompt, fields, budget, prompt_units)
        blocks = (*shown.blocks, *rest(shown))
        if units(json.dumps(blocks, ensure_ascii=False)) <= MESSAGE_JSON:
            break
    return blocks


def _shown(ask: Ask, prompt: str, fields: Sequence[Field], budget: Budget, prompt_units: int) -> _Shown:
    bot = line(words(short(ask.bot), bold=True), words(" asks:"))
    asking = () if _names_its_bot(prompt, ask.bot) else (bot,)
    blocks = [rich(*asking, quote(_middle_out(prompt, prompt_units)), block_id=PROMPT)]
    layout = laid_out(fields, budget)
    runs = _runs(ask, has_arguments=bool(layout.parts))
    if runs or layout.parts:
        blocks.append(rich(*runs, *layout.parts, block_id="q:arguments"))
    return _Shown(blocks=tuple(blocks), left_out=_left_out(layout, units(prompt) - prompt_units))


def _runs(ask: Ask, *, has_arguments: bool) -> tuple[Element, ...]:
    """What an approval lets run, whatever the prompt says."""
    if not isinstance(ask.form, ApprovalForm):
        return ()
    rest = " with:" if has_arguments else ", without arguments."
    return (line(words("To run: "), words(short(ask.form.tool), code=True), words(rest)),)


def _left_out(layout: Layout, of_prompt: int) -> str:
    """What the message does not show, in words; empty if nothing."""
    gaps = (layout.left_out, "a part of the question" if of_prompt > 0 else "")
    return " and ".join(gap for gap in gaps if gap)


def _about(ask: Ask, owner: Person, progress: str | None) -> Block:
    facts: list[Element] = [words(f"{short(ask.role)}, for "), named(owner)]
    if ask.needs > 1:
        facts.append(words(f" · {ask.needs} people have to approve"))
    if progress is not None:
        facts += [words(" · "), words(short(progress), bold=True)]
    if ask.escalated_from:
        facts.append(words(f" · nobody answered in {short(', '.join(ask.escalated_from))}"))
    if ask.deadline_at_ms is not None:
        facts += [words(" · answer by "), moment(ask.deadline_at_ms)]
    return rich(line(*facts), block_id="q:about")


def _buttons(ask: Ask, carried: str, left_out: str) -> tuple[Element, ...]:
    found = list(_deciding_buttons(ask, carried, left_out))
    if left_out:
        found.append(button("Show all", action_id=Action.SHOW_ALL, value=carried))
    return tuple(found)


def _deciding_buttons(ask: Ask, carried: str, left_out: str) -> Iterable[Element]:
    if isinstance(ask.form, ApprovalForm):
        unread = _unread("Approve", left_out)
        yield button("Approve", action_id=Action.APPROVE, value=carried, style="primary", confirm=unread)
        if has_editable_fields(ask.form):
            yield button("Approve with changes …", action_id=Action.CHANGE, value=carried)
        yield button("Reject …", action_id=Action.REJECT, value=carried, style="danger")
        return
    choices = choices_of(ask.form)
    if are_buttons(choices):
        for at, choice in enumerate(choices):
            unread = _unread("Answer", left_out)
            yield button(choice.label, action_id=numbered(Action.CHOICE, at), value=carried, confirm=unread)
    elif are_options(choices):
        yield button("Choose …", action_id=Action.CHOOSE, value=carried)
    elif not isinstance(ask.form, ChoiceForm) and has_answer_fields(ask.form):
        yield button("Fill in …", action_id=Action.ANSWER, value=carried)


def _unread(verb: str, left_out: str) -> Element | None:
    """Asks whoever decides at once whether they have seen what the message leaves out."""
    if not left_out:
        return None
    return confirmation(
        f"{verb} all of it?",
        f"The message does not show everything: {left_out}. “Show all” does.",
        confirm=verb,
        deny="Not yet",
    )


def _invitation(ask: Ask, has_buttons: bool) -> Element:
    if ask.needs > 1:
        return words("Each answers for themselves, by a button or in this thread.", italic=True)
    return words("Or answer in this thread." if has_buttons else "Please answer in this thread.", italic=True)


def _spoken(ask: Ask, verb: str) -> str:
    """The question as a sentence; many a prompt says who asks by itself."""
    return ask.prompt if _names_its_bot(ask.prompt, ask.bot) else f"{ask.bot} {verb}: {ask.prompt}"


def _names_its_bot(prompt: str, bot: str) -> bool:
    return bool(bot.strip()) and prompt.startswith(bot)


def _in_words(ask: Ask) -> Iterable[str]:
    """The fields of a question as sentences, for those who do not see its blocks."""
    fields = asked_fields(ask)[: _IN_TEXT.fields]
    share = _IN_TEXT.text // max(1, len(fields))
    runs = [f"To run: {short(ask.form.tool)}"] if isinstance(ask.form, ApprovalForm) else []
    return [*runs, *(f"{field.name}: {_middle_out(field.text, share)}" for field in fields)]


def _middle_out(text: str, longest: int) -> str:
    """The text, or its beginning and end around a mark that says how much is missing."""
    size = units(text)
    if size <= longest:
        return text
    head, tail = start_of(text, longest - longest // 3), end_of(text, longest // 3)
    return f"{head} […{size - units(head) - units(tail):,} characters left out…] {tail}"


def _symbol(withdrawal: Withdrawal) -> str:
    match withdrawal.why:
        case "timed_out":
            return "hourglass"
        case "withdrawn" | "cancelled":
            return "heavy_minus_sign"
        case "decided" | "replied":
            if withdrawal.summary.startswith("Rejected"):
                return "x"
            return "white_check_mark"
