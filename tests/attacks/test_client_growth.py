"""What a server or a peer repeats takes no more memory, and no log record sends commands to a terminal."""

from __future__ import annotations

import logging
from collections.abc import Sized
from pathlib import Path

import pytest

from attacks.test_command_line_escapes import ALL, SEQUENCES, harmful
from narrowcast.terminal import logs
from narrowcast_api.narrow.destinations import ChannelDestination, DirectDestination
from narrowcast_api.resources import typing
from narrowcast_api.resources.typing import Typing

CHATTY = ("httpx2", "httpcore2", "websockets", "asyncio")
HERE = ChannelDestination(1, "lunch")


def held(people: Typing) -> int:
    """The number of items in all containers of the object."""
    return sum(len(kept) for kept in vars(people).values() if isinstance(kept, Sized))


def test_the_memory_of_typing_in_many_topics_is_bounded() -> None:
    people = Typing(15.0)
    for number in range(20_000):
        people.start(ChannelDestination(1, f"topic {number}"), 2, float(number) / 1e6)
    assert held(people) <= 4 * typing.MAX_ENTRIES
    assert people.typers(ChannelDestination(1, "topic 19999")) == (2,)


def test_the_memory_of_typing_by_many_users_is_bounded() -> None:
    people = Typing(15.0)
    for number in range(20_000):
        people.start(HERE, number, 0.0)
        people.start_edit(number, 1, 0.0)
    assert held(people) <= 4 * typing.MAX_ENTRIES


def test_conversations_without_typing_are_forgotten() -> None:
    people = Typing(1.0)
    for number in range(500):
        people.start(ChannelDestination(1, f"topic {number}"), 2, 0.0)
    conversations, _ = people.expire(2.0)
    assert len(conversations) == 500
    assert held(people) == 0


@pytest.mark.parametrize(
    "where",
    [ChannelDestination(1, "x" * 100_000), DirectDestination(frozenset(range(100_000)))],
    ids=["a long topic", "a crowd"],
)
def test_typing_in_an_invalid_place_is_not_stored(
    where: ChannelDestination | DirectDestination,
) -> None:
    people = Typing(15.0)
    assert not people.start(where, 2, 0.0)
    assert held(people) == 0


def logged(folder: Path, *records: str, error: Exception | None = None) -> str:
    root = logging.getLogger()
    before, levels = list(root.handlers), {name: logging.getLogger(name).level for name in (None, *CHATTY)}
    for handler in before:
        root.removeHandler(handler)
    try:
        assert logs.start_log(folder / "log" / "narrowcast.log")
        for record in records:
            logging.getLogger("x").warning("%s", record, exc_info=error)
        for handler in list(root.handlers):
            root.removeHandler(handler)
            handler.close()
    finally:
        logging.captureWarnings(False)
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)
        for handler in before:
            root.addHandler(handler)
    return (folder / "log" / "narrowcast.log").read_bytes().decode()


@pytest.mark.parametrize("text", SEQUENCES.values(), ids=SEQUENCES.keys())
def test_log_records_contain_no_escape_sequences(tmp_path: Path, text: str) -> None:
    written = logged(tmp_path, text)
    assert written.count("\n") >= 1
    assert harmful(written) == []


def test_tracebacks_in_the_log_contain_no_escape_sequences(tmp_path: Path) -> None:
    try:
        raise ValueError(ALL)
    except ValueError as error:
        written = logged(tmp_path, ALL, error=error)
    assert "ValueError" in written
    assert harmful(written) == []


def test_no_log_record_can_imitate_another(tmp_path: Path) -> None:
    written = logged(tmp_path, "one\n2026-01-01 00:00:00,000 INFO narrowcast: all is well")
    assert [line.startswith("    ") for line in written.splitlines()] == [False, True]


def test_a_long_log_record_does_not_displace_all_others(tmp_path: Path) -> None:
    assert len(logged(tmp_path, "x" * 5_000_000)) < 2 * logs.MAX_RECORD
