"""The archive that a Zulip server imports: all tables as its models have them, all files, nothing invalid."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from narrowcast_server.organization.models import FlagBit
from narrowcast_server.organization.organization import DATABASE
from narrowcast_server.zulip_archive.layout import (
    COMPLETE_LEVEL,
    NEWEST_LEVEL,
    TargetServer,
)
from narrowcast_server.zulip_archive.numbers import flags_out
from narrowcast_server.zulip_archive.writing.archive import write_archive
from narrowcast_server.zulip_archive.writing.source import Source
from support import odd_world
from support.archives import opened, quiet
from support.processes import Tables, tables_of, unpacked
from support.zulip_format import EMPTY, faults, tables


@pytest.fixture(scope="module", params=[COMPLETE_LEVEL, NEWEST_LEVEL])
def target(request: pytest.FixtureRequest) -> TargetServer:
    return TargetServer(request.param)


@pytest.fixture(scope="module")
def archive(odd_data: Path, target: TargetServer) -> Path:
    file = odd_data.parent / f"{target.level}.tar.gz"
    write_archive(odd_data, file, server=target, now=lambda: 1_800_000_000, say=quiet)
    return unpacked(file, odd_data.parent / f"unpacked-{target.level}")


@pytest.fixture(scope="module")
def rows(archive: Path) -> Tables:
    return tables_of(archive)


def test_every_exported_row_fits_the_models_of_zulip(rows: Tables) -> None:
    assert list(faults(rows)) == []


def test_every_exported_table_has_rows(rows: Tables) -> None:
    assert {name for name, found in rows.items() if not found} == set(EMPTY)
    assert rows.keys() - set(EMPTY) == tables().keys()


def test_the_newer_layout_has_only_direct_groups_and_names_the_workplace_users(
    rows: Tables, target: TargetServer
) -> None:
    names = {row["id"]: row["name"] for row in rows["zerver_namedusergroup"]}
    workplace = rows["zerver_realm"][0].get("workplace_users_group")
    bots = {row["recipient_id"] for row in rows["zerver_userprofile_crossrealm"]}
    assert (names.get(workplace), bots == {None}) == (
        ("role:fullmembers", True) if target.direct_groups else (None, False)
    )


@pytest.mark.parametrize(
    ("table", "change", "words"),
    [
        ("zerver_stream", lambda row: row.pop("folder"), "folder is missing"),
        ("zerver_realm", lambda row: row.update(unknown=1), "the model has no unknown"),
        ("zerver_message", lambda row: row.update(sender=99), "sender is 99"),
        ("zerver_userprofile", lambda row: row.update(full_name=None), "full_name is null"),
        ("zerver_message", lambda row: row.update(subject="x" * 61), "not text60"),
        ("zerver_stream", lambda row: row.update(name="GENERAL"), "two rows have"),
    ],
)
def test_the_format_check_finds_errors(
    rows: Tables, table: str, change: Callable[[dict[str, Any]], object], words: str
) -> None:
    changed = json.loads(json.dumps(rows))
    change(changed[table][-1])
    assert any(words in fault for fault in faults(changed))


def test_every_user_channel_and_group_has_a_recipient(rows: Tables, target: TargetServer) -> None:
    kinds = {1: "zerver_userprofile", 2: "zerver_stream", 3: "zerver_huddle"}
    found: dict[int, set[int]] = {1: set(), 2: set(), 3: set()}
    for row in rows["zerver_recipient"]:
        found[row["type"]].add(row["type_id"])
    if target.direct_groups:
        del kinds[1]
        assert not found[1]
    for kind, table in kinds.items():
        assert found[kind] == {row["id"] for row in rows[table]}
    recipients = {row["id"]: row for row in rows["zerver_recipient"]}
    subscribed: dict[int, set[int]] = {}
    for row in rows["zerver_subscription"]:
        subscribed.setdefault(row["recipient"], set()).add(row["user_profile"])
    for recipient_id, recipient in recipients.items():
        if recipient["type"] == 1:
            assert subscribed[recipient_id] == {recipient["type_id"]}
    sizes = {row["id"]: row["group_size"] for row in rows["zerver_huddle"]}
    for recipient_id, recipient in recipients.items():
        if recipient["type"] == 3:
            assert (
                len(subscribed[recipient_id])
                == sizes[recipient["type_id"]]
                > (0 if target.direct_groups else 2)
            )


def test_exported_direct_messages_have_the_other_user_as_recipient(
    odd_data: Path, rows: Tables, target: TargetServer
) -> None:
    source = Source(odd_data)
    members = source.conversations
    stored = {
        row["id"]: row for row in source.rows("SELECT * FROM messages WHERE conversation_id IS NOT NULL")
    }
    copies = {(row["message"], row["user_profile"]): row["flags_mask"] for row in rows["zerver_usermessage"]}
    recipients = {row["id"]: row for row in rows["zerver_recipient"]}
    bots = {row["recipient_id"]: row["id"] for row in rows["zerver_userprofile_crossrealm"]}
    subscribed: dict[int, list[int]] = {}
    for subscription in rows["zerver_subscription"]:
        subscribed.setdefault(subscription["recipient"], []).append(subscription["user_profile"])
    sent = {row["id"]: row for row in rows["zerver_message"]}
    for message_id, row in stored.items():
        people, message = members[row["conversation_id"]], sent[message_id]
        assert (message["subject"], message["is_channel_message"]) == ("\x07", False)
        if target.direct_groups or len(people) > 2:
            assert sorted(subscribed[message["recipient"]]) == sorted(people)
        else:
            other = next((person for person in people if person != row["sender_id"]), row["sender_id"])
            known = recipients.get(message["recipient"])
            assert other == (bots[message["recipient"]] if known is None else known["type_id"])
        for person in people:
            if person not in bots.values() and (message_id, person) in copies:
                assert copies[message_id, person] & 2048
    source.close()
    assert not any(mask & 2048 for (message, _), mask in copies.items() if message not in stored)


def test_exported_flags_keep_their_meaning(odd_data: Path, rows: Tables) -> None:
    meanings = {
        FlagBit.READ: 1,
        FlagBit.STARRED: 2,
        FlagBit.COLLAPSED: 4,
        FlagBit.MENTIONED: 8,
        FlagBit.ALERT_WORD: 512,
        FlagBit.HISTORICAL: 1024,
    }
    copies = {(row["message"], row["user_profile"]): row["flags_mask"] for row in rows["zerver_usermessage"]}
    source = Source(odd_data)
    met = 0
    for row in source.rows("SELECT * FROM user_messages"):
        mask = copies.get((row["message_id"], row["user_id"]))
        if mask is not None:
            met |= row["flags"]
            by_group = FlagBit.MENTIONED if row["flags"] & FlagBit.GROUP_MENTIONED else 0
            for ours, theirs in meanings.items():
                assert bool(mask & theirs) == bool((row["flags"] | by_group) & ours), (
                    row["message_id"],
                    ours,
                )
    source.close()
    assert all(met & flag for flag in meanings)


def test_every_user_is_in_the_group_of_their_role(rows: Tables) -> None:
    names = {row["name"]: row["id"] for row in rows["zerver_namedusergroup"] if row["is_system_group"]}
    inside = {(row["user_group"], row["user_profile"]) for row in rows["zerver_usergroupmembership"]}
    groups = {100: "owners", 200: "administrators", 300: "moderators", 400: "members", 600: "everyone"}
    for person in rows["zerver_userprofile"]:
        assert (names[f"role:{groups[person['role']]}"], person["id"]) in inside
    members = {row["id"] for row in rows["zerver_userprofile"] if row["role"] == 400}
    assert {user for group, user in inside if group == names["role:fullmembers"]} <= members
    # Full members have been members for three days.
    newcomer = next(row for row in rows["zerver_userprofile"] if row["full_name"] == "Odd Ærlig 語")
    assert ((names["role:fullmembers"], newcomer["id"]) in inside) == (
        1_800_000_000 - newcomer["date_joined"] >= 3 * 86_400
    )


def test_a_permission_for_single_users_is_exported_as_a_group(rows: Tables) -> None:
    secret = next(row for row in rows["zerver_stream"] if row["name"] == "secret ✨")
    group_id = secret["can_add_subscribers_group"]
    assert group_id not in {row["id"] for row in rows["zerver_namedusergroup"]}
    people = {row["id"]: row["full_name"] for row in rows["zerver_userprofile"]}
    inside = {
        people[row["user_profile"]]
        for row in rows["zerver_usergroupmembership"]
        if row["user_group"] == group_id
    }
    assert inside == {"Odd Ærlig 語", "Gone Person"}


def test_html_is_exported_unless_only_this_server_has_its_addresses(rows: Tables) -> None:
    by_text = {row["content"]: row for row in rows["zerver_message"]}
    named_by_id = next(row for text, row in by_text.items() if "|2** see [plan]" in text)
    assert 'data-user-id="2"' in named_by_id["rendered_content"]
    assert named_by_id["rendered_content_version"] == 1
    assert by_text["a notice"]["rendered_content"] == "<p>a notice</p>"
    assert by_text["the four of us"]["rendered_content"] == "<p>the four of us</p>"
    of_this_server = 0
    for text, row in by_text.items():
        html = row["rendered_content"] or ""
        is_by_id = "|" in text
        if not is_by_id:
            assert "/user_avatars/" not in html
            assert "/user_uploads/thumbnail/" not in html
        of_this_server += row["rendered_content"] is None
        assert (row["rendered_content_version"] == 1) is (row["rendered_content"] is not None)
    assert of_this_server


def test_a_link_of_a_linkifier_is_exported_as_it_is(tmp_path: Path, odd_data: Path) -> None:
    shutil.copytree(odd_data, tmp_path / "data")
    with closing(sqlite3.connect(tmp_path / "data" / DATABASE)) as database, database:
        database.execute(
            "UPDATE messages SET rendered = ? WHERE id = (SELECT min(id) FROM messages)",
            ('<p><a href="https://tracker.example/7">#7</a></p>',),
        )
    write_archive(tmp_path / "data", tmp_path / "a.tar", now=lambda: 1_800_000_000, say=quiet)
    found = tables_of(unpacked(tmp_path / "a.tar", tmp_path / "unpacked"))["zerver_message"]
    assert '<a href="https://tracker.example/7">#7</a>' in found[0]["rendered_content"]


def test_every_message_with_a_history_has_the_time_of_its_last_entry(rows: Tables) -> None:
    with_history = [row for row in rows["zerver_message"] if row["edit_history"]]
    assert with_history
    for row in with_history:
        times = [entry["timestamp"] for entry in json.loads(row["edit_history"])]
        assert row["last_edit_time"] is not None
        assert row["last_edit_time"] >= max(times)


def test_the_time_of_a_resolved_topic_is_exported(tmp_path: Path, odd_data: Path) -> None:
    shutil.copytree(odd_data, tmp_path / "data")
    resolved = [{"timestamp": 77, "user_id": 2, "prev_topic": "soup", "topic": "✔ soup"}]
    with closing(sqlite3.connect(tmp_path / "data" / DATABASE)) as database, database:
        database.execute(
            "UPDATE messages SET history = ?, last_edited = NULL, last_moved = NULL"
            " WHERE id = (SELECT min(id) FROM messages)",
            (json.dumps(resolved),),
        )
    write_archive(tmp_path / "data", tmp_path / "a.tar", now=lambda: 1_800_000_000, say=quiet)
    found = tables_of(unpacked(tmp_path / "a.tar", tmp_path / "unpacked"))["zerver_message"]
    assert found[0]["last_edit_time"] == 77


def test_a_mention_by_a_group_counts_as_a_mention() -> None:
    group, mentioned = 64, 8
    assert flags_out(FlagBit.GROUP_MENTIONED, direct=False) == group | mentioned
    assert flags_out(FlagBit.READ, direct=False) == 1


def test_edit_history_has_the_fields_that_the_import_requires(rows: Tables) -> None:
    histories = [json.loads(row["edit_history"]) for row in rows["zerver_message"] if row["edit_history"]]
    people = {row["id"] for row in rows["zerver_userprofile"]}
    assert any({"prev_topic", "topic"} <= entry.keys() for history in histories for entry in history)
    for entry in (entry for history in histories for entry in history):
        assert entry["user_id"] in people
        assert isinstance(entry.get("prev_rendered_content", ""), str)
        assert ("prev_content" in entry) == ("prev_rendered_content" in entry)


def test_exported_files_are_identical(odd_data: Path, archive: Path, rows: Tables) -> None:
    records = json.loads((archive / "uploads" / "records.json").read_text())
    assert {record["s3_path"] for record in records} == {row["path_id"] for row in rows["zerver_attachment"]}
    stored = {
        hashlib.sha256(file.read_bytes()).hexdigest()
        for file in (odd_data / "uploads" / "files").rglob("*")
        if file.is_file()
    }
    sent = {
        hashlib.sha256((archive / "uploads" / record["path"]).read_bytes()).hexdigest() for record in records
    }
    assert sent == stored
    people = {row["id"]: row for row in rows["zerver_userprofile"]}
    for record in json.loads((archive / "avatars" / "records.json").read_text()):
        person = people[record["user_profile_id"]]
        assert (person["avatar_source"], person["avatar_version"]) == ("U", record["avatar_version"])
        assert (archive / "avatars" / record["path"]).read_bytes().startswith(b"\x89PNG")
    emoji = {row["file_name"]: row["name"] for row in rows["zerver_realmemoji"]}
    for record in json.loads((archive / "emoji" / "records.json").read_text()):
        assert emoji[record["file_name"]] == record["name"]
        assert (archive / "emoji" / record["path"]).is_file()
    icons = {record["path"] for record in json.loads((archive / "realm_icons" / "records.json").read_text())}
    assert icons == {"1/icon.original", "1/icon.png"}


def test_uploads_in_scheduled_messages_are_exported_as_theirs(rows: Tables) -> None:
    [scheduled] = [row for row in rows["zerver_scheduledmessage"] if row["has_attachment"]]
    [upload] = [row for row in rows["zerver_attachment"] if row["scheduled_messages"]]
    assert upload["scheduled_messages"] == [scheduled["id"]]
    assert upload["path_id"] in scheduled["content"]


def test_the_report_lists_what_is_not_exported(archive: Path) -> None:
    report = (archive / "REPORT.txt").read_text()
    for words in (
        "Passwords and API keys",
        "1 reactions with the emoji of this program",
        f"({odd_world.ODD_ADDRESS}) is not one that Zulip accepts",
        "old crew is called old crew (2)",
    ):
        assert words in report


def test_the_report_names_those_who_have_prepared_what_the_import_does_not_send(
    tmp_path: Path, odd_data: Path
) -> None:
    shutil.copytree(odd_data, tmp_path / "data")
    with closing(sqlite3.connect(tmp_path / "data" / DATABASE)) as database, database:
        (failed,) = database.execute("SELECT min(id) FROM scheduled_messages").fetchone()
        database.execute("UPDATE scheduled_messages SET failed = id = ?", (failed,))
        prepared = {
            table: database.execute(
                f"SELECT full_name, count(*) FROM {table} JOIN users ON users.id = user_id WHERE {where}"
                " GROUP BY user_id ORDER BY user_id"
            ).fetchall()
            for table, where in (
                ("drafts", "1"),
                ("scheduled_messages", "failed"),
                ("reminders", "1"),
            )
        }
    write_archive(tmp_path / "data", tmp_path / "a.tar", now=lambda: 1_800_000_000, say=quiet)
    report = (unpacked(tmp_path / "a.tar", tmp_path / "unpacked") / "REPORT.txt").read_text()
    for table, words in (
        ("drafts", "drafts"),
        ("scheduled_messages", "scheduled messages that failed here, and are not sent there"),
        ("reminders", "links of reminders to their messages (their texts are there)"),
    ):
        assert prepared[table]
        total = sum(number for _, number in prepared[table])
        each = ", ".join(f"{name} {number}" for name, number in prepared[table])
        assert f"  {total} {words}: {each}\n" in report


def test_every_table_of_a_data_folder_is_exported_or_reported(
    odd_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect, met = sqlite3.connect, set()

    def noted(action: int, table: str | None, *others: object) -> int:
        if action == sqlite3.SQLITE_READ:
            met.add(table)
        return sqlite3.SQLITE_OK

    def watched(*args: Any, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*args, **options)
        connection.set_authorizer(noted)
        return connection

    with closing(connect(odd_data / DATABASE)) as database:
        tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    monkeypatch.setattr(sqlite3, "connect", watched)
    write_archive(odd_data, tmp_path / "a.tar", say=quiet)
    # The participants of a conversation are read from another table.
    known_anew = {"conversations"} | {
        name for name in tables if name.startswith(("message_words", "sqlite_"))
    }
    how_far_mail_is = {"mail_marks", "sign_in_links"}
    made_here = {"exports"}
    assert tables - met == known_anew | how_far_mail_is | made_here


def test_the_archive_contains_no_secret(odd_data: Path, archive: Path) -> None:
    with opened(odd_data) as organization:
        sealed = organization.store.strings("SELECT api_key FROM users UNION SELECT token FROM bot_services")
        keys = [organization.vault.open(key) for key in sealed]
        hashes = organization.store.strings("SELECT password_hash FROM users WHERE password_hash IS NOT NULL")
    assert sealed
    assert hashes
    files = [file.read_text(encoding="utf-8") for file in archive.rglob("*.json")]
    assert files
    assert [text for text in (*sealed, *keys, *hashes) if any(str(text) in file for file in files)] == []


def test_the_archive_names_its_target_version(archive: Path, target: TargetServer) -> None:
    status = json.loads((archive / "migration_status.json").read_text())
    version = "12.0" if target.level == NEWEST_LEVEL else "12.0-dev"
    assert status == {"migrations_by_app": {}, "zulip_version": version}
