"""Contents of the demo world besides messages: groups, emoji, linkifiers, profiles, drafts, scheduled messages."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.vocabulary import DraftType, ProfileFieldType, VisibilityPolicy
from narrowcast_server.demo.files import EMOJI, face
from narrowcast_server.demo.people import PEOPLE
from narrowcast_server.markdown import LinkPreview
from narrowcast_server.organization.models import Channel, FlagBit, User
from narrowcast_server.resources.custom_emoji import PICTURES, add_emoji
from narrowcast_server.resources.drafts import DraftFields, create_drafts
from narrowcast_server.resources.linkifiers import add_linkifier
from narrowcast_server.resources.message_flags import change_flags
from narrowcast_server.resources.playgrounds import add_playground
from narrowcast_server.resources.profile_fields import create_field
from narrowcast_server.resources.profile_values import set_value
from narrowcast_server.resources.reminders import create_reminder
from narrowcast_server.resources.saved_snippets import create_snippet
from narrowcast_server.resources.scheduled_messages import ScheduledTarget, schedule
from narrowcast_server.resources.status import set_status
from narrowcast_server.resources.user_groups.changes import create_group, set_deactivated
from narrowcast_server.resources.user_topics import set_policy
from narrowcast_server.uploads.files import ORGANIZATION
from narrowcast_server.uploads.pictures import keep_picture

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

HOUR: Final = 3600
DAY: Final = 24 * HOUR

LINKIFIERS: Final = (
    (r"#(?P<id>[0-9]{2,8})", "https://tickets.demo.example/{id}"),
    (r"BOARD-(?P<number>[0-9]+)", "https://tickets.demo.example/boards/{number}"),
    (r"part:(?P<code>[A-Z0-9-]+)", "https://parts.demo.example/find{?code}"),
)
PLAYGROUNDS: Final = (
    ("Python scratchpad", "Python", "https://scratch.demo.example/python?code={code}"),
    ("Rust scratchpad", "Rust", "https://scratch.demo.example/rust?code={code}"),
)
PREVIEWS: Final = {
    "https://handbook.demo.example/wren/mounting": LinkPreview(
        "Mounting a Wren",
        "Where the wind is honest: two metres up, ten away from walls, and none from goats.",
    ),
    "https://handbook.demo.example/wren/framing": LinkPreview(
        "One framing for everything", "COBS with CRC-16 from May on; SLIP is understood until then."
    ),
}
SNIPPETS: Final = (
    ("Field report", "**Mast:** \n**Weather:** \n**What I did:**\n- \n**What I could not do:**\n- "),
    (
        "Thank you for your report",
        "Thank you for writing to us! Could you send the output of `wrenctl battery --load`?",
    ),
    (
        "Out today",
        "I'm out today and back tomorrow. If it is urgent, ask Bruno; if it is very urgent, ask the goat.",
    ),
)


def iso(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def create_groups(organization: Organization, users: Mapping[str, User]) -> None:
    """User groups, including one with a subgroup and a deactivated one."""

    def members(keys: str) -> list[User]:
        return [users[key] for key in keys.split()]

    ada = users["ada"]
    field = create_group(
        organization, ada, "field crew", "Whoever is out with the masts.", members("greta dario bruno")
    )
    create_group(
        organization, ada, "ops", "Gateways and backups; woken at night.", members("bruno farid"), [field]
    )
    create_group(organization, ada, "product", "How Wren looks and what it says.", members("elif chiyo ada"))
    old = create_group(
        organization, ada, "harvest-2024", "The first field season.", members("ada bruno chiyo")
    )
    set_deactivated(organization, old, True)


def create_conveniences(organization: Organization, users: Mapping[str, User]) -> None:
    """Emoji, linkifiers, playgrounds, page previews, avatars, statuses and profiles."""
    for name, picture in EMOJI.items():
        add_emoji(organization, users["elif"], name, keep_picture(organization, picture()))
    for pattern, template in LINKIFIERS:
        add_linkifier(organization, pattern, template)
    for name, language, template in PLAYGROUNDS:
        add_playground(organization, name, language, template)
    organization.link_previews.update(PREVIEWS)
    for position, person in enumerate(PEOPLE):
        stored = keep_picture(organization, face(position + 1))
        organization.users.update(users[person.key].id, avatar_url=f"{PICTURES}/{ORGANIZATION}/{stored}")
        text, emoji = person.status
        if text:
            set_status(
                organization,
                users[person.key],
                text=text,
                emoji_name=emoji,
                emoji_code=None,
                reaction_type=None,
                away=None,
            )
    create_profiles(organization, users)


def create_profiles(organization: Organization, users: Mapping[str, User]) -> None:
    """Profile fields of several kinds, and people's values."""
    days = {
        str(n): {"text": text, "order": str(n)}
        for n, text in enumerate(("mornings", "afternoons", "whenever"), 1)
    }
    place = create_field(
        organization,
        name="Place",
        kind=ProfileFieldType.SHORT_TEXT,
        hint="Where your desk is",
        in_summary=True,
    )
    pronouns = create_field(organization, name="Pronouns", kind=ProfileFieldType.PRONOUNS, in_summary=True)
    about = create_field(organization, name="About", kind=ProfileFieldType.LONG_TEXT, hint="Markdown is fine")
    birthday = create_field(organization, name="Birthday", kind=ProfileFieldType.DATE)
    best = create_field(
        organization, name="Best reached", kind=ProfileFieldType.SELECT, field_data=json.dumps(days)
    )
    buddy = create_field(organization, name="Buddy", kind=ProfileFieldType.USERS)
    page = create_field(organization, name="Page", kind=ProfileFieldType.LINK)
    says: tuple[tuple[str, int, object], ...] = (
        ("ada", place, "Vigo, second floor"),
        ("ada", about, "Builds things that stand in the rain. *Began with one sensor on a balcony.*"),
        ("ada", best, "1"),
        ("bruno", place, "the workshop"),
        ("bruno", pronouns, "he/him"),
        ("bruno", birthday, "1979-12-03"),
        ("chiyo", place, "Kanazawa"),
        ("chiyo", best, "1"),
        ("chiyo", page, "https://handbook.demo.example/"),
        ("dario", place, "Bristol"),
        ("dario", birthday, "1990-10-31"),
        ("dario", best, "2"),
        ("elif", pronouns, "she/her"),
        ("elif", place, "İzmir, by the ferry"),
        ("farid", place, "Rabat"),
        ("greta", place, "the hut on the ridge"),
        ("greta", about, "Masts, skis, soup."),
        ("greta", buddy, [users["farid"].id]),
        ("hugo", place, "Busan"),
    )
    for key, field_id, value in says:
        set_value(organization, users[key], field_id, value, by_user=True)


def create_personal(
    organization: Organization, users: Mapping[str, User], channels: Mapping[str, Channel]
) -> None:
    """Personal data of the newcomer, and a little of the others."""
    ada, now = users["ada"], organization.now()
    star(
        organization,
        ada,
        "SELECT id FROM messages WHERE content LIKE 'It works. One board%' OR content LIKE '**Welcome to L%'",
    )
    star(organization, ada, "SELECT id FROM messages WHERE content LIKE 'Then we are at **7.9 days%'")
    create_drafts(organization, ada, drafts(users, channels, now))
    for title, content in SNIPPETS:
        create_snippet(organization, ada, title, content)
    schedule(
        organization,
        ada,
        to_topic(channels, "general", "monday planning"),
        "Good morning! Two lines each, please.",
        now + 2 * DAY,
    )
    schedule(
        organization,
        ada,
        ScheduledTarget(None, "", (users["bruno"].id,)),
        "Happy birthday, Bruno! :birthday:",
        now + 9 * DAY,
    )
    schedule(
        organization, ada, to_topic(channels, "archive-2024", "first light"), "A year ago today!", now - HOUR
    )
    welcome = organization.store.integer(
        "SELECT id FROM messages WHERE content LIKE '**Welcome to Larkfield%'"
    )
    if welcome is not None:
        create_reminder(organization, ada, welcome, now + 5 * HOUR, "try what happens without a network")
    policies = (
        ("engineering", "gusts read too high", VisibilityPolicy.FOLLOWED),
        ("engineering", "ridge log, mast 1 to 4", VisibilityPolicy.MUTED),
        ("random", "what are you reading", VisibilityPolicy.MUTED),
        ("design", "quick start card", VisibilityPolicy.FOLLOWED),
    )
    for channel, topic, policy in policies:
        set_policy(organization, ada.id, channels[channel].id, topic, policy)


def to_topic(channels: Mapping[str, Channel], channel: str, topic: str) -> ScheduledTarget:
    """The destination of a message to a topic."""
    return ScheduledTarget(channels[channel].id, topic)


def drafts(users: Mapping[str, User], channels: Mapping[str, Channel], now: int) -> list[DraftFields]:
    engineering, leads = channels["engineering"].id, channels["leads"].id
    return [
        DraftFields(
            DraftType.STREAM,
            [engineering],
            "gusts read too high",
            "Thank you all. Before we close this: what do we tell the *customers* whose records are full of",
            now - 50 * 60,
        ),
        DraftFields(
            DraftType.STREAM, [leads], "pricing for schools", "I'll tell them. 240 it is,", now - 20 * HOUR
        ),
        DraftFields(
            DraftType.PRIVATE,
            [users["greta"].id],
            "",
            "Is there anything that you'd like sent up?",
            now - 26 * HOUR,
        ),
    ]


def star(organization: Organization, user: User, query: str) -> None:
    """Stars the messages whose ids a query returns."""
    change_flags(organization, user, organization.store.integers(query), FlagBit.STARRED, add=True)
