"""The people of the demo world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.vocabulary import BotType, Role
from narrowcast_server.organization.models import User
from narrowcast_server.resources.users.accounts import create_user

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

ORGANIZATION: Final = "Larkfield Instruments"
DOMAIN: Final = "demo.example"
DESCRIPTION: Final = "We build *Wren*, a weather station for people who live where forecasts give up."
NEWCOMER: Final = "ada"


@dataclass(frozen=True, slots=True)
class SimulatedPerson:
    """A user; `key` is the first name in lower case, used in scripts and names of account files."""

    key: str
    full_name: str
    role: Role
    timezone: str
    status: tuple[str, str] = ("", "")
    """Status text and emoji name."""
    bot_type: BotType | None = None
    owner: str | None = None


PEOPLE: Final = (
    SimulatedPerson("ada", "Ada Moreno", Role.OWNER, "Europe/Madrid"),
    SimulatedPerson(
        "bruno", "Bruno Castell", Role.ADMINISTRATOR, "Europe/Madrid", ("in the workshop", "wrench")
    ),
    SimulatedPerson("chiyo", "Chiyo Tanaka", Role.MODERATOR, "Asia/Tokyo", ("support until noon", "tea")),
    SimulatedPerson("dario", "Dario Vance", Role.MEMBER, "Europe/London", ("build 319", "working_on_it")),
    SimulatedPerson("elif", "Elif Kaya", Role.MEMBER, "Europe/Istanbul"),
    SimulatedPerson(
        "farid", "Farid Haddad", Role.MEMBER, "Africa/Casablanca", ("deep in the gusts table", "wind_face")
    ),
    SimulatedPerson(
        "greta",
        "Greta Lindqvist",
        Role.MEMBER,
        "Europe/Stockholm",
        ("on the ridge, signal comes and goes", "mountain"),
    ),
    SimulatedPerson("hugo", "Hugo Park", Role.GUEST, "Asia/Seoul"),
    SimulatedPerson("iris", "Iris", Role.MEMBER, "", bot_type=BotType.GENERIC, owner="ada"),
    SimulatedPerson("jasper", "Jasper", Role.MEMBER, "", bot_type=BotType.INCOMING_WEBHOOK, owner="bruno"),
)
HUMANS: Final = tuple(person for person in PEOPLE if person.bot_type is None)


def address(person: SimulatedPerson) -> str:
    """The email address for logging in."""
    suffix = "-bot" if person.bot_type is not None else ""
    return f"{person.key}{suffix}@{DOMAIN}"


def create_people(organization: Organization, joined: int) -> dict[str, User]:
    """Creates all users, by key; they join one after another from `joined` (UTC seconds)."""
    made: dict[str, User] = {}
    for position, person in enumerate(PEOPLE):
        made[person.key] = create_user(
            organization,
            email=address(person),
            full_name=person.full_name,
            role=person.role,
            bot_type=person.bot_type,
            owner=made[person.owner] if person.owner else None,
            timezone=person.timezone,
            channel_ids=(),
            date_joined=joined + position * 3600,
        )
    return made


def demo_users(organization: Organization) -> dict[str, User]:
    """The users of an existing demo world, by key."""
    users = {}
    for person in PEOPLE:
        user = organization.user_by_address(address(person))
        if user is not None:
            users[person.key] = user
    return users
