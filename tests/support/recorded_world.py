"""The organization of the recordings, recreated in an embedded server with the same ids."""

from __future__ import annotations

import json
from functools import cache
from typing import Any, Final

from narrowcast_api.wire.vocabulary import BotType, ProfileFieldType, Role
from narrowcast_server.actions import new_organization
from narrowcast_server.organization.models import User
from narrowcast_server.organization.organization import Organization
from narrowcast_server.organization.passwords import hash_password
from narrowcast_server.organization.personal import DEFAULTS
from narrowcast_server.organization.realm_settings import CHANNEL_GROUP_SETTINGS
from narrowcast_server.resources.channels.creation import create_channel
from narrowcast_server.resources.linkifiers import add_linkifier
from narrowcast_server.resources.profile_fields import create_field
from narrowcast_server.resources.subscriptions.changes import subscribe
from narrowcast_server.resources.user_groups.changes import create_group
from narrowcast_server.resources.users.accounts import create_user
from support.captures import captures

Rows = list[dict[str, Any]]

IDS: Final = {
    "aaron": 42,
    "zoe": 43,
    "cordelia": 44,
    "desdemona": 45,
    "hamlet": 46,
    "iago": 47,
    "othello": 48,
    "polonius": 49,
    "prospero": 50,
    "shiva": 51,
    "default-bot": 52,
    "webhook-bot": 53,
    "outgoing-webhook": 54,
}
DOMAIN: Final = "zulipdev.com"
CORE_TEAM: Final = 24
"""A private channel that the administrator can see and the recording member cannot."""
FIRST_MESSAGE: Final = 101
_UNSUBSCRIBED: Final = 38
_FIELD: Final = 19


def number_next(organization: Organization, table: str, identity: int) -> bool:
    """Makes the next row of a table get this id; False if the table has already passed it."""
    run = organization.store.connection.execute
    if (run(f"SELECT max(id) FROM {table}").fetchone()[0] or 0) >= identity:
        return False
    if run("SELECT 1 FROM sqlite_sequence WHERE name = ?", (table,)).fetchone():
        run("UPDATE sqlite_sequence SET seq = ? WHERE name = ?", (identity - 1, table))
    else:
        run("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (table, identity - 1))
    return True


@cache
def snapshot() -> dict[str, Any]:
    """The `/register` response of the recording member."""
    folder = captures()
    assert folder is not None
    response: dict[str, Any] = json.loads((folder / "register.json").read_bytes())
    return response


def populate(organization: Organization) -> None:
    """Creates the organization as it was when the recording began."""
    with organization.transaction():
        number_next(organization, "groups", 47)
        number_next(organization, "users", 40)
        new_organization.set_up(organization, name="Zulip Dev", domain=DOMAIN, description="for *testing*")
        people = _people(organization)
        _channels(organization, people)
        number_next(organization, "groups", 62)
        create_group(organization, None, "hamletcharacters", "Characters", [people[44], people[46]])
        _things(organization, people)
        number_next(organization, "messages", FIRST_MESSAGE)
        _settings(organization)


def _people(organization: Organization) -> dict[int, User]:
    names = {identity: name for name, identity in IDS.items()}
    people: dict[int, User] = {}
    for row in sorted(snapshot()["realm_users"], key=lambda row: row["user_id"]):
        identity = row["user_id"]
        number_next(organization, "users", identity)
        if row["is_bot"]:
            people[identity] = create_user(
                organization,
                email=row["email"],
                full_name=row["full_name"],
                bot_type=BotType(row["bot_type"]),
                owner=people[row.get("bot_owner_id") or IDS["hamlet"]],
            )
        else:
            people[identity] = create_user(
                organization,
                email=f"{names[identity]}@zulip.com",
                full_name=row["full_name"],
                role=Role(row["role"]),
            )
    given = snapshot()["user_settings"]
    own = {
        name: given[name] for name in DEFAULTS if name in given and type(given[name]) is type(DEFAULTS[name])
    }
    for user in people.values():
        organization.users.update(user.id, settings=json.dumps(own))
    organization.forget_addresses()
    return people


def set_passwords(organization: Organization, logins: dict[str, str]) -> None:
    """Sets users' passwords, by real email address; hashing takes time."""
    for address, password in logins.items():
        user = organization.user_by_address(address)
        assert user is not None
        organization.users.update(user.id, password_hash=hash_password(password))


def _channels(organization: Organization, people: dict[int, User]) -> None:
    defaults = {
        row if isinstance(row, int) else row["stream_id"] for row in snapshot()["realm_default_streams"]
    }
    for row in sorted(_channel_rows(), key=lambda row: row["stream_id"]):
        number_next(organization, "channels", row["stream_id"])
        channel = create_channel(
            organization,
            None,
            row["name"],
            description=row["description"],
            invite_only=row["invite_only"],
            history_public=row["history_public_to_subscribers"],
            is_default=row["stream_id"] in defaults,
        )
        settings = {name: row[name] for name in CHANNEL_GROUP_SETTINGS if name in row}
        organization.channels.update(channel.id, settings=json.dumps({**channel.settings, **settings}))
        subscribers = row.get("subscribers") or row.get("partial_subscribers") or []
        subscribe(
            organization,
            [organization.channels[channel.id]],
            [people[one] for one in subscribers if one in people],
        )
    number_next(organization, "channels", _UNSUBSCRIBED)
    gone = create_channel(organization, None, "before")
    subscribe(organization, [gone], [people[IDS["hamlet"]]])


def _channel_rows() -> Rows:
    rows: Rows = [*snapshot()["subscriptions"], *snapshot()["never_subscribed"]]
    folder = captures()
    assert folder is not None
    path = folder / "POST_register" / "02-success-full-admin.json"
    of_admin = json.loads(path.read_bytes())["response"]
    listed = of_admin["subscriptions"] + of_admin["never_subscribed"] + of_admin["unsubscribed"]
    return [*rows, *(row for row in listed if row["stream_id"] == CORE_TEAM)]


def _things(organization: Organization, people: dict[int, User]) -> None:
    run = organization.store.connection.execute
    emoji = "INSERT INTO custom_emoji (id, name, author_id, source_url) VALUES (2, 'green_tick', ?, '/x.png')"
    run(emoji, (IDS["iago"],))
    folder = "INSERT INTO channel_folders (id, name, position, date_created) VALUES (?, ?, ?, 1)"
    for identity, name in ((1, "Engineering"), (2, "Information")):
        run(folder, (identity, name, identity))
    number_next(organization, "linkifiers", 7)
    for word in ("a", "b", "c"):
        add_linkifier(organization, f"{word}(?P<id>[0-9]+)", "https://example.org/{id}")
    number_next(organization, "profile_fields", _FIELD)
    create_field(organization, name="Phone", kind=ProfileFieldType.SHORT_TEXT)
    organization.users.update(people[IDS["desdemona"]].id, can_change_user_emails=1)
    organization.users.update(people[IDS["iago"]].id, can_create_users=1)


def _settings(organization: Organization) -> None:
    """The organization's settings, as far as the embedded server has them."""
    known = set(organization.settings)
    given = {
        key.removeprefix("realm_"): value for key, value in snapshot().items() if key.startswith("realm_")
    }
    kept = {
        name: value
        for name, value in given.items()
        if name in known and name != "date_created" and not isinstance(value, (dict, list))
    }
    organization.set_settings(**kept)
