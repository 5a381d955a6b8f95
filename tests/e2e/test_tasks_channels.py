"""The tasks with channels and topics of docs/tasks.md."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .switching import go
from .walking import Walk

MUTED, NONE, FOLLOWED = 1, 0, 3


def policy(walk: Walk, topic: str) -> int:
    """How Ada wants to be told of a topic, as the server has it."""
    rows = walk.registered("user_topic")["user_topics"]
    return next((row["visibility_policy"] for row in rows if row["topic_name"] == topic), NONE)


def has_policy(walk: Walk, topic: str, wanted: int) -> Callable[[], bool]:
    """Tells whether that is how the server has it."""
    return lambda: policy(walk, topic) == wanted


def is_subscribed(walk: Walk, channel: str, wanted: bool) -> Callable[[], bool]:
    """Tells whether Ada is subscribed, or is not."""
    return lambda: bool(walk.subscription(channel)) is wanted


def open_channel(walk: Walk, name: str) -> None:
    """Makes a channel with a message in it, and opens it."""
    walk.call("POST", "/users/me/subscriptions", subscriptions=f'[{{"name": "{name}"}}]')
    walk.write("first", f"In {name}", by="ada", channel=name)
    walk.see(rf"(?m)^[▌ ] # {name}\b")
    go(walk.terminal, name, rf"#{name}")
    walk.see(rf"(?m)^.{{28,}}In {name}")


@pytest.mark.task("Browse channels, subscribe, unsubscribe")
def test_a_channel_is_found_subscribed_to_and_left_again(walk: Walk) -> None:
    walk.call("POST", "/users/me/subscriptions", by="greta", subscriptions='[{"name": "kittiwakes"}]')
    walk.do("C")
    walk.dialog("Channels")
    walk.find("kittiwakes", "# kittiwakes")
    walk.terminal.press("down")  # to the list, of which this is the only row
    for wanted, said in (
        (True, r"Subscribed to #kittiwakes"),
        (False, "no longer subscribed to #kittiwakes"),
    ):
        walk.do("s")
        walk.see(said)
        walk.until(is_subscribed(walk, "kittiwakes", wanted), said)
    walk.close("Channels", found="kittiwakes")


@pytest.mark.task("Create a channel")
def test_a_channel_is_created(walk: Walk) -> None:
    walk.do("Ctrl-p Create channel")
    walk.dialog("Create channel")
    walk.terminal.type("lighthouse")
    walk.see("▌ lighthouse")
    walk.terminal.press("ctrl+d")
    walk.see(r"(?m)^.{28,}#lighthouse")
    assert walk.subscription("lighthouse")


@pytest.mark.task("Add a subscriber")
def test_somebody_is_subscribed_to_a_channel(walk: Walk) -> None:
    open_channel(walk, "pier")
    walk.do("Ctrl-p Channel subscribers")
    walk.dialog("Subscribers of #pier")
    walk.see("Ada Moreno")
    walk.do("n")
    walk.dialog("Add subscribers to #pier")
    walk.terminal.type("Greta Lindqvist")
    walk.see("▌.*Greta Lindqvist")
    walk.terminal.press("ctrl+d")
    walk.see(r"Greta Lindqvist +greta@demo.example")
    walk.close("Subscribers of #pier")
    subscribers = walk.call("GET", f"/streams/{walk.channel('pier')}/members")["subscribers"]
    assert walk.user("Greta")["user_id"] in subscribers


@pytest.mark.task("Mute or unmute a topic")
def test_a_topic_is_muted_and_unmuted(walk: Walk) -> None:
    walk.open("noise", "Bang")
    for wanted, said in ((MUTED, "Muted"), (NONE, "Unmuted")):
        walk.do("M")
        walk.see(f"{said}: #design › noise")
        walk.until(has_policy(walk, "noise", wanted), said)


@pytest.mark.task("Follow a topic")
def test_a_topic_is_followed(walk: Walk) -> None:
    walk.open("lunch", "Soup")
    walk.do("Alt-w")
    walk.see("Followed: #design › lunch")
    walk.until(lambda: policy(walk, "lunch") == FOLLOWED, "the topic is followed on the server")


@pytest.mark.task("Mute or unmute a channel")
@pytest.mark.task("Pin a channel to the top")
def test_a_channel_is_muted_unmuted_and_pinned(walk: Walk) -> None:
    open_channel(walk, "quay")
    walk.do("Alt-m")
    walk.see(r"#quay muted\.")
    walk.until(lambda: walk.subscription("quay")["is_muted"] is True, "the channel is muted on the server")
    walk.terminal.press("h")
    walk.see("q find")
    walk.do("M")
    walk.see(r"#quay unmuted\.")
    walk.until(
        lambda: walk.subscription("quay")["is_muted"] is False, "the channel is not muted on the server"
    )
    walk.do("b")
    walk.see(r"#quay pinned\.")
    walk.until(lambda: walk.subscription("quay")["pin_to_top"] is True, "the channel is pinned on the server")
    walk.terminal.press("tab")
    walk.see("r reply")


@pytest.mark.task("Choose a channel's color and notifications")
def test_a_channel_gets_another_color(walk: Walk) -> None:
    open_channel(walk, "harbor")
    walk.do("Ctrl-p Personal channel settings")
    walk.dialog("Personal settings for #harbor")
    walk.terminal.press("tab", "tab")
    walk.fill("#123456")
    walk.terminal.press("ctrl+d")
    walk.see(r"Saved\.")
    assert walk.subscription("harbor")["color"] == "#123456"


@pytest.mark.task("Change a channel's name, description, privacy")
@pytest.mark.task("Archive a channel")
def test_a_channel_is_renamed_and_archived(walk: Walk) -> None:
    open_channel(walk, "jetty")
    walk.do("Ctrl-p Channel settings")
    walk.dialog("Channel #jetty")
    walk.fill("mole")
    walk.terminal.press("ctrl+d")
    walk.see(r"Saved\.")
    walk.see(r"(?m)^.{28,}#mole")
    assert walk.subscription("mole")
    walk.do("Ctrl-p Archive or unarchive channel")
    walk.see(r"Archive #mole\?")
    walk.confirm()
    walk.see(r"#mole was archived\.")
    walk.until(lambda: not walk.subscription("mole"), "the channel is archived on the server")
