"""From exec to the cached messages, to those received since, and until the app is idle."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import httpx2

from bench.proxied import Proxied
from bench.results import Row, ms
from bench.servers import Served
from bench.watched import Watched, cpu_seconds, end, open_app, python
from support.terminal import narrowcast

ROUNDS = 9
WARM_UP = 2
"""Rounds before these, which are not counted: the first starts fill caches, Python's own among them."""
ZULIP_TERMINAL = "BENCH_ZULIP_TERMINAL"
"""The variable with the command of another client, zulip-term, to be measured alternately."""
ZULIP_TERMINAL_MESSAGE = "▒"
"""What the screen shows beside the first line of each of its messages."""

Holds = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Start:
    """Seconds until the text is on the screen; CPU seconds until its first part is, and until the app is idle."""

    kept: float
    news: float
    kept_cpu: float
    settled_cpu: float


def measure_from_afar(served: Served, folder: Path, what: str, delay: float) -> list[Row]:
    """As `measure`, with a latency of that many seconds each way, as of a server on a network."""
    with Proxied(served.url) as proxy:
        proxy.delay(delay)
        return measure(served, folder, what, proxy.url)


def measure(served: Served, folder: Path, what: str, url: str = "") -> list[Row]:
    """Measures the app, an empty one, and zulip-terminal if given, in turn, so that a busy machine affects
    all; each round begins with another one, as the first is slower. They reach the server at ``url`` if that is given.

    Between two starts another user sends a message: it is new at the next start, and cached at the one after.
    """
    rc = served.rc("ada", url)
    last = news(served, 0)
    app = open_app(rc, folder / "app-home")
    for key in ("a", "G"):
        app.press(key)
        app.take_until_quiet(0.7)
    end(app)
    zulip_terminal = os.environ.get(ZULIP_TERMINAL)
    starts: dict[str, list[Start]] = {"app": [], "empty": [], "zulip-terminal": []}
    for number in range(WARM_UP + ROUNDS):
        new = news(served, number + 1)
        empty = _shows("nothing to read")
        ours = narrowcast("--rc", str(rc))
        clients = [
            ("empty", python("bench.empty_app"), empty, empty),
            ("app", ours, _shows(last), _shows(new)),
        ]
        if zulip_terminal:
            theirs = [zulip_terminal, "--config-file", str(rc)]
            clients.append(("zulip-terminal", theirs, _shows(ZULIP_TERMINAL_MESSAGE), _shows(new)))
        first = number % len(clients)
        for name, command, kept, found in clients[first:] + clients[:first]:
            starts[name].append(_started(command, folder / f"{name}-home", kept, found))
        last = new
    return _rows(what, {name: found[WARM_UP:] for name, found in starts.items()})


def news(served: Served, number: int) -> str:
    """Sends the only unread message; returns a word that occurs nowhere else."""
    word = f"Nachricht{number:03}"
    reader, writer = served.auth("ada"), served.auth("bruno")
    with httpx2.Client(base_url=served.url, trust_env=False, timeout=30) as client:
        client.post("/api/v1/mark_all_as_read", auth=reader).raise_for_status()
        channels = client.get("/api/v1/users/me/subscriptions", auth=reader).json()["subscriptions"]
        form = {"type": "channel", "to": str(channels[0]["stream_id"]), "topic": "news", "content": word}
        client.post("/api/v1/messages", data=form, auth=writer).raise_for_status()
    return word


def _shows(text: str) -> Holds:
    return lambda screen: text in screen


def _started(command: list[str], folder: Path, kept: Holds, new: Holds) -> Start:
    app = Watched(command, folder)
    try:
        app.take(5)
        app.take_until_quiet(1.5, patience=10.0)
        settled = cpu_seconds(app.pid)
        (first, cpu), (at, _) = app.when(kept, new)
        return Start(first, at, cpu, settled)
    finally:
        end(app)


def _rows(what: str, starts: dict[str, list[Start]]) -> list[Row]:
    """``start to`` rows in seconds, ``CPU`` rows in CPU seconds."""
    rows = []
    # name, value, limit relative to the empty app, limit relative to zulip-terminal
    table: tuple[tuple[str, Callable[[Start], float], float | None, float], ...] = (
        ("start to cached messages", lambda one: one.kept, None, 0.2),
        ("start to new messages", lambda one: one.news, None, 0.7),
        ("CPU until cached messages", lambda one: one.kept_cpu, 1.15, 1.0),
        ("CPU until idle", lambda one: one.settled_cpu, None, 1.0),
    )
    for name, pick, times_empty, times_zulip_terminal in table:
        mine = [pick(one) for one in starts["app"]]
        for other, title, most in (
            ("empty", "empty Textual app", times_empty),
            ("zulip-terminal", "zulip-terminal", times_zulip_terminal),
        ):
            theirs = [pick(one) for one in starts[other]]
            if not theirs:
                continue
            ratio = median(a / b for a, b in zip(mine, theirs, strict=True))
            rows.append(
                Row(
                    f"{what}: {name}",
                    ms(median(mine)),
                    f"{title} {ms(median(theirs))}",
                    ratio,
                    "" if most is None else f"<= {most:g} x",
                    None if most is None else ratio <= most,
                    title,
                )
            )
    return rows
