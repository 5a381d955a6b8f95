"""Messages of one's own, taken into compose in the app."""

from __future__ import annotations

from support.sessions import until
from support.stage import Stage


async def edit_own(stage: Stage) -> int:
    """The id of a message of one's own in a topic, taken into compose."""
    await stage.in_topic("general", "lunch")
    message_id = await stage.server.send("ada", "general", "lunch", "Soop")
    await edit_newest(stage, message_id)
    return message_id


async def edit_newest(stage: Stage, message_id: int) -> None:
    """Takes the newest message of the open view into compose."""
    await stage.shows(message_id)
    await stage.press("G", "e")
    await until(lambda: stage.screen.writing.editing == message_id)
