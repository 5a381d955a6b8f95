"""The last filter before the terminal: passes only known sequences, and minimizes the bytes for styles.

It catches whatever a widget lets through by mistake. From text it removes what a terminal could obey or hide
(C0 and C1 controls, direction controls, zero-width characters); control sequences pass if they are in the
list of those that the app itself uses. Textual writes every segment's whole style and a reset; the filter
keeps track of the terminal's current style and writes only the differences.
"""

from __future__ import annotations

import re
from functools import lru_cache

from msgspec import Struct, field

from narrowcast_api import characters

__all__ = ["TerminalFilter", "are_notices", "is_allowed"]

MAX_CLIPBOARD = 400_000
"""Maximum characters of a clipboard sequence, whose text is in base64."""

# An escape that begins no complete sequence of these kinds is a control character, the last alternative: it is dropped,
# and what follows is only text: so a sequence cannot arrive in two pieces either.
_TOKEN = re.compile(
    r"\x1b\[([\d;:]*)m"
    r"|(\x1b\[[?<=>]?[\d;:]*[ $'!]?[@-~])"
    r"|(\x1b\][^\x07\x1b]*(?:\x07|\x1b\\))"
    r"|(\x1b[PX^_][^\x1b]*\x1b\\)"
    r"|([^\x00-\x1f\x7f]+)"
    r"|([\x00-\x1f\x7f])"
)
_BAD_TEXT = re.compile(f"[{characters.CONTROLS}{characters.SURROGATES}{characters.HIDDEN}]")
"""Joiners and selectors pass, because the user's own text may contain them."""
_CSI = re.compile(
    r"\x1b\[(?:"
    r"\d{0,4}(?:;\d{0,4})?[Hf]"  # move the cursor to a position
    r"|\d{0,4}[ABCDGJKXd]"  # move the cursor by steps, erase
    r"|\d{0,4}[LM]"  # insert and delete rows
    r"|(?:\d{1,4};\d{1,4})?r"  # the rows that these move
    r"|\d{1,4};\d{1,4}s"  # the columns that these move
    r"|\?\d{1,5}(?:;\d{1,5})*[hl]"  # modes: screen, cursor, mouse, paste, focus, synchronized output
    r"|\?\d{1,5}\$p"  # query a mode
    r"|[<>=?]\d{0,3}(?:;\d{1,3})?u"  # keyboard protocol
    r"|[>=]?0?c|[56]n|>0?q"  # query the terminal's identity and the cursor's position
    r"|1[468]t"  # query the size of cells and window
    r"|2[23];2t"  # save and restore the title
    r"|\d? q"  # shape of the cursor
    r")"
)
_OSC = re.compile(
    r"\x1b\](?:52;c;[A-Za-z0-9+/=]*|22;[a-z-]{0,40}|[02];[^\x00-\x1f\x7f-\x9f]{0,200}"
    r"|8;(?:;|id=[0-9a-f]{1,8};https?://[!-~]{1,2000}))(?:\x07|\x1b\\)"
)
_SIXEL = re.compile(r"\x1bP[\d;]*q[\x20-\x7e\r\n]*\x1b\\")
_KITTY = re.compile(r"\x1b_G[\x20-\x7e]*\x1b\\")
_NOTICES = re.compile(
    r"(?:\x1b\](?:9;(?!\d+(?:;|\x1b))|777;notify;|99;[a-z0-9=:-]*;)[^\x00-\x1f\x7f-\x9f]{0,2000}\x1b\\)+"
)
_HANDED_ON = re.compile(r"\x1bPtmux;((?:[^\x1b]|\x1b\x1b)*)\x1b\\|\x1bP(\x1b\][^\x07\x1b]*)\x07\x1b\\")
_CONTROLS = frozenset("\n\r\x07")
_OFF = {1: 22, 2: 22, 3: 23, 4: 24, 21: 24, 5: 25, 6: 25, 7: 27, 8: 28, 9: 29, 53: 55}


class _Look(Struct, frozen=True):
    """The terminal's style: attributes that are on, and both colours as codes ('' is the default)."""

    on: frozenset[int] = frozenset()
    front: str = ""
    back: str = ""


_DEFAULT = _Look()


@lru_cache(maxsize=8192)
def _applied(look: _Look, codes: str) -> _Look:
    """`look` after an SGR sequence with these codes."""
    numbers = codes.replace(":", ";").split(";")
    on, front, back = set(look.on), look.front, look.back
    place = 0
    while place < len(numbers):
        number = int(numbers[place] or 0)
        if number == 0:
            on, front, back = set(), "", ""
        elif number in (38, 48):
            length = 5 if numbers[place + 1 : place + 2] == ["2"] else 3
            colour = ";".join(numbers[place : place + length])
            front, back = (colour, back) if number == 38 else (front, colour)
            place += length - 1
        elif 30 <= number <= 37 or 90 <= number <= 97:
            front = str(number)
        elif 40 <= number <= 47 or 100 <= number <= 107:
            back = str(number)
        elif number in (39, 49):
            front, back = ("", back) if number == 39 else (front, "")
        elif number in _OFF:
            on.add(number)
        elif number in _OFF.values():
            on -= {switch for switch, off in _OFF.items() if off == number}
        place += 1
    return _Look(frozenset(on), front, back)


@lru_cache(maxsize=8192)
def _change(old: _Look, new: _Look) -> str:
    """The shortest SGR sequence that changes one look to another."""
    if old == new:
        return ""
    whole = [*(str(code) for code in sorted(new.on)), *filter(None, (new.front, new.back))]
    afresh = f"\x1b[{';'.join(['', *whole]) if whole else ''}m"
    off = {_OFF[code] for code in old.on - new.on}
    steps = [str(code) for code in sorted(off)]
    steps += [str(code) for code in sorted(new.on) if code not in old.on or _OFF[code] in off]
    if new.front != old.front:
        steps.append(new.front or "39")
    if new.back != old.back:
        steps.append(new.back or "49")
    by_steps = f"\x1b[{';'.join(steps)}m"
    return by_steps if len(by_steps) <= len(afresh) else afresh


def are_notices(data: str) -> bool:
    """Whether `data` consists only of sequences for notifications, possibly wrapped to pass through a multiplexer."""
    ends = [match.end() for match in _HANDED_ON.finditer(data)]
    if not ends:
        return _NOTICES.fullmatch(data) is not None
    inner = [
        match[1].replace("\x1b\x1b", "\x1b") if match[1] is not None else f"{match[2]}\x1b\\"
        for match in _HANDED_ON.finditer(data)
    ]
    return sum(len(match[0]) for match in _HANDED_ON.finditer(data)) == len(data) and all(
        _NOTICES.fullmatch(sequence) for sequence in inner
    )


def is_allowed(sequence: str, graphics: bool = False) -> bool:
    """Whether a complete control sequence other than SGR may be sent to the terminal."""
    if sequence.startswith("\x1b["):
        return _CSI.fullmatch(sequence) is not None
    if sequence.startswith("\x1b]"):
        return len(sequence) < MAX_CLIPBOARD and _OSC.fullmatch(sequence) is not None
    return graphics and (_SIXEL.fullmatch(sequence) or _KITTY.fullmatch(sequence)) is not None


@lru_cache(maxsize=8192)
def _uncoloured(look: _Look) -> _Look:
    """`look` for users who want no colours: reversed if the background is bright."""
    on = look.on ^ {7} if _is_bright(look.back) else look.on
    return _Look(frozenset(on))


def _is_bright(ground: str) -> bool:
    """Whether the background with these codes is closer to white than to black."""
    numbers = [int(code) for code in ground.split(";") if code]
    if len(numbers) == 5:
        return sum(numbers[2:]) > 3 * 127
    if len(numbers) == 3:
        number = numbers[2]
        if number >= 232:
            return number >= 244
        if number >= 16:
            return sum(((number - 16) // step) % 6 for step in (36, 6, 1)) > 7
        return number in (7, *range(9, 16))
    return bool(numbers) and (numbers[0] == 47 or numbers[0] > 100)


class TerminalFilter(Struct):
    """The filter of one terminal. `graphics` lets images in the terminal's own format pass while they are
    shown; without `colours` all colours are removed.
    """

    graphics: bool = False
    colours: bool = True
    dropped: int = 0
    """Number of sequences and characters that were dropped."""
    _has: _Look = field(default=_DEFAULT)
    _look: _Look = field(default=_DEFAULT)
    """The style last requested, with its colours."""
    _wants: _Look = field(default=_DEFAULT)

    def forget(self) -> None:
        """Writes the next style whole, because another program may have changed the terminal's style."""
        self._has = _Look(frozenset({-1}))

    def __call__(self, data: str) -> str:
        """The part of `data` that may be written. Incomplete sequences are dropped."""
        out: list[str] = []
        end = 0
        for match in _TOKEN.finditer(data):
            if match.start() != end:
                self.dropped += 1
            end = match.end()
            kind = match.lastindex
            if kind == 1:
                self._look = _applied(self._look, match[1])
                self._wants = self._look if self.colours else _uncoloured(self._look)
            elif kind == 5:
                self._text(match[0], out)
            elif kind == 6:
                self._control(match[0], out)
            elif is_allowed(match[0], self.graphics):
                self._sequence(match[0], out)
            else:
                self.dropped += 1
        self.dropped += end != len(data)
        return "".join(out)

    def _text(self, text: str, out: list[str]) -> None:
        if not text.isascii():
            clean = _BAD_TEXT.sub("", text)
            self.dropped += len(text) - len(clean)
            text = clean
        self._settle(out)
        out.append(text)

    def _control(self, character: str, out: list[str]) -> None:
        if character in _CONTROLS:
            out.append(character)
        else:
            self.dropped += 1

    def _sequence(self, sequence: str, out: list[str]) -> None:
        """Writes a sequence: erasing uses the current style, and switching screens must not leave any style behind."""
        if sequence[-1] in "JKX":
            self._settle(out)
        elif sequence.startswith("\x1b[?1049"):
            out.append("\x1b[m")
            self._has = self._wants = self._look = _DEFAULT
        out.append(sequence)

    def _settle(self, out: list[str]) -> None:
        if self._has != self._wants:
            if -1 in self._has.on:  # another program wrote, so there is nothing to compare with
                out.append("\x1b[m")
                self._has = _DEFAULT
            out.append(_change(self._has, self._wants))
            self._has = self._wants
