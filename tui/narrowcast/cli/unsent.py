"""What an app has left unsent, sent by somebody else: only where something waits, and where no app is open."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from narrowcast.terminal.paths import Paths

if TYPE_CHECKING:
    from narrowcast_api.account import Account
    from narrowcast_api.sync.session import Session

__all__ = ["WAITS", "counted", "send_unsent", "until_sent"]

PATIENCE = 60.0
"""Seconds for which the account is held at most."""
WAITS = frozenset({"waiting", "sending", "unconfirmed"})


def counted(account: Account, paths: Paths) -> tuple[int, int]:
    """How many messages of an account wait and how many have failed; looks without holding it, and makes no files."""
    from narrowcast_api.storage.executors import inline
    from narrowcast_api.storage.folders import account_folder_name
    from narrowcast_api.storage.journal import Journal

    path = paths.data / account_folder_name(account.site, account.email) / "journal.db"
    if not path.exists():
        return 0, 0
    journal = Journal.open(path, read_only=True, executor=inline)
    try:
        states = [record.state.value for record in journal.load_outbox()]
    finally:
        journal.close()
    return sum(state in WAITS for state in states), states.count("failed")


async def until_sent(session: Session, seconds: float) -> int:
    """Run a session until nothing waits in its outbox; how many wait still when time is up."""
    moved = asyncio.Event()
    unsubscribe = session.subscribe(lambda _: moved.set())
    work = asyncio.ensure_future(session.run())
    try:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while _waiting(session):
                    moved.clear()
                    await moved.wait()
    finally:
        unsubscribe()
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)
    return _waiting(session)


def _waiting(session: Session) -> int:
    return sum(entry.state.value in WAITS for entry in session.outbox.entries())


async def send_unsent(account: Account, paths: Paths) -> tuple[int, int]:
    """Send what waits. How many are out now and how many were refused; (0, 0) while an app has the account."""
    from narrowcast_api.sync.session import Session

    waited, failed_before = await asyncio.to_thread(counted, account, paths)
    if not waited:
        return 0, 0
    session = await Session.open(account, data_dir=paths.data, cache_dir=paths.cache, present=False)
    try:
        if session.read_only:
            return 0, 0
        left = await until_sent(session, PATIENCE)
        failed = sum(entry.state.value == "failed" for entry in session.outbox.entries()) - failed_before
        return max(0, waited - left - failed), max(0, failed)
    finally:
        await session.close()
