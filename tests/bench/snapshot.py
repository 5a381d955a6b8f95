"""A large organization: how long until the app is usable, compared to json.loads of its snapshot."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from statistics import median

from bench.results import Row, mb, ms, work
from bench.servers import Served
from bench.watched import LIVE, Watched, end, resident_bytes
from narrowcast_api.account import Account
from narrowcast_api.client import Client
from narrowcast_api.routes import register as routes
from support.terminal import narrowcast

ROUNDS = 3


def register(served: Served) -> bytes:
    """The snapshot as the client requests it."""
    account = Account.from_zuliprc(served.rc("ada"))

    async def ask() -> dict[str, object]:
        client = Client.open(account)
        try:
            await client.connection.identify()
            return await routes.register(client.connection)
        finally:
            await client.aclose()

    return json.dumps(asyncio.run(ask()), separators=(",", ":")).encode()


def measure(served: Served, small: Served, folder: Path) -> list[Row]:
    """The work from exec until usable, minus that for the demo organization.

    On the first start, usable means that the snapshot has arrived; with a warm cache, that the channels are
    on screen.
    """
    body = register(served)
    loads = work(lambda: json.loads(body))
    live = re.compile("● live")
    channels = re.compile("# (channel|general)")
    rows = []
    for what, shown in (("first start", live), ("warm cache", channels)):
        start, _ = _until(shown, small, folder / "small", first=shown is live)
        spent, used = _until(shown, served, folder / "large", first=shown is live)
        ratio = (spent - start) / loads
        rows.append(
            Row(
                f"large organization usable, {what} (work, less start-up {ms(start)})",
                ms(spent - start),
                f"json.loads of {mb(len(body))} {ms(loads)}",
                ratio,
                "<= 2",
                ratio <= 2,
            )
        )
        rows.append(Row(f"  its memory, {what}", mb(used)))
    return rows


def _until(shown: re.Pattern[str], served: Served, folder: Path, *, first: bool) -> tuple[float, int]:
    """Measures CPU seconds until the screen shows something, and the memory later; medians, with a new home
    directory for first starts.
    """
    found, sizes = [], []
    for number in range(ROUNDS):
        app = Watched(narrowcast("--rc", str(served.rc("ada"))), folder / str(number if first else 0))
        try:
            while LIVE.pattern.encode() not in app.output and app.process.poll() is None:
                app.take(30)
            app.take_until_quiet(2.0)
            found.append(app.when(lambda screen: shown.search(screen) is not None)[0][1])
            sizes.append(resident_bytes(app.pid))
        finally:
            end(app)
    return median(found), int(median(sizes))
