"""What an app has left unsent, sent by somebody else: only where something waits, and where no app is open."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from narrowcast.terminal.paths import Paths

if TYPE_CHECKING:
    from narrowcast_api.storage.lock import AccountLock

    from narrowcast_api.account import Account
    from narrowcast_api.storage.records import OutboxRecord
    from narrowcast_api.sync.session import Session

__all__ = ["WAITS", "counted", "send_unsent", "send_within", "sender_lock", "unsent"]

PATIENCE = 60.0
"""Seconds for which the account is held at most."""
LOOK_EVERY = 2.0
"""Seconds between two tries to reach the server, and between two looks while an app has the account."""
WAITS = frozenset({"waiting", "sending", "unconfirmed"})


def unsent(account: Account, paths: Paths) -> list[OutboxRecord]:
    """What the journal of an account holds that is not sent; looks without holding the account, and makes no files."""
    from narrowcast_api.storage.executors import inline
    from narrowcast_api.storage.journal import Journal

    path = _folder(account, paths) / "journal.db"
    if not path.exists():
        return []
    journal = Journal.open(path, read_only=True, executor=inline)
    try:
        return [record for record in journal.load_outbox() if record.state.value in {*WAITS, "failed"}]
    finally:
        journal.close()


def counted(account: Account, paths: Paths) -> tuple[int, int]:
    """How many messages of an account wait and how many have failed."""
    states = [record.state.value for record in unsent(account, paths)]
    return sum(state in WAITS for state in states), states.count("failed")


def sender_lock(account: Account, paths: Paths) -> AccountLock | None:
    """Who sends what waits for this account, one process at a time; None where nothing was ever written."""
    from narrowcast_api.storage.lock import AccountLock

    folder = _folder(account, paths)
    return AccountLock.acquire(folder / "sender.lock") if folder.is_dir() else None


def _folder(account: Account, paths: Paths) -> Path:
    from narrowcast_api.storage.folders import account_folder_name

    return paths.data / account_folder_name(account.site, account.email)


async def send_within(account: Account, paths: Paths, seconds: float) -> int:
    """Send what waits as soon as the server answers, for so many seconds at most; how many wait still.

    The account is held only while something is sent: an app can be opened meanwhile, and one that is open sends itself.
    """
    lock = await asyncio.to_thread(sender_lock, account, paths)
    try:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while (await asyncio.to_thread(counted, account, paths))[0]:
                    if lock is not None and lock.held and await _answers(account):
                        await send_unsent(account, paths)
                    else:
                        await asyncio.sleep(LOOK_EVERY)
    finally:
        if lock is not None:
            lock.release()
    return (await asyncio.to_thread(counted, account, paths))[0]


async def _answers(account: Account) -> bool:
    """Whether the server of an account can be reached."""
    from narrowcast_api.errors import NarrowcastError
    from narrowcast_api.http.connection import Connection

    try:
        async with Connection(account) as connection:
            await connection.identify()
    except NarrowcastError:
        return False
    return True


async def _until_sent(session: Session, seconds: float) -> int:
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
            await asyncio.sleep(LOOK_EVERY)  # the app that has it sends by itself
            return 0, 0
        left = await _until_sent(session, PATIENCE)
        failed = sum(entry.state.value == "failed" for entry in session.outbox.entries()) - failed_before
        return max(0, waited - left - failed), max(0, failed)
    finally:
        await session.close()
