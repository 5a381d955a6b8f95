"""Selecting the text of messages with keys and with the mouse, and what is copied."""

from __future__ import annotations

import pytest
from textual.geometry import Offset
from textual.selection import Selection
from textual.theme import Theme

from narrowcast.config.themes import THEMES
from narrowcast.panes.messages.message_list import MessageList
from narrowcast_api.model.messages import Message, Reaction
from narrowcast_api.narrow.narrow import Narrow
from support.content_examples import EXAMPLES
from support.message_views import ListApp, message, short
from support.screens import click, drag


def selected(app: ListApp, start: Offset, end: Offset) -> str:
    found = app.list.get_selection(Selection(start, end))
    assert found is not None
    return found[0]


async def test_selected_text_joins_wrapped_lines_and_leaves_decoration_out() -> None:
    app = ListApp([message(1, "<blockquote><p>" + "word " * 20 + "</p></blockquote>"), short(2)])
    async with app.run_test(size=(40, 20)) as pilot:
        await pilot.pause()
        rows = app.list.rows.of(1)
        assert rows is not None
        first = rows.lead + 1
        text = selected(app, Offset(5, (1 << 16) + first), Offset(6, (2 << 16)))
        assert text == ("word " * 19).strip() + "\ntext 2"


CODE = "all:\tprogram\n\techo \tdone\n\t\tdeep"


@pytest.mark.parametrize("no_color", ["", "1"])
async def test_tabs_of_selected_code_are_copied_as_tabs(
    no_color: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", no_color)
    code = message(1, f'<div class="codehilite"><pre><span></span><code>{CODE}\n</code></pre></div>')
    app = ListApp([code])
    async with app.run_test(size=(40, 20)) as pilot:
        await pilot.pause()
        assert any("all:    program" in row for row in app.rows())
        assert any("    echo    done" in row for row in app.rows())
        app.list.selection.select_text_of(1)
        assert app.screen.get_selected_text() == CODE
        assert app.list.rows.text_of(code) == CODE
        rows = app.list.rows.of(1)
        assert rows is not None
        y = (1 << 16) + next(place for place, row in enumerate(rows.rows) if "echo" in row.text)
        assert selected(app, Offset(0, y), Offset(8, y)) == "\techo"
        assert selected(app, Offset(2, y), Offset(10, y)) == "echo \t"


async def test_a_selection_survives_older_messages_and_is_painted() -> None:
    app = ListApp([short(number) for number in range(10, 20)])
    async with app.run_test(size=(40, 30)) as pilot:
        await pilot.pause()
        app.list.selection.select_text_of(15)
        await pilot.pause()
        assert app.screen.get_selected_text() == "text 15"
        app.put(*(short(number) for number in range(1, 10)))
        await pilot.pause()
        assert app.screen.get_selected_text() == "text 15"


async def test_the_mouse_selects_messages_and_text() -> None:
    app = ListApp([short(number) for number in range(1, 6)])
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.pause()
        place = next(y for y, row in enumerate(app.rows()) if "text 2" in row)
        await pilot.click(app.list, offset=(8, place))
        assert app.list.selected == 2
        await pilot.click(app.list, offset=(8, place), times=2)
        assert app.screen.get_selected_text() == "text 2"


class ChosenApp(ListApp):
    """Records the targets that are followed, and the headings."""

    def __init__(self, *messages: Message, **view: object) -> None:
        super().__init__(messages, **view)
        self.chosen: list[object] = []

    def on_message_list_target_chosen(self, event: MessageList.TargetChosen) -> None:
        self.chosen.append(event.target.value)

    def on_message_list_heading_chosen(self, event: MessageList.HeadingChosen) -> None:
        self.chosen.append(event.key)

    def place_of(self, text: str) -> tuple[int, int]:
        """The cell of the beginning of a text on the screen."""
        return next((row.index(text), y) for y, row in enumerate(self.rows()) if text in row)


LINK = '<p>see <a href="https://soup.example/">the link</a> here</p>'


async def test_selecting_text_with_the_mouse_follows_no_link() -> None:
    app = ChosenApp(short(1), message(2, LINK))
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.pause()
        x, y = app.place_of("the link")
        await drag(pilot, app.place_of("text 1"), (x + 4, y))
        assert (app.screen.get_selected_text() or "").startswith("text 1\n")
        await drag(pilot, (x, y), (x + 4, y))
        assert app.screen.get_selected_text() == "the l"
        assert app.chosen == []
        await click(pilot, (x + 2, y))
        assert app.chosen == ["https://soup.example/"]


async def test_a_double_click_follows_a_link_once() -> None:
    app = ChosenApp(short(1), message(2, LINK))
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.pause()
        place = app.place_of("the link")
        await click(pilot, place)
        await click(pilot, place)
        assert app.screen.get_selected_text() == "see the link here"
        assert app.chosen == ["https://soup.example/"]


async def test_a_drag_that_ends_on_a_heading_stays_in_the_view() -> None:
    app = ChosenApp(short(1, topic="first"), short(2, topic="second"), narrow=Narrow.all())
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.pause()
        heading = app.place_of("second")
        await drag(pilot, app.place_of("text 1"), heading)
        assert app.chosen == []
        await click(pilot, (heading[0] + 1, heading[1]))
        assert app.chosen == [2]


async def test_the_scroll_thumb_selects_no_message() -> None:
    app = ListApp([short(number) for number in range(1, 60)])
    async with app.run_test(size=(40, 12)) as pilot:
        app.list.position.select(59)
        await pilot.pause()
        await click(pilot, (39, 5))
        assert app.list.position.shown[0].index < 40
        assert app.list.selected == 59
        await drag(pilot, (39, 5), (20, 1))
        assert app.list.selected == 59


async def test_keys_select_text_by_rows_over_several_messages() -> None:
    app = ListApp([short(number) for number in range(1, 9)])
    async with app.run_test(size=(40, 30)) as pilot:
        app.list.position.select(3)
        await pilot.pause()
        app.list.selection.extend(1)
        assert app.screen.get_selected_text() == "text 3"
        app.list.selection.extend(1)
        app.list.selection.extend(1)
        await pilot.pause()
        assert app.screen.get_selected_text() == "text 3\ntext 4\ntext 5"
        for _ in range(4):
            app.list.selection.extend(-1)
        await pilot.pause()
        assert app.screen.get_selected_text() == "text 1\ntext 2\nChiyo\ntext 3"


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
async def test_selected_text_can_be_read_in_every_theme(theme: Theme) -> None:
    app = ListApp([message(1, "<p>some <code>code</code></p>")])
    async with app.run_test(size=(40, 8)) as pilot:
        app.register_theme(theme)
        app.theme = theme.name
        await pilot.pause()
        app.list.selection.select_text_of(1)
        await pilot.pause()
        strip = app.list.decorate_row(7, app.list.row_at(7))
        selected = [one for one in strip if one.text.strip() in ("some", "code", "some code")]
        assert "".join(one.text for one in selected) == "some code"
        for one in selected:
            assert one.style is not None
            assert one.style.bgcolor != app.list.base_style.bgcolor
            assert one.style.color != one.style.bgcolor


async def test_without_colours_selected_text_is_reversed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = ListApp([short(1)])
    async with app.run_test(size=(40, 8)) as pilot:
        app.list.selection.select_text_of(1)
        await pilot.pause()
        strip = app.list.decorate_row(7, app.list.row_at(7))
        assert [one.text for one in strip if one.style is not None and one.style.reverse] == ["text 1"]


async def test_wrapped_words_are_whole_in_a_copy() -> None:
    word = "a_word_wider_than_any_row_of_the_screen_is_and_even_wider_than_two_of_them"
    code = "call(first_argument,  second_argument,  third_argument)"
    html = f"<p>so: {word} 漢字漢字漢字漢字漢字漢字漢字漢字漢字 end</p><pre><code>{code}\nnext()</code></pre>"
    app = ListApp([message(1, html)])
    async with app.run_test(size=(40, 20)) as pilot:
        await pilot.pause()
        whole = f"so: {word} 漢字漢字漢字漢字漢字漢字漢字漢字漢字 end\n{code}\nnext()"
        assert app.list.rows.text_of(message(1, html)) == whole
        app.list.selection.select_text_of(1)
        assert app.screen.get_selected_text() == whole


async def test_a_selection_by_keys_begins_anew_in_another_view() -> None:
    app = ListApp([short(number) for number in range(1, 9)])
    async with app.run_test(size=(40, 30)) as pilot:
        await pilot.pause()
        app.list.selection.extend(1)
        app.view.ids = []
        app.list.position.feed_changed()
        await pilot.pause()
        app.list.selection.extend(1)
        app.put(short(50))
        await pilot.pause()
        app.list.selection.extend(-1)
        assert app.screen.get_selected_text() == "text 50"


async def test_the_text_of_a_message_is_whole_whatever_is_closed() -> None:
    spoiler = next(example.html for example in EXAMPLES if example.name == "spoiler")
    thumb = (Reaction("unicode_emoji", "1f44d", "+1", 1),)
    long = message(
        1, "<p>" + "line<br>" * 200 + "</p>" + spoiler, reactions=thumb, flags=frozenset({"collapsed"})
    )
    app = ListApp([long])
    async with app.run_test(size=(60, 20)):
        text = app.list.rows.text_of(long)
    assert text.count("line\n") == 200
    assert "The goat did it." in text
    assert "more" not in text
    assert "👍" not in text
