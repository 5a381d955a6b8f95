"""The clipboard of the desktop: written by the terminal (OSC 52) or by a program, read by a program."""

from __future__ import annotations

import asyncio
import shutil
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Iterable, Mapping

from narrowcast.terminal.programs import kill, start

__all__ = [
    "IMAGES",
    "READ_EVERY",
    "image_in",
    "image_of",
    "is_asked",
    "is_set_by_terminal",
    "read_image",
    "read_text",
    "text_writers",
    "write_text",
]

SECONDS = 3.0
"""Seconds that a program may take."""
READ_EVERY = 0.5
"""Seconds between two looks at what a browser has copied."""
MAX_IMAGE = 50 * 2**20
"""Bytes of an image; what is larger is not read."""
IMAGES = {"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp"}
"""The types of images that can be pasted, and the ends of their names."""
_STARTS = {"image/png": b"\x89PNG\r\n\x1a\n", "image/jpeg": b"\xff\xd8\xff", "image/gif": b"GIF8"}

_UNABLE = {"TERM": {"linux"}, "TERM_PROGRAM": {"Apple_Terminal"}}
_UNABLE_WITH = ("VTE_VERSION", "XTERM_VERSION", "STY")
"""Variables set by terminals that do not let programs write the clipboard, or not unless they are told to."""


def is_set_by_terminal(environ: Mapping[str, str]) -> bool:
    """Whether the terminal, as far as is known, puts what it is sent into the clipboard."""
    is_unable = any(environ.get(name) in values for name, values in _UNABLE.items())
    return not is_unable and not any(environ.get(name) for name in _UNABLE_WITH)


def is_asked(environ: Mapping[str, str]) -> bool:
    """Whether the terminal may be asked for its clipboard: some would print a part of the question."""
    return not any(environ.get(name) in values for name, values in _UNABLE.items())


def _has_desktop(environ: Mapping[str, str], variable: str) -> bool:
    """Whether programs reach the desktop that the user sees: over SSH they would reach another one, or none."""
    return bool(environ.get(variable)) and not _is_remote(environ)


def _is_remote(environ: Mapping[str, str]) -> bool:
    return bool(environ.get("SSH_CONNECTION") or environ.get("SSH_TTY"))


def text_writers(environ: Mapping[str, str], platform: str = sys.platform) -> list[list[str]]:
    """The programs that put their input into the clipboard, the best first. It searches the folders of PATH.

    tmux hands what it loads on to its terminal, also over SSH; what programs in it send to the terminal, it does not
    unless it is told to. tmux does not learn that a terminal ignores it.
    """
    writers = []
    if _has_desktop(environ, "WAYLAND_DISPLAY"):
        writers.append(["wl-copy"])
    if _has_desktop(environ, "DISPLAY"):
        writers += [["xclip", "-selection", "clipboard"], ["xsel", "--clipboard", "--input"]]
    if platform == "darwin" and not _is_remote(environ):
        writers.append(["pbcopy"])
    if environ.get("TMUX") and is_set_by_terminal(environ):
        writers.append(["tmux", "load-buffer", "-w", "-"])
    return [one for one in writers if shutil.which(one[0], path=environ.get("PATH"))]


def _readers(environ: Mapping[str, str], platform: str) -> list[tuple[list[str], list[str], list[str]]]:
    """Programs that print the types of the clipboard, its text, and one type of it, whose name is added."""
    readers: list[tuple[list[str], list[str], list[str]]] = []
    if _has_desktop(environ, "WAYLAND_DISPLAY"):
        readers.append((["wl-paste", "--list-types"], ["wl-paste", "--no-newline"], ["wl-paste", "--type"]))
    if _has_desktop(environ, "DISPLAY"):
        base = ["xclip", "-selection", "clipboard", "-out"]
        readers.append(([*base, "-target", "TARGETS"], base, [*base, "-target"]))
        readers.append(([], ["xsel", "--clipboard", "--output"], []))
    if platform == "darwin" and not _is_remote(environ):
        readers.append(([], ["pbpaste"], []))
    return readers


async def write_text(writers: Iterable[list[str]], text: str) -> bool:
    """Whether one of the programs has put the text into the clipboard; the first that can does."""
    for writer in writers:
        if await _has_taken(writer, text):
            return True
    return False


async def _has_taken(writer: list[str], text: str) -> bool:
    try:
        process = await start(*writer, stdin=PIPE, stdout=DEVNULL, stderr=DEVNULL)
    except OSError:
        return False
    try:
        await asyncio.wait_for(process.communicate(text.encode("utf-8", "replace")), SECONDS)
    except TimeoutError:
        await kill(process)
        return False
    return process.returncode == 0


async def _output(command: list[str]) -> bytes | None:
    """What a program prints; None if it fails or is not there."""
    if not command:
        return None
    try:
        process = await start(*command, stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL)
    except OSError:
        return None
    try:
        out, _ = await asyncio.wait_for(process.communicate(), SECONDS)
    except TimeoutError:
        await kill(process)
        return None
    return out if process.returncode == 0 else None


def image_of(types: str) -> str:
    """The first type in a list that is an image; empty if there is none."""
    offered = set(types.split())
    return next((one for one in IMAGES if one in offered), "")


def image_in(content: bytes) -> str:
    """The type of an image, by its first bytes; empty for other contents."""
    if content.startswith(b"RIFF") and content[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for kind, start in _STARTS.items() if content.startswith(start)), "")


async def read_image(environ: Mapping[str, str], platform: str = sys.platform) -> tuple[str, bytes] | None:
    """The type and content of the image in the clipboard; None if there is none."""
    for types, _, content in _readers(environ, platform):
        kind = image_of((await _output(types) or b"").decode("ascii", "replace"))
        if kind and (found := await _output([*content, kind])):
            return (kind, found) if len(found) <= MAX_IMAGE else None
    return None


async def read_text(environ: Mapping[str, str], platform: str = sys.platform) -> str | None:
    """The text in the clipboard; None if it cannot be read."""
    for _, text, _ in _readers(environ, platform):
        if (found := await _output(text)) is not None:
            return found.decode("utf-8", "replace")
    return None
