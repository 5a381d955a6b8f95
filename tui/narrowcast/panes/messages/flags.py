"""Flags of the selected message: starred, collapsed, without link previews, read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast.panes.messages.context import PaneContext
from narrowcast.text import names
from narrowcast_api import permissions
from narrowcast_api.wire.vocabulary import MessageFlag

if TYPE_CHECKING:
    from narrowcast_api.model.messages import Message
    from narrowcast_api.sync.message_view import MessageView

__all__ = ["UNTIL_ANOTHER_VIEW", "Flags", "stay_read"]

UNTIL_ANOTHER_VIEW = "Messages are not marked as read until you open another view."


def stay_read(channels: str) -> str:
    """The notice that the server does not mark messages in these channels as unread."""
    return f"Messages in {channels} stay read: you are not subscribed."


class Flags:
    """Changes the user's own flags of messages."""

    def __init__(self, pane: PaneContext) -> None:
        self._pane = pane

    def star(self) -> None:
        """Stars or unstars the message."""
        if (message := self._pane.message_or_notify()) is not None:
            self._flag(message, "starred", not message.is_starred)

    def collapse(self) -> None:
        """Collapses the message to one line, or expands it."""
        if (message := self._pane.message_or_notify()) is not None:
            self._flag(message, "collapsed", "collapsed" not in message.flags)

    def link_previews(self) -> None:
        """Hides the previews of the message's links, or shows them again."""
        if (message := self._pane.message_or_notify()) is not None:
            flag = MessageFlag.HIDE_LINK_PREVIEWS
            self._flag(message, flag, flag not in message.flags)

    def _flag(self, message: Message, flag: str, on: bool) -> None:
        session = self._pane.session
        if not self._pane.refuse(permissions.flag_refusal(session.state, message.channel_id)):
            self._pane.work(session.acts.flag(message.id, flag, on), f"change the flag {flag}")

    def unread(self) -> None:
        """Marks this message and all later ones as unread."""
        view, message = self._pane.view, self._pane.message_or_notify()
        if view is None or message is None:
            return
        ids = [one for one in view.ids if one >= message.id]
        self._pane.work(self._mark_unread(view, ids), "mark as unread")

    async def _mark_unread(self, view: MessageView, ids: list[int]) -> None:
        session = self._pane.session
        async with session.read_marks.suspended():
            response = await session.client.flags.change(message_ids=ids, op="remove", flag="read")
        skipped = set(response.ignored_because_not_subscribed_channels or ())
        changed = [one.id for one in session.state.messages.known(ids) if one.channel_id not in skipped]
        if changed:
            session.kept_unread.add(view.narrow)
            session.show_unread(changed)
            view.move_unread_line(changed[0])
            self._pane.say(f"Marked as unread from here. {UNTIL_ANOTHER_VIEW}")
        if skipped:
            where = ", ".join(f"#{names.channel(session.state, one)}" for one in sorted(skipped))
            self._pane.refuse(stay_read(where))
