"""``narrowcast login URL``: log in and store the account."""

from __future__ import annotations

import argparse
import asyncio
import getpass
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

from narrowcast.app.sign_in import (
    Cleartext,
    ask_for_password_link,
    check_encryption,
    check_invitation,
    choose_password,
    find_server,
    invitation,
    join,
    login_refusal,
    password_link,
    sign_in_and_store,
)
from narrowcast.app.sign_in_ways import WayKind, name_label
from narrowcast.cli.login_ways import account_by, chosen_way
from narrowcast.cli.outcome import CommandError, Exit, print_error
from narrowcast.config import account_files
from narrowcast.terminal.paths import Paths
from narrowcast.text.safe_text import safe_line
from narrowcast_api.account import normal_site
from narrowcast_api.errors import SecondFactorNeeded
from narrowcast_api.http.secret import Secret
from narrowcast_api.storage.folders import expand_home
from narrowcast_api.wire.vocabulary import PASSWORD_CHARACTERS

T = TypeVar("T")


def run(args: argparse.Namespace) -> int:
    """Asks for missing values, secrets without echo; a secret is never taken from the arguments.

    The server is contacted, and a wrong address reported, before anything is asked.
    """

    link, reset = invitation(args.url), password_link(args.url)
    if link is None and reset is None and (refusal := login_refusal(args.url)):
        raise CommandError(refusal, Exit.USAGE)
    site = normal_site((link or reset or (args.url,))[0])
    cleartext = _allow_cleartext(site, args.insecure_http)
    bundle = expand_home(args.ca_bundle).absolute() if args.ca_bundle else None
    settings = asyncio.run(find_server(site, ca_bundle=bundle))
    if settings.is_incompatible:
        print_error(f"{site} says that it no longer supports this version of Narrowcast")
    if link is not None:
        return _join(args, site, link[1], bundle, cleartext)
    if reset is not None:
        return _choose_password(args, site, reset[1], bundle, cleartext)
    if args.forgot:
        return _forgot(site, args.email or _ask_email(), bundle)
    method = WayKind.KEY.value if args.api_key else args.method
    way = chosen_way(settings, site, method, has_email=bool(args.email))
    if way.kind not in (WayKind.PASSWORD, WayKind.KEY):
        account = account_by(way, site, settings, args.email or "", bundle)
        stored = account_files.store(account, Paths.of_user().accounts, keyring=args.keyring)
        return _done(account.site, account.email, stored)
    is_key = way.kind is WayKind.KEY
    email = args.email or _ask("Email" if is_key else name_label(settings), "--email")
    secret = ask_secret("API key" if is_key else "Password")
    path = _with_code(
        lambda code: sign_in_and_store(
            site,
            email,
            secret,
            Paths.of_user().accounts,
            second_factor=code,
            is_key=is_key,
            keyring=args.keyring,
            ca_bundle=bundle,
            cleartext=cleartext,
        )
    )
    return _done(site, email, path)


def _done(site: str, email: str, path: Path) -> int:
    print(f"Logged in to {site} as {safe_line(email)}; stored in {path}. Open it with: narrowcast")  # noqa: T201
    return Exit.DONE


def _with_code(attempt: Callable[[Secret | None], Coroutine[Any, Any, T]]) -> T:
    """The attempt's result; if the server wants a second factor, asks for a code and tries again."""

    try:
        return asyncio.run(attempt(None))
    except SecondFactorNeeded:
        return asyncio.run(attempt(ask_secret("Code of your authenticator app, or recovery code")))


def _forgot(site: str, email: str, bundle: Path | None) -> int:
    asyncio.run(ask_for_password_link(site, email, ca_bundle=bundle))
    print(f"If {email} has an account at {site}, a link to reset the password has been emailed.")  # noqa: T201
    return Exit.DONE


def _choose_password(
    args: argparse.Namespace, site: str, token: str, bundle: Path | None, cleartext: bool
) -> int:
    """Sets a new password by means of a link, and stores the account."""

    password = _ask_new_password()
    account = _with_code(
        lambda code: choose_password(
            site, token, password, second_factor=code, ca_bundle=bundle, cleartext=cleartext
        )
    )
    path = account_files.store(account, Paths.of_user().accounts, keyring=args.keyring)
    print(  # noqa: T201
        f"The password of {safe_line(account.email)} at {site} was changed; stored in {path}. "
        "Open it with: narrowcast"
    )
    return Exit.DONE


def _allow_cleartext(site: str, allowed: bool) -> bool:
    """Whether the password may be sent to ``site`` unencrypted. Raises CommandError unless the user agrees."""

    try:
        check_encryption(site, cleartext=allowed)
    except Cleartext as error:
        if not sys.stdin.isatty():
            raise CommandError(f"{error}, or allow it with --insecure-http.", Exit.USAGE) from None
        print_error(f"{error}.")
        if input("Continue anyway? Type yes: ").strip().lower() != "yes":
            raise CommandError("nothing was sent", Exit.USAGE) from None
        return True
    return allowed


def _join(args: argparse.Namespace, site: str, token: str, bundle: Path | None, cleartext: bool) -> int:
    """Creates an account with the link of an invitation, and stores it."""

    asyncio.run(check_invitation(site, token, ca_bundle=bundle, cleartext=cleartext))
    name = args.name or _ask("Your name", "--name")
    email = args.email or _ask_new_email()
    password = _ask_new_password()
    account = asyncio.run(join(site, token, email, name, password, ca_bundle=bundle, cleartext=cleartext))
    path = account_files.store(account, Paths.of_user().accounts, keyring=args.keyring)
    print(f"Joined {site} as {name}; stored in {path}. Open it with: narrowcast")  # noqa: T201
    return Exit.DONE


def _ask_new_email() -> str:
    """Asks until the answer looks like an email address: the server checks it only after the password was chosen."""
    while "@" not in (email := _ask_email()):
        print_error(f"{email!r} is not an email address")
    return email


def _ask_new_password() -> Secret:
    """Asks for a password twice; the rule is shown before, and checked after the first time."""
    fewest, most = PASSWORD_CHARACTERS
    rule = f"{fewest} to {most} characters"
    while True:
        password = ask_secret(f"New password ({rule})")
        fits = fewest <= len(password.reveal()) <= most
        if not sys.stdin.isatty():
            if not fits:
                raise CommandError(f"a password must have {rule}; nothing was done", Exit.USAGE)
            return password
        if not fits:
            print_error(f"a password must have {rule}")
        elif ask_secret("Again").reveal() == password.reveal():
            return password
        else:
            print_error("the two passwords differ")


def _ask(what: str, option: str) -> str:
    if not sys.stdin.isatty():
        raise CommandError(f"{what}: no terminal for a prompt; pass {option}", Exit.USAGE)
    return _typed(what, lambda prompt: input(prompt).strip())


def _ask_email() -> str:
    return _ask("Email", "--email")


def ask_secret(what: str) -> Secret:
    """Reads a secret from the terminal without echo, or from the first line of a pipe."""
    if sys.stdin.isatty():
        return Secret(_typed(what, getpass.getpass))
    if not (text := sys.stdin.readline().rstrip("\r\n")):
        raise CommandError(f"{what}: nothing was entered", Exit.USAGE)
    return Secret(text)


def _typed(what: str, read: Callable[[str], str]) -> str:
    """Reads a line from the terminal; an empty one is asked for again. Raises CommandError for Ctrl-d."""
    try:
        while not (text := read(f"{what}: ")):
            print_error("nothing was entered; press Ctrl-c to quit")
    except EOFError:
        raise CommandError(f"{what}: nothing was entered", Exit.USAGE) from None
    return text
