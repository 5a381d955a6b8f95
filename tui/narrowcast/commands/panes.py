"""Commands that move the focus between panes, and show or hide panes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widget import Widget

from narrowcast.commands import go
from narrowcast.commands.targets import message_here
from narrowcast.runtime.context import app_of
from narrowcast.screens.main.side_by_side import BESIDE_FROM
from narrowcast.widgets.focus import focus_now
from narrowcast_api.narrow.narrow import Narrow

if TYPE_CHECKING:
    from narrowcast.screens.workspace import Workspace


def _shown(screen: Workspace) -> list[tuple[Widget, Widget]]:
    """The visible panes from left to right, each as the widget that takes its focus."""
    panes: list[tuple[Widget, Widget]] = []
    if screen.plan.shows_navigation:
        panes.append((screen.navigation, screen.navigation.list))
    for conversation in screen.side.all:
        if conversation.display:
            panes.append((conversation.messages, conversation.messages.list))
            panes.append((conversation.writing, conversation.writing.text))
    if screen.plan.shows_people:
        panes.append((screen.people, screen.people.list))
        if screen.people.shared.display:
            panes.append((screen.people.shared, screen.people.shared))
    return panes


def _step(screen: Workspace, step: int, *, around: bool) -> None:
    panes = _shown(screen)
    focused = [n for n, (pane, _) in enumerate(panes) if pane.has_focus_within or pane.has_focus]
    here = focused[-1] if focused else 1  # the inner one of two
    place = here + step
    if not around and not 0 <= place < len(panes):
        if step < 0 and not screen.plan.shows_navigation:
            navigation(screen)
        return
    pane, target = panes[place % len(panes)]
    for conversation in screen.side.all:
        if pane in (conversation.messages, conversation.writing):
            screen.side.enter(conversation)
    if pane is screen.messages:
        screen.focus_messages()
    elif pane is screen.writing:
        screen.writing.focus_text()
    else:
        focus_now(target)


def next_pane(screen: Workspace) -> None:
    """Focuses the pane to the right, or the first one after the last."""
    _step(screen, 1, around=True)


def previous_pane(screen: Workspace) -> None:
    """Focuses the pane to the left, or the last one after the first."""
    _step(screen, -1, around=True)


def left(screen: Workspace) -> None:
    _step(screen, -1, around=False)


def right(screen: Workspace) -> None:
    _step(screen, 1, around=False)


def navigation(screen: Workspace) -> None:
    """Shows or hides the channel list."""
    shown = not screen.plan.shows_navigation
    screen.show_navigation(shown)
    if shown:
        focus_now(screen.navigation.list)
    else:
        screen.focus_messages()


def people(screen: Workspace) -> None:
    """Shows or hides the people pane."""
    shown = not screen.plan.shows_people
    screen.show_people(shown)
    if shown:
        focus_now(screen.people.list)
    else:
        screen.focus_messages()


def leave_side(screen: Workspace) -> None:
    """In a list at the side: clear its filter, or if there is none return to the messages."""
    app_of(screen).field_left()
    for pane in (screen.navigation, screen.people):
        if pane.has_focus_within and pane.leave_find():
            return
    screen.fold_panes()
    screen.focus_messages()


def find_channel(screen: Workspace) -> None:
    """Focuses the filter of the channel list."""
    screen.show_navigation(True)
    screen.navigation.find()


def find_person(screen: Workspace) -> None:
    screen.show_people(True)
    screen.people.find()


def beside(screen: Workspace) -> None:
    """Opens the conversation of the selected message, or one that the user chooses, beside the current view."""
    if screen.size.width < BESIDE_FROM:
        screen.refuse(f"Two conversations need {BESIDE_FROM} columns; this terminal has {screen.size.width}.")
        return
    message = message_here(screen)
    narrow = (
        None if message is None else Narrow.from_destination(message.destination(screen.session.state.me))
    )
    if message is not None and narrow is not None and narrow != screen.narrow:
        screen.open_beside(narrow, message.id)
    else:
        go.choose_beside(screen)


def other_side(screen: Workspace) -> None:
    """Focuses the other conversation; if there is no room for two, it is shown instead of this one."""
    other = screen.side.other
    if other is None:
        screen.refuse(f"There is no second conversation. {screen.key('pane.beside')} opens one.")
    else:
        screen.side.enter(other)
        screen.focus_messages()


def close_beside(screen: Workspace) -> None:
    """Closes the conversation without the focus."""
    if not screen.side.close_other():
        screen.refuse("There is no second conversation.")


def swap(screen: Workspace) -> None:
    if not screen.side.swap():
        screen.refuse("There is no second conversation.")


def wider(screen: Workspace) -> None:
    _widen(screen, 1)


def narrower(screen: Workspace) -> None:
    _widen(screen, -1)


def _widen(screen: Workspace, by: int) -> None:
    """With the focus in a list at a side, that one; else the conversation, of which there may be two."""
    in_list = screen.navigation.has_focus_within or screen.people.has_focus_within
    if not in_list and screen.side.widen(by):
        return
    if screen.plan.is_narrow or not (in_list or screen.plan.shows_navigation):
        screen.refuse("There is no other pane beside this one.")
    else:
        screen.widths.widen(by)
