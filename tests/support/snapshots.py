"""Snapshots of the screen as golden files: `cat` shows one in a terminal as the app would.

`make snapshots` writes them again after an intended change; review the diff like source.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable
from pathlib import Path

from rich.color import ColorSystem
from rich.style import Style
from textual.color import Color
from textual.strip import Strip

from narrowcast.terminal.fallbacks import NearestOf256
from support.screens import screen_strips
from support.sessions import until
from support.stage import Stage

FOLDER = Path(__file__).resolve().parents[1] / "tui" / "snapshots"
SYSTEMS = {"16": ColorSystem.STANDARD, "256": ColorSystem.EIGHT_BIT, "true": ColorSystem.TRUECOLOR}
_CODES = re.compile(r"\x1b\[[0-9;]*m")
_JOINED = re.compile(r"(Joined\s+)(?:\d\d \w{3} \d{4}|\d \w{3} \d{4} )")
"""Users of a test join on the day of the test."""
_WAITING = "Please wait…"
"""Texts that are shown until the server has responded: a screen with one is not final."""


def picture(strips: Iterable[Strip], system: str) -> str:
    """The rows of the screen with the escape sequences for a terminal of this many colours."""
    nearest = NearestOf256()
    rows = []
    for strip in strips:
        segments = list(strip)
        if system == "256":
            segments = nearest.apply(segments, Color(0, 0, 0))
        rows.append("".join(_rendered(text, style, system) for text, style, _ in segments))
    return "\n".join(rows) + "\n"


def _rendered(text: str, style: Style | None, system: str) -> str:
    """The text with its escape sequences. Rich keeps the first ones that it made for a style, whatever the
    number of colours: here each number has styles of its own. Without links, whose ids are random.
    """
    if style is None:
        return text
    return (style.update_link(None) + Style(meta={"system": system})).render(
        text, color_system=SYSTEMS[system]
    )


def shown(stage: Stage, system: str) -> str:
    """The snapshot of the whole screen as it is now."""
    return picture(screen_strips(stage.app.screen), system)


async def settled(stage: Stage, system: str) -> str:
    """The snapshot once the app is idle and waits for no response."""
    await stage.drawn()
    await until(lambda: _WAITING not in shown(stage, system))
    await stage.drawn()
    return _JOINED.sub(r"\g<1>22 Nov 2026", shown(stage, system))


def difference(name: str, seen: str) -> str:
    """Returns a readable diff to the golden file, empty if there is none. Writes the file instead if requested."""
    file = FOLDER / f"{name}.ansi"
    if os.environ.get("NARROWCAST_SNAPSHOTS") == "write":
        file.parent.mkdir(exist_ok=True)
        file.write_text(seen, encoding="utf-8")
        return ""
    golden = file.read_text(encoding="utf-8") if file.exists() else ""
    if golden == seen:
        return ""
    plain = difflib.unified_diff(_plain(golden), _plain(seen), "golden", "seen", lineterm="", n=0)
    text = "\n".join(plain)
    if not text:
        rows = zip(golden.splitlines(), seen.splitlines(), strict=False)
        text = "colours of rows " + ", ".join(str(row) for row, (a, b) in enumerate(rows, 1) if a != b)
    return f"{name}: {text}"


def _plain(text: str) -> list[str]:
    return _CODES.sub("", text).splitlines()
