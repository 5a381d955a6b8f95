"""``narrowcast authenticator``: sets up two-factor authentication, on Narrowcast's own servers."""

from __future__ import annotations

import argparse
import asyncio
from typing import TYPE_CHECKING

from narrowcast.cli.account_choice import chosen_account
from narrowcast.cli.login import ask_secret
from narrowcast.cli.outcome import CommandError, Exit
from narrowcast.text.safe_text import safe_line
from narrowcast_api.client import Client
from narrowcast_api.errors import MethodNotAllowed, NotFound
from narrowcast_api.routes.second_factor import (
    begin_second_factor,
    confirm_second_factor,
    end_second_factor,
    renew_recovery_codes,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from narrowcast_api.account import Account
    from narrowcast_api.http.connection import Connection


def run(args: argparse.Namespace) -> int:
    """Turns two-factor authentication on or off, or generates new recovery codes."""
    act = _end if args.off else _renew if args.recovery_codes else _begin
    asyncio.run(_with(chosen_account(args), act))
    return Exit.DONE


async def _with(account: Account, act: Callable[[Connection], Awaitable[None]]) -> None:
    try:
        async with Client.open(account) as client:
            await act(client.connection)
    except (NotFound, MethodNotAllowed):
        raise CommandError(
            f"{account.site} does not support setting up two-factor authentication from here"
        ) from None


async def _begin(connection: Connection) -> None:
    enrolment = await begin_second_factor(connection, password=ask_secret("Password"))
    _say("Add an account to your authenticator app with this key, as a QR code or by hand:")
    _say(f"  {enrolment.uri}")
    _say(f"  {enrolment.secret}")
    codes = await confirm_second_factor(connection, code=ask_secret("Code shown by the app"))
    _say("Two-factor authentication is on. Keep these recovery codes; each works once in place of a code:")
    _list(codes)


async def _renew(connection: Connection) -> None:
    password, code = ask_secret("Password"), ask_secret("Code")
    codes = await renew_recovery_codes(connection, password=password, code=code)
    _say("Keep these recovery codes, the old ones no longer work; each works once in place of a code:")
    _list(codes)


async def _end(connection: Connection) -> None:
    password, code = ask_secret("Password"), ask_secret("Code")
    await end_second_factor(connection, password=password, code=code)
    _say("Two-factor authentication is off: the password alone logs you in.")


def _list(codes: Sequence[str]) -> None:
    for code in codes:
        _say(f"  {code}")


def _say(text: str) -> None:
    print(safe_line(text), flush=True)  # noqa: T201
