"""Digests and random names without OpenSSL: loading it takes some milliseconds and 4 MB, and plain http does not
need it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hashlib import sha256
else:  # Python's own implementations, as the standard library's `random` takes them
    try:
        from _sha2 import sha256
    except ImportError:
        try:
            from _sha256 import sha256  # Python 3.11
        except ImportError:
            from hashlib import sha256

__all__ = ["random_hex", "sha256"]


def random_hex(size: int) -> str:
    """That many random bytes in hexadecimal, as `secrets.token_hex`."""
    return os.urandom(size).hex()
