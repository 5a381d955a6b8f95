"""Quitting: signals, questions about unsent texts, and a shutdown that saves them and is limited in time."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import App

from narrowcast.app.open_accounts import CLOSE_SECONDS, OpenAccounts
from narrowcast.runtime.context import app_of, in_app
from narrowcast.screens.dialogs.confirm import NO, YES, Answer, ConfirmScreen
from narrowcast.terminal.signal_handler import SignalHandler
from narrowcast.terminal.textual_reads import driver_of
from narrowcast_api.storage.records import OutboxState

if TYPE_CHECKING:
    from narrowcast_api.sync.session import Session

log = logging.getLogger(__name__)

__all__ = ["Shutdown", "ask", "ask_unsaved", "send_in_background", "unsaved", "waiting"]

QUIT_AGAIN = 5.0
"""Seconds within which a second quit command quits at once."""


class Shutdown:
    """``keep_screen`` saves the screen for the next start; ``stop`` stops what else was started."""

    def __init__(
        self,
        app: App[int],
        accounts: OpenAccounts,
        keep_screen: Callable[[], None],
        stop: Callable[[], Awaitable[None]],
    ) -> None:
        self._app = app
        self._accounts = accounts
        self._keep_screen = keep_screen
        self._stop = stop
        self._signals: SignalHandler | None = None
        self._under_way = False
        self._asked = False

    # signals

    def take_signals(self, repaint: Callable[[], None]) -> None:
        """Handles signals and the loss of the terminal. ``repaint``: called if another program wrote to the
        terminal.
        """
        if self._app.is_headless:
            return
        self._signals = SignalHandler(in_app(self.begin))
        self._signals.start()
        self._signals.watch(driver_of(self._app), self._is_going, repaint)

    def leave_signals(self) -> None:
        """Restores the previous signal handlers."""
        if self._signals is not None:
            self._signals.stop()

    def _is_going(self) -> bool:
        return self._under_way or (self._signals is not None and self._signals.is_leaving)

    # quitting

    def ask(self) -> None:
        """Quits; if texts would be lost, or messages are waiting to be sent, first asks what to do with them."""
        sessions = [account.session for account in self._accounts.live()]
        asked = None
        if not self._asked:
            if count := sum(map(unsaved, sessions)):
                asked = ask_unsaved(count, self._chosen)
            elif count := sum(map(waiting, sessions)):
                asked = ask(count, self._chosen)
        if asked is None:
            self.begin()
            return
        self._asked = True
        self._app.push_screen(*asked)
        self._app.set_timer(QUIT_AGAIN, self._forget_question)

    def _chosen(self, send_later: bool) -> None:
        self.begin(send_later=send_later)

    def _forget_question(self) -> None:
        self._asked = False

    def begin(self, code: int = 0, *, send_later: bool = False) -> None:
        """Quits in the background. ``send_later``: a separate process sends the messages that are waiting."""
        app_of(self._app).spawn(self.leave(code, send_later=send_later), "leave")

    def _files_with_unsent(self) -> list[Path]:

        return [account.file for account in self._accounts.live() if waiting(account.session)]

    async def leave(self, code: int = 0, *, send_later: bool = False) -> None:
        """Saves the draft, closes the sessions within a time limit, and gives back the terminal."""
        if self._under_way:
            return
        self._under_way = True
        program = app_of(self._app).external_program
        if program is not None:  # an editor has the terminal: it has to give it back first
            program.terminate()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(asyncio.shield(program.wait()), CLOSE_SECONDS)
        left = self._files_with_unsent() if send_later else []
        if self._app.screen is self._accounts.screen:
            self._keep_screen()
        await self._accounts.close()
        for file in left:
            try:
                send_in_background(file.absolute())
            except OSError as error:
                log.warning("nothing is sent in the background: %s", error)
        try:
            await self._stop()
        except Exception:
            log.exception("what was started for this app did not stop")
        self._app.exit(code)


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


Asked = tuple[ConfirmScreen[str], Callable[[str | None], None]]
"""A question and the handler of its answer."""


def ask_unsaved(count: int, leave: Callable[[bool], None]) -> Asked:
    """As `ask`, about texts that cannot be saved."""
    what = "1 draft is not saved" if count == 1 else f"{count} drafts are not saved"
    answers = [Answer("stay", "Stay", NO), Answer("quit", "Quit and lose the text", YES)]
    effect = "Neither the disk nor the server has what was written: quitting loses it."
    return _question(f"{what}. Quit?", answers, effect, leave)


def ask(count: int, leave: Callable[[bool], None]) -> Asked:
    """Asks whether to quit, and whether then to send in the background, with which ``leave`` is called."""
    what = "A message is" if count == 1 else f"{count} messages are"
    answers = [
        Answer("send", "Quit and send", YES),
        Answer("quit", "Quit only"),
        Answer("stay", "Stay", NO),
    ]
    effect = "Sending goes on in the background when the server responds, or when Narrowcast runs next."
    return _question(f"{what} not sent yet. Quit?", answers, effect, leave)


def _question(text: str, answers: Sequence[Answer[str]], effect: str, leave: Callable[[bool], None]) -> Asked:
    def chosen(answer: str | None) -> None:
        if answer in ("send", "quit"):
            leave(answer == "send")

    return ConfirmScreen(text, answers, effect=effect), chosen


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
