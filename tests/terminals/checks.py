"""The checks in each terminal. A check returns its result in a word or two; it raises Wrong or Late if it fails."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageChops

from support.processes import wait_until
from terminals.display import Window
from terminals.kinds import COLUMNS, Kind
from terminals.world import World, is_colourful, is_sharp, straightness

WORDS = "naïve 日本語 é 👋🏽 שלום शिव done"
LINES = "first line\nsecond 日本 line\nthird line"
STEADY = 0.7
"""Seconds without a change after which a window counts as idle."""
STRAIGHT = 0.93
"""The share of an edge that must be straight; a selected row covers a part of it."""
FEW = 0.003
"""The share of points that may differ between two pictures of one screen."""


class Wrong(Exception):
    """The screen does not show what it should."""


@dataclass(frozen=True)
class TerminalUnderTest:
    """One terminal with the app in it, and the server."""

    kind: Kind
    window: Window
    world: World
    folder: Path

    def keep(self, check: str) -> Image.Image:
        """Waits until the window is idle, and saves a screenshot for review."""
        image = settled(self.window)
        name = "-".join(re.findall(r"\w+", f"{self.kind.name} {check}"))
        image.save(self.folder / f"{name}.png")
        return image


def settled(window: Window) -> Image.Image:
    """Returns the screenshot, once the window is idle."""
    before, since = window.picture(), time.monotonic()
    deadline = since + 15
    while time.monotonic() - since < STEADY and time.monotonic() < deadline:
        time.sleep(0.15)
        now = window.picture()
        if now.size != before.size or ImageChops.difference(now, before).getbbox() is not None:
            before, since = now, time.monotonic()
    return before


def start(terminal: TerminalUnderTest) -> str:
    """The app opens at the conversation, and sets the window title if the terminal allows it."""
    wait_until(lambda: len(terminal.window.picture().getcolors(1_000_000) or ()) > 20, "a screen with text")
    settled(terminal.window)
    if terminal.kind.name.startswith("screen"):
        return "opened"
    wait_until(lambda: terminal.world.name in terminal.window.title, "the title of the organization")
    return "opened, with a title"


def write(terminal: TerminalUnderTest) -> str:
    """Keys are recognized: a message is typed, and accents and wide characters are pasted."""
    terminal.window.press("r")
    terminal.window.type("typed here ")
    terminal.window.paste(WORDS, terminal.kind.pastes)
    settled(terminal.window)
    terminal.window.press("Return")
    wait_until(lambda: f"typed here {WORDS}" in terminal.world.said(), "the message on the server")
    return "typed and pasted"


def paste(terminal: TerminalUnderTest) -> str:
    """Several pasted lines become one message, not three."""
    terminal.window.paste(LINES, terminal.kind.pastes)
    settled(terminal.window)
    terminal.window.press("Return")
    wait_until(lambda: LINES in terminal.world.said(), "the lines on the server")
    terminal.window.press("Escape")
    return "several lines are one message"


def rows(terminal: TerminalUnderTest) -> str:
    """Rows with wide and combining text have the right width: the pane beside them has a straight edge."""
    if terminal.kind.name.startswith("screen"):
        return "not judged: panes have one background"
    terminal.window.press("F3")
    shown = terminal.keep("wide text")
    share = straightness(shown)
    terminal.window.press("F3")
    settled(terminal.window)
    if share < STRAIGHT:
        raise Wrong(f"{1 - share:.0%} of the edge beside the rows is elsewhere")
    return "straight edges"


def resize(terminal: TerminalUnderTest) -> str:
    """A smaller window is redrawn completely, and text typed then arrives."""
    width, height = terminal.window.size
    terminal.window.resize(width * 3 // 4, height * 3 // 4)
    settled(terminal.window)
    terminal.window.press("r")
    terminal.window.type("after resizing")
    terminal.window.press("Return")
    wait_until(lambda: "after resizing" in terminal.world.said(), "the message after resizing")
    terminal.window.press("Escape")
    settled(terminal.window)
    terminal.window.resize(width, height)
    settled(terminal.window)
    return "followed"


def suspend(terminal: TerminalUnderTest) -> str:
    """After Ctrl-Z and fg the screen is as before; after a resize in between it is drawn for the new size."""
    window = terminal.window
    before = settled(window)
    stop(terminal)
    take_up(terminal)
    if differs(settled(window), before):
        raise Wrong("the screen is not as before")
    width, height = window.size
    stop(terminal)
    window.resize(width * 3 // 4, height * 3 // 4)
    settled(window)
    take_up(terminal)
    resized = settled(window)
    window.press("ctrl+l")
    if differs(settled(window), resized):
        raise Wrong("the screen is not drawn for the new size")
    window.resize(width, height)
    if differs(settled(window), before):
        raise Wrong("the screen is not as before a resize")
    return "restored"


def stop(terminal: TerminalUnderTest) -> None:
    """Suspends the app; waits until the shell's screen is shown."""
    before = terminal.window.picture()
    terminal.window.press("ctrl+z")
    wait_until(lambda: differs(terminal.window.picture(), before), "the screen of the shell")
    settled(terminal.window)


def take_up(terminal: TerminalUnderTest) -> None:
    """Resumes the app as its user would."""
    terminal.window.type("fg")
    terminal.window.press("Return")


def differs(one: Image.Image, other: Image.Image) -> bool:
    """Whether more than a cursor and a few letters differ."""
    if one.size != other.size:
        return True
    values = ImageChops.difference(one, other).convert("L").histogram()
    return sum(values[1:]) > FEW * sum(values)


def notice(terminal: TerminalUnderTest) -> str:
    """A direct message rings the bell while the window does not have the focus."""
    if not terminal.kind.tells_bell:
        return "not judged: it rings by the desktop"
    terminal.kind.bell.unlink(missing_ok=True)
    terminal.window.leave()
    time.sleep(1)
    try:
        terminal.world.ring()
        wait_until(lambda: terminal.window.is_urgent or terminal.kind.bell.exists(), "the bell")
    finally:
        terminal.window.focus()
    return "rings"


def picture(terminal: TerminalUnderTest) -> str:
    """A photograph is shown as pixels, or as coloured cells."""
    terminal.world.show_photograph()
    time.sleep(2)
    terminal.window.press("G")
    settled(terminal.window)
    terminal.window.press("v")
    wait_until(lambda: is_colourful(terminal.window.picture()), "the picture")
    shown = terminal.keep("pictures")
    sharp = is_sharp(shown, COLUMNS)
    terminal.window.press("Escape")
    settled(terminal.window)
    if terminal.kind.pictures == "points" and not sharp:
        raise Wrong("the picture is made of cells, not of points")
    return "points" if sharp else "half blocks"


CHECKS: tuple[tuple[str, Callable[[TerminalUnderTest], str]], ...] = (
    ("start", start),
    ("keys", write),
    ("paste", paste),
    ("wide text", rows),
    ("resize", resize),
    ("suspend", suspend),
    ("notice", notice),
    ("pictures", picture),
)
