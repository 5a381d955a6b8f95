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

CACHED = 0.1
"""Seconds until the cached conversation is on the screen, at most."""
ROUNDS = 10
WARM_UP = 2
"""Rounds before these, which are not counted: the first starts fill caches, Python's own among them."""
ZULIP_TERMINAL = "BENCH_ZULIP_TERMINAL"
"""The variable with the command of another client, zulip-term, to be measured alternately."""
ZULIP_TERMINAL_MESSAGE = "▒"
"""What the screen shows beside the first line of each of its messages."""

Holds = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Start:
    """Seconds until the text is on the screen; CPU seconds until the new one is, and until the app is idle."""

    kept: float
    news: float
    news_cpu: float
    settled_cpu: float


def measure_from_afar(served: Served, folder: Path, what: str, most: float | None, delay: float) -> list[Row]:
    """As `measure`, with a latency of that many seconds each way, as of a server on a network."""
    with Proxied(served.url) as proxy:
        proxy.delay(delay)
        return measure(served, folder, what, most, proxy.url)


def measure(served: Served, folder: Path, what: str, most: float | None = None, url: str = "") -> list[Row]:
    """Measures the app, an empty one, and zulip-terminal if given, in turn, so that a busy machine affects
    all; each round begins with another one, as the first is slower. They reach the server at ``url`` if that is given.
    New messages may take ``most`` times as long as in zulip-terminal.

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
    return _rows(what, most, {name: found[WARM_UP:] for name, found in starts.items()})


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
        (first, _), (at, cpu) = app.when(kept, new)
        return Start(first, at, cpu, settled_cpu=cpu_seconds(app.pid))
    finally:
        end(app)


def _rows(what: str, most: float | None, starts: dict[str, list[Start]]) -> list[Row]:
    """``start to`` rows in seconds, ``CPU`` rows in CPU seconds."""
    cached = median(one.kept for one in starts["app"])
    rows = [
        Row(f"{what}: start to cached messages", ms(cached), "", None, f"<= {ms(CACHED)}", cached <= CACHED)
    ]
    table: tuple[tuple[str, Callable[[Start], float], float | None], ...] = (
        ("start to new messages", lambda one: one.news, most),
        ("CPU until new messages", lambda one: one.news_cpu, None),
        ("CPU until idle", lambda one: one.settled_cpu, None),
    )
    for name, pick, limit in table:
        mine = [pick(one) for one in starts["app"]]
        for other, title in (("empty", "empty Textual app"), ("zulip-terminal", "zulip-terminal")):
            theirs = [pick(one) for one in starts[other]]
            if not theirs:
                continue
            ratio = median(mine) / median(theirs)
            has_limit = limit is not None and other == "zulip-terminal"
            rows.append(
                Row(
                    f"{what}: {name}",
                    ms(median(mine)),
                    f"{title} {ms(median(theirs))}",
                    ratio,
                    f"<= {limit:g} x" if has_limit else "",
                    ratio <= limit if has_limit and limit is not None else None,
                    title,
                )
            )
    return rows
