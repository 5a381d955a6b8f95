"""The tasks of writing of docs/tasks.md."""

from __future__ import annotations

import base64
from collections.abc import Callable

import pytest

from support.uploads import PIXEL

from .switching import go
from .walking import Walk


def newest_is(walk: Walk, text: str, **narrow: str) -> Callable[[], bool]:
    """Tells whether the newest message of a view is this one."""
    return lambda: walk.found(**narrow)[-1:] == [text]


def send(walk: Walk, text: str) -> None:
    """Types a text into compose and sends it."""
    walk.terminal.paste(text)
    walk.see(rf"│ [^\n]*{text[-10:]}")
    walk.terminal.press("enter")


@pytest.mark.task("Reply")
@pytest.mark.task("Send, begin a new line")
def test_a_reply_of_two_lines_is_sent(walk: Walk) -> None:
    walk.open("color", "Which color?")
    walk.do("r")
    walk.see("Esc back")
    walk.terminal.type("Blue")
    walk.do("Ctrl-j")
    walk.terminal.type("or red")
    walk.see(r"│ or red")
    walk.do("Enter")
    walk.until(lambda: walk.texts("color") == ["Which color?", "Blue\nor red"], "the reply is on the server")
    walk.leave()


@pytest.mark.task("Write to a channel, in a new topic")
def test_a_new_topic_is_begun(walk: Walk) -> None:
    walk.terminal.press("a")
    walk.see(r"(?m)^.{28,}Combined feed")
    walk.do("c")
    walk.see("Esc back")
    walk.fill("design")
    walk.terminal.press("enter")
    walk.terminal.settle(0.05)
    walk.terminal.type("ropes")
    walk.see("› ropes")
    walk.terminal.press("enter")
    walk.terminal.settle(0.05)
    send(walk, "Which rope")
    walk.until(lambda: walk.texts("ropes") == ["Which rope"], "the message is on the server")
    walk.leave()


@pytest.mark.task("Write to one person")
@pytest.mark.task("Write to several people")
def test_messages_are_written_to_one_person_and_to_several(walk: Walk) -> None:
    elif_, bruno = "elif@demo.example", "bruno@demo.example"
    for typed, shown, addresses in (
        ("Elif Kaya", "To Elif Kaya", elif_),
        ("Elif Kaya,Bruno Castell", "To Elif Kaya, Bruno Castell", f"{elif_},{bruno}"),
    ):
        walk.do("x")
        walk.see("Esc back")
        walk.terminal.type(typed)
        walk.see(shown)
        walk.terminal.press("enter")
        walk.terminal.settle(0.05)
        send(walk, f"Only for {typed}")
        walk.until(newest_is(walk, f"Only for {typed}", dm=addresses), f"{typed} got the message")
        walk.leave()


@pytest.mark.task("Write to the sender of a message")
def test_the_sender_of_a_message_gets_a_direct_message(walk: Walk) -> None:
    walk.open("whisper", "Psst", by="chiyo")
    walk.do("R")
    walk.see("To Chiyo Tanaka")
    walk.see("Esc back")
    send(walk, "What is it")
    walk.until(
        lambda: walk.found(dm="chiyo@demo.example")[-1:] == ["What is it"], "the sender got the message"
    )
    walk.leave()


@pytest.mark.task("Quote a message")
@pytest.mark.task("Quote a part of a message")
def test_a_message_and_a_part_of_one_are_quoted(walk: Walk) -> None:
    walk.open("soup", "Soup\nand bread\nand tea")
    walk.do(">")
    walk.see("```quote")
    walk.see("│ and tea")
    send(walk, "All of it")
    walk.until(
        lambda: "```quote\nSoup\nand bread\nand tea\n```" in walk.texts("soup")[-1], "the quote is sent"
    )
    walk.leave()
    walk.open("stew", "Stew\nand dumplings")
    walk.do("Shift-↓")
    walk.terminal.settle(0.05)
    walk.do(">")
    walk.see("```quote")
    walk.terminal.settle(0.05)
    send(walk, "That part")
    walk.until(lambda: len(walk.texts("stew")) == 2, "the quote is sent")
    quote = walk.texts("stew")[-1].partition("```quote\n")[2].partition("\n```")[0]
    assert quote == "Stew"
    walk.leave()


@pytest.mark.task("Format as bold, italic, code, link, quote, spoiler")
@pytest.mark.task("Select text in a field")
def test_words_are_formatted_and_text_is_selected(walk: Walk) -> None:
    walk.compose("looks")
    for key, word, looks in (
        ("Alt-*", "brave", r"\*\*brave\*\*"),
        ("Alt-_", "slanted", r" \*slanted\*"),
        ("Alt-c", "coded", "`coded`"),
        ("Alt-k", "linked", r"\[linked\]\(url\)"),
        ("Alt->", "quoted", r"```quote[^\n]*\n[^\n]*│ quoted"),
        ("Alt-|", "hidden", r"```spoiler[^\n]*\n[^\n]*│ hidden"),
    ):
        walk.terminal.press("ctrl+e")
        walk.terminal.type(f" {word}")
        walk.do(key)
        walk.see(looks)
        walk.terminal.press("right")
    walk.leave()
    walk.compose("selections")
    walk.terminal.type("one two three")
    walk.do("Ctrl-Shift-←")
    walk.terminal.type("four")
    walk.see("one two four")
    walk.do("Shift-←", "Shift-←")
    walk.terminal.type("ld")
    walk.see("one two fold")
    walk.leave()


@pytest.mark.task("Go to the conversation of the message in compose")
def test_a_key_goes_to_where_the_message_will_be(walk: Walk) -> None:
    walk.terminal.press("a")
    walk.see(r"(?m)^.{28,}Combined feed")
    walk.terminal.press("x")
    walk.see("Esc back")
    walk.terminal.type("Dario Vance")
    walk.see("Dario Vance")
    walk.terminal.press("enter")
    walk.terminal.settle(0.05)
    walk.terminal.type("Are you")
    walk.see("Are you")
    walk.do("Alt-v")
    walk.see("To Dario Vance")
    walk.no_longer(r"(?m)^.{28,}Combined feed")
    walk.leave()


@pytest.mark.task("Subscribe, or subscribe somebody you mention, before you send")
def test_somebody_who_is_mentioned_is_subscribed_before_the_message_is_sent(walk: Walk) -> None:
    walk.open("help", "Who knows?")
    walk.terminal.press("r")
    walk.see("Esc back")
    walk.terminal.type("Ask @**Farid Haddad**")
    walk.see(r"Farid Haddad is not subscribed to #design")
    walk.do("Alt-y")
    walk.see("Farid Haddad is subscribed to #design now")
    subscribers = walk.call("GET", f"/streams/{walk.channel('design')}/members")["subscribers"]
    assert walk.user("Farid")["user_id"] in subscribers
    walk.leave()


@pytest.mark.task("Take back a message just sent")
def test_a_message_that_is_held_back_is_taken_back(walk: Walk) -> None:
    def undo_send(seconds: str) -> None:
        walk.run("App settings")
        walk.dialog("App settings")
        walk.find("undo send", "Undo send")
        walk.terminal.press("enter")
        walk.dialog("Undo send")
        walk.answer(seconds)
        walk.see(f"Saved: Undo send: {seconds}")
        walk.close("App settings", found="undo send")

    undo_send("20")
    walk.compose("hasty")
    send(walk, "Too early")
    walk.see("Esc in the compose box takes it back")
    walk.do("Esc")
    walk.see("Not sent: the text is in the compose box again")
    walk.terminal.press("ctrl+e", "ctrl+u")
    walk.leave()
    undo_send("0")
    assert walk.texts("hasty") == ["About hasty"]


@pytest.mark.task("Complete @names, #channels, :emoji:")
def test_names_are_completed(walk: Walk) -> None:
    walk.compose("names")
    walk.terminal.type("@gret")
    walk.see("▌.*Greta Lindqvist")
    walk.terminal.press("tab")
    walk.see(r"@\*\*Greta Lindqvist\*\*")
    walk.terminal.type(":octop")
    walk.see("▌.*:octopus:")
    walk.terminal.press("escape")
    walk.no_longer("▌.*:octopus:")
    walk.do("Ctrl-r")
    walk.see("▌.*:octopus:")
    walk.terminal.press("enter")
    walk.see(r"@\*\*Greta Lindqvist\*\* :octopus:")
    walk.leave()


@pytest.mark.task("Upload a file")
@pytest.mark.task("Upload a file by pasting its path")
@pytest.mark.task("Upload the image in the clipboard, also over SSH where the terminal tells it")
def test_a_file_is_uploaded_by_its_path_in_three_ways(walk: Walk) -> None:
    (walk.home / "plan.txt").write_text("Plan")
    (walk.home / "map.txt").write_text("Map")
    walk.compose("files")
    walk.do("Ctrl-t")
    walk.dialog("Upload file")
    walk.answer(str(walk.home / "plan.txt"))
    walk.see(r"\[plan\.txt\]\(/user_uploads/")
    walk.terminal.paste(str(walk.home / "map.txt"))
    walk.see(r"map\.txt: upload in place of the path\?")
    walk.do("Alt-y")
    walk.see(r"\[map\.txt\]\(/user_uploads/")
    before = len(walk.terminal.output)
    walk.do("Ctrl-v")
    walk.until(
        lambda: b"\x1b]52;c;?\x07" in walk.terminal.output[before:], "the terminal is asked for its clipboard"
    )
    walk.terminal.send(b"\x1b]52;c;" + base64.b64encode(PIXEL) + b"\x07")
    walk.see(r"\[image-[0-9-]+\.png\]\(/user_uploads/")
    walk.leave()


@pytest.mark.task("Preview a message")
@pytest.mark.task("Save a text as a snippet, insert one")
def test_a_text_is_previewed_saved_as_a_snippet_and_inserted(walk: Walk) -> None:
    walk.compose("texts")
    walk.terminal.paste("See **you** there")
    walk.see(r"See \*\*you\*\* there")
    walk.do("Ctrl-p Preview message")
    walk.dialog("Preview")
    walk.see("│ *See you there")
    walk.close("Preview")
    walk.do("Ctrl-p Save compose text as snippet")
    walk.dialog("Create snippet")
    walk.terminal.type("greeting")
    walk.see("▌ greeting")
    walk.terminal.press("ctrl+d")
    walk.see(r"Snippet saved\.")
    walk.compose("more texts")
    walk.do("Alt-i")
    walk.dialog("Saved snippets")
    walk.find("greeting", "greeting")
    walk.terminal.press("enter")
    walk.see(r"│ See \*\*you\*\* there")
    walk.leave()


@pytest.mark.task("Leave compose; the text is kept as a draft")
@pytest.mark.task("Restore a draft, or delete one")
def test_a_draft_is_left_restored_and_deleted(walk: Walk) -> None:
    walk.compose("drafts")
    walk.terminal.paste("Half a thought")
    walk.see("Half a thought")
    walk.do("Esc")
    walk.no_longer("Esc back")
    go(walk.terminal, "Dario", "To Dario Vance")
    walk.do("d")
    walk.dialog("Drafts")
    walk.see("Half a thought")
    walk.find("half a", "#design › drafts")
    walk.do("Enter")
    walk.no_longer("╭─ Drafts")
    walk.see("#design › drafts")
    walk.see("│ Half a thought")
    walk.leave()
    walk.do("d")
    walk.dialog("Drafts")
    walk.find("half a", "#design › drafts")
    walk.terminal.press("down")
    walk.do("x")
    walk.no_longer("#design › drafts +[0-9]")
    walk.close("Drafts", found="half a")
    walk.until(
        lambda: "Half a thought" not in str(walk.call("GET", "/drafts")), "the draft is gone on the server"
    )


@pytest.mark.task("Schedule a message")
@pytest.mark.task("See, change or send scheduled messages")
def test_a_message_is_scheduled_changed_and_sent(walk: Walk) -> None:
    walk.compose("later")
    walk.terminal.paste("Good morning")
    walk.see("Good morning")
    walk.do("Alt-t")
    walk.dialog("Schedule message")
    walk.terminal.paste("tomorrow 9:00")
    walk.see("▌ tomorrow 9:00")
    walk.terminal.press("ctrl+d")
    walk.see(r"Message scheduled for")
    walk.do("Ctrl-p View scheduled messages")
    walk.dialog("Scheduled messages")
    walk.find("later", "◷ #design › later")
    walk.terminal.press("enter")
    walk.dialog("Scheduled message ")
    walk.terminal.press("tab", "tab", "tab")
    walk.terminal.type(", all")
    walk.see("Good morning, all")
    walk.terminal.press("ctrl+d")
    walk.no_longer("╭─ Scheduled message ")
    walk.terminal.type("s")
    walk.see(r"Send this message to #design › later now\?")
    walk.confirm()
    walk.until(lambda: walk.texts("later")[-1] == "Good morning, all", "the message is sent")
    walk.close("Scheduled messages", found="later")


@pytest.mark.task("Set a reminder for a message")
def test_a_reminder_is_set(walk: Walk) -> None:
    walk.open("duties", "Water the plants")
    before = len(walk.call("GET", "/reminders")["reminders"])
    walk.do("Ctrl-p Remind me about this message")
    walk.dialog("Remind me about this message")
    walk.terminal.paste("tomorrow 9:00")
    walk.see("▌ tomorrow 9:00")
    walk.terminal.press("ctrl+d")
    walk.see("Reminder set for")
    assert len(walk.call("GET", "/reminders")["reminders"]) == before + 1


@pytest.mark.task("Insert a time that all see in their own time zone")
def test_a_time_is_completed_and_inserted(walk: Walk) -> None:
    walk.compose("times")
    walk.do("<time:")
    walk.terminal.type("tomorrow 9:00")
    walk.see("▌.*9:00")
    walk.terminal.press("tab")
    walk.see(r"<time:\d{4}-\d\d-\d\dT09:00:00")
    walk.do("Ctrl-p Insert time")
    walk.dialog("Insert time")
    walk.terminal.paste("2030-05-06 10:30")
    walk.see("▌ 2030-05-06 10:30")
    walk.terminal.press("ctrl+d")
    walk.see("<time:2030-05-06T10:30:00")
    walk.leave()


@pytest.mark.task("Create a poll, a to-do list")
@pytest.mark.task("Vote, or check off a task")
def test_a_poll_and_a_to_do_list_are_created_and_voted_in(walk: Walk) -> None:
    for command, word, first, choices, chosen in (
        ("Ctrl-p Create poll", "poll", "Soup or stew", "soup\nstew", "◉ soup"),
        ("Ctrl-p Create to-do list", "todo", "Shopping", "leek\nbread", r"\[x\] leek"),
    ):
        topic = first.lower()
        walk.compose(topic)
        walk.do(command)
        walk.dialog(command.removeprefix("Ctrl-p "))
        walk.fill(first)
        walk.terminal.press("tab")
        walk.terminal.paste(choices)
        walk.see(choices[-4:])
        walk.terminal.press("ctrl+d")
        walk.see(f"/{word} {first}")
        walk.terminal.press("ctrl+d")
        walk.until(newest_is(walk, f"/{word} {first}\n{choices}", topic=topic), "the message is sent")
        walk.leave()
        walk.terminal.press("G")
        walk.do("X")
        walk.dialog("(Vote|To do)")
        walk.terminal.press("enter")
        walk.see(chosen)
