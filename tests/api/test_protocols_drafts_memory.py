"""Deleted drafts leave the memory as well as the journal."""

from __future__ import annotations

import gc

from narrowcast_api.storage.records import Draft
from support.draft_server import LUNCH, DraftClient


def in_memory(text: str) -> int:
    """The number of records of drafts with this text that anything holds."""
    gc.collect()
    return sum(type(one) is Draft and text in one.version.content for one in gc.get_objects())


async def test_nothing_holds_the_text_of_deleted_drafts(client: DraftClient) -> None:
    async with client:
        on_server = await client.sync("On the server, not to be kept")
        local = client.drafts.save(None, LUNCH, "Only here, not to be kept")
        assert in_memory("not to be kept") >= 2
        for draft_id in (local, on_server):
            client.drafts.delete(draft_id)
        await client.clock.advance(3)
        await client.catch_up()
        assert client.kept() == []
        assert in_memory("not to be kept") == 0
