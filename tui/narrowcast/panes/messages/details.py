"""Information about a message: reactions, read receipts, edit history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast.panes.messages.clipboard import Clipboard
from narrowcast.panes.messages.context import PaneContext
from narrowcast.panes.messages.navigation import Navigation
from narrowcast.panes.messages.requests import PersonRequested
from narrowcast.panes.messages.rows import reaction_text
from narrowcast.screens.dialogs.picker import Choice, Picker
from narrowcast.screens.messages.versions import Version, VersionsScreen
from narrowcast_api.model.messages import grouped

if TYPE_CHECKING:
    from narrowcast.panes.messages.row_values import StateNames
    from narrowcast_api.state.state import State
    from narrowcast_api.wire.messages import HistoryEntry

__all__ = ["Details"]


class Details:
    """Dialogs about the selected message."""

    def __init__(self, pane: PaneContext, clipboard: Clipboard, navigation: Navigation) -> None:
        self._pane = pane
        self._clipboard = clipboard
        self._navigation = navigation

    def info(self) -> None:
        """Shows who reacted, and when it was written and changed; leads to read receipts, edit history and source."""
        message = self._pane.message_or_notify()
        if message is None or self._pane.list.feed is None:
            return

        names, state = self._pane.list.feed.names, self._pane.session.state
        choices: list[Choice[str]] = [
            Choice("sender", state.users.name(message.sender_id), "wrote it"),
            Choice("", names.moment(message.timestamp), message.client and f"with {message.client}"),
        ]
        if message.edited_at is not None:
            choices.append(Choice("history", names.moment(message.edited_at), "edited: view edit history"))
        if message.moved_at is not None:
            choices.append(Choice("history", names.moment(message.moved_at), "moved: view edit history"))
        for group in grouped(message.reactions):
            shown = reaction_text(group.reaction_type, group.emoji_code, group.emoji_name)
            people = ", ".join(state.users.name(user_id) for user_id in group.user_ids)
            choices.append(Choice("", people, group.emoji_name, shown))
        choices += [
            Choice("receipts", "View read receipts", self._pane.key("message.receipts")),
            Choice("link", "Copy link to message", self._pane.key("message.link")),
            Choice("source", "Copy message source", f"message {message.id}"),
        ]
        message_id = message.id

        def chosen(value: str | None) -> None:
            if value and self._pane.still_there_or_notify(message_id) is None:
                return
            self._pane.list.position.select(message_id)
            match value:
                case "sender":
                    self._navigation.sender()
                case "history":
                    self.history()
                case "receipts":
                    self.receipts()
                case "link":
                    self._clipboard.copy_link()
                case "source":
                    self._pane.work(self._clipboard.copy_source(message_id), "copy the source")

        self._pane.ask(Picker("Message information", choices), chosen)

    def receipts(self) -> None:
        """Shows who has read the message."""
        if (message := self._pane.message_or_notify()) is not None:
            self._pane.work(self._show_receipts(message.id), "load read receipts")

    async def _show_receipts(self, message_id: int) -> None:
        attention = self._pane.attention
        request = self._pane.session.client.messages.read_receipts(message_id=message_id)
        response = await self._pane.waiting(request, "Loading read receipts…")
        users = self._pane.session.state.users
        readers = sorted(response.user_ids, key=lambda user_id: users.name(user_id).casefold())
        choices = [Choice(user_id, users.name(user_id)) for user_id in readers]
        if not choices:
            self._pane.say("Nobody who shares read receipts has read this message yet.")
            return
        attention.open(
            Picker(f"Read by {len(choices)}", choices),
            self._show_person,
            what="The list of readers",
            again="<message.receipts> opens it.",
        )

    def _show_person(self, user_id: int | None) -> None:
        if user_id is not None:
            self._pane.post(PersonRequested(user_id))

    def history(self) -> None:
        """Shows the edit history of the message."""
        if (message := self._pane.message_or_notify()) is not None:
            self._pane.work(self._show_history(message.id), "load the edit history")

    async def _show_history(self, message_id: int) -> None:
        attention = self._pane.attention
        request = self._pane.session.client.messages.history(message_id=message_id)
        response = await self._pane.waiting(request, "Loading edit history…")
        feed = self._pane.list.feed
        if feed is None:
            return
        entries = response.message_history
        versions = [
            Version(_about(entry, self._pane.session.state, feed.names), entry.content) for entry in entries
        ]

        def chosen(number: int | None) -> None:
            if number is not None:
                self._clipboard.copy(versions[number].content, "this version")

        attention.open(
            VersionsScreen(versions), chosen, what="The edit history", again="<message.history> opens it."
        )


def _about(entry: HistoryEntry, state: State, names: StateNames) -> str:
    """Who made a version and when, and whether the message was moved."""
    who = state.users.name(entry.user_id) if entry.user_id is not None else "somebody"
    about = f"{names.moment(entry.timestamp)}, {who}"
    if entry.prev_stream is not None:
        about += f" · moved from #{names.channel(entry.prev_stream) or entry.prev_stream}"
    if entry.prev_topic is not None:
        about += f" · topic was {entry.prev_topic or state.limits.empty_topic_name}"
    return about
