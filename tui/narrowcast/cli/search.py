"""``narrowcast search``: searches messages on the server, or in the local cache."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from narrowcast.cli import read
from narrowcast.cli.account_choice import chosen_account
from narrowcast.cli.directory import parse_narrow
from narrowcast.cli.outcome import CommandError, Exit, print_error
from narrowcast.cli.printing import as_json, say
from narrowcast.cli.records import MatchRecord
from narrowcast.terminal.paths import Paths
from narrowcast.text.formats import has_long_clock, with_local_times
from narrowcast.text.safe_text import safe_line
from narrowcast_api.clock import SystemClock
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.narrow.resolve import Unresolved, resolve
from narrowcast_api.storage.account_storage import AccountStorage
from narrowcast_api.storage.executors import inline
from narrowcast_api.sync.local_search import search_cache
from narrowcast_api.sync.startup_cache import load_state

if TYPE_CHECKING:
    from narrowcast_api.account import Account


def run(args: argparse.Namespace) -> int:
    """Prints the matching messages, oldest first."""
    if not args.narrow:
        raise CommandError(
            "the following arguments are required: TERM\nsee: narrowcast search --help", Exit.USAGE
        )
    account = chosen_account(args)
    narrow = parse_narrow(args.narrow)
    if not args.local:
        return read.show(account, narrow, args.limit, json=args.json)
    return search_local(account, narrow, args.limit, json=args.json)


def search_local(account: Account, narrow: Narrow, limit: int, *, json: bool) -> int:
    """Prints the matching messages of the cache, oldest first."""
    paths = Paths.of_user()
    storage = AccountStorage.open(
        paths.data, paths.cache, account.site, account.email, kind="command", executor=inline
    )
    for warning in storage.warnings:
        print_error(warning)
    try:
        state = load_state(storage.cache, SystemClock())
        resolved = resolve(narrow, state.users, state.channels, state.me, parts=False)
        result = search_cache(storage.cache, resolved, state, limit)
    except Unresolved as error:
        raise CommandError(f"{error.user_message} (in the cache)", Exit.USAGE) from error
    finally:
        storage.close()
    now = SystemClock().now()
    for hit in reversed(result.hits):
        message = hit.message
        if json:
            say(as_json(MatchRecord(message.id, message.sender_name, hit.snippet)))
        else:
            said = with_local_times(hit.snippet, message.content, now, long=has_long_clock(state))
            say(f"{message.id}  {safe_line(message.sender_name)}: {safe_line(said)}")
    if result.unevaluated:
        left_out = " ".join(f"{term.operator}:{term.operand}" for term in result.unevaluated)
        print_error(f"ignored, since only the server can evaluate it: {safe_line(left_out)}")
    if not result.hits:
        print_error("no cached messages match; omit --local to search the server")
    return Exit.DONE
