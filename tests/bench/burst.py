"""A thousand messages at once: does the app keep responding to keys?"""

from __future__ import annotations

import time
from pathlib import Path
from statistics import median

import httpx2

from bench.proxied import Proxied
from bench.results import Row, ms, quantile
from bench.servers import Served
from bench.watched import Watched, cpu_seconds, open_app

MESSAGES = 1000


def measure(served: Served, folder: Path) -> list[Row]:
    """Messages held back by a stalled network, then delivered all at once, while a user types."""
    with Proxied(served.url) as proxy:
        app = open_app(served.rc("ada", proxy.url), folder / "home")
        try:
            app.press("escape")
            app.take_until_quiet(0.5)
            app.press("c")
            app.take_until_quiet(0.5)
            calm = _typing(app, 2.0)
            proxy.hang()
            _send(served)
            before = cpu_seconds(app.pid)
            proxy.resume()
            busy = _typing(app, 5.0)
            spent = cpu_seconds(app.pid) - before
        finally:
            app.kill()
            app.hang_up()
    worst = max(cpu for _, cpu in busy)
    usual = median(cpu for _, cpu in calm)
    return [
        Row(
            f"key during {MESSAGES:,} messages at once (work until answered, worst)",
            ms(worst),
            f"calm {ms(usual)}",
            worst / usual,
            "<= 50 ms",
            worst <= 0.05,
        ),
        Row(
            "  the same in seconds (p95, worst)",
            f"{ms(quantile([s for s, _ in busy], 0.95))}, {ms(max(s for s, _ in busy))}",
            f"calm worst {ms(max(s for s, _ in calm))}",
            None,
            "<= 50 ms",
            max(s for s, _ in busy) <= 0.05,
        ),
        Row(f"work of {MESSAGES:,} messages and the keys", ms(spent)),
    ]


def _typing(app: Watched, seconds: float) -> list[tuple[float, float]]:
    """Types letters, each after the screen has shown the last one; returns (seconds, CPU seconds) for each."""
    found = []
    end = time.monotonic() + seconds
    letter = 0
    while time.monotonic() < end:
        while app.take(0.0):  # output that is no response to a key
            pass
        found.append(app.key_answer("abcdefghijklmnopqrstuvwxyz"[letter % 26]))
        letter += 1
        app.take(0.01)
    return found


def _send(served: Served) -> None:
    with httpx2.Client(base_url=served.url, auth=served.auth("bruno"), trust_env=False, timeout=30) as client:
        channel = client.get("/api/v1/users/me/subscriptions").json()["subscriptions"][0]["stream_id"]
        for number in range(MESSAGES):
            form = {
                "type": "channel",
                "to": str(channel),
                "topic": f"burst {number % 7}",
                "content": f"message {number} of many",
            }
            client.post("/api/v1/messages", data=form).raise_for_status()
