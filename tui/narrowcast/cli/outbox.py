"""``narrowcast outbox``: lists unsent messages, retries or cancels them, and waits until they are sent."""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from narrowcast.cli.account_choice import chosen_account
from narrowcast.cli.outcome import CommandError, Exit, print_error
from narrowcast.cli.printing import as_json, say
from narrowcast.cli.records import OutboxRecord
from narrowcast.cli.unsent import send_within, unsent
from narrowcast.terminal.paths import Paths
from narrowcast.text import names
from narrowcast.text.safe_text import safe_block, safe_line
from narrowcast_api.sync.session import Session

if TYPE_CHECKING:
    from narrowcast_api.account import Account
    from narrowcast_api.protocols.outbox_item import OutboxEntry


def run(args: argparse.Namespace) -> int:
    """Run the action in ``args.action``, then wait if asked to."""
    return asyncio.run(_run(chosen_account(args), args))


async def _run(account: Account, args: argparse.Namespace) -> Exit:
    paths = Paths.of_user()
    if args.action != "list" or args.wait is None:
        session = await Session.open(
            account, data_dir=paths.data, cache_dir=paths.cache, present=False, kind="command"
        )
        try:
            if args.action == "list":
                _list(session, json=args.json)
            else:
                await _change(session, args.action, args.ids)
        finally:
            await session.close()
    return Exit.DONE if args.wait is None else await _wait(account, paths, args.wait)


def _unsent(session: Session) -> list[OutboxEntry]:
    return [entry for entry in session.outbox.entries() if entry.state.value != "sent"]


def _list(session: Session, *, json: bool) -> None:
    for entry in _unsent(session):
        where = names.destination(session.state, entry.destination)
        if json:
            say(
                as_json(
                    OutboxRecord(
                        entry.local_id, entry.state.value, entry.created, where, entry.content, entry.error
                    )
                )
            )
            continue
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(entry.created))
        say(f"{entry.local_id}  {entry.state.value}  {when}  {safe_line(where)}")
        if entry.error:
            say(f"    {safe_line(entry.error)}")
        say("\n".join(f"    {line}" for line in safe_block(entry.content).split("\n")))


async def _change(session: Session, action: str, ids: Sequence[str]) -> None:
    if session.read_only:
        raise CommandError(session.warnings[0])
    waiting = _unsent(session)
    if not ids:
        raise CommandError(f"no messages given; use: narrowcast outbox {action} ID, or all", Exit.USAGE)
    for wanted in ids:
        found = [entry for entry in waiting if wanted == "all" or entry.local_id.startswith(wanted)]
        if wanted != "all" and len(found) != 1:
            how_many = "more than one message has an id" if found else "no message has an id"
            raise CommandError(f"{how_many} that begins with {wanted!r}", Exit.USAGE)
        for entry in found:
            if not await session.outbox.claim(entry.local_id):
                print_error(f"{entry.local_id} is already being sent")
            elif action == "retry":
                session.outbox.retry(entry.local_id)
            elif session.outbox.cancel(entry.local_id) is None:
                print_error(f"{entry.local_id} is already being sent")
            else:
                say(safe_block(entry.content))  # so that the canceled text is not lost


async def _wait(account: Account, paths: Paths, seconds: float) -> Exit:
    """Send until nothing is waiting. Returns done, failed if a message was rejected, or unreachable if time is up."""
    if left := await send_within(account, paths, seconds):
        print_error(f"{left} still waiting to be sent; they will be sent the next time Narrowcast runs")
        return Exit.UNREACHABLE
    failed = unsent(account, paths)
    for record in failed:
        print_error(f"{record.local_id}: {safe_line(record.error or 'not sent')}")
    return Exit.FAILED if failed else Exit.DONE
