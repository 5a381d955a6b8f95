"""Archives for servers of each level, and what an export does with a running server, lost files and failures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from narrowcast.cli import main
from narrowcast_server.organization.personal import DEFAULTS, check
from narrowcast_server.zulip_archive.layout import (
    OLDEST_LEVEL,
    ArchiveError,
    LevelError,
    TargetServer,
)
from narrowcast_server.zulip_archive.reading.archive import read_archive
from narrowcast_server.zulip_archive.writing.archive import write_archive
from narrowcast_server.zulip_archive.writing.files import listed_name
from narrowcast_server.zulip_archive.writing.people import personal_settings
from narrowcast_server.zulip_archive.writing.source import Source
from support import odd_world
from support.archives import opened, quiet
from support.processes import tables_of, unpacked
from support.server import running_server
from support.zulip_format import faults


@pytest.mark.parametrize(("level", "direct_groups"), [(441, False), (476, False), (477, True), (499, True)])
def test_each_level_has_one_of_two_archive_layouts(level: int, direct_groups: bool) -> None:
    target = TargetServer(level)
    assert target.direct_groups == direct_groups
    assert target.levels == ((477, 499) if direct_groups else (441, 476))


@pytest.mark.parametrize(("level", "word"), [(453, "recent_topics"), (454, "recent")])
def test_settings_have_the_words_of_their_server(level: int, word: str) -> None:
    settings = {**DEFAULTS, "web_home_view": "recent_topics"}
    assert personal_settings(settings, TargetServer(level))["web_home_view"] == word
    assert check("web_home_view", word, level) == "recent_topics"


# The fields of the models of a level 387 server, confirmed by a real import.
OF_387 = {
    "zerver_stream": "id realm name date_created creator deactivated description rendered_description subscriber_count"
    " invite_only history_public_to_subscribers is_web_public message_retention_days first_message_id"
    " is_recently_active can_add_subscribers_group can_administer_channel_group can_send_message_group"
    " can_remove_subscribers_group can_subscribe_group",
    "zerver_scheduledmessage": "id realm sender recipient sending_client stream subject content rendered_content"
    " scheduled_timestamp request_timestamp read_by_sender delivered delivered_message has_attachment failed"
    " failure_message delivery_type reminder_target_message_id",
    "zerver_realmauditlog": "id realm event_type event_time backfilled extra_data event_last_message_id acting_user"
    " modified_user modified_stream modified_user_group",
}


def test_an_archive_for_zulip_11_has_no_newer_fields(odd_data: Path, tmp_path: Path) -> None:
    target = TargetServer(OLDEST_LEVEL)
    write_archive(odd_data, tmp_path / "a.tar", server=target, say=quiet)
    archive = unpacked(tmp_path / "a.tar", tmp_path / "unpacked")
    rows = tables_of(archive)
    assert json.loads((archive / "migration_status.json").read_text())["zulip_version"] == "11.0"
    assert not {"zerver_channelfolder", "zerver_navigationview"} & rows.keys()
    for table, names in OF_387.items():
        assert {name for row in rows[table] for name in row} == set(names.split())
    realm = rows["zerver_realm"][0]
    assert realm["mandatory_topics"] is True
    assert not {"topics_policy", "can_set_topics_policy_group", "send_channel_events_messages"} & realm.keys()
    assert "web_inbox_show_channel_folders" not in rows["zerver_userprofile"][0]
    report = (archive / "REPORT.txt").read_text()
    assert "rows of zerver_channelfolder, which a server of level 387 does not have" in report
    assert "fields added after level 387: can_create_topic_group" in report
    read_archive(tmp_path / "a.tar", tmp_path / "back", say=quiet)
    with opened(tmp_path / "back") as organization:
        assert organization.settings["topics_policy"] == "disable_empty_topic"


@pytest.mark.parametrize(
    ("level", "version", "levels"),
    [(387, "11.0", (387, 388)), (421, "11.0", (416, 425)), (430, "12.0-dev", (426, 430))],
)
def test_archives_for_older_servers_use_their_layouts(
    level: int, version: str, levels: tuple[int, int]
) -> None:
    assert (TargetServer(level).version, TargetServer(level).levels) == (version, levels)


@pytest.mark.parametrize("level", [0, 386, 500])
def test_unsupported_levels_are_rejected(level: int) -> None:
    with pytest.raises(LevelError):
        TargetServer(level)


async def test_an_export_of_a_running_server_is_a_consistent_snapshot(tmp_path: Path) -> None:
    data = tmp_path / "data"
    async with running_server(data) as server:
        await server.send("ada", "general", "t", "before")
        source = Source(data)
        await server.send("ada", "general", "t", "after")
        assert [row["content"] for row in source.rows("SELECT content FROM messages ORDER BY id")] == [
            "before"
        ]
        source.close()
        write_archive(data, tmp_path / "a.tar", say=quiet)
        await server.send("ada", "general", "t", "later")
    rows = tables_of(unpacked(tmp_path / "a.tar", tmp_path))
    assert [row["content"] for row in rows["zerver_message"]] == ["before", "after"]


def test_a_lost_upload_is_left_out_and_reported(tmp_path: Path) -> None:
    odd_world.make(tmp_path / "data")
    lost = next(file for file in (tmp_path / "data" / "uploads" / "files").rglob("*") if file.is_file())
    lost.unlink()
    said: list[str] = []
    write_archive(tmp_path / "data", tmp_path / "a.tar", say=said.append)
    assert any("has no file" in line for line in said)
    rows = tables_of(unpacked(tmp_path / "a.tar", tmp_path))
    assert list(faults(rows)) == []
    assert not any(lost.name in row["path_id"] for row in rows["zerver_attachment"])


def test_a_failed_export_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="no organization"):
        write_archive(tmp_path / "data", tmp_path / "a.tar", say=quiet)
    assert list(tmp_path.iterdir()) == []


def test_the_command_line_writes_an_archive(
    odd_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.tgz"
    assert main.main(["serve", "--data", str(odd_data), "--export-zulip", str(file)]) == 0
    assert "for Zulip 12.0 (feature levels 477 to 499)" in capsys.readouterr().out
    assert file.read_bytes().startswith(b"\x1f\x8b")
    assert (
        main.main(["serve", "--data", str(odd_data), "--export-zulip", str(file), "--zulip-level", "9"]) == 2
    )
    assert "387 to 499" in capsys.readouterr().err
    assert main.main(["serve", "--export-zulip", str(file), "--backup", str(file)]) == 2


@pytest.mark.parametrize(
    ("name", "last", "listed"),
    [
        ("plan ü (2).txt", "plan-ü-2.txt", "plan ü (2).txt"),
        (".my profile", "my-profile", "my profile"),
        ("a -- b.txt", "a--b.txt", "--b.txt"),
        ("!", "uploaded-file", "uploaded-file"),
        ("plan.txt", "..", "plan.txt"),
    ],
)
def test_a_file_name_that_does_not_match_its_path_is_replaced_by_one_that_does(
    name: str, last: str, listed: str
) -> None:
    assert listed_name(name, f"1/ab/token/{last}") == listed
