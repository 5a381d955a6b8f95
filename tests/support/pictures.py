"""Pictures for uploads."""

import struct
import zlib

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360f8cf"
    "500f0003860180b4f1d2f00000000049454e44ae426082"
)
"""A picture of one point."""


def png(*chunks: tuple[bytes, bytes]) -> bytes:
    """Returns a PNG of these chunks, each with its type and data; the server only reads the header."""
    parts = (
        struct.pack("!I", len(data)) + kind + data + struct.pack("!I", zlib.crc32(kind + data))
        for kind, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def header(width: int = 32, height: int = 32) -> tuple[bytes, bytes]:
    """Returns the first chunk of a PNG of this size."""
    return b"IHDR", struct.pack("!IIBBBBB", width, height, 8, 6, 0, 0, 0)
