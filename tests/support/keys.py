"""Keys that arrive before the app has handled the first of them, as from a fast typist or on a slow machine."""

from __future__ import annotations

from narrowcast.terminal.keyboard import Keyboard
from support.stage import Stage


def post_keys(stage: Stage, *typed: str) -> None:
    """Queues what a terminal sends at once: texts, "enter", or "ctrl+" with a letter."""
    keyboard = Keyboard()
    for item in typed:
        for message in keyboard.feed(_bytes_of(item), 0.0):
            stage.app.post_message(message)
    for message in keyboard.tick():
        stage.app.post_message(message)


def _bytes_of(item: str) -> bytes:
    if item == "enter":
        return b"\r"
    if item.startswith("ctrl+"):
        return bytes([ord(item[-1]) & 0x1F])
    return item.encode()


async def at_once(stage: Stage, *typed: str) -> None:
    """Queues the same keys, and waits until the app has handled all of them."""
    post_keys(stage, *typed)
    await stage.pilot.pause()
