"""The list of time zones, which is read in a thread."""

from __future__ import annotations

from threading import Event, Thread

import pytest

from narrowcast.text import time_zones


def test_who_asks_while_the_database_is_read_does_not_read_it_again(monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[int] = []
    is_read, go_on = Event(), Event()

    def read() -> set[str]:
        reads.append(1)
        is_read.set()
        go_on.wait(30)
        return {"Europe/Madrid", "Asia/Seoul"}

    monkeypatch.setattr(time_zones, "available_timezones", read)
    time_zones._time_zones.cache_clear()
    first = Thread(target=time_zones.time_zones)
    first.start()
    assert is_read.wait(30)
    second = Thread(target=time_zones.time_zones)
    second.start()
    second.join(0.1)
    go_on.set()
    first.join()
    second.join()
    time_zones._time_zones.cache_clear()
    assert len(reads) == 1
