"""``narrowcast authenticator``: a code of an authenticator app beside the password, on servers of Narrowcast's own."""

from __future__ import annotations

import argparse
import asyncio
from typing import TYPE_CHECKING

from narrowcast.cli.account_choice import chosen_account
from narrowcast.cli.login import ask_secret
from narrowcast.cli.outcome import Exit
from narrowcast.text.safe_text import safe_line
from narrowcast_api.client import Client
from narrowcast_api.routes.second_factor import begin_second_factor, confirm_second_factor, end_second_factor

if TYPE_CHECKING:
    from narrowcast_api.account import Account


def run(args: argparse.Namespace) -> int:
    """Switch it on, or off."""
    account = chosen_account(args)
    asyncio.run(_end(account) if args.off else _begin(account))
    return Exit.DONE


async def _begin(account: Account) -> None:
    async with Client.open(account) as client:
        enrolment = await begin_second_factor(client.connection, password=ask_secret("Password"))
        _say("Give this to the app, as a QR code or by hand:")
        _say(f"  {enrolment.uri}")
        _say(f"  {enrolment.secret}")
        codes = await confirm_second_factor(client.connection, code=ask_secret("Code that it shows"))
    _say("From now on, signing in takes a code as well. Keep these; each is good once in place of one:")
    for code in codes:
        _say(f"  {code}")


async def _end(account: Account) -> None:
    password, code = ask_secret("Password"), ask_secret("Code")
    async with Client.open(account) as client:
        await end_second_factor(client.connection, password=password, code=code)
    _say("The password is enough again.")


def _say(text: str) -> None:
    print(safe_line(text), flush=True)  # noqa: T201
