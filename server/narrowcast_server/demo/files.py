"""The files of the demo world, generated here: small pictures, a sound, a table. No binary files are shipped."""

from __future__ import annotations

import io
import math
import struct
import wave
import zlib
from collections.abc import Callable
from typing import Final

Color = tuple[int, int, int]
Paint = Callable[[int, int], Color]

PAPER: Final[Color] = (250, 248, 240)
INK: Final[Color] = (44, 62, 80)
SKY: Final[Color] = (168, 218, 220)
RED: Final[Color] = (214, 69, 65)
SUN: Final[Color] = (244, 196, 48)
BROWN: Final[Color] = (139, 94, 60)


def png(width: int, height: int, paint: Paint, zoom: int = 1) -> bytes:
    """A PNG picture: `paint(x, y)` returns the colour of each point, which becomes a square of `zoom` pixels."""
    rows = []
    for y in range(height):
        points = b"".join(bytes(paint(x, y)) * zoom for x in range(width))
        rows.append((b"\0" + points) * zoom)
    header = struct.pack(">IIBBBBB", width * zoom, height * zoom, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"".join(rows), 6)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def chunk(kind: bytes, data: bytes) -> bytes:
    """A chunk of a PNG file with its length and checksum."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def gust(hour: float) -> float:
    """Wind in m/s during a night, with a spike from the heater every second hour."""
    calm = 6 + 3 * math.sin(hour / 3.1) + 1.2 * math.sin(hour * 2.7)
    return 31.0 if hour > 1 and hour % 2 < 0.05 else calm


def gust_chart() -> bytes:
    """The wind at mast 3 during the night, as a curve."""
    width, height, foot = 240, 100, 92
    winds = [gust(x * 12 / width) for x in range(width)]
    tops = [foot - wind * (height - 15) / 35 for wind in winds]

    def paint(x: int, y: int) -> Color:
        top, before = tops[x], tops[max(0, x - 1)]
        if min(top, before) - 0.5 <= y <= max(top, before) + 0.5:
            return RED if winds[x] > 20 else INK
        return (210, 206, 196) if y == foot or x % 20 == 0 else PAPER

    return png(width, height, paint, 2)


def disc(x: int, y: int, center_x: float, center_y: float, radius: float) -> bool:
    """Whether a point is in a circle."""
    return math.hypot(x - center_x, y - center_y) <= radius


def wren(back: Color, zoom: int = 1) -> bytes:
    """A small round bird with its tail up."""

    def paint(x: int, y: int) -> Color:
        if disc(x, y, 45, 24, 1.6):
            return INK
        if disc(x, y, 28, 36, 16) or disc(x, y, 43, 25, 9):
            return (196, 150, 106) if disc(x, y, 31, 42, 9) else BROWN
        if 50 <= x <= 60 and abs(y - 26) < (60 - x) / 4:
            return SUN
        if 6 <= x <= 16 and abs((y - 20) - (x - 11)) < 5 and y < 36:
            return BROWN
        return INK if y > 50 and (abs(x - 27) < 1.3 or abs(x - 33) < 1.3) else back

    return png(64, 64, paint, zoom)


def rainy() -> bytes:
    def paint(x: int, y: int) -> Color:
        if disc(x, y, 24, 26, 12) or disc(x, y, 40, 24, 14) or (12 < x < 54 and 26 < y < 38):
            return (120, 134, 150)
        return (70, 130, 200) if y > 40 and (x * 2 + y) % 14 < 3 else PAPER

    return png(64, 64, paint)


def ring() -> bytes:
    """The heating ring from above."""

    def paint(x: int, y: int) -> Color:
        distance = math.hypot(x - 40, y - 40)
        if 20 < distance < 26:
            return RED
        if abs(distance - 33) < 0.8 or disc(abs(x - 40), abs(y - 40), 10, 10, 2.5):
            return INK
        return PAPER

    return png(80, 80, paint, 3)


def card() -> bytes:
    """A quick start card: six frames without text."""
    frames = (SKY, SUN, (180, 210, 160), RED, (200, 180, 220), BROWN)

    def paint(x: int, y: int) -> Color:
        column, row = x // 37, y // 37
        inside = 2 < x % 37 < 35 and 2 < y % 37 < 35
        if not inside:
            return INK
        return frames[row * 3 + column] if disc(x % 37, y % 37, 18.5, 18.5, 7 + 2 * column) else PAPER

    return png(111, 74, paint, 3)


def face(seed: int) -> bytes:
    """An avatar: a symmetric pattern in one colour."""
    color: Color = (60 + seed * 53 % 150, 60 + seed * 97 % 150, 60 + seed * 31 % 150)
    cells = zlib.crc32(f"face {seed}".encode())

    def paint(x: int, y: int) -> Color:
        return color if cells >> (y * 4 + min(x, 7 - x)) & 1 else PAPER

    return png(8, 8, paint, 8)


def hum() -> bytes:
    """Two seconds of a mast humming in the wind."""
    rate = 8000
    samples = (
        int(9000 * math.sin(2 * math.pi * (110 + 6 * math.sin(t / rate * 3)) * t / rate) * min(1, t / 2000))
        for t in range(2 * rate)
    )
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(rate)
        sound.writeframes(b"".join(struct.pack("<h", sample) for sample in samples))
    return buffer.getvalue()


def readings() -> bytes:
    """Measurements of a night on the ridge, one line every ten minutes."""
    rows = ["minute,celsius,hpa,gust_ms"]
    for minute in range(0, 720, 10):
        hour = minute / 60
        celsius = -4 + 3 * math.cos(hour / 4)
        rows.append(f"{minute},{celsius:.1f},{1009 - hour / 3:.1f},{gust(hour):.1f}")
    return ("\n".join(rows) + "\n").encode()


NOTES: Final = """\
Calibration notes (draft)

unit   serial       offset   remark
 04    LW-0004       +0.3    recovered, see #138
 09    LW-0009       -0.1    recovered, see #138
 31    LW-0031       +0.2    cold pack, first batch
 33    LW-0033       +0.1    cold pack, first batch
 40    LW-0040        0.0    cold pack, first batch

Do not calibrate next to the kettle. (B.)
"""

FILES: Final[dict[str, Callable[[], bytes]]] = {
    "gusts-mast3.png": gust_chart,
    "wren.png": lambda: wren(SKY, 3),
    "heater-ring.png": ring,
    "quick-start-card.png": card,
    "mast-hum.wav": hum,
    "readings-ridge.csv": readings,
    "calibration notes (draft).txt": NOTES.encode,
}
"""All files that the scripts refer to, by name."""
EMOJI: Final[dict[str, Callable[[], bytes]]] = {"wren": lambda: wren(PAPER), "soggy": rainy}
"""The organization's own emoji."""
