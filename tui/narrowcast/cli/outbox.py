"""``narrowcast outbox``: lists unsent messages, retries or cancels them, and waits until they are sent."""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from narrowcast.cli.account_choice import chosen_account
from narrowcast.cli.outcome import CommandError, Exit, print_error
from narrowcast.cli.printing import as_json, say
from narrowcast.cli.records import OutboxRecord
from narrowcast.cli.unsent import send_within, session_of, unsent
from narrowcast.terminal.paths import Paths
from narrowcast.text import names
from narrowcast.text.safe_text import safe_block, safe_line
from narrowcast.text.unsent import resend_refusal
from narrowcast_api.storage.records import OutboxState

if TYPE_CHECKING:
    from narrowcast_api.account import Account
    from narrowcast_api.protocols.outbox_item import OutboxEntry
    from narrowcast_api.sync.session import Session


def run(args: argparse.Namespace) -> int:
    """Runs the action in ``args.action``, then waits if asked to."""
    return asyncio.run(_run(chosen_account(args), args))


async def _run(account: Account, args: argparse.Namespace) -> Exit:
    paths, changed = Paths.of_user(), Exit.DONE
    if args.action != "list" or args.wait is None:
        async with session_of(account, paths, "command") as session:
            if args.action == "list":
                _list(session, json=args.json)
            else:
                changed = await _change(session, args.action, args.ids)
    return changed if args.wait is None else await _wait(account, paths, args.wait) or changed


def _list(session: Session, *, json: bool) -> None:
    for entry in session.outbox.unsent():
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


async def _change(session: Session, action: str, ids: Sequence[str]) -> Exit:
    """Retries or cancels messages, all if one of ``ids`` is "all". Failed if that was not possible for each
    of them.
    """
    if session.read_only:
        raise CommandError(session.warnings[0])
    waiting = session.outbox.unsent()
    if not ids:
        raise CommandError(f"no messages given; use: narrowcast outbox {action} ID, or all", Exit.USAGE)
    problems: list[str] = []
    for wanted in ids:
        found = [entry for entry in waiting if entry.local_id.startswith(wanted)]
        if wanted == "all":
            found = [entry for entry in waiting if action == "cancel" or entry.state is OutboxState.FAILED]
        if wanted != "all" and len(found) != 1:
            how_many = "more than one message has an id" if found else "no message has an id"
            raise CommandError(f"{how_many} that begins with {wanted!r}", Exit.USAGE)
        change = _retry if action == "retry" else _cancel
        problems += [problem for entry in found if (problem := await change(session, entry))]
    for problem in problems:
        print_error(problem)
    return Exit.FAILED if problems else Exit.DONE


async def _retry(session: Session, entry: OutboxEntry) -> str:
    """Sends a failed message again; returns what prevents it."""
    if refusal := resend_refusal(entry):
        return f"{entry.local_id}: {refusal}"
    if not await session.outbox.claim(entry.local_id):
        return f"{entry.local_id} is already being sent"
    session.outbox.retry(entry.local_id)
    return ""


async def _cancel(session: Session, entry: OutboxEntry) -> str:
    """Prints the text of a message and cancels it; returns what prevents it."""
    if await session.outbox.claim(entry.local_id):
        say(safe_block(entry.content))
        sys.stdout.flush()  # if that fails, as on a full disk, the message stays
        if session.outbox.cancel(entry.local_id) is not None:
            return ""
    return f"{entry.local_id} is already being sent"


async def _wait(account: Account, paths: Paths, seconds: float) -> Exit:
    """Sends until nothing is waiting. Returns done, failed if a message was rejected, or unreachable if time
    is up.
    """
    if left := await send_within(account, paths, seconds):
        print_error(f"{left} still waiting to be sent; they will be sent the next time Narrowcast runs")
        return Exit.UNREACHABLE
    failed = unsent(account, paths)
    for record in failed:
        print_error(f"{record.local_id}: {safe_line(record.error or 'not sent')}")
    return Exit.FAILED if failed else Exit.DONE
