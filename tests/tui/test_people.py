"""People: cards, profiles, administration; each act is checked by what the server then stores."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from narrowcast.commands.people import show
from narrowcast.screens.dialogs.form import FormScreen
from narrowcast.screens.dialogs.manage import ManageScreen
from narrowcast.screens.dialogs.picker import Picker
from narrowcast.screens.people.card import PersonScreen
from narrowcast_api.model.user_groups import UserGroup
from narrowcast_api.model.users import ProfileValue, User
from narrowcast_api.narrow.destinations import DirectDestination
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.resources.custom_emoji import CustomEmoji
from narrowcast_api.resources.linkifiers import Linkifier
from narrowcast_api.resources.playgrounds import Playground
from narrowcast_api.resources.profile_fields import ProfileField
from narrowcast_server.resources.users import operations as users
from support.altered_servers import offering
from support.screens import card_of, choices, choose, fill, form_of, rows, said, screen_rows, screen_text
from support.sessions import until
from support.stage import Stage, on_stage, run


async def test_a_card_says_who_somebody_is_and_leads_to_them(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        card = await card_of(stage, "Bruno Castell")
        assert any("administrator" in row for row in rows(stage))
        await stage.press("c")
        await until(lambda: any("#general" in row for row in rows(stage)))
        assert "direct message" in said(stage)
        await stage.press("w")
        await stage.closed()
        assert stage.screen.narrow == Narrow.direct(frozenset({stage.server.id("bruno")}))
        assert not card.is_attached


async def test_the_card_is_that_of_the_person_selected_in_the_list_of_channels(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        dario = frozenset({stage.server.id("dario")})
        await stage.server.send_direct("dario", ["ada"])
        await stage.in_topic()
        navigation = stage.screen.navigation.list
        await until(lambda: navigation.select_key(("direct", dario)))
        await stage.press("u")
        assert isinstance(stage.app.screen, PersonScreen)
        assert "Bruno Castell" in screen_text(stage.app.screen), "the sender of the selected message"
        await stage.press("escape")
        navigation.focus()
        await stage.pilot.pause()
        await stage.press("u")
        assert isinstance(stage.app.screen, PersonScreen)
        assert "dario@" in " ".join(rows(stage))


async def test_a_mention_from_a_card_goes_into_what_is_being_written(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await card_of(stage, "Bruno Castell")
        await stage.press("at")
        await stage.closed()
        bruno = stage.server.id("bruno")
        assert stage.screen.writing.text.text == f"@**Bruno Castell|{bruno}** "


async def test_a_mention_from_a_card_stays_in_the_direct_conversation(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        bruno, chiyo = stage.server.id("bruno"), stage.server.id("chiyo")
        await stage.go(Narrow.direct(frozenset({bruno, chiyo})))
        await card_of(stage, "Bruno Castell")
        await stage.press("at")
        await stage.closed()
        await stage.type("hi")
        where = DirectDestination(frozenset({bruno, chiyo}))
        assert stage.screen.writing.destination() == (where, "")
        assert stage.screen.writing.text.text == f"@**Bruno Castell|{bruno}** hi"


async def test_somebody_is_muted_and_shown_again_from_the_card(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await card_of(stage, "Bruno Castell")
        bruno = stage.server.id("bruno")
        await stage.press("M")
        await until(lambda: bruno in stage.session.state.users.muted)
        await stage.press("M")
        await until(lambda: bruno not in stage.session.state.users.muted)


async def test_an_owner_renames_and_promotes(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await card_of(stage, "Dario Vance")
        await stage.press("a")
        await choose(stage, "Name")
        await fill(stage, name="Dario V.")
        await until(lambda: stage.server.user("dario").full_name == "Dario V.")
        await until(lambda: isinstance(stage.app.screen, PersonScreen))
        await stage.press("a")
        await choose(stage, "Role")
        await fill(stage, role=300)
        await until(lambda: stage.server.user("dario").role == 300)


async def test_an_account_is_deactivated_and_brought_back(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await card_of(stage, "Dario Vance")
        await stage.press("a")
        await choose(stage, "Deactivate")
        await fill(stage, comment="Thank you for everything")
        await until(lambda: not stage.server.user("dario").is_active)
        await until(lambda: any("deactivated" in row for row in rows(stage)))
        await stage.press("a")
        await choose(stage, "Reactivate")
        await until(lambda: stage.server.user("dario").is_active)


async def test_what_a_deactivated_user_leaves_behind_is_deleted_if_that_is_chosen(tmp_path: Path) -> None:
    with offering("/users/{user_id}", {}, routes=users.routes, method="DELETE") as offered:
        async with on_stage(tmp_path, size=(80, 24)) as stage:
            stage.at_level(459)
            await card_of(stage, "Dario Vance")
            await stage.press("a")
            await choose(stage, "Deactivate")
            await fill(stage, profile=True, direct_messages=True)
            await until(lambda: offered.asked is not None)
            assert offered.asked is not None
            actions = json.loads(offered.asked["actions"])
            assert actions == {"delete_profile": True, "delete_direct_messages": True}


async def test_a_member_is_told_who_may_instead_of_being_refused_later(tmp_path: Path) -> None:
    async with on_stage(tmp_path, person="dario", size=(80, 24)) as stage:
        await card_of(stage, "Bruno Castell")
        await stage.press("a")
        await choose(stage, "Role")
        await until(lambda: "Only organization administrators" in said(stage))
        assert isinstance(stage.app.screen, PersonScreen)


async def test_what_a_server_is_too_old_for_says_its_level(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(120, 40)) as stage:
        stage.at_level(372)
        await card_of(stage, "Bruno Castell")
        await stage.press("a")
        screen = stage.app.screen
        assert isinstance(screen, Picker)
        assert any("needs 407" in choice.detail for choice in choices(stage))
        await stage.pilot.resize_terminal(80, 24)
        await stage.pilot.pause()
        shown = screen_text(screen)
        assert "not supported by this server " in shown
        assert "(le" not in shown


async def test_name_and_avatar_cannot_be_edited_where_only_administrators_may_change_them(
    tmp_path: Path,
) -> None:
    for person, free in (("dario", False), ("ada", True)):
        async with on_stage(tmp_path / person, person=person, size=(80, 24)) as stage:
            stage.session.state.offers = stage.session.state.offers._replace(
                names_fixed=True, pictures_fixed=True
            )
            await run(stage, "account.profile")
            form = await form_of(stage)
            assert form.row("name").is_enabled is free
            assert ("administrators" in form.row("name").field.needs) is not free
            await stage.press("escape")
            await run(stage, "account.picture")
            assert (stage.app.screen is not stage.screen) is free
            assert any("change pictures here" in notice for notice in stage.notices) is not free


async def test_the_own_profile_can_be_filled_in_and_cleared(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        made = await stage.server.call(
            "ada", "POST", "/realm/profile_fields", {"name": "Tea", "field_type": 1}
        )
        field_id = int(made["id"])
        await until(lambda: stage.session.state.profile_fields.get(field_id) is not None)
        await run(stage, "account.profile")
        await fill(stage, **{f"field-{field_id}": "green", "name": "Ada M."})
        await until(lambda: stage.server.user("ada").full_name == "Ada M.")
        mine = await stage.server.call("ada", "GET", "/users/me")
        assert mine["profile_data"][str(field_id)]["value"] == "green"
        await until(lambda: field_id in stage.session.state.users.get(stage.session.state.me).profile)  # type: ignore[union-attr]
        await run(stage, "account.profile")
        await fill(stage, **{f"field-{field_id}": ""})
        await stage.closed()
        mine = await stage.server.call("ada", "GET", "/users/me")
        assert str(field_id) not in mine["profile_data"]


@pytest.mark.parametrize("person", ["ada", "bruno"])
async def test_users_are_created_by_whom_the_operator_lets(tmp_path: Path, person: str) -> None:
    async with on_stage(tmp_path, person=person, size=(80, 24)) as stage:
        await run(stage, "people.accounts")
        await stage.press("n")
        form = await form_of(stage)
        assert "can_create_users" in screen_text(form)
        await fill(stage, name="Nadia Osei", email="nadia@demo.example", password="a long password")
        if person == "ada":
            await until(lambda: any("Nadia Osei" in row for row in rows(stage)))
        else:
            await until(lambda: "User not authorized to create users" in form.shown_problems)


async def test_everybody_is_listed_and_found_by_name(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await run(stage, "people.accounts")
        screen = stage.app.screen
        assert isinstance(screen, ManageScreen)
        await stage.press("slash")
        await stage.type("bruno")
        await stage.press("enter")
        await until(lambda: isinstance(stage.app.screen, PersonScreen))
        assert not isinstance(stage.app.screen, FormScreen)


@pytest.mark.parametrize(("person", "may"), [("ada", True), ("elif", False)])
async def test_enter_on_a_person_offers_managing_to_those_who_may(
    tmp_path: Path, person: str, may: bool
) -> None:
    async with on_stage(tmp_path, person=person, size=(80, 24)) as stage:
        await run(stage, "people.accounts")
        await stage.press("slash")
        await stage.type("bruno")
        await stage.press("enter")
        await until(lambda: isinstance(stage.app.screen, PersonScreen))
        assert ("Manage this user" in rows(stage)[0]) is may
        if may:
            await stage.press("enter")
            await until(lambda: "Manage Bruno Castell" in screen_text(stage.app.screen))


async def test_somebody_whom_the_state_does_not_know_is_asked_for(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        dario = stage.server.id("dario")
        stage.session.state.users.remove(dario)
        show(stage.screen, dario)
        await until(lambda: isinstance(stage.app.screen, PersonScreen))
        assert stage.app.screen.title_text() == "Dario Vance"  # type: ignore[attr-defined]


HOSTILE = "\x1b]52;c;aGk=\x07 [/x][@click=app.quit]\u202e\n\x9b31m"
SCREENS = (
    "people.accounts",
    "people.groups",
    "people.muted",
    "people.invitations",
    "account.settings",
    "account.bots",
    "organization.settings",
    "organization.newcomers",
    "organization.emoji",
    "organization.linkifiers",
    "organization.playgrounds",
    "organization.fields",
    "organization.server",
)


@pytest.mark.parametrize("actions", [SCREENS[:4], SCREENS[4:8], SCREENS[8:]])
async def test_no_text_of_the_server_reaches_the_terminal_as_it_is(
    tmp_path: Path, actions: tuple[str, ...]
) -> None:
    async with on_stage(tmp_path, size=(100, 30)) as stage:
        state = stage.session.state
        hostile = User(77, HOSTILE, HOSTILE, HOSTILE, timezone=HOSTILE, profile={1: ProfileValue(HOSTILE)})
        state.users.put([hostile])
        state.users.muted = {77: 5}
        state.user_groups.put(
            UserGroup(900, HOSTILE, HOSTILE, frozenset({77}), frozenset(), False, False, 77, {})
        )
        state.linkifiers.put([Linkifier(5, HOSTILE, HOSTILE)])
        state.playgrounds.put([Playground(5, HOSTILE, HOSTILE, HOSTILE)])
        state.custom_emoji.put([CustomEmoji("9", HOSTILE, HOSTILE, None, False, 77)])
        state.profile_fields.put([ProfileField(1, HOSTILE, 1, HOSTILE, HOSTILE, 0, False, True, True)])
        for settings in (state.settings, state.organization, state.newcomers):
            settings.put("notification_sound", HOSTILE)
            settings.put("description", HOSTILE)
            settings.put("new_thing", HOSTILE)
        state.server = replace(state.server, name=HOSTILE, version=HOSTILE)
        for action in actions:
            await run(stage, action)
            check(stage)
            await stage.press("G")
            await stage.press("enter")
            check(stage)
            await stage.close_all()
        show(stage.screen, 77)
        await stage.pilot.pause()
        check(stage)
        await stage.press("a")
        check(stage)


async def test_what_a_card_says_stands_in_one_column_whatever_signs_are_in_the_labels(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        state = stage.session.state
        state.profile_fields.put([ProfileField(1, "\u2764\ufe0f Soup", 1, "", "", 0, False, True, False)])
        state.users.put([User(77, "Zoe", "zoe@x", "zoe@x", profile={1: ProfileValue("leek")})])
        stage.app.push_screen(PersonScreen(stage.session, 77))
        await stage.pilot.pause()
        shown = screen_rows(stage.app.screen)
        (email,) = (row.index("zoe@x") for row in shown if "zoe@x" in row)
        (soup,) = (row.index("leek") for row in shown if "leek" in row)
        assert soup == email


def check(stage: Stage) -> None:
    """Asserts that the screen contains no control characters and no direction overrides."""
    shown = "".join(screen_rows(stage.app.screen))
    assert not [character for character in shown if character in "\x1b\x07\x9b\u202e\n"]


async def test_the_channels_of_somebody_are_listed_where_the_server_tells_them(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        stage.at_level(440)
        stage.app.push_screen(PersonScreen(stage.session, stage.server.id("dario")))
        await until(lambda: isinstance(stage.app.screen, PersonScreen))
        await stage.press("a")
        await choose(stage, "Channels")
        await until(lambda: bool(choices(stage)))
        await choose(stage, "#engineering")
        await until(lambda: stage.screen.narrow == Narrow.channel(stage.server.channel("engineering")))
