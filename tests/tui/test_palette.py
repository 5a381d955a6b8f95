"""Finding commands in the palette under the names that other programs give them."""

from __future__ import annotations

from pathlib import Path

import pytest

from narrowcast.keys.registry import REGISTRY
from narrowcast.screens.dialogs.manage import ManageScreen
from narrowcast.screens.dialogs.picker import Picker
from support.screens import screen_text
from support.sessions import until
from support.stage import on_stage


def test_other_names_belong_to_commands_of_the_palette_and_repeat_no_word_of_theirs() -> None:
    named = [command for command in REGISTRY if command.other_names]
    assert all(command.palette for command in named)
    for command in named:
        own = f"{command.title} {command.id}".lower()
        assert [word for word in command.other_names.split() if word in own] == [], command.id


FIRST = {
    "group": "User groups",
    "emoji": "Add emoji reaction",
    "font": "App settings: theme, keys, notifications",
    "image": "View image, or open file",
    "new topic": "New channel message",
    "download": "View image, or open file",
    "time format": "24-hour time",
    "resolve": "Mark topic as resolved or unresolved",
    "theme": "Next theme",
    "dark": "Choose theme",
    "light": "Choose theme",
    "quit": "Quit (drafts are kept)",
    "log out": "Log out",
    "sign out": "Log out",
    "logout": "Log out",
    "settings": "Personal settings",
    "shortcuts": "Help: keyboard shortcuts",
    "inbox": "Go to inbox",
    "recent": "Go to recent conversations",
    "mentions": "Go to mentions",
    "starred": "Go to starred messages",
    "star": "Star or unstar message",
    "drafts": "View drafts",
    "search": "Search messages",
    "mute": "Mute or unmute topic",
    "mute channel": "Mute or unmute channel",
    "follow": "Follow or unfollow topic",
    "unfollow": "Follow or unfollow topic",
    "pin": "Pin or unpin channel",
    "unsubscribe": "Subscribe to or unsubscribe from channel",
    "join": "Subscribe to or unsubscribe from channel",
    "create channel": "Create channel",
    "rename channel": "Channel settings: name, description, privacy",
    "rename topic": "Move or rename topic, or move messages",
    "move": "Move or rename topic, or move messages",
    "delete topic": "Delete topic",
    "delete message": "Delete message",
    "quote": "Quote message",
    "reply": "Reply",
    "poll": "Create poll",
    "todo": "Create to-do list",
    "schedule": "Schedule message",
    "remind": "Remind me about this message",
    "template": "Saved snippets: insert, create, edit",
    "upload": "Upload file",
    "attach": "Upload file",
    "preview": "Preview message",
    "mark as read": "Mark all messages as read",
    "mark all read": "Mark all messages as read",
    "invite": "Invite users",
    "status": "Set status",
    "away": "Set status",
    "invisible": "Turn invisible mode on or off",
    "password": "Change password",
    "email": "Change email address",
    "profile": "Edit profile",
    "avatar": "Change or remove profile picture",
    "picture": "Change or remove profile picture",
    "api key": "Show or generate API key",
    "bots": "Bots",
    "two-factor": "Two-factor authentication and recovery codes",
    "2fa": "Two-factor authentication and recovery codes",
    "notifications": "App settings: theme, keys, notifications",
    "alert words": "Alert words",
    "linkifiers": "Linkifiers",
    "custom emoji": "Custom emoji",
    "message retention": "Message retention period",
    "reload": "Reload view",
    "next unread": "Go to next unread topic",
    "dm": "New direct message",
    "user": "User groups",
    "video call": "Add video call link",
    "history": "View edit history",
    "rebind": "Keys of each command",
    "keys of": "Keys of each command",
    "zuliprc": "Import from a zuliprc file",
    "switch account": "Accounts: switch, add, log out",
}
"""What the palette offers first for what people type."""


async def test_the_palette_offers_first_what_is_meant(tmp_path: Path) -> None:
    assert len(FIRST) > 60
    async with on_stage(tmp_path) as stage:
        await stage.press("ctrl+p")
        picker = stage.app.screen
        assert isinstance(picker, Picker)
        found = {}
        for typed in FIRST:
            picker.list.set_filter(typed)
            first = picker.list.selected_item
            assert first is not None, typed
            found[typed] = first.text
    assert found == FIRST


@pytest.mark.parametrize(
    ("typed", "title"),
    [
        ("leave", "Subscribe to or unsubscribe from channel"),
        ("dark", "Choose theme"),
        ("away", "Set status"),
        ("do not disturb", "Turn invisible mode on or off"),
        ("add people", "Channel subscribers"),
        ("send later", "Schedule message"),
    ],
)
async def test_a_command_is_found_by_a_name_of_another_program(
    tmp_path: Path, typed: str, title: str
) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.press("ctrl+p")
        await stage.type(typed)
        picker = stage.app.screen
        assert isinstance(picker, Picker)
        assert title in [choice.text for choice in picker.list.shown[:3]]


@pytest.mark.parametrize(
    ("typed", "title", "row"),
    [
        ("welcome", "Custom welcome message", "welcome_message_custom_text"),
        ("24-hour", "24-hour time", "twenty_four_hour_time"),
        ("quiet", "Quiet hours", "notifications.quiet"),
        ("keys of", "Keys of each command", "keys"),
    ],
)
async def test_a_setting_is_found_and_selected_in_its_list(
    tmp_path: Path, typed: str, title: str, row: str
) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.press("ctrl+p")
        await stage.type(typed)
        assert isinstance(picker := stage.app.screen, Picker)
        assert (picked := picker.list.selected_item) is not None
        assert picked.text == title
        await stage.press("enter")
        await until(
            lambda: isinstance(stage.app.screen, ManageScreen) and title in screen_text(stage.app.screen)
        )
        assert isinstance(screen := stage.app.screen, ManageScreen)
        assert (selected := screen.list.selected_item) is not None
        assert selected.key == row
