"""What comes from the terminal, as Textual's messages, whatever bytes come.

Textual's own reader ends the app at the first byte that is no UTF-8 and at a key code out of range, and it waits
forever for the end of a paste that was cut off. Here a broken byte is a replacement character, a sequence that
cannot be read falls away, and a key that nobody can have pasted ends a paste that has gone quiet.
"""

from __future__ import annotations

import codecs
import logging
import os
import selectors
from collections.abc import Callable, Iterable, Iterator
from threading import Event

from textual.message import Message

from narrowcast.terminal.textual_private import BRACKETED_PASTE_END, BRACKETED_PASTE_START, KeyParser

LONGEST_READ = 4096
QUIET = 0.5
"""Seconds without a byte after which a paste may have been cut off."""
LOOK = 0.1
"""Seconds between looks at the clock: a lone escape is a key after a moment."""

_log = logging.getLogger(__name__)


class SideMargins(Message):
    """The terminal can move rows between two columns alone."""


class Keyboard:
    """Turns bytes into messages; keeps no more than an unfinished sequence."""

    def __init__(self) -> None:
        self._parser = KeyParser()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._last = 0.0
        self._tail = ""
        self.pasting = False

    def feed(self, data: bytes, now: float) -> Iterator[Message]:
        """The messages in ``data``, which came at ``now`` (monotonic seconds)."""
        text = self._decoder.decode(data)
        if self.pasting and now - self._last > QUIET and _is_a_key(text):
            yield from self._parse(BRACKETED_PASTE_END)
            self.pasting = False
        self._last = now
        self._note_pastes(text)
        yield from self._parse(text)
        if self._parser.has_side_margins:
            self._parser.has_side_margins = False
            yield SideMargins()

    def tick(self) -> Iterator[Message]:
        """What has become certain because nothing followed."""
        yield from self._guarded(self._parser.tick())

    def close(self) -> None:
        for _ in self._guarded(self._parser.feed("")):
            pass

    def _note_pastes(self, text: str) -> None:
        seen = self._tail + text
        begun, ended = seen.rfind(BRACKETED_PASTE_START), seen.rfind(BRACKETED_PASTE_END)
        if begun != ended:
            self.pasting = begun > ended
        self._tail = seen[-len(BRACKETED_PASTE_START) + 1 :]

    def _parse(self, text: str) -> Iterator[Message]:
        pieces = text if "\x1b" in text else [text] if text else []  # an empty text would mean the end
        for piece in pieces:  # singly, so that what follows a bad sequence is not lost with it
            yield from self._guarded(self._parser.feed(piece))

    def _guarded(self, messages: Iterable[Message]) -> Iterator[Message]:
        try:
            yield from messages
        except Exception as error:  # whatever Textual's parser stumbles over
            _log.warning("a sequence from the terminal cannot be read: %s", type(error).__name__)
            self._parser = KeyParser()
            self.pasting = False


def _is_a_key(text: str) -> bool:
    """Whether ``text`` begins as a key does that terminals take out of what is pasted."""
    if text.startswith(BRACKETED_PASTE_END):
        return False
    return bool(text) and text[0] < " " and text[0] not in "\t\n\r"


def read_keys(
    fileno: int, leaving: Event, monotonic: Callable[[], float], heard: Callable[[Message], None]
) -> None:
    """Read the terminal until ``leaving`` is set and tell ``heard`` what comes. Blocks; runs in a thread."""
    keyboard = Keyboard()
    with selectors.SelectSelector() as selector:
        selector.register(fileno, selectors.EVENT_READ)
        while not leaving.is_set():
            ready = selector.select(LOOK)
            data = os.read(fileno, LONGEST_READ) if ready else b""
            if ready and not data:
                break  # the terminal is gone; the signal handler sees to it. Textual may have begun to read anew on the
                # SIGCONT that follows a hang-up, after it had ended: nobody would set `leaving` then
            for message in keyboard.feed(data, monotonic()) if data else keyboard.tick():
                heard(message)
    keyboard.close()
