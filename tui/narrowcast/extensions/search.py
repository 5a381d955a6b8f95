"""Whether there are any extensions: checked at every start, so it imports nothing and reads little.

Entry points are read from the small files that name them: `importlib.metadata` takes longer to import than most
extensions.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

__all__ = ["FOLDER", "GROUP", "has_extensions", "named"]

FOLDER = "extensions"
"""Name of the folder of extensions in the configuration's folder."""
GROUP = "narrowcast.extensions"
"""The group of entry points."""
_MARK = f"[{GROUP}]".encode()


def has_extensions(folder: Path, search: Sequence[str] | None = None) -> bool:
    """Whether there is a file in ``folder``, or an installed package on the path of imports with an entry point."""
    try:
        if any(path.suffix == ".py" for path in folder.iterdir()):
            return True
    except OSError:
        pass  # most users have no such folder
    return any(True for _ in named(sys.path if search is None else search))


def named(search: Sequence[str]) -> Iterator[Path]:
    """The files of installed packages that contain entry points of the group."""
    for folder in search:
        try:
            packages = [name for name in os.listdir(folder or ".") if name.endswith("-info")]  # noqa: PTH208 - faster
        except OSError:
            continue
        for package in packages:
            name = os.path.join(folder, package, "entry_points.txt")  # noqa: PTH118 - faster, as the next line
            if not os.path.isfile(name):  # noqa: PTH113
                continue
            file = Path(name)
            try:
                if _MARK in file.read_bytes():
                    yield file
            except OSError:
                continue
