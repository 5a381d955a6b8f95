"""The people pane: the order of people, and updates that cost only as much as what changed."""

from __future__ import annotations

from pathlib import Path

from narrowcast.panes.people import SLICE, PeopleRows, Slices
from narrowcast.text.presence import PresenceMark
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.state.state import State
from support import live
from support.screens import screen_text
from support.sessions import until
from support.stage import on_stage

NOW = 1_800_000_000.0


def finish(work: Slices[bool]) -> tuple[int, bool]:
    """How often the work paused, and its result."""
    pauses = 0
    while True:
        try:
            next(work)
        except StopIteration as end:
            return pauses, end.value
        pauses += 1


def seen(state: State, user_id: int, at: float) -> None:
    state.presence.merge({str(user_id): {"active_timestamp": at, "idle_timestamp": at}})


def names(rows: PeopleRows) -> list[str]:
    return [row.name for row in rows.in_order()]


async def test_the_people_of_the_open_conversation_come_first_and_who_is_typing_is_said(
    tmp_path: Path,
) -> None:
    async with on_stage(tmp_path, size=(160, 30)) as stage:
        await stage.in_topic("general", "lunch")
        people = stage.screen.people.list
        await until(lambda: bool(people.items) and people.items[0].name == "Bruno Castell")
        assert people.items[0].is_here
        chiyo = stage.server.id("chiyo")
        await stage.server.call(
            "chiyo",
            "POST",
            "/typing",
            {"op": "start", "type": "stream", "stream_id": stage.server.channel("general"), "topic": "lunch"},
        )
        await until(lambda: people.items[0].user_id == chiyo and people.items[0].is_typing)
        assert "Chiyo Tanaka is typing" in screen_text(stage.app.screen)
        await stage.go(Narrow.all())
        await until(lambda: not any(row.is_here for row in people.items))


def test_active_people_come_first_and_move_down_after_a_long_absence() -> None:
    people = [live.user(number, name) for number, name in ((21, "ada"), (22, "Bea"), (23, "Cy"))]
    state = live.make_state(realm_users=people, user_id=21)
    rows = PeopleRows()
    assert finish(rows.update(lambda: state, rows.everybody(state), NOW)) == (0, True)
    assert names(rows) == ["ada", "Bea", "Cy"]
    seen(state, 23, NOW)
    assert finish(rows.update(lambda: state, [], NOW)) == (0, False), "nobody was named"
    assert finish(rows.update(lambda: state, [23], NOW)) == (0, True)
    assert names(rows) == ["ada", "Cy", "Bea"]
    assert finish(rows.update(lambda: state, [], NOW + 3600)) == (0, True), "not seen for an hour"
    assert names(rows) == ["ada", "Bea", "Cy"]
    live.apply(state, {"type": "realm_user", "op": "update", "person": {"user_id": 22, "is_active": False}})
    assert finish(rows.update(lambda: state, [22], NOW)) == (0, True)
    assert names(rows) == ["ada", "Cy"]


def test_many_people_are_processed_in_slices_and_a_single_change_alone() -> None:
    people = [live.user(number, f"Person {number:05}") for number in range(1, 5 * SLICE)]
    state = live.make_state(realm_users=people, user_id=1)
    rows = PeopleRows()
    pauses, changed = finish(rows.update(lambda: state, rows.everybody(state), NOW))
    assert (pauses, changed) == (4, True)
    assert names(rows) == sorted(names(rows))
    before = {row.user_id: row for row in rows.in_order()}
    seen(state, 2000, NOW)
    assert finish(rows.update(lambda: state, [2000], NOW)) == (0, True)
    assert [row.user_id for row in rows.in_order()[:3]] == [1, 2000, 2]
    assert [row.user_id for row in rows.in_order() if before[row.user_id] is not row] == [2000]
    assert rows.in_order()[1].presence is PresenceMark.ACTIVE


async def test_the_pane_follows_names_and_presence_also_while_it_is_hidden(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(160, 40)) as stage:
        pane = stage.screen.people

        def shown() -> list[str]:
            return [row.name for row in pane.list.items]

        await until(lambda: "Dario Vance" in shown())
        dario = stage.server.id("dario")
        await stage.server.call("ada", "PATCH", f"/users/{dario}", {"full_name": "Zo Vance"})
        await until(lambda: "Zo Vance" in shown())
        assert "Dario Vance" not in shown()
        stage.screen.show_people(False)
        await stage.server.call("ada", "PATCH", f"/users/{dario}", {"full_name": "Yo Vance"})
        await until(lambda: stage.session.state.users.name(dario) == "Yo Vance")
        await stage.pilot.pause()
        assert "Zo Vance" in shown()
        stage.screen.show_people(True)
        await until(lambda: "Yo Vance" in shown())


async def test_the_field_above_the_people_finds_somebody_and_is_emptied_by_escape(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(150, 40)) as stage:
        people = stage.screen.people.list
        everybody = [person.name for person in people.shown]
        await stage.press("w")
        await stage.type("a")
        first = people.selected_item
        await stage.press("down")
        assert people.selected_item is not first
        await stage.press("escape")
        assert [person.name for person in people.shown] == everybody
        assert stage.screen.people.has_focus_within
        await stage.type("bruno")
        await stage.press("enter")
        assert stage.screen.narrow == Narrow.direct(frozenset({stage.server.id("bruno")}))
        shown = [person.name for person in people.shown]
        assert shown == ["Bruno Castell", *(name for name in everybody if name != "Bruno Castell")]
