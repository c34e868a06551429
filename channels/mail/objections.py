"""Why a mail that somebody wrote decides nothing, in a sentence for them."""

from __future__ import annotations

from .results import Doubt, MailClass, MailReadingResult

READ_NOTHING = "It holds nothing new beside what it quotes."
TOO_LARGE = "It was too large to be read. Please answer in a short mail, without files beside it."


def objection_to(result: MailReadingResult) -> str:
    """What stands in the way of a person's mail; for one that may be read as an answer there is nothing to say."""
    match result.mail_class:
        case MailClass.EMPTY:
            return READ_NOTHING
        case MailClass.FORWARDED:
            return "It is, or holds, a forwarded mail, and somebody else's words decide nothing."
        case MailClass.UNREADABLE:
            return "It could not be read: it is encrypted, or of a kind that is not read here. Please send it as plain text."
        case _:
            return " ".join(_DOUBTS[doubt] for doubt in result.doubts)


_DOUBTS = {
    Doubt.HIDDEN_TEXT: "Part of it cannot be seen by whoever reads it.",
    Doubt.RESTYLED_TEXT: "Part of it is struck out or styled, so that it may not mean what its letters say.",
    Doubt.PARTS_DIFFER: "Its plain text and its formatted text say different things.",
    Doubt.ANSWERS_BETWEEN_QUOTES: "Several answers stand between the quoted lines, and it is not clear what they add up to.",
    Doubt.WRITTEN_INTO_QUOTE: "Something was written into the quoted mail, where it is easily overlooked.",
    Doubt.SEVERAL_QUESTIONS: "It is about several questions at once; please answer each of them by a mail of its own.",
    Doubt.NOT_WRITTEN_TO_US: "It was handed on to this question, and neither written to it nor an answer to its mail.",
    Doubt.ANSWERS_OTHERS: "It answers somebody else's mail, of which this question has a copy.",
    Doubt.AWAY_NOTICE: "It says that you are away, as automatic notices do.",
    Doubt.BY_PROGRAM: "It reads as what mail programs write for people: a reaction, a recall, or the answer to an invitation.",
    Doubt.TOO_LONG: "It is too long for an answer.",
}
