"""The folders of an earlier version, made by `make.py`, are opened by this one without losing anything."""

from __future__ import annotations

import asyncio
import sqlite3
import tarfile
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.storage.folders import account_folder_name
from narrowcast_api.storage.records import StatusEndRecord
from narrowcast_api.sync.session import Session
from narrowcast_server.checking import check
from support.server import TestServer, running_server
from support.sessions import until

FOLDERS = sorted(Path(__file__).parent.glob("*.tar.gz"))


@pytest.fixture(params=FOLDERS, ids=lambda path: path.name.partition(".")[0])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The unpacked folders of one version."""
    with tarfile.open(request.param) as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path


@pytest.fixture
async def server(folder: Path) -> AsyncIterator[TestServer]:
    """The organization, served by this version."""
    async with running_server(folder / "server") as server:
        yield server


async def opened(server: TestServer, folder: Path) -> Session:
    """Ada's account, whose folders move with the address of the server."""
    account = server.account("ada")
    for place in (folder / "ada" / "data", folder / "ada" / "cache"):
        (earlier,) = place.iterdir()
        earlier.rename(place / account_folder_name(account.site, account.email))
    return await Session.open(account, data_dir=folder / "ada" / "data", cache_dir=folder / "ada" / "cache")


async def test_all_that_was_unsent_is_there_without_a_network(server: TestServer, folder: Path) -> None:
    session = await opened(server, folder)
    where = ChannelDestination(server.channel("general"), "soup")
    assert session.warnings == ()
    assert [(one.content, one.destination) for one in session.outbox.unsent()] == [("Bread is here", where)]
    ((mine, theirs),) = session.drafts.conflicts()
    assert {mine.content, theirs.content} == {"tomato soup, mine", "tomato soup, theirs"}
    (edit,) = session.edits.take_over()
    assert (edit.message_id, edit.content, edit.original) == (1, "message 0, edited", "message 0")
    assert [(upload.name, upload.destination) for upload in session.uploads.all()] == [("plan.txt", where)]
    assert session.storage.journal.load_read_marks() == [4]
    assert session.storage.journal.load_status_end() == StatusEndRecord(4e9, "cooking", "tada")
    assert {message.id for message in session.storage.cache.load_newest(10)} >= {1, 2, 3, 4, 5}
    assert session.last_narrow is not None
    assert session.state.me != 0
    await session.close()


async def test_all_that_was_unsent_arrives_once(server: TestServer, folder: Path) -> None:
    (journal,) = (folder / "ada" / "data").glob("*/journal.db")
    file = folder / "plan.txt"
    file.write_bytes(b"eight...")
    with closing(sqlite3.connect(journal)) as connection:
        connection.execute("UPDATE uploads SET path = ?", (str(file).encode().hex(),))
        connection.commit()
    session = await opened(server, folder)
    running = asyncio.create_task(session.run())
    await until(lambda: not session.outbox.unsent() and not session.message_actions.waiting)
    await until(lambda: all(upload.link for upload in session.uploads.all()))
    await until(lambda: not session.read_marks.pending)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await session.close()
    messages = {message["content"]: message for message in await server.newest("ada")}
    assert "Bread is here" in messages
    assert [one["emoji_name"] for one in messages["Who brings bread?"]["reactions"]] == ["tada"]
    assert "read" in messages["Who brings bread?"]["flags"]


RESOURCES: dict[str, Callable[[dict[str, Any]], object]] = {
    "/saved_snippets": lambda body: body["saved_snippets"][0]["content"] == "Good morning",
    "/navigation_views": lambda body: body["navigation_views"][0]["name"] == "Links",
    "/scheduled_messages": lambda body: body["scheduled_messages"][0]["content"] == "Later",
    "/reminders": lambda body: body["reminders"][0]["reminder_target_message_id"] == 1,
    "/invites": lambda body: body["invites"][0]["email"] == "new@world.example",
    "/drafts": lambda body: {one["content"] for one in body["drafts"]} >= {"tomato soup, theirs"},
    "/attachments": lambda body: body["attachments"][0]["name"] == "menu.txt",
}


@pytest.mark.parametrize("path", RESOURCES)
async def test_the_organization_has_each_of_its_small_resources(server: TestServer, path: str) -> None:
    assert RESOURCES[path](await server.call("ada", "GET", path))


async def test_the_data_of_the_organization_is_whole_and_searchable(server: TestServer, folder: Path) -> None:
    assert check(folder / "server") == []
    found = await server.call(
        "ada",
        "GET",
        "/messages",
        {"anchor": "newest", "num_before": 10, "num_after": 0, "narrow": [["search", "bread"]]},
    )
    assert [message["id"] for message in found["messages"]] == [4]
    status = await server.call("ada", "GET", f"/users/{server.id('ada')}/status")
    assert status["status"]["status_text"] == "cooking"
    (attachment,) = (await server.call("ada", "GET", "/attachments"))["attachments"]
    file = await server.raw("ada", "GET", f"{server.url}/user_uploads/{attachment['path_id']}")
    assert file.content == b"soup\n"
