"""The pane of messages on a live account of the embedded server."""

from __future__ import annotations

from pathlib import Path

import pytest

from narrowcast.content.inlines import Spot, SpotKind
from narrowcast.panes.message_list import MessageList
from narrowcast.panes.messages import MessagesPane
from narrowcast_api.destinations import ChannelDestination, DirectDestination
from narrowcast_api.narrow import Narrow
from narrowcast_api.protocols.outbox_entry import OutboxEntry, OutboxState
from support.message_stage import staged
from support.sessions import until


async def test_a_view_shows_what_the_server_has_and_what_comes(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        await stage.server.send("bruno", "general", "soup", "Who made **this**?")
        await stage.show(stage.topic)
        await stage.see("Who made this?")
        await stage.server.send("bruno", "general", "soup", "It is good.")
        await stage.see("It is good.")


async def test_nothing_is_read_while_one_looks_elsewhere(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        await stage.show(stage.topic)
        stage.app.app_focus = False
        message_id = await stage.server.send("bruno", "general", "soup", "are you there?")
        await stage.see("are you there?")
        await stage.pilot.pause(0.7)
        message = stage.session.state.messages.get(message_id)
        assert message is not None
        assert not message.is_read
        stage.app.app_focus = True
        await until(
            lambda: (seen := stage.session.state.messages.get(message_id)) is not None and seen.is_read
        )


async def test_an_empty_view_says_what_to_press(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        await stage.show(stage.topic)
        await stage.see("Press c to write the first.")
        await stage.show(Narrow.all())
        await stage.see("Press c to write the first to a channel")


async def test_seen_messages_are_read_and_unseen_ones_are_not(tmp_path: Path) -> None:
    async with staged(tmp_path, (80, 10)) as stage:
        ids = [await stage.server.send("bruno", "general", "soup", f"spoon {number}") for number in range(40)]
        await until(lambda: stage.session.state.unreads.count_all() == 40)
        await stage.show(stage.topic)
        await stage.see("spoon 0")
        await until(lambda: stage.session.state.unreads.count_all() < 40)
        flags = await stage.server.call(
            "ada", "GET", "/messages", {"anchor": "newest", "num_before": 50, "num_after": 0}
        )
        read = [one["id"] for one in flags["messages"] if "read" in one["flags"]]
        assert read
        assert max(read) < ids[20]
        await stage.press("G")
        await until(lambda: stage.session.state.unreads.count_all() == 0)


async def test_all_messages_open_at_the_newest_and_a_conversation_at_its_first_unread(tmp_path: Path) -> None:
    async with staged(tmp_path, (80, 10)) as stage:
        ids = [await stage.server.send("bruno", "general", "soup", f"spoon {number}") for number in range(40)]
        await until(lambda: stage.session.state.unreads.count_all() == 40)
        await stage.show(Narrow.all())
        await stage.see("spoon 39")
        await until(lambda: stage.pane.selected_id == ids[-1])
        await stage.show(stage.topic)
        await stage.see("spoon 0")
        await until(lambda: stage.pane.selected_id == ids[0])


async def test_older_pages_load_while_scrolling_and_no_line_moves(tmp_path: Path) -> None:
    async with staged(tmp_path, (80, 20)) as stage:
        for number in range(260):
            await stage.server.send("bruno", "general", "soup", f"spoon {number}")
        await stage.show(stage.topic, "newest")
        await stage.see("spoon 259")
        view = stage.pane.view
        assert view is not None
        assert len(view.ids) < 260
        for _ in range(30):
            await stage.press("pageup")
            if view.found_oldest and "spoon 0\n" in stage.app.text():
                break
            await stage.pilot.pause(0.05)
        await stage.see("spoon 0\n")
        assert len(view.ids) == 260


async def test_acts_on_a_message_reach_the_server_and_come_back(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        message_id = await stage.server.send("bruno", "general", "soup", "taste it")
        await stage.show(stage.topic, "newest")
        await stage.see("taste it")
        get = stage.session.state.messages.get

        def flags() -> frozenset[str]:
            message = get(message_id)
            return message.flags if message is not None else frozenset()

        await stage.press("plus")
        await stage.see("[👍\u00a01]")
        await stage.press("equals_sign")
        await until(lambda: "👍" not in stage.app.text())
        await stage.press("ctrl+s")
        await until(lambda: "starred" in flags())
        await stage.press("minus")
        await stage.see("(collapsed: Enter shows it)")
        await stage.press("minus")
        await stage.see("taste it")
        await until(lambda: "read" in flags())
        await stage.press("U")
        await until(lambda: "read" not in flags())
        await stage.pilot.pause(0.7)
        assert "read" not in flags()


async def test_replies_go_where_the_message_is(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        message_id = await stage.server.send("bruno", "general", "soup", "with *style*")
        await stage.show(stage.topic, message_id)
        await stage.see("with style")
        await stage.press("r", "R", "at", "enter")
        await stage.press("greater_than_sign")
        await until(lambda: len(stage.app.asked) == 5)
        replies = [one for one in stage.app.asked if isinstance(one, MessagesPane.ReplyRequested)]
        soup = ChannelDestination(stage.server.channel("general"), "soup")
        bruno = stage.server.id("bruno")
        assert [one.destination for one in replies] == [
            soup,
            DirectDestination(frozenset({bruno})),
            soup,
            soup,
            soup,
        ]
        assert replies[2].quote == f"@**Bruno Castell|{bruno}** "
        assert replies[4].quote is not None
        assert "```quote\nwith *style*\n```" in replies[4].quote
        assert f"/near/{message_id}" in replies[4].quote


async def test_only_ones_own_messages_can_be_edited(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        await stage.server.send("bruno", "general", "soup", "his")
        await stage.show(stage.topic, "newest")
        await stage.see("his")
        await stage.press("e")
        assert stage.app.said() == ["Only messages of your own can be edited."]
        own = await stage.server.send("ada", "general", "soup", "mine")
        await stage.see("mine")
        await stage.press("G", "e")
        assert [one.message_id for one in stage.app.asked if isinstance(one, MessagesPane.EditRequested)] == [
            own
        ]


async def test_a_message_is_deleted_after_asking(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        await stage.server.send("ada", "general", "soup", "salt")
        await stage.server.send("ada", "general", "soup", "pepper")
        await stage.show(stage.topic, "newest")
        await stage.see("pepper")
        await stage.press("delete", "enter")
        await stage.see("pepper")
        await stage.press("delete", "down", "enter")
        await until(lambda: "pepper" not in stage.app.text())
        await stage.see("salt")


async def test_links_spoilers_and_people_are_followed_by_hint(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        content = "#**general>stew** [out](https://x.example/) @**Bruno Castell**\n```spoiler Plot\ngoat\n```"
        await stage.server.send("ada", "general", "stew", "first")
        await stage.server.send("ada", "general", "soup", content)
        await stage.show(stage.topic, "newest")
        await stage.see("Plot")
        for number, key in enumerate("asd", 1):
            await stage.press("o", key)
            await stage.asked(number)
        to_topic, outside, person = stage.app.asked
        assert isinstance(to_topic, MessagesPane.NarrowRequested)
        assert to_topic.narrow == Narrow.topic(stage.server.channel("general"), "stew")
        assert isinstance(outside, MessagesPane.LinkRequested)
        assert (outside.url, outside.label) == ("https://x.example/", "out")
        assert isinstance(person, MessagesPane.PersonRequested)
        assert person.user_id == stage.server.id("bruno")
        assert "goat" not in stage.app.text()
        assert ("message.enter", "open") in stage.pane.selected_hints
        await stage.press("o", "f")
        await stage.see("goat")
        await until(lambda: ("message.spoiler", "close") in stage.pane.selected_hints)
        await stage.press("enter")
        assert isinstance(stage.app.asked[-1], MessagesPane.ReplyRequested)


async def test_a_link_to_a_message_leads_to_where_it_is_now(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        message_id = await stage.server.send("ada", "general", "stew", "moved")
        address = f"#narrow/channel/{stage.server.channel('general')}-general/topic/stew/near/{message_id}"
        await stage.server.call("ada", "PATCH", f"/messages/{message_id}", {"topic": "ragout"})
        await stage.server.send("ada", "general", "soup", f"[there]({stage.server.url}/{address})")
        await stage.show(stage.topic, "newest")
        await stage.see("there")
        await stage.press("o", "a")
        await until(lambda: stage.app.asked)
        asked = stage.app.asked[0]
        assert isinstance(asked, MessagesPane.NarrowRequested)
        assert asked.narrow == Narrow.topic(stage.server.channel("general"), "ragout")
        assert asked.message_id == message_id


async def test_polls_are_live_and_votable(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        await stage.server.send("bruno", "general", "soup", "/poll Lunch?\nsoup\nsalad")
        await stage.show(stage.topic, "newest")
        await stage.see("[ ]  0  salad")
        await stage.press("b", "down", "enter")
        await stage.see("[x]  1  salad  Ada Moreno")
        await stage.press("b", "down", "enter")
        await stage.see("[ ]  0  salad")


async def test_finding_goes_from_match_to_match(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        ids = [
            await stage.server.send("bruno", "general", "soup", f"{word} soup")
            for word in ("leek", "bean", "leek", "pea")
        ]
        await stage.show(stage.topic, "newest")
        await stage.see("pea soup")
        await stage.press("ctrl+f", *"leek", "enter")
        await until(lambda: stage.pane.selected_id == ids[2])
        await stage.press("n")
        await until(lambda: stage.pane.selected_id == ids[0])
        await stage.press("n")
        await until(lambda: stage.pane.selected_id == ids[2])
        await until(lambda: "went round" in stage.app.said()[-1])
        await stage.press("N")
        await until(lambda: stage.pane.selected_id == ids[0])
        await stage.press("escape")
        assert stage.pane.list.overlay is None


async def test_finding_looks_through_everything_and_lets_others_have_their_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("narrowcast.panes.message_finding.SEARCHED_AT_ONCE", 200)
    async with staged(tmp_path) as stage:
        first = await stage.server.send("bruno", "general", "soup", "l<b>ee</b>k & **le**ek")
        for number in range(9):
            await stage.server.send("bruno", "general", "soup", f"bean {number}")
        await stage.show(stage.topic, "newest")
        await stage.see("bean 8")
        await stage.press("ctrl+f", *("ampersand", "space", *"leek"), "enter")
        await until(lambda: stage.pane.selected_id == first)
        await stage.press("escape", "G", "ctrl+f", *"onion", "enter", "escape")
        assert stage.pane.list.overlay is None


async def test_copying_offers_text_source_code_and_link(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        message_id = await stage.server.send("bruno", "general", "soup", "see **this**\n```\nstir()\n```")
        await stage.show(stage.topic, message_id)
        await stage.see("stir()")
        await stage.press("y", "enter")
        await stage.press("y", "down", "enter")
        await until(lambda: len(stage.app.copied) == 2)
        await stage.press("y", "down", "down", "down", "enter")
        await stage.press("L")
        assert stage.app.copied[0] == "see this\nstir()"
        assert stage.app.copied[1].startswith("see **this**\n```")
        assert stage.app.copied[2] == "stir()"
        assert stage.app.copied[3].endswith(f"/near/{message_id}")


async def test_details_tell_readers_versions_and_reactions(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        message_id = await stage.server.send("ada", "general", "soup", "first words")
        await stage.server.call("ada", "PATCH", f"/messages/{message_id}", {"content": "other words"})
        await stage.server.call("bruno", "POST", f"/messages/{message_id}/reactions", {"emoji_name": "tada"})
        await stage.show(stage.topic, "newest")
        await stage.see("🎉")
        await stage.press("i")
        assert len(stage.app.screen_stack) == 2
        await stage.press("escape", "H")
        await until(lambda: len(stage.app.screen_stack) == 2)
        await stage.press("down", "enter")
        assert stage.app.copied == ["first words"]


async def test_what_goes_wrong_is_said_and_the_app_goes_on(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        message_id = await stage.server.send("bruno", "general", "soup", "gone soon")
        await stage.show(stage.topic, message_id)
        await stage.see("gone soon")
        await stage.press("delete", "down", "enter")
        await until(lambda: "gone soon" not in stage.app.text() or stage.app.said())
        stage.pane.work(stage.session.client.messages.delete(message_id=999_999), "do the impossible")
        await until(lambda: any("Could not do the impossible" in text for text in stage.app.said()))


async def test_messages_of_ones_own_show_at_once_and_settle(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        await stage.show(stage.topic)
        destination = stage.topic.destination
        assert destination is not None
        stage.session.outbox.send(destination, "from me *now*")
        await stage.see("from me")
        await stage.see("from me now")
        await stage.pilot.pause(0.1)
        assert stage.app.text().count("from me") == 1


async def test_what_is_on_its_way_shows_in_every_view_of_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with staged(tmp_path) as stage:
        await stage.server.send("bruno", "general", "soup", "Who made this?")
        topic = stage.topic.destination
        assert isinstance(topic, ChannelDestination)
        waiting = [
            OutboxEntry("1", topic, "for bruno", OutboxState.WAITING, 0.0),
            OutboxEntry("2", DirectDestination(frozenset()), "for myself", OutboxState.WAITING, 0.0),
        ]
        monkeypatch.setattr(stage.session.outbox, "entries", lambda: waiting)
        await stage.show(Narrow.all())
        await stage.see("for bruno")
        await stage.see("@ Notes to myself")
        for narrow, there, elsewhere in (
            (stage.topic, "for bruno", "for myself"),
            (Narrow.channel(topic.channel_id), "for bruno", "for myself"),
            (Narrow.directs(), "for myself", "for bruno"),
        ):
            await stage.show(narrow)
            await stage.see(there)
            assert elsewhere not in stage.app.text()
        await stage.show(Narrow.mentions())
        await stage.see("No messages match")
        assert "for " not in stage.app.text().split("\n")[0]


async def test_one_comes_back_to_where_one_was(tmp_path: Path) -> None:
    async with staged(tmp_path, (80, 12)) as stage:
        ids = [await stage.server.send("ada", "general", "soup", f"spoon {number}") for number in range(60)]
        await stage.show(stage.topic, ids[10])
        await stage.see("spoon 10")
        await stage.show(Narrow.channel(stage.server.channel("general")))
        await stage.show(stage.topic)
        await stage.see("spoon 10")
        assert stage.pane.selected_id == ids[10]


@pytest.mark.parametrize("text", ["2000-01-01", "2999-12-31"])
async def test_a_date_is_gone_to(tmp_path: Path, text: str) -> None:
    async with staged(tmp_path, (80, 12)) as stage:
        ids = [await stage.server.send("ada", "general", "soup", f"spoon {number}") for number in range(30)]
        await stage.show(stage.topic, ids[15])
        await stage.see("spoon 15")
        await stage.press("T", *text, "enter")
        await until(lambda: stage.pane.selected_id == (ids[0] if text < "2026" else ids[-1]))


async def test_a_date_far_from_what_is_loaded_is_gone_to_without_loading_what_lies_between(
    tmp_path: Path,
) -> None:
    async with staged(tmp_path, (80, 12)) as stage:
        ids = [await stage.server.send("ada", "general", "soup", f"spoon {number}") for number in range(330)]
        store = stage.server.core.store
        with store.transaction():
            for day, message_id in enumerate(ids):
                noon = 86_400 * day + 43_200
                store.execute("UPDATE messages SET timestamp = ? WHERE id = ?", noon, message_id)
        await stage.show(stage.topic, "newest")
        await stage.press("T", *"1970-02-10", "enter")
        await until(lambda: stage.pane.selected_id == ids[40])
        await stage.see("spoon 40")
        assert stage.pane.view is not None
        assert len(stage.pane.view.ids) < 250
        await stage.press("T", *"1970-11-07", "enter")
        await until(lambda: stage.pane.selected_id == ids[310])
        await stage.press("T", *"2999-01-01", "enter")
        await until(lambda: stage.pane.selected_id == ids[-1])


async def test_code_opens_in_the_playground_of_its_language(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        template = "https://play.example/?code={code}"
        playground = {"name": "Play", "pygments_language": "Python", "url_template": template}
        await stage.server.call("ada", "POST", "/realm/playgrounds", playground)
        await stage.server.send("bruno", "general", "soup", "```python\nx = 1 & 2\n```")
        await stage.show(stage.topic, "newest")
        await stage.see("x = 1 & 2")
        await until(lambda: list(stage.session.state.playgrounds))
        await stage.press("y", *"open", "enter")
        link = stage.app.asked[-1]
        assert isinstance(link, MessagesPane.LinkRequested)
        assert link.url == "https://play.example/?code=x%20%3D%201%20%26%202"


async def test_a_page_that_brings_nothing_is_not_asked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with staged(tmp_path) as stage:
        await stage.server.send("bruno", "general", "soup", "alone")
        await stage.show(stage.topic, "newest")
        await stage.see("alone")
        asked: list[bool] = []

        async def nothing() -> None:
            asked.append(True)

        assert stage.pane.view is not None
        monkeypatch.setattr(stage.pane.view, "load_older", nothing)
        for _ in range(5):
            stage.pane.list.post_message(MessageList.PageWanted(older=True))
            await stage.pilot.pause()
        assert asked == [True]


async def test_shift_with_a_hint_copies_where_a_link_leads(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        await stage.server.send("bruno", "general", "soup", "[this](https://x.example/a?b=c)")
        await stage.show(stage.topic, "newest")
        await stage.see("this")
        await stage.press("o", "A")
        assert stage.app.copied == ["https://x.example/a?b=c"]
        assert not any(isinstance(one, MessagesPane.LinkRequested) for one in stage.app.asked)
        message_id = stage.pane.selected_id
        assert message_id is not None
        stage.pane.follow(message_id, Spot(SpotKind.LINK, "mailto:ada@x.example", "Ada"))
        assert stage.app.copied[1:] == ["ada@x.example"]


async def test_a_message_is_gone_to_by_its_number_wherever_it_is(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        elsewhere = await stage.server.send("bruno", "general", "salad", "green")
        await stage.server.send("bruno", "general", "soup", "red")
        await stage.show(stage.topic)
        await stage.see("red")
        await stage.press("semicolon", *str(elsewhere), "enter")
        await until(lambda: any(isinstance(one, MessagesPane.NarrowRequested) for one in stage.app.asked))
        asked = next(one for one in stage.app.asked if isinstance(one, MessagesPane.NarrowRequested))
        assert asked.narrow == Narrow.topic(stage.server.channel("general"), "salad")
        assert asked.message_id == elsewhere


async def test_without_the_extra_for_pictures_one_is_told_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("narrowcast.platform.images.available", lambda: False)
    async with staged(tmp_path) as stage:
        await stage.show(stage.topic)
        stage.pane.open_media(Spot(SpotKind.MEDIA, "/user_uploads/1/a.png", "a.png", "/user_uploads/1/a.png"))
        await stage.asked(2)
        assert "narrowcast[images]" in stage.app.said()[0]
        assert any(isinstance(one, MessagesPane.LinkRequested) for one in stage.app.asked)


async def test_every_mode_says_how_to_leave_it_until_it_is_left(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        await stage.server.send("bruno", "general", "soup", "leek [there](https://x.example/)")
        await stage.show(stage.topic, "newest")
        await stage.see("leek")
        for keys in (("o",), ("ctrl+f", *"leek", "enter"), ("shift+down",)):
            await stage.press(*keys)
            await until(lambda: stage.pane.mode_hint.startswith("Esc leaves"))
            await stage.press("escape")
            await until(lambda: stage.pane.mode_hint == "")
        await stage.pilot.click(stage.pane.list, offset=(6, 22), times=2)
        await until(lambda: stage.pane.mode_hint == "Esc leaves · y copies the selected text")
        await stage.press("y")
        await until(lambda: stage.pane.mode_hint == "")
        assert stage.app.copied == ["leek there"]
