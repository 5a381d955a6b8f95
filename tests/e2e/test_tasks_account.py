"""The tasks with people, the account and the app's settings of docs/tasks.md."""

from __future__ import annotations

import tomllib

import pytest

from support.uploads import PIXEL

from .walking import Walk


def configured(walk: Walk, table: str, name: str) -> object:
    """A value of the app's configuration file."""
    file = walk.home / "config" / "narrowcast" / "config.toml"
    return tomllib.loads(file.read_text(encoding="utf-8")).get(table, {}).get(name) if file.exists() else None


@pytest.mark.task("See a user card")
def test_the_card_of_a_sender_and_of_somebody_else_is_shown(walk: Walk) -> None:
    walk.open("cards", "Who am I?")
    walk.do("u")
    walk.dialog("Greta Lindqvist")
    walk.close("Greta Lindqvist")
    walk.do("Ctrl-p Find user")
    walk.dialog("Find user")
    walk.terminal.type("tanaka")
    walk.see("▌Chiyo Tanaka")
    walk.terminal.press("enter")
    walk.dialog("Chiyo Tanaka")
    walk.see("moderator")
    walk.close("Chiyo Tanaka")


@pytest.mark.task("Set your status, become invisible")
def test_a_status_is_set_and_invisible_mode_is_turned_on_and_off(walk: Walk) -> None:
    walk.do("Ctrl-p Set status")
    walk.dialog("Set status")
    walk.fill("at the pier")
    walk.terminal.press("ctrl+d")
    walk.see(r"Status set\.")
    status = walk.call("GET", f"/users/{walk.user('Ada')['user_id']}/status")["status"]
    assert status["status_text"] == "at the pier"
    for shown, said in ((False, "Invisible mode on"), (True, "Invisible mode off")):
        walk.do("Ctrl-p Turn invisible mode on or off")
        walk.see(said)
        assert walk.registered("user_settings")["user_settings"]["presence_enabled"] is shown


@pytest.mark.task("Edit your profile, your picture")
def test_the_name_and_the_picture_of_a_profile_are_changed(walk: Walk) -> None:
    walk.do("Ctrl-p Edit profile")
    walk.dialog("Edit profile")
    walk.fill("Ada M. Moreno")
    walk.terminal.press("ctrl+d")
    walk.see(r"Profile saved\.")
    before = walk.user("Ada")
    assert before["full_name"] == "Ada M. Moreno"
    walk.call("PATCH", "/settings", full_name="Ada Moreno")
    (walk.home / "me.png").write_bytes(PIXEL)
    walk.do("Ctrl-p Change or remove profile picture")
    walk.dialog("Profile picture")
    walk.terminal.press("enter")
    walk.dialog("Upload new profile picture")
    walk.answer(str(walk.home / "me.png"))
    walk.see(r"Profile picture changed\.")
    assert walk.user("Ada")["avatar_url"] != before["avatar_url"]


@pytest.mark.task("Manage user groups")
def test_a_user_group_is_created(walk: Walk) -> None:
    walk.do("Ctrl-p User groups")
    walk.dialog("User groups")
    walk.terminal.type("n")
    walk.dialog("Create user group")
    walk.terminal.type("sailors")
    walk.see("▌ sailors")
    walk.terminal.press("ctrl+d")
    walk.see("▌ *@sailors")
    walk.close("User groups")
    assert "sailors" in [group["name"] for group in walk.call("GET", "/user_groups")["user_groups"]]


@pytest.mark.task("Invite people")
@pytest.mark.task("Invite others")
def test_a_link_to_invite_people_is_created_and_copied(walk: Walk) -> None:
    walk.do("Ctrl-p Invite users")
    walk.dialog("Invitations")
    walk.do("l")
    walk.dialog("Create invitation link")
    walk.terminal.press("ctrl+d")
    walk.see(r"Copied:[\s│]*http://127\.0\.0\.1:[0-9]+/join/")
    walk.close("Invitations")
    assert [one["is_multiuse"] for one in walk.call("GET", "/invites")["invites"]] == [True]


@pytest.mark.task("Choose what you are notified of")
def test_notifications_are_chosen_in_the_personal_settings(walk: Walk) -> None:
    name = "enable_desktop_notifications"
    before = walk.registered("user_settings")["user_settings"][name]
    walk.do("Ctrl-p Personal settings")
    walk.dialog("Personal settings")
    walk.find(name, "Desktop notifications")
    walk.terminal.press("enter")
    walk.see("Saved: Desktop notifications")
    walk.close("Personal settings", found=name)
    assert walk.registered("user_settings")["user_settings"][name] is not before


@pytest.mark.task("Set alert words")
def test_an_alert_word_is_added(walk: Walk) -> None:
    walk.do("Ctrl-p Alert words")
    walk.dialog("Alert words")
    walk.terminal.type("n")
    walk.dialog("Add alert words")
    walk.terminal.type("kraken")
    walk.see("kraken")
    walk.terminal.press("ctrl+d")
    walk.no_longer("╭─ Add alert words")
    walk.see("▌kraken")
    walk.close("Alert words")
    assert walk.registered("alert_words")["alert_words"] == ["kraken"]


@pytest.mark.task("Change the theme")
def test_the_next_theme_is_tried_and_one_is_chosen_for_good(walk: Walk) -> None:
    walk.do("F6")
    walk.see(r"Theme: \w+")
    walk.do("Shift-F6")
    walk.dialog("Theme")
    walk.terminal.type("nord")
    walk.see("▌nord")
    walk.do("Enter")
    walk.no_longer("╭─ Theme")
    walk.until(lambda: configured(walk, "appearance", "theme") == "nord", "the theme is in the configuration")


@pytest.mark.task("Change a setting of the app")
@pytest.mark.task("Take back the last change of a setting")
@pytest.mark.task("Show all senders in one color")
def test_a_setting_of_the_app_is_changed_and_taken_back(walk: Walk) -> None:
    walk.do("Ctrl-p App settings")
    walk.dialog("App settings")
    walk.find("color senders", "Color senders by person")
    walk.terminal.press("enter")
    walk.see(r"Color senders by person +Off")
    assert configured(walk, "appearance", "sender_colors") is False
    walk.do("u")
    walk.see(r"Color senders by person +On")
    assert configured(walk, "appearance", "sender_colors") is not False
    walk.close("App settings", found="color senders")


@pytest.mark.task("Change a key, or use the keys of another program")
def test_a_command_gets_another_key_by_pressing_it(walk: Walk) -> None:
    walk.do("Ctrl-p App settings")
    walk.dialog("App settings")
    walk.find("keys of each", "Keys of each command")
    walk.terminal.press("enter")
    walk.dialog("Keys")
    walk.find("write.preview", "Preview message")
    walk.terminal.press("enter")
    walk.see(r"Press the new key\.")
    walk.terminal.press("alt+h")
    walk.see("Alt-h")
    walk.see("Free")
    walk.terminal.press("enter")
    walk.see(r"Preview message +Alt-h")
    assert configured(walk, "keys", "write.preview") in ("alt+h", ["alt+h"])
    walk.close("Keys", found="write.preview")
    walk.close("App settings", found="keys of each")
