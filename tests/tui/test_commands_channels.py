"""Commands on channels, subscribers, permissions, folders, checked by what the server stores afterwards."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from textual.widgets import Static

from narrowcast.screens.channels.browse import ChannelsScreen
from narrowcast.screens.channels.folders import FoldersScreen
from narrowcast.screens.channels.members import ChannelMembersScreen
from narrowcast.screens.dialogs.confirm import ConfirmScreen
from narrowcast.screens.dialogs.picker import Picker
from narrowcast_server.http.routing import Routes
from narrowcast_server.resources.channels import operations
from support.altered_servers import translating
from support.screens import (
    archive,
    channel_row,
    choose,
    confirm,
    fill,
    form_of,
    in_channel,
    members_of,
    pick,
    rows,
    said,
    screen_rows,
)
from support.sessions import until
from support.stage import on_stage, run


async def test_a_permission_of_a_channel_is_given_to_a_role_or_to_people_by_name(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await in_channel(stage, "general")
        await run(stage, "channel.permissions")
        moderators = stage.server.group("role:moderators")
        await pick(stage, "can_send_message_group")
        await choose(stage, "admins and moderators")
        await until(lambda: any("Who can post messages admins and moderators" in row for row in rows(stage)))
        assert (await channel_row(stage, "general"))["can_send_message_group"] == moderators
        await pick(stage, "can_send_message_group")
        await choose(stage, "Users and groups by name")
        await fill(stage, people="Dario Vance", groups="admins and moderators")
        await until(
            lambda: any("post messages admins and moderators, Dario Vance" in row for row in rows(stage))
        )
        assert (await channel_row(stage, "general"))["can_send_message_group"] == {
            "direct_members": [stage.server.id("dario")],
            "direct_subgroups": [moderators],
        }


@pytest.mark.parametrize("translated", [(), (operations.routes,)], ids=["", "the server translates"])
async def test_a_permission_that_somebody_else_has_changed_is_replaced_only_after_asking(
    tmp_path: Path, translated: tuple[Routes, ...]
) -> None:
    async with AsyncExitStack() as entered:
        entered.enter_context(translating(*translated))
        stage = await entered.enter_async_context(on_stage(tmp_path, size=(80, 24)))
        await in_channel(stage, "general")
        channel, setting = stage.server.channel("general"), "can_send_message_group"
        moderators, members = stage.server.group("role:moderators"), stage.server.group("role:members")

        async def changed_by_bruno(holder: int) -> None:
            await stage.server.call("bruno", "PATCH", f"/streams/{channel}", {setting: {"new": holder}})
            await until(lambda: stage.session.state.channels.get(channel).permissions[setting] == holder)  # type: ignore[union-attr]

        await run(stage, "channel.permissions")
        await pick(stage, setting)
        await changed_by_bruno(members)
        await choose(stage, "admins and moderators")
        await until(lambda: isinstance(stage.app.screen, ConfirmScreen))
        question = stage.app.screen
        assert isinstance(question, ConfirmScreen)
        box = question.frame.region
        shown = " ".join(row[box.x + 1 : box.right - 1].strip() for row in screen_rows(question))
        assert "somebody else has changed this" in shown
        assert (await channel_row(stage, "general"))[setting] == members, (
            "nothing is changed before the answer"
        )
        await confirm(stage)
        await until(lambda: any("Who can post messages admins and moderators" in row for row in rows(stage)))
        await pick(stage, setting)
        await choose(stage, "Users and groups by name")
        await changed_by_bruno(members)
        form = await form_of(stage)
        form.row("people").control.focus()
        await stage.type("Dario Vance")
        await stage.press("ctrl+d")
        await until(lambda: "Save again to replace it." in form.shown_problems)
        await stage.press("ctrl+d")
        await until(lambda: any("moderators, Dario Vance" in row for row in rows(stage)))
        assert (await channel_row(stage, "general"))[setting] == {
            "direct_members": [stage.server.id("dario")],
            "direct_subgroups": [moderators],
        }


async def test_a_picker_of_holders_offers_what_the_server_supports(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await in_channel(stage, "general")
        await run(stage, "channel.permissions")
        offered = {}
        for setting in ("can_send_message_group", "can_administer_channel_group"):
            await pick(stage, setting)
            picker = stage.app.screen
            assert isinstance(picker, Picker)
            offered[setting] = {choice.text for choice in picker.list.items}
            await stage.press("escape")
        everyone = "everyone including guests"
        assert everyone in offered["can_send_message_group"]
        assert everyone not in offered["can_administer_channel_group"]
        assert "Users and groups by name…" in offered["can_administer_channel_group"]


async def test_only_users_with_permission_choose_who_may_delete_in_a_channel(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24), person="bruno") as stage:
        owners = {"can_set_delete_message_policy_group": {"new": stage.server.group("role:owners")}}
        await stage.server.call("ada", "PATCH", "/realm", owners)
        await until(lambda: not stage.session.state.has_permission("can_set_delete_message_policy_group"))
        await in_channel(stage, "general")
        await run(stage, "channel.permissions")
        await pick(stage, "can_delete_any_message_group")
        assert "Who can delete any message: only owners." in said(stage)
        assert not isinstance(stage.app.screen, Picker)


async def test_who_may_not_change_a_channel_sees_its_permissions(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24), person="dario") as stage:
        await in_channel(stage, "general")
        await run(stage, "channel.permissions")
        await pick(stage, "can_send_message_group")
        assert "can change this channel" in said(stage)
        assert any("Who can post messages everyone" in row for row in rows(stage))


async def test_personal_settings_of_a_channel_are_stored_on_the_server(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await in_channel(stage, "general")
        await run(stage, "channel.own")
        await stage.press("space", "tab", "y", "tab", "ctrl+u")
        await stage.type("#00ff7f")
        await stage.press("tab", "right", "ctrl+d")
        await stage.closed()
        response = await stage.server.call("ada", "GET", "/users/me/subscriptions")
        (row,) = (row for row in response["subscriptions"] if row["name"] == "general")
        assert (row["is_muted"], row["pin_to_top"], row["color"]) == (True, True, "#00ff7f")
        assert row["desktop_notifications"] is True


async def test_the_list_of_channels_joins_leaves_and_archives(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await stage.server.call(
            "bruno",
            "POST",
            "/users/me/subscriptions",
            {
                "subscriptions": [
                    {"name": "attic", "description": "**Old** things, [listed](https://x.example)"}
                ]
            },
        )
        ada, attic = stage.server.id("ada"), stage.server.channel("attic")
        await until(lambda: stage.session.state.channels.id_of("attic") is not None)
        await stage.press("C")
        browser = stage.app.screen
        assert isinstance(browser, ChannelsScreen)
        browser.list.select_key(attic)
        assert browser.list.selected_item is not None
        assert browser.list.selected_item.note == "Old things, listed", "as it reads, not as it was typed"
        await stage.press("s")
        await until(lambda: "Subscribed to #attic" in browser.key_line.plain)
        assert ada in await members_of(stage, "attic")
        await until(lambda: (channel := browser.selected) is not None and channel.is_subscribed)
        browser.list.select_key(attic)
        await stage.press("s")
        await until(lambda: "no longer subscribed to #attic" in browser.key_line.plain)
        assert ada not in await members_of(stage, "attic")
        await until(lambda: (channel := browser.selected) is not None and not channel.is_subscribed)
        browser.list.select_key(attic)
        await stage.press("x", "down", "enter")
        await until(lambda: (channel := browser.selected) is not None and channel.is_archived)
        assert (await channel_row(stage, "attic"))["is_archived"]
        stage.at_level(387)
        await stage.press("u")
        assert "needs 388" in browser.key_line.plain


async def test_members_are_added_and_taken_out(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await in_channel(stage, "engineering")
        await run(stage, "channel.members")
        screen = stage.app.screen
        assert isinstance(screen, ChannelMembersScreen)
        await until(lambda: len(screen.list.items) > 0)
        greta = stage.server.id("greta")
        await stage.press("n")
        await stage.type("Greta Lindqvist")
        await stage.press("enter")
        await until(lambda: greta in [row.key for row in screen.list.items])
        assert greta in await members_of(stage, "engineering")
        screen.list.select_key(greta)
        await stage.press("x", "down", "enter")
        await until(lambda: greta not in [row.key for row in screen.list.items])
        assert greta not in await members_of(stage, "engineering")


async def test_subscribers_are_those_of_the_last_request_whichever_response_comes_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await in_channel(stage, "engineering")
        request, leaves = stage.session.client.subscriptions.members, list[asyncio.Event]()

        async def held(*, channel_id: int) -> list[int]:
            leaves.append(leave := asyncio.Event())
            subscribers = await request(channel_id=channel_id)
            await leave.wait()
            return subscribers

        monkeypatch.setattr(stage.session.client.subscriptions, "members", held)
        await run(stage, "channel.members")
        screen = stage.app.screen
        assert isinstance(screen, ChannelMembersScreen)
        await until(lambda: leaves)
        engineering, greta = stage.server.channel("engineering"), stage.server.id("greta")
        channel = stage.session.state.channels.get(engineering)
        assert channel is not None
        wanted = {"subscriptions": [{"name": "engineering"}], "principals": [greta]}
        await stage.server.call("ada", "POST", "/users/me/subscriptions", wanted)
        await until(lambda: stage.session.state.channels.get(engineering) != channel)
        await stage.pilot.pause()
        while any(not leave.is_set() for leave in leaves):
            next(leave for leave in reversed(leaves) if not leave.is_set()).set()
            await stage.pilot.pause()
        await until(lambda: len(screen.list.items) > 0)
        assert greta in [row.key for row in screen.list.items]


async def test_after_a_renaming_subscribers_are_added_to_the_same_channel(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await in_channel(stage, "engineering")
        engineering, greta = stage.server.channel("engineering"), stage.server.id("greta")
        await run(stage, "channel.members")
        screen = stage.app.screen
        assert isinstance(screen, ChannelMembersScreen)
        await until(lambda: len(screen.list.items) > 0)
        await stage.server.call("ada", "PATCH", f"/streams/{engineering}", {"new_name": "building"})
        await until(lambda: screen.title_text() == "Subscribers of #building")
        await stage.press("n")
        await stage.type("Greta Lindqvist")
        await stage.press("enter")
        await until(lambda: greta in [row.key for row in screen.list.items])
        assert [channel.name for channel in stage.session.state.channels if "ing" in channel.name] == [
            "building"
        ]


async def test_a_channel_renamed_during_the_question_is_unsubscribed_from(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await in_channel(stage, "engineering")
        engineering = stage.server.channel("engineering")
        await run(stage, "channel.subscribe")
        assert isinstance(stage.app.screen, ConfirmScreen)
        await stage.server.call("ada", "PATCH", f"/streams/{engineering}", {"new_name": "building"})
        channels = stage.session.state.channels
        await until(lambda: channels.last_name(engineering) == "building")
        await choose(stage, "Unsubscribe")
        await until(lambda: (channel := channels.get(engineering)) is not None and not channel.is_subscribed)


async def test_folders_are_made_ordered_and_archived(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await run(stage, "channel.folders")
        screen = stage.app.screen
        assert isinstance(screen, FoldersScreen)

        def selected() -> str:
            row = screen.list.selected_item
            return row.text if row is not None else ""

        await stage.press("n", *"Work", "ctrl+d")
        await until(lambda: selected() == "Work")
        await stage.press("n", *"Play", "ctrl+d")
        await until(lambda: selected() == "Play")
        assert [row.text for row in screen.list.items] == ["Work", "Play"]
        await stage.press("minus")
        await until(lambda: [row.text for row in screen.list.items] == ["Play", "Work"])
        await stage.press("down", "x", "down", "enter")
        await until(lambda: screen.list.items[-1].detail == "archived")
        response = await stage.server.call("ada", "GET", "/channel_folders")
        assert [folder["name"] for folder in response["channel_folders"]] == ["Play"]


async def test_leaving_a_private_channel_asks_first_in_the_list_of_channels_too(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await in_channel(stage, "leads")
        await stage.press("C", "s")
        assert isinstance(stage.app.screen, ConfirmScreen)
        question = str(stage.app.screen.query_one("#effect", Static).render())
        await stage.press("n", "escape")
        await run(stage, "channel.subscribe")
        assert str(stage.app.screen.query_one("#effect", Static).render()) == question
        assert "You cannot rejoin a private channel by yourself" in question
        await stage.press("down", "enter")
        await stage.told("no longer subscribed to #leads")
        channel = stage.session.state.channels.get(stage.server.channel("leads"))
        assert channel is None or not channel.is_subscribed


async def test_a_channels_notification_setting_can_follow_the_users_default(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await in_channel(stage, "general")
        channel_id = stage.server.channel("general")
        for value in (True, None):
            await run(stage, "channel.own")
            await fill(stage, audible_notifications=value)
            await stage.closed()
        response = await stage.server.call("ada", "GET", "/users/me/subscriptions")
        own = next(row for row in response["subscriptions"] if row["stream_id"] == channel_id)
        assert own["audible_notifications"] is stage.session.state.settings.flag(
            "enable_stream_audible_notifications"
        )


async def test_groups_of_channels_for_newcomers_are_made_changed_and_removed(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await run(stage, "channel.default-groups")
        await stage.press("n")
        await fill(stage, name="Builders", description="For who builds", channels="engineering, #nosuch")
        form = await form_of(stage)
        await until(lambda: form.row("channels").has_problem)
        await fill(stage, channels="engineering, #design")
        await until(lambda: any("Builders" in row for row in rows(stage)))
        assert "engineering, design" in rows(stage)[0]
        await stage.press("enter")
        await fill(stage, name="Makers", channels="design, support")
        await until(lambda: any("design, support" in row and "Makers" in row for row in rows(stage)))
        (group,) = stage.session.state.default_channel_groups
        wanted = [stage.server.channel("design"), stage.server.channel("support")]
        assert sorted(group.channel_ids) == sorted(wanted)
        await stage.press("x")
        await choose(stage, "Delete channel group")
        await until(lambda: not stage.session.state.default_channel_groups.all())


async def test_the_app_says_in_advance_what_an_archived_channel_refuses(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        where = await stage.in_topic("engineering", "t", "words")
        await archive(stage, where.channel_id)
        for command, what in (
            ("message.delete", "messages"),
            ("message.thumbs-up", "messages"),
            ("message.react", "messages"),
            ("channel.mute", "personal settings"),
            ("channel.pin", "personal settings"),
            ("channel.own", "personal settings"),
            ("channel.members", "subscribers"),
            ("topic.delete", "topics"),
            ("topic.mute", "topics"),
        ):
            stage.app.clear_notifications()
            await run(stage, command)
            await stage.told(f"#engineering is archived: its {what} stay as they are.")
            assert stage.app.screen is stage.screen, command


async def test_who_may_not_archive_a_channel_is_not_asked_whether_to(tmp_path: Path) -> None:
    async with on_stage(tmp_path, person="elif", size=(80, 24)) as stage:
        await in_channel(stage, "general")
        await run(stage, "channel.archive")
        await stage.told("can archive this channel")
        assert stage.app.screen is stage.screen
        await run(stage, "channel.browse")
        await stage.press("x")
        await until(lambda: "can archive this channel" in said(stage))
