"""Keys: their work, their bytes, and the silence between them."""

from __future__ import annotations

from pathlib import Path
from statistics import median

from bench.cached import fill
from bench.proxied import Proxied
from bench.results import Row, ms, quantile
from bench.servers import Served
from bench.watched import Watched, cpu_seconds, end, open_app

LETTERS = "the quick brown fox jumps over the lazy dog and goes on to say more"
IDLE = 10.0


def measure_bytes(served: Served, folder: Path) -> list[Row]:
    """What goes to the terminal, in the demo organization."""
    app = open_app(served.rc("ada"), folder / "home")
    try:
        _home_in_messages(app)
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
            "<= 5,000",
            quantile(lines, 0.95) <= 5000,
        ),
        Row("bytes in 10 s of silence", f"{silent}", f"CPU {ms(rest)}", None, "0", silent == 0),
        Row("work of one typed key, demo (p95)", ms(quantile([cpu for cpu, _ in typed], 0.95))),
    ]


def _home_in_messages(app: Watched) -> None:
    app.press("escape")
    app.take_until_quiet(0.5)


def measure_busy(served: Served, folder: Path) -> list[Row]:
    """Work of a key with 100,000 messages in the cache and a server that takes two seconds, and of a switch."""
    with Proxied(served.url) as proxy:
        rc = served.rc("ada", proxy.url)
        open_and_leave(rc, folder)
        count = fill(folder / "home", served.data / "narrowcast.db", limit=100_000)
        app = open_app(rc, folder / "home")
        try:
            proxy.delay(2.0)
            _home_in_messages(app)
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
    return [
        Row(
            f"key to painted (work), {count:,} cached, server 2 s slow (p95)",
            ms(quantile(keys, 0.95)),
            f"median {ms(median(keys))}",
            None,
            "<= 16.7 ms",
            quantile(keys, 0.95) <= 0.0167,
        ),
        Row("  of these scrolling (p95)", ms(quantile(scrolls, 0.95)), f"median {ms(median(scrolls))}"),
        Row("  of these typing (p95)", ms(quantile(letters, 0.95)), f"median {ms(median(letters))}"),
        Row(
            f"switch of channels to painted (work), {count:,} cached (median)",
            ms(median(switches)),
            f"worst {ms(max(switches))}",
            None,
            "<= 50 ms",
            median(switches) <= 0.05,
        ),
    ]


def _painted(app: Watched, key: str, quiet: float = 0.06) -> float:
    """CPU seconds of the thread of keys until the first bytes answer; what follows, such as a page, is waited for."""
    _, work = app.key_answer(key)
    app.take_until_quiet(quiet)
    return work


def open_and_leave(rc: Path, folder: Path) -> None:
    """Makes the cache of the account."""
    end(open_app(rc, folder / "home"))
