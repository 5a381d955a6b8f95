"""``narrowcast outbox``: messages written without a network are listed, sent, resent or cancelled."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from narrowcast.cli.records import OutboxRecord, Record
from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.storage.records import OutboxState
from narrowcast_api.sync.session import Session
from support.command_line import rc_of, run
from support.fault_proxy import Fault, FaultProxy
from support.server import TestServer, running_server
from support.sessions import until
from support.terminal import home, narrowcast

NOWHERE = ChannelDestination(987_654, "x")
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="there is no /dev/full")


async def write(
    server: TestServer, folder: Path, *texts: str, where: ChannelDestination | None = None
) -> None:
    """Puts pending messages into the journal in the command line's own folders."""
    data, cache = folder / "data" / "narrowcast", folder / "cache" / "narrowcast"
    session = await Session.open(server.account("ada"), data_dir=data, cache_dir=cache)
    for text in texts:
        session.outbox.send(where or ChannelDestination(server.channel("general"), "lunch"), text)
    await session.close()


async def listed(folder: Path, rc: str) -> list[OutboxRecord]:
    result = await run(folder, "outbox", "--rc", rc, "--json")
    assert (result.code, result.err) == (0, "")
    found = [msgspec.json.decode(line, type=Record) for line in result.out.splitlines()]
    assert all(isinstance(record, OutboxRecord) for record in found)
    return found


async def contents(server: TestServer) -> list[str]:
    return [message["content"] for message in await server.newest("ada")]


async def test_pending_messages_are_listed_and_sent_in_order_once(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        rc = rc_of(server, tmp_path)
        await write(server, tmp_path, "first", "second\x1b[2J")
        waiting = await listed(tmp_path, rc)
        assert [(one.state, one.content) for one in waiting] == [
            ("waiting", "first"),
            ("waiting", "second\x1b[2J"),
        ]
        shown = await run(tmp_path, "outbox", "--rc", rc)
        assert "second␛[2J" in shown.out
        sent = await run(tmp_path, "outbox", "--rc", rc, "--wait", "30")
        assert (sent.code, sent.out, sent.err) == (0, "", "")
        assert [text for text in await contents(server) if text.startswith(("first", "second"))] == [
            "first",
            "second\x1b[2J",
        ]
        assert await listed(tmp_path, rc) == []


async def test_a_cancelled_message_is_printed_and_not_sent(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        rc = rc_of(server, tmp_path)
        await write(server, tmp_path, "keep", "not this")
        identity = next(one.id for one in await listed(tmp_path, rc) if one.content == "not this")
        taken = await run(tmp_path, "outbox", "--rc", rc, "cancel", identity[:8])
        assert (taken.code, taken.out) == (0, "not this\n")
        assert [one.content for one in await listed(tmp_path, rc)] == ["keep"]


async def test_a_failed_message_is_reported_and_can_be_sent_again(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        rc = rc_of(server, tmp_path)
        await write(server, tmp_path, "lost", where=NOWHERE)
        failed = await run(tmp_path, "outbox", "--rc", rc, "--wait", "30")
        assert failed.code == 1
        (one,) = await listed(tmp_path, rc)
        assert (one.state, one.content) == ("failed", "lost")
        assert one.error
        assert one.id in failed.err
        again = await run(tmp_path, "outbox", "--rc", rc, "retry", "all")
        assert (again.code, again.err) == (0, "")
        (one,) = await listed(tmp_path, rc)
        assert one.state in ("waiting", "unconfirmed")
        soon = await run(tmp_path, "outbox", "--rc", rc, "retry", one.id)
        assert soon.code == 1
        assert soon.err.startswith(f"narrowcast: {one.id}: This message ")
        nothing = await run(tmp_path, "outbox", "--rc", rc, "retry", "all")
        assert (nothing.code, nothing.err) == (0, "")


@pytest.mark.parametrize("wanted", ["all", "its id"])
async def test_a_message_that_is_being_sent_is_not_cancelled_which_is_a_failure(
    tmp_path: Path, wanted: str
) -> None:
    async with running_server(tmp_path / "server") as server, FaultProxy(server.url) as proxy:
        proxy.fail(Fault.HELD_BEFORE, "POST", "/api/v1/messages")
        account = replace(server.account("ada"), site=proxy.url)
        account.write_zuliprc(rc := tmp_path / "proxied.zuliprc")
        data, cache = tmp_path / "data" / "narrowcast", tmp_path / "cache" / "narrowcast"
        session = await Session.open(account, data_dir=data, cache_dir=cache)
        running = asyncio.create_task(session.run())
        try:
            session.outbox.send(ChannelDestination(server.channel("general"), "lunch"), "on its way")
            await until(lambda: [one.state for one in session.outbox.entries()] == [OutboxState.SENDING])
            (one,) = await listed(tmp_path, str(rc))
            which = one.id if wanted == "its id" else wanted
            result = await run(tmp_path, "outbox", "--rc", str(rc), "cancel", which)
            assert (result.code, result.out) == (1, "")
            assert result.err == f"narrowcast: {one.id} is already being sent\n"
        finally:
            running.cancel()
            await session.close()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("retry",), "no messages given"),
        (("cancel", "zzz"), "no message has an id"),
        (("forget",), "invalid choice"),
        (("--wait", "soon"), "not a number of seconds"),
    ],
)
async def test_wrong_usage_is_one_line(tmp_path: Path, arguments: tuple[str, ...], words: str) -> None:
    async with running_server(tmp_path / "server") as server:
        result = await run(tmp_path, "outbox", "--rc", rc_of(server, tmp_path), *arguments)
        assert result.code == 2
        assert words in result.err


async def test_without_a_network_sending_gives_up_waiting_and_loses_nothing(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        rc = rc_of(server, tmp_path)
        await write(server, tmp_path, "later")
    waited = await run(tmp_path, "outbox", "--rc", rc, "--wait", "0.5")
    assert waited.code == 4
    assert "1 still waiting" in waited.err
    assert [one.content for one in await listed(tmp_path, rc)] == ["later"]


async def test_with_the_app_open_the_command_lists_and_cancels_the_apps_unsent_messages(
    tmp_path: Path,
) -> None:
    async with running_server(tmp_path / "server") as server:
        rc = rc_of(server, tmp_path)
        await write(server, tmp_path, "later")
        data, cache = tmp_path / "data" / "narrowcast", tmp_path / "cache" / "narrowcast"
        other = await Session.open(server.account("ada"), data_dir=data, cache_dir=cache)
        try:
            assert [one.content for one in await listed(tmp_path, rc)] == ["later"]
            result = await run(tmp_path, "outbox", "--rc", rc, "cancel", "all")
            assert (result.code, result.out) == (0, "later\n")
            assert await listed(tmp_path, rc) == []
            await other.services.journal_watcher.look()
            assert other.outbox.entries() == []
        finally:
            await other.close()


@pytest.mark.parametrize("present", [False, True])
async def test_only_a_session_with_a_user_tells_of_presence(tmp_path: Path, present: bool) -> None:
    async with running_server(tmp_path / "server") as server:
        session = await Session.open(
            server.account("ada"), data_dir=tmp_path, cache_dir=tmp_path, present=present
        )
        assert ("report presence" in [name for name, _ in session.services.loops()]) is present
        await session.close()


def damage(folder: Path) -> None:
    """Damages the schema of the journal."""
    (path,) = folder.rglob("journal.db")
    with path.open("r+b") as file:
        file.seek(path.read_bytes().index(b"CREATE TABLE uploads") + 15)
        file.write(b"\x9e")


async def test_a_damaged_journal_is_reported_by_each_command_that_reads_it(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        rc = rc_of(server, tmp_path)
        await write(server, tmp_path, "still here")
        damage(tmp_path)
        waited = await run(tmp_path, "outbox", "--rc", rc, "--wait", "0")
        assert "Traceback" not in waited.err
        assert "the journal of drafts is damaged" in waited.err.lower()
        result = await run(tmp_path, "outbox", "--rc", rc)
        assert "still here" in result.out
        assert "the old file is kept" in result.err
        damage(tmp_path)
        checked = await run(tmp_path, "doctor", "--rc", rc, "--offline")
        assert "Traceback" not in checked.err
        assert "the old file is kept" in checked.out
        assert [one.content for one in await listed(tmp_path, rc)] == ["still here"]


@on_linux
async def test_a_message_whose_text_cannot_be_printed_is_not_cancelled(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        rc = rc_of(server, tmp_path)
        await write(server, tmp_path, "keep")
        told = "narrowcast: No space left on device\n"
        assert await _onto_a_full_disk(tmp_path, "outbox", "--rc", rc, "cancel", "all") == (1, told)
        assert [one.content for one in await listed(tmp_path, rc)] == ["keep"]


@on_linux
async def test_output_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    told = "narrowcast: the output could not be written: No space left on device\n"
    assert await _onto_a_full_disk(tmp_path, "--version") == (1, told)


async def _onto_a_full_disk(folder: Path, *arguments: str) -> tuple[int | None, str]:
    """The exit code of a command whose output cannot be written, and its errors."""
    with Path("/dev/full").open("wb") as full:
        process = await asyncio.create_subprocess_exec(
            *narrowcast(*arguments), stdout=full, stderr=asyncio.subprocess.PIPE, env=home(folder)
        )
    _, errors = await process.communicate()
    return process.returncode, errors.decode()
