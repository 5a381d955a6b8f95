"""Recordings of a real server, read if they are available.

They are reference data and not part of the project: the environment variable ``NARROWCAST_CAPTURES`` names
their folder; by default it is ``shared/captures`` beside the project, or beside the repository of which the
project is a work tree. Tests marked `needs_recordings` are
skipped without them; the others also use the project's own fixtures.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

PROJECT = Path(__file__).resolve().parents[2]
_BESIDE = tuple(parent / "shared" / "captures" for parent in (PROJECT.parent, PROJECT.parent.parent))
FIXTURES = Path(__file__).resolve().parents[1] / "api" / "fixtures"


def captures() -> Path | None:
    """Returns the folder of recordings, from the environment or beside the project; None if there is none."""
    named = os.environ.get("NARROWCAST_CAPTURES")
    if named:
        return Path(named)
    return next((place for place in _BESIDE if place.is_dir()), None)


needs_recordings = pytest.mark.skipif(
    captures() is None, reason="set NARROWCAST_CAPTURES to the folder of recordings"
)


def fixture(name: str) -> Any:
    """Returns one of the project's own fixtures."""
    return json.loads((FIXTURES / name).read_text(encoding="utf-8"))


def own_events() -> list[dict[str, Any]]:
    """Returns the project's own samples: at least one of every kind of event."""
    events: list[dict[str, Any]] = fixture("events.json")
    return events


def recorded_events() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields every event of the recordings, with the file that it comes from."""
    folder = captures()
    if folder is None:
        return
    for path in sorted((folder / "events").rglob("*.json")):
        content = json.loads(path.read_bytes())
        for sample in content if isinstance(content, list) else [content]:
            events = [sample["event"]] if "event" in sample else sample["response"]["events"]
            for event in events:
                yield str(path.relative_to(folder)), event


def recorded_responses() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields every request with a JSON object as response: {request, status, response, events}."""
    folder = captures()
    if folder is None:
        return
    for path in sorted(folder.glob("*/*.json")):
        if path.parent.name == "events":
            continue
        content = json.loads(path.read_bytes())
        if isinstance(content, dict) and isinstance(content.get("response"), dict) and "request" in content:
            yield str(path.relative_to(folder)), content
