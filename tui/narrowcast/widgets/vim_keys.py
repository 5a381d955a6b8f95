"""Vim's modal editing: the commands of normal mode, without a screen.

Counts; the motions h j k l w b e 0 ^ $ gg G; the operators d c y with them, and dd cc yy; x X D C Y s S r p P
u J ~; i a I A o O; . repeats the last change, with its own count if it has one. There is one register for cut and
copied text, separate from the editor's own cuts.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from narrowcast.widgets.text_buffer import TextBuffer

__all__ = ["VimKeys"]

_WORDS = re.compile(r"\w+|[^\w\s]+")
_COUNTS = re.compile(r"^(?:[1-9]\d*)?([dcy]?)(?:[1-9]\d*)?")
"""The counts at the beginning of a change, around its operator."""
_LINEWISE = frozenset({"j", "k", "G", "g"})
_MOTIONS = frozenset("hjklwbe0^$Gg")
_OPERATORS = frozenset("dcy")
MAX_COUNT = 9999
"""The highest count of a command, such as the 3 of 3w."""


class VimKeys:
    """The vim state of one buffer. It starts in insert mode, in which the editor handles every key but Escape."""

    def __init__(self, buffer: TextBuffer) -> None:
        self._buffer = buffer
        self.inserting = True
        self._count = ""
        self._factor = ""
        """The count before the operator: d3w in 2d3w is repeated twice."""
        self._operator = ""
        self._pending = ""
        self._register = ""
        self._whole_lines = False
        self._keys = ""
        """The keys of the command in progress, or of the one that began the insertion."""
        self._before = ""
        """The text before that command."""
        self._inserted_from: tuple[int, str] | None = None
        """Where an insertion began, and the text at that moment."""
        self._last: tuple[str, str] = ("", "")
        """The keys of the last change, and the text that was then inserted."""
        self._commands: dict[str, Callable[[int], None]] = {
            "i": lambda _: self._insert_at(self._buffer.cursor),
            "a": lambda _: self._insert_at(self._right(1, end=True)),
            "I": lambda _: self._insert_at(self._first_letter()),
            "A": lambda _: self._insert_at(self._buffer.line_end()),
            "o": lambda _: self._open_line(self._buffer.line_end(), "\n", 1),
            "O": lambda _: self._open_line(self._buffer.line_start(), "\n", 0),
            "x": lambda count: self._cut(self._buffer.cursor, self._right(count, end=True)),
            "X": lambda count: self._cut(self._left(count), self._buffer.cursor),
            "D": lambda _: self._cut(self._buffer.cursor, self._buffer.line_end()),
            "C": lambda _: self._change(self._buffer.cursor, self._buffer.line_end()),
            "s": lambda count: self._change(self._buffer.cursor, self._right(count, end=True)),
            "S": lambda _: self._change(self._buffer.line_start(), self._buffer.line_end()),
            "Y": lambda count: self._lines("y", count),
            "p": lambda count: self._put(count, after=True),
            "P": lambda count: self._put(count, after=False),
            "u": lambda count: self._undo(count),
            "J": lambda _: self._join(),
            "~": lambda count: self._swap_case(count),
        }

    def enter_insert(self) -> None:
        """Switches to insert mode, such as in a field that just got the focus."""
        self.inserting = True
        self._forget()

    def take(self, key: str, character: str | None) -> bool:
        """Handles a key; returns whether it was one of vim's. Escape in normal mode is not, unless a command
        is pending.
        """
        if self.inserting:
            if key != "escape":
                return False
            self._end_insertion()
            self.inserting = False
            self._to(self._left(1))
            return True
        if key == "escape":
            begun = bool(self._count or self._operator or self._pending)
            self._forget()
            return begun
        if character is None or not character.isprintable():
            return False
        self._normal_and_remember(character)
        return True

    # repeating

    def _normal_and_remember(self, key: str) -> None:
        if not (self._count or self._operator or self._pending):
            self._keys, self._before = "", self._buffer.text
        if key == "." and not (self._operator or self._pending):
            count, self._keys = self._keys, ""
            self._forget()
            self._repeat(count)
            return
        self._keys += key
        self._normal(key)
        if self.inserting:
            self._inserted_from = (self._buffer.cursor, self._buffer.text)
        elif self._buffer.text != self._before and key != "u":
            self._last = (self._keys, "")

    def _end_insertion(self) -> None:
        """Remembers what was inserted, if it is one piece where the insertion began."""
        begun, self._inserted_from = self._inserted_from, None
        if begun is None or not self._keys:
            return
        start, before = begun
        text, end = self._buffer.text, self._buffer.cursor
        if text[:start] + text[end:] == before:
            self._last = (self._keys, text[start:end])

    def _repeat(self, count: str) -> None:
        """Repeats the last change; ``count``, if there is one, replaces its own, as for later repetitions."""
        keys, inserted = self._last
        if count and keys:
            keys = count + _COUNTS.sub(r"\1", keys)
            self._last = (keys, inserted)
        for key in keys:
            self._normal(key)
        if self.inserting:
            self._buffer.insert(inserted)
            self.inserting = False
            self._to(self._left(1))

    def _forget(self) -> None:
        self._count = self._factor = self._operator = self._pending = ""

    # normal mode

    def _normal(self, key: str) -> None:
        if self._pending == "r":
            self._replace_letter(key)
        elif self._pending == "g":
            self._pending = ""
            if key == "g":
                self._move("g")
            else:
                self._forget()
        elif key.isdigit() and (key != "0" or self._count):
            self._count = (self._count + key)[:4]
        elif key in "rg":
            self._pending = key
        elif key in _OPERATORS:
            self._begin_operator(key)
        elif key in _MOTIONS:
            self._move(key)
        elif key in self._commands and not self._operator:
            count = self._times()
            self._forget()
            self._commands[key](count)
            self._stay_on_a_letter()
        else:
            self._forget()

    def _times(self) -> int:
        return min(int(self._count or "1") * int(self._factor or "1"), MAX_COUNT)

    def _begin_operator(self, key: str) -> None:
        if self._operator == key:
            count = self._times()
            self._forget()
            self._lines(key, count)
        elif self._operator:
            self._forget()
        else:
            self._operator, self._factor, self._count = key, self._count, ""

    def _move(self, motion: str) -> None:
        operator, count, counted = self._operator, self._times(), bool(self._count or self._factor)
        self._forget()
        if not operator:
            self._to(self._target(motion, count, counted))
            self._stay_on_a_letter()
        elif motion in _LINEWISE:
            self._operate_lines(operator, self._target(motion, count, counted))
        else:
            self._operate(operator, *sorted((self._buffer.cursor, self._end(operator, motion, count))))

    def _end(self, operator: str, motion: str, count: int) -> int:
        """The other end of what an operator is applied to."""
        text, here = self._buffer.text, self._buffer.cursor
        match motion:
            case "$":
                return self._buffer.line_end()
            case "h":
                return self._left(count)
            case "l":
                return self._right(count, end=True)
            case "e":
                return min(self._target("e", count, counted=True) + 1, len(text))
            case "w" if operator == "c" and not text[here : here + 1].isspace():
                ends = [
                    word.end() for word in _WORDS.finditer(text, here)
                ]  # without the blanks behind the word
                return ends[count - 1] if len(ends) >= count else len(text)
            case "w":
                target = self._target("w", count, counted=True)
                last_word = max((word.end() for word in _WORDS.finditer(text, here, target)), default=here)
                line_break = text.find(
                    "\n", last_word, target
                )  # the last word does not pull up the next line
                return target if line_break < 0 else line_break
            case _:
                return self._target(motion, count, counted=True)

    def _target(self, motion: str, count: int, counted: bool) -> int:
        text, here = self._buffer.text, self._buffer.cursor
        match motion:
            case "h":
                return self._left(count)
            case "l":
                return self._right(count)
            case "0":
                return self._buffer.line_start()
            case "^":
                return self._first_letter()
            case "$":
                return self._buffer.line_end()
            case "j" | "k":
                return self._vertical(count if motion == "j" else -count)
            case "g" | "G":
                return self._line(count - 1 if counted or motion == "g" else text.count("\n"))
            case "w":
                later = [word.start() for word in _WORDS.finditer(text) if word.start() > here]
                return later[count - 1] if len(later) >= count else len(text)
            case "b":
                earlier = [word.start() for word in _WORDS.finditer(text) if word.start() < here]
                return earlier[-count] if len(earlier) >= count else 0
            case _:
                ends = [word.end() - 1 for word in _WORDS.finditer(text) if word.end() - 1 > here]
                return ends[count - 1] if len(ends) >= count else max(0, len(text) - 1)

    # positions

    def _to(self, position: int) -> None:
        self._buffer.cursor = max(0, min(position, len(self._buffer.text)))

    def _stay_on_a_letter(self) -> None:
        """In normal mode, keep the cursor on a letter: it never stands behind the last one of a line."""
        if not self.inserting and self._buffer.cursor == self._buffer.line_end():
            self._to(self._left(1))

    def _left(self, count: int) -> int:
        return self._step(-count, self._buffer.line_start())

    def _right(self, count: int, *, end: bool = False) -> int:
        bound = self._buffer.line_end()
        target = self._step(count, bound)
        return target if end or target < bound else max(self._buffer.cursor, self._step_from(bound, -1))

    def _step(self, by: int, bound: int) -> int:
        """The position that many characters on, at most ``bound``; a cluster is one character."""
        keep = self._buffer.cursor
        for _ in range(min(abs(by), len(self._buffer.text))):
            if self._buffer.cursor == bound:
                break
            if by < 0:
                self._buffer.left()
            else:
                self._buffer.right()
        there, self._buffer.cursor = self._buffer.cursor, keep
        return there

    def _step_from(self, position: int, by: int) -> int:
        keep, self._buffer.cursor = self._buffer.cursor, position
        there = self._step(by, self._buffer.line_start() if by < 0 else self._buffer.line_end())
        self._buffer.cursor = keep
        return there

    def _first_letter(self) -> int:
        start, end = self._buffer.line_start(), self._buffer.line_end()
        line = self._buffer.text[start:end]
        return start + len(line) - len(line.lstrip())

    def _line(self, number: int) -> int:
        """The start of a line; of the last one if the number is too high."""
        starts = [0, *(line_break.end() for line_break in re.finditer("\n", self._buffer.text))]
        return starts[min(max(number, 0), len(starts) - 1)]

    def _vertical(self, by: int) -> int:
        text, here = self._buffer.text, self._buffer.cursor
        column = here - self._buffer.line_start()
        start = self._line(text.count("\n", 0, here) + by)
        end = text.find("\n", start)
        return min(start + column, len(text) if end < 0 else end)

    # operations

    def _operate(self, operator: str, start: int, end: int) -> None:
        if operator == "y":
            self._keep(start, end)
            self._to(start)
        elif operator == "c":
            self._change(start, end)
        else:
            self._cut(start, end)
        self._stay_on_a_letter()

    def _lines(self, operator: str, count: int) -> None:
        self._operate_lines(operator, self._vertical(count - 1))

    def _operate_lines(self, operator: str, target: int) -> None:
        """Applies the operator to all lines from the cursor to ``target``."""
        text = self._buffer.text
        first, last = sorted((self._buffer.cursor, target))
        start = text.rfind("\n", 0, first) + 1
        end = text.find("\n", last)
        end = len(text) if end < 0 else end
        kept = text[start:end]
        if operator == "c":
            self._change(start, end)
        elif operator == "d":
            whole = (start, end + 1) if end < len(text) else (max(0, start - 1), end)
            self._buffer.replace(*whole, "")
            self._to(min(start, len(self._buffer.text)))
            self._to(self._first_letter())
        else:
            self._to(start if target < self._buffer.cursor else self._buffer.cursor)
        self._register, self._whole_lines = kept, True

    def _keep(self, start: int, end: int) -> None:
        self._register, self._whole_lines = self._buffer.text[start:end], False

    def _cut(self, start: int, end: int) -> None:
        if start < end:
            self._keep(start, end)
            self._buffer.replace(start, end, "")
            self._to(start)

    def _change(self, start: int, end: int) -> None:
        self._cut(start, end)
        self._insert_at(start)

    def _insert_at(self, position: int) -> None:
        self._to(position)
        self.inserting = True

    def _open_line(self, position: int, text: str, offset: int) -> None:
        self._buffer.replace(position, position, text)
        self._insert_at(position + offset)

    def _put(self, count: int, *, after: bool) -> None:
        if not self._register:
            return
        if self._whole_lines:
            lines = "\n".join([self._register] * count)
            if after:
                end = self._buffer.line_end()
                self._buffer.replace(end, end, f"\n{lines}")
                self._to(end + 1)
            else:
                start = self._buffer.line_start()
                self._buffer.replace(start, start, f"{lines}\n")
                self._to(start)
            return
        place = self._right(1, end=True) if after else self._buffer.cursor
        text = self._register * count
        self._buffer.replace(place, place, text)
        self._to(place + len(text) - 1)

    def _replace_letter(self, letter: str) -> None:
        count = self._times()
        self._forget()
        start, end = self._buffer.cursor, self._right(count, end=True)
        if start < end:
            self._buffer.replace(start, end, letter * count)
            self._to(start + count - 1)

    def _undo(self, count: int) -> None:
        for _ in range(count):
            if not self._buffer.undo():
                break

    def _join(self) -> None:
        end, text = self._buffer.line_end(), self._buffer.text
        if end < len(text):
            rest = len(text[end:]) - len(text[end:].lstrip())
            self._buffer.replace(end, end + rest, " ")
            self._to(end)

    def _swap_case(self, count: int) -> None:
        start, end = self._buffer.cursor, self._right(count, end=True)
        if start < end:
            self._buffer.replace(start, end, self._buffer.text[start:end].swapcase())
            self._to(end)
