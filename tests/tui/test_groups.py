"""User groups in the app, checked by what the server stores after each act."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from narrowcast.panes.messages.row_values import StateNames
from narrowcast.screens.groups.groups import GroupsScreen
from narrowcast.screens.groups.members import GroupMembersScreen
from narrowcast.screens.groups.permissions import GroupPermissionsScreen
from support.screens import choose, fill, form_of, rows, said
from support.sessions import until
from support.stage import Stage, on_stage, run


async def groups(stage: Stage) -> dict[str, dict[str, object]]:
    response = await stage.server.call("ada", "GET", "/user_groups", {"include_deactivated_groups": True})
    return {group["name"]: group for group in response["user_groups"]}


async def a_group(stage: Stage, name: str = "bakers", members: tuple[str, ...] = ("ada",)) -> int:
    """Creates a group on the server, waits until the app has it, and selects it in the list of groups."""
    ids = [stage.server.id(member) for member in members]
    params = {"name": name, "description": "They bake", "members": ids}
    made = await stage.server.call("ada", "POST", "/user_groups/create", params)
    group_id = int(made["group_id"])
    await until(lambda: stage.session.state.user_groups.get(group_id) is not None)
    await run(stage, "people.groups")
    screen = stage.app.screen
    assert isinstance(screen, GroupsScreen)
    screen.refresh_rows(select=group_id)
    return group_id


async def test_a_group_is_made_and_renamed(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await run(stage, "people.groups")
        await stage.press("n")
        await fill(stage, name="bakers", description="They bake", members="Ada Moreno, Dario Vance")
        await until(lambda: any("@bakers" in row for row in rows(stage)))
        made = (await groups(stage))["bakers"]
        assert made["members"] == [stage.server.id("ada"), stage.server.id("dario")]
        await stage.press("e")
        await fill(stage, name="pastry")
        await until(lambda: any("@pastry" in row for row in rows(stage)))
        assert (await groups(stage))["pastry"]["description"] == "They bake"


async def test_people_come_into_a_group_and_leave_it(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        group_id = await a_group(stage)
        await stage.press("enter")
        assert isinstance(stage.app.screen, GroupMembersScreen)
        await stage.press("n")
        await fill(stage, people="Dario Vance, Bruno Castell")
        await until(lambda: len(rows(stage)) == 3)
        members = (await groups(stage))["bakers"]["members"]
        assert stage.server.id("dario") in members  # type: ignore[operator]
        await stage.press("n")
        await fill(stage, people="Dario Vance")
        form = await form_of(stage)
        await until(lambda: "Already in the group." in form.shown_problems)
        await fill(stage, people="Dario Vance, Greta Lindqvist")
        await until(lambda: len(rows(stage)) == 4)
        screen = stage.app.screen
        assert isinstance(screen, GroupMembersScreen)
        screen.refresh_rows(select=("user", stage.server.id("dario")))
        await stage.press("x")
        await choose(stage, "Remove")
        held = stage.session.state.user_groups
        await until(lambda: stage.server.id("dario") not in held.get(group_id).members)  # type: ignore[union-attr]


async def test_a_group_holds_another_one(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        params = {"name": "cooks", "description": "", "members": []}
        inner = await stage.server.call("ada", "POST", "/user_groups/create", params)
        await a_group(stage)
        await stage.press("enter", "N")
        await choose(stage, "cooks")
        await until(lambda: any("cooks" in row for row in rows(stage)))
        assert (await groups(stage))["bakers"]["direct_subgroup_ids"] == [inner["group_id"]]


async def test_a_group_is_deactivated_and_reactivated(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        group_id = await a_group(stage)
        await stage.press("x")
        await choose(stage, "Deactivate")
        await until(lambda: stage.session.state.user_groups.get(group_id).deactivated)  # type: ignore[union-attr]
        await stage.press("x")
        await choose(stage, "Reactivate")
        await until(lambda: not stage.session.state.user_groups.get(group_id).deactivated)  # type: ignore[union-attr]


async def test_who_may_mention_a_group_is_chosen_among_groups_or_named(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await a_group(stage)
        await stage.press("p")
        assert isinstance(stage.app.screen, GroupPermissionsScreen)
        await stage.press("enter")
        await choose(stage, "admins and moderators")
        await until(
            lambda: any("Who can mention this group admins and moderators" in row for row in rows(stage))
        )
        moderators = (await groups(stage))["role:moderators"]["id"]
        assert (await groups(stage))["bakers"]["can_mention_group"] == moderators
        await stage.press("enter")
        await choose(stage, "Users and groups by name")
        await fill(stage, people="Dario Vance", groups="admins and moderators")
        await until(lambda: any("Dario Vance" in row for row in rows(stage)))
        assert (await groups(stage))["bakers"]["can_mention_group"] == {
            "direct_members": [stage.server.id("dario")],
            "direct_subgroups": [moderators],
        }


async def test_a_guest_reads_groups_and_is_told_who_may_change_them(tmp_path: Path) -> None:
    async with on_stage(tmp_path, person="hugo", size=(80, 24)) as stage:
        await a_group(stage)
        await stage.press("n")
        assert "Guests cannot create user groups" in said(stage)
        await stage.press("x")
        assert "Only nobody" not in said(stage)
        assert "can deactivate this group" in said(stage)


@pytest.mark.parametrize(
    ("level", "gone"), [(310, "not supported by this server (level 310; needs 311)"), (372, "")]
)
async def test_groups_within_a_new_group_need_their_level(tmp_path: Path, level: int, gone: str) -> None:
    async with on_stage(tmp_path, size=(120, 40)) as stage:
        state = stage.session.state
        state.server = replace(state.server, level=level)
        await run(stage, "people.groups")
        await stage.press("n")
        form = await form_of(stage)
        assert gone in form.row("subgroups").field.needs
        assert bool(gone) == bool(form.row("subgroups").field.needs)


async def test_a_group_of_a_role_is_called_in_a_message_as_it_is_elsewhere(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        groups = {group.name: group.id for group in stage.session.state.user_groups}
        known = StateNames(stage.session.state)
        assert known.group(groups["role:administrators"]) == "admins"
        assert known.group(groups["role:members"]) == "everyone except guests"
        assert known.group(987654) is None


async def test_groups_are_completed_by_the_beginning_of_any_word_one_after_the_other(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await a_group(stage)
        await stage.press("n")
        form = await form_of(stage)
        subgroups = form.row("subgroups")
        await stage.press("tab", "tab")
        await stage.type("dar")
        await stage.press("enter", "tab")
        assert form.row("members").typed == "Ada Moreno, Dario Vance, ", "it goes on with what is there"
        for letters in ("mod", "@bak"):
            await stage.type(letters)
            await stage.press("enter")
        assert subgroups.typed == "admins and moderators, bakers, "
        await stage.type("#nobodys")
        await stage.press("ctrl+d")
        await until(lambda: "No user group named '#nobodys' can be chosen here" in form.shown_problems)
        await fill(stage, name="cooks", subgroups="@bakers, admins and moderators")
        await until(lambda: any("2 groups" in row for row in rows(stage)))
        made = await groups(stage)
        assert made["cooks"]["direct_subgroup_ids"] == [made["role:moderators"]["id"], made["bakers"]["id"]]
