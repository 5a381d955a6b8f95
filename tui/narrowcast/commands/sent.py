"""After a message is sent: show it in the open view, or name the key that goes to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast.text import names
from narrowcast_api.narrow.narrow import Narrow

if TYPE_CHECKING:
    from narrowcast.screens.workspace import Workspace
    from narrowcast_api.narrow.destinations import Destination

_NOTICE_SECONDS = 10


def show(screen: Workspace, where: Destination) -> None:
    """Scrolls to the sent message if the open view has it and no unread messages are skipped; else shows a
    notice with the key that goes to it, which works in compose as well.
    """
    screen.sent_to = where
    key = screen.key("go.sent")
    if _open_view_of(screen, where) is None:
        place = names.destination(screen.session.state, where)
        screen.tell(f"Sent to {place}. {key} goes there.", seconds=_NOTICE_SECONDS)
    elif not screen.messages.show_sent():
        screen.tell(f"Message sent, below unread messages. {key} goes to it.", seconds=_NOTICE_SECONDS)


def go(screen: Workspace) -> None:
    """Goes to the last sent message: in the open view if that has it, else in its conversation."""
    if (where := screen.sent_to) is None:
        screen.refuse("You have not sent a message since the app was opened.")
        return
    view = _open_view_of(screen, where)
    screen.go(Narrow.from_destination(where) if view is None else view, "newest")


def _open_view_of(screen: Workspace, where: Destination) -> Narrow | None:
    """The open view if it shows messages to ``where``."""
    return screen.narrow if screen.narrow is not None and screen.narrow.shows(where) else None
