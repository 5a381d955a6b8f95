"""What the navigation shows besides channels: their folders, and pinned views."""

from __future__ import annotations

from pathlib import Path

from narrowcast.panes.navigation.rows import Kind, NavigationRow
from narrowcast_api.narrow.narrow import Narrow
from support.sessions import until
from support.stage import Stage, on_stage


def rows(stage: Stage) -> list[NavigationRow]:
    return list(stage.screen.navigation.list.items)


def outline(stage: Stage) -> list[str]:
    """Sections and channels in order; sections end in a colon."""
    wanted = {Kind.SECTION: "{}:", Kind.CHANNEL: "{}"}
    return [wanted[row.kind].format(row.text) for row in rows(stage) if row.kind in wanted]


async def test_channels_stand_in_the_folders_of_the_organization(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        server = stage.server
        for name, channels in (("Work", ["engineering"]), ("Home", ["general"])):
            response = await server.call(
                "ada", "POST", "/channel_folders/create", {"name": name, "description": ""}
            )
            for channel in channels:
                path = f"/streams/{server.channel(channel)}"
                await server.call("ada", "PATCH", path, {"folder_id": response["channel_folder_id"]})
        await until(lambda: "Work:" in outline(stage) and "Home:" in outline(stage))
        lines = outline(stage)
        start = lines.index("Work:")
        assert lines[start : start + 5] == ["Work:", "engineering", "Home:", "general", "Other channels:"]
        order = {folder.name: folder.id for folder in stage.session.state.channels.folders}
        ordered = {"order": [order["Home"], order["Work"]]}
        await server.call("ada", "PATCH", "/channel_folders", ordered)
        await until(lambda: outline(stage).index("Home:") < outline(stage).index("Work:"))


async def test_channel_folders_can_be_turned_off(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        server = stage.server
        response = await server.call(
            "ada", "POST", "/channel_folders/create", {"name": "Work", "description": ""}
        )
        params = {"folder_id": response["channel_folder_id"]}
        await server.call("ada", "PATCH", f"/streams/{server.channel('engineering')}", params)
        await until(lambda: "Work:" in outline(stage))
        await server.call("ada", "PATCH", "/settings", {"web_left_sidebar_show_channel_folders": False})
        await until(lambda: "Work:" not in outline(stage))
        assert "Channels:" in outline(stage)


async def test_a_pinned_view_has_a_row_and_opens(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        views = [
            {"fragment": "narrow/is/alerted", "is_pinned": True, "name": "Alerts"},
            {"fragment": "narrow/is/unread", "is_pinned": False, "name": "Unread"},
            {"fragment": "narrow/is/starred", "is_pinned": True},
        ]
        for view in views:
            await stage.server.call("ada", "POST", "/navigation_views", view)
        await until(lambda: "Alerts" in [row.text for row in rows(stage)])
        texts = [row.text for row in rows(stage) if row.kind is Kind.VIEW]
        assert texts.count("Starred") == 1
        assert "Unread" not in texts
        row = next(row for row in rows(stage) if row.text == "Alerts")
        assert row.narrow == Narrow.search("is:alerted")
        stage.screen.navigation.list.select_key(row.key)
        stage.screen.navigation.list.action_navigation_open()
        await until(lambda: stage.screen.narrow == Narrow.search("is:alerted"))
        await stage.server.call("ada", "DELETE", "/navigation_views/narrow%2Fis%2Falerted")
        await until(lambda: "Alerts" not in [row.text for row in rows(stage)])
