"""Keys that are there before the app has taken the first of them, as from a fast typist or a slow machine."""

from __future__ import annotations

from textual import events
from textual.keys import _character_to_key

from support.sessions import until
from support.stage import Stage


def post_keys(stage: Stage, *typed: str) -> None:
    """What a terminal sends in one go: names of keys, or texts letter by letter."""
    for item in typed:
        if item.startswith("ctrl+") or item == "enter":
            stage.app.post_message(events.Key(item, None))
        else:
            for letter in item:
                stage.app.post_message(events.Key(_character_to_key(letter), letter))


async def at_once(stage: Stage, *typed: str) -> None:
    """The same, until the app has taken them all."""
    post_keys(stage, *typed)

    def are_taken() -> bool:
        handing_on = stage.app._typed._task
        if stage.app.message_queue_size or handing_on is None or not handing_on.done():
            return False
        return all(
            not node.message_queue_size for node in (stage.app.focused or stage.screen).ancestors_with_self
        )

    await until(are_taken)
    await stage.pilot.pause()
