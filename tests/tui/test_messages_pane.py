"""The pane of messages on a live account of the embedded server."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

import pytest

from narrowcast.panes.messages.context import PaneContext
from narrowcast.panes.messages.message_list import MessageList
from narrowcast_api import permissions
from narrowcast_api.narrow.destinations import ChannelDestination, DirectDestination
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.narrow.page import Anchor, Page
from narrowcast_api.protocols import on_screen
from narrowcast_api.protocols.outbox_item import OutboxEntry, OutboxState
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.resources.messages import operations as messages
from support.altered_servers import offering
from support.message_stage import Stage, staged
from support.sessions import until


async def test_a_view_shows_what_the_server_has_and_what_comes(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        await stage.server.send("bruno", "general", "soup", "Who made **this**?")
        await stage.show(stage.topic)
        await stage.see("Who made this?")
        await stage.server.send("bruno", "general", "soup", "It is good.")
        await stage.see("It is good.")


async def test_nothing_is_marked_as_read_while_the_view_is_not_in_focus(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        await stage.show(stage.topic)
        stage.app.app_focus = False
        message_id = await stage.server.send("bruno", "general", "soup", "are you there?")
        await stage.see("are you there?")
        assert not await stage.is_read(message_id)
        stage.app.app_focus = True
        await until(
            lambda: (seen := stage.session.state.messages.get(message_id)) is not None and seen.is_read
        )


async def test_an_empty_view_says_what_to_press(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        await stage.show(stage.topic)
        await stage.see("c writes the first")
        await stage.show(Narrow.direct(frozenset({stage.server.id("bruno")})))
        await stage.see("r writes the first")
        await stage.press("r")
        await stage.asked(1)
        await stage.show(Narrow.channel(stage.server.channel("announcements")))
        await stage.see("c writes the first")
        await stage.show(Narrow.all())
        await stage.see("c writes to a channel")


async def test_an_empty_feed_says_where_older_messages_are(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        server = stage.server
        channels = [{"name": "archive"}]
        await server.call("bruno", "POST", "/users/me/subscriptions", {"subscriptions": channels})
        await server.send("bruno", "archive", "minutes", "from before")
        # Ada subscribes herself: if Bruno did it, a notification would fill the feed.
        await server.call("ada", "POST", "/users/me/subscriptions", {"subscriptions": channels})
        await until(
            lambda: (
                (joined := stage.session.state.channels.get(server.channel("archive"))) is not None
                and joined.subscription is not None
            )
        )
        await stage.show(Narrow.all())
        await stage.see("q finds a channel")


async def test_seen_messages_are_read_and_unseen_ones_are_not(tmp_path: Path) -> None:
    async with staged(tmp_path, (80, 10)) as stage:
        ids = [await stage.server.send("bruno", "general", "soup", f"spoon {number}") for number in range(40)]
        await until(lambda: stage.session.state.unreads.count_all() == 40)
        await stage.show(stage.topic)
        await stage.see("spoon 0")

        async def read() -> list[int]:
            page = {"anchor": "newest", "num_before": 50, "num_after": 0}
            response = await stage.server.call("ada", "GET", "/messages", page)
            return [one["id"] for one in response["messages"] if "read" in one["flags"]]

        await until(read)  # the session shows them as read before the server has the marks
        assert max(await read()) < ids[20]
        await stage.press("G")
        await until(lambda: ids[-1] not in stage.session.state.unreads)
        assert ids[20] in stage.session.state.unreads, "passed, but not seen"


async def test_going_to_either_end_is_one_request_and_marks_only_what_is_on_the_screen_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(on_screen, "MOMENT", 0.0)  # what is painted at all counts
    async with staged(tmp_path, (80, 20)) as stage:
        ids = [await stage.server.send("bruno", "general", "soup", f"spoon {n}") for n in range(250)]
        asked = recorded_fetches(stage, monkeypatch)

        def is_selected(message_id: int) -> bool:
            return stage.pane.selected_id == message_id

        await until(lambda: len(stage.session.state.unreads) == 250)
        unreads = stage.session.state.unreads
        await stage.show(stage.topic, "newest")
        await stage.see("spoon 249")
        await until(lambda: ids[-1] not in unreads and not stage.session.read_marks.pending)
        for key, end in (("g", 0), ("G", -1), ("g", 0)):
            before, on_it = set(unreads), stage.pane.list.ids_in_view()
            asked.clear()
            await stage.press(key)
            await until(partial(is_selected, ids[end]))
            await stage.settled()
            assert asked == ["oldest" if key == "g" else "newest"]
            on_it |= stage.pane.list.ids_in_view()
            await until(lambda: not stage.session.read_marks.pending)
            assert before - set(unreads) <= on_it


async def test_a_key_before_the_oldest_messages_arrive_does_not_keep_the_reader_from_them(
    tmp_path: Path,
) -> None:
    async with staged(tmp_path, (80, 20)) as stage:
        ids = [await stage.server.send("bruno", "general", "soup", f"spoon {n}") for n in range(210)]
        await stage.show(stage.topic, "newest")
        await stage.see("spoon 209")
        await stage.pilot.press("g", "k")
        await until(lambda: stage.pane.selected_id == ids[0])


def recorded_fetches(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> list[Anchor]:
    """The anchors of the pages that are requested from now on."""
    asked: list[Anchor] = []
    fetch = stage.session.pages.fetch

    async def recorded(narrow: Narrow, anchor: Anchor, *size: int, include_anchor: bool) -> Page:
        asked.append(anchor)
        return await fetch(narrow, anchor, *size, include_anchor=include_anchor)

    monkeypatch.setattr(stage.session.pages, "fetch", recorded)
    return asked


async def test_a_message_that_arrives_below_the_visible_part_gets_the_unread_line(tmp_path: Path) -> None:
    async with staged(tmp_path, (80, 10)) as stage:
        ids = [await stage.server.send("bruno", "general", "soup", f"spoon {number}") for number in range(15)]

        def is_read(message_id: int) -> bool:
            return message_id not in stage.session.state.unreads

        await until(lambda: stage.session.state.unreads.count_all() == 15)
        await stage.show(stage.topic, "newest")
        await stage.see("spoon 14")
        view = stage.pane.view
        assert view is not None
        for number in (-1, 7, 0):  # a screen at a time, for a moment each
            await until(partial(is_read, ids[number]))
            await stage.press("pageup")
        await until(lambda: stage.session.state.unreads.count_all() == 0)
        came = await stage.server.send("bruno", "general", "soup", "the last spoon")
        await until(lambda: came in view.ids)
        assert view.first_unread == came
        await stage.press("G")
        await stage.see("─ unread from here ─")


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
            await stage.pilot.pause()
        await stage.see("spoon 0\n")
        assert len(view.ids) == 260


async def test_an_error_is_shown_and_the_app_continues(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        message_id = await stage.server.send("bruno", "general", "soup", "gone soon")
        await stage.show(stage.topic, message_id)
        await stage.see("gone soon")
        await stage.press("delete", "down", "enter")
        await until(lambda: "gone soon" not in stage.app.text() or stage.app.told)
        context = PaneContext(stage.pane, stage.session, stage.pane.list, lambda _: None)
        context.work(stage.session.client.messages.delete(message_id=999_999), "do the impossible")
        await until(lambda: any("nvalid message" in text for text in stage.app.told))


async def test_own_messages_show_at_once_and_are_confirmed_later(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        await stage.show(stage.topic)
        destination = stage.topic.destination
        assert destination is not None
        stage.session.outbox.send(destination, "from me *now*")
        await stage.see("from me")
        await stage.see("from me now")
        await stage.pilot.pause()
        assert stage.app.text().count("from me") == 1


async def test_pending_messages_show_in_every_view_of_their_conversation(
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
        await stage.see("@ Notes to yourself")
        for narrow, there, elsewhere in (
            (stage.topic, "for bruno", "for myself"),
            (Narrow.channel(topic.channel_id), "for bruno", "for myself"),
            (Narrow.directs(), "for myself", "for bruno"),
        ):
            await stage.show(narrow)
            await stage.see(there)
            assert elsewhere not in stage.app.text()
        await stage.show(Narrow.mentions())
        await stage.see("No mentions")
        assert "for " not in stage.app.text().split("\n")[0]


async def test_returning_to_a_view_restores_the_position(tmp_path: Path) -> None:
    async with staged(tmp_path, (80, 12)) as stage:
        ids = [await stage.server.send("ada", "general", "soup", f"spoon {number}") for number in range(60)]
        await stage.show(stage.topic, ids[10])
        await stage.see("spoon 10")
        await stage.show(Narrow.channel(stage.server.channel("general")))
        await stage.show(stage.topic)
        await stage.see("spoon 10")
        assert stage.pane.selected_id == ids[10]


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


async def test_a_page_of_another_view_that_is_on_its_way_delays_none_of_this_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with staged(tmp_path) as stage:
        await stage.server.send("bruno", "general", "soup", "alone")
        leaves, asked = asyncio.Event(), list[Narrow]()
        for narrow in (stage.topic, Narrow.all()):

            async def page(of: Narrow = narrow) -> None:
                asked.append(of)
                await leaves.wait()

            # Before the view is shown: the list may want a page by itself at once.
            monkeypatch.setattr(stage.session.view(narrow), "load_older", page)
            await stage.show(narrow, "newest")
            await stage.see("alone")
            for _ in range(2):
                stage.pane.list.post_message(MessageList.PageWanted(older=True))
                await stage.pilot.pause()
        assert asked == [stage.topic, Narrow.all()]
        leaves.set()


async def test_a_view_that_the_server_refuses_says_why(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        stage.pane.show(Narrow.search("is:nothing"))
        await stage.see("unknown 'is' operand nothing")


async def test_a_rejected_refresh_of_a_view_with_messages_is_not_shown_as_a_lost_connection(
    tmp_path: Path,
) -> None:
    with offering("/messages", routes=messages.routes, method="GET") as offered:
        async with staged(tmp_path) as stage:
            await stage.server.send("bruno", "general", "soup", "before")
            await stage.show(stage.topic)
            await stage.see("before")
            offered.response = ServiceError("Invalid narrow operator: gone", "BAD_NARROW", desc="gone")
            view = stage.session.view(stage.topic)
            view.mark_stale()
            await view.refresh()
            await stage.see("newer messages may be missing here: the server refused them")
            offered.response = None
            await view.refresh()
            await until(lambda: view.error is None and not view.is_stale)


async def test_where_one_may_not_write_the_empty_view_says_so(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        owners = {"new": stage.server.group("role:nobody")}
        path = f"/streams/{stage.server.channel('general')}"
        await stage.server.call("ada", "PATCH", path, {"can_send_message_group": owners})
        general = stage.server.channel("general")
        await until(lambda: bool(permissions.channel_write_refusal(stage.session.state, general)))
        await stage.show(stage.topic)
        await stage.see("Nobody can post in #general.")


async def test_a_topic_that_moved_as_a_whole_repeats_no_names(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        ids = [await stage.server.send("bruno", "general", "soup", f"spoon {number}") for number in range(4)]
        change = {"topic": "stew", "propagate_mode": "change_all", "send_notification_to_new_thread": False}
        await stage.server.call("ada", "PATCH", f"/messages/{ids[0]}", change)
        await stage.show(Narrow.topic(stage.server.channel("general"), "stew"))
        await stage.see("spoon 3")
        assert stage.app.text().count("Bruno Castell") == 1
