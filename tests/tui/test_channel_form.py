"""Creating and changing a channel: what the form offers, rejects and results in."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from narrowcast.screens.channels.fields import PRIVACY
from narrowcast.screens.dialogs.form import FormScreen
from narrowcast.screens.dialogs.form_fields import OneOf, YesNo
from narrowcast.text import names
from narrowcast.widgets.one_line import OneLine
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_server.resources.channels import operations as channels
from support.screens import channel_row, fill, form_of, in_channel, members_of, screen_text
from support.sessions import until
from support.stage import on_stage, run


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
        await stage.closed()
        row = await channel_row(stage, "kitchen")
        assert (row["description"], row["invite_only"]) == ("What we eat", True)
        assert sorted(await members_of(stage, "kitchen")) == [
            stage.server.id("ada"),
            stage.server.id("bruno"),
        ]
        assert stage.screen.narrow == Narrow.channel(int(str(row["stream_id"])))
        await until(lambda: "#kitchen" in stage.screen.title_line.plain)


async def test_the_form_says_where_a_new_channel_is_announced(tmp_path: Path) -> None:
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


async def test_a_taken_name_is_reported_in_the_form(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await run(stage, "channel.new")
        await stage.type("general")
        await stage.press("ctrl+d")
        form = await form_of(stage)
        await until(lambda: "this name already exists" in form.shown_problems)
        assert form.row("name").typed == "general"


async def test_a_channel_is_described_and_made_private(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await in_channel(stage, "design")
        await run(stage, "channel.edit")
        await stage.press("tab")
        await stage.type("How it looks")
        await stage.press("tab", "right", "ctrl+d")
        await stage.closed()
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
        await stage.closed()


@pytest.mark.parametrize(("privacy", "announced"), [("public", [["kitchen"]]), ("private", [])])
async def test_a_new_channel_is_to_be_announced_unless_it_is_private(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, privacy: str, announced: list[list[str]]
) -> None:
    asked: list[list[str]] = []
    monkeypatch.setattr(
        channels,
        "announce",
        lambda organization, user, made: asked.append([channel.name for channel in made]),
    )
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        name, general = "new_stream_announcements_stream_id", stage.server.channel("general")
        await stage.server.call("ada", "PATCH", "/realm", {name: general})
        await until(lambda: stage.session.state.organization.get(name) == general)
        await run(stage, "channel.new")
        await fill(stage, name="kitchen", privacy=privacy)
        await stage.closed()
        assert asked == announced


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
        await stage.closed()
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


async def test_a_channel_is_made_with_a_policy_and_a_time_to_keep_messages(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await run(stage, "channel.new")
        await fill(stage, name="kitchen", topics="disable_empty_topic")
        await stage.closed()
        await in_channel(stage, "kitchen")
        await run(stage, "channel.edit")
        form = await form_of(stage)
        for wrong in ("abc", "-3", "0", "🥐"):
            await fill(stage, days=wrong)
            await until(lambda: form.row("days").has_problem)
            assert "Write a number of days, 1 or more; or: forever." in form.shown_problems
            assert form.row("days").typed == wrong
        await fill(stage, days="forever", topics="inherit")
        await stage.closed()
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
        drawn = [" ".join(line.plain.split()) for line in form.query(OneLine)]
        assert "Topics Organization default not supported by this server" in drawn
        await stage.press("escape")
        for command, level in (("channel.folders", 389), ("own.views", 390), ("go.reminders", 399)):
            await run(stage, command)
            assert f"needs {level}" in stage.notices[-1]
            assert stage.app.screen is stage.screen
        await stage.in_topic()
        await run(stage, "message.remind")
        assert "needs 415" in (await form_of(stage)).row("note").field.needs
        await fill(stage, when="+2h")
        await stage.closed()


async def test_a_private_channel_is_no_default_channel(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await run(stage, "channel.new")
        await fill(stage, name="kitchen", privacy="private", default=True)
        assert "private channel cannot be" in (await form_of(stage)).shown_problems
        await fill(stage, privacy="public")
        await stage.closed()
        await until(lambda: stage.screen.narrow == Narrow.channel(stage.server.channel("kitchen")))
        await run(stage, "channel.edit")
        await fill(stage, privacy="protected")
        assert "private channel cannot be" in (await form_of(stage)).shown_problems


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


async def test_a_choice_that_does_not_fit_is_read_in_full_below_the_fields(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await run(stage, "channel.new")
        form = await form_of(stage)
        await stage.press("tab", "tab")
        for chosen in ("private", "protected"):
            await stage.press("right")
            assert f" {dict(PRIVACY)[chosen]} " in screen_text(form)
        await stage.press("left", "left")
        assert "│ ← → or Space to change" in screen_text(form)
