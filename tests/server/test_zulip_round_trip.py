"""An organization is the same after export to an archive and import."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from narrowcast_server.checking import check
from narrowcast_server.organization.models import Message
from narrowcast_server.organization.personal import DEFAULTS
from narrowcast_server.organization.realm_settings import EDITABLE
from narrowcast_server.rules.access import may_see
from narrowcast_server.zulip_archive.layout import COMPLETE_LEVEL, NEWEST_LEVEL, TargetServer
from narrowcast_server.zulip_archive.numbers import REALM_CHANNELS
from narrowcast_server.zulip_archive.reading.archive import read_archive
from narrowcast_server.zulip_archive.writing.archive import write_archive
from support import odd_world
from support.archives import SAME, opened, quiet, rows


def test_every_column_has_several_values(odd_data: Path) -> None:
    """If a column had only one value, its loss would not be noticed."""

    def lonely(table: str, column: str, default: str | None) -> bool:
        found = [value for (value,) in rows(odd_data, f'SELECT "{column}" FROM {table}')]
        return len(set(found)) == 1 and (len(found) > 1 or str(found[0]) == str(default).strip("'"))

    alone = {
        f"{table}.{column}"
        for table in {table for sql in SAME.values() for table in re.findall(r"\bFROM (\w+)", sql)}
        for column, default in rows(odd_data, f"SELECT name, dflt_value FROM pragma_table_info('{table}')")
        if lonely(table, column, default)
    }
    # No emoji has such a file, widgets have one message type, and at the levels of archives nobody is 'away'.
    assert alone == {"custom_emoji.still_url", "submessages.msg_type", "statuses.away"}


@pytest.mark.parametrize("kind", SAME)
def test_every_table_is_unchanged_after_export_and_import(odd_data: Path, odd_back: Path, kind: str) -> None:
    before = rows(odd_data, SAME[kind])
    assert before
    assert rows(odd_back, SAME[kind]) == before


def test_settings_and_permissions_are_unchanged_after_export_and_import(
    odd_data: Path, odd_back: Path
) -> None:
    with opened(odd_data) as before, opened(odd_back) as after:
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
    """Each setting with a different value."""

    def other(name: str, value: object) -> object:
        if isinstance(value, bool):
            return not value
        if isinstance(value, int):
            return value + 1 if value < 4 else value - 1
        return f"{value} of ours"

    return {name: TURNED.get(name, other(name, value)) for name, value in settings.items()}


@pytest.mark.parametrize("level", [COMPLETE_LEVEL, NEWEST_LEVEL])
def test_every_setting_is_unchanged_after_export_and_import(tmp_path: Path, level: int) -> None:
    odd_world.make(tmp_path / "data")
    channels = {name: number for number, name in enumerate(REALM_CHANNELS.values(), 1)}
    of_realm = turned(EDITABLE) | channels | {"empty_topic_display_name": "anything"}
    personal = turned(DEFAULTS)
    assert not [name for name, value in of_realm.items() if EDITABLE.get(name) == value]
    with opened(tmp_path / "data") as organization:
        organization.set_settings(**of_realm, personal_defaults=personal)
        organization.users.update(2, settings=personal)
    write_archive(tmp_path / "data", tmp_path / "a.tar", server=TargetServer(level), say=quiet)
    read_archive(tmp_path / "a.tar", tmp_path / "back", say=quiet)
    with opened(tmp_path / "back") as organization:
        assert {name: organization.settings[name] for name in of_realm} == of_realm
        assert organization.settings["personal_defaults"] == personal
        assert organization.users[2].settings == personal


def test_every_user_can_read_the_same_messages_as_before(odd_data: Path, odd_back: Path) -> None:
    def readable(folder: Path) -> dict[int, list[int]]:
        with opened(folder) as organization:
            messages = [
                Message.of(row) for row in organization.store.all("SELECT * FROM messages ORDER BY id")
            ]
            return {
                user.id: [message.id for message in messages if may_see(organization, user, message)]
                for user in organization.users.all()
            }

    before = readable(odd_data)
    assert len({tuple(ids) for ids in before.values()}) > 5
    assert readable(odd_back) == before


def test_files_are_identical_after_export_and_import(odd_data: Path, odd_back: Path) -> None:
    def sums(folder: Path) -> list[str]:
        uploads = folder / "uploads"
        files = [*uploads.glob("files/*/*"), *uploads.glob("public/*")]
        return sorted(hashlib.sha256(file.read_bytes()).hexdigest() for file in files)

    before = sums(odd_data)
    assert len(before) > 20
    assert sums(odd_back) == before


def test_the_imported_data_pass_the_check_and_can_be_exported_again(odd_back: Path, tmp_path: Path) -> None:
    assert check(odd_back) == []
    write_archive(odd_back, tmp_path / "again.tar", say=quiet)
    read_archive(tmp_path / "again.tar", tmp_path / "again", say=quiet)
    assert rows(tmp_path / "again", SAME["messages"]) == rows(odd_back, SAME["messages"])
