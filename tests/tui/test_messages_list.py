"""The list of messages: what it says, where it stands, and that its cost follows the screen."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from textual.geometry import Offset, Region
from textual.selection import Selection
from textual.theme import Theme

from narrowcast.content.parse import parse
from narrowcast.panes.message_overlays import Found, Hints, hint_labels
from narrowcast.themes import THEMES
from narrowcast_api.destinations import ChannelDestination
from narrowcast_api.narrow import Narrow
from narrowcast_api.protocols.outbox_entry import OutboxEntry, OutboxState
from narrowcast_api.state.messages import Message, Reaction
from narrowcast_api.state.state import State
from narrowcast_api.state.timeline import Gap
from narrowcast_api.views import Match
from support import live
from support.content_examples import EXAMPLES
from support.message_views import FIRST_TIME, ListApp, message


def short(number: int, **fields: object) -> Message:
    return message(number, f"<p>text {number}</p>", **fields)


async def test_a_run_of_one_sender_has_one_heading_and_days_are_set_apart() -> None:
    app = ListApp([short(1), short(2), short(3), short(4, timestamp=FIRST_TIME + 90_000)])
    async with app.run_test(size=(50, 12)) as pilot:
        await pilot.pause()
        assert app.rows() == [
            "",
            "",
            "",
            "  ── Tue 14 Nov 2023 ──",
            "  Bruno                                     22:14",
            "    text 1",
            "  · text 2",
            "  Chiyo                                     22:16",
            "    text 3",
            "  ── Wed 15 Nov 2023 ──",
            "▌ Chiyo                                     23:13",
            "▌   text 4",
        ]


async def test_conversations_have_headings_where_they_mix_and_one_stays_in_sight() -> None:
    direct = short(3, channel_id=None, topic=None, direct_user_ids=frozenset({1, 2, 3}))
    app = ListApp(
        [short(1), short(2), direct, *(short(number) for number in range(4, 40))], narrow=Narrow.all()
    )
    async with app.run_test(size=(50, 14)) as pilot:
        app.list.to_oldest()
        await pilot.pause()
        rows = app.rows()
        assert rows[0] == "  #general › tests                Tue 14 Nov 2023"
        assert rows[1:5] == ["  ── Tue 14 Nov 2023 ──", "  #general › tests", rows[3], "▌   text 1"]
        assert rows[6] == "  @ Bruno, Chiyo"
        app.list.scroll_rows(9)
        await pilot.pause()
        assert app.rows()[0].startswith("  #general › tests")


async def test_an_empty_list_tells_why_in_whole_and_harmless_lines() -> None:
    app = ListApp([])
    async with app.run_test(size=(40, 10)) as pilot:
        app.list.empty_text = (
            "The server cannot be reached \x1b[2J (no route to the host that was asked for).\nAgain?"
        )
        app.list.changed()
        await pilot.pause()
        rows = [app.list.compose_row(row).text for row in range(8)]
        assert "that was asked for). Again?" in " ".join(" ".join(rows).split())
        assert "\x1b" not in "".join(rows)


async def test_the_unread_line_stands_before_the_first_unread_message() -> None:
    app = ListApp([short(number) for number in range(1, 4)], first_unread=2)
    async with app.run_test(size=(40, 10)) as pilot:
        await pilot.pause()
        rows = app.rows()
        assert rows.index("  ━━ unread from here ━━") == rows.index("    text 1") + 1


async def test_a_gap_is_shown_where_messages_may_be_missing() -> None:
    app = ListApp([short(1), short(9)], gaps=(Gap(1, 9),))
    async with app.run_test(size=(90, 10)) as pilot:
        await pilot.pause()
        assert sum("older messages may be missing" in row for row in app.rows()) == 1
        app.view.gaps = (Gap(9, None),)
        app.list.feed_changed()
        await pilot.pause()
        assert "newer messages may be missing" in app.rows()[-1]


async def test_marks_tell_of_edits_moves_stars_reactions_and_bots() -> None:
    reactions = (
        Reaction("tada", "1f389", "unicode_emoji", 1),
        Reaction("tada", "1f389", "unicode_emoji", 2),
        Reaction("wren", "7", "realm_emoji", 3),
    )
    marked = short(1, edited_at=1, moved_at=1, flags=frozenset({"starred"}), reactions=reactions)
    app = ListApp([marked])
    async with app.run_test(size=(50, 6)) as pilot:
        await pilot.pause()
        assert app.rows()[-3:] == [
            "▌★Bruno                        edited moved 22:14",
            "▌   text 1",
            "▌   [🎉\u00a02]  :wren:\u00a01",
        ]


async def test_a_me_message_reads_as_one_line() -> None:
    app = ListApp([message(1, "<p>/me waves <em>slowly</em></p>", is_me_message=True)])
    async with app.run_test(size=(50, 5)) as pilot:
        await pilot.pause()
        assert app.rows()[-1] == "▌   Bruno waves slowly                      22:14"


async def test_muted_people_and_collapsed_messages_are_hidden_until_asked_for() -> None:
    app = ListApp([short(1, flags=frozenset({"collapsed"})), short(3)])
    app.state.users.mute([{"id": 3, "timestamp": 1}])
    async with app.run_test(size=(60, 8)) as pilot:
        await pilot.pause()
        text = "\n".join(app.rows())
        assert "text 1" not in text
        assert "text 3" not in text
        app.list.reshape(1, revealed=True)
        app.list.reshape(3, revealed=True)
        await pilot.pause()
        text = "\n".join(app.rows())
        assert "text 1" in text
        assert "text 3" in text


async def test_older_messages_arrive_above_without_moving_a_line() -> None:
    app = ListApp([message(number) for number in range(1000, 1200)], found_oldest=False)
    async with app.run_test(size=(60, 20)) as pilot:
        app.list.jump(1040)
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
        app.list.step(-1)
        app.list.page(-1)
        await pilot.pause()
        before = app.rows()
        app.put(short(101))
        await pilot.pause()
        assert [row[:59] for row in app.rows()] == [row[:59] for row in before]


async def test_a_chosen_message_stays_selected_when_new_ones_arrive() -> None:
    app = ListApp([short(number) for number in range(1, 10)])
    async with app.run_test(size=(60, 30)) as pilot:
        app.list.step(-1)
        await pilot.pause()
        app.put(short(10))
        await pilot.pause()
        assert app.list.selected == 8
        app.list.to_newest()
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
        app.list.select(5)
        await pilot.pause()
        app.drop(5)
        await pilot.pause()
        assert app.list.selected == 6
        app.drop(*range(1, 10))
        await pilot.pause()
        assert app.rows() == [""] * 30


async def test_a_changed_message_is_laid_out_again_and_no_other() -> None:
    app = ListApp([short(number) for number in range(1, 10)])
    async with app.run_test(size=(60, 30)) as pilot:
        await pilot.pause()
        made = app.list.made
        app.put(message(4, "<p>other words</p>"))
        await pilot.pause()
        assert app.list.made == made + 1
        assert any("other words" in row for row in app.rows())


async def test_one_message_that_cannot_be_shown_is_a_placeholder(monkeypatch: pytest.MonkeyPatch) -> None:
    from narrowcast.panes import message_rows

    real = parse

    def poisoned(html: str, rows: int) -> object:
        if "poison" in html:
            raise RuntimeError("poison")
        return real(html, rows)

    monkeypatch.setattr(message_rows, "parse", poisoned)
    app = ListApp([short(1), message(2, "<p>poison</p>"), short(4)])
    async with app.run_test(size=(70, 12)) as pilot:
        await pilot.pause()
        rows = app.rows()
        assert any("cannot be shown here" in row for row in rows)
        assert any("text 4" in row for row in rows)


async def test_messages_count_as_seen_once_their_end_was_in_view_and_none_is_skipped() -> None:
    app = ListApp([short(number, sender_id=2) for number in range(1, 200)])
    async with app.run_test(size=(60, 12)) as pilot:
        await pilot.pause()
        app.seen.clear()
        app.list.jump(20)
        await pilot.pause()
        assert set(app.seen) <= set(range(15, 32))
        first = min(app.seen)
        for _ in range(6):
            app.list.page(1)
        await pilot.pause()
        assert sorted(app.seen) == list(range(first, max(app.seen) + 1))
        assert max(app.seen) > 70
        app.seen.clear()
        app.list.jump(150)
        await pilot.pause()
        assert min(app.seen) > 140


async def test_a_message_higher_than_the_screen_is_seen_when_its_end_is() -> None:
    long = message(2, "<p>" + "line<br>" * 40 + "</p>")
    app = ListApp([short(1), long])
    async with app.run_test(size=(60, 12)) as pilot:
        await pilot.pause()
        app.list.jump(1)
        app.list.select(2)
        await pilot.pause()
        app.seen.clear()
        app.list.look_again()
        await pilot.pause()
        assert 2 not in app.seen
        for _ in range(8):
            app.list.step(1)
        await pilot.pause()
        assert 2 in app.seen


async def test_spoilers_open_and_long_messages_unfold() -> None:
    spoiler = next(example.html for example in EXAMPLES if example.name == "spoiler")
    app = ListApp([message(1, spoiler), message(2, "<p>" + "line<br>" * 200 + "</p>")])
    async with app.run_test(size=(60, 20)) as pilot:
        app.list.reshape(1, opened=frozenset({0}))
        app.list.jump(1)
        await pilot.pause()
        assert any("The goat did it." in row for row in app.rows())
        rows = app.list.rows_of(2)
        assert rows is not None
        assert rows.cut
        app.list.reshape(2, rows=600)
        rows = app.list.rows_of(2)
        assert rows is not None
        assert len(rows.rows) >= 200


async def test_hints_put_a_key_on_every_place_in_view() -> None:
    html = '<p><a href="/one">one</a> and <a href="/two">two</a></p>'
    app = ListApp([message(1, html)])
    async with app.run_test(size=(60, 6)) as pilot:
        await pilot.pause()
        spots = app.list.spots_in_view()
        assert [(key, number) for _, key, number in spots] == [(1, 0), (1, 1)]
        app.list.overlay = Hints(dict(zip(spots, hint_labels(2), strict=True)))
        app.list.changed()
        await pilot.pause()
        assert app.rows()[-1] == "▌   ane and swo"


def test_hint_labels_differ_and_have_one_length() -> None:
    for count in (0, 1, 26, 27, 300):
        labels = hint_labels(count)
        assert len(set(labels)) == count
        assert len({len(label) for label in labels}) <= 1


async def test_what_was_found_is_lit_and_the_row_keeps_its_text() -> None:
    app = ListApp([message(1, "<p>Wrens and <b>wre</b>ns 漢 wrens</p>")])
    async with app.run_test(size=(60, 6)) as pilot:
        await pilot.pause()
        before = app.rows()
        app.list.overlay = Found("wrens")
        assert app.rows() == before
        lit = "".join(s.text for s in app.list.row_at(5) if s.style is not None and s.style.reverse)
        assert lit == "Wrenswrenswrens"


def selected(app: ListApp, start: Offset, end: Offset) -> str:
    found = app.list.get_selection(Selection(start, end))
    assert found is not None
    return found[0]


async def test_selected_text_joins_wrapped_lines_and_leaves_decoration_out() -> None:
    app = ListApp([message(1, "<blockquote><p>" + "word " * 20 + "</p></blockquote>"), short(2)])
    async with app.run_test(size=(40, 20)) as pilot:
        await pilot.pause()
        rows = app.list.rows_of(1)
        assert rows is not None
        first = rows.lead + 1
        text = selected(app, Offset(5, (1 << 16) + first), Offset(6, (2 << 16)))
        assert text == ("word " * 19).strip() + "\ntext 2"


async def test_a_selection_survives_older_messages_and_is_painted() -> None:
    app = ListApp([short(number) for number in range(10, 20)])
    async with app.run_test(size=(40, 30)) as pilot:
        await pilot.pause()
        app.list.select_text_of(15)
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


def spy(app: ListApp) -> list[Region]:
    asked: list[Region] = []
    refresh = app.list.refresh

    def noted(*regions: Region, **options: bool) -> object:
        asked.extend(regions)
        return refresh(*regions, **options)

    app.list.refresh = noted  # type: ignore[method-assign, assignment]  # a spy
    return asked


async def test_a_hundred_thousand_messages_cost_what_one_screen_costs() -> None:
    messages = [message(number) for number in range(1, 100_001)]
    app = ListApp(messages)
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.pause()
        assert app.list.made < 60
        asked = spy(app)
        made = app.list.made
        app.list.step(-1)
        await pilot.pause()
        assert app.list.made - made <= 3
        assert len(asked) < 10
        assert sum(region.area for region in asked if region.width > 1) <= 2 * 100
        asked.clear()
        app.put(message(100_001))
        await pilot.pause()
        assert app.list.made - made <= 6
        made = app.list.made
        for _ in range(10):
            app.list.page(-1)
        await pilot.pause()
        assert app.list.made - made < 400
        made = app.list.made
        app.list.jump(50_000)
        await pilot.pause()
        assert app.list.made - made < 60
        made = app.list.made
        app.list.scroll_to_share(0.1)
        await pilot.pause()
        assert app.list.made - made < 60


async def test_an_idle_list_repaints_nothing() -> None:
    app = ListApp([message(number) for number in range(1, 100)])
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.pause()
        asked = spy(app)
        app.list.feed_changed()
        await pilot.pause()
        await pilot.pause()
        assert asked == []


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (200, 60), (20, 3), (1, 1)])
async def test_every_kind_of_content_shows_at_every_size(size: tuple[int, int]) -> None:
    app = ListApp([message(number, example.html) for number, example in enumerate(EXAMPLES, 1)])
    async with app.run_test(size=size) as pilot:
        for _ in range(6):
            app.list.page(-1)
            await pilot.pause()
            assert all(app.list.row_at(y).cell_length == size[0] for y in range(size[1]))


async def test_the_list_stays_where_it_is_when_the_screen_changes_its_size() -> None:
    app = ListApp([message(number) for number in range(1, 300)])
    async with app.run_test(size=(100, 30)) as pilot:
        app.list.jump(150)
        await pilot.pause()
        top = next(row for row in app.rows() if row.strip())
        await pilot.resize_terminal(60, 20)
        await pilot.pause()
        assert any(word in "\n".join(app.rows()) for word in top.split()[:1])
        assert app.list.selected == 150


def numbers(rows: Sequence[str]) -> list[int]:
    return [int(row.partition("text ")[2].split()[0]) for row in rows if "text " in row]


async def test_burst_of_messages_is_one_layout() -> None:
    app = ListApp([short(1)])
    async with app.run_test(size=(60, 30)) as pilot:
        await pilot.pause()
        made = app.list.made
        for number in range(2, 1002):
            app.state.add_messages([short(number)])
            app.view.ids = [*app.view.ids, number]
            app.list.feed_changed()
        await pilot.pause()
        assert app.list.made - made < 60
        assert numbers(app.rows())[-1] == 1001


async def test_names_come_from_the_state_as_it_is_now() -> None:
    mention = '<p><span class="user-mention" data-user-id="3">@Old</span></p>'
    app = ListApp([message(1, mention)])
    async with app.run_test(size=(60, 6)) as pilot:
        await pilot.pause()
        assert app.rows()[-1] == "▌   @Chiyo"
        live.apply(
            app.state,
            {
                "id": 1,
                "type": "realm_user",
                "op": "update",
                "person": {"user_id": 3, "full_name": "Chiyo T."},
            },
        )
        app.list.names_changed()
        await pilot.pause()
        assert app.rows()[-1] == "▌   @Chiyo T."


async def test_a_search_marks_the_words_that_it_found() -> None:
    app = ListApp([short(1)], matches={1: Match('<p><span class="highlight">text</span> 1</p>', "tests")})
    async with app.run_test(size=(60, 6)) as pilot:
        await pilot.pause()
        lit = [one.text for one in app.list.row_at(5) if one.style is not None and one.style.reverse]
        assert lit == ["text"]
        assert app.rows()[-1] == "▌   text 1"


async def test_keys_select_text_by_rows_over_several_messages() -> None:
    app = ListApp([short(number) for number in range(1, 9)])
    async with app.run_test(size=(40, 30)) as pilot:
        app.list.select(3)
        await pilot.pause()
        app.list.extend_selection(1)
        assert app.screen.get_selected_text() == "text 3"
        app.list.extend_selection(1)
        app.list.extend_selection(1)
        await pilot.pause()
        assert app.screen.get_selected_text() == "text 3\ntext 4\ntext 5"
        for _ in range(4):
            app.list.extend_selection(-1)
        await pilot.pause()
        assert app.screen.get_selected_text() == "text 1\ntext 2\nChiyo\ntext 3"


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
async def test_selected_text_can_be_read_in_every_theme(theme: Theme) -> None:
    app = ListApp([message(1, "<p>some <code>code</code></p>")])
    async with app.run_test(size=(40, 8)) as pilot:
        app.register_theme(theme)
        app.theme = theme.name
        await pilot.pause()
        app.list.select_text_of(1)
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
        app.list.select_text_of(1)
        await pilot.pause()
        strip = app.list.decorate_row(7, app.list.row_at(7))
        assert [one.text for one in strip if one.style is not None and one.style.reverse] == ["text 1"]


async def test_what_had_to_be_broken_is_whole_in_a_copy() -> None:
    word = "a_word_wider_than_any_row_of_the_screen_is_and_even_wider_than_two_of_them"
    code = "call(first_argument,  second_argument,  third_argument)"
    html = f"<p>so: {word} 漢字漢字漢字漢字漢字漢字漢字漢字漢字 end</p><pre><code>{code}\nnext()</code></pre>"
    app = ListApp([message(1, html)])
    async with app.run_test(size=(40, 20)) as pilot:
        await pilot.pause()
        whole = f"so: {word} 漢字漢字漢字漢字漢字漢字漢字漢字漢字 end\n{code}\nnext()"
        assert app.list.text_of(message(1, html)) == whole
        app.list.select_text_of(1)
        assert app.screen.get_selected_text() == whole


SOUP = ChannelDestination(live.GENERAL, "tests")


@pytest.mark.parametrize(
    ("state", "age", "more", "note"),
    [
        (OutboxState.SENDING, 0.1, {}, None),
        (OutboxState.WAITING, 2.0, {}, "waiting to be sent… F9 takes it back"),
        (OutboxState.SENDING, 2.0, {}, "sending…"),
        (OutboxState.SENDING, 20.0, {}, "still sending… F9 takes it back"),
        (OutboxState.WAITING, 2.0, {"waits_for": "x"}, "waiting for the message before it"),
        (OutboxState.UNCONFIRMED, 2.0, {}, "unconfirmed: it may have arrived."),
        (
            OutboxState.FAILED,
            2.0,
            {"error": "Too long."},
            "not sent: Too long. F8 tries again, F9 takes it back",
        ),
    ],
)
async def test_a_message_on_its_way_says_how_it_is(
    state: OutboxState, age: float, more: dict[str, str], note: str | None
) -> None:
    app = ListApp([short(1)])
    entry = OutboxEntry("l1", SOUP, "from me\n\x1b[31m**so**", state, FIRST_TIME - age, **more)  # type: ignore[arg-type]  # its optional fields
    app.feed.echoes = [entry]
    async with app.run_test(size=(70, 9)) as pilot:
        await pilot.pause()
        rows = [row.removeprefix("▌").strip() for row in app.rows() if row.strip()]
        begin = rows.index("from me")
        assert rows[begin - 1].startswith("Ada")
        assert rows[begin + 1] == "␛[31m**so**"
        assert rows[begin + 2 :] == [] if note is None else " ".join(rows[begin + 2 :]).startswith(note)


async def test_a_selection_by_keys_begins_anew_in_another_view() -> None:
    app = ListApp([short(number) for number in range(1, 9)])
    async with app.run_test(size=(40, 30)) as pilot:
        await pilot.pause()
        app.list.extend_selection(1)
        app.view.ids = []
        app.list.feed_changed()
        await pilot.pause()
        app.list.extend_selection(1)
        app.put(short(50))
        await pilot.pause()
        app.list.extend_selection(-1)
        assert app.screen.get_selected_text() == "text 50"


async def test_the_text_of_a_message_is_whole_whatever_is_closed() -> None:
    spoiler = next(example.html for example in EXAMPLES if example.name == "spoiler")
    thumb = (Reaction("unicode_emoji", "1f44d", "+1", 1),)
    long = message(
        1, "<p>" + "line<br>" * 200 + "</p>" + spoiler, reactions=thumb, flags=frozenset({"collapsed"})
    )
    app = ListApp([long])
    async with app.run_test(size=(60, 20)):
        text = app.list.text_of(long)
    assert text.count("line\n") == 200
    assert "The goat did it." in text
    assert "more" not in text
    assert "👍" not in text


async def test_places_are_not_made_up_before_anything_is_known() -> None:
    app = ListApp([short(1), short(2, channel_id=None, topic=None, direct_user_ids=frozenset({1, 2}))])
    app.view.narrow = Narrow.all()
    app.feed.mixed = True
    empty = State(1)
    empty.add_messages(
        [one for one in (app.state.messages.get(1), app.state.messages.get(2)) if one is not None]
    )
    app.feed.names.state = empty
    async with app.run_test(size=(60, 12)) as pilot:
        await pilot.pause()
        rows = "\n".join(app.rows())
    assert "#… › tests" in rows
    assert "@ …" in rows
    assert "Unknown" not in rows


async def test_the_newest_is_selected_when_asked_for_where_conversations_mix() -> None:
    app = ListApp([short(number) for number in range(1, 6)], narrow=Narrow.all())
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.pause()
        app.list.step(-2)
        app.list.to_newest()
        assert app.list.selected == 5
        await pilot.pause()
        assert app.list.selected == 5


async def test_the_selected_message_says_its_time_within_a_run_where_its_row_is_blank() -> None:
    full = message(2, "<p>" + "x" * 35 + " end</p>", sender_id=2)
    app = ListApp([short(1), full, short(3, sender_id=2)])
    async with app.run_test(size=(40, 8)) as pilot:
        await pilot.pause()
        assert app.rows()[-1] == "▌ · text 3                        22:16"
        assert not any("22:15" in row for row in app.rows())
        app.list.step(-1)
        await pilot.pause()
        assert app.rows()[-3:] == [
            "▌ · " + "x" * 35,
            "▌   end                           22:15",
            "  · text 3",
        ]


async def test_the_line_of_a_gap_below_is_no_part_of_the_message() -> None:
    app = ListApp([short(1)], gaps=(Gap(1, None),))
    async with app.run_test(size=(90, 8)) as pilot:
        await pilot.pause()
        assert app.rows()[-2:] == [
            "▌   text 1",
            "  ┄┄ newer messages may be missing here until the connection is back ┄┄",
        ]
        app.list.select_text_of(1)
        assert app.screen.get_selected_text() == "text 1"
