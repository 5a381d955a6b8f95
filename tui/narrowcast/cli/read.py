"""``narrowcast read``, and the paging that search and export share with it."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING

from narrowcast.cli.account_choice import chosen_account
from narrowcast.cli.directory import parse_narrow, wire_narrow
from narrowcast.cli.outcome import Exit, print_error
from narrowcast.cli.printing import as_json, as_record, as_text, say
from narrowcast_api.narrow.narrow import Narrow

if TYPE_CHECKING:
    from narrowcast_api.account import Account
    from narrowcast_api.client import Client
    from narrowcast_api.model.messages import FetchedMessage

PAGE = 1000


def run(args: argparse.Namespace) -> int:
    """Prints the newest messages of a narrow, oldest first. They are not marked as read."""
    account, narrow = chosen_account(args), parse_narrow(args.narrow)
    if not args.follow:
        return show(account, narrow, args.limit, json=args.json)
    from narrowcast.cli.follow import follow

    def tell(message: FetchedMessage) -> None:
        say(as_json(as_record(message)) if args.json else as_text(message))

    asyncio.run(follow(account, narrow, args.limit, tell, named=not args.json))
    return Exit.DONE


def show(account: Account, narrow: Narrow, limit: int, *, json: bool) -> int:
    """Fetches and prints messages; shared with search."""
    messages = asyncio.run(newest(account, narrow, limit, named=not json))
    for message in messages:
        say(as_json(as_record(message)) if json else as_text(message))
    if not messages:
        print_error("no messages match")
    return Exit.DONE


async def newest(
    account: Account,
    narrow: Narrow,
    limit: int,
    *,
    named: bool,
    fetched: Callable[[int], object] | None = None,
) -> list[FetchedMessage]:
    """The newest ``limit`` messages, oldest first; with a ``near`` term, those around that message.

    ``named``: the empty topic is shown by the organization's name for it. ``fetched`` is called with the number of
    messages after each page.
    """
    from narrowcast_api.client import Client

    async with Client.open(account) as client:
        near = next((term.operand for term in narrow.terms if term.operator == "near"), None)
        if isinstance(near, int):
            return await around(client, narrow, near, limit, named=named)
        pages: list[list[FetchedMessage]] = []
        async for page in backwards(client, narrow, limit, named=named):
            pages.append(page)
            if fetched is not None:
                fetched(sum(map(len, pages)))
    return [message for page in reversed(pages) for message in page]


async def around(
    client: Client, narrow: Narrow, message_id: int, limit: int, *, named: bool
) -> list[FetchedMessage]:
    """``limit`` messages (at most 2 pages) around a message, half of them older, oldest first."""
    wire = await wire_narrow(client, Narrow(tuple(term for term in narrow.terms if term.operator != "near")))
    older = min((limit - 1) // 2, PAGE)
    page = await client.messages.list(
        narrow=wire,
        anchor=message_id,
        num_before=older,
        num_after=min(limit - 1 - older, PAGE),
        apply_markdown=False,
        allow_empty_topic_name=not named,
    )
    return list(page.fetched)


async def backwards(
    client: Client, narrow: Narrow, limit: int, *, named: bool
) -> AsyncIterator[list[FetchedMessage]]:
    """Pages of messages with Markdown source, backwards from the newest; each page is oldest first; ``limit``
    messages in all.
    """
    wire = await wire_narrow(client, narrow)
    anchor: int | str = "newest"
    include = True
    while limit > 0:
        page = await client.messages.list(
            narrow=wire,
            anchor=anchor,
            num_before=min(limit, PAGE),  # some servers count the newest among these, some do not: cut below
            include_anchor=include,
            apply_markdown=False,
            allow_empty_topic_name=not named,
        )
        messages = list(page.fetched)[-limit:]
        if messages:
            yield messages
            limit -= len(messages)
            anchor, include = messages[0].message.id, False
        if page.found_oldest or not messages:
            return
