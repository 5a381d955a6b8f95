"""The files of the demo world, made here: small pictures, a sound, a table. Nothing is shipped as bytes."""

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


def png(width: int, height: int, paint: Paint) -> bytes:
    """A picture: `paint(x, y)` says the colour of each point."""
    rows = b"".join(b"\0" + bytes(part for x in range(width) for part in paint(x, y)) for y in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def chunk(kind: bytes, data: bytes) -> bytes:
    """A piece of a PNG file with its length and checksum."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def gust(hour: float) -> float:
    """Wind in m/s over a night, with the spikes of the heater at every second hour."""
    calm = 6 + 3 * math.sin(hour / 3.1) + 1.2 * math.sin(hour * 2.7)
    return 31.0 if hour > 1 and hour % 2 < 0.05 else calm


def gust_chart() -> bytes:
    """The night of mast 3 as a curve."""
    width, height = 480, 200
    scale = (height - 30) / 35

    def paint(x: int, y: int) -> Color:
        hour = x * 12 / width
        top = height - 15 - gust(hour) * scale
        before = height - 15 - gust(max(0.0, hour - 12 / width)) * scale
        if min(top, before) - 1 <= y <= max(top, before) + 1:
            return RED if gust(hour) > 20 else INK
        if y == height - 15 or x % 40 == 0:
            return (210, 206, 196)
        return PAPER

    return png(width, height, paint)


def disc(x: int, y: int, center_x: float, center_y: float, radius: float) -> bool:
    """Whether a point is in a circle."""
    return math.hypot(x - center_x, y - center_y) <= radius


def wren(size: int, back: Color) -> bytes:
    """A small round bird, tail up."""

    def paint(x: int, y: int) -> Color:
        u, v = x * 64 / size, y * 64 / size
        point = (int(u), int(v))
        if disc(*point, 45, 24, 1.6):
            return INK
        if disc(*point, 28, 36, 16) or disc(*point, 43, 25, 9):
            return (196, 150, 106) if disc(*point, 31, 42, 9) else BROWN
        if 50 <= u <= 60 and abs(v - 26) < (60 - u) / 4:
            return SUN
        if 6 <= u <= 16 and abs((v - 20) - (u - 11)) < 5 and v < 36:
            return BROWN
        return INK if (v > 50 and abs(u - 27) < 1.3) or (v > 50 and abs(u - 33) < 1.3) else back

    return png(size, size, paint)


def rainy(size: int) -> bytes:
    """A cloud that has had enough."""

    def paint(x: int, y: int) -> Color:
        u, v = x * 64 // size, y * 64 // size
        if disc(u, v, 24, 26, 12) or disc(u, v, 40, 24, 14) or (12 < u < 54 and 26 < v < 38):
            return (120, 134, 150)
        return (70, 130, 200) if v > 40 and (u * 2 + v) % 14 < 3 else PAPER

    return png(size, size, paint)


def ring() -> bytes:
    """The heating ring, seen from above."""

    def paint(x: int, y: int) -> Color:
        distance = math.hypot(x - 120, y - 120)
        if 62 < distance < 78:
            return RED
        if abs(distance - 100) < 1.5 or any(disc(x, y, 120 + dx, 120 + dy, 9) for dx, dy in CORNERS):
            return INK
        return PAPER

    return png(240, 240, paint)


CORNERS: Final = ((-50, -50), (50, -50), (-50, 50), (50, 50))


def card() -> bytes:
    """Six frames without a word."""
    frames = (SKY, SUN, (180, 210, 160), RED, (200, 180, 220), BROWN)

    def paint(x: int, y: int) -> Color:
        column, row = x // 110, y // 110
        inside = 8 < x % 110 < 102 and 8 < y % 110 < 102
        frame = frames[row * 3 + column]
        return (
            frame if inside and disc(x % 110, y % 110, 55, 55, 22 + 6 * column) else PAPER if inside else INK
        )

    return png(330, 220, paint)


def face(seed: int) -> bytes:
    """A face for somebody without a photograph: a symmetric pattern in one colour."""
    color: Color = (60 + seed * 53 % 150, 60 + seed * 97 % 150, 60 + seed * 31 % 150)
    cells = zlib.crc32(f"face {seed}".encode())

    def paint(x: int, y: int) -> Color:
        column, row = x // 8, y // 8
        bit = row * 4 + min(column, 7 - column)
        return color if cells >> bit & 1 else PAPER

    return png(64, 64, paint)


def hum() -> bytes:
    """Two seconds of a mast in the wind."""
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
    """A night on the ridge, a line every ten minutes."""
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
    "wren.png": lambda: wren(192, SKY),
    "heater-ring.png": ring,
    "quick-start-card.png": card,
    "mast-hum.wav": hum,
    "readings-ridge.csv": readings,
    "calibration notes (draft).txt": NOTES.encode,
}
"""Every file that the scripts refer to, by name."""
EMOJI: Final[dict[str, Callable[[], bytes]]] = {"wren": lambda: wren(64, PAPER), "soggy": lambda: rainy(64)}
"""The organization's own emoji."""
