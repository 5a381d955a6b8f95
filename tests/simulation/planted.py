"""Faults that the app had, put back one at a time: histories of several machines must find each of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from unittest.mock import patch

from narrowcast.commands import editing
from narrowcast.panes.compose.pane import ComposePane
from narrowcast.panes.compose.session import ComposeSession
from narrowcast_api.protocols import on_screen
from narrowcast_api.protocols.on_screen import OnScreen
from narrowcast_api.state.mute_rules import MuteRules
from narrowcast_api.sync import feeds
from simulation.app_window import AppWindow
from simulation.machines import MachinesHistory
from simulation.running import run
from simulation.window import Window

if TYPE_CHECKING:
    from collections.abc import Iterator

    from narrowcast.screens.workspace import Workspace
    from narrowcast_api.storage.records import Edit

MOST_SEEDS = 200
"""Within so many seeds each fault is found."""


@dataclass(frozen=True)
class Fault:
    """`what` the user met; `sign` is in the report of a history that meets it, `seed` that of the first one."""

    what: str
    sign: str
    seed: int
    put_back: Callable[[], AbstractContextManager[object]]
    kind: type[Window] = AppWindow


def _stays_in_compose() -> AbstractContextManager[object]:
    """What is in compose stays when its draft is sent or deleted elsewhere."""

    def follow_draft(self: ComposeSession) -> bool:
        if not self.draft.is_gone() and (draft := self.draft.changed_elsewhere()) is not None:
            self.show_draft(draft)
        return False

    return patch.object(ComposeSession, "follow_draft", follow_draft)


def _is_not_offered() -> AbstractContextManager[object]:
    """A draft that is begun elsewhere does not appear in compose."""
    return patch.object(ComposeSession, "_take_new_draft", lambda self: None)


@contextmanager
def _overwrites() -> Iterator[None]:
    """An edit is saved without a look at what the message has become."""

    async def overwrites(screen: Workspace, edit: Edit) -> bool:
        await screen.session.client.messages.edit(message_id=edit.message_id, content=edit.content)
        return False

    with (
        patch.object(editing, "_overwrites", overwrites),
        patch.object(ComposePane, "messages_changed", lambda self, ids: None),
    ):
        yield


@contextmanager
def _counts_what_was_passed() -> Iterator[None]:
    """All messages between two positions of the list count as seen, at once."""
    show = OnScreen.show

    def filled(self: OnScreen, pane: Hashable, ids: Collection[int], now: float) -> None:
        both = [*self._since.get(pane, ()), *ids]
        show(self, pane, range(min(both), max(both) + 1) if ids else (), now)

    with patch.object(OnScreen, "show", filled), patch.object(on_screen, "MOMENT", 0.0):
        yield


def _counts_what_is_archived() -> AbstractContextManager[object]:
    """Unread messages of archived channels count."""
    return patch.object(MuteRules, "is_counted", MuteRules.is_visible)


def _shows_what_is_muted() -> AbstractContextManager[object]:
    """Feeds show muted topics and channels."""
    return patch.object(feeds, "is_feed", lambda narrow: False)


FAULTS = (
    Fault("a draft that was sent elsewhere stays in compose", "and is no draft", 6, _stays_in_compose),
    Fault(
        "a draft begun elsewhere is written a second time", "nothing stands in compose", 10, _is_not_offered
    ),
    Fault("an edit overwrites a change from elsewhere", "is lost", 0, _overwrites),
    Fault("a movement marks as read what nobody saw", "nobody saw", 0, _counts_what_was_passed),
    Fault(
        "unread messages of archived channels count",
        "unread messages, ",
        14,
        _counts_what_is_archived,
        Window,
    ),
    Fault("the combined feed shows what is muted", "shows what is muted", 0, _shows_what_is_muted, Window),
)


def first_seed(fault: Fault, most: int = MOST_SEEDS) -> int | None:
    """The first seed whose history finds a fault; None if none of that many does."""
    with fault.put_back():
        return next((seed for seed in range(most) if is_found(fault, seed)), None)


def is_found(fault: Fault, seed: int) -> bool:
    """Whether the history of a seed reports the fault."""
    report = run(seed, kind=fault.kind, history=MachinesHistory)
    return any(fault.sign in problem for problem in report.problems)
