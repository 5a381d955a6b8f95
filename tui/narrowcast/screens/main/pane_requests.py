"""The main screen's responses to requests of the panes; loaded on the first request, after the first frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast.commands import attaching, editing, messages, people, sent
from narrowcast.screens.main import links

if TYPE_CHECKING:
    from narrowcast.screens.workspace import Workspace
    from narrowcast_api.model.messages import Message
    from narrowcast_api.narrow.destinations import Destination
    from narrowcast_api.protocols.uploads import Upload
    from narrowcast_api.storage.records import Edit

__all__ = ["PaneRequests"]


class PaneRequests:
    """Runs functions of commands for the panes."""

    def __init__(self, screen: Workspace) -> None:
        self._screen = screen

    def quote(self, messages: list[Message]) -> None:
        """Replies to the last of some messages below quotes of them."""
        editing.quote(self._screen, messages)

    def forward(self, selected: list[Message]) -> None:
        """Forwards messages to another conversation."""
        messages.forward(self._screen, selected)

    def move(self, selected: list[Message]) -> None:
        """Moves messages to another topic."""
        messages.move(self._screen, selected)

    def edit(self, message_id: int) -> None:
        """Begins an edit of a message in compose."""
        editing.begin(self._screen, message_id)

    def compare_edit(self, message_id: int) -> None:
        """Compares an edit with the text that its message was given elsewhere."""
        self._screen.spawn(editing.follow(self._screen, message_id), "compare the message")

    def save(self, edit: Edit) -> None:
        """Saves an edit of a message."""
        self._screen.spawn(editing.save(self._screen, edit), "edit the message")
        self._screen.writing.focus_text()

    def open_external_editor(self) -> None:
        """Edits the text in the user's external editor."""
        self._screen.spawn(editing.external_editor(self._screen), "start the editor")

    def attach(self) -> None:
        """Chooses a file and uploads it."""
        attaching.attach(self._screen)

    def use_upload(self, upload: Upload) -> None:
        """Inserts the link of an uploaded file."""
        attaching.use_upload(self._screen, upload)

    def follow_link(self, url: str, label: str) -> None:
        """Goes to a view, opens an external address, or downloads a file."""
        links.follow(self._screen, url, label)

    def show_person(self, user_id: int) -> None:
        """Shows the card of a user."""
        people.show(self._screen, user_id)

    def show_sent(self, where: Destination) -> None:
        """Shows the sent message, or a notice with its destination and the key that goes there."""
        sent.show(self._screen, where)
