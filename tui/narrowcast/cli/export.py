"""``narrowcast export``: writes messages to a file."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys

from narrowcast.cli.account_choice import chosen_account
from narrowcast.cli.directory import parse_narrow
from narrowcast.cli.outcome import CommandError, Exit
from narrowcast.cli.printing import as_json, as_markdown, as_record, as_text
from narrowcast.cli.progress import Progress
from narrowcast.cli.read import newest
from narrowcast.text.formats import counted
from narrowcast_api.storage.folders import expand_home


def run(args: argparse.Namespace) -> int:
    """Writes the newest messages of a narrow, oldest first; an existing file is never overwritten."""
    account = chosen_account(args)
    target = expand_home(args.output) if args.output else None
    if target is not None and target.exists():
        raise CommandError(f"{target} already exists; choose another name", Exit.USAGE)
    if target is not None and not target.parent.is_dir():
        raise CommandError(f"{target.parent}: no such folder", Exit.USAGE)
    progress = Progress("Exporting", quiet=False)
    try:
        messages = asyncio.run(
            newest(
                account,
                parse_narrow(args.narrow),
                args.limit,
                named=args.format != "jsonl",
                fetched=lambda count: progress.count(count, "messages"),
            )
        )
    finally:
        progress.end()
    write = {
        "jsonl": lambda message: as_json(as_record(message)) + "\n",
        "markdown": lambda message: as_markdown(message) + "\n",
        "text": as_text,
    }[args.format]
    text = "".join(write(message) for message in messages)
    if target is None:
        sys.stdout.write(text)
        return Exit.DONE
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    sys.stderr.write(f"{counted(len(messages), 'message')} written to {target}\n")
    return Exit.DONE
