"""Acts on a message: reply, react, edit, delete, copy, inspect."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from narrowcast.commands.run import method
from narrowcast.keys.registry import Context, in_context
from narrowcast.panes.messages import requests
from narrowcast.screens.dialogs.picker import ChoiceList, Picker
from narrowcast.widgets.editor import Editor
from narrowcast.widgets.strips import plain_text
from narrowcast.widgets.virtual_list import VirtualList
from narrowcast_api.narrow.destinations import ChannelDestination, DirectDestination
from narrowcast_api.resources.custom_emoji import CustomEmoji
from narrowcast_assets.emoji import character_of, emoji_names
from narrowcast_assets.emoji_categories import Category, category_of, emoji_place
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.organization import Organization
from narrowcast_server.resources import message_flags as flag_routes
from support.message_stage import staged
from support.sessions import until


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
        await stage.see("👍\u00a0You")
        await stage.press("equals_sign")
        await until(lambda: "👍" not in stage.app.text())
        await stage.press("ctrl+s")
        await until(lambda: "starred" in flags())
        await stage.press("minus")
        await stage.see("(collapsed; Enter shows it)")
        await stage.press("minus")
        await stage.see("taste it")
        await until(lambda: "read" in flags())
        await stage.press("U")
        await until(lambda: "read" not in flags())
        await stage.server.send("bruno", "general", "soup", "more of it")
        await stage.see("more of it")
        assert not await stage.is_read(message_id)


async def test_marking_as_unread_is_reported_once_rows_and_counters_show_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with staged(tmp_path) as stage:
        ids = [await stage.server.send("bruno", "general", "soup", f"spoon {number}") for number in range(3)]
        await stage.show(stage.topic, ids[1])
        await stage.see("spoon 2")
        state = stage.session.state
        await until(lambda: all(one.is_read for one in state.messages.known(ids)))
        unread: list[tuple[list[bool], int]] = []
        monkeypatch.setattr(
            stage.app,
            "tell",
            lambda text: unread.append(
                ([not one.is_read for one in state.messages.known(ids)], state.unreads.count_all())
            ),
        )
        monkeypatch.setattr(Organization, "emit", lambda *_, **__: None)
        await stage.press("U")
        await until(lambda: unread)
        assert unread == [([False, True, True], 2)]


async def test_a_rejected_marking_as_unread_is_reported_and_marking_as_read_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise ServiceError("Not today")

    async with staged(tmp_path) as stage:
        message_id = await stage.server.send("bruno", "general", "soup", "spoon")
        await stage.show(stage.topic, message_id)
        await until(lambda: all(one.is_read for one in stage.session.state.messages.known([message_id])))
        with monkeypatch.context() as patched:
            patched.setattr(flag_routes, "change_flags", refused)
            await stage.press("U")
            await until(lambda: stage.app.told == ["Not today"])
        await stage.server.call("ada", "DELETE", "/users/me/subscriptions", {"subscriptions": ["general"]})
        await stage.press("U")
        await until(lambda: len(stage.app.told) > 1)
        assert stage.app.told[1:] == ["Messages in #general stay read: you are not subscribed."]
        assert "unread from here" not in stage.app.text()


async def test_replies_go_where_the_message_is(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        message_id = await stage.server.send("bruno", "general", "soup", "with *style*")
        await stage.show(stage.topic, message_id)
        await stage.see("with style")
        await stage.press("r", "R", "at", "enter")
        await stage.press("greater_than_sign")
        await until(lambda: len(stage.app.asked) == 5)
        *replies, quoted = stage.app.asked
        soup = ChannelDestination(stage.server.channel("general"), "soup")
        bruno = stage.server.id("bruno")
        where = [one.destination for one in replies if isinstance(one, requests.ReplyRequested)]
        assert where == [soup, DirectDestination(frozenset({bruno})), soup, soup]
        assert isinstance(replies[2], requests.ReplyRequested)
        assert replies[2].quote == f"@**Bruno Castell|{bruno}** "
        assert isinstance(quoted, requests.QuoteRequested)
        assert [message.id for message in quoted.messages] == [message_id]


async def test_only_own_messages_can_be_edited(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        await stage.server.send("bruno", "general", "soup", "his")
        await stage.show(stage.topic, "newest")
        await stage.see("his")
        await stage.press("e")
        assert stage.app.told == ["You can only edit your own messages."]
        own = await stage.server.send("ada", "general", "soup", "mine")
        await stage.see("mine")
        await stage.press("G", "e")
        assert [one.message_id for one in stage.app.asked if isinstance(one, requests.EditRequested)] == [own]


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
        await stage.pilot.pause()
        rows = stage.app.screen.query_one(VirtualList)
        shown = plain_text(rows.compose_row(y) for y in range(6)).split("\n")
        words = [row.strip("▌ ") for row in shown if "202" not in row]
        assert words == ["firstother words", "", "first words", ""]
        assert {one.text for one in rows.compose_row(1) if one.style is not None and one.style.strike} == {
            "first"
        }
        await stage.press("G", "enter")
        assert stage.app.copied == ["first words"]


async def test_details_of_a_message_that_was_deleted_meanwhile_do_not_lead_to_another_one(
    tmp_path: Path,
) -> None:
    async with staged(tmp_path) as stage:
        await stage.server.send("ada", "general", "soup", "first words")
        message_id = await stage.server.send("bruno", "general", "soup", "other words")
        await stage.show(stage.topic, "newest")
        await stage.see("other words")
        await stage.press("i")
        await stage.server.call("bruno", "DELETE", f"/messages/{message_id}")
        await until(lambda: message_id not in stage.session.state.messages)
        await stage.press("enter")
        assert stage.app.asked == []
        assert stage.app.told == ["The message was deleted meanwhile."]


async def test_copied_text_contains_nothing_that_a_shell_would_execute_when_it_is_pasted(
    tmp_path: Path,
) -> None:
    async with staged(tmp_path) as stage:
        await stage.show(stage.topic)
        stage.pane.parts.clipboard.copy(
            "rm\x1b[201~ -rf\r\n\tit\x9b31m \u0645\u06cc\u200c\u062e\x07\x00", "this"
        )
        assert stage.app.copied == ["rm[201~ -rf\n\tit31m \u0645\u06cc\u200c\u062e"]


async def test_every_command_of_the_pane_has_an_implementation(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        for command in in_context(Context.MESSAGES):
            called = method(command, stage.pane)
            assert isinstance(called, partial)
            assert callable(called.func), command.id


async def test_the_choice_of_reactions_has_each_emoji_once_and_those_of_the_message_first(
    tmp_path: Path,
) -> None:
    async with staged(tmp_path) as stage:
        before = await stage.server.send("bruno", "general", "soup", "cook it")
        goat = {"emoji_name": "goat"}
        await stage.server.call("ada", "POST", f"/messages/{before}/reactions", goat)
        message_id = await stage.server.send("bruno", "general", "soup", "taste it")
        for name in ("frog", "thumbs_up"):
            await stage.server.call(
                "bruno", "POST", f"/messages/{message_id}/reactions", {"emoji_name": name}
            )
        frog = {"emoji_name": "frog"}
        await stage.server.call("ada", "POST", f"/messages/{message_id}/reactions", frog)
        stage.session.state.custom_emoji.put(
            CustomEmoji(code, code, "", None, is_gone, None)
            for code, is_gone in (("lamp", False), ("gone", True))
        )
        await stage.show(stage.topic, "newest")
        await stage.see("👍")
        await stage.press("colon")
        picker = stage.app.screen
        assert isinstance(picker, Picker)
        listed = picker.query_one(ChoiceList)
        codes = [choice.value[:2] for choice in listed.items]
        assert codes[:3] == [("unicode_emoji", code) for code in ("1f438", "1f44d", "1f410")]
        assert len(codes) == len(set(codes)) > 1000
        assert [choice.detail for choice in listed.items[:3]] == ["remove yours", "1 reaction", "last used"]
        categories = [category_of(choice.value[1]) for choice in listed.items[40:]]
        assert categories == sorted(categories, key=[*Category].index), "the others stand by category"
        smileys = [choice.mark for choice in listed.items if choice.detail == "smileys"]
        assert "😀😃😄😁😆😅🤣" in "".join(smileys[:15]), "in the usual order"
        shown = {choice.value[1]: (choice.mark, choice.text) for choice in listed.items}
        assert (shown["2764"], shown["1f600"]) == (("\u2764", "heart"), ("😀", "grinning"))
        assert [choice.text for choice in listed.items if choice.detail == "custom emoji"] == ["lamp"]
        await stage.pilot.press(*"like")
        assert listed.selected_item is not None
        assert listed.selected_item.value[1] == "1f44d", "found by its other names, too"
        picker.query_one(Editor).text = ""
        await stage.pilot.press(*"animals")
        assert listed.selected_item is not None
        assert listed.selected_item.detail == "animals and nature", "found by its category, too"


def test_each_emoji_has_a_category() -> None:
    places = {"1f600": "smileys", "1f44d": "people", "1f410": "animals and nature", "2615": "food and drink"}
    places |= {"1f389": "activities", "1f680": "travel and places", "1f4a1": "objects", "2705": "symbols"}
    places |= {"1f1eb-1f1ee": "flags", "1f3f4-200d-2620": "flags", "1f642": "smileys", "1f51f": "symbols"}
    assert {code: category_of(code).value for code in places} == places


def test_the_emoji_of_each_category_stand_in_the_usual_order() -> None:
    first: dict[Category, str] = {}
    for code in sorted(emoji_names().code_to_names, key=emoji_place):
        first.setdefault(category_of(code), code)
    assert "".join(character_of(code) or "" for code in first.values()) == "😀👋🐵🍇🎃🌍👓🏧🏁"
    objects = [code for code in emoji_names().code_to_names if category_of(code) is Category.OBJECTS]
    assert "1faaa" in objects, "the last one of the table"
    assert max(emoji_place(code) for code in objects) == emoji_place("1faaa"), "no emoji has no place"


def in_order(text: str, *parts: str) -> bool:
    """Whether all parts are in the text, in this order."""
    places = [text.find(part) for part in parts]
    return -1 not in places and places == sorted(places)


async def test_the_unread_line_moves_at_once_to_where_messages_are_marked_as_unread(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        ids = [await stage.server.send("ada", "general", "soup", f"spoon {number}") for number in range(4)]
        await stage.show(stage.topic, ids[2])
        await stage.see("spoon 3")
        assert "unread from here" not in stage.app.text()
        messages = stage.session.state.messages
        await until(lambda: all(one.is_read for one in messages.known(ids)))
        await stage.press("U")
        await stage.see("unread from here")
        await until(lambda: in_order(stage.app.text(), "spoon 1", "unread from here", "spoon 2"))
        await stage.press("up", "U")
        await until(lambda: in_order(stage.app.text(), "unread from here", "spoon 1"))


async def test_the_reason_why_the_user_cannot_vote_is_shown_once(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        await stage.show(stage.topic, "newest")
        await stage.press("X")
        assert stage.app.told == ["There is no message here."]
        await stage.server.send("bruno", "general", "soup", "no poll")
        await stage.see("no poll")
        await stage.press("X")
        assert stage.app.told[1:] == ["This message is not a poll or to-do list."]


@pytest.mark.parametrize(
    ("content", "key", "shows"), [("soup", "colon", ""), ("/poll Soup?\nleek", "X", "leek")]
)
async def test_an_answer_to_a_message_that_was_deleted_meanwhile_is_refused(
    tmp_path: Path, content: str, key: str, shows: str
) -> None:
    async with staged(tmp_path) as stage:
        await stage.server.send("bruno", "general", "soup", "before")
        message_id = await stage.server.send("bruno", "general", "soup", content)
        await stage.show(stage.topic, "newest")
        await stage.see(shows or content)
        await stage.press(key)
        assert isinstance(stage.app.screen, Picker)
        await stage.server.call("bruno", "DELETE", f"/messages/{message_id}", {})
        await until(lambda: stage.session.state.messages.get(message_id) is None)
        await stage.press("enter")
        assert stage.app.told == ["The message was deleted meanwhile."]
