"""Memory of the app at rest."""

from __future__ import annotations

from pathlib import Path

from bench.results import Row, mb
from bench.servers import Served
from bench.watched import Watched, end, open_app, python, resident_bytes


def measure(served: Served, folder: Path, what: str, limit: int) -> list[Row]:
    """Measures it after the first start and after a start with a warm cache."""
    rc = served.rc("ada")
    first = _at_rest(rc, folder)
    warm = _at_rest(rc, folder)
    yard = _empty(folder)
    return [
        Row(
            f"RSS, {what}, {start}",
            mb(size),
            f"empty Textual app {mb(yard)}",
            size / yard,
            f"<= {mb(limit)}",
            size <= limit,
        )
        for start, size in (("first start", first), ("warm cache", warm))
    ]


def _at_rest(rc: Path, folder: Path) -> int:
    app = open_app(rc, folder / "home")
    try:
        app.take_until_quiet(3.0)
        return resident_bytes(app.pid)
    finally:
        end(app)


def _empty(folder: Path) -> int:
    app = Watched(python("bench.empty_app"), folder / "empty-home")
    try:
        app.take(10)
        app.take_until_quiet(1.0, patience=3.0)  # its cursor blinks: it never becomes idle
        return resident_bytes(app.pid)
    finally:
        app.kill()
        app.hang_up()
