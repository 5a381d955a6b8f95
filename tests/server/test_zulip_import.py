"""Archives of this program, of Zulip servers and of converters become a new data folder."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from narrowcast.cli import main
from narrowcast_api.wire.vocabulary import Role
from narrowcast_server.actions.new_organization import notification_bot
from narrowcast_server.checking import check
from narrowcast_server.operator.control import ask
from narrowcast_server.zulip_archive.reading.archive import read_archive
from support.archives import SAME, Files, converted, files_of, opened, packed, quiet, rows
from support.processes import unpack
from support.server import running_server


async def test_imported_users_log_in_with_a_password_from_the_operator(
    odd_archive: Path, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    await asyncio.to_thread(read_archive, odd_archive, data, say=quiet)
    async with running_server(data) as server:
        [line] = await ask(data, "password", {"who": "ada@demo.example"})
        fields = {"username": "ada@demo.example", "password": line.rpartition(": ")[2]}
        response = await server.call(None, "POST", "/fetch_api_key", fields)
        assert response["api_key"] == server.user("ada").api_key
        page = await server.call("ada", "GET", "/messages", {"anchor": "newest", "num_before": 5})
        assert page["messages"][-1]["content"]


def test_the_command_line_imports_an_archive(
    odd_archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "data"
    assert main.main(["serve", "--data", str(data), "--import-zulip", str(odd_archive)]) == 0
    assert "Nobody has a password yet" in capsys.readouterr().out
    assert main.main(["serve", "--data", str(data), "--import-zulip", str(odd_archive)]) == 1
    assert "is not empty" in capsys.readouterr().err


def test_archives_that_zulip_converts_from_other_services_are_imported(tmp_path: Path) -> None:
    read_archive(packed(converted(), tmp_path / "a.tar"), tmp_path / "data", say=quiet)
    with opened(tmp_path / "data") as organization:
        ann, ben = (
            next(user for user in organization.users.all() if user.full_name.startswith(n))
            for n in ("Ann", "Ben")
        )
        assert (ann.full_name, ann.role, ann.timezone, ben.id) == ("Ann  Work", Role.OWNER, "", 1)
        assert organization.settings["name"] == "Old team"
        public, private = sorted(organization.channels.all(), key=lambda channel: channel.invite_only)
        assert (public.name, public.is_default, private.name) == ("general", True, "General (2)")
        moderators = next(group.id for group in organization.groups.all() if group.name == "role:moderators")
        assert private.settings["can_send_message_group"] == moderators
        messages = organization.store.all("SELECT * FROM messages ORDER BY id")
        assert [row["timestamp"] - 1_600_000_000 for row in messages] == [10, 20, 30, 40]
        assert len(messages[0]["topic"]) == 60
        assert messages[2]["conversation_id"] == messages[3]["conversation_id"]
        path_id = organization.store.strings("SELECT path_id FROM attachments")[0]
        assert path_id.endswith("/notes.txt")
        assert f"/user_uploads/{path_id}" in messages[1]["content"]
        assert f'data-user-id="{ben.id}"' in messages[1]["rendered"]
        assert organization.store.integers("SELECT message_id FROM message_attachments") == [
            messages[1]["id"]
        ]
        assert organization.store.integers("SELECT message_id FROM submessages") == [messages[0]["id"]]
        assert [
            tuple(row) for row in organization.store.all("SELECT * FROM user_messages ORDER BY message_id")
        ] == [
            (ann.id, 2, 1),
            (ben.id, 3, 1),
        ]


def as_zulip_writes_it(files: Files) -> Files:
    """The same organization as a Zulip server exports it: as its second realm, with that server's system
    bots, images in two sizes, different paths, and fields that are unknown here.
    """
    reminded_of = {row["id"]: row["message"] for row in files.pop("narrowcast.json")["reminders"]}
    for row in files["realm.json"]["zerver_scheduledmessage"]:
        row["reminder_target_message_id"] = reminded_of.get(row["id"])
    for name, folder in (("avatars/records.json", "avatars"), ("emoji/records.json", "emoji")):
        for record in list(files[name]):
            content = files.pop(f"{folder}/{record['path']}")
            path = "2/" + record["path"].partition("/")[2].removesuffix(".original")
            for suffix, bytes_ in ((".original", content), ("", b"a thumbnail that is no picture")):
                files[f"{folder}/{path}{suffix}"] = bytes_
                files[name].append({**record, "path": path + suffix, "s3_path": path + suffix, "realm_id": 2})
            files[name].remove(record)
    for record in files["uploads/records.json"]:
        old = record["path"]
        new = "2/f/" + old.split("/", 2)[2]
        files[f"uploads/{new}"] = files.pop(f"uploads/{old}")
        record.update(path=new, s3_path=new, realm_id=2)
        for row in files["attachment.json"]["zerver_attachment"]:
            row["path_id"] = new if row["path_id"] == old else row["path_id"]
        for row in files["messages-000001.json"]["zerver_message"]:
            row["content"] = row["content"].replace(old, new)
    tables = files["realm.json"]
    tables["zerver_userprofile_crossrealm"] += [
        {"id": 9001, "email": "welcome-bot@zulip.com", "recipient_id": 9001},
        {"id": 9002, "email": "emailgateway@zulip.com", "recipient_id": None},
    ]
    tables["zerver_realm"][0]["unknown"] = {"to": "this server"}
    tables["zerver_unknown"] = [{"id": 1}]
    recipient = next(
        row["id"] for row in tables["zerver_recipient"] if (row["type"], row["type_id"]) == (1, 2)
    )
    newest = files["messages-000001.json"]["zerver_message"][-1]
    welcome = {
        **newest,
        "id": newest["id"] + 50,
        "sender": 9001,
        "recipient": recipient,
        "content": "Welcome!",
    }
    files["messages-000001.json"]["zerver_message"].append({**welcome, "date_sent": 1_790_000_000.25})
    return files


def test_archives_of_zulip_servers_are_imported(odd_archive: Path, odd_back: Path, tmp_path: Path) -> None:
    said: list[str] = []
    read_archive(
        packed(as_zulip_writes_it(files_of(odd_archive)), tmp_path / "a.tar"),
        tmp_path / "data",
        say=said.append,
    )
    assert not [line for line in said if line.startswith(("left out", "changed"))]
    data = tmp_path / "data"
    for kind in (
        "members",
        "channels",
        "subscriptions",
        "copies",
        "submessages",
        "attached",
        "emoji",
        "reactions",
    ):
        expected = rows(odd_back, SAME[kind])
        if kind == "reactions":
            expected = [row for row in expected if row[3] != "narrowcast"]
        assert rows(data, SAME[kind]) == expected, kind
    uploads = rows(data, "SELECT path_id, name, size FROM attachments ORDER BY id")
    assert [row[1:] for row in uploads] == rows(
        odd_back, "SELECT ltrim(name, '.'), size FROM attachments ORDER BY id"
    )
    texts = " ".join(row[0] for row in rows(data, "SELECT content || rendered FROM messages"))
    assert "/user_uploads/2/f/" not in texts
    assert sum(path_id in texts for path_id, _, _ in uploads) > 5
    [(sender, members)] = rows(
        data,
        "SELECT u.full_name, c.members FROM messages m JOIN users u ON u.id = m.sender_id"
        " JOIN conversations c ON c.id = m.conversation_id WHERE m.content = 'Welcome!'",
    )
    [(bot_id,)] = rows(data, "SELECT id FROM users WHERE full_name = 'Welcome Bot' AND is_system_bot")
    assert (sender, members) == ("Welcome Bot", f"2,{bot_id}")
    with opened(data) as organization:
        assert notification_bot(organization).full_name == "Notification Bot"


def test_emoji_whose_long_names_become_equal_get_numbers(odd_archive: Path, tmp_path: Path) -> None:
    files = files_of(odd_archive)
    emoji = next(row for row in files["realm.json"]["zerver_realmemoji"] if not row["deactivated"])
    record = next(row for row in files["emoji/records.json"] if row["path"].endswith(emoji["file_name"]))
    emoji["name"] = "a" * 60
    for number in range(2):
        identity, name = 9_000 + number, f"{number}.png"
        files["realm.json"]["zerver_realmemoji"].append({**emoji, "id": identity, "file_name": name})
        path = f"{record['path'].rpartition('/')[0]}/{name}"
        files["emoji/records.json"].append({**record, "path": path, "s3_path": path, "file_name": name})
        files[f"emoji/{path}"] = files[f"emoji/{record['path']}"]
    read_archive(packed(files, tmp_path / "a.tar"), tmp_path / "data", say=quiet)
    names = {name for (name,) in rows(tmp_path / "data", "SELECT name FROM custom_emoji")}
    assert {"a" * 50, "a" * 48 + "_2", "a" * 48 + "_3"} <= names


def test_an_unpacked_archive_is_imported_as_well(tmp_path: Path) -> None:
    folder = tmp_path / "unpacked"
    unpack(packed(converted(), tmp_path / "a.tar"), folder)
    read_archive(folder, tmp_path / "data", say=quiet)
    assert check(tmp_path / "data") == []
