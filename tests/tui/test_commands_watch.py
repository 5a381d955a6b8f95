"""``narrowcast watch``: messages that notify, the command run for them, several accounts, a clean exit."""

from __future__ import annotations

import asyncio
import signal
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from narrowcast.cli.records import MessageRecord, Record
from narrowcast_api.http.secret import Secret
from narrowcast_api.sync.session import Session
from support.command_line import rc_of, run, running
from support.fault_proxy import FaultProxy
from support.server import TestServer, running_server
from support.sessions import until

from .test_commands_outbox import contents, write


async def next_record(process: asyncio.subprocess.Process) -> MessageRecord:
    assert process.stdout is not None
    async with asyncio.timeout(30):
        record = msgspec.json.decode(await process.stdout.readline(), type=Record)
    assert isinstance(record, MessageRecord)
    return record


async def queues_of(server: TestServer, count: int) -> None:
    """Waits until that many clients are registered."""
    await until(lambda: server.organization.hub.count >= count, 30)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
async def test_what_notifies_is_printed_with_its_reason_and_the_end_is_clean(
    tmp_path: Path, number: int
) -> None:
    async with (
        running_server(tmp_path / "server") as server,
        running(tmp_path, "watch", "--rc", rc_of(server, tmp_path), "--json") as process,
    ):
        await queues_of(server, 1)
        await server.send("bruno", "general", "lunch", "to everybody")
        await server.send("bruno", "general", "lunch", "hello @**Ada Moreno**")
        mention = await next_record(process)
        assert (mention.account, mention.reason) == ("ada", "mention")
        assert mention.content == "hello @**Ada Moreno**"
        await server.send_direct("bruno", ["ada"], "soup **today**")
        direct = await next_record(process)
        assert (direct.reason, direct.content, direct.type) == ("direct", "soup **today**", "direct")
        process.send_signal(number)
        async with asyncio.timeout(60):
            assert await process.communicate() == (b"", b"")
        assert process.returncode == 0
    assert not [*tmp_path.rglob("journal.db")]
    assert list((tmp_path / "tmp").iterdir()) == []


async def test_under_nohup_it_outlives_its_terminal(tmp_path: Path) -> None:
    async with (
        running_server(tmp_path / "server") as server,
        running(tmp_path, "watch", "--rc", rc_of(server, tmp_path), "--json", before=["nohup"]) as process,
    ):
        await queues_of(server, 1)
        process.send_signal(signal.SIGHUP)
        await server.send_direct("bruno", ["ada"], "soup")
        assert (await next_record(process)).content == "soup"


async def test_all_messages_are_printed_where_that_is_asked_for(tmp_path: Path) -> None:
    async with (
        running_server(tmp_path / "server") as server,
        running(tmp_path, "watch", "--rc", rc_of(server, tmp_path), "--all", "--json") as process,
    ):
        await queues_of(server, 1)
        await server.send("bruno", "general", "lunch", "to everybody")
        record = await next_record(process)
        assert (record.content, record.reason) == ("to everybody", None)


async def test_the_command_is_run_for_what_notifies(tmp_path: Path) -> None:
    target = tmp_path / "said"
    script = f'printf "%s|" "$@" >> {target}'
    async with running_server(tmp_path / "server") as server:
        command = ["sh", "-c", script, "x", "{sender}", "{body}"]
        async with running(tmp_path, "watch", "--rc", rc_of(server, tmp_path), "--run", *command):
            await queues_of(server, 1)
            await server.send("bruno", "general", "lunch", "to everybody")
            await server.send_direct("bruno", ["ada"], "--soup $(id)")
            await until(lambda: target.exists() and target.read_text().count("|") == 2, 30)
            assert target.read_text() == "Bruno Castell| --soup $(id)|"


async def test_all_stored_accounts_are_watched_and_a_broken_one_disturbs_none(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        folder = tmp_path / "config" / "narrowcast" / "accounts"
        folder.mkdir(parents=True)
        for person in ("ada", "chiyo"):
            server.account(person).write_zuliprc(folder / f"{person}.zuliprc")
        (folder / "broken.zuliprc").write_text("nonsense")
        broken(server, "bruno", folder / "wrong.zuliprc")
        async with running(tmp_path, "watch", "--json") as process:
            assert process.stderr is not None
            said = ""
            async with asyncio.timeout(30):
                while "rejected the API key" not in said:
                    said += (await process.stderr.readline()).decode()
            assert "broken.zuliprc" in said
            await queues_of(server, 2)
            await server.send_direct("bruno", ["ada"], "to ada")
            await server.send_direct("bruno", ["chiyo"], "to chiyo")
            got = {(record.account, record.content) for record in [await next_record(process) for _ in "12"]}
            assert got == {("ada", "to ada"), ("chiyo", "to chiyo")}


async def test_what_an_app_left_unsent_is_sent_once_and_an_open_app_keeps_its_account(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        rc = rc_of(server, tmp_path)
        await write(server, tmp_path, "written on the train")
        async with running(tmp_path, "watch", "--rc", rc):
            await until_sent(server, "written on the train")
            data, cache = tmp_path / "data" / "narrowcast", tmp_path / "cache" / "narrowcast"

            async def is_free() -> bool:
                session = await Session.open(server.account("ada"), data_dir=data, cache_dir=cache)
                free = not session.read_only
                await session.close()
                return free

            async def is_listed_no_more() -> bool:
                listed = await run(tmp_path, "outbox", "--rc", rc)
                return (listed.code, listed.out) == (0, "")

            await until(is_free)
            await until(is_listed_no_more)


async def until_sent(server: TestServer, text: str) -> None:
    async def is_sent() -> bool:
        return (await contents(server)).count(text) == 1

    await until(is_sent)


async def test_it_goes_on_after_an_outage_and_tells_of_what_came_meanwhile(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server, FaultProxy(server.url) as proxy:
        rc = tmp_path / "proxied.zuliprc"
        replace(server.account("ada"), site=proxy.url).write_zuliprc(rc)
        async with running(tmp_path, "watch", "--rc", str(rc), "--json") as process:
            await queues_of(server, 1)
            await server.send_direct("bruno", ["ada"], "before")
            assert (await next_record(process)).content == "before"
            await proxy.refuse()
            await proxy.cut()
            await server.send_direct("bruno", ["ada"], "meanwhile")
            await proxy.listen()
            assert (await next_record(process)).content == "meanwhile"


def broken(server: TestServer, person: str, path: Path) -> None:
    """Writes an account file with a key that the server rejects."""
    replace(server.account(person), key=Secret("w" * 32)).write_zuliprc(path)


async def test_it_ends_when_the_server_has_rejected_the_keys_of_all_accounts(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        folder = tmp_path / "config" / "narrowcast" / "accounts"
        folder.mkdir(parents=True)
        for person in ("ada", "bruno"):
            broken(server, person, folder / f"{person}.zuliprc")
        result = await run(tmp_path, "watch")
        assert (result.code, result.out) == (3, "")
        assert sorted(result.err.splitlines()) == [
            f"narrowcast: {person}: the server rejected the API key; log in again"
            for person in ("ada", "bruno")
        ]


async def test_a_named_file_that_cannot_be_read_is_the_only_error(tmp_path: Path) -> None:
    result = await run(tmp_path, "watch", "--rc", str(tmp_path / "gone"))
    assert result.code == 2
    assert result.err == f"narrowcast: {tmp_path / 'gone'}: cannot be read: No such file or directory\n"


async def test_without_an_account_there_is_nothing_to_watch(tmp_path: Path) -> None:
    result = await run(tmp_path, "watch")
    assert result.code == 3
    assert "narrowcast login URL" in result.err
