"""The library against the embedded server, over a socket: at no level is anything unexpectedly rejected or
ignored.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from narrowcast_api.client import Client
from narrowcast_api.errors import ApiError, InvitationFailed, Unsupported
from narrowcast_api.events.parsing import parse_event
from narrowcast_api.model.user_groups import AdHocGroup, mentionable, system_group_id
from narrowcast_api.narrow.destinations import ChannelDestination, DirectDestination
from narrowcast_api.resources.drafts import DraftsUpdateEvent, DraftVersion
from narrowcast_api.routes.user_groups import Change
from narrowcast_api.state.state import State
from narrowcast_api.wire.events import BadEvent, Event, UnknownEvent
from narrowcast_api.wire.levels import SERVED_LEVEL, Gate
from narrowcast_api.wire.vocabulary import ProfileFieldType, Role, SystemGroup
from support.api import client_of
from support.ledger import proves
from support.server import TestServer, running_server

Ask = Callable[[Awaitable[object]], Awaitable[None]]
_FAR = 4_000_000_000


async def _everything(client: Client, server: TestServer, level: int, ask: Ask) -> None:
    """Calls each operation that depends on a level; `ask` lets Unsupported pass."""
    dario = server.id("dario")
    general = server.channel("general")
    topic = ChannelDestination(general, f"level {level}")
    message = (await client.messages.send(to=topic, content="hello")).id
    await ask(client.typing.set(op="start", to=topic))
    await ask(client.typing.set(op="stop", to=DirectDestination(frozenset({dario}))))
    await ask(client.reactions.add(message_id=message, emoji_name="tada"))
    await ask(client.reactions.remove(message_id=message, emoji_name="tada"))
    await ask(client.flags.change(message_ids=[message], op="add", flag="starred"))
    await ask(client.flags.change(message_ids=[message], op="remove", flag="read"))
    await ask(client.status.set(status_text="at sea", emoji_name="anchor"))
    await ask(client.topics.list(channel_id=general))
    await ask(
        client.narrows.matches(message_ids=[message], narrow=[{"operator": "search", "operand": "hello"}])
    )
    await ask(client.users.get(user_id=dario, include_custom_profile_fields=True))
    await ask(client.users.update(user_id=dario, full_name="Dario Vance", role=Role.MEMBER))
    await ask(client.subscriptions.remove(channels=["general"], principals=[dario]))
    await ask(client.subscriptions.add(channels=["general"], principals=[dario]))
    await ask(client.topics.delete(channel_id=general, topic=f"level {level}"))
    await _kept(client, general, dario, ask)
    await _administered(client, level, general, dario, ask)


async def _kept(client: Client, general: int, dario: int, ask: Ask) -> None:
    """Drafts, snippets and the like."""
    (draft,) = await client.drafts.create(drafts=[DraftVersion(None, "half a thought")])
    await ask(
        client.drafts.edit(draft_id=draft, draft=DraftVersion(ChannelDestination(general, "t"), "whole"))
    )
    await ask(client.drafts.delete(draft_id=draft))
    later = await client.scheduled_messages.create(
        to=ChannelDestination(general, "t"), content="later", scheduled_delivery_timestamp=_FAR
    )
    people = DirectDestination(frozenset({dario}))
    await ask(client.scheduled_messages.edit(scheduled_message_id=later, content="much later"))
    await ask(client.scheduled_messages.edit(scheduled_message_id=later, to=people))
    await ask(client.scheduled_messages.edit(scheduled_message_id=later, to=ChannelDestination(general, "u")))
    await ask(client.scheduled_messages.delete(scheduled_message_id=later))
    snippet = await client.saved_snippets.create(title="T", content="c")
    await ask(client.saved_snippets.edit(saved_snippet_id=snippet, title="U"))
    await ask(client.saved_snippets.delete(saved_snippet_id=snippet))


async def _administered(client: Client, level: int, general: int, dario: int, ask: Ask) -> None:
    """Operations of administrators."""
    group = await client.user_groups.create(name=f"crew {level}", description="who row", members=[dario])
    await ask(client.user_groups.update(user_group_id=group, name=f"rowers {level}"))
    me = AdHocGroup(frozenset({dario}), frozenset())
    await ask(client.user_groups.update(user_group_id=group, can_mention_group=Change(group)))
    for setting in (
        "can_manage_group",
        "can_join_group",
        "can_add_members_group",
        "can_leave_group",
        "can_remove_members_group",
    ):
        await ask(client.user_groups.update(user_group_id=group, **{setting: Change(me)}))  # type: ignore[arg-type]  # by name
    await ask(
        client.user_groups.create(
            name=f"with {level}", description="", members=[], subgroups=[group], can_join_group=me
        )
    )
    address = [f"level{level}@demo.example"]
    await ask(
        client.invites.send(
            invitee_emails=address,
            stream_ids=[general],
            invite_expires_in_minutes=14 * 24 * 60,
            invite_as=Role.MEMBER,
            include_realm_default_subscriptions=True,
            notify_referrer_on_join=False,
        )
    )
    await ask(
        client.invites.create_link(invite_expires_in_minutes=None, include_realm_default_subscriptions=True)
    )
    await ask(client.invites.create_link(invite_expires_in_minutes=90, group_ids=[group]))
    linkifier = await client.linkifiers.create(
        pattern=f"L{level}-(?P<id>[0-9]+)", url_template="https://tides.example/{id}"
    )
    await ask(
        client.linkifiers.update(
            filter_id=linkifier,
            pattern=f"M{level}-(?P<id>[0-9]+)",
            url_template="https://tides.example/x/{id}",
        )
    )
    await ask(client.linkifiers.delete(filter_id=linkifier))
    playground = await client.playgrounds.add(
        name=f"Run {level}", highlighter_language="Python", url_template="https://run.example/?c={code}"
    )
    await ask(client.playgrounds.delete(playground_id=playground))


def _gate_levels() -> list[int]:
    """0 and every level at which a gate opens: levels between two of them behave alike."""
    levels = {0} | {gate.level for gate in Gate}
    return sorted(level for level in levels if level <= SERVED_LEVEL)


async def _carried_out_or_refused(server: TestServer, levels: list[int]) -> dict[int, int]:
    """How many calls raised Unsupported at each level; any other error fails the test."""
    unsupported = dict.fromkeys(levels, 0)
    async with client_of(server, "ada") as client:
        for level in levels:

            async def ask(call: Awaitable[object], level: int = level) -> None:
                try:
                    await call
                except Unsupported:
                    unsupported[level] += 1

            server.set_level(level)
            await client.connection.identify()
            assert client.connection.server.level == level
            await _everything(client, server, level, ask)
    return unsupported


@proves("VER-05", "CONV-10")
async def test_at_every_level_each_call_is_carried_out_or_refused_before_it_is_sent(
    server: TestServer,
) -> None:
    unsupported = await _carried_out_or_refused(server, _gate_levels())
    assert unsupported[0] > unsupported[283] > unsupported[368] == 0


async def test_the_other_dialect_is_spoken_at_every_age_of_a_server(tmp_path: Path) -> None:
    async with running_server(tmp_path / "data", dialect="zulip") as server:
        unsupported = await _carried_out_or_refused(server, [0, 166, 260, SERVED_LEVEL])
    assert unsupported[0] > unsupported[260] > unsupported[SERVED_LEVEL] == 0


@pytest.mark.parametrize("level", [0, 250, SERVED_LEVEL])
async def test_what_the_server_registers_and_sends_is_read_whole(
    server: TestServer, level: int, caplog: pytest.LogCaptureFixture
) -> None:
    async def ask(call: Awaitable[object]) -> None:
        with suppress(Unsupported):
            await call

    server.set_level(level)
    async with client_of(server, "ada") as client:
        response = await client.registration.register()
        state = State.from_snapshot(response)
        assert caplog.messages == []
        assert {user.full_name for user in state.users} >= {"Ada Moreno", "Hugo Park"}
        assert {channel.name for channel in state.channels.subscribed()} >= {"general"}
        await _everything(client, server, level, ask)
        caplog.clear()
        events = await _events(client, response)
        assert caplog.messages == []
        assert not [event for event in events if isinstance(event, BadEvent | UnknownEvent)]
        assert {event.type for event in events} >= {"message", "drafts", "user_group", "realm_linkifiers"}


async def _events(client: Client, registered: dict[str, object]) -> list[Event]:
    """The events since a client registered."""
    batch = await client.events.get(
        queue_id=str(registered["queue_id"]),
        last_event_id=int(str(registered["last_event_id"])),
        dont_block=True,
    )
    return [parse_event(raw) for raw in batch.events]


async def test_the_demo_world_is_read_whole_by_everybody_in_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with running_server(tmp_path / "data", demo=True) as server:
        for name in ("ada", "dario", "hugo"):
            async with client_of(server, name) as client:
                State.from_snapshot(await client.registration.register())
                assert caplog.messages == []
                page = await client.messages.list(anchor="newest", num_before=1000)
                assert caplog.messages == []
                assert len(page.messages) > 20


@proves("EVT-04")
async def test_a_message_is_sent_to_a_name_to_ids_and_to_emails(server: TestServer) -> None:
    async with client_of(server, "ada") as ada, client_of(server, "bruno") as bruno:
        me = (await bruno.users.me()).user_id
        email = server.account("bruno").email
        sent = [
            await ada.messages.send(to="general", topic="soup", content="by name"),
            await ada.messages.send(to=server.channel("general"), topic="soup", content="by id"),
            await ada.messages.send(to=[me], content="by id too"),
            await ada.messages.send(to=[email], content="by email"),
            await ada.messages.send(to=email, content="by one email"),
        ]
        found = [(await bruno.messages.get(message_id=one.id, apply_markdown=False)).message for one in sent]
    assert [message.content for message in found if message is not None] == [
        "by name",
        "by id",
        "by id too",
        "by email",
        "by one email",
    ]


async def test_an_edited_draft_reaches_the_users_other_client_and_nobody_else(server: TestServer) -> None:
    async with (
        client_of(server, "ada") as one,
        client_of(server, "ada") as two,
        client_of(server, "dario") as other,
    ):
        (draft,) = await one.drafts.create(drafts=[DraftVersion(None, "half")])
        queues = [
            (client, await client.registration.register(event_types=["drafts"])) for client in (two, other)
        ]
        general = server.channel("general")
        await one.drafts.edit(draft_id=draft, draft=DraftVersion(ChannelDestination(general, "t"), "whole"))
        seen = [await _events(client, registered) for client, registered in queues]
    (event,) = seen[0]
    assert isinstance(event, DraftsUpdateEvent)
    assert event.draft.id == draft
    assert event.draft.version == DraftVersion(ChannelDestination(general, "t"), "whole")
    assert seen[1] == []


@proves("GSV-05", "GSV-07", "GSV-17")
async def test_groups_notice_a_race_and_are_found_by_name(server: TestServer) -> None:
    async with client_of(server, "ada") as client:
        groups = await client.user_groups.list()
        everyone = system_group_id(groups, SystemGroup.EVERYONE)
        nobody = system_group_id(groups, SystemGroup.NOBODY)
        assert everyone is not None
        assert nobody is not None
        group = await client.user_groups.create(
            name="crew", description="", members=[], can_join_group=nobody
        )
        await client.user_groups.update(user_group_id=group, can_join_group=Change(everyone, old=nobody))
        with pytest.raises(ApiError):
            await client.user_groups.update(user_group_id=group, can_join_group=Change(nobody, old=nobody))
        await client.user_groups.change_members(user_group_id=group, add=[server.id("dario")])
        assert await client.user_groups.members(user_group_id=group) == [server.id("dario")]
        await client.user_groups.deactivate(user_group_id=group)
        listed = await client.user_groups.list(include_deactivated_groups=True)
        assert group in {one.id for one in listed}
        assert group not in {one.id for one in mentionable(listed)}
        await client.user_groups.reactivate(user_group_id=group)
        assert group in {one.id for one in mentionable(await client.user_groups.list())}


async def test_what_an_organization_configures_comes_back_as_it_was_set(server: TestServer) -> None:
    async with client_of(server, "ada") as client:
        field = await client.profile_fields.create(
            field_type=ProfileFieldType.SHORT_TEXT, name="Ship", hint="which"
        )
        await client.profile_fields.update(field_id=field, hint="her name")
        await client.users.update_my_profile(values={field: "Meridian"})
        assert [(one.name, one.hint) for one in await client.profile_fields.list()][-1] == (
            "Ship",
            "her name",
        )
        await client.profile_fields.delete(field_id=field)
        folder = await client.channel_folders.create(name="Harbor")
        await client.channel_folders.update(channel_folder_id=folder, description="*ships*")
        assert (await client.channel_folders.list())[-1].rendered_description
        await client.organization.add_domain(domain="harbor.example")
        await client.organization.update_domain(domain="harbor.example", allow_subdomains=True)
        assert [one.allow_subdomains for one in await client.organization.domains()][-1]
        await client.organization.remove_domain(domain="harbor.example")
        await client.organization.update(settings={"description": "We watch"})
        first = await client.linkifiers.create(
            pattern="#(?P<id>[0-9]+)", url_template="https://a.example/{id}"
        )
        second = await client.linkifiers.create(
            pattern="T(?P<id>[0-9]+)", url_template="https://b.example/{id}"
        )
        await client.linkifiers.reorder(ordered_linkifier_ids=[second, first])
        assert [one.id for one in await client.linkifiers.list()] == [second, first]
        await client.custom_emoji.upload(emoji_name="dot", image=_png())
        assert "dot" in {one.name for one in (await client.custom_emoji.list()).values()}
        await client.custom_emoji.deactivate(emoji_name="dot")
        assert await client.avatar.set(image=_png())
        await client.avatar.delete()


async def test_reminders_and_invitations_are_listed_and_taken_back(server: TestServer) -> None:
    async with client_of(server, "ada") as client:
        message = await client.messages.send(
            to=ChannelDestination(server.channel("general"), "t"), content="look"
        )
        reminder = await client.reminders.create(message_id=message.id, scheduled_delivery_timestamp=_FAR)
        assert [one.message_id for one in await client.reminders.list()] == [message.id]
        await client.reminders.delete(reminder_id=reminder)
        await client.invites.send(invitee_emails=["newcomer@demo.example"])
        link = await client.invites.create_link(invite_expires_in_minutes=None)
        assert link.invite_link.startswith("http")
        by_kind = {one.is_multiuse: one for one in await client.invites.list()}
        assert by_kind[True].expiry_date is None
        await client.invites.resend(invite_id=by_kind[False].id)
        await client.invites.revoke(invite_id=by_kind[False].id)
        await client.invites.revoke_link(invite_id=by_kind[True].id)
        assert await client.invites.list() == []
        with pytest.raises(InvitationFailed) as refusal:
            await client.invites.send(invitee_emails=["bruno@demo.example", "other@demo.example"])
        assert refusal.value.sent_invitations
        assert [email for email, *_ in refusal.value.errors] == ["bruno@demo.example"]


async def test_everything_that_guests_may_not_do_raises_a_typed_error(server: TestServer) -> None:
    async with client_of(server, "hugo") as client:
        for refused in (
            client.user_groups.create(name="mine", description="", members=[]),
            client.linkifiers.create(pattern="x(?P<id>[0-9]+)", url_template="https://a.example/{id}"),
            client.playgrounds.add(
                name="n", highlighter_language="Python", url_template="https://a.example/{code}"
            ),
            client.invites.send(invitee_emails=["friend@demo.example"]),
            client.users.deactivate(user_id=server.id("dario")),
            client.organization.update(settings={"name": "Mine"}),
        ):
            with pytest.raises(ApiError) as refusal:
                await refused
            assert refusal.value.user_message


def _png() -> bytes:
    """An image of one pixel."""
    picture = BytesIO()
    Image.new("RGB", (1, 1)).save(picture, "PNG")
    return picture.getvalue()
