"""The demo world contains what a new user should find, and is reproducible from the same moment."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from narrowcast_api.wire.vocabulary import Role
from narrowcast_server.demo import populate
from narrowcast_server.demo.people import PEOPLE, demo_users
from narrowcast_server.demo.script import DAY, HOUR, MINUTE, ScriptError, moment, parse
from narrowcast_server.demo.world import SCRIPTS
from narrowcast_server.organization.config import ServerConfig
from narrowcast_server.organization.models import FlagBit
from narrowcast_server.organization.organization import Organization
from support.clock import VirtualClock
from support.server import TestServer, running_server

NOW = 1_800_000_000


@contextmanager
def world(folder: Path) -> Iterator[Organization]:
    """A store populated with the demo world."""
    organization = Organization(folder, ServerConfig(durable=False), VirtualClock(NOW))
    try:
        populate(organization)
        yield organization
    finally:
        organization.close()


@pytest.fixture(scope="module")
def organization(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Organization]:
    """One world for the tests that only read it."""
    with world(tmp_path_factory.mktemp("world")) as made:
        yield made


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[TestServer]:
    """A server of the demo world."""
    async with running_server(tmp_path, demo=True) as running:
        yield running


def test_every_demo_user_of_the_script_exists(organization: Organization) -> None:
    users = demo_users(organization)
    roles = [users[person.key].role for person in PEOPLE if person.bot_type is None]
    assert roles.count(Role.OWNER) == 1
    assert {Role.ADMINISTRATOR, Role.MODERATOR, Role.GUEST} <= set(roles)
    assert roles.count(Role.MEMBER) >= 4
    assert sum(user.is_bot for user in users.values()) == 2


def test_ten_channels_of_every_kind(organization: Organization) -> None:
    channels = list(organization.channels.all())
    assert len(channels) == 10
    assert any(channel.is_web_public for channel in channels)
    assert any(channel.is_archived for channel in channels)
    assert any(channel.is_default for channel in channels)
    assert {channel.history_public for channel in channels if channel.invite_only} == {True, False}


@pytest.mark.parametrize(
    "shape",
    [
        *(
            "<br>",
            "<hr>",
            "<h1>",
            "<h6>",
            '<ol start="4">',
            "<ul>",
            "<blockquote>",
            "<strong>",
            "<em>",
            "<del>",
        ),
        *("<code>", "spoiler-block", 'data-code-language="Python"', 'data-code-language="Rust"'),
        *(
            'class="user-mention"',
            'class="user-mention silent"',
            "user-group-mention",
            "channel-wildcard-mention",
        ),
        *('class="stream"', 'class="stream-topic"', "/with/", 'class="message-link"', "emoji emoji-1f419"),
        *('<img alt=":wren:" class="emoji"', "message_inline_image", "inline-image", "message_inline_video"),
        *(
            "<audio controls",
            "youtube-video",
            'href="/user_uploads/',
            "message_embed_title",
            "text-align: right;",
        ),
        *("katex-display", 'encoding="application/x-tex"', "tex-error", "<time datetime=", "&lt;time:next"),
        *("https://tickets.demo.example/142", "&lt;b&gt;HTML", "日本語"),
    ],
)
def test_every_kind_of_content_occurs(organization: Organization, shape: str) -> None:
    assert organization.store.one("SELECT 1 FROM messages WHERE instr(rendered, ?)", shape) is not None


def test_no_placeholder_or_mention_in_the_messages_is_unresolved(organization: Organization) -> None:
    for row in organization.store.all("SELECT content, rendered FROM messages"):
        assert "{" not in row["content"] or "```" in row["content"] or "$$" in row["content"]
    unknown = organization.store.all("SELECT content FROM messages WHERE instr(rendered, '@<strong>')")
    assert [row["content"] for row in unknown] == []


def test_polls_have_votes_and_lists_have_done_tasks(organization: Organization) -> None:
    contents = [
        json.loads(row["content"]) for row in organization.store.all("SELECT content FROM submessages")
    ]
    assert {content.get("widget_type") for content in contents} == {"poll", "todo", None}
    assert {content.get("type") for content in contents} == {"vote", "strike", None}


def test_the_newcomer_has_unread_mentioned_starred_draft_and_scheduled_messages(
    organization: Organization,
) -> None:
    ada = demo_users(organization)["ada"]
    flags = [
        row["flags"]
        for row in organization.store.all("SELECT flags FROM user_messages WHERE user_id = ?", ada.id)
    ]
    unread = [bits for bits in flags if not bits & FlagBit.READ]
    assert 10 < len(unread) < 60
    assert any(bits & FlagBit.MENTIONED for bits in unread)
    assert any(bits & FlagBit.STARRED for bits in flags)
    count = organization.store.integer
    assert (count("SELECT count(*) FROM drafts WHERE user_id = ?", ada.id) or 0) >= 3
    assert (count("SELECT count(*) FROM saved_snippets WHERE user_id = ?", ada.id) or 0) >= 2
    assert (count("SELECT count(*) FROM scheduled_messages WHERE failed = 0") or 0) >= 2
    assert count("SELECT count(*) FROM scheduled_messages WHERE failed = 1") == 1
    assert count("SELECT count(*) FROM reminders WHERE user_id = ?", ada.id) == 1


def test_the_demo_organization_has_its_own_emoji_and_settings(organization: Organization) -> None:
    assert any(group.deactivated for group in organization.groups.all())
    for table in (
        "custom_emoji",
        "linkifiers",
        "playgrounds",
        "profile_fields",
        "profile_values",
        "statuses",
    ):
        assert (organization.store.integer(f"SELECT count(*) FROM {table}") or 0) >= 2, table


def test_one_topic_is_long_enough_to_scroll(organization: Organization) -> None:
    longest = organization.store.integer(
        "SELECT count(*) FROM messages GROUP BY channel_id, topic ORDER BY 1 DESC"
    )
    assert longest is not None
    assert longest > 200


def test_messages_are_in_order_of_time_and_none_is_in_the_future(organization: Organization) -> None:
    times = [row["timestamp"] for row in organization.store.all("SELECT timestamp FROM messages ORDER BY id")]
    told = times[: len(times) - 5]
    assert told == sorted(told)
    assert times[-1] <= NOW


def test_the_same_time_creates_the_same_messages(organization: Organization, tmp_path: Path) -> None:
    with world(tmp_path) as again:
        query = "SELECT sender_id, channel_id, topic, timestamp, length(content) FROM messages ORDER BY id"
        assert [tuple(row) for row in again.store.all(query)] == [
            tuple(row) for row in organization.store.all(query)
        ]


@pytest.mark.parametrize("hour", range(0, 24, 5))
def test_the_scripts_can_be_parsed_at_any_time_of_day(hour: int) -> None:
    now = NOW - NOW % DAY + hour * HOUR
    scripts = [path.read_text(encoding="utf-8") for path in SCRIPTS.glob("*.txt")]
    lines = [line for script in scripts for conversation in parse(script, now) for line in conversation.lines]
    assert len(lines) > 100
    assert max(line.when for line in lines) < now


def test_times_in_scripts_are_relative_to_now() -> None:
    now = 10 * DAY + 5 * HOUR
    assert moment("-2d 09:12", now) == 8 * DAY + 9 * HOUR + 12 * MINUTE
    assert moment("-3h", now) == now - 3 * HOUR
    assert moment("-40m", now) == now - 40 * MINUTE
    with pytest.raises(ScriptError):
        moment("yesterday", now)


@pytest.mark.parametrize(
    "script", ["hello", "@@ a | b | -1d 00:00\nhello", "@@ a | b | -1d 00:00\n@ ada\n", "@@ a | x"]
)
def test_an_invalid_script_is_reported(script: str) -> None:
    with pytest.raises(ScriptError):
        list(parse(script, NOW))


async def test_files_of_the_demo_can_be_opened_by_users_who_see_the_message(server: TestServer) -> None:
    rows = server.organization.store.all("SELECT path_id, content_type FROM attachments")
    assert {row["content_type"].partition("/")[0] for row in rows} == {"image", "audio", "text"}
    for row in rows:
        response = await server.raw("ada", "GET", f"{server.url}/user_uploads/{row['path_id']}")
        assert response.status_code == 200
    snapshot = await server.call(
        "ada", "POST", "/register", {"fetch_event_types": ["realm_emoji", "realm_user"]}
    )
    for emoji in snapshot["realm_emoji"].values():
        assert (await server.raw(None, "GET", server.url + emoji["source_url"])).status_code == 200


async def test_the_guest_sees_only_channels_of_their_invitation(server: TestServer) -> None:
    streams = await server.call("hugo", "GET", "/users/me/subscriptions")
    assert {stream["name"] for stream in streams["subscriptions"]} == {
        "general",
        "onboarding",
        "design",
        "support",
    }
    engineering = server.channel("engineering")
    await server.refusal("hugo", "GET", f"/users/me/{engineering}/topics")


async def test_an_account_file_is_written_for_every_user(server: TestServer, tmp_path: Path) -> None:
    files = {path.stem: path for path in (tmp_path / "accounts").glob("*.zuliprc")}
    assert files.keys() == {person.key for person in PEOPLE}
    assert all(path.stat().st_mode & 0o077 == 0 for path in files.values())
