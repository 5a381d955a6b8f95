"""A server that is restarted while people write: nothing acknowledged is lost; readers receive all once."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

import httpx2

from narrowcast_api.account import Account
from narrowcast_api.narrow.narrow import Narrow
from support.sessions import session_of, until
from support.terminal import home

MESSAGES = 30


@asynccontextmanager
async def served(folder: Path, port: int) -> AsyncIterator[asyncio.subprocess.Process]:
    """`narrowcast serve` on a port, once it responds; stopped with SIGTERM."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "narrowcast", "serve", "--port", str(port), "--data", str(folder / "data")),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={"PATH": "/usr/bin:/bin", **home(folder)},
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(60):
            assert (await process.stdout.readline()).startswith(b"listening on ")
        yield process
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
        await process.communicate()
        assert process.returncode == 0


class Writer:
    """Sends numbered messages one after the other, retrying each until it is acknowledged."""

    def __init__(self, account: Account) -> None:
        self._client = httpx2.AsyncClient(
            base_url=f"{account.site}/api/v1",
            auth=(account.email, account.key.reveal()),
            trust_env=False,
            timeout=10,
        )
        self.acknowledged: dict[int, str] = {}
        self.failures = 0

    async def write(self, count: int) -> None:
        async with self._client as client:
            for number in range(count):
                await until(partial(self._sent, client, f"number {number}"), 60)

    async def _sent(self, client: httpx2.AsyncClient, text: str) -> bool:
        fields = {"type": "stream", "to": '"general"', "topic": "t", "content": text}
        try:
            response = await client.post("/messages", data=fields)
        except httpx2.TransportError:
            self.failures += 1
            return False
        assert response.status_code == 200, response.text
        self.acknowledged[response.json()["id"]] = text
        return True


async def test_after_a_restart_no_message_is_lost_or_duplicated(tmp_path: Path, unused_tcp_port: int) -> None:
    async with AsyncExitStack() as first, AsyncExitStack() as reading:
        await first.enter_async_context(served(tmp_path, unused_tcp_port))
        account = Account.from_zuliprc(tmp_path / "data" / "owner.zuliprc")
        writer = Writer(account)
        reader = await reading.enter_async_context(session_of(account, tmp_path / "reader"))
        general = next(channel.channel_id for channel in reader.state.channels if channel.name == "general")
        view = reader.view(Narrow.topic(general, "t"))
        await view.open()
        writing = asyncio.create_task(writer.write(MESSAGES))
        await until(lambda: len(writer.acknowledged) >= 10, 30)
        await first.aclose()
        await until(lambda: writer.failures > 0, 30)
        async with served(tmp_path, unused_tcp_port):
            await writing
            await until(lambda: len(view.ids) >= MESSAGES, 60)
            ids = list(view.ids)
            assert set(writer.acknowledged) <= set(ids)
            assert len(ids) == len(set(ids))
            assert all(reader.state.messages.get(identity) is not None for identity in ids)
