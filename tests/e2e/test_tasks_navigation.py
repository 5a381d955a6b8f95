"""The tasks of navigation of docs/tasks.md."""

from __future__ import annotations

import json

import pytest

from .walking import Walk

FOLLOWED = 3


def begin_with_nothing_unread(walk: Walk) -> None:
    """Reads everything, and opens a view that marks nothing as read."""
    walk.away()
    walk.call("POST", "/mark_all_as_read")
    walk.see("no unread")


def unread(walk: Walk, *topics: str) -> None:
    """Has an unread message in each topic, and nowhere else."""
    begin_with_nothing_unread(walk)
    for topic in topics:
        walk.write(topic, f"About {topic}")
    walk.see(rf"● live  {len(topics)} unread")


def count_unread(walk: Walk) -> int:
    """The number of Ada's unread messages on the server."""
    counts = walk.registered("message", "update_message_flags")["unread_msgs"]
    return sum(len(one["unread_message_ids"]) for one in (*counts["streams"], *counts["pms"]))


@pytest.mark.task("Go to any channel, topic, person or view")
def test_a_part_of_a_name_leads_to_a_person(walk: Walk) -> None:
    walk.do("Ctrl-k")
    walk.dialog("Go to")
    walk.terminal.type("lindq")
    walk.see("▌.*Greta Lindqvist")
    walk.terminal.press("enter")
    walk.see("To Greta Lindqvist")


@pytest.mark.task("Go to the next topic with unread messages")
@pytest.mark.task("Go to the previous topic with unread messages")
@pytest.mark.task("Go to the next unread topic that you follow")
def test_keys_lead_to_the_topics_with_unread_messages(walk: Walk) -> None:
    unread(walk, "tides")
    walk.do("n")
    walk.see("#design › tides")
    unread(walk, "waves")
    walk.do("Alt-p")
    walk.see("#design › waves")
    where = walk.channel("design")
    walk.call("POST", "/user_topics", stream_id=where, topic="squalls", visibility_policy=FOLLOWED)
    unread(walk, "gusts", "squalls")
    walk.do("N")
    walk.see("#design › squalls")


@pytest.mark.task("Go to the next unread direct message")
def test_a_key_leads_to_the_unread_direct_message(walk: Walk) -> None:
    begin_with_nothing_unread(walk)
    me = walk.user("Ada")["user_id"]
    walk.call("POST", "/messages", by="dario", type="direct", to=json.dumps([me]), content="Are you in?")
    walk.see("1 unread")
    walk.do("p")
    walk.see("To Dario Vance")
    walk.see(r"(?m)^.{28,}Are you in\?")


@pytest.mark.task("See what is unread, by channel")
@pytest.mark.task("Mark several conversations as read")
@pytest.mark.task("Take back marking as read, or muting, in the inbox")
def test_the_inbox_shows_what_is_unread_and_several_are_marked_as_read_and_unread_again(walk: Walk) -> None:
    unread(walk, "rain", "snow", "hail")
    walk.do("I")
    walk.see(r"design .*3 unread")
    walk.terminal.settle(0.05)
    for number in (1, 2):
        walk.do(",")
        walk.see(f"{number} conversations? selected")
    walk.do("Z")
    walk.see("Marked as read: 2 conversations")
    walk.until(lambda: count_unread(walk) == 1, "two of three are read on the server")
    walk.do("u")
    walk.see("Marked as unread again")
    walk.until(lambda: count_unread(walk) == 3, "they are unread on the server again")
    walk.terminal.press("escape")
    walk.no_longer("Esc closes")


@pytest.mark.task("Mark a channel as read")
@pytest.mark.task("See only some conversations, such as those you follow")
def test_a_channel_is_marked_as_read_in_the_inbox_which_can_show_only_direct_messages(walk: Walk) -> None:
    unread(walk, "fog", "mist")
    walk.terminal.press("I")
    walk.see(r"design .*2 unread")
    walk.do("v")
    walk.dialog("Show only")
    walk.terminal.type("direct")
    walk.see("▌Direct")
    walk.terminal.press("enter")
    walk.see("Inbox: direct")
    walk.no_longer("2 unread *$")
    walk.do("v")
    walk.dialog("Show only")
    walk.terminal.type("all")
    walk.see("▌All")
    walk.terminal.press("enter")
    walk.see(r"design .*2 unread")
    walk.terminal.press("home", "up")
    walk.see("▌.*design .*2 unread")
    walk.do("Z")
    walk.see("Marked as read: 2 conversations")
    walk.until(lambda: count_unread(walk) == 0, "all are read on the server")
    walk.terminal.press("escape")
    walk.no_longer("Esc closes")


@pytest.mark.task("See recent conversations")
@pytest.mark.task("See all messages")
@pytest.mark.task("See mentions")
@pytest.mark.task("See starred messages")
@pytest.mark.task("See direct messages")
def test_each_view_has_a_key(walk: Walk) -> None:
    walk.do("t")
    walk.see(r"(?m)^.{26,}Recent conversations")
    walk.terminal.press("escape")
    walk.no_longer("Esc closes")
    for key, title in (("#", "Mentions"), ("a", "Combined feed"), ("f", "Starred"), ("P", "Direct messages")):
        walk.do(key)
        walk.see(rf"(?m)^.{{28,}}{title}")


@pytest.mark.task("Open the channel, or the conversation, of a message")
@pytest.mark.task("Go back, and forward again")
def test_from_a_message_to_its_conversation_and_channel_and_back(walk: Walk) -> None:
    walk.write("anchors", "Which anchor?")
    walk.terminal.press("a")
    walk.title("Combined feed")
    walk.terminal.press("G")
    walk.see(r"(?s)#design › anchors.*Which anchor\?")
    walk.terminal.press("G")
    walk.selected("Which anchor?")
    walk.do("S")
    walk.title("#design › anchors")
    walk.do("s")
    walk.title("#design")
    walk.do("Alt-←")
    walk.title("#design › anchors")
    walk.do("Alt-→")
    walk.title("#design")


@pytest.mark.task("Move between channels, messages and compose")
def test_tab_goes_from_pane_to_pane(walk: Walk) -> None:
    walk.open("panes", "Which pane?")
    hints = {"messages": "r reply", "compose": "Esc back", "channels": "q find"}
    walk.see(hints["messages"])
    walk.do("Tab")
    walk.see(hints["compose"])
    walk.do("Shift-Tab", "Shift-Tab", "Shift-Tab")  # over the fields of the topic and the channel
    walk.see(hints["messages"])
    walk.do("Shift-Tab")
    walk.see(hints["channels"])
    walk.do("Tab")
    walk.see(hints["messages"])


@pytest.mark.task("Show or hide channels, people")
def test_the_panes_of_channels_and_people_are_hidden_and_shown(walk: Walk) -> None:
    walk.open("room", "Which room?")
    walk.do("F2")
    walk.no_longer("Combined feed")
    walk.do("F2")
    walk.see("Combined feed")
    walk.do("F3")
    walk.see(r"(?m)Hugo Park *$")
    walk.do("F3")
    walk.no_longer(r"(?m)Hugo Park *$")


@pytest.mark.task("Filter the list of channels")
def test_the_list_of_channels_is_filtered(walk: Walk) -> None:
    walk.do("q")
    walk.terminal.type("announ")
    walk.no_longer("# engineering")
    walk.terminal.press("enter")
    walk.title("#announcements")
    walk.see("# engineering")


@pytest.mark.task("Open a link to a message")
def test_a_link_to_a_message_is_pasted(walk: Walk) -> None:
    message = walk.write("links", "The linked message")
    walk.away()
    walk.do(";")
    walk.dialog("Go to message")
    link = f"{walk.served.url}/#narrow/channel/{walk.channel('design')}-design/topic/links/near/{message}"
    walk.terminal.paste(link)
    walk.see("near")
    walk.terminal.press("enter")
    walk.see("#design › links")
    walk.selected("The linked message")


@pytest.mark.task("See all keys, search them")
@pytest.mark.task("Find a command by its name")
def test_all_keys_are_shown_and_searched_and_a_command_is_found_by_its_name(walk: Walk) -> None:
    walk.terminal.press("a")
    walk.see(r"(?m)^.{28,}Combined feed")
    walk.do("?")
    walk.dialog("Keyboard shortcuts")
    walk.do("/")
    walk.terminal.type("spoiler")
    walk.see("Show or hide spoilers")
    walk.no_longer("Go to inbox")
    walk.close("Keyboard shortcuts", found="spoiler")
    walk.do("Ctrl-p")
    walk.dialog("Commands")
    walk.terminal.type("starred mess")
    walk.see("▌Go to starred messages")
    walk.terminal.press("enter")
    walk.see(r"(?m)^.{28,}Starred")
