"""The terminal's answers about its clipboard (OSC 52), taken out of its input: no letter of one may act as a key."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass

from textual.message import Message

__all__ = ["QUESTION", "ClipboardAnswer", "ClipboardAnswers", "Taken"]

QUESTION = "\x1b]52;c;?\x07"
MAX_LENGTH = 30_000_000
"""Characters of an answer; a longer one is dropped."""
SILENT = 20
"""Times without input after which the rest of an answer is not expected any more."""

_BEGIN = "\x1b]52;"
_KEYS = ("\x1b", "\x1b]")
"""The beginnings of an answer that are keys if nothing follows: Escape and Alt-]."""
_OTHER = re.compile(r"[^A-Za-z0-9+/=;]")


class ClipboardAnswer(Message):
    """What the terminal has in its clipboard, whether it was asked or not."""

    def __init__(self, content: bytes) -> None:
        super().__init__()
        self.content = content


@dataclass(frozen=True)
class Taken:
    """What some input consists of."""

    rest: str
    """The input without answers."""
    answers: list[ClipboardAnswer]
    follows_escape: bool
    """Whether the escape before this input, which was handed on, was the first character of an answer."""


class ClipboardAnswers:
    """Stores only an incomplete answer."""

    def __init__(self) -> None:
        self._held = ""
        """The end of the input, if an answer may begin or end there."""
        self._given = 0
        """How many characters of it were handed on, as nothing followed."""
        self._body: list[str] | None = None
        """What has come of an answer; None outside of one."""
        self._silent = 0

    def take(self, text: str) -> Taken:
        """Takes the answers out of the input."""
        self._silent = 0
        text, self._held = self._held + text, ""
        given, self._given = self._given, 0
        follows_escape = bool(given) and text.startswith(_BEGIN)
        rest: list[str] = []
        answers: list[ClipboardAnswer] = []
        while text:
            if self._body is None:
                before, begin, text = text.partition(_BEGIN)
                if begin:
                    self._body = []
                else:
                    before, self._held = _split_beginning(before)
                rest.append(before[given:])
                if before or begin:
                    given = 0
                continue
            other = _OTHER.search(text)
            end = other.start() if other is not None else len(text)
            self._body.append(text[:end])
            text = text[end:]
            if text == "\x1b":
                self._held, text = text, ""
            elif text.startswith(("\x07", "\x1b\\")):
                answers += _answers("".join(self._body))
                self._body, text = None, text.removeprefix("\x07").removeprefix("\x1b\\")
            elif text:
                self._body = None  # it was cut off
        if self._body is None and self._held == "\x1b" and not given:
            rest.append(self._held)  # a key must not wait
            given = len(self._held)
        self._given = given
        return Taken("".join(rest), answers, follows_escape)

    def tick(self) -> str:
        """Called when there was no input for a moment: what is no beginning of an answer after all. An answer that
        has begun, and never ends, is dropped.
        """
        self._silent += 1
        if self._silent >= SILENT:
            held = "" if self._body is None else self._held
            self._body, self._held, self._given = None, "", 0
            return held
        if self._body is not None or not (self._given or self._held in _KEYS):
            return ""
        released, self._given = self._held[self._given :], len(self._held)
        return released


def _split_beginning(text: str) -> tuple[str, str]:
    """A text, and the first characters of an answer at its end."""
    for length in range(len(_BEGIN) - 1, 0, -1):
        if text.endswith(_BEGIN[:length]):
            return text[:-length], text[-length:]
    return text, ""


def _answers(body: str) -> list[ClipboardAnswer]:
    content = body.rpartition(";")[2]
    if not content or len(content) > MAX_LENGTH:
        return []
    try:
        return [ClipboardAnswer(base64.b64decode(content, validate=True))]
    except binascii.Error:
        return []
