"""Pictures in the terminal: by its own graphics where it has them, else by half blocks of two pixels a cell.

Needs the extra `images` (Pillow, textual-image). A picture comes only from the account's own server, its
header is read before anything is decoded, and what is too large is refused: a file of ten kilobytes can hold
gigabytes of pixels.
"""

from __future__ import annotations

import importlib.util
import io
import os
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import TYPE_CHECKING

from narrowcast.content.inlines import Spot, SpotKind

if TYPE_CHECKING:
    from PIL.Image import Image
    from textual.widget import Widget

__all__ = ["MAX_BYTES", "TooLarge", "available", "decode", "graphics", "is_picture", "picture_widget"]

MAX_BYTES = 20 * 2**20
"""Bytes of a picture's file."""
MAX_PIXELS = 40_000_000
"""Pixels of a picture, width times height."""
FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP")
"""Formats that are decoded; the decoders of others are not let near foreign data."""


class TooLarge(ValueError):
    """The picture is not decoded because of its size, or is none. The text says which."""


def available() -> bool:
    """Whether the extra is installed; imports nothing of it."""
    return importlib.util.find_spec("PIL") is not None


def is_picture(spot: Spot) -> bool:
    """Whether a spot leads to a picture and not to a video or sound."""
    if spot.kind is not SpotKind.MEDIA or not spot.src:
        return False
    path = spot.src.partition("?")[0].lower()
    return not path.endswith((".mp4", ".webm", ".mp3", ".ogg", ".wav", ".flac", ".m4a", ".aac", ".opus"))


def decode(data: bytes, cells: tuple[int, int]) -> Image:
    """The first frame of a picture, reduced to what `cells` columns and rows can show (2 x 4 pixels a cell).

    Raises `TooLarge` for what is too large or no picture.
    """
    from PIL import Image as Pillow

    if len(data) > MAX_BYTES:
        raise TooLarge(f"The picture has {len(data) // 2**20} MiB; at most {MAX_BYTES // 2**20} are shown.")
    try:
        picture = Pillow.open(io.BytesIO(data), formats=FORMATS)
        width, height = picture.size
        if width * height > MAX_PIXELS:
            raise TooLarge(f"The picture has {width} x {height} pixels: too many to show.")
        wanted = (max(1, cells[0] * 10), max(1, cells[1] * 20))
        picture.draft("RGB", wanted)
        picture.thumbnail(wanted)
        return picture.convert("RGBA")
    except TooLarge:
        raise
    except Exception as error:  # decoders raise whatever they like on hostile data
        raise TooLarge("This is no picture that can be shown.") from error


def graphics(environment: Mapping[str, str]) -> str:
    """What pictures can be drawn with: "kitty", "sixel", or "" for half blocks.

    Told from the environment, since a question to the terminal would cost time at each start and its answer
    would be read as keys. A multiplexer in between passes neither on.
    """
    if environment.get("TMUX") or environment.get("STY"):
        return ""
    term, program = environment.get("TERM", ""), environment.get("TERM_PROGRAM", "")
    if environment.get("KITTY_WINDOW_ID") or "kitty" in term or "ghostty" in term:
        return "kitty"
    if program in ("WezTerm", "iTerm.app") or term.startswith(("foot", "mlterm", "contour")):
        return "sixel"
    return ""


def picture_widget(picture: Image, cells: tuple[int, int]) -> Widget:
    """A widget with the picture, drawn with the best that the terminal can do."""
    kind = graphics(os.environ)
    if kind and importlib.util.find_spec("textual_image") is not None:
        widgets = _terminal_widgets()
        widget: Widget = widgets.TGPImage(picture) if kind == "kitty" else widgets.SixelImage(picture)
        return widget
    from narrowcast.widgets.half_blocks import HalfBlocks

    return HalfBlocks(picture, cells)


def _terminal_widgets() -> ModuleType:
    """textual-image's widgets, imported without the questions that the import asks a terminal."""
    screen = sys.__stdout__
    sys.__stdout__ = io.StringIO()  # type: ignore[misc, assignment]  # only while importing: no tty, no questions
    try:
        return importlib.import_module("textual_image.widget")
    finally:
        sys.__stdout__ = screen  # type: ignore[misc]  # as it was
