"""The app started with a link: where it goes once the account has been loaded."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from narrowcast.app.live_account import LiveAccount
from narrowcast.content.addresses import view_address
from narrowcast_api.narrow.narrow import Narrow
from support.sessions import until
from support.stage import Stage, file_of, on_stage


async def loaded() -> None:
    """A session that runs already."""


def follow(stage: Stage, link: str) -> None:
    """The account is loaded, after it was opened with a link."""
    account = LiveAccount(file_of(stage, "ada"), stage.session, asyncio.ensure_future(loaded()))
    account.screen = stage.screen
    account.go_live(stage.app, link)


@pytest.mark.parametrize("writes", [False, True])
async def test_the_link_is_followed_unless_the_user_writes_already(tmp_path: Path, writes: bool) -> None:
    async with on_stage(tmp_path) as stage:
        where = await stage.in_topic()
        link = view_address(Narrow.topic(where.channel_id, "supper"), stage.session.state)
        if writes:
            await stage.press("c")
            await stage.type("I thi")
            follow(stage, link)
            await stage.told(f"this link was not opened: {link}")
            await stage.type("nk")
            assert (stage.screen.writing.text.text, stage.screen.writing.destination()[0]) == (
                "I think",
                where,
            )
        else:
            follow(stage, link)
            await until(lambda: stage.screen.narrow == Narrow.topic(where.channel_id, "supper"))
