"""Prepares a data folder for serving: the organization, its people, and their account files."""

from __future__ import annotations

import re
import secrets
import shlex
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.vocabulary import Role
from narrowcast_server.actions import new_organization
from narrowcast_server.organization.models import User
from narrowcast_server.organization.passwords import hash_password
from narrowcast_server.resources.channels.creation import create_channel
from narrowcast_server.resources.users.accounts import create_user
from narrowcast_server.storage.private_files import write_secret

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

ACCOUNTS: Final = "accounts"
OWNER_FILE: Final = "owner.zuliprc"
PASSWORD_FILE: Final = "owner.password"  # noqa: S105  # a file name


def prepare(
    organization: Organization,
    folder: Path,
    *,
    demo: bool,
    populate: Callable[[Organization], None] | None = None,
) -> None:
    """Creates the organization if there is none, and writes the account files of a demo."""
    if not new_organization.exists(organization.store):
        if populate is not None:
            populate(organization)
        elif demo:
            _demo(organization)
        else:
            _first_owner(organization, folder)
    if demo:
        write_accounts(organization, folder / ACCOUNTS, people(organization))
    else:
        follow_owner(organization)


def how_to_open(folder: Path, url: str, *, demo: bool, speaks_zulip: bool) -> str:
    """Next steps, for the terminal or log of a server. `url` is the address for other machines; `speaks_zulip`: it
    has Zulip's dialect.
    """
    if demo:
        return f"open it with: narrowcast --rc {shlex.quote(str(folder / ACCOUNTS / 'ada.zuliprc'))}"
    steps = [f"log in with: narrowcast login {url}"]
    if (folder / OWNER_FILE).exists():
        steps = [
            f"open it as its owner with: narrowcast --rc {shlex.quote(str(folder / OWNER_FILE))}",
            f"invite others with: narrowcast serve admin invite --data {shlex.quote(str(folder))}",
            f"others {steps[0]}",
        ]
    if not speaks_zulip:
        steps.append("tools for Zulip servers that look at error codes need --dialect zulip")
    return "\n".join(steps)


def follow_owner(organization: Organization) -> None:
    """Updates the owner's account file, if it is still in the folder, after the server's address or the API
    key changed.
    """
    file = organization.folder / OWNER_FILE
    if not file.exists():
        return
    match = re.search(r"^email=(.*)$", file.read_text(), re.MULTILINE)
    owner = organization.user_by_address(match[1].strip()) if match is not None else None
    if owner is not None:
        write_secret(file, account_file(organization, owner))


def people(organization: Organization) -> list[User]:
    """All active users and bots of the organization, except system bots."""
    return [user for user in organization.users.all() if user.is_active and not user.is_system_bot]


def _demo(organization: Organization) -> None:
    # Imported here because the demo world is larger than the server and only needed for a demo.
    from narrowcast_server import demo

    demo.populate(organization)


def _first_owner(organization: Organization, folder: Path) -> None:
    """Creates an organization for a team: one channel, and an owner whose password and account file are in
    the folder.
    """
    password = secrets.token_urlsafe(12)
    with organization.transaction():
        new_organization.set_up(organization, name="Narrowcast", domain="localhost")
        general = create_channel(
            organization, None, "general", description="Everybody is here.", is_default=True
        )
        organization.set_settings(new_stream_announcements_stream_id=general.id)
        owner = create_user(
            organization,
            email="owner@localhost",
            full_name="Owner",
            role=Role.OWNER,
            password_hash=hash_password(password),
        )
        organization.users.update(owner.id, can_change_user_emails=1, can_create_users=1)
    write_secret(folder / PASSWORD_FILE, f"{password}\n")
    write_secret(folder / OWNER_FILE, account_file(organization, organization.users[owner.id]))


def write_accounts(organization: Organization, folder: Path, users: Iterable[User]) -> None:
    """Writes `<first name>.zuliprc` for each user."""
    folder.mkdir(mode=0o700, exist_ok=True)
    for user in users:
        name = user.full_name.split()[0].lower()
        write_secret(folder / f"{name}.zuliprc", account_file(organization, user))


def account_file(organization: Organization, user: User) -> str:
    """A file with an `[api]` section, as the service's tools use it."""
    site = organization.config.local_url or organization.url
    return f"[api]\nemail={user.delivery_email}\nkey={user.api_key}\nsite={site}\n"
