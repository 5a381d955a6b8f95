"""``narrowcast send``: one message from a script."""

from __future__ import annotations

import argparse
import asyncio
import sys
from typing import TYPE_CHECKING

from narrowcast.cli.account_choice import chosen_account
from narrowcast.cli.directory import Directory
from narrowcast.cli.outcome import CommandError, Exit
from narrowcast.cli.printing import as_json, say
from narrowcast_api.narrow.destinations import ChannelDestination, Destination, DirectDestination

if TYPE_CHECKING:
    from narrowcast_api.account import Account
    from narrowcast_api.client import Client


MOST_INPUT = 16 * 1024 * 1024
"""Bytes of standard input that are read before giving up; the true limit is the server's and far below."""


def run(args: argparse.Namespace) -> int:
    """Send the text of the arguments or of standard input."""
    if bool(args.channel) == bool(args.to):
        raise CommandError("say where to: --channel NAME [--topic TOPIC], or --to WHO", Exit.USAGE)
    account = chosen_account(args)
    text = args.text
    if text is None:
        if sys.stdin.isatty():
            sys.stderr.write("Write the message; Ctrl-d on an empty line sends it, Ctrl-c does not.\n")
        text = _standard_input()
    if not text.strip():
        raise CommandError("the message is empty", Exit.USAGE)
    message_id = asyncio.run(_send(account, args, text.rstrip("\n")))
    say(as_json({"id": message_id}) if args.json else f"sent, message {message_id}")
    return Exit.DONE


def _standard_input() -> str:
    """All of standard input; refused when there is more than any server takes, for it may never end."""
    data = sys.stdin.buffer.read(MOST_INPUT + 1)
    if len(data) > MOST_INPUT:
        raise CommandError("the message is too long; attach it as a file instead", Exit.USAGE)
    return data.decode("utf-8-sig", "replace")


async def _send(account: Account, args: argparse.Namespace, text: str) -> int:
    from narrowcast_api.client import Client

    async with Client.open(account) as client:
        where = await _destination(client, args)
        return (await client.messages.send(to=where, content=text)).id


async def _destination(client: Client, args: argparse.Namespace) -> Destination:
    directory = await Directory.fetch(client, channels=bool(args.channel), people=bool(args.to))
    if args.channel:
        channel_id = directory.channel_id(args.channel.lstrip("#"))
        if channel_id is None:
            raise CommandError(f"there is no channel {args.channel!r}", Exit.USAGE)
        return ChannelDestination(channel_id, args.topic)
    ids: set[int] = set()
    for name in (part.strip() for wanted in args.to for part in wanted.split(",")):
        user_id = directory.user_id(name)
        if user_id is None:
            raise CommandError(
                f"no user, or more than one, is named {name!r}; give an email address or an id", Exit.USAGE
            )
        ids.add(user_id)
    me = (await client.users.me()).user_id
    return DirectDestination(frozenset(ids - {me}))
