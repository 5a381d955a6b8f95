"""A window without a screen that runs commands: `python -m faults.window_process SITE EMAIL KEY FOLDER
CHANNEL`.

Reads one JSON object per line and writes one as the result. What a result confirms is on disk.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

from narrowcast_api.account import Account
from narrowcast_api.errors import NarrowcastError
from narrowcast_api.http.secret import Secret
from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.sync.session import Session

Reply = dict[str, Any]


class Acts:
    """One method per action. `chance` makes its random choices."""

    def __init__(self, session: Session, channel: int) -> None:
        self._session = session
        self._channel = channel

    async def send(self, chance: Random, text: str) -> Reply:
        topic = chance.choice(("soup", "tea"))
        self._session.outbox.send(ChannelDestination(self._channel, topic), text)
        return {}

    async def draft(self, chance: Random, text: str) -> Reply:
        drafts = self._session.drafts
        known = [draft.draft_id for draft in drafts.all()]
        if known and chance.random() < 0.3:
            drafts.delete(chance.choice(known))
        else:
            draft_id = chance.choice(known) if known and chance.random() < 0.5 else None
            drafts.save(draft_id, ChannelDestination(self._channel, "soup"), text)
        return {}

    async def cancel(self, chance: Random, text: str) -> Reply:
        outbox = self._session.outbox
        entries = outbox.entries()
        if not entries:
            return {}
        local_id = chance.choice(entries).local_id
        entry = outbox.cancel(local_id) if await outbox.claim(local_id) else None
        return {} if entry is None else {"given_back": entry.content}

    async def retry(self, chance: Random, text: str) -> Reply:
        for entry in self._session.outbox.entries():
            if await self._session.outbox.claim(entry.local_id):
                self._session.outbox.retry(entry.local_id)
        return {}

    async def read(self, chance: Random, text: str) -> Reply:
        unread = sorted(self._session.state.unreads)
        self._session.read_marks.seen(chance.sample(unread, chance.randrange(len(unread) + 1)))
        return {}

    async def star(self, chance: Random, text: str) -> Reply:
        known = sorted(message.id for message in self._session.state.messages)
        if known:
            work = self._session.message_actions.flag(chance.choice(known), "starred", chance.random() < 0.7)
            self._session.spawn(_may_fail(work), "a star")
        return {}

    async def report(self, chance: Random, text: str) -> Reply:
        """The state that the window shows."""
        session = self._session
        return {
            "live": session.is_live,
            "outbox": sorted((entry.content, entry.state.value) for entry in session.outbox.entries()),
            "drafts": sorted(draft.content for draft in session.drafts.all()),
            "unread": sorted(session.state.unreads),
            "starred": sorted(session.state.starred),
            "marks": len(session.read_marks.pending),
        }


async def _may_fail(work: Awaitable[None]) -> None:
    with suppress(NarrowcastError):
        await work


async def main(site: str, email: str, key: str, folder: str, channel: str) -> None:
    account = Account(site, email, Secret(key))
    session = await Session.open(account, data_dir=Path(folder) / "data", cache_dir=Path(folder) / "cache")
    running = asyncio.create_task(session.run())
    session.spawn(session.view(Narrow.all()).open(), "the open view")
    acts = Acts(session, int(channel))
    say({"warnings": session.warnings})
    while line := await asyncio.to_thread(sys.stdin.readline):
        wanted = json.loads(line)
        act: Callable[[Random, str], Awaitable[Reply]] = getattr(acts, wanted["act"])
        reply = await act(Random(wanted["seed"]), wanted["text"])
        await session.services.flush()
        say(reply)
    await session.close()
    running.cancel()


def say(reply: Reply) -> None:
    print(json.dumps(reply), flush=True)  # noqa: T201


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
