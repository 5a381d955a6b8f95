"""Draws the pictures of the README: the demo at several sizes, controlled by keys.

`make screenshots` runs it.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from textual.pilot import Pilot

if TYPE_CHECKING:
    from narrowcast.app.app import NarrowcastApp

FOLDER = Path(__file__).resolve().parent
WAIT_SECONDS = 60.0
_REMOTE_FONTS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)


@dataclass(frozen=True)
class Picture:
    """One file: the size in cells, and the keys that are pressed on the first screen."""

    name: str
    size: tuple[int, int]
    keys: tuple[str, ...] = ()


PICTURES = (
    Picture("conversation", (120, 36), ("ctrl+k", *"welcome", "enter")),
    Picture("content", (120, 40), ("ctrl+k", *"what a message", "enter")),
    Picture("inbox", (120, 36), ("I",)),
    Picture("writing", (120, 36), ("ctrl+k", *"gusts", "enter", "c", "ctrl+j", *"@da")),
    Picture("switcher", (120, 36), ("ctrl+k", *"g")),
    Picture("light", (120, 36), ("ctrl+k", *"gusts", "enter", "f6")),
    Picture("narrow", (80, 24), ("ctrl+k", *"gusts", "enter")),
    Picture("wide", (200, 60), ("ctrl+k", *"gusts", "enter")),
    Picture("help", (120, 36), ("question_mark",)),
)


@contextmanager
def private_home() -> Iterator[None]:
    """Runs with a temporary home directory."""
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("CONFIG", "DATA", "CACHE", "STATE"):
            os.environ[f"XDG_{kind}_HOME"] = str(Path(folder) / kind.lower())
        os.environ["COLORTERM"] = "truecolor"
        yield


async def draw(picture: Picture) -> None:
    """Opens the demo, presses the keys and stores the screen."""
    from narrowcast.app.app import NarrowcastApp

    app = NarrowcastApp("demo")
    async with app.run_test(size=picture.size) as pilot:
        await until_live(app, pilot)
        for key in picture.keys:
            await pilot.press("space" if key == " " else key)
            await settle(pilot)
        await settle(pilot, seconds=2.0)
        svg = _REMOTE_FONTS.sub("", app.export_screenshot(title="narrowcast"))
        # Blanks at the ends of a run of text are part of the picture.
        svg = svg.replace("<svg ", '<svg xml:space="preserve" ', 1)
        (FOLDER / f"{picture.name}.svg").write_text(svg, encoding="utf-8")
        await app.run_action("app_quit")


async def until_live(app: NarrowcastApp, pilot: Pilot[int]) -> None:
    """Waits until the demo is connected."""
    deadline = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < deadline:
        session = app.accounts.session
        if session is not None and session.status.is_live:
            await settle(pilot, seconds=1.0)
            return
        await pilot.pause(0.1)
    raise SystemExit("the demo did not open in time")


async def settle(pilot: Pilot[int], seconds: float = 0.2) -> None:
    """Waits for the app to react to a key."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        await pilot.pause(0.05)


def main(names: list[str]) -> None:
    """Draws the named pictures, or all."""
    with private_home():
        for picture in PICTURES:
            if not names or picture.name in names:
                asyncio.run(draw(picture))
                sys.stdout.write(f"{picture.name}.svg\n")


if __name__ == "__main__":
    main(sys.argv[1:])
