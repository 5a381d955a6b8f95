"""Kills, second devices, second windows and broken files."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from faults.cases import CASES
from faults.world import World, world_at
from narrowcast_api.storage.folders import account_folder_name
from support.fault_proxy import Fault
from support.server import TestServer
from support.sessions import until

TESTS = Path(__file__).resolve().parents[1]


def test_every_case_of_the_matrix_has_its_test() -> None:
    tests = {name.removeprefix("test_").replace("_", " ") for name in globals() if name.startswith("test_")}
    assert set(CASES) <= tests


@asynccontextmanager
async def victim(world: World, act: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """A client process that is live and waits for a line of input before it acts; killed at the end."""
    account = world.server.account("ada")
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "faults.victim",
        world.proxy.url,
        account.email,
        account.key.reveal(),
        str(world.folder / "laptop"),
        str(world.channel),
        act,
        cwd=TESTS,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        assert await process.stdout.readline() == b"live\n"
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        process.stdin.close()


async def tell(process: asyncio.subprocess.Process, *, wait: bool = True) -> None:
    """Makes it act; waits until it reports that it has."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"now\n")
    if wait:
        assert await process.stdout.readline() == b"done\n"


async def test_killed_before_the_request_left(tmp_path: Path) -> None:
    async with world_at(tmp_path) as world:
        async with victim(world, "send") as process:
            await world.proxy.refuse()
            await tell(process)
            await world.running_time.passes(
                1
            )  # the limit that the journal promises; usually it takes milliseconds
        await world.proxy.heal()
        session = await world.open_session()
        assert await world.calm(session) == []
        assert await world.contents("soup") == ["last words"]


async def test_killed_after_the_server_had_the_message(tmp_path: Path) -> None:
    async with world_at(tmp_path) as world:
        world.proxy.fail(Fault.HELD_AFTERWARDS, "POST", "/api/v1/messages")
        async with victim(world, "send") as process:
            await tell(process, wait=False)
            await until(lambda: bool(world.proxy.held), what="the server has the message")
        await world.proxy.heal()
        session = await world.open_session()
        assert await world.calm(session) == []
        await world.passes(10)
        assert await world.contents("soup") == ["last words"]


async def test_killed_while_the_message_had_not_arrived(tmp_path: Path) -> None:
    async with world_at(tmp_path) as world:
        world.proxy.fail(Fault.HELD_BEFORE, "POST", "/api/v1/messages")
        async with victim(world, "send") as process:
            await tell(process, wait=False)
            await until(lambda: bool(world.proxy.held), what="the request is on the way")
        await world.proxy.cut()
        await world.proxy.heal()
        session = await world.open_session()
        (offered,) = await world.calm(session)
        assert offered.content == "last words"
        assert await world.contents("soup") == ["last words"]


async def test_killed_while_typing_a_draft(tmp_path: Path) -> None:
    async with world_at(tmp_path) as world:
        async with victim(world, "type") as process:
            await tell(process)
        session = await world.open_session()
        assert [draft.content for draft in session.drafts.all()] == ["last words"]
        await world.calm(session)
        assert await world.server_drafts() == ["last words"]


async def test_two_devices_edit_one_draft_at_once(tmp_path: Path) -> None:
    async with world_at(tmp_path) as world:
        laptop = await world.open_session("laptop")
        laptop.drafts.save(None, world.soup, "base")
        await world.calm(laptop)
        phone = await world.open_session("phone")
        await until(lambda: len(phone.drafts.all()) == 1, what="the phone has the draft")
        for session, text in ((laptop, "from the laptop"), (phone, "from the phone")):
            session.drafts.save(session.drafts.all()[0].draft_id, world.soup, text)
        both = ["from the laptop", "from the phone"]

        def agree() -> bool:
            shown = [sorted(d.content for d in s.drafts.all()) for s in (laptop, phone)]
            return shown == [both, both] and all(d.synced for s in (laptop, phone) for d in s.drafts.all())

        await until(agree, what="both texts are on both devices")
        assert await world.server_drafts() == both


async def test_a_second_window_on_one_account(tmp_path: Path) -> None:
    async with world_at(tmp_path) as world:
        second = await world.open_session()
        async with victim(world, "send") as process:
            await world.proxy.refuse()
            await until(lambda: not second.is_live, what="the network is gone")
            await tell(process)
            await until(lambda: bool(second.outbox.entries()), what="the second window shows it, offline")
            (shown,) = second.outbox.entries()
            assert (shown.content, shown.elsewhere) == ("last words", True)
            second.outbox.send(world.soup, "and these")
        await world.proxy.heal()
        await world.calm(second)
        assert await world.contents("soup") == ["last words", "and these"]


def files(world: World, server: TestServer) -> tuple[Path, Path]:
    account = server.account("ada")
    name = account_folder_name(world.proxy.url, account.email)
    return (
        world.folder / "laptop" / "data" / name / "journal.db",
        world.folder / "laptop" / "cache" / name / "cache.db",
    )


async def test_corrupt_cache_at_the_start(tmp_path: Path) -> None:
    async with world_at(tmp_path) as world:
        session = await world.open_session()
        await world.server.send("bruno", "general", "soup", "hello")
        await world.view(session)
        await world.close_session(session)
        _, cache = files(world, world.server)
        raw = bytearray(cache.read_bytes())
        raw[: len(raw) // 2] = os.urandom(len(raw) // 2)
        cache.write_bytes(raw)
        again = await world.open_session()
        view = await world.view(again)
        assert len(view.ids) == 1
        again.outbox.send(world.soup, "still here")
        await world.calm(again)
        assert await world.contents("soup") == ["hello", "still here"]
        assert list(cache.parent.glob("cache.db.damaged-*"))


async def test_corrupt_journal_at_the_start(tmp_path: Path) -> None:
    async with world_at(tmp_path) as world:
        session = await world.open_session()
        await world.proxy.refuse()
        await until(lambda: not session.is_live, what="the session noticed")
        session.outbox.send(world.soup, "kept")
        for number in range(300):
            session.drafts.save(None, world.soup, f"draft {number} " + "x" * 400)
        await world.close_session(session)
        await world.proxy.heal()
        journal, _ = files(world, world.server)
        raw = bytearray(journal.read_bytes())
        raw[-5 * 4096 : -4 * 4096] = os.urandom(4096)
        journal.write_bytes(raw)
        again = await world.open_session()
        assert any("damaged" in warning for warning in again.warnings)
        assert len(again.drafts.all()) > 100
        await until(lambda: not again.outbox.entries(), what="the message is sent")
        assert await world.contents("soup", "ada") == ["kept"]
