"""Notifications of messages that arrive unseen, and the title of the terminal's window.

`narrowcast_api.protocols.notifications` decides which messages cause a notification; this module decides
whether the user sees them anyway, and how to notify. There is a short delay first, in which a message may be
read here or on another device.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from functools import partial
from typing import Protocol

from textual.app import App

from narrowcast.config.config import Notifications
from narrowcast.runtime.looking import LOOKING
from narrowcast.terminal.driver import TerminalDriver
from narrowcast.terminal.notifications import (
    BELL,
    CommandRunner,
    Popup,
    can_have_title,
    choose,
    command_values,
    popup_sequence,
)
from narrowcast.terminal.textual_reads import driver_of
from narrowcast.text.formats import at_least, has_long_clock, time_within
from narrowcast_api.model.messages import Message
from narrowcast_api.protocols.notifications import (
    Notice,
    QuietHours,
    is_quiet,
    notice_of,
    summary_of,
    unread_badge,
)
from narrowcast_api.state.state import State
from narrowcast_api.sync.arrivals import Arrivals
from narrowcast_api.sync.session import Session

log = logging.getLogger(__name__)

__all__ = ["GRACE", "Notifier", "Output", "Sight", "WindowTitle", "begin", "title_of"]

GRACE = 0.7
"""Seconds for which a notification is delayed, in which the message may be read."""
MAX_AT_ONCE = 3
"""Maximum number of separate notifications at once; more are combined into one."""


class Sight(Protocol):
    """What the user sees of the app."""

    def focused(self) -> bool | None:
        """Whether the terminal has the focus; None if it has not reported it yet."""

    def in_view(self) -> Collection[int]:
        """The ids of the messages on the screen."""

    def left_in_view(self) -> Collection[int]:
        """The ids of the messages that were on the screen when the terminal last lost the focus."""


class Output(Protocol):
    """Output to the terminal."""

    def write(self, sequence: str) -> None:
        """Writes an escape sequence for a notification."""


class Notifier:
    """Watches one session. `popup` is the kind of pop-up sequence, `passthrough` the environment if a
    multiplexer has to pass it through.

    `label` returns the name of the account if there are several, else an empty text.
    """

    def __init__(
        self,
        session: Session,
        config: Notifications,
        sight: Sight,
        output: Output,
        *,
        popup: Popup,
        passthrough: dict[str, str] | None = None,
        local_time: Callable[[], datetime] = datetime.now,
        label: Callable[[], str] = str,
    ) -> None:
        self._session = session
        self._config = config
        self._sight = sight
        self._output = output
        self._popup = popup
        self._passthrough = passthrough
        self._local_time = local_time
        self._quiet = tuple(QuietHours.parse(text) for text in config.quiet)
        self._command = CommandRunner(config.command)
        self._label = label
        self._number = 0
        self._last_key = session.clock.monotonic()
        self._arrivals = Arrivals(session, GRACE, self._tell)

    def key_pressed(self) -> None:
        """Records that the user is at the terminal."""
        self._last_key = self._session.clock.monotonic()

    async def close(self) -> None:
        self._arrivals.close()
        await self._command.close()

    # arriving messages

    def _tell(self, messages: Sequence[Message]) -> None:
        notices = self._unseen(messages)
        if not notices or is_quiet(self._quiet, self._local_time()):
            return
        if self._config.sound == "bell" and any(notice.sound for notice in notices):
            self._output.write(BELL)
        popping = [notice for notice in notices if notice.popup]
        if len(popping) > MAX_AT_ONCE:
            title, body = summary_of(popping)
            self._pop_up(title, body, popping[-1], len(popping))
            return
        for notice in popping:
            self._pop_up(notice.title, notice.body, notice, 1)

    def _unseen(self, messages: Sequence[Message]) -> list[Notice]:
        state = self._session.state
        looking = self._is_looking()
        # Seen here, even if the server does not know it yet.
        seen = {*self._session.read_marks.pending, *self._sight.left_in_view()}
        if looking:
            seen.update(self._sight.in_view())
        when = partial(time_within, now=self._session.clock.now(), long=has_long_clock(state))
        notices = []
        for message in messages:
            if message.id in seen or (looking and message.is_read):
                continue
            if (notice := notice_of(message, state, when)) is not None:
                notices.append(notice)
        return notices

    def _is_looking(self) -> bool:
        focused = self._sight.focused()
        if focused is not None:
            return focused
        return self._session.clock.monotonic() - self._last_key < LOOKING

    def _pop_up(self, title: str, body: str, notice: Notice, count: int) -> None:
        self._number += 1
        if label := self._label():
            title = f"{title} ({label})"
        sequence = popup_sequence(
            self._popup, title, body, number=self._number, passthrough=self._passthrough
        )
        if sequence:
            self._output.write(sequence)
        self._command.start(command_values(notice, title=title, body=body, count=count))


class AppSight:
    """What the user sees of the app. Terminals report the focus only when it changes: until then it is unknown."""

    def __init__(self, app: App[int], in_view: Callable[[], Collection[int]]) -> None:
        self._app = app
        self.in_view = in_view
        self._reported = False
        self._left: frozenset[int] = frozenset()
        app.watch(app, "app_focus", self._focus_changed, init=False)

    def _focus_changed(self) -> None:
        self._reported = True
        if not self._app.app_focus:
            self._left = frozenset(self.in_view())

    def left_in_view(self) -> Collection[int]:
        """The ids of the messages that were on the screen when the terminal lost the focus."""
        return self._left

    def focused(self) -> bool | None:
        """Whether the terminal has the focus; None if it has not reported it yet."""
        return self._app.app_focus if self._reported else None


class NoticeWriter:
    """Writes to the terminal directly, not through Textual."""

    def __init__(self, driver: TerminalDriver) -> None:
        self._driver = driver

    def write(self, sequence: str) -> None:
        """Writes an escape sequence for a notification."""
        self._driver.write_notice(sequence)


def title_of(app: App[int], states: Callable[[], Sequence[State]]) -> WindowTitle | None:
    """The title of the terminal's window for these accounts; None if the terminal does not support titles."""
    driver = driver_of(app)
    if not isinstance(driver, TerminalDriver) or not can_have_title(os.environ):
        return None
    return WindowTitle(states, driver.set_title)


def begin(
    app: App[int],
    session: Session,
    config: Notifications,
    in_view: Callable[[], Collection[int]],
    label: Callable[[], str],
) -> Notifier | None:
    """The notifier of an open account; None if there is no terminal.

    `in_view` returns the ids of the messages on the screen that no dialog covers; `label` the name of the
    account.
    """
    driver = driver_of(app)
    if not isinstance(driver, TerminalDriver):
        return None
    return Notifier(
        session,
        config,
        AppSight(app, in_view),
        NoticeWriter(driver),
        popup=choose(config.popup, os.environ, passthrough=config.passthrough).way,
        passthrough=dict(os.environ) if config.passthrough else None,
        label=label,
    )


class WindowTitle:
    """`states` returns the states of the accounts, the one on screen first; `show` sets the title."""

    def __init__(self, states: Callable[[], Sequence[State]], show: Callable[[str], None]) -> None:
        self._states = states
        self._show = show
        self._title = ""

    def refresh(self) -> None:
        """Sets the title if it changed."""
        states = self._states()
        if not states:
            return
        badges = [unread_badge(state) for state in states]
        unread, mentions = sum(count for count, _ in badges), sum(count for _, count in badges)
        more = any(
            count and state.unreads.old_missing for state, (count, _) in zip(states, badges, strict=True)
        )
        parts = [at_least(unread, more=more)] if unread else []
        parts += [f"@{mentions}"] if mentions else []
        name = states[0].organization.text("name") or "Narrowcast"
        title = f"({' '.join(parts)}) {name}" if parts else name
        if title != self._title:
            self._title = title
            self._show(title)
