"""Who is given which sensitive values: one table, and the views of a question that follow from it.

    given to                                        mask        token       block
    ----------------------------------------------  ----------  ----------  ------------------------------
    the tool, the workflow, the ledger, the digest  the value   the value   the value
      of what was approved
    the people who are asked                        a token     a token     the question is refused
      where the field is shown to them              the value   the value   the question is refused
    listings, audit, logs, notices, shown events    a mask      a mask      a mask
    a model that reads a reply                      a token     a token     the reading is refused
    the agent's own model: results, edits, errors   a mask      a token     a mask: what has run has run
    the agent's own model: its own calls            as it wrote them
    an agent that a workflow gives a message        a mask      a token     the message is refused

A mask (``•••``) is the same for all values and leads back to none. A token (``‹card:1›``) names the field and numbers the values
of one question or one result: equal values, equal numbers. A token that comes back in an edit or in a model's reading is
turned into its value before anything is validated; one that stands for nothing, or stands where nothing sensitive belongs, is
refused, and the question stays open. One that the agent's own model puts into a sensitive argument is turned back likewise,
in whatever call or message of the session it was shown; with one that stands for nothing, or a mask, the call does not run.

What is refused raises ``PiiRefusedError`` (``pii.refused``). Nothing has happened then: the call has not run, the question is still
open for a typed decision.

What a workflow is given, what its steps and children return and what it is answered is known to its code from then on: it is hidden
in what that asks and says as above. A truth, or a text of one letter, is hidden where a field stands and in no text.

Hidden is what a field's mark says, and the same value wherever else it turns up: in a prompt, a reply, a reason, another
argument. Nobody can hide a value that no field has named yet: a number that a person writes into a reply for the first
time. So where the answer itself is sensitive no model reads the reply (``channels/privacy.py``), and an author's own logs and
prompts are the author's to keep.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, cast

from . import stand_ins
from .asks import AnswerForm, ApprovalForm, Ask, ChoiceForm, Form, JsonValue, call_of
from .errors import PauseInvalidDecisionError, PiiRefusedError
from .jsontext import to_json
from .marks import Schema, Secret, scalars_of, secrets_in
from .redaction import MASK, TOKEN, Masks, Tokens, tokens_in
from .traces import Finder


def secrets_of(form: Form | None) -> tuple[Secret, ...]:
    """The sensitive values in the call that a question is about, and in its prompt."""
    match form:
        case None | ApprovalForm(marks=None):
            return ()
        case ChoiceForm(private=private) | AnswerForm(private=private) if private is not None:
            return tuple(
                Secret(name=name, level=level, is_shown=is_shown, value=value, path=(-1, index))
                for index, (name, level, is_shown, value) in enumerate(private)
            )
        case _:
            call = call_of(form)
            return () if call is None else secrets_in(call.marks, call.arguments)


def private_in(prompt: str, secrets: Sequence[Secret]) -> JsonValue:
    """What a form says of the sensitive values that stand in its prompt; None where none does."""
    telling = [secret for secret in secrets if _is_telling(secret)]
    found = {
        to_json([secret.name, secret.value]): [secret.name, secret.level, secret.is_shown, secret.value]
        for secret in Finder(telling).secrets_in(prompt)
    }
    return list(found.values()) or None


def noted(secrets: Sequence[Secret]) -> JsonValue:
    """What the ledger keeps of what is sensitive in it, so that whoever shows the session later knows what to hide."""
    return {"values": [[secret.name, secret.value] for secret in secrets]}


def check_prompt(prompt: str, secrets: Sequence[Secret]) -> None:
    """Raise ``PiiRefusedError`` (pii.refused) if a value that may not leave stands in the prompt of a question."""
    if not secrets:
        return  # a replay comes past every question of its execution
    found = private_in(prompt, [secret for secret in secrets if secret.level == "block"])
    if found is not None:
        names = ", ".join(sorted({name for name, *_ in found}))
        raise PiiRefusedError(f"the question would carry {names}, which may not leave; leave it out")


def with_private(form: Form, prompt: str, secrets: Sequence[Secret]) -> Form:
    """The form of a question that the code asks, with what of its prompt is sensitive."""
    private = private_in(prompt, secrets)
    return form if private is None or isinstance(form, ApprovalForm) else replace(form, private=private)


def told_to_model(text: str, secrets: Sequence[Secret]) -> dict[str, Any]:
    """A text of the code's own as a model is given it: a message's ``content``, and what the tokens in that stand for.

    Raises:
        PiiRefusedError: (pii.refused) it has a value in it that may not leave.
    """
    known = [
        Secret(name=name, level=level, is_shown=is_shown, value=value)
        for name, level, is_shown, value in private_in(text, secrets) or ()
    ]
    check_may_leave(known, what="the message to an agent")
    hidden = Masks([secret for secret in known if secret.level == "mask"]).text(text)
    tokens = Tokens([secret for secret in known if secret.level == "token"])
    content = tokens.text(hidden, keeps_tokens=True)
    return stand_ins.noted({"content": content}, content, tokens.values)


def check_may_leave(secrets: Sequence[Secret], *, what: str) -> None:
    """Raise ``PiiRefusedError`` (pii.refused) if one of them may go nowhere, naming its field.

    Args:
        what: what would have carried it, for the text.
    """
    blocked = sorted({secret.name for secret in secrets if secret.level == "block"})
    if blocked:
        raise PiiRefusedError(f"{what} would carry {', '.join(blocked)}, which may not leave; leave it out")


def marks_of_decision(form: Form | None) -> Schema | None:
    """What is sensitive in a decision of this form."""
    match form:
        case ApprovalForm(marks=marks) if marks is not None:
            rest = {keyword: part for keyword, part in marks.items() if keyword != "$defs"}
            return {"properties": {"override_arguments": rest}, "$defs": marks.get("$defs", {})}
        case AnswerForm(marks=marks):
            return marks
        case _:
            return None


# -- the people who are asked -----------------------------------------------------------------------------------------
def as_asked(ask: Ask) -> Ask:
    """The question as its channel, and so the people who are asked, are given it."""
    secrets = secrets_of(ask.form)
    hidden = _hidden(secrets)
    arguments = _arguments_of(ask.form)
    if not hidden:
        return replace(ask, form=with_arguments(ask.form, arguments)) if secrets else ask
    tokens = Tokens(secrets, in_text=hidden)
    form = with_arguments(ask.form, tokens.json(arguments, hidden))
    return replace(ask, prompt=tokens.text(ask.prompt, keeps_tokens=True), form=form)


def arguments_in_prompt(form: Form) -> dict[str, JsonValue]:
    """The arguments of a call as its question's prompt may name them.

    Hidden are those that stay hidden from the people asked, and those that no listing could find in a text again.
    """
    secrets = secrets_of(form)
    if not secrets:
        return _arguments_of(form)
    tokens = Tokens(secrets, in_text=_hidden(secrets))
    return tokens.json(_arguments_of(form), [secret for secret in secrets if _is_hidden(secret) or _is_elusive(secret)])


def told_to_asked(form: Form, text: str) -> str:
    """A text about the question for those who were asked: why a reply or a decision was not taken."""
    hidden = _hidden(secrets_of(form))
    return Masks(hidden).text(text) if hidden else text


def restored(form: Form, decision: JsonValue) -> JsonValue:
    """A decision with values in the place of the tokens that the people asked, or a reader, were given for them.

    Raises:
        PauseInvalidDecisionError: (pause.invalid-decision) a token or a mask stands where it says nothing.
    """
    if not isinstance(form, ApprovalForm) or form.marks is None or not isinstance(decision, dict):
        return decision
    members = cast("dict[str, JsonValue]", decision)
    override = members.get("override_arguments")
    if not isinstance(override, dict):
        return members
    secrets = secrets_of(form)
    hidden = _hidden(secrets)
    tokens = Tokens(secrets, in_text=hidden)
    shown = tokens.json(form.arguments, hidden) if hidden else form.arguments
    unknown = tokens.unknown_in(override)
    if unknown is not None and unknown not in tokens_in(shown):
        raise PauseInvalidDecisionError(f"$.override_arguments: {unknown} stands for no value of this question")
    loose = set(_tokens_elsewhere(form.marks, shown))
    for token in _tokens_elsewhere(form.marks, override):
        if token not in loose:
            raise PauseInvalidDecisionError(
                f"$.override_arguments: {token} stands for a sensitive value, and not in a field for one"
            )
    edited: JsonValue = tokens.revealed(override) if hidden else members["override_arguments"]
    if (place := placeholder_in(form.marks, edited, besides=secrets)) is not None:
        raise PauseInvalidDecisionError(f"$.override_arguments: {place} hides its value; give the value itself")
    return {**members, "override_arguments": edited}


def placeholder_in(marks: Schema | None, arguments: JsonValue, *, besides: Sequence[Secret] = ()) -> str | None:
    """The name of a sensitive field in which a mask or a token stands for the value; None if there is none.

    Args:
        besides: values that are what they are, though they look so.
    """
    real = {scalar for secret in besides for scalar in scalars_of(secret.value)}
    for secret in secrets_in(marks, arguments):
        for scalar in scalars_of(secret.value):
            if isinstance(scalar, str) and scalar not in real and (MASK in scalar or TOKEN.search(scalar)):
                return secret.name
    return None


# -- everybody else ---------------------------------------------------------------------------------------------------
def listed_prompt(prompt: str, form: Form | None) -> str:
    """The question as listings, events and notices show it."""
    secrets = secrets_of(form)
    return Masks(secrets).text(prompt) if secrets else prompt


def listed_arguments(marks: Schema | None, arguments: JsonValue) -> JsonValue:
    """The arguments of a call as listings show them."""
    secrets = secrets_in(marks, arguments)
    return Masks(secrets).json(arguments, secrets) if secrets else arguments


def listed_decision(form: Form, decision: JsonValue) -> JsonValue:
    """A decision as the audit keeps it and listings show it."""
    marks = marks_of_decision(form)
    secrets = (*secrets_of(form), *secrets_in(marks, decision, name="answer"), *_secrets_in_votes(marks, decision))
    if not secrets:
        return decision
    masks = Masks(secrets)
    if isinstance(form, ApprovalForm) and isinstance(decision, dict):
        return _listed_approval(masks, form, cast("dict[str, JsonValue]", decision))
    return masks.json(decision, secrets_in(marks, decision, name="answer"))


def _listed_approval(masks: Masks, form: ApprovalForm, approval: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Its keys are words of ours, whatever the values are. Where several people decided, their ``votes`` are in it."""
    listed: dict[str, JsonValue] = {}
    for key, part in approval.items():
        if key == "override_arguments":
            listed[key] = masks.json(part, secrets_in(form.marks, part))
        elif key == "votes" and isinstance(part, list):
            votes = cast("list[dict[str, JsonValue]]", part)
            listed[key] = [_listed_approval(masks, form, vote) for vote in votes]
        else:
            listed[key] = masks.json(part)
    return listed


def with_arguments(form: Form, arguments: dict[str, JsonValue]) -> Form:
    """The form with other arguments of its call, and without what is private in its prompt."""
    match form:
        case ApprovalForm():
            return replace(form, arguments=arguments)
        case ChoiceForm(call=call) | AnswerForm(call=call):
            return replace(form, private=None, call=None if call is None else replace(call, arguments=arguments))


def _secrets_in_votes(marks: Schema | None, decision: JsonValue) -> Iterator[Secret]:
    match decision:
        case {"votes": list()} if marks is not None:
            for vote in cast("dict[str, list[JsonValue]]", decision)["votes"]:
                yield from secrets_in(marks, vote)
        case _:
            return


def _arguments_of(form: Form) -> dict[str, Any]:
    call = call_of(form)
    return {} if call is None else call.arguments


def _hidden(secrets: Sequence[Secret]) -> list[Secret]:
    return [secret for secret in secrets if _is_hidden(secret)]


def _is_hidden(secret: Secret) -> bool:
    """Those who are asked do not see it either."""
    return not secret.is_shown or secret.level == "block"


def _is_elusive(secret: Secret) -> bool:
    """No search of a text finds it: it is a truth, or too short, or has such parts."""
    scalars = list(scalars_of(secret.value))
    return isinstance(secret.value, bool) or any(len(str(scalar).strip()) < 2 for scalar in scalars) or not scalars


def _is_telling(secret: Secret) -> bool:
    """It has a letter or a digit in it; a dash for what is missing stands in many a text that says nothing of it."""
    return any(char.isalnum() for scalar in scalars_of(secret.value) for char in str(scalar))


def _tokens_elsewhere(marks: Schema, arguments: JsonValue) -> Iterator[str]:
    """The tokens that stand outside all sensitive fields."""
    yield from tokens_in(Masks(()).json(arguments, secrets_in(marks, arguments)))
