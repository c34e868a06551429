"""Commands that close questions and sessions: answer, cancel-question, cancel."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from ...actors.answers import Answered, ChannelCredential, Credential, Decision, OwnerCredential, Reply
from ...actors.asks import JsonValue
from ...actors.clock import SystemClock
from ...actors.errors import PauseUninterpretableReplyError, SessionNotRestedError
from ...actors.ids import RandomIds
from ...actors.jsontext import from_json, to_json
from ...actors.opening import ask_of
from ...actors.waiting import ExecutionReturned, PassOutcome
from ...bots.app import App
from ...store.rows import Priority
from ..config import load_config
from ..desk import desk_over
from ..errors import InputInvalidError
from ..service import supervising
from ..settings import Config
from ..wiring import open_runtime, open_store
from .advice import advice_for
from .exits import Exit
from .options import ConfigFile, Db, Json, app_of, check_name, check_text
from .screen import Screen
from .talking import told_failure

CHECK_EVERY_S = 1.0
"""How often somebody who waits is told of a supervisor that has failed meanwhile."""

Who = Annotated[str, typer.Option("--as", metavar="WHO", help="Who answers; kept in the audit.")]
Operator = Annotated[str, typer.Option("--as", metavar="WHO", help="Who cancels; kept in the audit.")]
Reason = Annotated[str, typer.Option("--reason", metavar="WHY", help="Why; shown to those who were asked.")]
PauseId = Annotated[
    str,
    typer.Argument(
        metavar="QUESTION",
        help="The question's id, as its channel shows it; of one to a session's owner from `overwinter pending`.",
    ),
]


def answer(
    pause: PauseId,
    who: Who,
    text: Annotated[str | None, typer.Argument(metavar="TEXT", help="The answer in your own words.")] = None,
    decision: Annotated[
        str | None, typer.Option("--decision", metavar="JSON", help="The answer as JSON, in place of TEXT.")
    ] = None,
    channel: Annotated[
        str | None,
        typer.Option(
            "--channel", metavar="NAME", help="The channel WHO answers for, where the question was escalated."
        ),
    ] = None,
    is_owner: Annotated[
        bool, typer.Option("--owner", metavar="", help="WHO is the session's owner, whom the bot asked.")
    ] = False,
    app: Annotated[
        str | None,
        typer.Option("--app", metavar="MODULE:APP", help="The app that asks. (default: app in the configuration)"),
    ] = None,
    wait: Annotated[
        bool,
        typer.Option(
            "--wait", metavar="", help="Wait until the session rests; it runs here if no service takes it first."
        ),
    ] = False,
    db: Db = None,
    config: ConfigFile = None,
    as_json: Json = False,
) -> int:
    """Answer a question. A service that runs on the database goes on with the session at once; --wait tells how it went.

    An answer that settles nothing is refused with exit code 7, and the question still waits.

    Example: overwinter answer 0f9c2e71b3a84d5c9e6f10a2b4c8d7e3 "ok, but only half" --as mara --app office:app
    """
    if text is None and decision is None:
        raise InputInvalidError("the answer is missing: give it as TEXT in your own words, or as JSON with --decision")
    if text is not None and decision is not None:
        raise InputInvalidError("give the answer as TEXT or with --decision, not both")
    given = Reply(text=check_text(text, what="TEXT")) if text is not None else Decision(value=_parsed(decision or ""))
    name = check_name(who, what="--as")
    credential: Credential = (
        OwnerCredential(owner=name) if is_owner else ChannelCredential(answered_by=name, channel=channel)
    )
    settings = load_config(file=config, database=db)
    screen = Screen(as_json=as_json)
    with screen.progress("Reading the answer ..."):
        answered, outcome = asyncio.run(
            _answer(settings, app_of(app, settings), screen, pause, given, credential, waits=wait)
        )
    if as_json:
        document = {"session": answered.session_id, "decision": answered.decision, "by": answered.by}
        screen.document(document if outcome is None else {**document, **_outcome_to_json(outcome)})
    how = "" if answered.by == "decision" else f" (read by {answered.by})"
    screen.line(f"Recorded: {_told(answered.decision)}{how}.", style="green")
    if outcome is None:
        screen.line(
            f"The answer is kept; session {answered.session_id} goes on with it in a service (overwinter serve): "
            "at once if one runs.",
            style="dim",
        )
        return Exit.OK
    match outcome.end:
        case ExecutionReturned(result={"reply": str(reply)}):
            screen.line(reply)
        case ExecutionReturned(result=result):
            screen.line(f"Finished with {to_json(result)}.")
        case _:
            pass
    for each in outcome.pending:
        screen.line(f"It still waits for {each.role} at {each.key}.")
    screen.line(f"Session {outcome.session_id} is {outcome.status}.", style="dim")
    return told_failure(screen, status=outcome.status, reason=outcome.reason)


def cancel_question(
    pause: PauseId,
    reason: Reason = "cancelled by an operator",
    who: Operator = "operator",
    db: Db = None,
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """Close a question without an answer. Its bot reads that it was cancelled; the session goes on.

    Example: overwinter cancel-question 0f9c2e71b3a84d5c9e6f10a2b4c8d7e3 --reason "asked by mistake"
    """
    settings = load_config(file=config, database=db)
    asyncio.run(
        _cancel_question(settings, pause, by=check_name(who, what="--as"), reason=check_text(reason, what="--reason"))
    )
    screen = Screen(as_json=as_json)
    if as_json:
        screen.document({"cancelled": True})
    screen.line("Cancelled: the question is closed, and its session goes on.")


def cancel(
    session: Annotated[str, typer.Argument(metavar="SESSION", help="The session's id, from `overwinter sessions`.")],
    reason: Reason = "cancelled by an operator",
    who: Operator = "operator",
    db: Db = None,
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """End a session for good. Its questions are taken back, and nothing it still does is recorded.

    Example: overwinter cancel s019a3c5d2e1f0a1b2c3d4e5f --reason "the customer has withdrawn"
    """
    settings = load_config(file=config, database=db)
    asyncio.run(_cancel(settings, session, by=check_name(who, what="--as"), reason=check_text(reason, what="--reason")))
    screen = Screen(as_json=as_json)
    if as_json:
        screen.document({"session": session, "status": "cancelled"})
    screen.line(f"Cancelled: session {session} has ended.")


async def _answer(
    config: Config,
    app: App,
    screen: Screen,
    pause_id: str,
    given: Reply | Decision,
    credential: Credential,
    *,
    waits: bool,
) -> tuple[Answered, PassOutcome | None]:
    clock, ids, shown = SystemClock(), RandomIds(), set[str]()
    async with open_runtime(app, config, clock=clock, ids=ids, must_exist=True, shows=shown.__contains__) as runtime:
        try:
            answered = await runtime.answering.answer(
                tenant=config.tenant, pause_id=pause_id, answer=given, credential=credential, priority=Priority.OPERATOR
            )
        except PauseUninterpretableReplyError as error:
            if (asked := await runtime.store.pause(pause_id)) is not None:
                screen.note(advice_for(ask_of(asked).form, so_far=error.so_far))
            raise
        if not waits:
            return answered, None
        shown.add(answered.session_id)
        async with supervising(runtime) as check:
            while True:
                try:
                    return answered, await runtime.waiting.outcome_of(
                        tenant=config.tenant, session_id=answered.session_id, timeout_s=CHECK_EVERY_S
                    )
                except SessionNotRestedError:
                    check()


async def _cancel_question(config: Config, pause_id: str, *, by: str, reason: str) -> None:
    async with open_store(config, must_exist=True) as store:
        desk = desk_over(store, clock=SystemClock(), ids=RandomIds())
        await desk.answering.cancel(tenant=config.tenant, pause_id=pause_id, by=by, reason=reason)


async def _cancel(config: Config, session_id: str, *, by: str, reason: str) -> None:
    async with open_store(config, must_exist=True) as store:
        desk = desk_over(store, clock=SystemClock(), ids=RandomIds())
        await desk.sessions.cancel(tenant=config.tenant, session_id=session_id, by=by, reason=reason)


def _outcome_to_json(outcome: PassOutcome) -> dict[str, JsonValue]:
    result = outcome.end.result if isinstance(outcome.end, ExecutionReturned) else None
    pending = [
        {"role": each.role, "step": each.key, "channel": each.channel, "pause": each.pause_id}
        for each in outcome.pending
    ]
    return {"status": outcome.status, "reason": outcome.reason, "result": result, "pending": pending}


def _parsed(text: str) -> JsonValue:
    try:
        return from_json(check_text(text, what="--decision"))
    except ValueError as error:
        raise InputInvalidError(f"--decision is no JSON: {error}") from error


def _told(decision: JsonValue) -> str:
    match decision:
        case {"approved": True, "override_arguments": None}:
            return "approved"
        case {"approved": True, "override_arguments": override}:
            return f"approved with {to_json(override)}"
        case {"approved": False}:
            return "rejected"
        case str():
            return decision
        case _:
            return to_json(decision)
