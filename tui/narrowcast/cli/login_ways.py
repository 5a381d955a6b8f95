"""``narrowcast login`` by anything but a password: a browser, a development login, a file."""

from __future__ import annotations

import asyncio
import getpass
import os
import sys
from pathlib import Path

from narrowcast.app import sign_in_ways
from narrowcast.app.sign_in_ways import Way, WayKind, ways_of
from narrowcast.cli.outcome import CommandError, Exit, print_error
from narrowcast.cli.pasting import read_pasted
from narrowcast.config import account_files
from narrowcast.terminal.desktop_clipboard import read_text
from narrowcast.terminal.programs import open_link
from narrowcast.text.safe_text import safe_line
from narrowcast_api.account import Account
from narrowcast_api.errors import InvalidInput
from narrowcast_api.http.secret import Secret
from narrowcast_api.routes.external_sign_in import (
    BrowserSignIn,
    Flow,
    is_complete,
    usual_flow,
)
from narrowcast_api.storage.folders import expand_home
from narrowcast_api.wire.server import ServerSettings

_SHOWN = {Flow.DESKTOP: "token", Flow.MOBILE: "link"}
_SWITCH = "s"


def chosen_way(settings: ServerSettings, site: str, method: str, *, has_email: bool) -> Way:
    """The way that ``--method`` names, else the one that the person chooses. Raises CommandError for one that is not
    offered.
    """
    ways = ways_of(settings)
    if method:
        wanted = method.casefold()
        found = [way for way in ways if wanted in (way.name.casefold(), way.title.casefold())]
        if not found:
            raise CommandError(f"{site} offers no login by {method!r}; {_listed(ways)}", Exit.USAGE)
        return found[0]
    password = next((way for way in ways if way.kind is WayKind.PASSWORD), None)
    if has_email or not sys.stdin.isatty():
        if password is None:
            raise CommandError(f"{site} has no logins by password; {_listed(ways)}", Exit.USAGE)
        return password
    if password is not None and ways[0] is password:
        return password
    return _asked(ways, settings, password or ways[0])


def _listed(ways: list[Way]) -> str:
    return "choose with --method: " + ", ".join(safe_line(way.name) for way in ways)


def _asked(ways: list[Way], settings: ServerSettings, usual: Way) -> Way:
    sys.stderr.write(f"Log in to {safe_line(settings.realm_name or 'this organization')} with:\n")
    for number, way in enumerate(ways, 1):
        sys.stderr.write(f"  {number}  {safe_line(way.title)}\n")
    while True:
        try:
            typed = input(f"Number [{ways.index(usual) + 1}]: ").strip()
        except EOFError:
            raise CommandError("nothing was chosen", Exit.USAGE) from None
        if not typed:
            return usual
        if typed.isdecimal() and 1 <= int(typed) <= len(ways):
            return ways[int(typed) - 1]
        print_error(f"type a number from 1 to {len(ways)}")


def account_by(way: Way, site: str, settings: ServerSettings, email: str, bundle: Path | None) -> Account:
    """The account, by a way that needs neither password nor API key. Raises what the library raises."""
    if way.kind is WayKind.BROWSER:
        return _by_browser(way, site, settings, bundle)
    if way.kind is WayKind.DEV:
        return _by_dev(site, email, bundle)
    path = input("Path of the zuliprc file: ").strip()
    return account_files.read(expand_home(path))


def _by_dev(site: str, email: str, bundle: Path | None) -> Account:
    if not email:
        people = asyncio.run(sign_in_ways.dev_users(site, ca_bundle=bundle))
        for number, person in enumerate(people, 1):
            sys.stderr.write(f"  {number}  {safe_line(person)}\n")
        email = input("Number or email: ").strip()
        while email.isdecimal() and not 1 <= int(email) <= len(people):
            print_error(f"type a number from 1 to {len(people)}, or an email address")
            email = input("Number or email: ").strip()
        if email.isdecimal():
            email = people[int(email) - 1]
    return asyncio.run(sign_in_ways.dev_sign_in(site, email, ca_bundle=bundle))


def _by_browser(way: Way, site: str, settings: ServerSettings, bundle: Path | None) -> Account:
    assert way.method is not None
    flow = usual_flow(settings)
    while True:
        attempt = asyncio.run(sign_in_ways.begin(site, way.method, flow, ca_bundle=bundle))
        _show(attempt)
        account = _pasted(site, attempt, bundle)
        if account is not None:
            return account
        flow = Flow.DESKTOP if flow is Flow.MOBILE else Flow.MOBILE


async def _ask_password(problem: str) -> Secret | None:
    """Asks for the password that an organization wants with a token; Ctrl-d ends it."""
    if not sys.stdin.isatty():
        return None
    print_error(problem or "the organization allows passwords too, so it wants yours with a token")
    try:
        return Secret(getpass.getpass("Password: "))
    except EOFError:
        return None


def _show(attempt: BrowserSignIn) -> None:
    sys.stderr.write(
        f"Open this address in a browser, on any machine, and sign in there:\n\n{attempt.address}\n\n"
    )
    if sys.stdin.isatty() and sign_in_ways.can_open_browser():
        try:
            asyncio.run(open_link(attempt.address))
        except (InvalidInput, OSError) as error:
            print_error(str(error))


def _pasted(site: str, attempt: BrowserSignIn, bundle: Path | None) -> Account | None:
    """The account, from what the page shows; None if the person wants the other flow. A wrong text is asked for
    again at a terminal. What the browser copies on this machine need not be pasted.
    """
    is_browser_here = sign_in_ways.can_open_browser()
    tried = ""

    def copied() -> str:
        text = asyncio.run(read_text(os.environ)) if is_browser_here else None
        return text if text is not None and text != tried else ""

    what = _SHOWN[attempt.flow]
    other = _SHOWN[Flow.DESKTOP if attempt.flow is Flow.MOBILE else Flow.MOBILE]
    prompt = f"Paste the {what} that the page shows in the end ({_SWITCH} and Enter: a {other} instead): "
    while True:
        if sys.stdin.isatty():
            try:
                text = read_pasted(prompt, lambda text: is_complete(attempt, text), copied).strip()
            except EOFError:
                raise CommandError("canceled; nothing was stored", Exit.USAGE) from None
            if text.lower() == _SWITCH:
                return None
        else:
            text = sys.stdin.readline().strip()
        tried = text
        try:
            return asyncio.run(sign_in_ways.finish(site, attempt, text, _ask_password, ca_bundle=bundle))
        except InvalidInput as error:
            if not sys.stdin.isatty():
                raise CommandError(error.user_message) from None
            print_error(error.user_message)
