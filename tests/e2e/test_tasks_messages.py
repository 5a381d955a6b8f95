"""The tasks with messages of docs/tasks.md."""

from __future__ import annotations

import pytest

from .walking import Walk


@pytest.mark.task("React")
def test_any_emoji_is_chosen_by_name_and_one_key_gives_a_thumbs_up(walk: Walk) -> None:
    message = walk.open("cake", "There is cake")
    walk.do("+")
    walk.see("👍")
    walk.do(":")
    walk.dialog("React with")
    walk.answer("octopus")
    walk.see("🐙")
    walk.until(
        lambda: {one["emoji_name"] for one in walk.message(message)["reactions"]} == {"+1", "octopus"},
        "both reactions are on the server",
    )


@pytest.mark.task("Edit your message")
def test_a_message_is_edited(walk: Walk) -> None:
    message = walk.open("glue", "Wich glue?", by="ada")
    walk.do("e")
    walk.see(r"Enter saves.*\n[^\n]*|Editing message")
    walk.see(r"│ Wich glue\?")
    walk.answer("Which glue?")
    walk.until(lambda: walk.message(message)["content"] == "Which glue?", "the edit is on the server")
    walk.no_longer("Wich")


@pytest.mark.task("Edit the last message that you sent here")
def test_the_arrow_up_in_an_empty_compose_box_edits_the_last_own_message(walk: Walk) -> None:
    message = walk.open("screws", "Wich screws?", by="ada")
    walk.write("screws", "The short ones", by="greta")
    walk.see("The short ones")
    walk.terminal.press("c")
    walk.see("Esc back")
    walk.do("↑")
    walk.see(r"│ Wich screws\?")
    walk.answer("Which screws?")
    walk.until(lambda: walk.message(message)["content"] == "Which screws?", "the edit is on the server")


@pytest.mark.task("Delete a message")
def test_a_message_is_deleted_after_a_question(walk: Walk) -> None:
    walk.open("mistakes", "One to keep", "One too many", by="ada")
    walk.do("Del")
    walk.see(r"Delete your message\? One too many")
    walk.confirm()
    walk.no_longer("One too many")
    walk.until(lambda: walk.texts("mistakes") == ["One to keep"], "the message is gone on the server")


@pytest.mark.task("Forward a message to another conversation")
def test_a_message_is_forwarded_to_a_conversation_that_is_named(walk: Walk) -> None:
    walk.open("news", "The mast stands")
    walk.do("W")
    walk.dialog("Forward 1 message to")
    walk.terminal.type("Dario")
    walk.see(r"▌.*Dario Vance")
    walk.terminal.press("enter")
    walk.see("To Dario Vance")
    walk.see("Esc back")
    walk.see("The mast stands")
    walk.terminal.settle()
    walk.terminal.press("ctrl+d")
    walk.until(
        lambda: any("The mast stands" in text for text in walk.found(dm="dario@demo.example")), "it is sent"
    )
    walk.leave()


@pytest.mark.task("Star, copy, quote, forward, move or delete several messages")
def test_several_messages_are_starred_moved_and_deleted_together(walk: Walk) -> None:
    walk.open("list", "first", "second", "third", by="ada")

    def choose(*texts: str) -> None:
        walk.terminal.press("g")
        for number, text in enumerate(texts, 1):
            walk.selected(text)
            walk.do(",")
            walk.see(f"{number} selected")

    choose("first", "second")
    walk.terminal.press("ctrl+s")
    walk.see(r"2 messages starred\.")
    walk.until(
        lambda: walk.found(topic="list", **{"is": "starred"}) == ["first", "second"], "both have a star"
    )
    choose("first", "second")
    walk.terminal.press("m")
    walk.dialog("Move 2 messages")
    walk.fill("other list")
    walk.terminal.press("ctrl+d")
    walk.until(lambda: walk.texts("other list") == ["first", "second"], "both are moved")
    walk.open("gone", "fourth", "fifth", by="ada")
    choose("fourth", "fifth")
    walk.terminal.press("delete")
    walk.see(r"Delete 2 messages\?")
    walk.confirm()
    walk.until(lambda: walk.texts("gone") == [], "both are deleted")


@pytest.mark.task("Star or unstar it")
def test_a_message_is_starred_and_unstarred(walk: Walk) -> None:
    message = walk.open("stars", "Keep this")
    walk.do("Ctrl-s")
    walk.until(lambda: "starred" in walk.message(message)["flags"], "the message has a star")
    walk.do("Ctrl-s")
    walk.until(lambda: "starred" not in walk.message(message)["flags"], "the message has no star")


@pytest.mark.task("Move it, or rename its topic")
def test_a_topic_is_renamed(walk: Walk) -> None:
    message = walk.open("scruws", "Which screws?", by="ada")
    walk.do("m")
    walk.dialog("Move #design › scruws")
    walk.fill("bolts")
    walk.terminal.press("ctrl+d")
    walk.see("#design › bolts")
    walk.until(lambda: walk.message(message)["subject"] == "bolts", "the topic is renamed on the server")


@pytest.mark.task("Resolve or unresolve its topic")
def test_a_topic_is_resolved_and_unresolved(walk: Walk) -> None:
    message = walk.open("leak", "It leaks")
    walk.do("Alt-r")
    walk.see(r"Topic resolved\.")
    walk.until(lambda: walk.message(message)["subject"] == "✔ leak", "the topic is resolved on the server")
    walk.do("Alt-r")
    walk.see(r"Topic unresolved\.")
    walk.until(lambda: walk.message(message)["subject"] == "leak", "the topic is unresolved on the server")


@pytest.mark.task("Report it to moderators")
def test_a_message_is_reported_to_the_channel_of_moderators(walk: Walk) -> None:
    walk.call("PATCH", "/realm", moderation_request_channel_id=walk.channel("leads"))
    walk.open("offers", "Cheap watches")
    walk.do("Ctrl-p Report message to moderators")
    walk.dialog("Report message from Greta Lindqvist")
    walk.terminal.press("ctrl+d")
    walk.see(r"Report submitted\.")
    walk.until(
        lambda: any("Cheap watches" in text for text in walk.found(channel="leads")), "the report is there"
    )
