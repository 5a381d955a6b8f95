"""Sessions against the embedded server: what one user does, the other sees; views stay in sync."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from narrowcast_api.errors import BadRequest
from narrowcast_api.events.event_source import EventSocket, open_socket
from narrowcast_api.http.connection import Connection
from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.protocols.draft_requests import DraftRequests
from narrowcast_api.resources.drafts import DraftVersion
from narrowcast_api.state.changes import Change, MessagesAdded, ViewChanged
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.resources.channels import operations as channel_routes
from support.ledger import proves
from support.server import TestServer, running_server
from support.sessions import known, session_of, sessions, soup, until


async def move(server: TestServer, message_id: int, topic: str) -> None:
    """Moves one message, without a notification from the bot."""
    quiet = {"send_notification_to_old_thread": False, "send_notification_to_new_thread": False}
    await server.call("ada", "PATCH", f"/messages/{message_id}", {"topic": topic, **quiet})


@proves("EVT-01", "EVT-02", "EVT-03")
@pytest.mark.parametrize("polling", [False, True], ids=["websocket", "long poll"])
async def test_message_typing_reaction_and_read_state_cross(tmp_path: Path, polling: bool) -> None:
    async with (
        running_server(tmp_path / "server") as server,
        sessions(server, tmp_path, "ada", "dario", polling=polling) as (ada, dario),
    ):
        narrow = soup(server)
        destination = narrow.destination
        assert destination is not None
        view = dario.view(narrow)
        await view.open()
        ada.typing.typed(destination)
        await until(lambda: dario.state.typing.typers(destination) == (server.id("ada"),))
        ada.outbox.send(destination, "hot **soup**")
        await until(lambda: len(view.ids) == 1)
        message_id = view.ids[0]
        assert dario.state.typing.typers(destination) == ()
        assert dario.state.unreads.topic_ids(server.channel("general"), "SOUP") == [message_id]
        await dario.client.reactions.add(message_id=message_id, emoji_name="tada")
        await until(lambda: message_id in ada.state.messages)
        await until(lambda: len(known(ada, message_id).reactions) == 1)
        dario.read_marks.seen([message_id])
        await until(lambda: len(dario.state.unreads) == 0)
        assert known(dario, message_id).is_read
        await until(lambda: ada.outbox.entries() == [])


@pytest.mark.parametrize("polling", [False, True])
async def test_events_come_over_a_socket_unless_the_network_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, polling: bool
) -> None:
    opened: list[str] = []

    async def noted(connection: Connection, path: str, queue_id: str, last_event_id: int) -> EventSocket:
        opened.append(queue_id)
        return await open_socket(connection, path, queue_id, last_event_id)

    monkeypatch.setattr("narrowcast_api.sync.synchronizer.open_socket", noted)
    async with (
        running_server(tmp_path / "server") as server,
        sessions(server, tmp_path, "dario", polling=polling) as (dario,),
    ):
        sent = await server.send("ada", "general", "soup")
        await until(lambda: sent in dario.state.messages)
        assert opened == ([] if polling else [dario.queue_id])


@pytest.mark.parametrize(
    ("level", "dialect"), [(0, "zulip"), (133, "service"), (214, "zulip"), (372, "service-only")]
)
async def test_sessions_work_with_servers_of_every_level(tmp_path: Path, level: int, dialect: str) -> None:
    async with (
        running_server(tmp_path / "server", feature_level=level, dialect=dialect) as server,
        sessions(server, tmp_path, "ada", "dario") as (ada, dario),
    ):
        narrow = soup(server)
        assert narrow.destination is not None
        view = dario.view(narrow)
        await view.open()
        ada.outbox.send(narrow.destination, "old soup")
        await until(lambda: len(view.ids) == 1 and ada.outbox.entries() == [])
        dario.read_marks.seen(view.ids)
        await until(lambda: len(dario.state.unreads) == 0)
        people = Narrow.direct(frozenset({server.id("ada")}))
        assert people.destination is not None
        dario.outbox.send(people.destination, "delicious")
        await until(lambda: ada.state.unreads.count_direct(frozenset({server.id("dario")})) == 1)
        talk = ada.view(Narrow.direct(frozenset({server.id("dario")})))
        await talk.open()
        assert len(talk.ids) == 1


async def test_a_view_is_fetched_in_pages_from_the_first_unread_message(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        sent = [await server.send("ada", "general", "soup", f"number {i}") for i in range(350)]
        read = {"messages": sent[:150], "op": "add", "flag": "read"}
        await server.call("dario", "POST", "/messages/flags", read)
        async with sessions(server, tmp_path, "dario") as (dario,):
            view = dario.view(soup(server))
            await view.open()
            assert view.anchor == view.first_unread == sent[150]
            assert list(view.ids) == sent[50:251]
            assert (view.found_oldest, view.found_newest, view.gaps) == (False, False, ())
            await server.send("ada", "general", "soup", "a new one")
            await until(lambda: dario.state.max_message_id > sent[-1])
            assert list(view.ids) == sent[50:251], "the newest is not known yet"
            await view.load_older()
            assert view.ids[0] == sent[0]
            assert view.found_oldest
            await view.load_newer()
            await view.load_newer()
            assert view.found_newest
            assert list(view.ids) == [*sent, sent[-1] + 1]
            last = await server.send("ada", "general", "soup", "one more")
            await until(lambda: view.ids[-1] == last)


async def test_of_messages_in_no_view_only_the_newest_stay_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("narrowcast_api.sync.synchronizer.NEWEST_KEPT", 3)
    monkeypatch.setattr("narrowcast_api.sync.synchronizer.EVICTION_BATCH", 2)
    async with (
        running_server(tmp_path / "server") as server,
        sessions(server, tmp_path, "dario") as (dario,),
    ):
        view = dario.view(soup(server))
        await view.open()
        shown = [await server.send("ada", "general", "soup", f"soup {i}") for i in range(2)]
        sent = [await server.send("ada", "general", "stew", f"stew {i}") for i in range(10)]
        await until(lambda: sent[-1] in dario.state.messages)
        assert list(view.ids) == shown
        assert [known(dario, message_id).id for message_id in shown] == shown
        assert sent[0] not in dario.state.messages
        assert all(message_id in dario.state.messages for message_id in sent[-3:])
        assert len(dario.state.messages) <= len(shown) + 3 + 2
        assert len(dario.state.unreads) == 12, "they still count"
        other = dario.view(Narrow.topic(server.channel("general"), "stew"))
        await other.open()
        assert list(other.ids) == sent
        assert [known(dario, message_id).content for message_id in sent[:1]] == ["<p>stew 0</p>"]


async def test_views_follow_moves_deletions_and_stars(tmp_path: Path) -> None:
    async with (
        running_server(tmp_path / "server") as server,
        sessions(server, tmp_path, "dario") as (dario,),
    ):
        general = server.channel("general")
        early = await server.send("ada", "general", "stew", "never loaded")
        views = [dario.view(n) for n in (soup(server), Narrow.topic(general, "stew"), Narrow.starred())]
        for view in views:
            await view.open()
        in_soup, in_stew, starred = views
        first = await server.send("ada", "general", "soup")
        second = await server.send("ada", "general", "Soup")
        await until(lambda: list(in_soup.ids) == [first, second])
        await server.call(
            "dario", "POST", "/messages/flags", {"messages": [first], "op": "add", "flag": "starred"}
        )
        await until(lambda: list(starred.ids) == [first])
        await move(server, second, "stew")
        await until(lambda: list(in_soup.ids) == [first] and list(in_stew.ids) == [early, second])
        await server.call("ada", "DELETE", f"/messages/{first}")
        await until(lambda: not in_soup.ids and not starred.ids)


async def test_messages_that_were_never_loaded_appear_where_they_are_moved_to(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        early = await server.send("ada", "general", "stew")
        async with sessions(server, tmp_path, "dario") as (dario,):
            view = dario.view(soup(server))
            await view.open()
            await move(server, early, "soup")
            await until(lambda: list(view.ids) == [early])
            assert known(dario, early).topic == "soup"


async def test_arrivals_in_a_search_are_decided_by_the_server(tmp_path: Path) -> None:
    async with (
        running_server(tmp_path / "server") as server,
        sessions(server, tmp_path, "dario") as (dario,),
    ):
        view = dario.view(Narrow.search("barley"))
        await view.open()
        await server.send("ada", "general", "soup", "with rice")
        wanted = await server.send("ada", "general", "soup", "with barley")
        await until(lambda: list(view.ids) == [wanted])
        assert "barley" in view.matches[wanted].content
        assert "highlight" in view.matches[wanted].content


async def test_an_event_that_comes_while_a_page_is_on_its_way_is_not_lost(tmp_path: Path) -> None:
    async with (
        running_server(tmp_path / "server") as server,
        sessions(server, tmp_path, "dario") as (dario,),
    ):
        first = await server.send("ada", "general", "soup")
        await until(lambda: first in dario.state.messages)
        connection = dario.client.connection
        fetch = connection.request

        async def slow(*args: object, **kwargs: object) -> dict[str, object]:
            connection.request = fetch  # type: ignore[method-assign]  # only this once
            response = await fetch(*args, **kwargs)  # type: ignore[arg-type]  # passed on as it came
            second = await server.send("ada", "general", "soup")
            await server.call("ada", "POST", f"/messages/{first}/reactions", {"emoji_name": "tada"})
            await until(lambda: second in dario.state.messages and known(dario, first).reactions)
            return response

        connection.request = slow  # type: ignore[method-assign]  # only once
        view = dario.view(soup(server))
        await view.open()
        assert len(view.ids) == 2
        assert len(known(dario, first).reactions) == 1


async def test_changes_come_in_batches_without_doubles(tmp_path: Path) -> None:
    batches: list[list[Change]] = []
    async with (
        running_server(tmp_path / "server") as server,
        sessions(server, tmp_path, "dario") as (dario,),
    ):
        view = dario.view(soup(server))
        await view.open()
        dario.subscribe(lambda changes: batches.append(list(changes)))
        sent = await server.send("ada", "general", "soup")
        await until(lambda: any(MessagesAdded((sent,), live=True) in batch for batch in batches))
        together = next(batch for batch in batches if MessagesAdded((sent,), live=True) in batch)
        assert ViewChanged(view.narrow) in together
        assert len(set(together)) == len(together)


async def test_a_listener_that_fails_disturbs_nobody(tmp_path: Path) -> None:
    async with (
        running_server(tmp_path / "server") as server,
        sessions(server, tmp_path, "dario") as (dario,),
    ):

        def broken(changes: object) -> None:
            raise RuntimeError("on purpose")

        seen: list[object] = []
        dario.subscribe(broken)
        stop = dario.subscribe(seen.append)
        await server.send("ada", "general", "soup")
        await until(lambda: seen)
        assert dario.is_live
        stop()


async def test_two_windows_of_an_account_both_write_and_show_what_the_other_wrote(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        account = server.account("dario")
        where = ChannelDestination(server.channel("general"), "soup")
        async with (
            session_of(account, tmp_path / "dario") as first,
            session_of(account, tmp_path / "dario") as second,
        ):
            assert not first.read_only
            assert not second.read_only
            first.drafts.save(None, where, "from the first")
            await until(lambda: [draft.content for draft in second.drafts.all()] == ["from the first"])
            second.drafts.save(second.drafts.all()[0].draft_id, where, "and the second")
            await until(lambda: [draft.content for draft in first.drafts.all()] == ["and the second"])
            for session in (first, second):
                session.outbox.send(where, "soup!")
            await until(lambda: not first.outbox.entries() and not second.outbox.entries())
            await first.view(soup(server)).open()
            said = [first.state.messages.get(message_id) for message_id in first.view(soup(server)).ids]
            assert [message.content for message in said if message is not None] == ["<p>soup!</p>"] * 2


async def test_topics_are_listed_on_demand_and_stay_in_sync(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server:
        general = server.channel("general")
        await server.send("ada", "general", "soup")
        stew = await server.send("ada", "general", "stew")
        async with sessions(server, tmp_path, "dario") as (dario,):
            await dario.loader.topics(general)
            assert dario.state.topics.of(general)[0] == ("stew", stew)
            last = await server.send("ada", "general", "soup")
            await until(lambda: dario.state.topics.of(general)[0] == ("soup", last))


async def test_where_the_topics_of_an_archived_channel_are_refused_the_known_ones_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise ServiceError("Invalid channel ID")

    async with running_server(tmp_path / "server") as server, sessions(server, tmp_path, "dario") as (dario,):
        general = server.channel("general")
        await server.send("ada", "general", "soup")
        await until(lambda: [topic.name for topic in dario.state.topics.of(general)] == ["soup"])
        monkeypatch.setattr(channel_routes, "topics_of", refused)
        with pytest.raises(BadRequest):
            await dario.loader.topics(general)
        await server.call("ada", "DELETE", f"/streams/{general}")
        await until(lambda: bool(dario.state.channels.get(general).is_archived))  # type: ignore[union-attr]
        await dario.loader.topics(general)
        assert [topic.name for topic in dario.state.topics.of(general)] == ["soup"]


async def test_a_draft_for_an_archived_channel_stays_here_and_is_not_posted_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    posted = []
    create = DraftRequests.create

    async def counting(self: DraftRequests, version: DraftVersion, timestamp: float) -> int:
        posted.append(version.content)
        return await create(self, version, timestamp)

    monkeypatch.setattr(DraftRequests, "create", counting)
    async with running_server(tmp_path / "server") as server:
        general = server.channel("general")
        async with sessions(server, tmp_path, "dario") as (dario,):
            dario.drafts.save(None, ChannelDestination(general, "lunch"), "soup")
            await server.call("ada", "DELETE", f"/streams/{general}")
            await until(lambda: dario.drafts.all()[0].error)
        async with sessions(server, tmp_path, "dario") as (dario,):
            await until(lambda: dario.drafts.all()[0].error)
            assert dario.drafts.all()[0].error == "#general is archived: nobody can post in it."
            await server.call("ada", "PATCH", f"/streams/{general}", {"is_archived": False})
            await until(lambda: dario.drafts.all()[0].synced)
        assert posted == ["soup"]


@pytest.mark.parametrize(("level", "requests"), [(299, 3), (300, 1)])
async def test_several_messages_are_fetched_by_their_ids_in_one_request_where_the_server_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, level: int, requests: int
) -> None:
    asked = []
    request = Connection.request

    async def counting(self: Connection, method: str, path: str, *rest: Any, **given: Any) -> Any:
        asked.append(path)
        return await request(self, method, path, *rest, **given)

    async with running_server(tmp_path / "server", feature_level=level) as server:
        seen = [await server.send("ada", "general", f"topic {number}") for number in range(3)]
        private = await server.send_direct("ada", ["bruno"])
        async with sessions(server, tmp_path, "dario") as (dario,):
            monkeypatch.setattr(Connection, "request", counting)
            await dario.loader.messages(seen)
            fetched = [path for path in asked if path.startswith("/messages")]
            assert len(fetched) == requests
            assert [message.id for message in dario.state.messages.known(seen)] == seen
            await dario.loader.messages([*seen, private])
            assert private not in dario.state.messages
            assert len([path for path in asked if path.startswith("/messages")]) == requests + 1


async def test_the_session_of_a_bot_asks_for_nothing_that_is_for_people(tmp_path: Path) -> None:
    async with running_server(tmp_path / "server") as server, sessions(server, tmp_path, "iris") as [bot]:
        assert bot.state.is_bot
        bot.presence.wake()
        await bot.client.users.me()
        assert server.organization.measures.responses[400] == 0
