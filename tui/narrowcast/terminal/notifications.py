"""Notifications and titles of the terminal, and the user's own command for notifications.

Terminals do not report which sequences they support, and the response to a query would arrive among the keys; so
this is determined from the environment. A multiplexer supports none of them unless told to pass them through. The
user's command is a list of arguments, run without a shell, limited in number and time.
"""

from __future__ import annotations

import asyncio
import base64
import logging
import re
import shutil
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct

from narrowcast.terminal.programs import kill, start
from narrowcast_api.characters import sanitized_line
from narrowcast_api.tasks import Tasks

if TYPE_CHECKING:
    from narrowcast_api.protocols.notifications import Notice

log = logging.getLogger(__name__)

__all__ = [
    "BELL",
    "PLACEHOLDERS",
    "RESTORE_TITLE",
    "SAVE_TITLE",
    "ChosenPopup",
    "CommandRunner",
    "Popup",
    "arguments_of",
    "can_have_title",
    "check_command",
    "choose",
    "command_values",
    "popup_sequence",
    "title_sequence",
]

BELL = "\x07"
SAVE_TITLE = "\x1b[22;2t"
RESTORE_TITLE = "\x1b]2;\x1b\\\x1b[23;2t"
"""Clears the title, which is all that terminals without a title stack do, and restores the saved one."""
_MAX_LENGTH = 300
"""Maximum characters of a title or text that are written."""
_END = "\x1b\\"
_PLAIN_TERMINALS = re.compile(r"^(linux|dumb|unknown|vt\d+|cons25|emacs|eterm.*|)$")


class Popup(StrEnum):
    """The sequence for a notification, named after its operating system command (OSC)."""

    OFF = "off"
    OSC9 = "osc9"
    OSC777 = "osc777"
    OSC99 = "osc99"


class ChosenPopup(Struct, frozen=True):
    """The sequence to use and the reason for it, for `doctor`."""

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


def choose(wanted: str, environment: Mapping[str, str], *, passthrough: bool = False) -> ChosenPopup:
    """The sequence for pop-ups: `wanted`, or with "auto" the one that the terminal is known to support."""
    if wanted != "auto":
        return ChosenPopup(Popup(wanted), "set in the configuration")
    multiplexer = _multiplexer(environment)
    if multiplexer and not passthrough:
        return ChosenPopup(
            Popup.OFF, f"{multiplexer} shows none; set notifications.popup and notifications.passthrough"
        )
    term, program = environment.get("TERM", ""), environment.get("TERM_PROGRAM", "")
    if environment.get("KITTY_WINDOW_ID"):
        return ChosenPopup(Popup.OSC99, "the terminal is kitty")
    if program in _PROGRAMS:
        return ChosenPopup(_PROGRAMS[program], f"the terminal is {program}")
    for prefix, way in _TERMS:
        if term.startswith(prefix):
            return ChosenPopup(way, f"the terminal is {prefix}")
    return ChosenPopup(
        Popup.OFF, "the terminal is not known to show any; choose a way with notifications.popup"
    )


def _multiplexer(environment: Mapping[str, str]) -> str:
    if environment.get("TMUX"):
        return "tmux"
    return "screen" if environment.get("STY") else ""


def can_have_title(environment: Mapping[str, str]) -> bool:
    """Whether the terminal supports titles; the most basic ones would print them."""
    return _PLAIN_TERMINALS.match(environment.get("TERM", "")) is None


def title_sequence(text: str) -> str:
    """Sets the title of the terminal's window."""
    return f"\x1b]2;{sanitized_line(text, 200)}\x07"


def popup_sequence(
    way: Popup, title: str, body: str, *, number: int, passthrough: Mapping[str, str] | None = None
) -> str:
    """The sequence for a notification; `number` distinguishes notifications. '' if `way` is off.

    With `passthrough`, an environment, the multiplexer found in it is told to pass the sequence through.
    """
    title, body = (sanitized_line(text, _MAX_LENGTH) for text in (title, body))
    if way is Popup.OSC9:
        # A number and a semicolon would be another command, such as progress or the current folder.
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


PLACEHOLDERS = ("title", "body", "sender", "place", "reason", "count")
"""Names that may be in braces in an argument."""
PATIENCE = 10.0
"""Seconds after which a command is killed."""
MAX_AT_ONCE = 4
"""Maximum number of commands running at the same time; further notifications are skipped."""
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


def check_command(command: Sequence[str]) -> None:
    """Raises ValueError for an invalid command."""
    if not command:
        return
    if not command[0].strip():
        raise ValueError("the first argument is the program, and it is empty")
    if _PLACEHOLDER.search(command[0]):
        raise ValueError("the program cannot be a placeholder")
    for argument in command:
        if "\0" in argument:
            raise ValueError("an argument has a null character in it")
        for name in _PLACEHOLDER.findall(argument):
            if name not in PLACEHOLDERS:
                known = ", ".join(f"{{{one}}}" for one in PLACEHOLDERS)
                raise ValueError(f"{{{name}}} is not a placeholder; there are {known}")


def arguments_of(command: Sequence[str], values: Mapping[str, str]) -> list[str]:
    """The arguments with their placeholders filled in.

    An argument that begins with a placeholder never begins with a dash: a text of another user must not
    become an option.
    """
    filled = [command[0]]
    for argument in command[1:]:
        text = _PLACEHOLDER.sub(lambda match: values.get(match[1], ""), argument).replace("\0", "")
        filled.append(f" {text}" if text.startswith("-") and not argument.startswith("-") else text)
    return filled


def command_values(notice: Notice, *, title: str, body: str, count: int) -> dict[str, str]:
    """The values of the placeholders."""
    return {
        "title": title,
        "body": body,
        "sender": notice.sender,
        "place": notice.place,
        "reason": notice.reason.value,
        "count": str(count),
    }


class CommandRunner:
    """Runs one configured command per notification."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = tuple(command)
        self._tasks = Tasks()

    def start(self, values: Mapping[str, str]) -> None:
        """Runs the command in the background; errors are logged."""
        if not self._command or len(self._tasks) >= MAX_AT_ONCE:
            return
        self._tasks.start(self._run(arguments_of(self._command, values)), "run the command for notices")

    async def close(self) -> None:
        await self._tasks.close()

    async def _run(self, arguments: Sequence[str]) -> None:
        program = shutil.which(arguments[0])
        if program is None:
            log.warning("the command for notices is not there: %s", arguments[0])
            return
        nowhere = asyncio.subprocess.DEVNULL
        try:
            process = await start(
                program, *arguments[1:], stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True
            )
        except (OSError, ValueError) as error:
            log.warning("the command for notices did not start: %s", error)
            return
        try:
            async with asyncio.timeout(PATIENCE):
                code = await process.wait()
            if code:
                log.warning("the command for notices ended with %d", code)
        except TimeoutError:
            log.warning("the command for notices took longer than %.0f s and was ended", PATIENCE)
        finally:
            await kill(process)
