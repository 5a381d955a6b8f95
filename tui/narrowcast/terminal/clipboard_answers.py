"""The terminal's answers about its clipboard (OSC 52), taken out of its input: no letter of one may act as a key."""

from __future__ import annotations

import base64
import binascii
import re

from textual.message import Message

__all__ = ["QUESTION", "ClipboardAnswer", "ClipboardAnswers"]

QUESTION = "\x1b]52;c;?\x07"
MAX_LENGTH = 30_000_000
"""Characters of an answer; a longer one is dropped."""
SILENT = 20
"""Times without input after which the rest of an answer is not expected any more."""

_BEGIN = "\x1b]52;"
_OTHER = re.compile(r"[^A-Za-z0-9+/=;]")


class ClipboardAnswer(Message):
    """What the terminal has in its clipboard, whether it was asked or not."""

    def __init__(self, content: bytes) -> None:
        super().__init__()
        self.content = content


class ClipboardAnswers:
    """Stores only an incomplete answer."""

    def __init__(self) -> None:
        self._held = ""
        """The end of the input, if an answer may begin or end there."""
        self._body: list[str] | None = None
        """What has come of an answer; None outside of one."""
        self._silent = 0

    def take(self, text: str) -> tuple[str, list[ClipboardAnswer]]:
        """The rest of the input, and the answers in it."""
        self._silent = 0
        text, self._held = self._held + text, ""
        rest: list[str] = []
        answers: list[ClipboardAnswer] = []
        while text:
            if self._body is None:
                before, begin, text = text.partition(_BEGIN)
                if begin:
                    self._body = []
                else:
                    before, self._held = _split_beginning(before)
                rest.append(before)
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
        return "".join(rest), answers

    def tick(self) -> str:
        """Called when there was no input for a moment: what is no beginning of an answer after all."""
        self._silent += 1
        if self._body is not None and self._silent < SILENT:
            return ""
        self._body = None
        held, self._held = self._held, ""
        return held


def _split_beginning(text: str) -> tuple[str, str]:
    """A text, and the first characters of an answer at its end. A lone escape is a key, which must not wait."""
    for length in range(len(_BEGIN) - 1, 1, -1):
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
