"""A client to be killed: `python -m faults.victim SITE EMAIL KEY FOLDER CHANNEL send|type`.

Prints `live` when it is, does its work, prints `done`, and keeps running.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from narrowcast.runtime.background import until
from narrowcast_api.account import Account
from narrowcast_api.http.secret import Secret
from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.sync.session import Session
from support.timing import RunningTime


async def main(site: str, email: str, key: str, folder: str, channel: str, act: str) -> None:
    account = Account(site, email, Secret(key))
    session = await Session.open(account, data_dir=Path(folder) / "data", cache_dir=Path(folder) / "cache")
    running = asyncio.create_task(session.run())
    await until(session, lambda: session.is_live)
    say("live")
    soup = ChannelDestination(int(channel), "soup")
    await asyncio.to_thread(sys.stdin.readline)
    if act == "send":
        session.outbox.send(soup, "last words")
    else:
        draft_id = None
        with RunningTime() as clock:
            for length in range(1, 11):
                draft_id = session.drafts.save(draft_id, soup, "last words"[:length])
                await clock.passes(0.05)
            await clock.passes(0.9)
    say("done")
    await running


def say(word: str) -> None:
    print(word, flush=True)  # noqa: T201


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
