"""A small organization for tests: the people and channels of the demo data, without messages."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path

from argon2 import PasswordHasher

from narrowcast_api.wire.levels import SERVED_LEVEL
from narrowcast_api.wire.vocabulary import BotType, Role
from narrowcast_server import demo
from narrowcast_server.actions import new_organization
from narrowcast_server.organization import passwords
from narrowcast_server.organization.clock import ServerClock
from narrowcast_server.organization.config import ServedDialect, ServerConfig
from narrowcast_server.organization.models import User
from narrowcast_server.organization.organization import Organization
from narrowcast_server.resources.channels.creation import create_channel
from narrowcast_server.resources.subscriptions.changes import subscribe
from narrowcast_server.resources.users.accounts import create_user
from narrowcast_server.rules.permissions import system_group
from support.clock import VirtualClock

PASSWORD = "correct horse battery staple"
passwords.hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
"""Hashing is slow on purpose, against attackers; tests use fast hashes."""

PEOPLE = (
    ("Ada Moreno", Role.OWNER),
    ("Bruno Castell", Role.ADMINISTRATOR),
    ("Chiyo Tanaka", Role.MODERATOR),
    ("Dario Vance", Role.MEMBER),
    ("Elif Kaya", Role.MEMBER),
    ("Farid Haddad", Role.MEMBER),
    ("Greta Lindqvist", Role.MEMBER),
    ("Hugo Park", Role.GUEST),
)


def populate(organization: Organization) -> None:
    """Creates the organization. Only Ada has a password, and may create accounts; members may create
    invitation links.
    """
    with organization.transaction():
        new_organization.set_up(organization, name="Demo", domain="demo.example", description="For *tests*.")
        organization.set_settings(create_multiuse_invite_group=system_group(organization, "role:members").id)
        people: dict[str, User] = {}
        for full_name, role in PEOPLE:
            first = full_name.split()[0].lower()
            people[first] = create_user(
                organization,
                email=f"{first}@demo.example",
                full_name=full_name,
                role=role,
            )
        organization.users.update(
            people["ada"].id, password_hash=passwords.hash_password(PASSWORD), can_create_users=1
        )
        people["iris"] = create_user(
            organization,
            email="iris-bot@demo.example",
            full_name="Iris",
            bot_type=BotType.GENERIC,
            owner=people["ada"],
        )
        people["jasper"] = create_user(
            organization,
            email="jasper-bot@demo.example",
            full_name="Jasper",
            bot_type=BotType.INCOMING_WEBHOOK,
            owner=people["bruno"],
        )
        _channels(organization, people)


def lay_out(folder: Path, level: int = SERVED_LEVEL, dialect: ServedDialect = ServedDialect.SERVICE) -> None:
    """Creates the organization in an empty folder by copying a template, which is faster; thousands of tests
    use it.
    """
    _write(folder, _files(level, dialect))


def lay_out_demo(folder: Path, now: float) -> None:
    """The same with the demo data as of a moment."""
    _write(folder, _demo_files(now))


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(data)


@lru_cache(4)
def _files(level: int, dialect: ServedDialect) -> Mapping[str, bytes]:
    return _made(populate, ServerConfig(dialect=dialect, durable=False).at_level(level))


@lru_cache(1)
def _demo_files(now: float) -> Mapping[str, bytes]:
    return _made(demo.populate, ServerConfig(durable=False), VirtualClock(now))


def _made(
    fill: Callable[[Organization], None], config: ServerConfig, clock: ServerClock | None = None
) -> Mapping[str, bytes]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        organization = Organization(folder, config, clock)
        fill(organization)
        organization.close()
        return {
            str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()
        }


def _channels(organization: Organization, people: dict[str, User]) -> None:
    staff = [people[name] for name in ("ada", "bruno", "chiyo", "dario", "elif", "farid")]
    moderators = system_group(organization, "role:moderators").id
    made = {
        "general": create_channel(organization, None, "general", description="Everybody.", is_default=True),
        "engineering": create_channel(organization, people["ada"], "engineering"),
        "design": create_channel(organization, people["elif"], "design"),
        "announcements": create_channel(
            organization, None, "announcements", settings={"can_send_message_group": moderators}
        ),
        "support": create_channel(organization, None, "support", is_web_public=True),
        "operations": create_channel(organization, people["bruno"], "operations", invite_only=True),
        "leads": create_channel(organization, people["ada"], "leads", invite_only=True, history_public=True),
    }
    subscribe(organization, [made["general"], made["announcements"]], [*staff, people["greta"]])
    subscribe(organization, [made["engineering"]], [*staff, people["iris"]])
    subscribe(organization, [made["design"]], [people["elif"], people["dario"], people["hugo"]])
    subscribe(organization, [made["operations"]], [people["bruno"], people["dario"]])
    subscribe(organization, [made["leads"]], [people["ada"], people["chiyo"]])
