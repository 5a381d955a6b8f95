"""Going from a list of files, reminders or the like to the message of one of them."""

from __future__ import annotations

from typing import Any

from narrowcast.screens.dialogs.manage import ManageScreen
from narrowcast.screens.main.choices import ChoiceTarget
from narrowcast_api.narrow.narrow import Narrow


async def go_to_message(screen: ManageScreen[Any], message_id: int) -> None:
    """Closes the list with the message's place as its result; if the message does not exist, shows that in
    the list. Raises NarrowcastError if the request fails.
    """
    message = await screen.session.loader.message(message_id)
    if message is None:
        screen.say("This message no longer exists, or you do not have access to it.", bad=True)
    else:
        where = Narrow.from_destination(message.destination(screen.state.me))
        screen.dismiss(ChoiceTarget(where, message_id))
