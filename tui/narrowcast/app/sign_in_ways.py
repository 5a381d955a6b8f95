"""The ways to log in that a server offers, in its order, and signing in by a browser."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from narrowcast_api.http.connection import Connection
from narrowcast_api.routes import auth
from narrowcast_api.routes.external_sign_in import (
    AskPassword,
    BrowserSignIn,
    Flow,
    begin_sign_in,
    finish_sign_in,
)

if TYPE_CHECKING:
    from narrowcast_api.account import Account
    from narrowcast_api.wire.server import ExternalMethod, ServerSettings


class WayKind(StrEnum):
    """What a way to log in asks for; the values are what ``login --method`` takes."""

    BROWSER = "browser"
    DEV = "dev"
    PASSWORD = "password"  # noqa: S105 - not a password
    KEY = "key"
    FILE = "zuliprc"
    JOIN = "invitation"
    """By the link of an invitation, which the address then is."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way to log in; `title` is the server's text for an external method."""

    kind: WayKind
    title: str
    method: ExternalMethod | None = None

    @property
    def name(self) -> str:
        """What ``login --method`` calls it."""
        return self.kind.value if self.method is None else self.method.name


def ways_of(settings: ServerSettings) -> list[Way]:
    """The ways of a server: external methods first, then those that each server has as far as they are on."""
    methods = settings.authentication_methods
    ways = [
        Way(WayKind.BROWSER, method.display_name or method.name, method)
        for method in settings.external_authentication_methods
    ]
    if methods.get("dev"):
        ways.append(Way(WayKind.DEV, "Development login, without a password"))
    if takes_password(settings):
        ways.append(Way(WayKind.PASSWORD, f"{name_label(settings)} and password"))
    ways.append(Way(WayKind.KEY, "API key"))
    ways.append(Way(WayKind.FILE, "zuliprc file"))
    return ways


def takes_password(settings: ServerSettings) -> bool:
    """Whether people can log in with a password of the server, or of a directory (LDAP)."""
    methods = settings.authentication_methods
    if not methods:
        return True  # an old server, which does not say
    return bool(methods.get("password") or methods.get("ldap"))


def name_label(settings: ServerSettings) -> str:
    """What the name of an account is: with LDAP, not always an email address."""
    is_email = settings.require_email_format_usernames or not settings.authentication_methods.get("ldap")
    return "Email" if is_email else "User name"


def has_browser(environment: Mapping[str, str]) -> bool:
    """Whether a browser on this machine can be shown to the person: not over SSH, and only with a desktop."""
    if environment.get("SSH_CONNECTION") or environment.get("SSH_TTY"):
        return False
    desktop = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    return sys.platform == "darwin" or any(environment.get(name) for name in desktop)


def can_open_browser() -> bool:
    return has_browser(os.environ)


@asynccontextmanager
async def _connection(site: str, ca_bundle: Path | None) -> AsyncIterator[Connection]:
    async with aclosing(Connection(site, ca_bundle=ca_bundle)) as connection:
        yield connection


async def begin(
    site: str, method: ExternalMethod, flow: Flow, *, ca_bundle: Path | None = None
) -> BrowserSignIn:
    """A new attempt by a browser. Raises InvalidInput if the method is not at ``site``."""
    async with _connection(site, ca_bundle) as connection:
        return begin_sign_in(connection, method, flow)


async def finish(
    site: str,
    attempt: BrowserSignIn,
    pasted: str,
    ask_password: AskPassword | None = None,
    *,
    ca_bundle: Path | None = None,
) -> Account:
    """The account, from what the page showed. Raises InvalidInput, and what the library raises."""
    async with _connection(site, ca_bundle) as connection:
        return await finish_sign_in(connection, attempt, pasted, ask_password)


async def dev_users(site: str, *, ca_bundle: Path | None = None) -> list[str]:
    """The addresses of the people of a development server. Raises what the library raises."""
    async with _connection(site, ca_bundle) as connection:
        return await auth.list_dev_users(connection)


async def dev_sign_in(site: str, username: str, *, ca_bundle: Path | None = None) -> Account:
    """The account of a person of a development server. Raises what the library raises."""
    async with _connection(site, ca_bundle) as connection:
        return await auth.fetch_dev_api_key(connection, username=username)
