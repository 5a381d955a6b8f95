"""``narrowcast search``: on the server, or in what this machine has seen."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from narrowcast.cli import read
from narrowcast.cli.account_choice import chosen_account
from narrowcast.cli.directory import parse_narrow
from narrowcast.cli.outcome import Exit, complain
from narrowcast.cli.printing import as_json, say
from narrowcast.cli.records import MatchRecord
from narrowcast.terminal.paths import Paths
from narrowcast.text.safe_text import safe_line

if TYPE_CHECKING:
    from narrowcast_api.account import Account


def run(args: argparse.Namespace) -> int:
    """Print what matches, oldest first."""
    account = chosen_account(args)
    if args.local:
        return _local(account, " ".join(args.narrow), args.limit, json=args.json)
    return read.show(account, parse_narrow(args.narrow), args.limit, json=args.json)


def _local(account: Account, text: str, limit: int, *, json: bool) -> int:
    """Search the cache; no network."""
    from narrowcast_api.storage.account_storage import AccountStorage
    from narrowcast_api.storage.executors import inline

    paths = Paths.of_user()
    storage = AccountStorage.open(paths.data, paths.cache, account.site, account.email, executor=inline)
    try:
        hits = storage.cache.search(text, limit)
        messages = {
            message.id: message for message in storage.cache.load_messages([hit.message_id for hit in hits])
        }
    finally:
        storage.close()
    for hit in reversed(hits):
        message = messages.get(hit.message_id)
        sender = message.sender_name if message is not None else ""
        if json:
            say(as_json(MatchRecord(hit.message_id, sender, hit.snippet)))
        else:
            say(f"{hit.message_id}  {safe_line(sender)}: {safe_line(hit.snippet)}")
    if not hits:
        complain("nothing that this machine has seen matches; without --local the server is asked")
    return Exit.DONE
