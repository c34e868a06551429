"""What ``overwinter demo --slack`` shows and asks: the tokens first, then the channel, then the story."""

from __future__ import annotations

import sys
from pathlib import Path

from ...actors.clock import SystemClock
from ...actors.ids import RandomIds
from ...channels.slack.declared import SlackChannel
from ..config import load_config
from ..demo_slack import PlayedInSlack, SlackDemo
from ..doctor import Check, Verdict, examined
from ..doctor_slack import MembershipCheck, Patient, slack_checks
from ..errors import InputInvalidError
from ..slacking import slack_client_of
from .doctor import show
from .screen import Screen
from .typed_lines import TypedLines

HOW_TO_BEGIN = (
    "Slack is not configured. At https://api.slack.com/apps make an app from the manifest deploy/slack-manifest.yaml, install it, "
    "and set OVERWINTER_SLACK_BOT_TOKEN (xoxb-...) and OVERWINTER_SLACK_APP_TOKEN (xapp-...), or both in [slack] of overwinter.toml"
)


async def play_in_slack(
    screen: Screen, *, file: Path | None, channel: str | None, folder: Path, within_s: float
) -> PlayedInSlack | None:
    """Play the story in one's own workspace; None if something has to be mended first, which is on the screen then.

    Raises:
        InputInvalidError: (input.invalid) no channel is named, and nobody can be asked for one.
        DemoFailedError: (demo.failed) something did not happen.
    """
    slack = load_config(file=file).slack
    if slack is None:
        raise InputInvalidError(HOW_TO_BEGIN)
    clock = SystemClock()
    client = slack_client_of(slack, clock=clock)
    try:
        patient = Patient(slack, client=client, clock=clock)
        tokens = slack_checks(patient, None, posts=False)
        if not await _are_well(screen, tokens):
            return None
        place = _place(channel) if channel is not None else await _asked_for(screen)
        if not await _are_well(screen, [MembershipCheck(patient, SlackChannel(place, answerers=[place]))]):
            return None
    finally:
        await client.aclose()

    def asked() -> None:
        screen.line(
            f"Asked. Open {place} in Slack: press a button, or answer in the thread in your own words.", style="bold"
        )

    demo = SlackDemo(slack, place=place, folder=folder, clock=clock, ids=RandomIds(), asked=asked)
    with screen.progress("Waiting for an answer in Slack ..."):
        return await demo.play(within_s=within_s)


def ending_in_slack(played: PlayedInSlack) -> str:
    """How it ended, in a sentence or two."""
    match played.outcome:
        case "approved":
            paid = ", ".join(f"{each['amount']} for order {each['order_id']}" for each in played.tool_calls)
            return f"Approved by {played.answered_by}. The bot refunded {paid}, and told the customer: {played.reply}"
        case "rejected":
            return f"Rejected by {played.answered_by}. The bot paid nothing, and told the customer: {played.reply}"
        case "unanswered":
            return "Nobody answered. The question was taken back, and the bot paid nothing."


async def _are_well(screen: Screen, checks: list[Check]) -> bool:
    is_fine = True
    async for each in examined(checks):
        if each.finding.verdict is not Verdict.UNSEEN:
            show(screen, each)
        is_fine = is_fine and each.finding.verdict is not Verdict.FAILED
    return is_fine


async def _asked_for(screen: Screen) -> str:
    if not screen.is_interactive:
        raise InputInvalidError("name the channel in which the bot is to ask: --channel '#refunds'")
    screen.line("In which channel shall the bot ask? Whoever is in it may answer. (as #refunds)", style="bold")
    screen.prompt("> ")
    line = await TypedLines(fd=sys.stdin.fileno()).read()
    return _place(line or "")


def _place(text: str) -> str:
    """A channel as a person writes it."""
    place = text.strip()
    if place and place[0] not in "#CG":
        place = f"#{place}"
    if faults := list(SlackChannel(place, answerers=[place]).faults()):
        raise InputInvalidError(faults[0])
    return place
