"""Presence is shown the same way everywhere, and deactivated people are grey everywhere."""

from __future__ import annotations

import time
from pathlib import Path

from narrowcast.screens.channels.members import ChannelMembersScreen
from narrowcast.screens.dialogs.picker import Choice
from narrowcast.screens.main.choices import ChoiceTarget, Everywhere
from narrowcast.screens.people.about import facts
from narrowcast.text.presence import PresenceMark, of_conversation, of_person
from narrowcast_api.events.parsing import parse_event
from narrowcast_api.model.users import User
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.resources.presence import Seen
from narrowcast_api.resources.status import Statuses
from narrowcast_api.state.apply import apply
from narrowcast_api.state.state import State
from support.sessions import until
from support.stage import Stage, on_stage

ME, HERE, IDLE, AWAY, GONE, BOT = range(1, 7)
NOW = 1_000_000.0


def office() -> State:
    """A state with one user of each kind."""
    state = State(ME)
    for user_id in (ME, HERE, IDLE, AWAY):
        state.users.put([User(user_id, f"user {user_id}", f"{user_id}@x.example")])
    state.users.put([User(GONE, "gone", "gone@x.example", is_active=False)])
    state.users.put([User(BOT, "bot", "bot@x.example", is_bot=True)])
    state.presence.put(HERE, Seen(NOW, NOW))
    state.presence.put(IDLE, Seen(NOW - 10_000, NOW))
    state.presence.put(GONE, Seen(NOW, NOW))
    return state


def test_every_user_has_one_presence_status() -> None:
    state = office()
    standings = [of_person(state, user_id, NOW) for user_id in (ME, HERE, IDLE, AWAY, GONE, BOT)]
    assert standings == [
        PresenceMark.ACTIVE,
        PresenceMark.ACTIVE,
        PresenceMark.IDLE,
        PresenceMark.OFFLINE,
        PresenceMark.DEACTIVATED,
        PresenceMark.BOT,
    ]


def test_in_invisible_mode_the_user_sees_themselves_as_others_do() -> None:
    state = office()
    state.settings.put("presence_enabled", False)
    assert of_person(state, ME, NOW) is PresenceMark.OFFLINE
    assert of_conversation(state, set(), NOW) is PresenceMark.OFFLINE


def test_whoever_is_away_on_an_old_server_is_not_present() -> None:
    state = office()
    state.statuses = Statuses(keeps_away=True)
    state.statuses.update(HERE, {"away": True})
    assert of_person(state, HERE, NOW) is PresenceMark.OFFLINE
    here = state.users.get(HERE)
    assert here is not None
    assert ("Availability", "away") in facts(state, here, NOW)


def test_a_deactivated_person_is_never_present_whatever_was_seen_of_them() -> None:
    assert not of_person(office(), GONE, NOW).is_present
    assert of_person(office(), GONE, NOW).is_grey


def test_a_conversation_stands_as_its_only_other_person_does() -> None:
    state = office()
    assert of_conversation(state, {IDLE}, NOW) is PresenceMark.IDLE
    assert of_conversation(state, {IDLE, HERE}, NOW) is PresenceMark.GROUP
    assert of_conversation(state, set(), NOW) is PresenceMark.ACTIVE


def all_choices(stage: Stage, now: float) -> list[Choice[ChoiceTarget]]:
    """What the switcher offers in the end."""
    everywhere = Everywhere(stage.session, now)
    list(everywhere.complete())
    return everywhere.choices()


async def test_switcher_lists_and_subscribers_show_the_same(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(160, 40)) as stage:
        state, screen = stage.session.state, stage.screen
        bruno, dario = stage.server.id("bruno"), stage.server.id("dario")
        for person in ("bruno", "dario"):
            await stage.server.send_direct(person, ["ada"], "Hello")
        await stage.server.call("ada", "DELETE", f"/users/{dario}", {})
        await until(lambda: (user := state.users.get(dario)) is not None and not user.is_active)
        state.presence.put(bruno, Seen(time.time() + state.presence.server_offset, 0))
        screen.navigation.refresh_marks()

        choices = {choice.text: choice for choice in all_choices(stage, time.time())}
        assert choices["Bruno Castell"].mark == "●"
        dario_then = choices["Dario Vance"]
        assert (dario_then.mark, dario_then.faint, dario_then.detail) == ("×", True, "deactivated")
        deleted = {"user_id": dario, "is_deleted": True}
        apply(state, parse_event({"id": 99, "type": "realm_user", "op": "update", "person": deleted}))
        choices = {choice.text: choice for choice in all_choices(stage, time.time())}
        assert choices["Dario Vance"].detail == "deleted"

        list_ = screen.navigation.list
        await until(lambda: {"Bruno Castell", "Dario Vance"} <= {row.text for row in list_.items})
        shown = {row.text: list_.render_item(row, 40, False)[0].text for row in list_.items}
        assert shown["Bruno Castell"].startswith(" ● ")
        assert shown["Dario Vance"].startswith(" × ")

        channel = state.channels.get(stage.server.channel("general"))
        assert channel is not None
        members = ChannelMembersScreen(stage.session, channel)
        stage.app.push_screen(members)
        await until(lambda: members.list.items)
        assert {row.text: row.mark for row in members.list.items}["Bruno Castell"] == "●"


async def test_the_switcher_finds_public_channels_that_one_is_not_in(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        channel_id = stage.server.channel("engineering")
        await stage.server.call(
            "ada", "DELETE", "/users/me/subscriptions", {"subscriptions": '["engineering"]'}
        )
        await until(
            lambda: channel_id not in {one.channel_id for one in stage.session.state.channels.subscribed()}
        )
        (choice,) = [one for one in all_choices(stage, 0.0) if one.text == "engineering"]
        assert choice.detail == "not subscribed"
        assert choice.value.narrow == Narrow.channel(channel_id)


async def test_invisible_mode_chosen_elsewhere_shows_beside_the_own_name(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(160, 40)) as stage:

        def mark() -> PresenceMark:
            return next(person.presence for person in stage.screen.people.list.items if person.is_me)

        await until(lambda: stage.screen.people.list.items and mark() is PresenceMark.ACTIVE)
        await stage.server.call("ada", "PATCH", "/settings", {"presence_enabled": False})
        await until(lambda: mark() is PresenceMark.OFFLINE)
        await stage.server.call("ada", "PATCH", "/settings", {"presence_enabled": True})
        await until(lambda: mark() is PresenceMark.ACTIVE)
