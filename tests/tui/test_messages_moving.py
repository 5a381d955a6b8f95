"""The position in the list: what moves the viewport and the selection, and what is on the screen."""

from __future__ import annotations

from narrowcast_api.narrow.narrow import Narrow
from support.message_views import ListApp, message, short


async def test_older_messages_arrive_above_without_moving_a_line() -> None:
    app = ListApp([message(number) for number in range(1000, 1200)], found_oldest=False)
    async with app.run_test(size=(60, 20)) as pilot:
        app.list.position.jump(1040)
        await pilot.pause()
        before = app.rows()
        assert True in app.pages
        app.put(*(message(number) for number in range(900, 1000)))
        await pilot.pause()
        after = app.rows()
        assert [row[:59] for row in after] == [row[:59] for row in before]
        assert app.list.selected == 1040


async def test_new_messages_are_followed_at_the_bottom_and_nowhere_else() -> None:
    app = ListApp([message(number) for number in range(1, 100)])
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.pause()
        app.put(short(100))
        await pilot.pause()
        assert app.list.selected == 100
        assert "text 100" in app.rows()[-1]
        app.list.position.step(-1)
        app.list.position.page(-1)
        await pilot.pause()
        before = app.rows()
        app.put(short(101))
        await pilot.pause()
        assert [row[:59] for row in app.rows()] == [row[:59] for row in before]


async def test_more_than_fits_is_not_followed_past_what_was_never_on_screen() -> None:
    app = ListApp([short(number) for number in range(1, 100)])
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.pause()
        app.ended.clear()
        app.put(*(short(number, flags=frozenset()) for number in range(100, 350)))
        await pilot.pause()
        assert any(row.rstrip().endswith("text 100") for row in app.rows()), app.rows()
        assert app.ended
        assert max(app.ended) < 120, "what was not on the screen is not read"
        app.put(short(350, flags=frozenset()))
        await pilot.pause()
        assert any(row.rstrip().endswith("text 100") for row in app.rows())
        app.list.position.to_newest()
        await pilot.pause()
        assert "text 350" in app.rows()[-1]
        app.put(short(351, flags=frozenset()))
        await pilot.pause()
        assert "text 351" in app.rows()[-1], "followed again"


async def test_a_burst_that_fits_is_followed() -> None:
    app = ListApp([short(number) for number in range(1, 100)])
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.pause()
        app.put(*(short(number, flags=frozenset()) for number in range(100, 108)))
        await pilot.pause()
        assert "text 107" in app.rows()[-1]
        assert set(range(100, 108)) <= set(app.ended)


async def test_a_chosen_message_stays_selected_when_new_ones_arrive() -> None:
    app = ListApp([short(number) for number in range(1, 10)])
    async with app.run_test(size=(60, 30)) as pilot:
        app.list.position.step(-1)
        await pilot.pause()
        app.put(short(10))
        await pilot.pause()
        assert app.list.selected == 8
        app.list.position.to_newest()
        await pilot.pause()
        assert app.list.selected == 10


async def test_where_conversations_mix_the_selection_stays_until_it_leaves_the_screen() -> None:
    app = ListApp([short(number) for number in range(1, 10)], narrow=Narrow.all())
    async with app.run_test(size=(60, 12)) as pilot:
        await pilot.pause()
        app.put(short(10))
        await pilot.pause()
        assert app.list.selected == 9
        assert "text 10" in app.rows()[-1]
        app.put(*(short(number) for number in range(11, 40)))
        await pilot.pause()
        assert app.list.selected == 39


async def test_the_selection_goes_to_a_neighbour_when_its_message_is_deleted() -> None:
    app = ListApp([short(number) for number in range(1, 10)])
    async with app.run_test(size=(60, 30)) as pilot:
        app.list.position.select(5)
        await pilot.pause()
        app.drop(5)
        await pilot.pause()
        assert app.list.selected == 6
        app.drop(*range(1, 10))
        await pilot.pause()
        assert app.rows() == [""] * 30


async def test_only_messages_whose_ends_are_in_view_are_on_the_screen_and_none_that_a_movement_passed() -> (
    None
):
    app = ListApp([short(number, sender_id=2) for number in range(1, 200)])
    async with app.run_test(size=(60, 12)) as pilot:
        await pilot.pause()
        app.ended.clear()
        app.list.position.jump(20)
        await pilot.pause()
        assert set(app.ended) <= set(range(15, 32))
        for _ in range(6):
            app.list.position.page(1)
        app.ended.clear()
        await pilot.pause()
        assert 5 < len(app.ended) <= 12
        assert min(app.ended) > 60
        app.ended.clear()
        app.list.position.to_oldest()
        await pilot.pause()
        assert app.list.selected == 1
        assert max(app.ended) <= 12


async def test_a_message_higher_than_the_screen_is_on_it_when_its_end_is() -> None:
    long = message(2, "<p>" + "line<br>" * 40 + "</p>")
    app = ListApp([short(1), long])
    async with app.run_test(size=(60, 12)) as pilot:
        await pilot.pause()
        app.list.position.jump(1)
        app.list.position.select(2)
        app.ended.clear()
        await pilot.pause()
        assert 2 not in app.ended
        for _ in range(8):
            app.list.position.step(1)
        await pilot.pause()
        assert 2 in app.ended


async def test_the_list_stays_where_it_is_when_the_screen_changes_its_size() -> None:
    app = ListApp([message(number) for number in range(1, 300)])
    async with app.run_test(size=(100, 30)) as pilot:
        app.list.position.jump(150)
        await pilot.pause()
        top = next(row for row in app.rows() if row.strip())
        await pilot.resize_terminal(60, 20)
        await pilot.pause()
        assert any(word in "\n".join(app.rows()) for word in top.split()[:1])
        assert app.list.selected == 150


async def test_the_selected_message_stays_in_view_when_the_screen_gets_narrower() -> None:
    app = ListApp([message(number) for number in range(1, 300)])
    async with app.run_test(size=(100, 30)) as pilot:
        app.list.position.jump(150)
        await pilot.pause()
        lowest = app.list.position.shown[-1].index
        app.list.position.step(lowest + 1 - 150)
        await pilot.pause()
        assert app.list.position.is_selected_in_view
        selected = app.list.selected
        await pilot.resize_terminal(24, 12)
        await pilot.pause()
        assert app.list.selected == selected
        assert app.list.position.is_selected_in_view


async def test_the_newest_is_selected_when_asked_for_where_conversations_mix() -> None:
    app = ListApp([short(number) for number in range(1, 6)], narrow=Narrow.all())
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.pause()
        app.list.position.step(-2)
        app.list.position.to_newest()
        assert app.list.selected == 5
        await pilot.pause()
        assert app.list.selected == 5
