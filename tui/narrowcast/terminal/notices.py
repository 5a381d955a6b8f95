"""Notices and titles as sequences of the terminal: which it understands, and how they are written. Pure.

No terminal says which of these it knows, and a question would be answered among the keys; so the environment tells.
A multiplexer takes none of them unless it is told to hand them on.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from narrowcast_api.characters import defused_line

__all__ = [
    "BELL",
    "RESTORE_TITLE",
    "SAVE_TITLE",
    "Chosen",
    "Popup",
    "can_have_title",
    "choose",
    "popup_sequence",
    "title_sequence",
]

BELL = "\x07"
SAVE_TITLE = "\x1b[22;2t"
RESTORE_TITLE = "\x1b]2;\x1b\\\x1b[23;2t"
"""Empties the title, which is all that terminals without a stack of titles do, and takes back the saved one."""
_LONGEST = 300
"""Characters of a title or text that are ever written."""
_END = "\x1b\\"
_PLAIN_TERMINALS = re.compile(r"^(linux|dumb|unknown|vt\d+|cons25|emacs|eterm.*|)$")


class Popup(StrEnum):
    """How a terminal is asked to show a notice, by the number of its operating system command."""

    OFF = "off"
    OSC9 = "osc9"
    OSC777 = "osc777"
    OSC99 = "osc99"


class Chosen(Struct, frozen=True):
    """A way and the reason for it, for `doctor`."""

    way: Popup
    why: str


_PROGRAMS = {
    "kitty": Popup.OSC99,
    "ghostty": Popup.OSC777,
    "WezTerm": Popup.OSC777,
    "iTerm.app": Popup.OSC9,
}
_TERMS = (
    ("xterm-kitty", Popup.OSC99),
    ("foot", Popup.OSC99),
    ("rxvt-unicode", Popup.OSC777),
    ("contour", Popup.OSC777),
)


def choose(wanted: str, environment: Mapping[str, str], *, passthrough: bool = False) -> Chosen:
    """The way that pop-ups take: `wanted`, or with "auto" what the terminal is known to understand."""
    if wanted != "auto":
        return Chosen(Popup(wanted), "as the configuration says")
    multiplexer = _multiplexer(environment)
    if multiplexer and not passthrough:
        return Chosen(
            Popup.OFF, f"{multiplexer} shows none; set notifications.popup and notifications.passthrough"
        )
    term, program = environment.get("TERM", ""), environment.get("TERM_PROGRAM", "")
    if environment.get("KITTY_WINDOW_ID"):
        return Chosen(Popup.OSC99, "the terminal is kitty")
    if program in _PROGRAMS:
        return Chosen(_PROGRAMS[program], f"the terminal is {program}")
    for start, way in _TERMS:
        if term.startswith(start):
            return Chosen(way, f"the terminal is {start}")
    return Chosen(Popup.OFF, "the terminal is not known to show any; choose a way with notifications.popup")


def _multiplexer(environment: Mapping[str, str]) -> str:
    if environment.get("TMUX"):
        return "tmux"
    return "screen" if environment.get("STY") else ""


def can_have_title(environment: Mapping[str, str]) -> bool:
    """Whether the terminal takes a title; the plainest ones would print it."""
    return _PLAIN_TERMINALS.match(environment.get("TERM", "")) is None


def title_sequence(text: str) -> str:
    """Sets the title of the terminal's window."""
    return f"\x1b]2;{defused_line(text, 200)}\x07"


def popup_sequence(
    way: Popup, title: str, body: str, *, number: int, passthrough: Mapping[str, str] | None = None
) -> str:
    """Asks the terminal for a notice; `number` tells notices apart. '' where there is no way.

    With `passthrough`, the environment, the multiplexer in it is told to hand it on.
    """
    title, body = (defused_line(text, _LONGEST) for text in (title, body))
    if way is Popup.OSC9:
        # A number and a semicolon would be another command: progress, the folder, and more.
        sequences = [f"\x1b]9;{_without_separators(f'{title}: {body}')}{_END}"]
    elif way is Popup.OSC777:
        sequences = [f"\x1b]777;notify;{_without_separators(title)};{_without_separators(body)}{_END}"]
    elif way is Popup.OSC99:
        head = f"i=narrowcast-{number}:e=1"
        sequences = [
            f"\x1b]99;{head}:d=0:a=focus:p=title;{_base64(title)}{_END}",
            f"\x1b]99;{head}:d=1:p=body;{_base64(body)}{_END}",
        ]
    else:
        return ""
    multiplexer = _multiplexer(passthrough or {})
    return "".join(_handed_on(sequence, multiplexer) for sequence in sequences)


def _without_separators(text: str) -> str:
    return text.replace(";", ",")


def _base64(text: str) -> str:
    return base64.b64encode(text.encode("utf-8", "replace")).decode("ascii")


def _handed_on(sequence: str, multiplexer: str) -> str:
    if multiplexer == "tmux":
        doubled = sequence.replace("\x1b", "\x1b\x1b")
        return f"\x1bPtmux;{doubled}{_END}"
    if multiplexer == "screen":
        return f"\x1bP{sequence.removesuffix(_END)}\x07{_END}"
    return sequence
