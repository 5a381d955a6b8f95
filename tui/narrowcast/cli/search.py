"""``narrowcast search``: searches messages on the server, or in the local cache."""

from __future__ import annotations

import argparse

from narrowcast.cli import read
from narrowcast.cli.account_choice import chosen_account
from narrowcast.cli.directory import parse_narrow
from narrowcast.cli.outcome import CommandError, Exit


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
    from narrowcast.cli.search_local import search_local

    return search_local(account, narrow, args.limit, json=args.json)
