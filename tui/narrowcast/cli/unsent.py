"""Unsent messages of windows that have ended, sent by a window without a screen."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from narrowcast.cli.outcome import print_error
from narrowcast.terminal.paths import Paths
from narrowcast_api.storage.executors import inline
from narrowcast_api.storage.folders import account_folder_name
from narrowcast_api.storage.journal import Journal
from narrowcast_api.storage.windows import living_windows
from narrowcast_api.sync.session import Session

if TYPE_CHECKING:
    from narrowcast_api.account import Account
    from narrowcast_api.storage.records import OutboxMessage
    from narrowcast_api.storage.windows import WindowRecord

__all__ = ["SENDER", "WAITS", "counted", "send_unsent", "send_within", "session_of", "unsent", "windows"]

SENDER = "sender"
"""The kind of a window that only sends waiting messages."""
PATIENCE = 60.0
"""Maximum seconds for which the watcher keeps such a window open."""
LOOK_EVERY = 2.0
"""Seconds between two checks while another process sends."""
WAITS = frozenset({"waiting", "sending", "unconfirmed"})


def unsent(account: Account, paths: Paths) -> list[OutboxMessage]:
    """The unsent messages in an account's journal, read without opening a window or creating files."""

    with _looked_at(account, paths) as journal:
        return [record for record in journal.load_outbox() if record.state.value in {*WAITS, "failed"}]


@contextmanager
def _looked_at(account: Account, paths: Paths) -> Iterator[Journal]:
    """The journal of an account, only for reading; empty if it has none, or if it is damaged, which is said."""
    path = _folder(account, paths) / "journal.db"
    why = "only looked at"
    with closing(Journal.open(path if path.exists() else None, read_only=why, executor=inline)) as journal:
        if journal.warning not in (None, why):
            print_error(f"{journal.warning} The next window sets it aside.")
        yield journal


@asynccontextmanager
async def session_of(account: Account, paths: Paths, kind: str) -> AsyncIterator[Session]:
    """A session of a command without a screen, closed at the end; says what is wrong with the account's files."""
    session = await Session.open(
        account, data_dir=paths.data, cache_dir=paths.cache, present=False, kind=kind
    )
    try:
        for warning in session.warnings:
            if warning != session.storage.journal.read_only:  # an error for those that write
                print_error(warning)
        yield session
    finally:
        await session.close()


def counted(account: Account, paths: Paths) -> tuple[int, int]:
    """The numbers of waiting and of failed messages of an account."""
    states = [record.state.value for record in unsent(account, paths)]
    return sum(state in WAITS for state in states), states.count("failed")


def windows(account: Account, paths: Paths) -> list[WindowRecord]:
    """The windows that have an account open."""

    return living_windows(_folder(account, paths))


def _left_behind(account: Account, paths: Paths) -> tuple[int, int]:
    """The number of waiting messages whose window has ended, and of other pending changes: flags, reactions, read
    marks, the end of a status.
    """
    living = {window.window_id for window in windows(account, paths)}
    with _looked_at(account, paths) as journal:
        messages = [record for record in journal.load_outbox() if record.state.value in WAITS]
        acts = [record for record in journal.load_acts() if record.owner not in living]
        marks = [] if living else journal.load_read_marks()
        end = None if living else journal.load_status_end()
    is_due = end is not None and end.at <= time.time()
    return sum(record.owner not in living for record in messages), len(acts) + len(marks) + is_due


def _has_sender(account: Account, paths: Paths) -> bool:
    return any(window.kind == SENDER for window in windows(account, paths))


def _folder(account: Account, paths: Paths) -> Path:
    return paths.data / account_folder_name(account.site, account.email)


async def send_within(account: Account, paths: Paths, seconds: float) -> int:
    """Sends waiting messages as soon as the server responds, for at most ``seconds``. Returns how many are
    still waiting.

    One process at a time does this for an account, the others wait for it. An open app sends its own
    messages.
    """

    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while (await asyncio.to_thread(counted, account, paths))[0] and (left := end - loop.time()) > 0:
        if await asyncio.to_thread(_has_sender, account, paths):
            await asyncio.sleep(min(left, LOOK_EVERY))
            continue
        async with session_of(account, paths, SENDER) as session:
            await _until_sent(session, left)
    return (await asyncio.to_thread(counted, account, paths))[0]


async def _until_sent(session: Session, seconds: float) -> int:
    """Runs a session until its outbox has nothing waiting. Returns how many are still waiting when time is up."""
    moved = asyncio.Event()
    unsubscribe = session.subscribe(lambda _: moved.set())
    work = asyncio.ensure_future(session.run())
    try:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await _nothing_waits(session, moved)
    finally:
        unsubscribe()
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)
    return _waiting(session)


async def _nothing_waits(session: Session, moved: asyncio.Event) -> None:
    """Waits until nothing is waiting to be sent; ``moved`` is set at each change of the session."""
    while not _is_done(session):
        moved.clear()
        with suppress(TimeoutError):  # confirmed read marks send no notification
            async with asyncio.timeout(LOOK_EVERY):
                await moved.wait()


def _waiting(session: Session) -> int:
    return sum(entry.state.value in WAITS for entry in session.outbox.entries())


def _is_done(session: Session) -> bool:
    return not (
        _waiting(session)
        or session.message_actions.waiting
        or session.read_marks.pending
        or session.status_end.is_due
    )


async def send_unsent(account: Account, paths: Paths) -> tuple[int, int]:
    """Sends what ended windows left unsent. Returns how many messages were sent and how many were rejected."""

    waited, others = await asyncio.to_thread(_left_behind, account, paths)
    if not waited and not others:
        return 0, 0
    _, failed_before = await asyncio.to_thread(counted, account, paths)
    async with session_of(account, paths, SENDER) as session:
        left = await _until_sent(session, PATIENCE)
        failed = sum(entry.state.value == "failed" for entry in session.outbox.entries()) - failed_before
        return max(0, waited - left - failed), max(0, failed)
