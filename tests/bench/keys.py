"""Key presses: their work, their output, and idle time between them."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from typing import NamedTuple

from bench.cached import fill
from bench.proxied import Proxied
from bench.results import Row, ms, quantile
from bench.servers import Served
from bench.watched import Watched, cpu_seconds, end, open_app

LETTERS = "the quick brown fox jumps over the lazy dog and goes on to say more"
FOUND = ("release", "gateway", "bruno", "queue 12", "tonight", "index", "nobody", "build")
"""What is searched for, letter by letter."""
IDLE = 10.0


def measure_bytes(served: Served, folder: Path) -> list[Row]:
    """Measures the output to the terminal, in the demo organization."""
    app = open_app(served.rc("ada"), folder / "home")
    try:
        _to_messages(app)
        scrolled = [app.key_work("k", 0.15) for _ in range(40)]
        app.press("c")
        app.take_until_quiet(0.5)
        typed = [app.key_work(letter, 0.15) for letter in LETTERS]
        app.press("escape")
        app.take_until_quiet(2.0)
        before = cpu_seconds(app.pid)
        silent = sum(len(app.take(IDLE / 10)) for _ in range(10))
        rest = cpu_seconds(app.pid) - before
    finally:
        end(app)
    letters = [size for _, size in typed]
    lines = [size for _, size in scrolled]
    return [
        Row(
            "bytes of one typed key (median)",
            f"{median(letters):.0f}",
            "",
            None,
            "<= 200",
            median(letters) <= 200,
        ),
        Row("bytes of one typed key (p95)", f"{quantile(letters, 0.95):.0f}"),
        Row(
            "bytes of one scrolled line (p95)",
            f"{quantile(lines, 0.95):.0f}",
            "",
            None,
            "<= 4,000",
            quantile(lines, 0.95) <= 4000,
        ),
        Row("bytes in 10 s of silence", f"{silent}", f"CPU {ms(rest)}", None, "0", silent == 0),
        Row("work of one typed key, demo (p95)", ms(quantile([cpu for cpu, _ in typed], 0.95))),
    ]


def _to_messages(app: Watched) -> None:
    """Shows the combined feed, whatever is on the screen: Escape alone may open the home view."""
    for key in ("escape", "a"):
        app.press(key)
        app.take_until_quiet(0.7)


def measure_busy(served: Served, folder: Path) -> list[Row]:
    """Measures the work of a key with 100,000 cached messages and a server that takes two seconds, and of
    switching views.
    """
    with Proxied(served.url) as proxy:
        rc = served.rc("ada", proxy.url)
        open_and_leave(rc, folder)
        count = fill(folder / "home", served.data / "narrowcast.db", limit=100_000)
        app = open_app(rc, folder / "home")
        try:
            proxy.delay(2.0)
            _to_messages(app)
            app.press("D")
            app.take_until_quiet(1.0)
            switches = [_painted(app, "D", 0.25) for _ in range(8)]
            scrolls = [_painted(app, "k") for _ in range(60)]
            app.press("c")
            app.take_until_quiet(0.5)
            letters = [_painted(app, letter) for letter in LETTERS]
            app.press("escape")
            app.take_until_quiet(0.5)
            proxy.delay(0.0)
        finally:
            app.kill()
            app.hang_up()
    keys = [*scrolls, *letters]
    first, whole = [one.first for one in keys], [one.whole for one in keys]
    rows = [
        Row(
            f"key to painted (work), {count:,} cached, server 2 s slow (p95)",
            ms(quantile(first, 0.95)),
            f"median {ms(median(first))}",
            None,
            "<= 16.7 ms",
            quantile(first, 0.95) <= 0.0167,
        ),
        Row(
            "  all threads, until quiet (p95)",
            ms(quantile(whole, 0.95)),
            f"median {ms(median(whole))}",
            None,
            "<= 16.7 ms",
            quantile(whole, 0.95) <= 0.0167,
        ),
    ]
    for name, part in (("scrolling", scrolls), ("typing", letters)):
        for what, costs in (
            ("", [one.first for one in part]),
            (", all threads", [one.whole for one in part]),
        ):
            measured = ms(quantile(costs, 0.95))
            rows.append(Row(f"  of these {name}{what} (p95)", measured, f"median {ms(median(costs))}"))
    for what, costs in (
        (
            f"switch of channels to painted (work), {count:,} cached (median)",
            [one.first for one in switches],
        ),
        ("  all threads, until quiet (median)", [one.whole for one in switches]),
    ):
        worst = f"worst {ms(max(costs))}"
        rows.append(Row(what, ms(median(costs)), worst, None, "<= 50 ms", median(costs) <= 0.05))
    return rows


def measure_finding(served: Served, folder: Path) -> list[Row]:
    """Measures the work of letters that search all people: in the switcher and as completions of a mention."""
    app = open_app(served.rc("ada"), folder / "home", size=(140, 44))
    try:
        _to_messages(app)
        opened, switcher, mentions = [], [], []
        for word in FOUND:
            opened.append(_painted(app, "\x0b", 0.5))
            switcher += [_painted(app, letter, 0.15) for letter in word]
            app.press("escape")
            app.take_until_quiet(0.5)
        app.press("c")
        app.take_until_quiet(0.5)
        for word in FOUND:
            mentions += [_painted(app, letter, 0.15) for letter in f"@{word}"]
            app.press("\x15")
            app.take_until_quiet(0.5)
    finally:
        app.kill()
        app.hang_up()
    table = (
        ("letter in the switcher, 20,000 people", switcher, 0.0167),
        ("letter of a mention, 20,000 people", mentions, 0.0167),
        ("switcher opens, 20,000 people", opened, 0.05),
    )
    rows = []
    for what, costs, limit in table:
        first = [one.first for one in costs]
        worst = quantile(first, 0.95)
        shown = f"median {ms(median(first))}, worst {ms(max(first))}"
        rows.append(Row(f"{what} (work, p95)", ms(worst), shown, None, f"<= {ms(limit)}", worst <= limit))
    return rows


class _Painted(NamedTuple):
    """CPU seconds of a key."""

    first: float
    """Of the thread that handles keys, until the first bytes of the response."""
    whole: float
    """Of all threads, until there is no more output: includes fetching a page and writing the cache."""


def _painted(app: Watched, key: str, quiet: float = 0.06) -> _Painted:
    before = cpu_seconds(app.pid)
    _, work = app.key_answer(key)
    app.take_until_quiet(quiet)
    return _Painted(work, cpu_seconds(app.pid) - before)


def open_and_leave(rc: Path, folder: Path) -> None:
    """Creates the cache of the account."""
    end(open_app(rc, folder / "home"))
