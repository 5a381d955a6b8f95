"""The requests of the outbox, to the embedded server."""

from __future__ import annotations

from pathlib import Path

import pytest

from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.protocols.outbox_item import FoundMessage
from narrowcast_api.protocols.outbox_requests import OutboxRequests
from support.server import TestServer
from support.sessions import sessions


@pytest.mark.parametrize("policy", ["all", "moves", "none"])
async def test_own_messages_are_found_as_they_were_sent_where_the_server_shows_it(
    server: TestServer, tmp_path: Path, policy: str
) -> None:
    await server.call("ada", "PATCH", "/realm", {"message_edit_history_visibility_policy": policy})
    before = await server.send("ada", "general", "soup", "before")
    edited = await server.send("ada", "general", "soup", "first text")
    untouched = await server.send("ada", "general", "soup", "untouched")
    await server.send("bruno", "general", "soup", "from another user")
    await server.call("ada", "PATCH", f"/messages/{edited}", {"content": "second text"})
    async with sessions(server, tmp_path, "ada") as (session,):
        found = await OutboxRequests(session.context).find(
            ChannelDestination(server.channel("general"), "soup"), before
        )
    shown = policy == "all"
    text = "first text" if shown else "second text"
    assert found == [FoundMessage(edited, text, is_original=shown), FoundMessage(untouched, "untouched")]
