"""Pictures in the terminal: by its own graphics where it has them, else by half blocks of two pixels a cell.

Needs the extra `images` (Pillow, textual-image). A picture comes only from the account's own server, its
header is read before anything is decoded, and what is too large is refused: a file of ten kilobytes can hold
gigabytes of pixels.
"""

from __future__ import annotations

import base64
import importlib.util
import io
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import TYPE_CHECKING

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
"""Bytes of a picture's file."""
MAX_PIXELS = 40_000_000
"""Pixels of a picture, width times height."""
CELL = (8, 16)
"""Pixels of a cell where the terminal does not say: rather less than it has, for what is too large scrolls away."""
MOST_CELL = (20, 40)
"""Pixels of a cell that a picture is drawn with at most, however large the letters are."""
_KITTY_CHUNK = 4096
FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP")
"""Formats that are decoded; the decoders of others are not let near foreign data."""


TOO_MUCH = "This picture takes too long or too much memory to show; download it instead."


class TooLarge(ValueError):
    """The picture is not decoded because of its size, or is none. The text says which."""


def available() -> bool:
    """Whether the extra is installed; imports nothing of it."""
    return importlib.util.find_spec("PIL") is not None


def cell_pixels(descriptor: int) -> tuple[int, int]:
    """Width and height of a cell of the terminal behind `descriptor`, as far as it tells; else `CELL`.

    Asked of the system: a question to the terminal would be answered among the keys.
    """
    try:
        import fcntl
        import struct
        import termios

        answer = fcntl.ioctl(descriptor, termios.TIOCGWINSZ, bytes(8))
        rows, columns, width, height = struct.unpack("HHHH", answer)
    except (ImportError, OSError, ValueError):
        return CELL
    if not (rows and columns and width >= 2 * columns and height >= 2 * rows):
        return CELL
    return min(width // columns, MOST_CELL[0]), min(height // rows, MOST_CELL[1])


def check_size(data: bytes) -> None:
    """Raises `TooLarge` for more bytes than are decoded."""
    if len(data) > MAX_BYTES:
        raise TooLarge(f"The image is larger than {MAX_BYTES // 2**20} MiB.")


def decode(data: bytes, cells: tuple[int, int], cell: tuple[int, int] = CELL) -> Image:
    """The first frame of a picture, reduced to what `cells` columns and rows of `cell` pixels can show.

    Raises `TooLarge` for what is too large or no picture. Pictures of strangers are decoded in a process of its own:
    see `picture_process`.
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
    except Exception as error:  # decoders raise whatever they like on hostile data
        raise TooLarge("This image cannot be shown.") from error


def graphics(environment: Mapping[str, str], wanted: str = "auto") -> str:
    """What pictures can be drawn with: "kitty", "sixel", or "" for half blocks. ``wanted``: as `appearance.pictures`.

    Told from the environment, since a question to the terminal would cost time at each start and its answer
    would be read as keys. A multiplexer in between passes neither on.
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
    """The sequence that draws `picture` where the cursor is; `kind` as from `graphics`. '' if it cannot."""
    columns, rows = fitted(picture.size, cells, cell)
    if kind == "kitty":
        return _kitty(picture, columns, rows)
    if kind == "sixel" and importlib.util.find_spec("textual_image") is not None:
        return _sixel(picture, columns, rows, cell)
    return ""


def _kitty(picture: Image, columns: int, rows: int) -> str:
    """PNG in the kitty protocol, in chunks of the size that it allows, without an answer."""
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
    from rich.console import Console

    sixel = _renderables()
    # By itself it asks the terminal where the system does not know, and the answer would be read as keys.
    size = importlib.import_module("textual_image._terminal").CellSize(*cell)
    vars(sixel)["get_cell_size"] = lambda: size
    image = sixel.Image(picture, width=columns, height=rows)
    console = Console(file=io.StringIO(), force_terminal=True, width=columns, height=rows)
    texts = (segment.text for segment in console.render(image, console.options))
    return next((text for text in texts if text.startswith("\x1bP")), "")


def fitted(size: tuple[int, int], cells: tuple[int, int], cell: tuple[int, int] = CELL) -> tuple[int, int]:
    """Columns and rows that a picture of `size` pixels takes within `cells`, its shape kept."""
    width, height = max(1, size[0]), max(1, size[1])
    scale = min(cells[0] * cell[0] / width, cells[1] * cell[1] / height)
    columns = min(cells[0], max(1, round(width * scale / cell[0])))
    return columns, min(cells[1], max(1, round(height * scale / cell[1])))


def _renderables() -> ModuleType:
    """textual-image's sixels, imported without the questions that the import asks a terminal."""
    screen = sys.__stdout__
    sys.__stdout__ = io.StringIO()  # type: ignore[misc, assignment]  # only while importing: no tty, no questions
    try:
        return importlib.import_module("textual_image.renderable.sixel")
    finally:
        sys.__stdout__ = screen  # type: ignore[misc]  # as it was
