"""The list of messages: headings, senders and notes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from rich.console import Console
from textual.geometry import Region

from narrowcast.content.reader import parse
from narrowcast.panes.messages.painting import FoundText
from narrowcast.terminal.screen_memory import ScreenMemory, WidgetRows
from narrowcast.widgets.empty import Empty
from narrowcast_api.model.messages import Match, Reaction
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.state.state import State
from narrowcast_api.state.timeline import Gap
from support import live
from support.content_examples import EXAMPLES
from support.message_stage import staged
from support.message_views import FIRST_TIME, ListApp, message, short


async def test_a_run_of_one_sender_has_one_heading_and_days_are_set_apart() -> None:
    app = ListApp([short(1), short(2), short(3), short(4, timestamp=FIRST_TIME + 90_000)])
    async with app.run_test(size=(50, 12)) as pilot:
        await pilot.pause()
        assert app.rows() == [
            "",
            "",
            "",
            "  ─────────────── Tue 14 Nov 2023 ───────────────",
            "  Bruno  22:14",
            "    text 1",
            "  · text 2",
            "  Chiyo  22:16",
            "    text 3",
            "  ─────────────── Wed 15 Nov 2023 ───────────────",
            "▌ Chiyo  23:13",
            "▌   text 4",
        ]


async def test_conversations_have_headings_where_they_mix_and_one_stays_in_sight() -> None:
    direct = short(3, channel_id=None, topic=None, direct_user_ids=frozenset({1, 2, 3}))
    app = ListApp(
        [short(1), short(2), direct, *(short(number) for number in range(4, 40))], narrow=Narrow.all()
    )
    async with app.run_test(size=(50, 14)) as pilot:
        app.list.position.to_oldest()
        await pilot.pause()
        rows = app.rows()
        date = "  ─────────────── Tue 14 Nov 2023 ───────────────"
        assert rows[:5] == ["", date, "  #general › tests", rows[3], "▌   text 1"]
        assert rows[6] == "  @ Bruno, Chiyo"
        app.list.scroll_rows(9)
        await pilot.pause()
        assert app.rows()[0] == "  #general › tests                Tue 14 Nov 2023"


async def test_the_heading_that_stays_in_sight_never_doubles_the_one_below_it() -> None:
    talks = [short(number, topic=f"talk {number // 3}") for number in range(1, 40)]
    app = ListApp(talks, narrow=Narrow.all())
    async with app.run_test(size=(50, 14)) as pilot:
        app.list.position.to_oldest()
        firsts = []
        for _ in range(40):
            await pilot.pause()
            rows = app.rows()
            firsts.append(rows[0])
            next_text = next(number for number, row in enumerate(rows) if number and "text" in row)
            headings = [row for row in rows[:next_text] if "#general › " in row]
            assert len(headings) <= 1, rows
            app.list.scroll_rows(1)
        assert sum(first.startswith("  #general › talk 0") for first in firsts) >= 3
        assert sum("text" in first for first in firsts) >= 5  # the row before a heading that scrolls out


async def test_an_empty_list_tells_why_in_whole_and_harmless_lines() -> None:
    app = ListApp([])
    async with app.run_test(size=(40, 10)) as pilot:
        app.list.empty = Empty(
            "No connection",
            "The server cannot be reached \x1b[2J (no route to the host that was asked for).\nAgain?",
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
        assert [row.strip(" ─") for row in rows[-6:-3]] == ["text 1", "unread from here", "Bruno  22:15"]


async def test_a_gap_is_shown_where_messages_may_be_missing() -> None:
    app = ListApp([short(1), short(9)], gaps=(Gap(1, 9),))
    async with app.run_test(size=(90, 10)) as pilot:
        await pilot.pause()
        assert sum("older messages may be missing" in row for row in app.rows()) == 1
        app.view.gaps = (Gap(9, None),)
        app.list.position.feed_changed()
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
            "▌★Bruno  22:14  edited  moved",
            "▌   text 1",
            "▌   \u00a0🎉\u00a02\u00a0 \u00a0:wren:\u00a01",
        ]


async def test_a_me_message_reads_as_one_line() -> None:
    app = ListApp([message(1, "<p>/me waves <em>slowly</em></p>", is_me_message=True)])
    async with app.run_test(size=(50, 5)) as pilot:
        await pilot.pause()
        assert app.rows()[-1] == "▌   Bruno waves slowly  22:14"


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


async def test_link_previews_are_hidden_where_the_user_has_hidden_them() -> None:
    embed = (
        '<p>see <a href="https://a.example/m">https://a.example/m</a></p><div class="message_embed">'
        '<div class="message_embed_title"><a href="https://a.example/m">The wren</a></div>'
        '<div class="message_embed_description">A bird</div></div>'
    )
    for flags, shown in ((frozenset(), True), (frozenset({"hide_link_previews"}), False)):
        app = ListApp([message(1, embed, flags=flags)])
        async with app.run_test(size=(60, 8)) as pilot:
            await pilot.pause()
            text = "\n".join(app.rows())
            assert "https://a.example/m" in text
            assert ("The wren" in text) is shown
            assert ("A bird" in text) is shown


async def test_one_message_that_cannot_be_shown_is_a_placeholder(monkeypatch: pytest.MonkeyPatch) -> None:
    from narrowcast.panes.messages import rows as message_rows

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


async def test_spoilers_open_and_long_messages_unfold() -> None:
    spoiler = next(example.html for example in EXAMPLES if example.name == "spoiler")
    app = ListApp([message(1, spoiler), message(2, "<p>" + "line<br>" * 200 + "</p>")])
    async with app.run_test(size=(60, 20)) as pilot:
        app.list.reshape(1, opened=frozenset({0}))
        app.list.position.jump(1)
        await pilot.pause()
        assert any("The goat did it." in row for row in app.rows())
        rows = app.list.rows.of(2)
        assert rows is not None
        assert rows.cut
        app.list.reshape(2, rows=600)
        rows = app.list.rows.of(2)
        assert rows is not None
        assert len(rows.rows) >= 200


async def test_a_long_name_of_a_channel_leaves_room_for_the_topic() -> None:
    app = ListApp([short(1)], narrow=Narrow.all())
    live.apply(
        app.state,
        {
            "id": 1,
            "type": "stream",
            "op": "update",
            "stream_id": live.GENERAL,
            "name": "general",
            "property": "name",
            "value": "long " * 40,
        },
    )
    async with app.run_test(size=(60, 8)) as pilot:
        await pilot.pause()
        assert any(re.match(r"  #(long )+lo?n?g?… › tests", row) for row in app.rows())


async def test_a_match_is_highlighted_and_the_row_keeps_its_text() -> None:
    app = ListApp([message(1, "<p>Wrens and <b>wre</b>ns 漢 wrens</p>")])
    async with app.run_test(size=(60, 6)) as pilot:
        await pilot.pause()
        before = app.rows()
        app.list.overlay = FoundText("wrens")
        assert app.rows() == before
        lit = "".join(s.text for s in app.list.row_at(5) if s.style is not None and s.style.reverse)
        assert lit == "Wrenswrenswrens"


@pytest.mark.parametrize("typed", ["wrens", "Straße", "straße"])
async def test_a_match_beside_a_letter_that_is_two_in_capitals_is_highlighted(typed: str) -> None:
    app = ListApp([message(1, "<p>Wrens in der Straße</p>")])
    async with app.run_test(size=(60, 6)) as pilot:
        await pilot.pause()
        app.list.overlay = FoundText(typed)
        lit = "".join(s.text for s in app.list.row_at(5) if s.style is not None and s.style.reverse)
        assert lit.casefold() == typed.casefold()


async def test_alert_words_are_lit_in_the_messages_that_the_server_found_them_in() -> None:
    html = "<p>Soup and soups, SOUP.</p>"
    found = message(1, html, flags=frozenset({"read", "has_alert_word", "historical"}))
    app = ListApp([found, message(2, html)])
    app.state.users.alert_words = ("soup", "")
    async with app.run_test(size=(60, 8)) as pilot:
        await pilot.pause()
        lit = [
            [one.text for one in app.list.row_at(y) if one.style is not None and one.style.reverse]
            for y in range(8)
            if "Soup" in app.rows()[y]
        ]
        assert lit == [["Soup", "SOUP"], []]
        assert any("from before you subscribed" in row for row in app.rows())


async def test_a_link_over_several_rows_is_one_link_of_the_terminal_on_each() -> None:
    address = "https://x.example/" + "long/" * 30 + "\u00e9"
    app = ListApp([message(1, f'<p><a href="{address}">{address}</a></p>')])
    async with app.run_test(size=(60, 12)) as pilot:
        await pilot.pause()
        linked = {
            one.style.link
            for y in range(12)
            for one in app.list.row_at(y)
            if one.style is not None and one.text.strip(" \u258c") and "long" in one.text
        }
        assert linked == {address.replace("\u00e9", "%C3%A9")}
        rows = [y for y in range(12) if "long" in app.rows()[y]]
        assert len(rows) > 2
        memory, console = ScreenMemory(), Console(color_system="truecolor", force_terminal=True)
        places = [
            memory.of_rows(WidgetRows(Region(0, y, 60, 1), {0: app.list.row_at(y)}, {}), console)
            for y in rows
        ]
        ids = {found for text in places for found in re.findall(r"\x1b\]8;id=([0-9a-f]+);https", text)}
        assert len(ids) == 1
        assert all(text.count("\x1b]8;;") for text in places)


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


async def test_no_conversation_name_is_made_up_before_anything_is_known() -> None:
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


async def test_the_selected_message_says_its_time_within_a_run_where_its_row_is_blank() -> None:
    full = message(2, "<p>" + "x" * 35 + " end</p>", sender_id=2)
    app = ListApp([short(1), full, short(3, sender_id=2)])
    async with app.run_test(size=(40, 8)) as pilot:
        await pilot.pause()
        assert app.rows()[-1] == "▌ · text 3  22:16"
        assert not any("22:15" in row for row in app.rows())
        app.list.position.step(-1)
        await pilot.pause()
        assert app.rows()[-3:] == [
            "▌ · " + "x" * 35,
            "▌   end  22:15",
            "  · text 3",
        ]


async def test_the_line_of_a_gap_below_is_not_part_of_the_message() -> None:
    app = ListApp([short(1)], gaps=(Gap(1, None),))
    async with app.run_test(size=(90, 8)) as pilot:
        await pilot.pause()
        assert app.rows()[-2:] == [
            "▌   text 1",
            "  ┄┄ newer messages may be missing here until the connection is back ┄┄",
        ]
        app.list.selection.select_text_of(1)
        assert app.screen.get_selected_text() == "text 1"


async def test_a_wide_table_is_panned_no_further_than_it_goes(tmp_path: Path) -> None:
    async with staged(tmp_path, (60, 20)) as stage:
        cells = " | ".join(f"column {number}" for number in range(9))
        await stage.server.send("bruno", "general", "soup", f"|{cells}|\n|{'---|' * 9}\n|{cells}|")
        await stage.show(stage.topic, "newest")
        await stage.see("] 2 columns to the right")
        assert ("message.pan-right", "more columns") in stage.pane.selected_hints
        for _ in range(30):
            await stage.press("]")
        await stage.see("[ 2 columns to the left")
        await stage.see(" 8")
        await stage.press("[")
        await stage.see("[ 1 column to the left · ] 1 column to the right")


async def test_without_the_focus_the_selected_message_has_a_bar_but_no_ground() -> None:
    app = ListApp([short(1)])
    async with app.run_test(size=(40, 8)) as pilot:
        await pilot.pause()
        base = app.list.base_style
        assert all(one.style is not None and one.style.bgcolor != base.bgcolor for one in app.list.row_at(7))
        app.screen.set_focus(None)
        await pilot.pause()
        bar, *rest = app.list.row_at(7)
        assert (bar.text, bar.style is not None and bar.style.bgcolor) == ("▌", bar.style and bar.style.color)
        assert all(one.style is not None and one.style.bgcolor == base.bgcolor for one in rest)
