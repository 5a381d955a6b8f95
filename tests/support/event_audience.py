"""An embedded server that sends an event to fewer users than it should."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest

from support.server import TestServer

Event = Mapping[str, Any]


@contextmanager
def sending_events_to(server: TestServer, whom: Callable[[Event, set[int]], Iterable[int]]) -> Iterator[None]:
    """Within the block an event is sent to `whom(event, people)` instead of to these people."""
    emit = server.core.emit

    def to_some(event: Event, to: Iterable[int], **more: Any) -> None:
        emit(event, whom(event, set(to)), **more)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(server.core, "emit", to_some)
        yield
