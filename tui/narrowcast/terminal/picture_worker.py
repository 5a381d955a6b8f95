"""The program that decodes one image, in a process of its own with limits, and ends.

Decoders are large, written in C, and get untrusted data: an image of 2 KB can keep one busy for a minute, and
a thread cannot be killed. Standard input is the image; the arguments are columns and rows, width and height
of a cell in pixels, and the maximum processor time in seconds. Standard output is `SIZE` and rows of RGBA, or
nothing and a one-line error on standard error.
"""

from __future__ import annotations

import resource
import struct
import sys

from narrowcast.terminal import images

MEMORY_BYTES = 1024 * 2**20
"""Limit of the address space, including 300 MB of the program itself."""
SIZE = struct.Struct("!II")
"""Width and height in pixels, written before the rows."""
LIMITS = (
    (resource.RLIMIT_AS, MEMORY_BYTES),
    (resource.RLIMIT_FSIZE, 0),
    (resource.RLIMIT_CORE, 0),
)


def limit_resources(cpu_seconds: int) -> None:
    """Limits the resources of this process; the limits cannot be raised again."""
    for kind, most in ((resource.RLIMIT_CPU, cpu_seconds), *LIMITS):
        _, hard = resource.getrlimit(kind)
        if hard != resource.RLIM_INFINITY:
            most = min(most, hard)
        try:
            resource.setrlimit(kind, (most, most))
        except (OSError, ValueError):  # macOS defines some of these limits but does not support them
            continue


def main() -> int:
    """Decodes standard input; returns the exit code, 0 for a valid image."""
    columns, rows, width, height, cpu_seconds = map(int, sys.argv[1:6])
    limit_resources(cpu_seconds)
    data = sys.stdin.buffer.read(images.MAX_BYTES + 1)
    try:
        picture = images.decode(data, (columns, rows), (width, height))
        pixels = picture.tobytes()
    except images.TooLarge as error:
        sys.stderr.write(str(error))
        return 1
    except MemoryError:
        sys.stderr.write(images.TOO_MUCH)
        return 1
    sys.stdout.buffer.write(SIZE.pack(*picture.size) + pixels)
    sys.stdout.buffer.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
