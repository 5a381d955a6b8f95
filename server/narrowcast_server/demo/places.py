"""The channels of the demo world and their members."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.vocabulary import SystemGroup
from narrowcast_server.organization.models import Channel, User
from narrowcast_server.resources.channels.creation import create_channel
from narrowcast_server.resources.subscriptions.changes import subscribe
from narrowcast_server.rules.permissions import system_group

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

STAFF: Final = "ada bruno chiyo dario elif farid greta"
EVERYBODY: Final = f"{STAFF} hugo"


@dataclass(frozen=True, slots=True)
class DemoChannel:
    """A channel. `members` are first names; `only` maps a permission to the system group that has it."""

    name: str
    description: str
    members: str
    default: bool = False
    private: bool = False
    shared_history: bool = True
    web_public: bool = False
    archived: bool = False
    only: Mapping[str, SystemGroup] = field(default_factory=dict)


PLACES: Final = (
    DemoChannel("general", "What concerns everybody: plans, lunch, birthdays.", EVERYBODY, default=True),
    DemoChannel(
        "onboarding", "Start here: how this works, and a place to try things.", EVERYBODY, default=True
    ),
    DemoChannel(
        "announcements",
        "News, rarely and briefly. **Moderators** write, everybody reads.",
        STAFF,
        default=True,
        only={"can_send_message_group": SystemGroup.MODERATORS},
    ),
    DemoChannel(
        "engineering", "Boards, firmware, gateways. Tickets as #142, boards as BOARD-7.", f"{STAFF} jasper"
    ),
    DemoChannel(
        "design", "How Wren looks, opens, clips and explains itself.", "ada bruno chiyo elif greta hugo"
    ),
    DemoChannel("random", "Goats, books and other weather.", STAFF, default=True),
    DemoChannel(
        "support",
        "Questions from customers; anybody on the web can read along.",
        f"{STAFF} hugo",
        web_public=True,
    ),
    DemoChannel(
        "operations",
        "Gateways, masts, backups. Newcomers do not see what was before them.",
        "ada bruno farid greta iris",
        private=True,
        shared_history=False,
    ),
    DemoChannel("leads", "Money, people, promises.", "ada bruno chiyo", private=True),
    DemoChannel("archive-2024", "The first year, kept for its charm.", "ada bruno chiyo", archived=True),
)


def create_places(organization: Organization, users: Mapping[str, User], created: int) -> dict[str, Channel]:
    """Creates all channels, by name, and subscribes their members; archived ones stay open until they are filled."""
    made = {}
    for position, place in enumerate(PLACES):
        channel = create_channel(
            organization,
            users["ada"],
            place.name,
            description=place.description,
            invite_only=place.private,
            history_public=place.shared_history,
            is_web_public=place.web_public,
            is_default=place.default,
            settings={name: system_group(organization, group).id for name, group in place.only.items()},
            date_created=created + position * 600,
        )
        subscribe(organization, [channel], [users[key] for key in place.members.split()])
        made[place.name] = channel
    return made
