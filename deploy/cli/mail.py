"""Commands of the group ``mail``: read."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from ...actors.asks import JsonValue
from ...channels.mail.reading import read_mail
from ...channels.mail.results import MailReadingResult
from ..config import load_mail_config
from ..errors import InputInvalidError
from ..mail_settings import plain_address, reading_of
from .options import ConfigFile, Json
from .screen import Screen

STDIN = "-"


def mail_read(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Messages as they arrived; - is standard input.")
    ],
    config: ConfigFile = None,
    answerer: Annotated[
        list[str] | None,
        typer.Option("--answerer", metavar="ADDRESS", help="Somebody who may answer, besides the configured ones."),
    ] = None,
    delivered_to: Annotated[
        list[str] | None,
        typer.Option("--delivered-to", metavar="ADDRESS", help="Where it was delivered, if its headers do not say."),
    ] = None,
    original: Annotated[
        list[Path] | None,
        typer.Option(
            "--original", metavar="FILE", help="The question as it was sent, as text: what is quoted must be in it."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show what is made of mail: whose answer to which question it is, in which words, and why. Nothing is recorded, and no
    database is needed.

    --config names the service's own file, of which the table "mail" alone is read, or a file with nothing but its keys. Two of
    them are needed: reply_address = "agent@ask.example.net" (or "agent+<token>@ask.example.net"), and authserv_id =
    "mx.ask.example.net", the server whose Authentication-Results are believed; authentication = "none" believes every sender.
    answerers = ["mara@corp.example"] may answer. display_name, separator, message_id_domain, inner_hosts, results_below_received,
    authentication, takes_subaddresses and the table "limits" say more. Each is also a variable, as OVERWINTER_MAIL_REPLY_ADDRESS.

    With --json: file, class (human_reply, auto_reply, bounce, ...), question (the token found), matched_by, text, sender,
    sender_allowed, question_stays_open, doubts, why (its steps) and more; a list of such objects for several files.

    Example: overwinter mail read reply.eml --config mail.toml --answerer mara@corp.example --json
    """
    configured = load_mail_config(file=config)
    settings = reading_of(configured, (*configured.answerers, *map(_address, answerer or ())))
    messages = _read_all(files, most_bytes=settings.limits.message_bytes)
    originals = None if original is None else [_text_of(path) for path in original]
    results = [read_mail(raw, settings=settings, envelope=delivered_to or (), originals=originals) for raw in messages]
    screen = Screen(as_json=as_json)
    if as_json:
        documents: list[JsonValue] = [
            {"file": file, **result.as_json()} for file, result in zip(files, results, strict=True)
        ]
        screen.document(documents[0] if len(documents) == 1 else documents)
        return
    for number, (file, result) in enumerate(zip(files, results, strict=True)):
        _show(screen, file, result, is_first=number == 0)


def _address(text: str) -> str:
    try:
        return plain_address(text)
    except ValueError as error:
        raise InputInvalidError(f"--answerer {text!r}: {error}, such as mara@corp.example") from error


def _read_all(files: Sequence[str], *, most_bytes: int) -> list[bytes]:
    """The messages, each no further than it takes to know that it is too large.

    Raises:
        InputInvalidError: (input.invalid) every file that cannot be read.
    """
    if files.count(STDIN) > 1:
        raise InputInvalidError("- is named more than once, but there is only one standard input")
    found: list[bytes] = []
    faults: list[str] = []
    for file in files:
        try:
            if file == STDIN:
                found.append(sys.stdin.buffer.read(most_bytes + 1))
            else:
                with Path(file).open("rb") as stream:
                    found.append(stream.read(most_bytes + 1))
        except OSError as error:
            faults.append(f"{file} cannot be read: {error.strerror or error}")
    if faults:
        raise InputInvalidError("\n".join(faults))
    return found


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputInvalidError(f"{path} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise InputInvalidError(f"{path} is no text in UTF-8") from error


def _show(screen: Screen, file: str, result: MailReadingResult, *, is_first: bool) -> None:
    if not is_first:
        screen.line()
    screen.line(file, style="bold")
    by = ", ".join(each.value for each in result.matched_by)
    allowed = "may answer" if result.sender_allowed else "may not answer"
    screen.line(f"  class     {result.mail_class.value}")
    screen.line(f"  question  {result.question or 'none'}" + (f" (by {by})" if by else ""))
    screen.line(f"  sender    {result.sender or 'nobody'}, {allowed}")
    if result.question_stays_open:
        screen.line("  outcome   the question stays open", style="yellow")
    else:
        screen.line("  outcome   its text may be read as the answer", style="green")
    for line in result.text.split("\n") if result.text else ():
        screen.line(f"  | {line}")
    for step in result.why:
        screen.line(f"  {step.step + ':':<16}{step.found}; {step.reason}", style="dim")
