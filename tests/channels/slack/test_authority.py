"""Who may answer is asked of Slack at the moment of the answer; strangers of every kind may not."""

from __future__ import annotations

import pytest

from overwinter.actors.clock import ManualClock
from overwinter.actors.errors import ChannelUnreachableError
from overwinter.channels.slack.authority import Authority, Member, Stranger
from overwinter.channels.slack.client import SlackClient
from overwinter.channels.slack.declared import APPROVED, REJECTED, SlackChannel, answerers_of
from overwinter.channels.slack.directory import PEOPLE_KEPT_MS, Directory
from overwinter.channels.slack.events import Author

from ...fakes.slack_server import SlackServer

PEOPLE = {"mara": "mara", "mara@home.example": "mara", "U0MARA": "mara"}


@pytest.fixture
def authority(client: SlackClient, clock: ManualClock) -> Authority:
    directory = Directory(client=client, clock=clock)
    return Authority(directory=directory, team_id="T0HOME", person_of=lambda name: PEOPLE.get(name, name))


async def member(authority: Authority, name: str) -> Member:
    found = await authority.member(Author(user_id=f"U0{name.upper()}", team_id="T0HOME"), team_id="T0HOME")
    assert isinstance(found, Member)
    return found


async def may(authority: Authority, name: str, *answerers: str) -> bool:
    declared = SlackChannel("#refunds", answerers=answerers)
    assert list(declared.faults()) == []
    return await authority.is_one_of(await member(authority, name), answerers_of(declared))


async def test_a_member_is_known_by_an_address_and_never_by_the_name_they_chose(authority: Authority) -> None:
    mara = await member(authority, "mara")
    assert (mara.name, mara.user_id, mara.shown) == ("mara@home.example", "U0MARA", "mara")


async def test_where_no_address_is_shown_the_id_stands_for_it(authority: Authority, slack: SlackServer) -> None:
    slack.app.scopes = tuple(scope for scope in slack.app.scopes if scope != "users:read.email")
    assert (await member(authority, "mara")).name == "U0MARA"


@pytest.mark.parametrize(
    ("author", "team_id", "why"),
    [
        (Author(user_id="U0GAST", team_id="T0HOME"), "T0HOME", "guests"),
        (Author(user_id="U0ONE", team_id="T0HOME"), "T0HOME", "guests"),
        (Author(user_id="U0EVE", team_id="T0OTHER"), "T0HOME", "other organisations"),
        (Author(user_id="U0EVE", team_id=None), "T0HOME", "other organisations"),
        (Author(user_id="U0MARA", team_id="T0HOME"), "T0OTHER", "another workspace"),
        (Author(user_id="U0FLOW", team_id="T0HOME"), "T0HOME", "apps"),
        (Author(user_id="U0GONE", team_id="T0HOME"), "T0HOME", "not know you"),
        (Author(user_id="U0NOBODY", team_id="T0HOME"), "T0HOME", "not know you"),
    ],
)
async def test_strangers_of_every_kind_may_do_nothing(
    authority: Authority, slack: SlackServer, author: Author, team_id: str, why: str
) -> None:
    slack.add_guest("gast")
    slack.add_guest("one", is_single_channel=True)
    slack.add_stranger("eve")
    slack.add_bot("flow", is_workflow_bot=True)
    slack.add_user("gone")
    slack.deactivate("gone")
    found = await authority.member(author, team_id=team_id)
    assert isinstance(found, Stranger)
    assert why in found.why


@pytest.mark.parametrize(
    ("enterprise_id", "teams", "is_ours"),
    [
        ("E0ORG", ("T0SISTER", "T0HOME"), True),
        ("E0ORG", ("T0SISTER",), False),
        ("E0OTHER", ("T0SISTER", "T0HOME"), False),
        (None, (), False),
    ],
)
@pytest.mark.parametrize("told", ["T0SISTER", "E0ORG", "T0HOME", None])
async def test_in_an_organisation_of_several_workspaces_whoever_belongs_to_ours_is_one_of_us(
    client: SlackClient,
    clock: ManualClock,
    slack: SlackServer,
    enterprise_id: str | None,
    teams: tuple[str, ...],
    told: str | None,
    is_ours: bool,
) -> None:
    ida = slack.add_user("ida", email="ida@home.example")
    ida.team_id, ida.enterprise_id, ida.enterprise_teams = "T0SISTER", enterprise_id, teams
    directory = Directory(client=client, clock=clock)
    within = Authority(directory=directory, team_id="T0HOME", enterprise_id="E0ORG", person_of=str)
    alone = Authority(directory=directory, team_id="T0HOME", person_of=str)
    for team_id in ("T0HOME", "E0ORG", None):
        found = await within.member(Author(user_id="U0IDA", team_id=told), team_id=team_id)
        assert isinstance(found, Member) == is_ours
    assert isinstance(await within.member(Author(user_id="U0IDA", team_id=told), team_id="T0SISTER"), Stranger)
    assert isinstance(await alone.member(Author(user_id="U0IDA", team_id=told), team_id="T0HOME"), Stranger)


@pytest.mark.case("sl07")
async def test_people_groups_and_channels_may_be_named(authority: Authority, slack: SlackServer) -> None:
    slack.add_group("finance", "mara")
    slack.add_channel("board", "tom")
    for named in ("@finance", "S0FINANCE", "U0MARA", "mara@home.example", "#refunds", "C0REFUNDS"):
        assert await may(authority, "mara", named), named
    for named in (
        "@finance",
        "S0FINANCE",
        "U0MARA",
        "mara@home.example",
        "@nobody",
        "S0404",
        "#nowhere",
        "no@home.example",
    ):
        assert not await may(authority, "tom", named), named
    assert await may(authority, "tom", "@finance", "#board")
    assert not await may(authority, "mara", "#board")


async def test_a_group_that_was_switched_off_has_nobody(authority: Authority, slack: SlackServer) -> None:
    slack.add_group("finance", "mara").is_disabled = True
    assert not await may(authority, "mara", "@finance")


async def test_whoever_leaves_a_group_may_not_answer_soon_after(
    authority: Authority, slack: SlackServer, clock: ManualClock
) -> None:
    group = slack.add_group("finance", "mara")
    assert await may(authority, "mara", "@finance")
    group.users.clear()
    await clock.advance(ms=PEOPLE_KEPT_MS)
    assert not await may(authority, "mara", "@finance")


async def test_many_answers_at_once_ask_slack_once(authority: Authority, slack: SlackServer) -> None:
    slack.add_group("finance", "mara")
    for _ in range(20):
        assert await may(authority, "mara", "@finance")
    assert len(slack.calls_of("usergroups.users.list")) == 1
    assert len(slack.calls_of("users.info")) == 1


async def test_what_slack_could_not_be_asked_is_not_guessed(authority: Authority, slack: SlackServer) -> None:
    slack.add_group("finance", "mara")
    slack.break_next("usergroups.users.list")
    with pytest.raises(ChannelUnreachableError):
        await may(authority, "mara", "@finance")
    assert await may(authority, "mara", "@finance")


async def test_the_requester_is_known_by_any_of_their_names(authority: Authority) -> None:
    mara = await member(authority, "mara")
    assert all(authority.is_same_person(mara, name) for name in ("mara", "mara@home.example", "U0MARA"))
    assert not authority.is_same_person(mara, "tom@home.example")


@pytest.mark.parametrize(
    ("channel", "said"),
    [
        (SlackChannel("refunds", answerers=["@finance"]), "no channel of Slack"),
        (SlackChannel("#refunds"), "nobody may answer"),
        (SlackChannel("#refunds", answerers="@finance"), "give a list"),
        (SlackChannel("#refunds", answerers=["finance"]), "is nobody"),
        (SlackChannel("#refunds", answerers=[""]), "is nobody"),
    ],
)
def test_a_declaration_that_cannot_work_says_what_to_write(channel: SlackChannel, said: str) -> None:
    (fault,) = channel.faults()
    assert said in fault


def test_a_channel_is_called_after_its_place_and_has_no_comma_in_its_name() -> None:
    assert SlackChannel("#refunds", answerers=["@finance"]).name == "slack:#refunds"
    assert SlackChannel("#a,b", answerers=["@finance"]).name == "slack:#a b"


@pytest.mark.case("sl25")
def test_an_emoji_decides_what_the_author_said_in_every_spelling() -> None:
    channel = SlackChannel("#refunds", answerers=["@x"], reactions={"thumbsup": "approve", "-1": "reject", "tada": 3})
    assert channel.decides("+1::skin-tone-4") == channel.decides("thumbsup") == APPROVED
    assert channel.decides("thumbsdown") == REJECTED
    assert channel.decides("tada") == 3
    assert channel.decides("eyes") is None
    assert SlackChannel("#refunds", answerers=["@x"]).decides("+1") is None
