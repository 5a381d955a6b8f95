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
    await edit_opened(stage, message_id)


async def edit_opened(stage: Stage, message_id: int | None = None) -> None:
    """Waits until compose shows the text of the message that is being edited: of this one, if given."""
    writing = stage.screen.writing
    await until(lambda: writing.editing is not None and not writing.begin.is_loading(writing.editing))
    assert message_id in (None, writing.editing)
