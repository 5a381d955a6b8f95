"""Opening own messages for editing in the app."""

from __future__ import annotations

from support.sessions import until
from support.stage import Stage


async def edit_own(stage: Stage) -> int:
    """Sends a message to a topic and opens it for editing in compose; returns its id."""
    await stage.in_topic("general", "lunch")
    message_id = await stage.server.send("ada", "general", "lunch", "Soop")
    await edit_newest(stage, message_id)
    return message_id


async def edit_newest(stage: Stage, message_id: int) -> None:
    """Opens the newest message of the view for editing in compose."""
    await stage.shows(message_id)
    await stage.press("G", "e")
    await until(lambda: stage.screen.writing.editing == message_id)
