"""Personal settings, defaults for new users, and settings of the organization, in lists under headings."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from narrowcast.screens.dialogs.ask import AskScreen
from narrowcast.screens.settings import screen as settings_screen
from narrowcast.screens.settings.screen import OTHER, SettingsScreen
from narrowcast.screens.settings.server_settings import OrganizationSettingsScreen
from narrowcast_api import permissions
from narrowcast_api.state.settings import Settings
from narrowcast_server.http.routing import Call, ResponseBody
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.routes import settings as settings_routes
from support.altered_servers import offering
from support.screens import answer, choose, fill, form_of, pick, question_of, rows, said, screen_rows
from support.screens import choices as offered_by
from support.sessions import until
from support.stage import Stage, on_stage, run


async def at(stage: Stage, action: str, name: str) -> None:
    """Opens a list of settings and selects one."""
    await run(stage, action)
    screen = stage.app.screen
    assert isinstance(screen, SettingsScreen)
    screen.refresh_rows(select=name)
    assert screen.selected is not None
    assert screen.selected.name == name


async def test_personal_settings_do_not_list_email_and_phone_settings(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await run(stage, "account.settings")
        shown = "\n".join(rows(stage)).lower()
        assert "wildcard" in shown or "@all" in shown
        assert "email:" not in shown
        assert "phone" not in shown
        assert "push notifications" not in shown


async def test_a_switch_is_turned_at_once_and_shows_it(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await at(stage, "account.settings", "send_read_receipts")
        await stage.press("enter")
        await until(lambda: stage.server.user("ada").settings.get("send_read_receipts") is False)
        await until(lambda: any("read messages Off" in row for row in rows(stage)))


async def test_a_filtered_list_keeps_its_rows_in_place_while_one_changes_them(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await run(stage, "account.settings")
        screen = stage.app.screen
        assert isinstance(screen, SettingsScreen)
        await stage.press("slash", *"notifications off", "down")
        shown = [row.key for row in screen.list.shown]
        assert len(shown) > 1
        setting = screen.selected
        assert setting is not None

        async def turned(value: bool) -> None:
            await stage.press("enter")
            await until(lambda: screen.values().get(setting.name) is value)
            await stage.pilot.pause()

        for value in (True, False):
            await turned(value)
            assert [row.key for row in screen.list.shown] == shown
            assert screen.selected is not None
            assert screen.selected.name == setting.name


async def test_enter_changes_the_first_match_which_is_shown_selected_and_one_key_takes_it_back(
    tmp_path: Path,
) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await run(stage, "account.settings")
        screen = stage.app.screen
        assert isinstance(screen, SettingsScreen)

        def is_on() -> bool:
            return screen.values().flag("send_read_receipts")

        await stage.press("slash", *"read messages")
        assert screen.selected is not None
        assert screen.selected.name == "send_read_receipts"
        assert [row for row in screen_rows(screen) if "▌" in row and "read messages" in row]
        assert "Enter changes" in said(stage)
        assert is_on()
        await stage.press("enter")
        await until(lambda: "read messages: Off. u takes it back" in said(stage))
        await until(lambda: not is_on())
        await stage.press("u")
        await until(lambda: "read messages: On" in said(stage))
        await until(is_on)


async def test_a_permission_is_taken_back(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await at(stage, "organization.settings", "can_add_custom_emoji_group")
        before = stage.server.organization.settings["can_add_custom_emoji_group"]
        await stage.press("enter")
        await choose(stage, "admins")
        await until(lambda: stage.server.organization.settings["can_add_custom_emoji_group"] != before)
        await until(lambda: "takes it back" in said(stage))
        await stage.press("u")
        await until(lambda: stage.server.organization.settings["can_add_custom_emoji_group"] == before)


async def test_a_choice_is_taken_from_its_list(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await at(stage, "account.settings", "demote_inactive_streams")
        await stage.press("enter")
        await choose(stage, "Never")
        await until(lambda: stage.server.user("ada").settings.get("demote_inactive_streams") == 3)


async def test_the_time_zone_is_found_by_a_part_of_its_name(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await at(stage, "account.settings", "timezone")
        await stage.press("enter")
        await stage.type("lisbon")
        await stage.press("enter")
        await until(lambda: stage.server.user("ada").timezone == "Europe/Lisbon")
        await until(lambda: any("Time zone" in row and "Europe/Lisbon" in row for row in rows(stage)))


async def test_without_a_time_zone_database_a_time_zone_is_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings_screen, "time_zones", tuple)
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await at(stage, "account.settings", "timezone")
        await stage.press("enter")
        await answer(stage, "Europe/Lisbon")
        await until(lambda: stage.server.user("ada").timezone == "Europe/Lisbon")


async def test_a_setting_that_nobody_here_heard_of_is_shown_and_changed(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        stage.session.state.settings.put("a_new_switch", False)
        await at(stage, "account.settings", "a_new_switch")
        assert any(OTHER in row for row in rows(stage))
        await stage.press("enter")
        await until(lambda: "Not supported" in said(stage))


async def test_a_limit_of_the_organization_is_written_in_words(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        for text, value in (("2 h", 7200), ("no limit", None)):
            await at(stage, "organization.settings", "message_content_edit_limit_seconds")
            await stage.press("enter")
            await answer(stage, text)
            await until(
                lambda value=value: (  # type: ignore[misc]
                    stage.server.organization.settings["message_content_edit_limit_seconds"] == value
                )
            )
            await stage.press("escape")


async def asked_again(stage: Stage, before: AskScreen, problem: str) -> AskScreen:
    """Waits until the question is asked again with the problem."""
    await until(lambda: stage.app.screen is not before)
    ask = await question_of(stage)
    assert problem in ask.key_line.said
    return ask


async def test_a_value_that_is_rejected_or_invalid_stays_in_the_field(tmp_path: Path) -> None:
    with offering("/settings", routes=settings_routes.routes, method="PATCH") as offered:
        offered.response = ServiceError("A fault", status=500)
        async with on_stage(tmp_path, size=(80, 24)) as stage:
            await at(stage, "account.settings", "default_language")
            settings = stage.app.screen
            assert isinstance(settings, SettingsScreen)
            await stage.press("enter")
            ask = await answer(stage, "de")
            ask = await asked_again(stage, ask, "Server error (HTTP 500)")
            assert ask.editor.text == "de"
            assert "Server error" not in settings.key_line.plain, "it is said once"
            assert offered.asked is not None
            assert offered.asked["default_language"] == "de"
            offered.response = None
            await stage.press("enter")
            await until(lambda: stage.session.state.settings.text("default_language") == "de")
            assert "Saved" in said(stage)
            await stage.press("escape")

            await at(stage, "organization.settings", "message_content_edit_limit_seconds")
            await stage.press("enter")
            ask = await answer(stage, "soon")
            assert "10 minutes" in ask.key_line.said
            assert (stage.app.screen, ask.editor.text) == (ask, "soon")
            await stage.press("escape", "escape")

            await at(stage, "organization.settings", "waiting_period_threshold")
            await stage.press("enter")
            for wrong in ("-5", "", "🥐", "3.5"):
                ask = await answer(stage, wrong)
                assert "a whole number, 0 or more" in ask.key_line.said
                assert (stage.app.screen, ask.editor.text) == (ask, wrong)


async def test_what_is_typed_replaces_the_value_of_a_setting_and_its_title_is_read_in_full(
    tmp_path: Path,
) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await at(stage, "organization.settings", "waiting_period_threshold")
        await stage.press("enter")
        await stage.type("12")
        ask = await question_of(stage)
        assert ask.editor.text == "12"
        rows = screen_rows(ask)
        assert any("become full members (days) " in row for row in rows)
        assert any("Enter saves  Esc cancels ─╯" in row for row in rows)
        await stage.press("enter", "escape")
        await at(stage, "organization.settings", "can_mention_many_users_group")
        await stage.press("enter")
        await until(lambda: bool(offered_by(stage)))
        assert any("with a wildcard mention" in row for row in screen_rows(stage.app.screen))
        await choose(stage, "Users and groups by name")
        form = await form_of(stage)
        await until(lambda: any("with a wildcard mention" in row for row in screen_rows(form)))
        assert any("Ctrl-d saves  Esc cancels" in row for row in screen_rows(form))


@contextmanager
def refused_late() -> Iterator[asyncio.Event]:
    """The server rejects changes of personal settings once the event is set."""
    go_on = asyncio.Event()

    async def refuse(_: Call) -> ResponseBody:
        await go_on.wait()
        raise ServiceError("A fault", status=500)

    with offering("/settings", routes=settings_routes.routes, method="PATCH") as offered:
        offered.own = refuse
        yield go_on


async def test_a_refusal_that_comes_below_another_dialog_asks_again_when_that_is_closed(
    tmp_path: Path,
) -> None:
    with refused_late() as go_on:
        async with on_stage(tmp_path, size=(80, 24)) as stage:
            await at(stage, "account.settings", "default_language")
            settings = stage.app.screen
            assert isinstance(settings, SettingsScreen)
            await stage.press("enter")
            (await question_of(stage)).editor.text = "de"
            await stage.press("enter", "f1")
            over = stage.app.screen
            assert over is not settings
            go_on.set()
            await until(lambda: "Server error (HTTP 500)" in settings.key_line.plain)
            assert stage.app.screen is over, "it takes no keys from it"
            await stage.press("escape")
            ask = await question_of(stage)
            assert ask.editor.text == "de"
            assert "Server error (HTTP 500)" in ask.key_line.said


async def test_if_the_list_was_closed_the_notice_has_the_typed_value(tmp_path: Path) -> None:
    with refused_late() as go_on:
        async with on_stage(tmp_path, size=(80, 24)) as stage:
            await at(stage, "account.settings", "default_language")
            await stage.press("enter")
            await answer(stage, "de")
            await stage.press("escape")
            assert stage.app.screen is stage.screen
            go_on.set()
            await stage.told("Server error (HTTP 500)")
            assert "You typed: de" in stage.notices[-1]


async def test_a_refusal_names_the_setting_and_not_its_parameter(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await at(stage, "organization.settings", "jitsi_server_url")
        await stage.press("enter")
        ask = await answer(stage, "no address")
        ask = await asked_again(stage, ask, "Jitsi server URL is not a URL")
        assert "jitsi_server_url" not in ask.key_line.said
        assert ask.editor.text == "no address"


async def test_an_emptied_address_for_calls_is_the_servers_own(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        for text, value in (("https://meet.example.org", "https://meet.example.org"), ("", None)):
            await at(stage, "organization.settings", "jitsi_server_url")
            await stage.press("enter")
            await answer(stage, text)
            await until(
                lambda value=value: stage.server.organization.settings["jitsi_server_url"] == value  # type: ignore[misc]
            )
            await stage.press("escape")


async def test_a_permission_of_the_organization_goes_to_another_group(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await at(stage, "organization.settings", "can_add_custom_emoji_group")
        await stage.press("enter")
        await choose(stage, "admins and moderators")
        moderators = stage.server.group("role:moderators")
        await until(lambda: stage.server.organization.settings["can_add_custom_emoji_group"] == moderators)
        await until(lambda: any("add custom emoji admins and moderators" in row for row in rows(stage)))


async def test_a_new_name_of_the_organization_stands_in_the_status_line_at_once(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(120, 30)) as stage:
        await at(stage, "organization.settings", "name")
        await stage.press("enter")
        await answer(stage, "Bakers")
        await until(lambda: "· Bakers" in stage.status_line)


async def test_the_organizations_description_and_a_channel_setting_can_be_set(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await at(stage, "organization.settings", "description")
        await stage.press("enter")
        await fill(stage, text="We bake\n\nand we *talk*")
        await until(lambda: "bake" in str(stage.server.organization.settings["description"]))
        await stage.press("escape")
        await at(stage, "organization.settings", "signup_announcements_stream_id")
        await stage.press("enter")
        await choose(stage, "#general")
        general = stage.server.channel("general")
        await until(lambda: stage.server.organization.settings["signup_announcements_stream_id"] == general)


async def test_what_newcomers_start_with_is_changed_by_administrators(tmp_path: Path) -> None:
    async with on_stage(tmp_path, person="bruno", size=(80, 24)) as stage:
        await at(stage, "organization.newcomers", "enter_sends")
        before = stage.session.state.newcomers.flag("enter_sends")
        await stage.press("enter")
        await until(lambda: stage.session.state.newcomers.flag("enter_sends") is not before)


async def test_a_default_is_applied_to_existing_users(tmp_path: Path) -> None:
    with offering("/settings", {}, routes=settings_routes.routes, method="PATCH") as change:
        async with on_stage(tmp_path, person="bruno", size=(80, 24)) as stage:
            stage.at_level(443)
            await at(stage, "organization.newcomers", "enter_sends")
            assert "existing users" not in said(stage)
            await stage.press("a")
            assert "needs 444" in said(stage)
            stage.at_level(444)
            for answered in ("Users who have not", "All users"):
                change.asked = None
                await stage.press("a")
                await choose(stage, answered)
                await choose(stage, "Apply")
                await until(lambda: "Applied to existing users" in said(stage))
                assert change.asked is not None
                target = json.loads(change.asked.pop("target_users"))
                assert target["skip_if_already_edited"] is (answered != "All users")
                users = stage.session.state.users
                assert set(target["user_ids"]) == {user.user_id for user in users if not user.is_bot}
                assert json.loads(change.asked["enter_sends"]) is stage.session.state.newcomers.flag(
                    "enter_sends"
                )
            await stage.press("escape")
            await at(stage, "organization.newcomers", "send_read_receipts")
            assert "existing users" in said(stage)
            await stage.press("a")
            assert "Only the users themselves" in said(stage)


async def test_settings_that_the_organizations_plan_lacks_are_marked(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        state = stage.session.state
        state.organization.put("plan_type", 2)
        await run(stage, "organization.settings")
        screen = stage.app.screen
        assert isinstance(screen, OrganizationSettingsScreen)
        details = {row.key: row.detail for row in screen.rows()}
        assert "available on Zulip Cloud Standard" in details["can_create_groups"]
        assert "available on Zulip Cloud Plus" in details["can_access_all_users_group"]
        assert "Zulip Cloud" not in details["name"]
        await stage.press("escape")
        await run(stage, "people.groups")
        await stage.press("n")
        assert "Available on Zulip Cloud Standard" in said(stage)
        state.organization.put("plan_type", 1)
        assert not permissions.plan_refusal(state)


async def test_reports_go_to_private_channels_only(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await run(stage, "organization.settings")
        await pick(stage, "moderation_request_channel_id")
        offered = {choice.text: choice.disabled for choice in offered_by(stage)}
        assert offered["None"] == offered["#leads"] == ""
        assert offered["#general"] == "private channels only"


async def test_what_only_owners_may_change_says_so_to_administrators(tmp_path: Path) -> None:
    async with on_stage(tmp_path, person="bruno", size=(80, 24)) as stage:
        await at(stage, "organization.settings", "invite_required")
        assert any("only organization owners" in row for row in rows(stage))
        await stage.press("enter")
        assert "Only organization owners can change this setting" in said(stage)


async def test_an_older_servers_policies_are_shown_until_permissions_replace_them(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        state = stage.session.state
        state.organization.put("invite_to_realm_policy", 4)
        await run(stage, "organization.settings")
        assert sum("Who can send email invitations" in row for row in rows(stage)) == 1
        await stage.press("escape")
        older = {
            name: value for name, value in state.organization.items() if name != "can_invite_users_group"
        }
        state.organization = Settings(older)
        await run(stage, "organization.settings")
        assert [
            row
            for row in rows(stage)
            if "Who can send email invitations to new users Admins and moderators" in row
        ]


async def test_a_welcome_message_is_saved_and_sent_to_its_author_as_a_test(tmp_path: Path) -> None:
    async def received() -> list[object]:
        return [message["content"] for message in await stage.server.newest("ada", 1000, **{"is": "dm"})]

    def saved() -> object:
        return stage.server.organization.settings["welcome_message_custom_text"]

    async with on_stage(tmp_path, size=(80, 24)) as stage:
        before = await received()
        await at(stage, "organization.settings", "welcome_message_custom_text")
        await stage.press("enter")
        await fill(stage, text="Please read the rules.")
        await until(lambda: "Saved" in said(stage))
        assert saved() == "Please read the rules."
        assert await received() == before
        await stage.press("enter")
        await fill(stage, text="Please say hello.", test=True)
        await until(lambda: "Saved" in said(stage))
        assert saved() == "Please say hello."
        assert await received() == [*before, "Please say hello."]
