"""Makes the folders of an earlier version: run by hand, with the code of that version.

    git archive VERSION | tar -x -C /tmp/version
    cd /tmp/version
    PYTHONPATH=api:tui:server:assets:tests python CHECKOUT/tests/earlier/make.py CHECKOUT/tests/earlier/VERSION.tar.gz

`a4328006.tar.gz` was made so with commit a4328006, the last one before files were moved: journal 8, cache 1, server
schema 11. It contains:

server/    an organization (`support.world`) with messages, a draft, a saved snippet, a scheduled message, a reminder,
           a saved view, a status, an invitation, an upload
ada/data/, ada/cache/    the journal and the cache of Ada, whose process was killed: a waiting message, a draft that
           conflicts with the server's, an unsaved edit, an upload that has not begun, a reaction, a read mark
"""

from __future__ import annotations

import asyncio
import sys
import tarfile
import tempfile
from pathlib import Path

from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.storage.account_storage import AccountStorage
from narrowcast_api.storage.journal import Journal
from narrowcast_api.storage.records import (
    ActionRecord,
    Edit,
    OutboxMessage,
    OutboxState,
    StatusEndRecord,
    UploadRecord,
    UploadState,
)
from narrowcast_api.storage.windows import Machine
from narrowcast_api.sync.session import Session
from support.server import TestServer, running_server
from support.sessions import session_of, until

DESK = Machine("desk", "an earlier start")
FILE = Path("/tmp/narrowcast-earlier/plan.txt")


async def make(folder: Path) -> None:
    """Writes `server/` and `ada/` into a folder."""
    async with running_server(folder / "server") as server:
        where = ChannelDestination(server.channel("general"), "soup")
        await populate(server, where)
        async with session_of(server.account("ada"), folder / "ada") as session:
            narrow = Narrow.topic(where.channel_id, "soup")
            await session.view(narrow).open(None)
            session.cache_view(narrow)
            draft_id = session.drafts.save(None, where, "tomato")
            await until(lambda: all(draft.synced for draft in session.drafts.all()))
        (draft,) = [draft for draft in await drafts(server) if draft["content"] == "tomato"]
        await conflict(server, folder / "ada", draft_id, draft, where)
        account = server.account("ada")
    # Neither closed nor tidied up, like the files of a process that is killed.
    storage = AccountStorage.open(
        folder / "ada" / "data", folder / "ada" / "cache", account.site, account.email, machine=DESK
    )
    leave_behind(storage.journal, where)


async def populate(server: TestServer, where: ChannelDestination) -> None:
    """Puts one of each small resource into the organization."""
    for number in range(3):
        await server.send("ada", "general", where.topic, f"message {number}")
    await server.send("bruno", "general", where.topic, "Who brings bread?")
    tomorrow = int(server.now()) + 10 * 365 * 86400
    calls: list[tuple[str, str, dict[str, object]]] = [
        ("POST", "/saved_snippets", {"title": "Greeting", "content": "Good morning"}),
        ("POST", "/navigation_views", {"fragment": "narrow/has/link", "is_pinned": True, "name": "Links"}),
        ("POST", "/users/me/status", {"status_text": "cooking", "emoji_name": "tada"}),
        ("POST", "/invites", {"invitee_emails": "new@world.example", "invite_as": 400, "stream_ids": []}),
        ("POST", "/reminders", {"message_id": 1, "scheduled_delivery_timestamp": tomorrow}),
        (
            "POST",
            "/scheduled_messages",
            {
                "type": "channel",
                "to": where.channel_id,
                "topic": "soup",
                "content": "Later",
                "scheduled_delivery_timestamp": tomorrow,
            },
        ),
    ]
    for method, path, fields in calls:
        answer = await server.raw("ada", method, path, fields)
        assert answer.json()["result"] == "success", answer.text
    uploaded = await server.raw("ada", "POST", "/user_uploads", files={"f": ("menu.txt", b"soup\n")})
    await server.send("ada", "general", where.topic, f"[menu.txt]({uploaded.json()['url']})")


async def drafts(server: TestServer) -> list[dict[str, object]]:
    """The drafts of Ada on the server."""
    found: list[dict[str, object]] = (await server.call("ada", "GET", "/drafts"))["drafts"]
    return found


async def conflict(
    server: TestServer, folder: Path, draft_id: str, draft: dict[str, object], where: ChannelDestination
) -> None:
    """Edits a draft on another device and here, so that both texts are kept."""
    account = server.account("ada")
    session = await Session.open(account, data_dir=folder / "data", cache_dir=folder / "cache")
    session.drafts.save(draft_id, where, "tomato soup, mine")
    fields = {"type": "stream", "to": [where.channel_id], "topic": "soup", "content": "tomato soup, theirs"}
    changed = {"draft": {**fields, "timestamp": draft["timestamp"]}}
    answer = await server.raw("ada", "PATCH", f"/drafts/{draft['id']}", changed)
    assert answer.json()["result"] == "success", answer.text
    running = asyncio.create_task(session.run())
    await until(lambda: session.drafts.conflicts())
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await session.close()


def leave_behind(journal: Journal, where: ChannelDestination) -> None:
    """Writes one row of each kind."""
    upload = UploadRecord("upload", 1, FILE, where, state=UploadState.WAITING)
    edit = Edit(1, "message 0", "message 0, edited", where)
    writes = [
        journal.put_outbox(OutboxMessage("waiting", 1, where, "Bread is here", OutboxState.WAITING, 1.8e9)),
        journal.put_edit(edit),
        journal.put_upload(upload),
        journal.put_act(ActionRecord("act", 1, 4, None, "tada", "1f389", "unicode_emoji", is_on=True)),
        journal.put_read_marks([4]),
        journal.put_status_end(StatusEndRecord(4e9, "cooking", "tada")),
    ]
    assert all(write.result() for write in writes)


def long_ago(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """An entry as old that no window in it can be open, without the names of this machine."""
    entry.mtime, entry.uname, entry.gname = 1_000_000_000, "", ""
    return entry


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        asyncio.run(make(Path(place)))
        with tarfile.open(sys.argv[1], "w:gz") as archive:
            archive.add(place, ".", filter=long_ago)
