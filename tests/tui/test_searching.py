"""The search box: completion, the shared resolver, errors in the box, and the cache without a network."""

from __future__ import annotations

from pathlib import Path

import pytest

from narrowcast.screens.dialogs.ask import AskScreen
from narrowcast.screens.dialogs.picker import ChoiceList
from narrowcast.screens.dialogs.search import TermCompletion
from narrowcast.screens.messages.found import FoundScreen
from narrowcast.text import names
from narrowcast.text.search_completion import offers
from narrowcast_api.narrow.narrow import Narrow, Term
from narrowcast_api.narrow.resolve import resolve
from narrowcast_api.sync.local_search import search_cache
from support.live import GENERAL, make_state
from support.screens import screen_text
from support.sessions import until
from support.stage import Stage, on_stage


def box(stage: Stage) -> AskScreen:
    screen = stage.app.screen
    assert isinstance(screen, AskScreen)
    return screen


async def test_a_part_of_a_name_finds_the_messages_of_a_person(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        mine = await stage.server.send("bruno", "general", "lunch", "Soup")
        await stage.server.send("chiyo", "general", "lunch", "Soup too")
        await stage.press("slash")
        await stage.type("from:brun")
        await stage.press("enter")
        narrow = Narrow((Term("sender", stage.server.id("bruno")),))
        assert stage.screen.narrow == narrow
        await until(lambda: list(stage.session.view(narrow).ids) == [mine])


async def test_what_the_cache_has_is_shown_and_counted_while_one_types(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 30)) as stage:
        last = 0
        for text in ("Soup", "Bread", "Soup again"):
            last = await stage.server.send("bruno", "general", "lunch", text)
        await until(lambda: last in stage.session.state.messages)
        await stage.press("slash")
        await stage.type("soup")
        await until(lambda: "2 cached messages" in screen_text(stage.app.screen))
        assert "Bruno Castell in #general › lunch: Soup again" in screen_text(stage.app.screen)
        await stage.type(" again")
        await until(lambda: "1 cached message " in screen_text(stage.app.screen))
        assert ": Bread" not in screen_text(stage.app.screen)
        await stage.press("ctrl+u", *"in:h", "tab")
        assert box(stage).editor.text == "in:home "


async def test_a_search_is_shown_and_offered_again_in_the_form_in_which_it_is_typed(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        state, everybody = stage.session.state, list(stage.session.state.users)
        bruno, chiyo = stage.server.id("bruno"), stage.server.id("chiyo")
        narrow = Narrow(
            (
                Term("sender", bruno),
                Term("dm-including", frozenset({bruno, chiyo})),
                Term("dm", frozenset(), negated=True),
                Term("search", "soup"),
            )
        )
        await stage.go(narrow)
        title = 'sender:"Bruno Castell" dm-including:"Bruno Castell, Chiyo Tanaka" -dm:me soup'
        assert names.view(state, narrow) == f"Search: {title}"
        assert resolve(Narrow.search(title), everybody, [], state.me) == narrow
        await stage.press("slash")
        assert box(stage).editor.text == title + " "


@pytest.mark.parametrize("topic", ['say "hi" now', '"hi"', '6" pan', '""', '"', ""])
def test_a_topic_with_quotes_is_read_as_it_is_written(topic: str) -> None:
    state = make_state()
    narrow = Narrow((Term("channel", GENERAL), Term("topic", topic), Term("search", '"hot soup" or not')))
    text = names.terms(state, narrow)
    assert resolve(Narrow.search(text), state.users, state.channels, state.me) == narrow


def test_a_topic_with_quotes_is_completed_in_the_form_in_which_it_is_read() -> None:
    state = make_state()
    state.topics.add_message(GENERAL, 'say "hi" now', 101)
    text = 'topic:"say ""h'
    assert [offer.insert for offer in offers(state, text, len(text))] == ['topic:"say ""hi"" now" ']


def test_the_topics_of_a_channel_without_a_name_are_not_completed() -> None:
    text = 'channel:"" topic:x'
    assert offers(make_state(), text, len(text)) == []


async def test_a_term_that_means_nothing_stays_in_the_box_with_the_reason(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        before = stage.screen.narrow
        await stage.press("slash")
        await stage.type("from:zzz")
        await stage.press("enter")
        assert box(stage).editor.text == "from:zzz"
        assert box(stage).key_line.said.strip() == "No user matches 'zzz'."
        await stage.press("backspace")
        assert box(stage).key_line.said.strip() == ""
        await stage.press("ctrl+u")
        await stage.type("topic: lunch")
        await stage.press("enter")
        assert box(stage).editor.text == "topic: lunch"
        assert box(stage).key_line.said.strip().startswith("topic: needs a topic")
        await stage.press("escape")
        assert stage.screen.narrow == before


async def test_an_operator_that_the_server_lacks_is_neither_offered_nor_sent(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        stage.at_level(445)
        before = stage.screen.narrow
        await stage.press("slash")
        await stage.type("mentions:bruno")
        await stage.press("enter")
        assert "The search operator mentions: not supported" in box(stage).key_line.said
        assert stage.screen.narrow == before


def test_people_are_completed_after_mentions_on_servers_that_have_the_operator() -> None:
    newer = make_state(zulip_feature_level=446)
    assert [offer.insert for offer in offers(newer, "ment", 4)] == ["mentions:"]
    assert [offer.insert for offer in offers(newer, "mentions:bru", 12)] == ["mentions:Bruno "]
    assert offers(make_state(zulip_feature_level=445), "ment", 4) == []
    for level, known in ((488, ["public"]), (489, ["public", "archived"])):
        found = offers(make_state(zulip_feature_level=level), "channels:", 9)
        assert [offer.label for offer in found] == known


async def test_what_the_server_refuses_comes_back_into_the_box(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.press("slash")
        await stage.type("id:nonsense")
        await stage.press("enter")
        await until(lambda: isinstance(stage.app.screen, AskScreen))
        await stage.pilot.pause()
        assert box(stage).editor.text == "id:nonsense"
        assert "Invalid narrow" in box(stage).key_line.said


async def test_a_refusal_does_not_come_back_after_the_text_was_corrected(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        found = await stage.server.send("bruno", "general", "lunch", "Soup")
        await until(lambda: found in stage.session.state.messages)
        await stage.press("slash")
        await stage.type("id:nonsense")
        await stage.press("enter")
        await until(lambda: isinstance(stage.app.screen, AskScreen) and "Invalid" in box(stage).key_line.said)
        await stage.press("ctrl+u")
        await stage.type("soup")
        await until(lambda: "1 cached message" in screen_text(box(stage)))
        await stage.press("down")
        assert "Enter goes to the message" in box(stage).key_line.keys
        assert "Invalid" not in screen_text(box(stage))


async def test_a_key_looks_for_completions_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    async with on_stage(tmp_path) as stage:
        await stage.press("slash")
        typed = TermCompletion.typed

        def counted(self: TermCompletion, ask: AskScreen) -> None:
            asked.append(ask.editor.text)
            typed(self, ask)

        monkeypatch.setattr(TermCompletion, "typed", counted)
        await stage.type("is")
        assert asked == ["i", "is"]


async def test_names_are_completed_while_one_types(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.press("slash")
        await stage.type("send")
        await stage.press("tab")
        assert box(stage).editor.text == "sender:"
        await stage.type("chi")
        assert [choice.text for choice in box(stage).query_one("#offers", ChoiceList).items] == [
            "Chiyo Tanaka"
        ]
        await stage.press("tab")
        assert box(stage).editor.text == 'sender:"Chiyo Tanaka" '
        await stage.type("channel:engin")
        await stage.press("tab")
        assert box(stage).editor.text == 'sender:"Chiyo Tanaka" channel:engineering '


async def test_topics_are_those_of_the_channel_that_is_named(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.server.send("bruno", "general", "lunch", "Soup")
        last = await stage.server.send("bruno", "engineering", "launch", "Go")
        await until(lambda: last in stage.session.state.messages)
        text = "channel:engineering topic:l"
        assert [offer.insert for offer in offers(stage.session.state, text, len(text))] == ["topic:launch "]


async def test_without_a_network_the_cache_is_searched_and_that_is_said(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.server.send("bruno", "general", "lunch", "Soup")
        found = await stage.server.send("chiyo", "general", "lunch", "Soup too")
        await until(lambda: found in stage.session.state.messages)
        stage.session.context.status = stage.session.status._replace(
            kind=type(stage.session.status.kind).OFFLINE
        )
        await stage.press("slash")
        assert "only cached messages" in screen_text(box(stage))
        await stage.type("soup from:chiyo")
        await stage.press("enter")
        await until(lambda: isinstance(stage.app.screen, FoundScreen))
        screen = stage.app.screen
        assert isinstance(screen, FoundScreen)
        assert [row.key for row in screen.list.items] == [found]
        assert screen.title_text() == "Cached messages: soup from:chiyo"
        await stage.press("enter")
        assert stage.screen.narrow == Narrow.topic(stage.server.channel("general"), "lunch")


async def test_a_row_shows_the_words_that_were_found_however_far_on_they_are(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(90, 30)) as stage:
        text = "Bread " * 200 + "and at last leek soup for everybody"
        found = await stage.server.send("bruno", "general", "lunch", text)
        await until(lambda: found in stage.session.state.messages)
        await stage.press("slash")
        await stage.type("leek")
        await until(lambda: "1 cached message" in screen_text(stage.app.screen))
        assert "leek soup" in screen_text(stage.app.screen)


LOCAL = [
    ("channel:general", ["soup", "link"]),
    ("topic:lunch", ["soup", "link"]),
    ("-topic:lunch", ["direct", "builds"]),
    ("is:dm", ["direct"]),
    ("sender:chiyo", ["link"]),
    ("has:link", ["link"]),
    ("-has:link soup", ["soup"]),
    ("has:reaction", []),
    ("is:unread -is:dm", ["soup", "link", "builds"]),
    ("dm:dario", ["direct"]),
    ("channel:general with:5", ["soup", "link"]),
]


@pytest.mark.parametrize(("text", "expected"), LOCAL)
async def test_every_operator_that_the_cache_can_judge_is_judged(
    tmp_path: Path, text: str, expected: list[str]
) -> None:
    from narrowcast_api.narrow.resolve import resolve

    async with on_stage(tmp_path) as stage:
        await stage.go(Narrow.mentions())
        ids = {
            "soup": await stage.server.send("bruno", "general", "lunch", "Soup"),
            "link": await stage.server.send("chiyo", "general", "lunch", "Soup at https://soup.example/"),
            "direct": await stage.server.send_direct("dario", ["ada"], "Are you in?"),
            "builds": await stage.server.send("bruno", "engineering", "builds", "Green"),
        }
        session = stage.session
        await until(lambda: all(one in session.state.messages for one in ids.values()))
        state = session.state
        narrow = resolve(Narrow.search(text), state.users, state.channels, state.me)
        cache = session.storage.cache
        await until(lambda: len(cache.load_messages(list(ids.values()))) == 4)
        result = search_cache(cache, narrow, session.state, 10)
        names = {number: name for name, number in ids.items()}
        assert [names[hit.message.id] for hit in reversed(result.hits)] == expected
        assert [term.operator for term in result.unevaluated] == (["with"] if "with:" in text else [])


async def test_arrows_choose_among_the_offers(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.press("slash")
        await stage.type("is:")
        offered = box(stage).query_one("#offers", ChoiceList)
        first, second = offered.items[:2]
        await stage.press("down")
        assert offered.selected_item is second
        await stage.press("up")
        assert offered.selected_item is first
        await stage.press("down", "tab")
        assert box(stage).editor.text.strip() == second.value.insert.strip()


async def test_a_click_takes_an_offer(tmp_path: Path) -> None:
    async with on_stage(tmp_path) as stage:
        await stage.press("slash")
        await stage.type("is:")
        offered = box(stage).query_one("#offers", ChoiceList)
        second = offered.items[1]
        await stage.pilot.click(offered, offset=(4, 1))
        await stage.pilot.pause()
        assert box(stage).editor.text.strip() == second.value.insert.strip()
        assert box(stage).editor.has_focus


async def test_a_long_reason_is_read_in_full_on_a_small_screen(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=(80, 24)) as stage:
        await stage.press("slash")
        await stage.type("is:nothing")
        await stage.press("enter")
        reason = box(stage).key_line.said
        assert len(reason) > 72
        shown = screen_text(box(stage))
        assert reason.split()[-1] in shown
