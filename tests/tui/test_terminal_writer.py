"""What is written to the terminal arrives complete and in order, and never blocks the app."""

from __future__ import annotations

import os
import tty
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TextIO

import pytest

from narrowcast.terminal.driver import MAX_PENDING, TerminalWriter
from narrowcast.terminal.fallbacks import tolerate_all_characters


@dataclass
class Terminal:
    """A pseudo-terminal; the test holds the user's end."""

    master: int
    file: TextIO
    events: list[str] = field(default_factory=list)

    def writer(self) -> TerminalWriter:
        writer = TerminalWriter(
            self.file, lambda: self.events.append("caught up"), lambda: self.events.append("lost")
        )
        writer.start()
        return writer

    def read(self, size: int) -> bytes:
        taken = bytearray()
        while len(taken) < size:
            taken += os.read(self.master, 1 << 16)
        return bytes(taken)


@contextmanager
def _terminal(encoding: str) -> Iterator[Terminal]:
    master, slave = os.openpty()
    tty.setraw(slave)
    with open(slave, "w", encoding=encoding) as file:
        tolerate_all_characters(file)
        try:
            yield Terminal(master, file)
        finally:
            os.close(master)


@pytest.mark.parametrize("encoding", ["utf-8", "iso-8859-15"])
def test_all_texts_come_in_order_although_the_terminal_reads_late(encoding: str) -> None:
    with _terminal(encoding) as terminal:
        writer = terminal.writer()
        texts = [f"{number} é{'–' * 700}\n" for number in range(MAX_PENDING // 2)]
        for text in texts:
            writer.write(text)
        wanted = b"".join(text.encode(encoding, terminal.file.errors or "") for text in texts)
        assert terminal.read(len(wanted)) == wanted
        writer.write("at last")
        assert terminal.read(7) == b"at last"
        writer.stop()
        assert not terminal.events


def test_what_the_terminal_takes_at_once_waits_for_no_thread() -> None:
    with _terminal("utf-8") as terminal:
        writer = TerminalWriter(terminal.file, lambda: None, lambda: None)
        writer.write("é")
        assert terminal.read(2) == "é".encode()
        writer.start()
        writer.stop()


def test_frames_fall_away_while_the_terminal_reads_nothing_and_then_all_is_asked_for_again() -> None:
    with _terminal("utf-8") as terminal:
        writer = terminal.writer()
        number, written = 0, ""
        while not writer.is_stalled:
            text = f"{number:04}" * 1000
            number += 1
            writer.write(text)
            written += "" if writer.is_stalled else text
        writer.write("falls away")
        assert terminal.read(len(written)) == written.encode()
        writer.stop()
        assert terminal.events == ["caught up"]


def test_the_terminal_is_not_changed_for_others() -> None:
    with _terminal("utf-8") as terminal:
        writer = terminal.writer()
        writer.write("text")
        assert os.get_blocking(terminal.file.fileno())
        writer.stop()
        assert terminal.read(4) == b"text"


def test_a_terminal_that_is_gone_is_told_of_once() -> None:
    master, slave = os.openpty()
    with suppress(OSError), open(slave, "w", encoding="utf-8") as file:  # flushing on close fails
        tolerate_all_characters(file)
        terminal = Terminal(master, file)
        writer = terminal.writer()
        os.close(master)
        writer.write("one")
        writer.join(30)
        writer.write("two")
        assert writer.gone
        assert terminal.events == ["lost"]
        writer.stop()
