"""Going from pane to pane, showing and hiding them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widget import Widget

from narrowcast.app.context import focus_now

if TYPE_CHECKING:
    from narrowcast.commands.workspace import Workspace


def _shown(screen: Workspace) -> list[tuple[Widget, Widget]]:
    """The panes that are shown, from left to right, each with the widget that takes its keys."""
    panes: list[tuple[Widget, Widget]] = []
    if screen.plan.shows_navigation:
        panes.append((screen.navigation, screen.navigation.list))
    panes.append((screen.messages, screen.messages))
    panes.append((screen.writing, screen.writing.text))
    if screen.plan.shows_people:
        panes.append((screen.people, screen.people.list))
    return panes


def _step(screen: Workspace, step: int, *, around: bool) -> None:
    panes = _shown(screen)
    here = next((n for n, (pane, _) in enumerate(panes) if pane.has_focus_within or pane.has_focus), 1)
    place = here + step
    if not around and not 0 <= place < len(panes):
        if step < 0 and not screen.plan.shows_navigation:
            navigation(screen)
        return
    pane, target = panes[place % len(panes)]
    if pane is screen.messages:
        screen.focus_messages()
    elif pane is screen.writing:
        screen.writing.focus_text()
    else:
        focus_now(target)


def next_pane(screen: Workspace) -> None:
    """The pane to the right, around the edge."""
    _step(screen, 1, around=True)


def previous_pane(screen: Workspace) -> None:
    """The pane to the left, around the edge."""
    _step(screen, -1, around=True)


def left(screen: Workspace) -> None:
    _step(screen, -1, around=False)


def right(screen: Workspace) -> None:
    _step(screen, 1, around=False)


def navigation(screen: Workspace) -> None:
    """Show or hide the list of channels."""
    shown = not screen.plan.shows_navigation
    screen.show_navigation(shown)
    if shown:
        focus_now(screen.navigation.list)
    else:
        screen.focus_messages()


def people(screen: Workspace) -> None:
    """Show or hide the people."""
    shown = not screen.plan.shows_people
    screen.show_people(shown)
    if shown:
        focus_now(screen.people.list)
    else:
        screen.focus_messages()


def find_channel(screen: Workspace) -> None:
    """Filter the list of channels."""
    screen.show_navigation(True)
    screen.navigation.find()


def find_person(screen: Workspace) -> None:
    screen.show_people(True)
    screen.people.find()
