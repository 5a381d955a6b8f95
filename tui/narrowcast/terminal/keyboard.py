"""Turning the terminal's input into Textual's messages, whatever bytes it contains.

Textual's own reader ends the app at the first byte that is not UTF-8 and at a key code out of range, and it
waits forever for the end of a paste that was cut off. Here an invalid byte becomes a replacement character,
an unreadable sequence is dropped, and a paste without further input is ended by a key that cannot be part of
it.

A terminal without bracketed paste sends pasted lines as if they were typed. So an Enter that is followed by text
at once is a line break: its character is a line feed. Enter is delivered when that is known.
"""

from __future__ import annotations

import codecs
import logging
import os
import selectors
from collections.abc import Callable, Iterable, Iterator, Mapping
from threading import Event

from textual import events
from textual.message import Message

from narrowcast.terminal.clipboard_answers import ClipboardAnswers
from narrowcast.terminal.textual_fixes import KeyParser
from narrowcast.terminal.textual_reads import BRACKETED_PASTE_END, BRACKETED_PASTE_START

__all__ = ["FOLLOWS", "LOOK", "MAX_READ", "QUIET", "Keyboard", "SideMargins", "read_keys", "takes_mouse"]

MAX_READ = 4096
QUIET = 0.5
"""Seconds without input after which a paste may have been cut off."""
FOLLOWS = 0.02
"""Seconds after an Enter within which text shows that it was pasted: nobody types so fast."""
LOOK = 0.1
"""Seconds between checks of the clock: a lone escape counts as a key after a moment."""

_log = logging.getLogger(__name__)


class SideMargins(Message):
    """The terminal can move rows between two columns only."""


class Keyboard:
    """Turns bytes into messages; stores only an incomplete sequence."""

    def __init__(self) -> None:
        self._parser = KeyParser()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._answers = ClipboardAnswers()
        self._last = 0.0
        self._tail = ""
        self._enters: list[events.Key] = []
        self.pasting = False

    @property
    def is_holding(self) -> bool:
        """Whether an Enter is held back until it is known what follows."""
        return bool(self._enters)

    def feed(self, data: bytes, now: float) -> Iterator[Message]:
        """The messages in ``data``, which arrived at ``now`` (monotonic seconds)."""
        taken = self._answers.take(self._decoder.decode(data))
        text = taken.rest
        if taken.follows_escape:
            self._start_again()
        if self.pasting and now - self._last > QUIET and _is_a_key(text):
            yield from self._parse(BRACKETED_PASTE_END)
            self.pasting = False
        self._last = now
        self._note_pastes(text)
        for message in self._parse(text):
            yield from self._after_enters(message)
        if self._parser.has_side_margins:
            self._parser.has_side_margins = False
            yield SideMargins()
        yield from taken.answers

    def tick(self) -> Iterator[Message]:
        """Messages that are certain now because nothing followed, such as a lone escape."""
        yield from self._enters_as(None)
        yield from self._parse(self._answers.tick())
        yield from self._guarded(self._parser.tick())

    def _after_enters(self, message: Message) -> Iterator[Message]:
        """Delivers the Enters that were held back, before `message`, or holds it back too if it is one."""
        if isinstance(message, events.Key) and message.key == "enter":
            self._enters.append(message)
            return
        is_text = isinstance(message, events.Key) and (message.is_printable or message.key == "tab")
        yield from self._enters_as("\n" if is_text else None)
        yield message

    def _enters_as(self, character: str | None) -> Iterator[Message]:
        enters, self._enters = self._enters, []
        yield from (events.Key("enter", character) if character is not None else enter for enter in enters)

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
        for piece in pieces:  # separately, so that the text after a bad sequence is not lost
            yield from self._guarded(self._parser.feed(piece))

    def _guarded(self, messages: Iterable[Message]) -> Iterator[Message]:
        try:
            yield from messages
        except Exception as error:  # any error of Textual's parser
            _log.warning("a sequence from the terminal cannot be read: %s", type(error).__name__)
            self._start_again()
            self.pasting = False

    def _start_again(self) -> None:
        """Forgets an incomplete sequence; keeps what the terminal said about its mouse."""
        parser = KeyParser()
        parser.mouse_pixels = self._parser.mouse_pixels
        parser.terminal_size = self._parser.terminal_size
        parser.terminal_pixel_size = self._parser.terminal_pixel_size
        self._parser = parser


def _is_a_key(text: str) -> bool:
    """Whether ``text`` begins with a key's control character, which terminals remove from pasted text."""
    if text.startswith(BRACKETED_PASTE_END):
        return False
    return bool(text) and text[0] < " " and text[0] not in "\t\n\r"


def read_keys(
    fileno: int, leaving: Event, monotonic: Callable[[], float], deliver: Callable[[Message], None]
) -> None:
    """Reads the terminal until ``leaving`` is set, and passes each message to ``deliver``. Blocks; runs in a
    thread.
    """
    keyboard = Keyboard()
    with selectors.SelectSelector() as selector:
        selector.register(fileno, selectors.EVENT_READ)
        while not leaving.is_set():
            ready = selector.select(FOLLOWS if keyboard.is_holding else LOOK)
            data = os.read(fileno, MAX_READ) if ready else b""
            if ready and not data:
                break  # the terminal is gone: see the signal handler. Textual may have started to read again on the
                # SIGCONT that follows a hang-up, after it had stopped: then nothing would set `leaving`
            for message in keyboard.feed(data, monotonic()) if data else keyboard.tick():
                deliver(message)
    keyboard.close()


def takes_mouse(environment: Mapping[str, str]) -> bool:
    """False for GNU screen: while it reports the mouse, it delays Escape until the next key and joins the two."""
    return bool(environment.get("TMUX")) or not environment.get("STY")
