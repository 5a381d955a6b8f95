"""``narrowcast login URL``: sign in and store the account."""

from __future__ import annotations

import argparse
import asyncio
import getpass
import sys
from pathlib import Path

from narrowcast.cli.outcome import CommandError, Exit
from narrowcast.terminal.paths import Paths
from narrowcast_api.account import normal_site
from narrowcast_api.http.secret import Secret


def run(args: argparse.Namespace) -> int:
    """Ask for what is missing, without echo for secrets; never take one from the arguments."""
    from narrowcast.app.signin import invitation

    if (link := invitation(args.url)) is not None:
        return _join(args, *link)
    site = normal_site(args.url)
    email = args.email or _ask_email()
    secret = _ask_secret("API key" if args.api_key else "Password")
    from narrowcast.app.signin import sign_in_and_store

    bundle = Path(args.ca_bundle).expanduser().absolute() if args.ca_bundle else None
    path = asyncio.run(
        sign_in_and_store(
            site,
            email,
            secret,
            Paths.of_user().accounts,
            is_key=args.api_key,
            keyring=args.keyring,
            ca_bundle=bundle,
        )
    )
    print(f"Signed in to {site} as {email}; stored in {path}. Open it with: narrowcast")  # noqa: T201
    return Exit.DONE


def _join(args: argparse.Namespace, url: str, token: str) -> int:
    """Make an account from an invitation's link, and store it."""
    from narrowcast.app import accounts
    from narrowcast.app.signin import join

    site = normal_site(url)
    name = args.name or _ask("Your name", "--name")
    email = args.email or _ask_email()
    password = _ask_secret("New password")
    if sys.stdin.isatty() and _ask_secret("Again").reveal() != password.reveal():
        raise CommandError("the two passwords differ; nothing was done", Exit.USAGE)
    bundle = Path(args.ca_bundle).expanduser().absolute() if args.ca_bundle else None
    account = asyncio.run(join(site, token, email, name, password, ca_bundle=bundle))
    path = accounts.store(account, Paths.of_user().accounts, keyring=args.keyring)
    print(f"Joined {site} as {name}; stored in {path}. Open it with: narrowcast")  # noqa: T201
    return Exit.DONE


def _ask(what: str, option: str) -> str:
    if not sys.stdin.isatty():
        raise CommandError(f"give it with {option} when nobody can be asked: {what.lower()}", Exit.USAGE)
    if not (answer := input(f"{what}: ").strip()):
        raise CommandError(f"{what.lower()} is needed", Exit.USAGE)
    return answer


def _ask_email() -> str:
    return _ask("Email", "--email")


def _ask_secret(what: str) -> Secret:
    """Typed unseen; from a pipe, the first line of it."""
    text = getpass.getpass(f"{what}: ") if sys.stdin.isatty() else sys.stdin.readline().rstrip("\r\n")
    if not text:
        raise CommandError(f"a {what.lower()} is needed", Exit.USAGE)
    return Secret(text)
