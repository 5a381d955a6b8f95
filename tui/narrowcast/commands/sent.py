"""After a message is sent: show it in the open view, or name the key that goes to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast.text import names
from narrowcast_api.narrow.narrow import Narrow

if TYPE_CHECKING:
    from narrowcast.commands.workspace import Workspace
    from narrowcast_api.narrow.destinations import Destination


def show(screen: Workspace, where: Destination) -> None:
    """Scroll to the sent message if the open view shows it, else show a notice with the key that goes to it."""
    screen.sent_to = Narrow.from_destination(where)
    if screen.narrow is not None and screen.narrow.shows(where):
        screen.messages.show_sent()
        return
    place = names.destination(screen.session.state, where)
    screen.tell(f"Sent to {place}. {screen.key('go.sent')} goes there.", seconds=10)


def go(screen: Workspace) -> None:
    """Go to the conversation of the last sent message."""
    if screen.sent_to is None:
        screen.refuse("You have not sent a message since the app was opened.")
    else:
        screen.go(screen.sent_to, "newest")
