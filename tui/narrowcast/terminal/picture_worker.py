"""The program that decodes one picture, in a process of its own with limits, and ends.

Decoders are large, written in C, and fed by strangers: a picture of 2 KB can keep one busy for a minute, and a thread
cannot be ended. Standard input is the picture, the arguments are the columns, rows, width and height of a cell in
pixels, and the seconds of the processor that it may take. Standard output is `SIZE` and rows of RGBA, or nothing and an
error of one line on standard error.
"""

from __future__ import annotations

import resource
import struct
import sys

from narrowcast.terminal import images

MEMORY_BYTES = 1024 * 2**20
"""Of addresses, the program's own 300 MB included."""
SIZE = struct.Struct("!II")
"""Width and height in pixels, before the rows."""
LIMITS = (
    (resource.RLIMIT_AS, MEMORY_BYTES),
    (resource.RLIMIT_FSIZE, 0),
    (resource.RLIMIT_CORE, 0),
)


def limit_itself(cpu_seconds: int) -> None:
    """Take fewer resources from now on; nothing can raise these limits again."""
    for kind, most in ((resource.RLIMIT_CPU, cpu_seconds), *LIMITS):
        _, hard = resource.getrlimit(kind)
        if hard != resource.RLIM_INFINITY:
            most = min(most, hard)
        try:
            resource.setrlimit(kind, (most, most))
        except (OSError, ValueError):  # macOS knows some of these by name only
            continue


def main() -> int:
    """Decode standard input; the exit code says whether it was a picture."""
    columns, rows, width, height, cpu_seconds = map(int, sys.argv[1:6])
    limit_itself(cpu_seconds)
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
