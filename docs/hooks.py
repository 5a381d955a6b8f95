"""MkDocs hook: adds the screenshots of the app to the site."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

PICTURES = Path(__file__).parents[1] / "screenshots"


def on_files(files: Files, *, config: Any) -> Files:
    """Publishes each `screenshots/NAME.svg` as `pictures/NAME.svg`."""
    for path in sorted(PICTURES.glob("*.svg")):
        files.append(File.generated(config, f"pictures/{path.name}", abs_src_path=str(path)))
    return files
