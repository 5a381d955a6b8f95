"""What the panes ask of the main screen when somebody does something; loaded then, and not before the first frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast.commands import editing, people, sent
from narrowcast.screens.main import links

if TYPE_CHECKING:
    from narrowcast.commands.workspace import Workspace
    from narrowcast_api.narrow.destinations import Destination
    from narrowcast_api.storage.records import Edit

__all__ = ["PaneRequests"]


class PaneRequests:
    """Answers with the functions of commands."""

    def __init__(self, screen: Workspace) -> None:
        self._screen = screen

    def edit(self, message_id: int) -> None:
        """Take a message into compose."""
        self._screen.spawn(editing.begin(self._screen, message_id), "load the message")

    def save(self, edit: Edit) -> None:
        """Give a message another text."""
        self._screen.spawn(editing.save(self._screen, edit), "edit the message")
        self._screen.writing.focus_text()

    def write_outside(self) -> None:
        """Write in the user's own editor."""
        self._screen.spawn(editing.outside(self._screen), "start the editor")

    def attach(self) -> None:
        """Choose a file and send it."""
        editing.attach(self._screen)

    def follow_link(self, url: str, label: str) -> None:
        """Go to a view, open an address elsewhere, or download a file."""
        links.follow(self._screen, url, label)

    def show_person(self, user_id: int) -> None:
        """Show the card of a user."""
        people.show(self._screen, user_id)

    def show_sent(self, where: Destination) -> None:
        """Show the message, or say where it went and which key goes there."""
        sent.show(self._screen, where)
