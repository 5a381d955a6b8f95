"""The cost of the message list depends on the screen, not on the length of the history."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from textual.geometry import Region

from support.content_examples import EXAMPLES
from support.message_views import ListApp, message, short


def spy(app: ListApp) -> list[Region]:
    asked: list[Region] = []
    refresh = app.list.refresh

    def noted(*regions: Region, **options: bool) -> object:
        asked.extend(regions)
        return refresh(*regions, **options)

    app.list.refresh = noted  # type: ignore[method-assign, assignment]  # a spy
    return asked


def numbers(rows: Sequence[str]) -> list[int]:
    return [int(row.partition("text ")[2].split()[0]) for row in rows if "text " in row]


async def test_a_changed_message_is_laid_out_again_and_no_other() -> None:
    app = ListApp([short(number) for number in range(1, 10)])
    async with app.run_test(size=(60, 30)) as pilot:
        await pilot.pause()
        made = app.list.rows.made
        app.put(message(4, "<p>other words</p>"))
        await pilot.pause()
        assert app.list.rows.made == made + 1
        assert any("other words" in row for row in app.rows())


async def test_nothing_is_laid_out_before_the_list_has_a_size() -> None:
    app = ListApp([short(number) for number in range(1, 501)])
    async with app.run_test(size=(60, 30)) as pilot:
        await pilot.pause()
        shown = {place.index for place in app.list.position.shown}
        assert len(shown) > 15
        assert app.list.rows.made == len(shown)


@pytest.mark.parametrize("key", [None, 300])
async def test_a_view_that_opens_lays_out_what_it_shows(key: int | None) -> None:
    app = ListApp([short(number) for number in range(1, 501)])
    async with app.run_test(size=(60, 30)) as pilot:
        await pilot.pause()
        app.list.rows.forget()
        app.list.position.reset()
        made = app.list.rows.made
        app.list.position.jump(key)
        await pilot.pause()
        shown = {place.index for place in app.list.position.shown}
        assert len(shown) > 15
        assert app.list.rows.made - made <= len(shown) + 2


async def test_a_hundred_thousand_messages_cost_what_one_screen_costs() -> None:
    messages = [message(number) for number in range(1, 100_001)]
    app = ListApp(messages)
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.pause()
        assert app.list.rows.made < 60
        asked = spy(app)
        made = app.list.rows.made
        app.list.position.step(-1)
        await pilot.pause()
        assert app.list.rows.made - made <= 3
        assert len(asked) < 10
        assert sum(region.height for region in asked) <= 6
        asked.clear()
        app.put(message(100_001))
        await pilot.pause()
        assert app.list.rows.made - made <= 6
        made = app.list.rows.made
        for _ in range(10):
            app.list.position.page(-1)
        await pilot.pause()
        assert app.list.rows.made - made < 400
        made = app.list.rows.made
        app.list.position.jump(50_000)
        await pilot.pause()
        assert app.list.rows.made - made < 60
        made = app.list.rows.made
        app.list.position.scroll_to_share(0.1)
        await pilot.pause()
        assert app.list.rows.made - made < 60


async def test_an_idle_list_repaints_nothing() -> None:
    app = ListApp([message(number) for number in range(1, 100)])
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.pause()
        asked = spy(app)
        app.list.position.feed_changed()
        await pilot.pause()
        await pilot.pause()
        assert asked == []


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (200, 60), (20, 3), (1, 1)])
async def test_every_kind_of_content_shows_at_every_size(size: tuple[int, int]) -> None:
    app = ListApp([message(number, example.html) for number, example in enumerate(EXAMPLES, 1)])
    async with app.run_test(size=size) as pilot:
        for _ in range(6):
            app.list.position.page(-1)
            await pilot.pause()
            assert all(app.list.row_at(y).cell_length == size[0] for y in range(size[1]))


async def test_burst_of_messages_is_one_layout() -> None:
    app = ListApp([short(1)])
    async with app.run_test(size=(60, 30)) as pilot:
        await pilot.pause()
        made = app.list.rows.made
        for number in range(2, 1002):
            app.state.add_messages([short(number)])
            app.view.ids = [*app.view.ids, number]
            app.list.position.feed_changed()
        await pilot.pause()
        assert app.list.rows.made - made < 60
        assert numbers(app.rows())[-1] == 1001
