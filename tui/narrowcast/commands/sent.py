"""After a message is sent: it comes into view, or a key goes to where it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast.text import names
from narrowcast_api.narrow.narrow import Narrow

if TYPE_CHECKING:
    from narrowcast.commands.workspace import Workspace
    from narrowcast_api.narrow.destinations import Destination


def show(screen: Workspace, where: Destination) -> None:
    """Bring the message into the open view; one that is not shown there is named, and one stays."""
    screen.sent_to = Narrow.from_destination(where)
    if screen.narrow is not None and screen.narrow.shows(where):
        screen.messages.show_sent()
        return
    place = names.destination(screen.session.state, where)
    screen.tell(f"Sent to {place}. {screen.key('go.sent')} goes there.", seconds=10)


def go(screen: Workspace) -> None:
    """To the conversation that one wrote to last."""
    if screen.sent_to is None:
        screen.refuse("You have not sent a message since the app was opened.")
    else:
        screen.go(screen.sent_to, "newest")
