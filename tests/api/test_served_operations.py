"""Operations that the contract does not cover, against the embedded server, with their effects."""

from __future__ import annotations

import pytest

from narrowcast_api.account import Account
from narrowcast_api.client import Client
from narrowcast_api.errors import (
    BadEventQueueId,
    BadRequest,
    InvalidInput,
    NarrowcastError,
    PermissionDenied,
    ReactionAlreadyExists,
    Unauthorized,
    Unsupported,
)
from narrowcast_api.events.parsing import parse_events
from narrowcast_api.http.secret import Secret
from narrowcast_api.narrow.destinations import ChannelDestination, DirectDestination
from narrowcast_api.routes.auth import fetch_api_key
from narrowcast_api.wire.events import MessageEvent
from narrowcast_api.wire.levels import SERVED_LEVEL
from narrowcast_api.wire.vocabulary import PresenceStatus, VisibilityPolicy
from support.api import client_of
from support.server import TestServer

LEVELS = [0, 100, 200, 300, SERVED_LEVEL]


@pytest.mark.parametrize("level", LEVELS)
async def test_a_conversation_in_a_channel(server: TestServer, ada: Client, level: int) -> None:
    server.set_level(level)
    lunch = ChannelDestination(server.channel("general"), "lunch")
    sent = [(await ada.messages.send(to=lunch, content=f"**soup** {n}")).id for n in range(5)]
    page = await ada.messages.list(anchor=sent[2], num_after=1, include_anchor=False)
    assert [message.id for message in page.messages] == [sent[3]]
    source = await ada.messages.get(message_id=sent[0], apply_markdown=False)
    assert source.raw_content == "**soup** 0" or (source.message and source.message.content == "**soup** 0")
    await ada.messages.edit(message_id=sent[0], content="stew", expected_content="**soup** 0")
    history = await ada.messages.history(message_id=sent[0])
    assert [entry.content for entry in history.message_history] == ["**soup** 0", "stew"]
    assert "<strong>" in (await ada.messages.render(content="**x**")).rendered
    await ada.reactions.add(message_id=sent[0], emoji_name="tada")
    with pytest.raises(ReactionAlreadyExists):
        await ada.reactions.add(message_id=sent[0], emoji_name="tada")
    async with client_of(server, "dario") as dario:
        assert (await dario.flags.change(message_ids=sent, op="add", flag="read")).messages == sent
        await dario.flags.change(message_ids=sent[3:], op="remove", flag="read")
        await dario.flags.mark_topic_as_read(channel_id=lunch.channel_id, topic="lunch")
        await dario.flags.mark_channel_as_read(channel_id=lunch.channel_id)
        assert await dario.flags.mark_all_as_read()
        read = await dario.messages.list(anchor="newest", num_before=10)
        assert [message.id for message in read.messages] == sent
        assert all("read" in message.flags for message in read.messages)
        with pytest.raises((PermissionDenied, BadRequest)):
            await dario.messages.delete(message_id=sent[0])
    if level >= 137:
        readers = (await ada.messages.read_receipts(message_id=sent[4])).user_ids
        assert server.id("dario") in readers
    await ada.messages.delete(message_id=sent[4])
    with pytest.raises(BadRequest):
        await ada.messages.get(message_id=sent[4])


@pytest.mark.parametrize("level", LEVELS)
async def test_a_queue_with_a_narrow_and_some_of_the_subscribers(
    server: TestServer, ada: Client, level: int
) -> None:
    server.set_level(level)
    narrow = [{"operator": "channel", "operand": "engineering", "negated": False}]
    response = await ada.registration.register(
        narrow=narrow, include_subscribers="partial", event_types=["message"], fetch_event_types=["message"]
    )
    await server.send("ada", "general", "soup")
    sent = await server.send("ada", "engineering", "soup")
    queue_id = response["queue_id"]
    assert isinstance(queue_id, str)
    batch = await ada.events.get(queue_id=queue_id, last_event_id=-1, dont_block=True)
    assert [
        event.message.id for event in parse_events(list(batch.events)) if isinstance(event, MessageEvent)
    ] == [sent]
    for term in ({**narrow[0], "negated": True}, {"operator": "channel", "operand": 7}):
        with pytest.raises(InvalidInput):
            await ada.registration.register(narrow=[term])


async def test_direct_messages_and_notes_to_self(server: TestServer, ada: Client) -> None:
    people = frozenset({server.id("dario"), server.id("elif")})
    group = await ada.messages.send(to=DirectDestination(people), content="hello both")
    note = await ada.messages.send(to=DirectDestination(frozenset()), content="buy milk")
    assert group.id < note.id
    mine = await ada.messages.get(message_id=note.id)
    assert mine.message is not None
    assert mine.message.direct_user_ids == frozenset({server.id("ada")})


async def test_topics_move_resolve_mute_and_go(server: TestServer, ada: Client) -> None:
    general, other = server.channel("general"), server.channel("engineering")
    await ada.messages.send(to=ChannelDestination(general, "lunch"), content="soup")
    await ada.topics.resolve(channel_id=general, topic="lunch")
    assert "✔ lunch" in [topic.name for topic in (await ada.topics.list(channel_id=general)).topics]
    await ada.topics.resolve(channel_id=general, topic="✔ lunch", resolved=False)
    await ada.topics.move(channel_id=general, topic="lunch", new_topic="dinner", new_channel_id=other)
    assert "dinner" in [topic.name for topic in (await ada.topics.list(channel_id=other)).topics]
    for policy in VisibilityPolicy:
        await ada.topics.set_visibility(channel_id=other, topic="dinner", policy=policy)
    server.set_level(169)
    await ada.connection.identify()
    for policy in (VisibilityPolicy.MUTED, VisibilityPolicy.NONE):
        await ada.topics.set_visibility(channel_id=other, topic="dinner", policy=policy)
    assert (await ada.topics.delete(channel_id=other, topic="dinner")).complete
    assert "dinner" not in [topic.name for topic in (await ada.topics.list(channel_id=other)).topics]


@pytest.mark.parametrize("level", [138, SERVED_LEVEL])
async def test_channels_from_making_to_archiving(server: TestServer, ada: Client, level: int) -> None:
    server.set_level(level)
    dario = server.id("dario")
    made = await ada.channels.create(
        name=f"crew {level}", description="who *row*", subscribers=[server.id("ada"), dario], invite_only=True
    )
    channel = await ada.channels.get(channel_id=made.stream_id)
    assert (channel.name, channel.invite_only, channel.description) == (f"crew {level}", True, "who *row*")
    assert await ada.channels.get_id(name=f"crew {level}") == made.stream_id
    assert sorted(await ada.subscriptions.members(channel_id=made.stream_id)) == sorted(
        [server.id("ada"), dario]
    )
    assert await ada.subscriptions.is_subscribed(user_id=dario, channel_id=made.stream_id)
    await ada.channels.update(channel_id=made.stream_id, new_name="rowers", description="")
    await ada.subscriptions.update(
        channel_id=made.stream_id, properties={"color": "#f00f00", "is_muted": True, "pin_to_top": True}
    )
    mine = {it.channel_id: it for it in (await ada.subscriptions.list()).subscriptions}[made.stream_id]
    assert mine.subscription is not None
    assert (mine.name, mine.subscription.color, mine.is_muted, mine.subscription.pin_to_top) == (
        "rowers",
        "#f00f00",
        True,
        True,
    )
    await ada.channels.archive(channel_id=made.stream_id)
    if level >= 315:
        listed = await ada.channels.list(exclude_archived=False, include_all=True)
        assert {it.channel_id: it.is_archived for it in listed.streams}[made.stream_id]
    listed = await ada.channels.list(include_all=True)
    assert made.stream_id not in [it.channel_id for it in listed.streams if not it.is_archived]


async def test_settings_mutes_words_presence_and_status(server: TestServer, ada: Client) -> None:
    dario = server.id("dario")
    await ada.settings.update(settings={"enter_sends": True})
    await ada.settings.mute_user(user_id=dario)
    with pytest.raises(BadRequest):
        await ada.settings.mute_user(user_id=dario)
    await ada.settings.unmute_user(user_id=dario)
    assert "soup" in await ada.settings.add_alert_words(words=["soup", "stew"])
    assert await ada.settings.remove_alert_words(words=["soup"]) == await ada.settings.alert_words()
    response = await ada.presence.update(status=PresenceStatus.ACTIVE, new_user_input=True, last_update_id=-1)
    assert server.id("ada") in response.by_user_id()
    await ada.status.set(status_text="out", emoji_name="anchor")
    assert (await ada.status.get(user_id=server.id("ada"))).status_text == "out"
    await ada.status.clear()
    assert (await ada.status.get(user_id=server.id("ada"))).emoji_name == ""


async def test_polls_take_votes(server: TestServer, ada: Client) -> None:
    lunch = ChannelDestination(server.channel("general"), "lunch")
    poll = (await ada.messages.send(to=lunch, content="/poll What?\nsoup\nstew")).id
    await ada.submessages.vote(message_id=poll, option_key="canned,0")
    await ada.submessages.add_option(message_id=poll, number=1, option="salad")
    todo = (await ada.messages.send(to=lunch, content="/todo Shopping\nmilk")).id
    await ada.submessages.add_task(message_id=todo, number=1, task="bread")
    await ada.submessages.toggle_task(message_id=todo, task_key="0,canned")
    message = (await ada.messages.get(message_id=poll)).message
    assert message is not None
    assert len(message.submessages) == 3
    with pytest.raises(BadRequest):
        await ada.submessages.send(message_id=poll, content={"type": "nosuch"})


async def test_people_are_made_changed_and_brought_back(server: TestServer, ada: Client) -> None:
    dario = server.id("dario")
    await ada.users.update(user_id=dario, full_name="Dario V.")
    await ada.users.deactivate(user_id=dario, notification_comment="bye")
    assert not (await ada.users.get(user_id=dario)).is_active
    async with client_of(server, "dario") as client:
        with pytest.raises(Unauthorized):
            await client.users.me()
    await ada.users.reactivate(user_id=dario)
    everybody = (await ada.users.list()).members
    assert {user.user_id: user.full_name for user in everybody}[dario] == "Dario V."
    async with client_of(server, "dario") as client:
        with pytest.raises(PermissionDenied):
            await client.users.deactivate(user_id=server.id("ada"))
        with pytest.raises(PermissionDenied):
            await client.topics.delete(channel_id=server.channel("general"), topic="x")


async def test_a_wrong_key_and_a_foreign_queue_are_told_apart(server: TestServer, ada: Client) -> None:
    account = server.account("ada")
    async with Client.open(Account(account.site, account.email, Secret("wrong"))) as stranger:
        with pytest.raises(Unauthorized):
            await stranger.registration.register()
    with pytest.raises(BadEventQueueId):
        await ada.events.get(queue_id="nosuch", last_event_id=0, dont_block=True)
    async with Client.open(server.url) as nobody:
        with pytest.raises(NarrowcastError):
            await fetch_api_key(nobody.connection, username=account.email, password=Secret("wrong"))
        assert (await nobody.server.settings()).realm_name
    response = await ada.registration.register(event_types=["typing"], fetch_event_types=["realm"])
    await ada.events.delete_queue(queue_id=str(response["queue_id"]))


async def test_below_their_levels_operations_are_refused_here(server: TestServer, ada: Client) -> None:
    server.set_level(100)
    with pytest.raises(Unsupported):
        await ada.messages.read_receipts(message_id=1)
    with pytest.raises(Unsupported):
        await ada.channels.get(channel_id=1)
