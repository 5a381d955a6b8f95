"""The list of time zones, which is read in a thread."""

from __future__ import annotations

from importlib.util import find_spec, module_from_spec
from threading import Event, Thread

import pytest


def test_who_asks_while_the_database_is_read_does_not_read_it_again(monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[int] = []
    is_read, go_on = Event(), Event()

    def read() -> set[str]:
        reads.append(1)
        is_read.set()
        go_on.wait(30)
        return {"Europe/Madrid", "Asia/Seoul"}

    spec = find_spec("narrowcast.text.time_zones")
    assert spec is not None
    assert spec.loader is not None
    time_zones = module_from_spec(spec)  # which has read nothing yet
    spec.loader.exec_module(time_zones)
    monkeypatch.setattr(time_zones, "available_timezones", read)
    first = Thread(target=time_zones.time_zones)
    first.start()
    assert is_read.wait(30)
    second = Thread(target=time_zones.time_zones)
    second.start()
    second.join(0.1)
    go_on.set()
    first.join()
    second.join()
    assert len(reads) == 1
