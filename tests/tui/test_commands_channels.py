"""Commands on channels: what the server holds after them."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from narrowcast.screens.channels.browse import ChannelsScreen
from narrowcast.screens.channels.folders import FoldersScreen
from narrowcast.screens.channels.members import MembersScreen
from narrowcast.screens.dialogs.form import FormScreen
from narrowcast.screens.dialogs.form_fields import OneOf, YesNo
from narrowcast.screens.dialogs.picker import Picker
from narrowcast.text import names
from narrowcast.widgets.one_line import OneLine
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_server.routes import subscriptions
from support.screen_text import screen_text
from support.screens import choose, fill, form_of, pick, rows, said
from support.server import Answer
from support.sessions import until
from support.stage import Stage, on_stage, run


async def channel_row(stage: Stage, name: str) -> Answer:
    answer = await stage.server.call(
        "ada", "GET", "/streams", {"include_all": True, "exclude_archived": False}
    )
    return next(row for row in answer["streams"] if row["name"] == name)


async def members_of(stage: Stage, name: str) -> list[int]:
    path = f"/streams/{stage.server.channel(name)}/members"
    members: list[int] = (await stage.server.call("ada", "GET", path))["subscribers"]
    return members


async def closed(stage: Stage) -> None:
    await until(lambda: stage.app.screen is stage.screen)


async def in_channel(stage: Stage, name: str) -> None:
    await stage.go(Narrow.channel(stage.server.channel(name)))


async def test_a_channel_is_made_with_people_in_it(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await run(stage, "channel.new")
        await stage.type("kitchen")
        await stage.press("tab")
        await stage.type("What we eat")
        await stage.press("tab", "right")
        screen = await form_of(stage)
        screen.row("people").control.focus()
        await stage.type("Bruno Castell")
        await stage.press("ctrl+d")
        await closed(stage)
        row = await channel_row(stage, "kitchen")
        assert (row["description"], row["invite_only"]) == ("What we eat", True)
        assert sorted(await members_of(stage, "kitchen")) == [
            stage.server.id("ada"),
            stage.server.id("bruno"),
        ]
        assert stage.screen.narrow == Narrow.channel(int(str(row["stream_id"])))
        await until(lambda: "#kitchen" in stage.screen.title_line.plain)


async def test_where_a_new_channel_is_announced_is_said(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        params = {"new_stream_announcements_stream_id": -1}
        await stage.server.call("ada", "PATCH", "/realm", params)
        organization = stage.session.state.organization
        await until(lambda: organization.get("new_stream_announcements_stream_id") == -1)
        await run(stage, "channel.new")
        field = (await form_of(stage)).row("announce").field
        assert isinstance(field, YesNo)
        assert (field.needs, field.value) == ("no channel for announcements", False)
        await stage.press("escape")
        params = {"new_stream_announcements_stream_id": stage.server.channel("general")}
        await stage.server.call("ada", "PATCH", "/realm", params)
        await until(lambda: organization.get("new_stream_announcements_stream_id") != -1)
        await run(stage, "channel.new")
        field = (await form_of(stage)).row("announce").field
        assert isinstance(field, YesNo)
        assert (field.needs, field.hint, field.value) == ("", "In #general; public channels only", True)


async def test_a_name_that_is_taken_is_said_in_the_form(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await run(stage, "channel.new")
        await stage.type("general")
        await stage.press("ctrl+d")
        form = await form_of(stage)
        await until(lambda: "this name already exists" in form.told)
        assert form.row("name").typed == "general"


async def test_a_channel_is_described_and_made_private(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await in_channel(stage, "design")
        await run(stage, "channel.edit")
        await stage.press("tab")
        await stage.type("How it looks")
        await stage.press("tab", "right", "ctrl+d")
        await closed(stage)
        row = await channel_row(stage, "design")
        assert (row["description"], row["invite_only"]) == ("How it looks", True)


async def test_who_may_not_change_a_channel_sees_who_may(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24), person="dario") as stage:
        await in_channel(stage, "general")
        await run(stage, "channel.edit")
        assert not any(row.is_enabled for row in (await form_of(stage)).rows)
        shown = screen_text(stage.app.screen)
        assert "only" in shown
        await stage.press("tab", "ctrl+d")
        await closed(stage)


@pytest.mark.parametrize(("privacy", "announced"), [("public", [["kitchen"]]), ("private", [])])
async def test_a_new_channel_is_to_be_announced_unless_it_is_private(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, privacy: str, announced: list[list[str]]
) -> None:
    asked: list[list[str]] = []
    monkeypatch.setattr(
        subscriptions, "announce", lambda core, user, made: asked.append([channel.name for channel in made])
    )
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        name, general = "new_stream_announcements_stream_id", stage.server.channel("general")
        await stage.server.call("ada", "PATCH", "/realm", {name: general})
        await until(lambda: stage.session.state.organization.get(name) == general)
        await run(stage, "channel.new")
        await fill(stage, name="kitchen", privacy=privacy)
        await closed(stage)
        assert asked == announced


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


async def test_who_may_delete_in_a_channel_is_chosen_by_whom_the_organization_lets(tmp_path: Path) -> None:
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


async def test_how_one_sees_a_channel_is_ones_own(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await in_channel(stage, "general")
        await run(stage, "channel.own")
        await stage.press("space", "tab", "y", "tab", "ctrl+u")
        await stage.type("#00ff7f")
        await stage.press("tab", "right", "ctrl+d")
        await closed(stage)
        answer = await stage.server.call("ada", "GET", "/users/me/subscriptions")
        (row,) = (row for row in answer["subscriptions"] if row["name"] == "general")
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
        await until(lambda: "Unsubscribed from #attic" in browser.key_line.plain)
        assert ada not in await members_of(stage, "attic")
        await until(lambda: (channel := browser.selected) is not None and not channel.is_subscribed)
        browser.list.select_key(attic)
        await stage.press("x", "down", "enter")
        await until(lambda: (channel := browser.selected) is not None and channel.is_archived)
        assert (await channel_row(stage, "attic"))["is_archived"]
        await stage.press("u")
        assert "needs 388" in browser.key_line.plain


async def test_members_are_added_and_taken_out(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await in_channel(stage, "engineering")
        await run(stage, "channel.members")
        screen = stage.app.screen
        assert isinstance(screen, MembersScreen)
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


async def test_a_name_with_a_comma_in_it_is_one_name_of_a_list(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        bruno, dario = stage.server.id("bruno"), stage.server.id("dario")
        await stage.server.call("ada", "PATCH", f"/users/{bruno}", {"full_name": "Castell, Bruno, the elder"})
        await until(lambda: "," in stage.session.state.users.name(bruno))
        await run(stage, "channel.new")
        form = await form_of(stage)
        form.row("people").control.focus()
        await stage.type("caste")
        await stage.press("tab")
        assert form.row("people").typed == f"Castell Bruno the elder|{bruno}, "
        await fill(stage, name="kitchen")
        await closed(stage)
        assert sorted(await members_of(stage, "kitchen")) == sorted([stage.server.id("ada"), bruno])
        name = stage.session.state.users.name(dario)
        found = list(names.listed(f"{name}, Castell, Bruno, the elder,", stage.session.state.user_id))
        assert found == [(name, dario), ("Castell, Bruno, the elder", bruno)]
        found = list(names.listed(f"{name}, Castell Bruno|{bruno},", stage.session.state.user_id))
        assert found == [(name, dario), (f"Castell Bruno|{bruno}", bruno)]
        assert list(names.listed("Nobody, here", stage.session.state.user_id)) == [
            ("Nobody", None),
            ("here", None),
        ]


async def test_folders_are_made_ordered_and_archived(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await run(stage, "channel.folders")
        screen = stage.app.screen
        assert isinstance(screen, FoldersScreen)
        for name in ("Work", "Play"):
            await stage.press("n")
            await stage.type(name)
            await stage.press("ctrl+d")
            await until(lambda: stage.app.screen is screen)
        await until(lambda: [row.text for row in screen.list.items] == ["Work", "Play"])
        await stage.press("plus")
        await until(lambda: [row.text for row in screen.list.items] == ["Play", "Work"])
        await stage.press("x", "down", "enter")
        await until(lambda: screen.list.items[-1].detail == "archived")
        answer = await stage.server.call("ada", "GET", "/channel_folders")
        assert [folder["name"] for folder in answer["channel_folders"]] == ["Play"]


async def test_leaving_a_private_channel_asks_first(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await in_channel(stage, "leads")
        await run(stage, "channel.subscribe")
        await stage.press("down", "enter")
        await stage.told("Unsubscribed from")
        channel = stage.session.state.channels.get(stage.server.channel("leads"))
        assert channel is None or not channel.is_subscribed


async def test_a_notice_as_in_ones_settings_takes_their_value(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await in_channel(stage, "general")
        channel_id = stage.server.channel("general")
        for value in (True, None):
            await run(stage, "channel.own")
            await fill(stage, audible_notifications=value)
            await closed(stage)
        answer = await stage.server.call("ada", "GET", "/users/me/subscriptions")
        own = next(row for row in answer["subscriptions"] if row["stream_id"] == channel_id)
        assert own["audible_notifications"] is stage.session.state.settings.flag(
            "enable_stream_audible_notifications"
        )


async def test_a_channel_is_made_with_a_policy_and_a_time_to_keep_messages(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await run(stage, "channel.new")
        await fill(stage, name="kitchen", topics="disable_empty_topic")
        await closed(stage)
        await in_channel(stage, "kitchen")
        await run(stage, "channel.edit")
        await fill(stage, days="unlimited", topics="inherit")
        await closed(stage)
        row = await channel_row(stage, "kitchen")
        assert (row["topics_policy"], row["message_retention_days"]) == ("inherit", -1)


async def test_a_server_of_level_387_is_asked_for_nothing_that_came_later(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        state = stage.session.state
        state.server = replace(state.server, level=387, shown=frozenset())
        await run(stage, "channel.new")
        form = await form_of(stage)
        assert "needs 389" in form.row("folder").field.needs
        assert "needs 392" in form.row("topics").field.needs
        drawn = [line.plain.rstrip() for line in form.query(OneLine)]
        assert " Organization default Not supported by this server" in drawn
        await stage.press("escape")
        for command, level in (("channel.folders", 389), ("own.views", 390), ("go.reminders", 399)):
            await run(stage, command)
            assert f"needs {level}" in stage.notices[-1]
            assert stage.app.screen is stage.screen
        await stage.in_topic()
        await run(stage, "message.remind")
        assert "needs 415" in (await form_of(stage)).row("note").field.needs
        await fill(stage, when="+2h")
        await closed(stage)


async def test_a_private_channel_is_no_default_channel(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await run(stage, "channel.new")
        await fill(stage, name="kitchen", privacy="private", default=True)
        assert "private channel cannot be" in (await form_of(stage)).told
        await fill(stage, privacy="public")
        await closed(stage)
        await until(lambda: stage.screen.narrow == Narrow.channel(stage.server.channel("kitchen")))
        await run(stage, "channel.edit")
        await fill(stage, privacy="protected")
        assert "private channel cannot be" in (await form_of(stage)).told


async def test_groups_of_channels_for_newcomers_are_made_changed_and_removed(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await run(stage, "channel.default-groups")
        await stage.press("n")
        await fill(stage, name="Builders", description="For who builds", channels="engineering\n#nosuch")
        form = await form_of(stage)
        await until(lambda: form.row("channels").has_problem)
        await fill(stage, channels="engineering\n#design")
        await until(lambda: any("Builders" in row for row in rows(stage)))
        assert "engineering, design" in rows(stage)[0]
        await stage.press("enter")
        await fill(stage, name="Makers", channels="design\nsupport")
        await until(lambda: any("design, support" in row and "Makers" in row for row in rows(stage)))
        (group,) = stage.session.state.default_channel_groups
        wanted = [stage.server.channel("design"), stage.server.channel("support")]
        assert sorted(group.channel_ids) == sorted(wanted)
        await stage.press("x")
        await choose(stage, "Delete channel group")
        await until(lambda: stage.session.state.default_channel_groups == ())


async def test_kinds_of_channels_that_one_may_not_make_are_not_offered(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        organization = stage.session.state.organization
        await stage.server.call("ada", "PATCH", "/realm", {"enable_spectator_access": True})
        await until(lambda: organization.flag("enable_spectator_access"))
        await run(stage, "channel.new")
        assert kinds(await form_of(stage)) == ["public", "private", "protected", "web"]
        await stage.press("escape")
        await stage.server.call("ada", "PATCH", "/realm", {"enable_spectator_access": False})
        await until(lambda: not organization.flag("enable_spectator_access"))
        await run(stage, "channel.new")
        assert kinds(await form_of(stage)) == ["public", "private", "protected"]


def kinds(form: FormScreen) -> list[object]:
    field = form.row("privacy").field
    assert isinstance(field, OneOf)
    return [kind for kind, _ in field.options]


async def test_what_an_archived_channel_refuses_is_said_before(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        channel_id = stage.server.channel("engineering")
        await stage.in_topic("engineering", "t", "words")
        await stage.server.call("ada", "DELETE", f"/streams/{channel_id}")
        channels = stage.session.state.channels
        await until(lambda: (channel := channels.get(channel_id)) is not None and channel.is_archived)
        await run(stage, "message.delete")
        await stage.told("#engineering is archived: its messages stay as they are.")
        await run(stage, "channel.mute")
        await stage.told("its personal settings stay as they are.")
        await run(stage, "channel.members")
        await stage.told("its subscribers stay as they are.")
        await run(stage, "topic.delete")
        await stage.told("its topics stay as they are.")
        for command in ("message.thumbs-up", "message.react", "channel.pin", "channel.own"):
            await run(stage, command)
            assert stage.app.screen is stage.screen, command
        await run(stage, "topic.mute")


async def test_who_may_not_archive_a_channel_is_not_asked_whether_to(tmp_path: Path) -> None:
    async with on_stage(tmp_path, person="elif", size=(80, 24)) as stage:
        await in_channel(stage, "general")
        await run(stage, "channel.archive")
        await stage.told("can archive this channel")
        assert stage.app.screen is stage.screen
        await run(stage, "channel.browse")
        await stage.press("x")
        await until(lambda: "can archive this channel" in said(stage))
