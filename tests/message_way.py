"""Lists the files that a message passes from the socket to the screen, traced while one arrives in the open
view.

The app runs on the embedded server. A file counts if one of its functions receives or returns the message in
any of its forms: bytes, JSON, event, record, HTML, blocks, rows, cells, or its id. The server's own code is
left out. State, views and widgets are not forms: a file that only receives these does not count.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator, Mapping
from inspect import CO_VARARGS, CO_VARKEYWORDS
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType, FrameType

from msgspec import Struct
from textual.strip import Strip

from narrowcast_api.narrow.narrow import Narrow
from structure import PACKAGES
from support.sessions import until
from support.stage import Stage, on_stage

CHANNEL, TOPIC = "general", "lunch"
WORD = "Zwiebelsuppe"
"""Occurs in no other text."""
FIRST_ID = 7_340_033
"""The id of the message: large, so that no other number of a run is equal."""
LAST = "narrowcast/terminal/output.py"
"""The file in which the cells of a frame go to the terminal."""
LOOKED_AT = 60
"""The number of items of a container that are checked, from both ends."""
DEEP = 7


def holds(value: object, depth: int = DEEP) -> bool:
    """Whether a value is the message or contains it."""
    if isinstance(value, str):
        return WORD in value
    if isinstance(value, bytes | bytearray):
        return WORD.encode() in value
    if isinstance(value, int):
        return value == FIRST_ID
    if isinstance(value, Strip):
        return WORD in "".join(segment.text for segment in getattr(value, "_segments", ()))
    return bool(depth) and any(holds(part, depth - 1) for part in _parts(value))


def _parts(value: object) -> Iterator[object]:
    if isinstance(value, Struct):
        yield from (getattr(value, name, None) for name in value.__struct_fields__)
    elif isinstance(value, Mapping):
        yield from list(value.values())[-LOOKED_AT:]
        yield from list(value)[-LOOKED_AT:]
    elif isinstance(value, list | tuple):
        yield from value[:LOOKED_AT]
        yield from value[-LOOKED_AT:]
    elif isinstance(value, set | frozenset):
        yield from list(value)[:LOOKED_AT]


class Trace:
    """Records files of the product while it is set as the profile function, until the cells go to the terminal."""

    def __init__(self) -> None:
        self.given: dict[str, None] = {}
        """Files that receive the message, in order."""
        self._handed: set[tuple[str, str]] = set()
        """Pairs of files: the first passed the message to the second, by a call or a return value."""
        self._names: dict[str, str] = {}
        self._over = False

    def __call__(self, frame: FrameType, event: str, value: object) -> None:
        if self._over or event not in ("call", "return") or not (name := self._name(frame.f_code)):
            return
        values = [value] if event == "return" else list(_arguments(frame))
        if not any(map(holds, values)) or _is_the_servers(frame):
            return
        self.given.setdefault(name)
        if caller := self._caller(frame):
            self._handed.add((name, caller) if event == "return" else (caller, name))
        self._over = name == LAST

    def way(self) -> list[str]:
        """Returns those of these files from which it reaches the cells of the terminal, directly or through
        others.
        """
        way = {LAST}
        while more := {giver for giver, taker in self._handed if taker in way} - way:
            way |= more
        return [name for name in self.given if name in way]

    def _caller(self, frame: FrameType) -> str:
        """Returns the file of the product that waits for a frame's return value; empty if there is none."""
        above = frame.f_back
        while above is not None and not (name := self._name(above.f_code)):
            above = above.f_back
        return name if above is not None else ""

    def _name(self, code: CodeType) -> str:
        """Returns the file of a code object below its package; empty if it does not count."""
        known = self._names.get(code.co_filename)
        if known is None:
            known = self._names[code.co_filename] = _product_file(code.co_filename)
        return known


def _product_file(path: str) -> str:
    for package, folder in PACKAGES.items():
        if package != "narrowcast_server" and Path(path).is_relative_to(folder):
            return f"{package}/{Path(path).relative_to(folder)}"
    return ""


def _arguments(frame: FrameType) -> Iterator[object]:
    code = frame.f_code
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & CO_VARARGS) + bool(code.co_flags & CO_VARKEYWORDS)
    for name in code.co_varnames[:count]:
        if name in frame.f_locals:
            yield frame.f_locals[name]


def _is_the_servers(frame: FrameType | None) -> bool:
    server = str(PACKAGES["narrowcast_server"])
    tests = str(Path(__file__).parent)
    while frame is not None and frame.f_code.co_filename != asyncio.events.__file__:
        if frame.f_code.co_filename.startswith((server, tests)):
            return True
        frame = frame.f_back
    return False


async def _arrival(stage: Stage, trace: Trace) -> None:
    """Traces until another user's message is on the screen."""
    await stage.server.send("bruno", CHANNEL, TOPIC, "Soup?")
    stage.server.organization.store.execute(
        "UPDATE sqlite_sequence SET seq = ? WHERE name = 'messages'", FIRST_ID - 1
    )
    narrow = Narrow.topic(stage.server.channel(CHANNEL), TOPIC)
    stage.screen.go(narrow)
    view = stage.session.view(narrow)
    await until(lambda: len(view.ids) == 1 and not view.loading)
    await stage.pilot.pause(0.5)
    shown = stage.screen.messages.list
    sys.setprofile(trace)
    try:
        await stage.server.send("bruno", CHANNEL, TOPIC, WORD)
        await until(lambda: any(WORD in shown.row_at(y).text for y in range(shown.content_size.height)))
        await stage.pilot.pause(0.3)
    finally:
        sys.setprofile(None)


async def traced() -> Trace:
    """Returns the trace of a message until it is on the screen."""
    trace = Trace()
    with TemporaryDirectory() as folder:
        async with on_stage(Path(folder)) as stage:
            await _arrival(stage, trace)
    return trace


if __name__ == "__main__":
    trace = asyncio.run(traced())
    way = trace.way()
    sys.stdout.write("".join(f"{'*' if name in way else ' '} {name}\n" for name in trace.given))
