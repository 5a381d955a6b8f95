"""Pictures of the screen as golden files: `cat` shows one in a terminal as the app would.

`make snapshots` writes them anew after a change that is meant; what differs is reviewed like source.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable
from pathlib import Path

from rich.color import ColorSystem
from textual.color import Color
from textual.strip import Strip

from narrowcast.terminal.colours import NearestOf256
from support.screen_text import screen_strips
from support.sessions import until
from support.stage import Stage

FOLDER = Path(__file__).resolve().parents[1] / "tui" / "snapshots"
SYSTEMS = {"16": ColorSystem.STANDARD, "256": ColorSystem.EIGHT_BIT, "true": ColorSystem.TRUECOLOR}
_CODES = re.compile(r"\x1b\[[0-9;]*m")
_JOINED = re.compile(r"(Joined\s+)\d{4}-\d\d-\d\d")
"""People of a test join on the day of the test."""
_WAITING = "Please wait…"
"""What a screen says until the server has answered: no picture of it is its last."""


def picture(strips: Iterable[Strip], system: str) -> str:
    """The rows of the screen with the codes that a terminal of so many colours gets."""
    nearest = NearestOf256()
    rows = []
    for strip in strips:
        segments = list(strip)
        if system == "256":
            segments = nearest.apply(segments, Color(0, 0, 0))
        rows.append(
            "".join(
                style.render(text, color_system=SYSTEMS[system]) if style else text
                for text, style, _ in segments
            )
        )
    return "\n".join(rows) + "\n"


def shown(stage: Stage, system: str) -> str:
    """The picture of the whole screen as it is now."""
    return picture(screen_strips(stage.app.screen), system)


async def settled(stage: Stage, system: str) -> str:
    """The picture once the app has nothing left to do and waits for no answer."""
    await stage.drawn()
    await until(lambda: _WAITING not in shown(stage, system))
    await stage.drawn()
    return _JOINED.sub(r"\g<1>2026-11-22", shown(stage, system))


def difference(name: str, seen: str) -> str:
    """What differs from the golden file, as a text to read; empty if nothing does. Writes it if that is asked for."""
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
