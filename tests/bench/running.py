"""A running app compared to zulip-terminal: arriving messages, keys meanwhile and when idle, memory, going back."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import httpx2

from bench.results import Row, mb, ms, quantile
from bench.servers import Served, in_background
from bench.start import ZULIP_TERMINAL, ZULIP_TERMINAL_MESSAGE
from bench.watched import LIVE, Watched, cpu_seconds, python, resident_bytes
from bench.worlds import words
from support.terminal import narrowcast

SIZE = (140, 44)
ROUNDS = 3
MESSAGES = 200
A_SECOND = 15
SENDERS = 5
LETTERS = "the quick brown fox jumps over the lazy dog"
QUIET = 0.12
UNIT = "empty app until quiet: CPU"


@dataclass(slots=True)
class Figures:
    """The measurements of one client on one server: a list of values for each name, in seconds or bytes."""

    values: dict[str, list[float]] = field(default_factory=dict)

    def add(self, name: str, *found: float) -> None:
        """Adds values of one figure."""
        self.values.setdefault(name, []).extend(found)

    def answer(self, name: str, answer: Answer | None) -> None:
        """Records the response to a key, if there was one."""
        if answer is not None:
            self.add(f"{name}: to first byte", answer.first)
            self.add(f"{name}: until quiet", answer.quiet)
            self.add(f"{name}: bytes", answer.size)


@dataclass(frozen=True, slots=True)
class Client:
    """How one client is started, and how its screen shows that it is ready."""

    name: str
    command: Callable[[Path], list[str]]
    ready: str
    begin: tuple[str, ...] = ("escape", "a", "G")
    """Keys after the start to the newest of all messages."""
    newest: tuple[str, ...] = ("a", "G")
    """Keys that lead to it from the messages."""


def clients() -> list[Client]:
    """Returns the app, and zulip-terminal if one is given."""
    found = [Client("app", lambda rc: narrowcast("--rc", str(rc)), LIVE.pattern)]
    if zulip_terminal := os.environ.get(ZULIP_TERMINAL):
        found.append(
            Client(
                "zulip-terminal",
                lambda rc: [zulip_terminal, "--config-file", str(rc)],
                ZULIP_TERMINAL_MESSAGE,
                begin=("l", "G"),
                newest=("G",),
            )
        )
    return found


@contextmanager
def opened(client: Client, rc: Path, folder: Path, *, side_margins: bool = False) -> Iterator[Watched]:
    """Starts the client, and waits until it is idle at all messages; ``side_margins``: in a terminal that
    supports them.
    """
    app = Watched(client.command(rc), folder, size=SIZE, side_margins=side_margins)
    try:
        app.wait_for(client.ready)
        app.take_until_quiet(1.0)
        for key in client.begin:
            app.press(key)
            app.take_until_quiet(0.7)
        app.forget()
        yield app
    finally:
        app.kill()
        app.hang_up()


def measure(served: Served, folder: Path, what: str, parts: Sequence[str] = ()) -> list[Row]:
    """Measures all figures, the clients in turn; in each turn an empty Textual app measures the speed of the
    machine.
    """
    found = {name: Figures() for name in ("empty", *(client.name for client in clients()))}
    for _ in range(ROUNDS):
        found["empty"].add(UNIT, empty_start(folder / "empty-home"))
        for client in clients():
            home = folder / f"{client.name}-home"
            with opened(client, served.rc("ada"), home) as app:
                for name, part in PARTS.items():
                    if not parts or name in parts:
                        part(app, client, found[client.name], served)
            if not parts or "keys" in parts:
                with opened(client, served.rc("ada"), home, side_margins=True) as app:
                    scroll(app, found[client.name], served, "scroll in a terminal with side margins")
    return rows(found, what)


def empty_start(folder: Path) -> float:
    """CPU seconds of an empty Textual app until it is idle: the unit of figures without another reference."""
    app = Watched(python("bench.empty_app"), folder, size=SIZE)
    try:
        app.take(10)
        app.take_until_quiet(0.5, patience=2.0)
        return cpu_seconds(app.pid)
    finally:
        app.kill()
        app.hang_up()


def arrivals(app: Watched, _client: Client, figures: Figures, served: Served) -> None:
    """Sends messages one by one to the open view, without key presses."""
    before, cpu = resident_bytes(app.pid), cpu_seconds(app.pid)
    taken = _taken_while(app, send(served))
    taken += len(app.take_until_quiet(0.6))
    figures.add("arrivals: CPU", cpu_seconds(app.pid) - cpu)
    figures.add("arrivals: bytes", taken)
    figures.add("arrivals: memory", resident_bytes(app.pid) - before)


def help_under_load(app: Watched, _client: Client, figures: Figures, served: Served) -> None:
    """Opens and closes help while messages arrive."""
    sending = send(served)
    while sending.is_alive():
        app.take_until_quiet(0.02, 0.05)
        figures.add("arrivals: help opens", _first_large(app, "?"))
        app.take_until_quiet(0.03, 0.3)
        app.press("escape")
        escaped = time.monotonic()
        while time.monotonic() < escaped + ESCAPE_ALONE:
            app.take(0.05)
    app.take_until_quiet(0.6)


def keys(app: Watched, client: Client, figures: Figures, served: Served) -> None:
    """When idle: moves by rows, types letters, opens dialogs and goes back to a view."""
    scroll(app, figures, served)
    for name, key in (("help", "?"), ("reply", "r")):
        for _ in range(10):
            for to_newest in client.newest:
                press(app, to_newest)
            figures.answer(f"{name} opens", _answer(app, key, 0.2))
            press(app, "escape")
    for to_newest in client.newest:
        press(app, to_newest)
    press(app, "r")
    for letter in LETTERS:
        figures.answer("letter", _answer(app, letter))
    for _ in LETTERS:
        press(app, "backspace", 0.05)
    press(app, "escape")
    for _ in range(8):
        press(app, "f")
        figures.answer("back to a view", _answer(app, "a", 0.3))


def scroll(app: Watched, figures: Figures, served: Served, name: str = "scroll") -> None:
    """Scrolls up to messages that were not in view."""
    read_all(app, served)
    for _ in range(40):
        figures.answer(name, _answer(app, "k"))


def read_all(app: Watched, served: Served) -> None:
    """Waits until nothing is unread. A row that scrolls into view is marked as read, with a request each half
    second at most; counters and title change when the server has confirmed that, which is not part of the
    response to the key.
    """
    with httpx2.Client(base_url=served.url, auth=served.auth("ada"), trust_env=False, timeout=30) as client:
        client.post("/api/v1/mark_all_as_read").raise_for_status()
    app.take_until_quiet(1.0)


def press(app: Watched, key: str, quiet: float = 0.3) -> None:
    """Presses a key whose response is not measured."""
    app.press(key)
    app.take_until_quiet(quiet, 3.0)


def rest(app: Watched, _client: Client, figures: Figures, _served: Served) -> None:
    """Measures ten idle seconds, and the memory at their end."""
    app.take_until_quiet(1.5)
    figures.add("RSS", resident_bytes(app.pid))
    before = cpu_seconds(app.pid)
    figures.add("idle 10 s: bytes", sum(len(app.take(1.0)) for _ in range(10)))
    figures.add("idle 10 s: CPU", cpu_seconds(app.pid) - before)


Part = Callable[[Watched, Client, Figures, Served], None]
PARTS: dict[str, Part] = {"rest": rest, "keys": keys, "arrivals": arrivals, "help": help_under_load}


def send(served: Served, count: int = MESSAGES) -> threading.Thread:
    """Sends messages at a constant rate from a thread of its own."""
    people = [served.auth("bruno")]
    with httpx2.Client(base_url=served.url, auth=people[0], trust_env=False, timeout=30) as client:
        channel = client.get("/api/v1/users/me/subscriptions").json()["subscriptions"][0]["stream_id"]
        for number in range(SENDERS - 1):
            other = httpx2.BasicAuth(f"user{number}@demo.example", f"key{number:029}")
            if client.get("/api/v1/users/me", auth=other).is_success:  # the demo has no such users
                people.append(other)

    def work() -> None:
        with httpx2.Client(base_url=served.url, trust_env=False, timeout=30) as client:
            start = time.monotonic()
            for number in range(count):
                time.sleep(max(0.0, start + number / A_SECOND - time.monotonic()))
                form = {
                    "type": "channel",
                    "to": str(channel),
                    "topic": f"topic {number // 20 % 3}",
                    "content": words(number, most=30),
                }
                answer = client.post("/api/v1/messages", data=form, auth=people[number // 2 % len(people)])
                answer.raise_for_status()

    return in_background(work)


def _taken_while(app: Watched, sending: threading.Thread) -> int:
    size = 0
    while sending.is_alive():
        size += len(app.take(0.1))
    return size


@dataclass(frozen=True, slots=True)
class Answer:
    """The response to a key: seconds to the first and to the last byte, and bytes."""

    first: float
    quiet: float
    size: int


def _answer(app: Watched, key: str, quiet: float = QUIET) -> Answer | None:
    """None if the key has no effect."""
    app.forget()
    start = time.monotonic() - app.started
    app.press(key)
    app.take(2.0)
    app.take_until_quiet(quiet, 5.0)
    if not app.pieces:
        return None
    size = sum(len(data) for _, _, data in app.pieces)
    return Answer(app.pieces[0][0] - start, app.pieces[-1][0] - start, size)


ESCAPE_ALONE = 0.3
"""Seconds after which Escape is no longer taken for the start of an Alt combination."""


def _first_large(app: Watched, key: str, size: int = 2_000) -> float:
    """Seconds until at least ``size`` bytes arrived: the output for one message is smaller than that for a dialog."""
    start = time.monotonic()
    app.press(key)
    taken = 0
    while taken < size and time.monotonic() < start + 5:
        taken += len(app.take(1.0))
    return time.monotonic() - start


LIMITS: dict[str, tuple[str, float, bool]] = {
    # figure: statistic, limit, whether the limit is a ratio to zulip-terminal
    "arrivals: CPU": ("median", 1.5, True),
    "arrivals: help opens": ("p95", 0.05, False),
    "help opens: until quiet": ("p95", 0.05, False),
    "reply opens: until quiet": ("p95", 0.05, False),
    "letter: until quiet": ("p95", 0.0167, False),
    "letter: bytes": ("median", 200, False),
    "scroll: until quiet": ("p95", 0.0167, False),
    "scroll: bytes": ("median", 4000, False),
    "back to a view: until quiet": ("p95", 0.05, False),
    "idle 10 s: bytes": ("median", 0, False),
}


def rows(found: dict[str, Figures], what: str) -> list[Row]:
    """Returns the table."""
    table = []
    ours, theirs = found["app"].values, found.get("zulip-terminal", Figures()).values
    unit = median(found["empty"].values[UNIT])
    for name, values in ours.items():
        statistic, limit, is_ratio = LIMITS.get(name, ("median", float("inf"), False))
        pick = median if statistic == "median" else lambda some: quantile(some, 0.95)
        mine, shown = pick(values), _unit(name)
        other = pick(theirs[name]) if name in theirs else 0.0
        yard, against, ratio = "", "", None
        if other:
            yard, against, ratio = f"zulip-terminal {shown(other)}", "zulip-terminal", mine / other
        elif shown is ms:
            yard, against, ratio = f"empty app until quiet {ms(unit)}", "empty app", mine / unit
        compared = mine if not is_ratio else ratio if other else None
        met = None if compared is None or limit == float("inf") else compared <= limit
        budget = "" if limit == float("inf") else f"<= {limit:g} x" if is_ratio else f"<= {shown(limit)}"
        table.append(Row(f"{what}: {name} ({statistic})", shown(mine), yard, ratio, budget, met, against))
    return table


def _unit(name: str) -> Callable[[float], str]:
    if "bytes" in name:
        return lambda size: f"{size:,.0f}"
    return mb if name.endswith(("memory", "RSS")) else ms
