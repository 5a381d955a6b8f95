"""Without a connection a command works, waits, or fails at once: nothing is dropped silently."""

from __future__ import annotations

from pathlib import Path

from narrowcast.keys.registry import by_id
from narrowcast.widgets.status import banner
from narrowcast_api.events.status import ConnectionKind, ConnectionStatus
from support.sessions import until
from support.stage import Stage, behind_proxy, on_stage, run


def lose_connection(stage: Stage) -> None:
    now = stage.session.clock.now()
    stage.session.synchronizer.on_status(ConnectionStatus(ConnectionKind.OFFLINE, now, "no route"))


async def test_a_deactivated_user_is_told_so_and_not_asked_to_log_in_again(tmp_path: Path) -> None:
    async with on_stage(tmp_path, person="dario", size=(80, 24)) as stage:
        await stage.server.call("ada", "DELETE", f"/users/{stage.server.id('dario')}", {})
        await until(lambda: stage.session.status.kind is ConnectionKind.REFUSED)
        told = banner(stage.session, stage.app.keys)
        assert told.startswith("✕ The server does not accept this account: ")
        assert "deactivated" in told
        assert "Log in again" not in told
        assert len(told) <= 80


async def test_a_command_that_needs_the_server_fails_at_once_with_the_reason(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.server.send("bruno", "general", "soup", "Taste it")
        await until(lambda: stage.screen.messages.selected_id is not None)
        lose_connection(stage)
        for command_id in ("topic.resolve", "message.delete", "own.status"):
            await run(stage, command_id)
            assert stage.app.screen is stage.screen, "no dialog whose answer would be lost"
            title = by_id()[command_id].title
            assert any(title in notice and "offline" in notice for notice in stage.notices), command_id


async def test_a_star_waits_without_a_connection_and_is_on_the_server_when_it_is_back(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        message_id = await stage.server.send("bruno", "general", "soup", "Taste it")
        await until(lambda: stage.screen.messages.selected_id == message_id)
        lose_connection(stage)
        await run(stage, "message.star")
        await until(lambda: "1 change waiting" in stage.status_line)
        assert stage.session.state.starred == {message_id}
        stage.session.synchronizer.on_status(ConnectionStatus(ConnectionKind.LIVE, stage.session.clock.now()))
        await until(lambda: not stage.session.message_actions.waiting)
        listener = await stage.server.listen("ada")
        assert listener.snapshot["starred_messages"] == [message_id]


async def test_reloading_the_view_tries_at_once_whether_the_server_takes_the_key_again(
    tmp_path: Path,
) -> None:
    async with behind_proxy(tmp_path) as (stage, proxy):
        server = stage.server
        user_id, users, vault = server.id("ada"), server.organization.users, server.organization.vault
        right = users[user_id].api_key
        users.update(user_id, api_key=vault.seal("z" * 32))
        await proxy.refuse()
        await proxy.listen()
        await until(lambda: stage.session.status.kind is ConnectionKind.REFUSED)
        users.update(user_id, api_key=vault.seal(right))
        await run(stage, "message.reload")
        await until(lambda: stage.session.is_live)
