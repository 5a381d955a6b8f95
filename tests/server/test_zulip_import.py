"""An archive becomes a new data folder that says the same; what comes from strangers is refused or filtered."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import io
import json
import re
import sqlite3
import tarfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from narrowcast.cli import main
from narrowcast_api.wire.vocabulary import Role
from narrowcast_server.actions.organization import notification_bot
from narrowcast_server.operator.control import ask
from narrowcast_server.organization.config import Config
from narrowcast_server.organization.core import DATABASE, Core
from narrowcast_server.organization.models import Message
from narrowcast_server.organization.personal import DEFAULTS
from narrowcast_server.organization.realm_settings import EDITABLE
from narrowcast_server.rules.access import may_see
from narrowcast_server.storage.checking import check
from narrowcast_server.zulip_archive.errors import ArchiveError
from narrowcast_server.zulip_archive.layout import FOLDER, NEWEST_LEVEL, OLDEST_LEVEL, Target
from narrowcast_server.zulip_archive.numbers import REALM_CHANNELS
from narrowcast_server.zulip_archive.reading.archive import read_archive
from narrowcast_server.zulip_archive.reading.unpacking import LIMITS, ArchiveLimits
from narrowcast_server.zulip_archive.writing.archive import write_archive
from support import odd_world
from support.server import running_server
from support.unpacking import unpack

Files = dict[str, Any]
"""The files of an archive: parsed JSON, and bytes for all else."""


def quiet(line: str) -> None:
    """Says nothing."""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("odd") / "data"
    odd_world.make(folder)
    return folder


@pytest.fixture(scope="module")
def archive(data: Path) -> Path:
    target = data.parent / "archive.tar.gz"
    write_archive(data, target, server=Target(OLDEST_LEVEL), say=quiet)
    return target


@pytest.fixture(scope="module", params=[OLDEST_LEVEL, NEWEST_LEVEL])
def back(data: Path, request: pytest.FixtureRequest) -> Path:
    target, folder = data.parent / f"{request.param}.tar", data.parent / f"back-{request.param}"
    write_archive(data, target, server=Target(request.param), say=quiet)
    read_archive(target, folder, say=quiet)
    return folder


def files_of(archive: Path) -> Files:
    """What is in an archive."""
    found: Files = {}
    with tarfile.open(archive) as tar:
        for entry in tar:
            content = tar.extractfile(entry)
            assert content is not None
            name = entry.name.partition("/")[2]
            text = content.read()
            found[name] = json.loads(text) if name.endswith(".json") else text
    return found


def packed(files: Mapping[str, Any], target: Path) -> Path:
    """An archive of such files."""
    with tarfile.open(target, "w") as tar:
        for name, value in files.items():
            text = value if isinstance(value, bytes) else json.dumps(value).encode()
            entry = tarfile.TarInfo(f"{FOLDER}/{name}")
            entry.size = len(text)
            tar.addfile(entry, io.BytesIO(text))
    return target


@contextmanager
def opened(folder: Path) -> Iterator[Core]:
    core = Core(folder, Config(durable=False))
    try:
        yield core
    finally:
        core.close()


def rows(folder: Path, sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(folder / DATABASE)) as database:
        return database.execute(sql).fetchall()


# --- there and back ---------------------------------------------------------------------------------------------

SAME = {
    "users": "SELECT id, delivery_email, full_name, role, is_active, bot_type, bot_owner_id, is_system_bot, timezone,"
    " avatar_version, avatar_url IS NULL, can_change_user_emails FROM users ORDER BY id",
    "members": "SELECT * FROM group_members ORDER BY 1, 2",
    "subgroups": "SELECT * FROM group_subgroups ORDER BY 1, 2",
    "groups": "SELECT id, description, creator_id, date_created, is_system, deactivated FROM groups ORDER BY id",
    "folders": "SELECT * FROM channel_folders ORDER BY id",
    "channels": "SELECT id, name, description, rendered_description, date_created, creator_id, invite_only,"
    " history_public, is_web_public, is_archived, is_default, message_retention_days, topics_policy, folder_id,"
    " first_message_id FROM channels ORDER BY id",
    "subscriptions": "SELECT * FROM subscriptions ORDER BY 1, 2",
    "conversations": "SELECT DISTINCT c.members FROM conversations c JOIN messages m ON m.conversation_id = c.id"
    " ORDER BY 1",
    "messages": "SELECT m.id, sender_id, channel_id, topic, c.members, content, timestamp, client, is_me, last_edited,"
    " last_moved, history, has_link, has_image, has_attachment FROM messages m"
    " LEFT JOIN conversations c ON c.id = m.conversation_id ORDER BY m.id",
    "words": "SELECT rowid, content, topic FROM message_words ORDER BY rowid",
    "copies": "SELECT u.* FROM user_messages u JOIN users p ON p.id = u.user_id WHERE NOT p.is_system_bot"
    " ORDER BY 1, 2",
    "reactions": "SELECT * FROM reactions ORDER BY 1, 2, 3",
    "submessages": "SELECT message_id, sender_id, msg_type, content FROM submessages ORDER BY message_id, id",
    "attachments": "SELECT * FROM attachments ORDER BY id",
    "attached": "SELECT * FROM message_attachments ORDER BY 1, 2",
    "drafts": "SELECT * FROM drafts ORDER BY id",
    "scheduled": "SELECT * FROM scheduled_messages ORDER BY id",
    "reminders": "SELECT * FROM reminders ORDER BY id",
    "statuses": "SELECT * FROM statuses ORDER BY 1",
    "presence": "SELECT * FROM presence ORDER BY 1",
    "fields": "SELECT * FROM profile_fields ORDER BY id",
    "values": "SELECT * FROM profile_values ORDER BY 1, 2",
    "muted": "SELECT * FROM muted_users ORDER BY 1, 2",
    "alert words": "SELECT user_id, word FROM alert_words ORDER BY 1, 2",
    "views": "SELECT * FROM navigation_views ORDER BY 1, 2",
    "steps": "SELECT * FROM onboarding_steps ORDER BY 1, 2",
    "linkifiers": "SELECT * FROM linkifiers ORDER BY id",
    "playgrounds": "SELECT * FROM playgrounds ORDER BY id",
    "emoji": "SELECT id, name, author_id, deactivated FROM custom_emoji ORDER BY id",
    "domains": "SELECT * FROM domains ORDER BY 1",
    "bot storage": "SELECT * FROM bot_storage ORDER BY 1, 2",
    "services": "SELECT bot_id, base_url, interface FROM bot_services",
}


def test_no_column_has_but_one_value(data: Path) -> None:
    """Such a value could be lost, and nobody would notice."""

    def lonely(table: str, column: str, default: str | None) -> bool:
        found = [value for (value,) in rows(data, f'SELECT "{column}" FROM {table}')]
        return len(set(found)) == 1 and (len(found) > 1 or str(found[0]) == str(default).strip("'"))

    alone = {
        f"{table}.{column}"
        for table in {table for sql in SAME.values() for table in re.findall(r"\bFROM (\w+)", sql)}
        for column, default in rows(data, f"SELECT name, dflt_value FROM pragma_table_info('{table}')")
        if lonely(table, column, default)
    }
    # There are no such files yet, but for widgets no other kinds, and the archive has no passwords.
    assert alone == {"custom_emoji.still_url", "submessages.msg_type", "users.password_hash"}


@pytest.mark.parametrize("kind", SAME)
def test_everything_comes_back_as_it_was(data: Path, back: Path, kind: str) -> None:
    before = rows(data, SAME[kind])
    assert before
    assert rows(back, SAME[kind]) == before


def test_settings_and_permissions_come_back(data: Path, back: Path) -> None:
    with opened(data) as before, opened(back) as after:
        pictures = {"icon_picture", "logo_picture", "night_logo_picture"}
        for name, value in before.settings.items():
            assert name in pictures or after.settings[name] == value, name
        assert isinstance(after.settings["icon_picture"], str)
        for channel in before.channels.all():
            assert after.channels[channel.id].settings == channel.settings
        for group in before.groups.all():
            assert after.groups[group.id].settings == group.settings
        for user in before.users.all():
            assert after.users[user.id].settings == user.settings


TURNED: dict[str, object] = {
    "emojiset": "google",
    "default_language": "de",
    "jitsi_server_url": "https://meet.example/",
    "message_edit_history_visibility_policy": "none",
    "message_retention_days": 30,
    "notification_sound": "zulip",
    "org_type": 20,
    "resolved_topic_notice_auto_read_policy": "never",
    "topics_policy": "disable_empty_topic",
    "video_chat_provider": 1,
    "web_animate_image_previews": "never",
    "web_home_view": "all_messages",
}


def turned(settings: Mapping[str, object]) -> dict[str, object]:
    """Each setting with another value."""

    def other(name: str, value: object) -> object:
        if isinstance(value, bool):
            return not value
        if isinstance(value, int):
            return value + 1 if value < 4 else value - 1
        return f"{value} of ours"

    return {name: TURNED.get(name, other(name, value)) for name, value in settings.items()}


@pytest.mark.parametrize("level", [OLDEST_LEVEL, NEWEST_LEVEL])
def test_every_setting_comes_back(tmp_path: Path, level: int) -> None:
    odd_world.make(tmp_path / "data")
    channels = {name: number for number, name in enumerate(REALM_CHANNELS.values(), 1)}
    of_realm = turned(EDITABLE) | channels | {"empty_topic_display_name": "anything"}
    personal = turned(DEFAULTS)
    assert not [name for name, value in of_realm.items() if EDITABLE.get(name) == value]
    with opened(tmp_path / "data") as core:
        core.set_settings(**of_realm, personal_defaults=personal)
        core.users.update(2, settings=personal)
    write_archive(tmp_path / "data", tmp_path / "a.tar", server=Target(level), say=quiet)
    read_archive(tmp_path / "a.tar", tmp_path / "back", say=quiet)
    with opened(tmp_path / "back") as core:
        assert {name: core.settings[name] for name in of_realm} == of_realm
        assert core.settings["personal_defaults"] == personal
        assert core.users[2].settings == personal


def test_everybody_may_read_what_they_could_read(data: Path, back: Path) -> None:
    def readable(folder: Path) -> dict[int, list[int]]:
        with opened(folder) as core:
            messages = [Message.of(row) for row in core.store.all("SELECT * FROM messages ORDER BY id")]
            return {
                user.id: [message.id for message in messages if may_see(core, user, message)]
                for user in core.users.all()
            }

    before = readable(data)
    assert len({tuple(ids) for ids in before.values()}) > 5
    assert readable(back) == before


def test_files_come_back_byte_for_byte(data: Path, back: Path) -> None:
    def sums(folder: Path) -> list[str]:
        uploads = folder / "uploads"
        files = [*uploads.glob("files/*/*"), *uploads.glob("public/*")]
        return sorted(hashlib.sha256(file.read_bytes()).hexdigest() for file in files)

    before = sums(data)
    assert len(before) > 20
    assert sums(back) == before


def test_what_comes_back_is_sound_and_can_be_sent_again(back: Path, tmp_path: Path) -> None:
    assert check(back) == []
    write_archive(back, tmp_path / "again.tar", say=quiet)
    read_archive(tmp_path / "again.tar", tmp_path / "again", say=quiet)
    assert rows(tmp_path / "again", SAME["messages"]) == rows(back, SAME["messages"])


async def test_people_sign_in_with_the_password_that_the_operator_gives(
    archive: Path, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    await asyncio.to_thread(read_archive, archive, data, say=quiet)
    async with running_server(data) as server:
        [line] = await ask(data, "password", {"who": "ada@demo.example"})
        fields = {"username": "ada@demo.example", "password": line.rpartition(": ")[2]}
        answer = await server.call(None, "POST", "/fetch_api_key", fields)
        assert answer["api_key"] == server.user("ada").api_key
        page = await server.call("ada", "GET", "/messages", {"anchor": "newest", "num_before": 5})
        assert page["messages"][-1]["content"]


def test_the_command_line_takes_it_in(
    archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "data"
    assert main.main(["serve", "--data", str(data), "--import-zulip", str(archive)]) == 0
    assert "Nobody has a password yet" in capsys.readouterr().out
    assert main.main(["serve", "--data", str(data), "--import-zulip", str(archive)]) == 1
    assert "is not empty" in capsys.readouterr().err


# --- what converters write --------------------------------------------------------------------------------------


def converted() -> Files:
    """As little as Zulip's converters write: no groups, ids from 0, messages in no order."""
    people = [
        {
            "id": number,
            "realm": 0,
            "email": f"{name}@example.com",
            "delivery_email": f"{name}@example.com",
            "full_name": full_name,
            "role": role,
            "is_active": True,
            "is_bot": False,
            "date_joined": 1_600_000_000.5,
            "avatar_source": "G",
            "timezone": "Nowhere/Else",
        }
        for number, (name, full_name, role) in enumerate([("ann", "Ann @ Work", 100), ("ben", "Ben", 400)])
    ]
    message = {
        "realm": 0,
        "sending_client": 1,
        "rendered_content": None,
        "edit_history": None,
        "has_link": False,
    }
    return {
        "realm.json": {
            "sort_by_date": True,
            "import_source": "slack",
            "zerver_realm": [{"id": 0, "name": "Old team", "date_created": 1_500_000_000.0, "string_id": "old"}],
            "zerver_userprofile": people,
            "zerver_userprofile_mirrordummy": [],
            "zerver_userprofile_crossrealm": [],
            "zerver_client": [{"id": 1, "name": "slack"}],
            "zerver_stream": [
                {"id": 0, "name": "general", "date_created": 1_500_000_000, "invite_only": False},
                {"id": 1, "name": "General", "date_created": 1, "invite_only": True, "stream_post_policy": 4},
            ],
            "zerver_recipient": [
                {"id": 0, "type": 1, "type_id": 0},
                {"id": 1, "type": 1, "type_id": 1},
                {"id": 2, "type": 2, "type_id": 0},
                {"id": 3, "type": 2, "type_id": 1},
                {"id": 4, "type": 3, "type_id": 0},
            ],
            "zerver_huddle": [{"id": 0}],
            "zerver_subscription": [
                {"id": number, "recipient": recipient, "user_profile": user, "active": True, "color": "red"}
                for number, (recipient, user) in enumerate([(2, 0), (2, 1), (3, 0), (4, 0), (4, 1)])
            ],
            "zerver_reaction": [],
            "zerver_realmemoji": [],
            "zerver_defaultstream": [{"id": 0, "stream": 0}],
        },
        "attachment.json": {
            "zerver_attachment": [
                {
                    "id": 0,
                    "owner": 1,
                    "file_name": "../../notes.txt",
                    "path_id": "0/SlackImportAttachment/ab-cd/notes.txt",
                    "size": 5,
                    "create_time": 1_600_000_001,
                    "messages": [7],
                }
            ]
        },
        "messages-000001.json": {
            "zerver_message": [
                {**message, "id": 7, "sender": 1, "recipient": 2, "subject": "later", "date_sent": 1_600_000_020.5,
                 "content": "[notes](/user_uploads/0/SlackImportAttachment/ab-cd/notes.txt) @**Ben|1**"},
                {**message, "id": 9, "sender": 0, "recipient": 3, "subject": "x" * 80, "date_sent": 1_600_000_010,
                 "content": "/poll\nyes\nno"},
                {**message, "id": 8, "sender": 0, "recipient": 1, "subject": "", "date_sent": 1_600_000_030,
                 "content": "to Ben"},
                {**message, "id": 10, "sender": 1, "recipient": 4, "subject": "", "date_sent": 1_600_000_040,
                 "content": "to Ann, in a group of two"},
            ],
            "zerver_usermessage": [
                {"id": 1, "user_profile": 0, "message": 7, "flags_mask": 1},
                {"id": 2, "user_profile": 1, "message": 8, "flags_mask": 2049},
            ],
        },
        "uploads/records.json": [
            {"path": "0/SlackImportAttachment/ab-cd/notes.txt", "s3_path": "0/SlackImportAttachment/ab-cd/notes.txt"}
        ],
        "uploads/0/SlackImportAttachment/ab-cd/notes.txt": b"notes",
        "avatars/records.json": [],
        "emoji/records.json": [],
    }  # fmt: skip


def test_what_zulip_converts_from_other_services_is_taken_in(tmp_path: Path) -> None:
    read_archive(packed(converted(), tmp_path / "a.tar"), tmp_path / "data", say=quiet)
    with opened(tmp_path / "data") as core:
        ann, ben = (
            next(user for user in core.users.all() if user.full_name.startswith(n)) for n in ("Ann", "Ben")
        )
        assert (ann.full_name, ann.role, ann.timezone, ben.id) == ("Ann  Work", Role.OWNER, "", 1)
        assert core.settings["name"] == "Old team"
        public, private = sorted(core.channels.all(), key=lambda channel: channel.invite_only)
        assert (public.name, public.is_default, private.name) == ("general", True, "General (2)")
        moderators = next(group.id for group in core.groups.all() if group.name == "role:moderators")
        assert private.settings["can_send_message_group"] == moderators
        messages = core.store.all("SELECT * FROM messages ORDER BY id")
        assert [row["timestamp"] - 1_600_000_000 for row in messages] == [10, 20, 30, 40]
        assert len(messages[0]["topic"]) == 60
        assert messages[2]["conversation_id"] == messages[3]["conversation_id"]
        path_id = core.store.strings("SELECT path_id FROM attachments")[0]
        assert path_id.endswith("/notes.txt")
        assert f"/user_uploads/{path_id}" in messages[1]["content"]
        assert f'data-user-id="{ben.id}"' in messages[1]["rendered"]
        assert core.store.integers("SELECT message_id FROM message_attachments") == [messages[1]["id"]]
        assert core.store.integers("SELECT message_id FROM submessages") == [messages[0]["id"]]
        assert [tuple(row) for row in core.store.all("SELECT * FROM user_messages ORDER BY message_id")] == [
            (ann.id, 2, 1),
            (ben.id, 3, 1),
        ]


def as_zulip_writes_it(files: Files) -> Files:
    """The same organization as an export of a Zulip server has it: the second of a server, with bots of that server,
    pictures in two sizes, paths of its own, and fields that are not known here.
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


def test_what_a_zulip_server_exports_is_taken_in(archive: Path, back: Path, tmp_path: Path) -> None:
    said: list[str] = []
    read_archive(
        packed(as_zulip_writes_it(files_of(archive)), tmp_path / "a.tar"), tmp_path / "data", say=said.append
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
        expected = rows(back, SAME[kind])
        if kind == "reactions":
            expected = [row for row in expected if row[3] != "narrowcast"]
        assert rows(data, SAME[kind]) == expected, kind
    uploads = rows(data, "SELECT path_id, name, size FROM attachments ORDER BY id")
    assert [row[1:] for row in uploads] == rows(
        back, "SELECT ltrim(name, '.'), size FROM attachments ORDER BY id"
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
    with opened(data) as core:
        assert notification_bot(core).full_name == "Notification Bot"


def test_an_unpacked_archive_is_taken_in_as_well(tmp_path: Path) -> None:
    folder = tmp_path / "unpacked"
    unpack(packed(converted(), tmp_path / "a.tar"), folder)
    read_archive(folder, tmp_path / "data", say=quiet)
    assert check(tmp_path / "data") == []


# --- what does not fit ------------------------------------------------------------------------------------------

Change = Callable[[Files], object]


def realm(files: Files, table: str, number: int = 0) -> Any:
    return files["realm.json"][table][number]


def circle(files: Files) -> None:
    own = [
        group["id"] for group in files["realm.json"]["zerver_namedusergroup"] if not group["is_system_group"]
    ][:3]
    files["realm.json"]["zerver_groupgroupmembership"] += [
        {"id": 900 + n, "supergroup": own[n], "subgroup": own[(n + 1) % 3]} for n in range(3)
    ]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda f: realm(f, "zerver_userprofile").update(role=777), "role is 777"),
        (lambda f: realm(f, "zerver_userprofile").update(role=True), "role is True"),
        (lambda f: realm(f, "zerver_userprofile").update(id=-1), "negative"),
        (
            lambda f: realm(f, "zerver_userprofile").update(id=realm(f, "zerver_userprofile", 1)["id"]),
            "twice",
        ),
        (lambda f: realm(f, "zerver_userprofile").update(delivery_email="no address"), "Invalid email"),
        (
            lambda f: realm(f, "zerver_userprofile").update(
                delivery_email=realm(f, "zerver_userprofile", 1)["delivery_email"].upper()
            ),
            "two people have the address",
        ),
        (lambda f: [p.update(role=400) for p in f["realm.json"]["zerver_userprofile"]], "no active owner"),
        (lambda f: realm(f, "zerver_userprofile").update(full_name=["x"]), "no text"),
        (lambda f: realm(f, "zerver_userprofile").update(date_joined=1e300), "no time"),
        (circle, "circle"),
        (lambda f: realm(f, "zerver_realm").update(can_create_groups=99), "99, which is not in the archive"),
        (
            lambda f: realm(f, "zerver_realm").update(
                can_manage_all_groups=next(
                    g["id"] for g in f["realm.json"]["zerver_namedusergroup"] if g["name"] == "role:internet"
                )
            ),
            "cannot be set to 'role:internet'",
        ),
        (lambda f: realm(f, "zerver_stream").update(invite_only=True, is_web_public=True), "open to the web"),
        (
            lambda f: realm(f, "zerver_subscription").update(recipient=12345),
            "12345, which is not in the archive",
        ),
        (lambda f: realm(f, "zerver_reaction").update(message=12345), "12345, which is not in the archive"),
        (lambda f: f["messages-000001.json"]["zerver_message"][0].update(sender=99), "sender is 99"),
        (lambda f: f["messages-000001.json"]["zerver_message"][0].update(recipient=99), "recipient is 99"),
        (lambda f: f["messages-000001.json"]["zerver_message"][1].update(id=1), "two messages have one id"),
        (
            lambda f: f["messages-000001.json"]["zerver_message"][0].update(edit_history="[[1]]"),
            "list of changes",
        ),
        (
            lambda f: f["messages-000001.json"]["zerver_usermessage"][0].update(message=12345),
            "not in the same file",
        ),
        (lambda f: f["attachment.json"]["zerver_attachment"][0].update(messages=[12345]), "12345 is not in"),
        (lambda f: f["uploads/records.json"].pop(0), "not in the list of files"),
        (lambda f: f.pop("uploads/" + f["uploads/records.json"][0]["path"]), "has no file"),
        (lambda f: f["uploads/records.json"][0].update(path="../../../etc/passwd"), "no path in an archive"),
        (lambda f: f["avatars/records.json"][0].update(path="/etc/passwd"), "no path in an archive"),
        (lambda f: f["realm.json"].update(zerver_stream={"id": 1}), "no list of rows"),
        (lambda f: f["realm.json"]["zerver_stream"].append(7), "no row"),
        (lambda f: f.update({"realm.json": [1]}), "holds no tables"),
        (lambda f: f.update({"realm.json": b'{"a":' + b"[" * 100_000}), "no JSON"),
        (lambda f: f["realm.json"]["zerver_realm"].append(realm(f, "zerver_realm")), "2 organizations"),
        (lambda f: f.pop("realm.json"), "has no realm.json"),
        (lambda f: f.pop("attachment.json"), "has no attachment.json"),
    ],
)
def test_an_archive_that_does_not_fit_is_refused_as_a_whole(
    archive: Path, tmp_path: Path, change: Change, words: str
) -> None:
    files = files_of(archive)
    change(files)
    bad = packed(files, tmp_path / "bad.tar")
    with pytest.raises(ArchiveError, match=words):
        read_archive(bad, tmp_path / "data", say=quiet)
    assert [path.name for path in tmp_path.iterdir()] == ["bad.tar"]


def test_no_bot_may_do_more_than_who_answers_for_it(archive: Path, tmp_path: Path) -> None:
    files = files_of(archive)
    people = {person["id"]: person for person in files["realm.json"]["zerver_userprofile"]}
    bot = next(person for person in people.values() if person["bot_owner"] is not None)
    bot["bot_owner"] = next(
        i for i, person in people.items() if person["role"] == 400 and not person["is_bot"]
    )
    bot["role"] = 100
    read_archive(packed(files, tmp_path / "a.tar"), tmp_path / "data", say=quiet)
    assert rows(tmp_path / "data", f"SELECT role FROM users WHERE id = {bot['id']}") == [(400,)]


def test_texts_pass_the_filter_of_this_server(archive: Path, tmp_path: Path) -> None:
    files = files_of(archive)
    realm(files, "zerver_userprofile").update(full_name="Eve\x1b[2J\u202e**|7")
    realm(files, "zerver_stream").update(name="a\x1b]0;x\x07b\nc", description="<script>x</script>")
    realm(files, "zerver_realm").update(name="N\x1b[31m", welcome_message_custom_text=["no text"])
    first, second = files["messages-000001.json"]["zerver_message"][:2]
    first.update(content="a\0b <script>alert(1)</script> [x](javascript:alert(1))", subject="t\x1b[0m")
    history = [
        {"timestamp": 5, "prev_content": "x", "prev_rendered_content": "<p onclick=x><script>y</script>z</p>"}
    ]
    second.update(edit_history=json.dumps(history), rendered_content="<script>never used</script>")
    files["messages-000001.json"]["zerver_message"][2].update(content="x" * 20_000)
    said: list[str] = []
    read_archive(packed(files, tmp_path / "a.tar"), tmp_path / "data", say=said.append)
    assert any("changed: 1 names of people" in line for line in said)
    with opened(tmp_path / "data") as core:
        assert core.users[realm(files, "zerver_userprofile")["id"]].full_name == "Eve[2J"
        channel = core.channels[realm(files, "zerver_stream")["id"]]
        assert channel.name == "a]0;xbc"
        assert "<script" not in channel.rendered_description
        assert core.settings["name"] == "N[31m"
        one, two, three = core.store.all("SELECT * FROM messages ORDER BY id LIMIT 3")
        assert one["content"].startswith("ab ")
        assert one["topic"] == "t[0m"
        for text in (one["rendered"], two["rendered"], two["history"]):
            assert "<script" not in text
            assert "onclick" not in text
            assert 'href="javascript' not in text
        assert len(three["content"]) == 10_000


@pytest.mark.parametrize("last", ["..", "!", "a--b.txt", "x" * 300])
def test_a_path_that_this_server_would_not_make_becomes_one_of_its_own(
    archive: Path, tmp_path: Path, last: str
) -> None:
    files = files_of(archive)
    record = files["uploads/records.json"][0]
    theirs = record["path"].rpartition("/")[0] + f"/{last}"
    for row in files["attachment.json"]["zerver_attachment"]:
        if row["path_id"] == record["path"]:
            row["path_id"] = record["s3_path"] = theirs
    read_archive(packed(files, tmp_path / "a.tar"), tmp_path / "data", say=quiet)
    assert rows(tmp_path / "data", "SELECT 1 FROM attachments")
    assert (theirs,) not in rows(tmp_path / "data", "SELECT path_id FROM attachments")


# --- archives that are none -------------------------------------------------------------------------------------


def with_entry(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> Callable[[Path], None]:
    """One more entry."""

    def add(path: Path) -> None:
        with tarfile.open(path, "a") as tar:
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname, entry.size = kind, link, 1 if kind == tarfile.REGTYPE else 0
            tar.addfile(entry, io.BytesIO(b"x"))

    return add


def endless_header(path: Path) -> None:
    """An entry whose extended header says that it has a gigabyte."""
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.XHDTYPE, 1 << 30
    path.write_bytes(header.tobuf(tarfile.USTAR_FORMAT) + path.read_bytes())


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (with_entry("../outside"), "no plain file"),
        (with_entry("/etc/outside"), "no plain file"),
        (with_entry(f"{FOLDER}/uploads/../../outside"), "no plain file"),
        (with_entry(f"{FOLDER}/uploads/x\\y"), "no plain file"),
        (with_entry(f"{FOLDER}/uploads/link", tarfile.SYMTYPE, "/etc/passwd"), "no plain file"),
        (with_entry(f"{FOLDER}/uploads/link", tarfile.LNKTYPE, "/etc/passwd"), "no plain file"),
        (with_entry(f"{FOLDER}/uploads/pipe", tarfile.FIFOTYPE), "no plain file"),
        (with_entry(f"{FOLDER}/uploads/device", tarfile.CHRTYPE), "no plain file"),
        (with_entry(f"{FOLDER}/realm.json"), "twice"),
        (endless_header, "endless header"),
        (lambda path: path.write_bytes(b"PK\x03\x04" + bytes(600)), "no archive|no realm.json"),
        (lambda path: path.write_bytes(gzip.compress(path.read_bytes())[:-20]), "damaged"),
        (lambda path: path.write_bytes(b""), "no archive|no realm.json"),
        (lambda path: path.unlink(), "there is no"),
    ],
)
def test_nothing_gets_out_of_its_folder_and_nothing_is_left(
    tmp_path: Path, spoil: Callable[[Path], object], words: str
) -> None:
    bad = packed(converted(), tmp_path / "bad.tar")
    spoil(bad)
    with pytest.raises(ArchiveError, match=words):
        read_archive(bad, tmp_path / "in" / "data", say=quiet)
    assert list((tmp_path / "in").iterdir()) == []
    assert {path.name for path in tmp_path.iterdir()} <= {"bad.tar", "in"}


def test_links_in_a_folder_are_not_followed(tmp_path: Path) -> None:
    folder = tmp_path / "unpacked"
    unpack(packed(converted(), tmp_path / "a.tar"), folder)
    upload = folder / FOLDER / "uploads" / "0" / "SlackImportAttachment" / "ab-cd" / "notes.txt"
    upload.unlink()
    upload.symlink_to("/etc/passwd")
    with pytest.raises(ArchiveError, match="is a link"):
        read_archive(folder, tmp_path / "data", say=quiet)


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (ArchiveLimits(files=3), "more than 3 files"),
        (ArchiveLimits(file=100), "too large"),
        (ArchiveLimits(tables=10), "larger than"),
        (ArchiveLimits(unpacked=1000), "too large"),
    ],
)
def test_sizes_are_limited(tmp_path: Path, limits: ArchiveLimits, words: str) -> None:
    file = packed(converted(), tmp_path / "a.tar")
    assert limits != LIMITS
    with pytest.raises(ArchiveError, match=words):
        read_archive(file, tmp_path / "data", limits=limits, say=quiet)


def test_what_unpacks_to_hundreds_of_times_its_size_is_no_archive(tmp_path: Path) -> None:
    file = tmp_path / "bomb.tar.gz"
    file.write_bytes(gzip.compress(bytes(8 << 20)))
    with pytest.raises(ArchiveError, match="unpacks to more"):
        read_archive(file, tmp_path / "data", limits=ArchiveLimits(free_of_ratio=1 << 20), say=quiet)


def test_a_folder_that_has_something_in_it_is_left_alone(archive: Path, tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("x")
    with pytest.raises(ArchiveError, match="not empty"):
        read_archive(archive, tmp_path, say=quiet)
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
