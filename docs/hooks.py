"""What the build of the documentation adds: the pictures that are drawn from the running app."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

PICTURES = Path(__file__).parents[1] / "screenshots"


def on_files(files: Files, *, config: Any) -> Files:
    """`pictures/NAME.svg` on pages is `screenshots/NAME.svg`."""
    for path in sorted(PICTURES.glob("*.svg")):
        files.append(File.generated(config, f"pictures/{path.name}", abs_src_path=str(path)))
    return files
