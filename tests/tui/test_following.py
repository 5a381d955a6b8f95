"""What `narrowcast read --follow` prints after its server was restored to an older state."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from narrowcast.cli.follow import Follower
from narrowcast_api.account import Account
from narrowcast_api.client import Client
from narrowcast_api.http.secret import Secret
from support.live import channel_message
from support.session_service import Service
from support.sessions import until


def service_with(*ids: int) -> Service:
    service = Service()
    service.messages = {number: channel_message(number) for number in ids}
    return service


@asynccontextmanager
async def following(service: Service) -> AsyncIterator[list[str]]:
    """Follows all messages; yields what is printed."""
    account = Account("http://chat.example", "user1@demo.example", Secret("k" * 32))
    printed: list[str] = []
    async with Client.open(account, transport=service) as client:
        follower = Follower(client, (), lambda one: printed.append(one.message.content), named=False)
        work = asyncio.create_task(follower.run(10))
        try:
            await until(lambda: "/events" in service.asked)
            yield printed
        finally:
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)


async def registered_again(service: Service) -> None:
    service.lose_queue()
    registrations = service.asked.count("/register")
    await until(lambda: service.asked.count("/register") > registrations)


async def test_messages_with_ids_of_printed_ones_are_printed() -> None:
    service = service_with(100, 190)
    async with following(service) as printed:
        assert printed == ["<p>message 100</p>", "<p>message 190</p>"]
        new = {**channel_message(101), "timestamp": 1_900_000_000, "content": "<p>new</p>"}
        service.messages = {100: channel_message(100), 101: new}
        await registered_again(service)
        await until(lambda: printed[2:] == ["<p>new</p>"])
        service.messages[102] = {**new, "id": 102, "content": "<p>newer</p>"}
        await registered_again(service)
        await until(lambda: printed[3:] == ["<p>newer</p>"])


async def test_nothing_is_printed_twice_after_the_last_message_was_deleted() -> None:
    service = service_with(100, 189, 190)
    async with following(service) as printed:
        service.messages = {100: channel_message(100), 189: channel_message(189)}
        await registered_again(service)
        service.messages[191] = channel_message(191)
        await registered_again(service)
        await until(lambda: len(printed) > 3)
        assert printed[3:] == ["<p>message 191</p>"]
