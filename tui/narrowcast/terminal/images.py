"""Images in the terminal: with its own graphics if supported, else as half blocks of two pixels per cell.

Needs the extra `images` (Pillow, textual-image). Images come only from the account's own server, the header
is read before anything is decoded, and images that are too large are rejected: a file of ten kilobytes can
contain gigabytes of pixels.
"""

from __future__ import annotations

import base64
import fcntl
import importlib.util
import io
import struct
import sys
import termios
from collections.abc import Mapping
from types import ModuleType
from typing import TYPE_CHECKING

from rich.console import Console

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = [
    "MAX_BYTES",
    "TOO_MUCH",
    "TooLarge",
    "available",
    "cell_pixels",
    "check_size",
    "decode",
    "drawing",
    "fitted",
    "graphics",
]

MAX_BYTES = 20 * 2**20
"""Maximum size of an image file in bytes."""
MAX_PIXELS = 40_000_000
"""Maximum pixels of an image, width times height."""
CELL = (8, 16)
"""Pixels of a cell if the terminal does not report them: rather too few, as images too large scroll away."""
MAX_CELL = (20, 40)
"""Maximum pixels of a cell with which an image is drawn, however large the font is."""
_KITTY_CHUNK = 4096
FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP")
"""Formats that are decoded; the decoders of other formats never get untrusted data."""


TOO_MUCH = "This picture takes too long or too much memory to show; download it instead."


class TooLarge(ValueError):
    """The image is not decoded because it is too large, or it is not a valid image. The text says which."""


def available() -> bool:
    """Whether the extra is installed; does not import it."""
    return importlib.util.find_spec("PIL") is not None


def cell_pixels(descriptor: int) -> tuple[int, int]:
    """Width and height in pixels of a cell of the terminal behind `descriptor`, if known; else `CELL`.

    Asks the operating system: the response to a query to the terminal would arrive among the keys.
    """
    try:
        size = fcntl.ioctl(descriptor, termios.TIOCGWINSZ, bytes(8))
        rows, columns, width, height = struct.unpack("HHHH", size)
    except (ImportError, OSError, ValueError):
        return CELL
    if not (rows and columns and width >= 2 * columns and height >= 2 * rows):
        return CELL
    return min(width // columns, MAX_CELL[0]), min(height // rows, MAX_CELL[1])


def check_size(data: bytes) -> None:
    """Raises `TooLarge` if there are more bytes than are decoded."""
    if len(data) > MAX_BYTES:
        raise TooLarge(f"The image is larger than {MAX_BYTES // 2**20} MiB.")


def decode(data: bytes, cells: tuple[int, int], cell: tuple[int, int] = CELL) -> Image:
    """The first frame of an image, reduced to what `cells` columns and rows of `cell` pixels can show.

    Raises `TooLarge` if the image is too large or not valid. Untrusted images are decoded in a process of
    their own: see `picture_process`.
    """
    from PIL import Image as Pillow

    check_size(data)
    try:
        picture = Pillow.open(io.BytesIO(data), formats=FORMATS)
        width, height = picture.size
        if width * height > MAX_PIXELS:
            raise TooLarge(f"The image has {width} x {height} pixels: too many to show.")
        wanted = (max(1, cells[0] * cell[0]), max(1, cells[1] * cell[1]))
        picture.draft("RGB", wanted)
        picture.thumbnail(wanted)
        return picture.convert("RGBA")
    except (TooLarge, MemoryError):
        raise
    except Exception as error:  # decoders raise all kinds of errors on hostile data
        raise TooLarge("This image cannot be shown.") from error


def graphics(environment: Mapping[str, str], wanted: str = "auto") -> str:
    """How images can be drawn: "kitty", "sixel", or "" for half blocks. ``wanted``: the setting `appearance.pictures`.

    Determined from the environment, since a query to the terminal would cost time at each start and its
    response would be read as keys. Multiplexers pass neither on.
    """
    if wanted != "auto":
        return "" if wanted == "cells" else wanted
    if environment.get("TMUX") or environment.get("STY"):
        return ""
    term, program = environment.get("TERM", ""), environment.get("TERM_PROGRAM", "")
    if environment.get("KITTY_WINDOW_ID") or "kitty" in term or "ghostty" in term:
        return "kitty"
    if program in ("WezTerm", "iTerm.app") or term.startswith(("foot", "mlterm", "contour")):
        return "sixel"
    return ""


def drawing(kind: str, picture: Image, cells: tuple[int, int], cell: tuple[int, int] = CELL) -> str:
    """The sequence that draws `picture` at the cursor; `kind` as from `graphics`. '' if that is not possible."""
    columns, rows = fitted(picture.size, cells, cell)
    if kind == "kitty":
        return _kitty(picture, columns, rows)
    if kind == "sixel" and importlib.util.find_spec("textual_image") is not None:
        return _sixel(picture, columns, rows, cell)
    return ""


def _kitty(picture: Image, columns: int, rows: int) -> str:
    """PNG in the kitty protocol, in chunks of the maximum size, without requesting a response."""
    png = io.BytesIO()
    picture.save(png, "PNG")
    data = base64.b64encode(png.getvalue()).decode()
    chunks = [data[start : start + _KITTY_CHUNK] for start in range(0, len(data), _KITTY_CHUNK)]
    sequences = []
    for number, chunk in enumerate(chunks):
        head = f"a=T,f=100,q=2,c={columns},r={rows}," if number == 0 else ""
        sequences.append(f"\x1b_G{head}m={int(number < len(chunks) - 1)};{chunk}\x1b\\")
    return "".join(sequences)


def _sixel(picture: Image, columns: int, rows: int, cell: tuple[int, int]) -> str:
    sixel = _renderables()
    # textual-image would query the terminal if the system does not know the size; the response would be read as keys.
    size = importlib.import_module("textual_image._terminal").CellSize(*cell)
    vars(sixel)["get_cell_size"] = lambda: size
    image = sixel.Image(picture, width=columns, height=rows)
    console = Console(file=io.StringIO(), force_terminal=True, width=columns, height=rows)
    texts = (segment.text for segment in console.render(image, console.options))
    return next((text for text in texts if text.startswith("\x1bP")), "")


def fitted(size: tuple[int, int], cells: tuple[int, int], cell: tuple[int, int] = CELL) -> tuple[int, int]:
    """Columns and rows that an image of `size` pixels takes within `cells`, with its aspect ratio kept."""
    width, height = max(1, size[0]), max(1, size[1])
    scale = min(cells[0] * cell[0] / width, cells[1] * cell[1] / height)
    columns = min(cells[0], max(1, round(width * scale / cell[0])))
    return columns, min(cells[1], max(1, round(height * scale / cell[1])))


def _renderables() -> ModuleType:
    """textual-image's sixel module, imported without the queries that the import sends to a terminal."""
    screen = sys.__stdout__
    sys.__stdout__ = io.StringIO()  # type: ignore[misc, assignment]  # only while importing: no tty, no questions
    try:
        return importlib.import_module("textual_image.renderable.sixel")
    finally:
        sys.__stdout__ = screen  # type: ignore[misc]  # as it was
