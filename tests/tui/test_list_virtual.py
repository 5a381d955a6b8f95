"""The virtual list: selection, paging, filter, and work limited to the visible part."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.style import Style
from textual.app import ComposeResult
from textual.strip import Strip

from narrowcast.text import matching
from narrowcast.text.matching import best_matches, shown_matches
from narrowcast.widgets.empty import Empty
from narrowcast.widgets.strips import compose_line, lean_strip, plain_text
from narrowcast.widgets.virtual_list import VirtualList
from support.screens import drag
from support.small_apps import ContextApp


class Names(VirtualList[str]):
    """A list of names; those in capitals are headings. Counts what it renders."""

    rendered = 0

    def render_item(self, item: str, width: int, selected: bool) -> Sequence[Strip]:
        self.rendered += 1
        return [compose_line(width, [(item, Style())], [("7", Style(bold=True))], base=Style())]

    def selectable(self, item: str) -> bool:
        return not item.isupper()


class ListApp(ContextApp):
    def __init__(self, names: list[str]) -> None:
        super().__init__()
        self.names = Names(names, empty=Empty("Nobody here", "Press i to invite."))
        self.chosen: list[object] = []

    def compose(self) -> ComposeResult:
        yield self.names

    def on_virtual_list_selected(self, event: VirtualList.Selected) -> None:
        self.chosen.append(event.item)

    def screen_text(self) -> str:
        height = self.names.content_size.height
        return plain_text(self.names.row_at(y) for y in range(height))


async def test_the_selection_steps_over_headings_and_stops_at_the_ends() -> None:
    app = ListApp(["A", "ada", "B", "bruno"])
    async with app.run_test(size=(20, 6)) as pilot:
        assert app.names.selected_item == "ada"
        await pilot.press("up")
        assert app.names.selected_item == "ada"
        await pilot.press("down", "down", "enter")
        assert app.chosen == ["bruno"]
        assert app.screen_text().splitlines()[:4] == [
            " A                 7",
            " ada               7",
            " B                 7",
            "▌bruno             7",
        ]


class Letters(Names):
    """Names with two rows each, below headings of one row."""

    def rows_of(self, item: str) -> int:
        return 1 if item.isupper() else 2


async def test_items_of_uneven_height_are_stepped_through_paged_clicked_and_scrolled() -> None:
    app = ListApp([])
    app.names = Letters(["A", "ada", "alan", "B", "bruno", "bea", "C", "chiyo"], item_rows=2)
    async with app.run_test(size=(20, 6)) as pilot:
        assert [line.strip(" ▐7▌") for line in app.screen_text().split("\n")] == [
            *("A", "ada", "", "alan", "", "B"),
        ]
        await pilot.click(Names, offset=(3, 4))
        assert app.chosen == ["alan"]
        await pilot.press("down")
        await pilot.pause()
        assert [line.strip(" ▐7▌") for line in app.screen_text().split("\n")] == [
            *("alan", "", "B", "bruno", "", "bea"),
        ], "the selected one is whole in view"
        await pilot.press("end")
        await pilot.pause()
        assert [line.strip(" ▐7▌") for line in app.screen_text().split("\n")] == [
            *("bea", "", "C", "chiyo", "", ""),
        ]
        assert app.names.selected_item == "chiyo"
        await pilot.press("pageup")
        assert app.names.selected_item == "bruno"
        app.names.scroll_to_share(1.0)
        await pilot.pause()
        assert "chiyo" in app.screen_text()
        await pilot.press("home")
        await pilot.pause()
        assert "A" in app.screen_text().split("\n")[0]


async def test_only_what_is_on_the_screen_is_rendered() -> None:
    app = ListApp([f"name {index}" for index in range(100_000)])
    async with app.run_test(size=(30, 10)) as pilot:
        await pilot.pause()
        await pilot.press("end")
        await pilot.press("home", "pagedown", "pagedown")
        await pilot.pause()
        assert app.names.selected_item == "name 20"
        assert app.names.rendered < 100


async def test_a_click_selects_and_chooses() -> None:
    app = ListApp(["ada", "bruno", "chiyo"])
    async with app.run_test(size=(20, 6)) as pilot:
        await pilot.click(Names, offset=(3, 2))
        assert app.chosen == ["chiyo"]


async def test_only_a_press_and_release_on_one_item_chooses_it() -> None:
    app = ListApp([f"name {number}" for number in range(100)])
    async with app.run_test(size=(20, 10)) as pilot:
        await drag(pilot, (19, 2), (5, 6))
        await drag(pilot, (5, 2), (5, 6))
        assert app.chosen == []
        await drag(pilot, (5, 6), (6, 6))
        assert len(app.chosen) == 1


async def test_the_selection_stays_on_its_key_when_items_change() -> None:
    app = ListApp(["ada", "bruno", "chiyo"])
    async with app.run_test(size=(20, 6)) as pilot:
        await pilot.press("down")
        app.names.set_items(["aaron", "ada", "alan", "bruno"])
        assert app.names.selected_item == "bruno"
        app.names.set_items(["ada"])
        assert app.names.selected_item == "ada"
        app.names.set_items([])
        await pilot.pause()
        assert app.names.selected_item is None
        assert "Press i to invite" in " ".join(app.screen_text().split())


async def test_a_filter_shows_the_best_match_first_and_gives_the_selection_back() -> None:
    app = ListApp(["A", "brunhilde", "ada", "bruno", "run"])
    async with app.run_test(size=(20, 6)) as pilot:
        app.names.set_filter("run")
        assert list(app.names.shown) == ["run", "bruno", "brunhilde"]
        assert app.names.selected_item == "run"
        app.names.set_filter("zz")
        assert app.names.selected_item is None
        app.names.set_filter("")
        await pilot.pause()
        assert list(app.names.shown) == ["A", "brunhilde", "ada", "bruno", "run"]


async def test_a_selection_step_asks_for_two_rows_only() -> None:
    app = ListApp([f"name {index}" for index in range(50)])
    async with app.run_test(size=(30, 10)) as pilot:
        await pilot.pause()
        asked: list[object] = []
        refresh = app.names.refresh
        app.names.refresh = lambda *regions, **kwargs: asked.extend(regions) or refresh(*regions, **kwargs)  # type: ignore[method-assign, func-returns-value]  # a spy
        await pilot.press("down")
        await pilot.pause()
        assert len(asked) == 2


def test_prefixes_and_words_come_before_letters_within_words() -> None:
    names = ["marketing", "fire drill", "design review", "engineering", "edges", "ring", "x"]
    assert [names[index] for index in best_matches("ring", names)] == ["ring", "engineering"]
    assert [names[index] for index in best_matches("re", names)] == ["design review", "fire drill"]
    assert best_matches(" ", names) == [0, 1, 2, 3, 4, 5, 6]


def test_names_of_a_lower_rank_come_first_where_words_match() -> None:
    names = matching.SearchedNames(["Group by folder", "User groups", "Regroup"], ranks=[1, 0, 0])
    assert names.best("group") == [1, 0, 2]


def test_displayed_names_rank_before_other_names() -> None:
    shown = ["heart_hands", "heart", "grinning"]
    hidden = [(1, "heart love red_heart"), (2, "grinning heart")]
    assert [shown[index] for index in matching.SearchedNames(shown, hidden=hidden).best("heart")] == [
        "heart",
        "heart_hands",
        "grinning",
    ]


def test_text_that_is_not_shown_is_not_searched_for_one_letter_or_scattered_ones() -> None:
    names = matching.SearchedNames(
        ["tada", "bell"], hidden=[(0, "tada party popper"), (1, "bell notification")]
    )
    assert names.best("p") == []
    assert names.best("ptp") == []
    assert names.best("pop") == names.best("tad pop") == [0]


def test_letters_within_words_match_only_if_they_are_consecutive() -> None:
    names = [
        "Advertise organization in the Zulip communities directory",
        "Go to next unread topic",
        "design",
        "announcements",
    ]
    assert best_matches("zzz", names) == []
    assert best_matches("gnut", names) == best_matches("g nut", names) == [1]
    assert best_matches("dsgn", names) == best_matches("ant", names) == []
    assert best_matches("esi", names) == [2]


def test_what_is_not_shown_is_found_only_by_the_start_of_its_words() -> None:
    names = matching.SearchedNames(["announcements"], hidden=[(0, "announcements read the calendar")])
    assert names.best("cal") == names.best("ann cal") == [0]
    assert names.best("dar") == names.best("rtc") == []


def test_words_match_in_any_order() -> None:
    names = ["Create poll", "Create channel", "Polls that anybody created"]
    assert [names[index] for index in best_matches("poll cre", names)] == ["Create poll", names[2]]
    assert best_matches("poll channel", names) == []


def test_letters_without_accents_find_names_with_them_but_not_the_other_way_round() -> None:
    names = ["Abel", "Béla Ősz", "Bela", "Be\u0301la", "Ψυχή", "한국"]
    assert [names[index] for index in best_matches("bela", names)] == ["Bela", "Be\u0301la", "Béla Ősz"]
    assert [names[index] for index in best_matches("osz", names)] == ["Béla Ősz"]
    assert [names[index] for index in best_matches("BÉ", names)] == ["Be\u0301la", "Béla Ősz"]
    assert [names[index] for index in best_matches("ψυχη", names)] == ["Ψυχή"]
    assert [names[index] for index in best_matches("국", names)] == ["한국"]


def test_a_hostile_name_does_not_stall_the_filter() -> None:
    assert best_matches("a" * 30 + "b", ["a" * 5000] * 3) == []
    assert best_matches("a" * 30 + "b", ["a" + "\u0301" * 5000] * 3) == []


STYLES = ["", "bold", "on red", "underline on red", "red"]


@given(st.lists(st.tuples(st.sampled_from([" ", "a", "漢 ", "   "]), st.sampled_from(STYLES)), max_size=8))
def test_a_lean_strip_shows_the_same_text_in_the_same_cells(parts: list[tuple[str, str]]) -> None:
    left = [(text, Style.parse(style)) for text, style in parts]
    line = compose_line(40, left, base=Style())
    assert line.text.rstrip() == "".join(text for text, _ in parts).rstrip()
    assert sum(cell_len(segment.text) for segment in line) == 40
    again = lean_strip(line, 40)
    assert list(again) == list(line)


async def test_without_the_focus_the_selection_is_a_fainter_bar_and_has_no_ground() -> None:
    app = ListApp(["ada", "bruno"])
    async with app.run_test(size=(20, 4)) as pilot:
        base = app.names.base_style
        focused = [*app.names.row_at(0)]
        app.screen.set_focus(None)
        await pilot.pause()
        unfocused = [*app.names.row_at(0)]
        assert all(one.style is not None and one.style.bgcolor != base.bgcolor for one in focused)
        assert all(one.style is not None and one.style.bgcolor == base.bgcolor for one in unfocused)
        assert unfocused[0].text[0] == focused[0].text[0] == "▌"
        bars = [one.style.color for one in (focused[0], unfocused[0]) if one.style is not None]
        assert bars[0] != bars[1]


async def test_a_thumb_fills_its_cells_so_that_it_has_no_gaps_in_any_font() -> None:
    app = ListApp([f"name {number}" for number in range(9)])
    async with app.run_test(size=(20, 4)):
        *_, thumb = app.names.row_at(0)
        assert (thumb.text, thumb.style is not None and thumb.style.bgcolor) == (
            "▐",
            thumb.style and thumb.style.color,
        )


@pytest.mark.parametrize("rows", [1, 2])
async def test_a_bar_fills_its_cells_if_it_has_several_rows(rows: int) -> None:
    app = ListApp(["ada", "bruno"])
    app.names.item_rows = rows
    async with app.run_test(size=(20, 4)):
        bar = next(iter(app.names.row_at(rows - 1)))
        assert bar.text[0] == "▌"
        assert bar.style is not None
        assert (bar.style.bgcolor == bar.style.color) is (rows > 1)


@pytest.mark.parametrize(
    ("typed", "name", "lit"),
    [
        ("gu", "engineering › gusts", "gu"),
        ("ENG gu", "engineering › gusts", "eng gu"),
        ("ring", "engineering › ring", "ring"),
        ("#eng", "engineering", "eng"),
        ("cafe", "Café", "Café"),
        ("eg", "engineering › gusts", ""),
        ("straße", "Straße", ""),
        ("", "general", ""),
        ("gen zzz", "general", ""),
        ("ss", "\u00dfe\u0301x", ""),
    ],
)
def test_what_was_typed_is_found_in_a_name_that_matches(typed: str, name: str, lit: str) -> None:
    spans = shown_matches(typed, name)
    assert " ".join(name[start:end] for start, end in spans) == lit
    if typed == "ring":
        assert spans == [(14, 18)], "a word that begins with it comes first"
