"""The tasks of reading of docs/tasks.md."""

from __future__ import annotations

import base64
import re
import time
from datetime import datetime, timedelta

import pytest

from support.uploads import PIXEL

from .calling import upload
from .walking import Walk


def flags(walk: Walk, *ids: int) -> list[bool]:
    """Whether each message is read on the server."""
    return ["read" in walk.message(one)["flags"] for one in ids]


@pytest.mark.task("Next, previous message")
@pytest.mark.task("First unread, first, last message (marks nothing as read)")
@pytest.mark.task("Mark as unread from here")
@pytest.mark.task("Mark all messages of the open view as read")
def test_the_selection_moves_and_messages_are_marked_as_unread_and_read(walk: Walk) -> None:
    third = walk.open("steps", "One", "Two", "Three")
    walk.do("g")
    walk.selected("One")
    walk.do("j")
    walk.selected("Two")
    walk.until(lambda: flags(walk, third) == [True], "what is on the screen is read")
    walk.do("U")
    walk.see("Marked as unread from here")
    walk.until(
        lambda: flags(walk, third - 2, third - 1, third) == [True, False, False], "the last two are unread"
    )
    walk.do("k")
    walk.selected("One")
    walk.do("G")
    walk.selected("Three")
    walk.do("F")
    walk.selected("Two")
    walk.do("Z")
    walk.see("All messages in this view are marked as read")
    walk.until(lambda: flags(walk, third - 1, third) == [True, True], "all are read on the server")


@pytest.mark.task("Mark a topic, a channel, everything as read")
def test_a_topic_a_channel_and_everything_are_marked_as_read(walk: Walk) -> None:
    message = walk.open("shelves", "Which shelf?")
    for command in (
        "Ctrl-p Mark all messages in topic as read",
        "Ctrl-p Mark all messages in channel as read",
    ):
        walk.until(lambda: flags(walk, message) == [True], "the message is read")
        walk.terminal.press("U")
        walk.until(lambda: flags(walk, message) == [False], "the message is unread")
        walk.do(command)
        walk.until(lambda: flags(walk, message) == [True], f"{command} marks it as read")
    walk.do("Ctrl-p Mark all messages as read")
    walk.see(r"Mark .*unread messages? as read\?")
    walk.confirm()
    walk.see("All messages marked as read")
    walk.see("no unread")


@pytest.mark.task("Go to a date")
def test_a_date_leads_to_its_first_message(walk: Walk) -> None:
    walk.terminal.press("a")
    walk.see(r"(?m)^.{28,}Combined feed")
    day = datetime.fromtimestamp(time.time()) - timedelta(days=7)  # noqa: DTZ006
    walk.do("T")
    walk.dialog("Go to date")
    walk.answer(day.strftime("%Y-%m-%d"))
    walk.no_longer("╭─ Go to date")
    walk.see(rf"── {day.strftime('%a')} {day.day} {day.strftime('%b %Y')} ──")


@pytest.mark.task("Find a word in this view")
def test_a_word_is_found_in_the_view(walk: Walk) -> None:
    walk.open("words", "A lantern", "A lamp", "A torch")
    walk.do("Ctrl-f")
    walk.dialog("Find in this view")
    walk.answer("lantern")
    walk.see(r"closes .*: lantern")
    walk.selected("A lantern")
    walk.terminal.press("escape")
    walk.no_longer(r"closes .*: lantern")


@pytest.mark.task("Search all messages")
@pytest.mark.task("Follow a conversation live")
def test_messages_are_searched_and_new_ones_appear(walk: Walk) -> None:
    walk.write("birds", "A cormorant dives")
    walk.do("/")
    walk.dialog("Search messages")
    walk.answer("cormorant from:greta")
    walk.no_longer("╭─ Search messages")
    walk.see(r"(?m)^.{28,}A cormorant dives")
    walk.open("live", "Now")
    walk.write("live", "And now", by="chiyo")
    walk.see(r"(?m)^.{28,}And now")


@pytest.mark.task("Open a link in a message, vote, copy its code")
def test_letters_open_a_link_vote_and_copy_code(walk: Walk) -> None:
    poll = walk.open("doors", "See #**design>doors**", "```\nknock()\n```", "/poll Open?\nyes\nno")
    labels = {"yes": r"([a-z]) *○? *yes|○ *([a-z]) *yes", "code": r"(?<!\w)([a-z]) *knock"}
    for name in ("yes", "code"):
        walk.do("o")
        walk.see("type a label to open")
        walk.see(labels[name])
        found = re.search(labels[name], walk.terminal.text)
        assert found is not None, walk.terminal.text
        walk.terminal.type(next(filter(None, found.groups())))
        walk.no_longer("type a label to open")
        if name == "yes":
            walk.until(lambda: len(walk.message(poll)["submessages"]) == 2, "the vote is on the server")
        else:
            walk.see("Copied the code")


@pytest.mark.task("View an image, or open a file")
def test_an_image_is_viewed(walk: Walk) -> None:
    path = upload(walk.account, "point.png", PIXEL)
    walk.open("pictures", f"[point.png]({path})", by="ada", shown="▣ point.png")
    walk.do("v")
    walk.see("d downloads")
    walk.terminal.press("escape")
    walk.no_longer("d downloads")


@pytest.mark.task("Cancel a download, try a failed one again")
def test_a_download_that_failed_is_tried_again_or_removed(walk: Walk) -> None:
    content = b"The plan of the pier"
    path = upload(walk.account, "pier.txt", content)
    (stored,) = (
        one
        for one in walk.served.data.rglob("*")
        if one.is_file() and one.stat().st_size == len(content) and one.read_bytes() == content
    )
    missing = stored.rename(stored.with_name("missing"))
    walk.open("plans", f"[pier.txt]({path})", by="ada", shown="pier.txt")
    walk.terminal.press("v")
    walk.see("Ctrl-x tries again")
    missing.rename(stored)
    walk.do("Ctrl-x")
    walk.no_longer("Ctrl-x tries again")
    walk.until(
        lambda: content in [one.read_bytes() for one in walk.home.rglob("pier.txt")], "it is downloaded"
    )
    stored.rename(missing)
    walk.terminal.press("v")
    walk.see("Alt-x removes")
    walk.do("Alt-x")
    walk.no_longer("Alt-x removes")


@pytest.mark.task("Open a spoiler, or a long message")
def test_a_spoiler_is_opened(walk: Walk) -> None:
    text = "```spoiler The end\nThe gardener did it\n```"
    walk.write("films", text)
    walk.open("films", "Do not tell")
    walk.terminal.press("k")
    walk.see(r"Enter shows it")
    walk.do("Enter")
    walk.see("The gardener did it")


@pytest.mark.task("Scroll a wide table")
def test_a_wide_table_is_scrolled(walk: Walk) -> None:
    columns = range(10, 50)
    rows = [[f"c{number}" for number in columns], ["-"] * 40, [f"v{number}" for number in columns]]
    walk.write("tables", "\n".join(f"| {' | '.join(row)} |" for row in rows))
    walk.open("tables", "A wide one")
    walk.terminal.press("k")
    walk.see("v10")
    assert "v49" not in walk.terminal.text
    walk.do(*["]"] * 40)
    walk.see("v49")
    walk.do(*["["] * 40)
    walk.see("v10")


def was_copied(walk: Walk, text: str) -> bool:
    """Whether the terminal was told to put a text into the clipboard."""
    return b"52;c;" + base64.b64encode(text.encode()) + b"\x07" in bytes(walk.terminal.output)


@pytest.mark.task("Copy a message, or a part of it")
@pytest.mark.task("Copy a link to a message, a topic, a channel")
def test_a_message_and_links_are_copied(walk: Walk) -> None:
    message = walk.open("copies", "Copy *this*", shown="Copy this")
    walk.do("y")
    walk.dialog("Copy")
    walk.see("▌Text of the message")
    walk.terminal.press("enter")
    walk.see("Copied the message")
    assert was_copied(walk, "Copy this")
    walk.do("L")
    walk.see("Copied the link to the message")
    channel = f"{walk.served.url}/#narrow/channel/{walk.channel('design')}-design"
    assert was_copied(walk, f"{channel}/topic/copies/near/{message}")
    walk.do("Ctrl-p Copy link to topic")
    walk.until(lambda: was_copied(walk, f"{channel}/topic/copies"), "the link to the topic is copied")
    walk.do("Ctrl-p Copy link to channel")
    walk.until(lambda: was_copied(walk, channel), "the link to the channel is copied")


@pytest.mark.task("See who reacted, who read it, earlier versions")
def test_who_reacted_who_read_a_message_and_its_versions_are_shown(walk: Walk) -> None:
    message = walk.open("details", "Draught", by="ada")
    walk.call("PATCH", f"/messages/{message}", content="Draft")
    walk.call("POST", f"/messages/{message}/reactions", by="chiyo", emoji_name="octopus")
    flag = {"messages": f"[{message}]", "op": "add", "flag": "read"}
    walk.call("POST", "/messages/flags", by="greta", **flag)
    walk.see("🐙")
    walk.do("i")
    walk.dialog("Message information")
    walk.see("Chiyo Tanaka +octopus")
    walk.close("Message information")
    walk.do("V")
    walk.dialog("Read by 1")
    walk.see("▌Greta Lindqvist")
    walk.close("Read by 1")
    walk.do("H")
    walk.see(r"(?s)Draught.*Draft|Draft.*Draught")
    walk.terminal.press("escape")
    walk.no_longer("Draught")
