"""Quitting while messages wait to be sent, or texts to be saved: the questions to the user, and the process that
sends messages afterwards.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from narrowcast.screens.dialogs.picker import Choice, Picker
from narrowcast_api.storage.records import OutboxState

if TYPE_CHECKING:
    from narrowcast_api.sync.session import Session

__all__ = ["ask", "ask_unsaved", "send_in_background", "unsaved", "waiting"]

MAX_SECONDS = 86_400
"""Seconds for which the process tries."""
ON_ITS_WAY = 5.0
"""Seconds for which sending a message on a live connection counts as normal."""
_DONE = (OutboxState.SENT, OutboxState.FAILED)


def waiting(session: Session) -> int:
    """Number of an account's pending messages that would be sent without user action; on a live connection,
    messages sent in the last few seconds are not counted.
    """
    if session.read_only:
        return 0
    since = session.clock.now() - ON_ITS_WAY if session.is_live else float("inf")
    entries = session.outbox.entries()
    return sum(entry.state not in _DONE and entry.created < since for entry in entries)


def unsaved(session: Session) -> int:
    """Number of an account's texts that quitting would lose: neither the disk nor the server has them."""
    session.drafts.queue_writes()
    refused = session.storage.journal.refused()
    drafts = sum(not draft.synced and ("drafts", draft.draft_id) in refused for draft in session.drafts.all())
    return drafts + sum(table in ("outbox", "edits") for table, _ in refused)


def ask_unsaved(
    count: int, leave: Callable[[bool], None]
) -> tuple[Picker[str], Callable[[str | None], None]]:
    """As `ask`, about texts that cannot be saved."""
    what = "1 draft is not saved" if count == 1 else f"{count} drafts are not saved"
    return _question(
        what, [Choice("stay", "Stay"), Choice("quit", "Quit, and lose what is not saved")], leave
    )


def ask(count: int, leave: Callable[[bool], None]) -> tuple[Picker[str], Callable[[str | None], None]]:
    """The question and the handler of its answer, which calls ``leave`` with whether to send in the background."""
    what = "A message is" if count == 1 else f"{count} messages are"
    choices = [
        Choice("send", "Quit, and send in the background when the server responds"),
        Choice("quit", "Quit; send when Narrowcast runs next"),
        Choice("stay", "Stay"),
    ]
    return _question(f"{what} not sent yet", choices, leave)


def _question(
    title: str, choices: list[Choice[str]], leave: Callable[[bool], None]
) -> tuple[Picker[str], Callable[[str | None], None]]:
    def chosen(answer: str | None) -> None:
        if answer in ("send", "quit"):
            leave(answer == "send")

    return Picker(title, choices), chosen


def send_in_background(account_file: Path) -> None:
    """Starts the process, detached from this terminal: it ends when all is sent, or after a day. Raises OSError."""
    nowhere = subprocess.DEVNULL
    subprocess.Popen(  # noqa: S603 - this program itself
        [sys.executable, "-m", "narrowcast", "outbox", "--rc", str(account_file), "--wait", str(MAX_SECONDS)],
        stdin=nowhere,
        stdout=nowhere,
        stderr=nowhere,
        cwd=os.sep,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        start_new_session=True,
    )
