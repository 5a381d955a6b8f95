"""``narrowcast send``: sends one message, from the command line or a script."""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import UNSET

from narrowcast.cli.account_choice import chosen_account
from narrowcast.cli.directory import ChannelsAndUsers, registered
from narrowcast.cli.outcome import CommandError, Exit, print_error
from narrowcast.cli.printing import as_json, say
from narrowcast.cli.progress import Progress
from narrowcast.cli.records import SentRecord
from narrowcast_api.client import Client
from narrowcast_api.errors import BadRequest, ServerFault
from narrowcast_api.narrow.destinations import ChannelDestination, Destination, DirectDestination
from narrowcast_api.narrow.resolve import Unresolved, channel_id, person_ids
from narrowcast_api.permissions import archived_post_refusal
from narrowcast_api.routes.uploads import markdown_link
from narrowcast_api.state.settings import Limits
from narrowcast_api.storage.folders import expand_home

if TYPE_CHECKING:
    from narrowcast_api.account import Account
    from narrowcast_api.model.channels import Channel
    from narrowcast_api.wire.messages import SentMessage


MAX_INPUT = 16 * 1024 * 1024
"""Maximum bytes read from standard input; the actual limit is the server's and far below."""
_SENDS_ONLY = "incoming webhook"
"""Text in a server's error when a key may only send messages."""
_WANTS_TOPIC = re.compile(r"topic|general chat", re.IGNORECASE)
"""Text in a server's error when the message has no topic but needs one."""


def run(args: argparse.Namespace) -> int:
    """Sends the text of the arguments or of standard input, with the given files."""
    if args.channel and args.to:
        raise CommandError("two destinations; give --channel or --to, not both", Exit.USAGE)
    if not args.channel and not args.to:
        raise CommandError("no destination; give --channel NAME [--topic TOPIC], or --to WHO", Exit.USAGE)
    if args.to and args.topic:
        raise CommandError("direct messages have no topic; leave out --topic", Exit.USAGE)
    account = chosen_account(args)
    files = [expand_home(name) for name in args.file or ()]
    for file in files:
        if not file.is_file():
            raise CommandError(f"{file}: {'not a file' if file.exists() else 'no such file'}", Exit.USAGE)
    text = args.text
    if text is None and not files:
        if sys.stdin.isatty():
            sys.stderr.write("Write the message; Ctrl-d on an empty line sends it, Ctrl-c cancels.\n")
        text = _standard_input()
    if not (text or "").strip() and not files:
        raise CommandError("the message is empty", Exit.USAGE)
    sent = asyncio.run(_send(account, args, (text or "").rstrip("\n"), files))
    if args.json:
        say(as_json(sent))
    elif not args.quiet:
        say(f"sent, message {sent.id}")
    return Exit.DONE


def _standard_input() -> str:
    """Reads all of standard input. Raises CommandError above a limit, since the input may be endless."""
    data = sys.stdin.buffer.read(MAX_INPUT + 1)
    if len(data) > MAX_INPUT:
        raise CommandError("the message is too long; attach it as a file instead", Exit.USAGE)
    return data.decode("utf-8-sig", "replace")


async def _send(account: Account, args: argparse.Namespace, text: str, files: Sequence[Path]) -> SentRecord:
    async with Client.open(account) as client:
        before = client.connection.preflight
        where = await before(_destination(client, args))
        await before(_know_limits(client, text, args.topic))
        addresses, links = await _uploaded(client, files, quiet=args.quiet)
        content = "\n".join(part for part in (text, *links) if part)
        try:
            sent = await _sent(client, args, where, content)
        except ServerFault as error:
            raise CommandError(
                f"Server error (HTTP {error.status}). The message may have been sent: check before you try again."
            ) from error
    return SentRecord(sent.id, addresses, sent.message_url or UNSET, sent.message_link or UNSET)


async def _sent(
    client: Client, args: argparse.Namespace, where: Destination | str | list[str], content: str
) -> SentMessage:
    """Sends the message; if the channel turns out to require a topic, sends it with one."""
    if isinstance(where, list):
        return await client.messages.send(to=where, content=content)
    if isinstance(where, str):
        return await client.messages.send(to=where, topic=args.topic or "", content=content)
    try:
        return await client.messages.send(to=where, content=content)
    except BadRequest as error:
        topic = _topic_instead(args, where, error)
        return await client.messages.send(to=ChannelDestination(topic[0], topic[1]), content=content)


def _topic_instead(args: argparse.Namespace, where: Destination, error: BadRequest) -> tuple[int, str]:
    """The channel id and a topic, after the server rejected a message without one. Raises CommandError if there is
    no topic, or `error` if it has another cause.
    """
    if not isinstance(where, ChannelDestination) or where.topic or not _WANTS_TOPIC.search(error.msg):
        raise error
    needs = f"#{args.channel.lstrip('#')} needs a topic"
    topic = ""
    if sys.stdin.isatty() and args.text is not None:
        print_error(needs)
        topic = input("Topic: ").strip()
    if not topic:
        raise CommandError(f"{needs}; name one with --topic TOPIC", Exit.USAGE)
    return where.channel_id, topic


async def _uploaded(client: Client, files: Sequence[Path], *, quiet: bool) -> tuple[list[str], list[str]]:
    """Uploads the files. Returns their addresses and the Markdown links to them."""

    addresses, links = [], []
    for number, file in enumerate(files, 1):
        progress = Progress(f"{file.name} ({number} of {len(files)})", quiet=quiet)
        try:
            result = await client.uploads.upload(path=file, progress=progress)
        finally:
            progress.end()
        addresses.append(result.url)
        links.append(markdown_link(result.filename or file.name, result.url))
    return addresses, links


async def _destination(client: Client, args: argparse.Namespace) -> Destination | str | list[str]:
    """The destination; for a bot whose key may only send, the channel's name or the email addresses as written."""
    try:
        directory = await ChannelsAndUsers.fetch(client, channels=bool(args.channel), people=bool(args.to))
    except BadRequest as error:
        if _SENDS_ONLY not in error.msg:
            raise
        return _as_written(args)
    if args.channel:
        where = ChannelDestination(_channel_id(args.channel, directory.channels), args.topic)
        channel = directory.channel(where.channel_id)
        if channel is not None and (refusal := archived_post_refusal(channel)):
            raise CommandError(refusal)
        return where
    me = (await client.users.me()).user_id

    def recipients() -> set[int]:
        return {
            user_id for names in args.to for user_id in person_ids(names, directory.people, me, parts=False)
        }

    try:
        ids = await directory.resolved(client, recipients)
    except Unresolved as error:
        raise CommandError(error.user_message, Exit.USAGE) from error
    if not ids:
        raise CommandError("give at least one recipient with --to", Exit.USAGE)
    return DirectDestination(frozenset(ids - {me}))


async def _know_limits(client: Client, text: str, topic: str) -> None:
    """Fetches the server's length limits before sending a long text: servers truncate it without an error."""
    limits = Limits()  # the defaults, for a server that does not report its limits
    if len(text) > limits.max_message_length or len(topic) > limits.max_topic_length:
        with suppress(BadRequest):  # a key that may only send
            await registered(client, "realm")


def _as_written(args: argparse.Namespace) -> str | list[str]:
    """The channel or the addresses as given in the arguments; the server resolves them."""
    if args.channel:
        return str(args.channel).lstrip("#")
    names = [part.strip() for wanted in args.to for part in wanted.split(",")]
    if named := [name for name in names if "@" not in name]:
        raise CommandError(
            f"{named[0]!r} is not an email address; an incoming webhook can only send to email addresses",
            Exit.USAGE,
        )
    return names


def _channel_id(name: str, channels: Sequence[Channel]) -> int:
    """The id of a channel by its full name or id. Parts of names do not match, so a message is not sent to the wrong
    channel.
    """
    try:
        return channel_id(name, channels, parts=False)
    except Unresolved as error:
        raise CommandError(error.user_message, Exit.USAGE) from error
