"""Data from elsewhere, such as a backup that somebody else made: it reads and deletes no other files, runs no
code, and shows nobody HTML that the server would not write.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from narrowcast_server.checking import check
from narrowcast_server.operator.backup import BackupError, backup, restore
from narrowcast_server.operator.rerendering import says_the_same
from narrowcast_server.serve import ServeError
from narrowcast_server.storage.store import Store, StoreError
from support import world
from support.archives import quiet
from support.server import running_server

OUTSIDE = ("/etc/passwd", "../keys.secret", f"{'a' * 43}/../../keys.secret", "a/narrowcast-export.tar.gz", "")
FOREIGN = {
    "a trigger": "CREATE TRIGGER t AFTER INSERT ON messages BEGIN DELETE FROM users; END",
    "a view": "CREATE VIEW v AS SELECT * FROM users",
    "a table": "CREATE TABLE more (x)",
    "an index": "CREATE INDEX more ON users(full_name)",
    "a virtual table": "CREATE VIRTUAL TABLE more USING fts5(x)",
    "a table of other columns": "ALTER TABLE users ADD COLUMN more INTEGER",
    "a missing index": "DROP INDEX users_by_owner",
    "a view instead of a table": "ALTER TABLE acts RENAME TO more; CREATE VIEW acts AS SELECT * FROM more",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The data folder of a small organization, which no server uses."""
    world.lay_out(tmp_path / "data")
    return tmp_path / "data"


def change(folder: Path, script: str) -> None:
    with closing(sqlite3.connect(folder / "narrowcast.db")) as database:
        database.executescript(script)


def backed_up(folder: Path) -> Path:
    """A backup of a folder, whatever is in it."""
    file = folder.parent / "backup.tar"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("narrowcast_server.operator.backup.check", lambda _: [])
        backup(folder, file, say=quiet)
    return file


@pytest.mark.parametrize("place", OUTSIDE)
async def test_an_export_outside_of_its_folder_is_refused(folder: Path, tmp_path: Path, place: str) -> None:
    change(
        folder,
        "INSERT INTO exports (user_id, kind, requested, place)"
        f" SELECT min(id), 'public', 1, '{place}' FROM users",
    )
    assert check(folder) == [f"row 1 of exports has the impossible place {place!r}"]
    with pytest.raises(BackupError, match="impossible place"):
        await asyncio.to_thread(restore, backed_up(folder), tmp_path / "back", say=quiet)
    with pytest.raises(ServeError, match="impossible place"):
        async with running_server(folder):
            pass


@pytest.mark.parametrize("outside", ["absolute", "relative"])
async def test_no_file_outside_of_the_folder_of_exports_is_served_or_deleted(
    tmp_path: Path, outside: str
) -> None:
    secret = tmp_path / "other" / "secret.txt"
    secret.parent.mkdir()
    secret.write_text("x")
    place = str(secret) if outside == "absolute" else "../../other/secret.txt"
    async with running_server(tmp_path / "data") as server:
        with server.organization.transaction():
            server.organization.store.execute(
                "INSERT INTO exports (user_id, kind, requested, place) VALUES (?, 'public', 1, ?)",
                server.id("ada"),
                place,
            )
        response = await server.raw(None, "GET", f"{server.url}/user_avatars/exports/{place}")
        assert response.status_code == 404
        await server.call("ada", "DELETE", "/export/realm/1")
    assert secret.is_file()


@pytest.mark.parametrize("what", FOREIGN)
async def test_a_database_with_other_objects_is_refused(folder: Path, tmp_path: Path, what: str) -> None:
    change(folder, FOREIGN[what])
    assert check(folder)
    with pytest.raises(StoreError, match="not a database of this server"):
        Store(folder / "narrowcast.db")
    with pytest.raises(BackupError):
        await asyncio.to_thread(restore, backed_up(folder), tmp_path / "back", say=quiet)


def test_statistics_of_sqlite_are_no_foreign_objects(folder: Path) -> None:
    change(folder, "ANALYZE")
    assert check(folder) == []


def test_a_trigger_does_not_act_in_a_migration(folder: Path) -> None:
    change(folder, "CREATE TRIGGER t AFTER UPDATE ON users BEGIN DELETE FROM settings; END")
    change(folder, "PRAGMA user_version = 2")
    with pytest.raises(StoreError):
        Store(folder / "narrowcast.db")
    with closing(sqlite3.connect(folder / "narrowcast.db")) as database:
        assert database.execute("SELECT count(*) FROM settings").fetchone()[0] > 0


async def test_html_that_is_not_that_of_its_text_is_replaced_by_a_restore(tmp_path: Path) -> None:
    data, back = tmp_path / "data", tmp_path / "back"
    async with running_server(data) as server:
        elif_name = server.user("elif").full_name
        ids = [
            await server.send("ada", "general", "t", content)
            for content in (f"@**{elif_name}** hello", "a [link](https://a.example)", "before", "long " * 300)
        ]
        await server.call("ada", "PATCH", f"/messages/{ids[2]}", {"content": "after"})
        genuine = server.organization.store.strings("SELECT rendered FROM messages ORDER BY id")
        await server.call("ada", "PATCH", f"/users/{server.id('elif')}", {"full_name": "Somebody Else"})
        channel = server.channel("general")
        await server.call("ada", "PATCH", f"/streams/{channel}", {"description": "*soup*"})
        keys = server.organization.store.strings("SELECT api_key FROM users ORDER BY id")
    with closing(sqlite3.connect(data / "narrowcast.db")) as database, database:
        forged = '<p>a <a href="https://evil.example">link</a></p>'
        database.execute("UPDATE messages SET rendered = ? WHERE id = ?", (forged, ids[1]))
        (history,) = database.execute("SELECT history FROM messages WHERE id = ?", (ids[2],)).fetchone()
        entries = json.loads(history)
        entries[0]["prev_rendered_content"] = "<p>forged</p>"
        database.execute("UPDATE messages SET history = ? WHERE id = ?", (json.dumps(entries), ids[2]))
        database.execute("UPDATE messages SET rendered = '<p>short</p>' WHERE id = ?", (ids[3],))
        database.execute(
            "UPDATE channels SET rendered_description = '<script>x</script>' WHERE id = ?", (channel,)
        )
    said: list[str] = []
    await asyncio.to_thread(backup, data, tmp_path / "b.tar", say=quiet)
    await asyncio.to_thread(restore, tmp_path / "b.tar", back, say=said.append)
    assert said[-1] == "4 texts were stored with HTML that is not theirs: it was replaced"
    with closing(sqlite3.connect(back / "narrowcast.db")) as database:
        assert [row[0] for row in database.execute("SELECT rendered FROM messages ORDER BY id")] == genuine
        (history,) = database.execute("SELECT history FROM messages WHERE id = ?", (ids[2],)).fetchone()
        assert json.loads(history)[0]["prev_rendered_content"] == "<p>before</p>"
        described = database.execute(
            "SELECT rendered_description FROM channels WHERE id = ?", (channel,)
        ).fetchone()
        assert described == ("<p><em>soup</em></p>",)
        assert [row[0] for row in database.execute("SELECT api_key FROM users ORDER BY id")] == keys
    assert not (back / "keys.secret").exists()
    assert check(back) == []


@pytest.mark.parametrize(
    ("stored", "fresh", "same"),
    [
        ('<p><span class="user-mention" data-user-id="3">@Ann</span></p>', "<p>@**Ann|3**</p>", True),
        ('<p><a href="/#narrow/channel/3-x">#x</a> &amp;</p>', "<p>#**x** &amp;</p>", True),
        ('<p><a href="https://x.example">x</a></p>', "<p>x</p>", False),
        ('<p><img src="https://x.example/p.png">x</p>', "<p>x</p>", False),
        ('<p><a style="background: url(https://x.example)">x</a></p>', "<p>x</p>", False),
        ("<p onclick=1>x</p>", "<p>x</p>", False),
        ("<p>y</p>", "<p>x</p>", False),
    ],
)
def test_stored_html_stays_if_it_says_the_same(stored: str, fresh: str, same: bool) -> None:
    assert says_the_same(stored, fresh) is same
