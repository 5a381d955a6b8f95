"""Bugs found on Zulip servers of older levels, reproduced with the embedded server at that level."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from narrowcast_api import permissions
from narrowcast_api.client import Client
from narrowcast_api.errors import BadRequest, MalformedResponse, NotFound, Unsupported
from narrowcast_api.events.parsing import parse_event
from narrowcast_api.http.encoding import OMIT
from narrowcast_api.http.ignored_parameters import ignored_parameters
from narrowcast_api.model.user_groups import AdHocGroup, read_user_group
from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.state.apply import apply
from narrowcast_api.state.state import State
from narrowcast_api.wire.levels import Gate, operation_gate
from narrowcast_api.wire.vocabulary import ChannelSetting, ExportType, ProfileFieldType, Role
from support.api import scripted_client
from support.histories import Observer
from support.live import BRUNO, GENERAL, make_state, subscription
from support.server import TestServer

ZULIP_4, ZULIP_5, ZULIP_8 = 65, 121, 237
CHOICES = {"0": {"text": "Meridian", "order": "1"}}
NOBODY = frozenset[int]()


@pytest.mark.parametrize("level", [ZULIP_5, ZULIP_8, Gate.PROFILE_FIELD_PARTIAL_UPDATE.level])
async def test_a_profile_field_keeps_what_is_not_changed(server: TestServer, ada: Client, level: int) -> None:
    server.set_level(level)
    fields, required = ada.profile_fields, level >= Gate.PROFILE_FIELD_REQUIRED.level
    made = await fields.create(
        field_type=ProfileFieldType.SELECT,
        name="Ship",
        hint="which",
        field_data=CHOICES,
        required=required or OMIT,
    )
    with ignored_parameters() as ignored:
        await fields.update(field_id=made, name="Vessel")
    assert not ignored
    (ship,) = [field for field in await fields.list() if field.id == made]
    assert (ship.name, ship.hint, ship.required) == ("Vessel", "which", required)
    assert json.loads(ship.field_data) == CHOICES


@pytest.mark.parametrize("level", [ZULIP_8, Gate.REMOVERS_OBJECT.level])
async def test_who_removes_subscribers_is_given_as_the_server_takes_it(
    server: TestServer, ada: Client, level: int
) -> None:
    server.set_level(level)
    general, moderators = server.channel("general"), server.group("role:moderators")
    permission = ChannelSetting.REMOVE_SUBSCRIBERS
    present = server.organization.channels[general].settings[permission]
    assert isinstance(present, int)
    await ada.channels.update(
        channel_id=general, permissions={permission: moderators}, expected={permission: present}
    )
    assert server.organization.channels[general].settings[permission] == moderators
    if level == ZULIP_8:
        people = AdHocGroup(frozenset({server.id("dario")}), NOBODY)
        with pytest.raises(Unsupported):
            await ada.channels.update(channel_id=general, permissions={permission: people})


@pytest.mark.parametrize("level", [ZULIP_8, Gate.REALM_HOLDERS.level])
async def test_who_sees_all_users_is_given_as_the_server_takes_it(
    server: TestServer, ada: Client, level: int
) -> None:
    server.set_level(level)
    everyone, members = server.group("role:everyone"), server.group("role:members")
    change = {"new": members, "old": everyone}
    await ada.organization.update(settings={"can_access_all_users_group": change})
    assert server.organization.settings["can_access_all_users_group"] == members
    if level == ZULIP_8:
        people = {"new": {"direct_members": [server.id("dario")], "direct_subgroups": []}}
        with pytest.raises(Unsupported):
            await ada.organization.update(settings={"can_access_all_users_group": people})


async def test_a_page_around_a_message_can_leave_that_one_out(server: TestServer, ada: Client) -> None:
    lunch = ChannelDestination(server.channel("general"), "lunch")
    sent = [(await ada.messages.send(to=lunch, content=f"soup {n}")).id for n in range(3)]
    page = await ada.messages.list(anchor=sent[1], num_before=1, num_after=1, include_anchor=False)
    assert [message.id for message in page.messages] == [sent[0], sent[2]]


async def test_a_new_group_is_found_by_its_name_where_the_response_has_no_id() -> None:
    rows = [{"id": 3, "name": "crew"}, {"id": 4, "name": "pilots"}]
    async with scripted_client(ZULIP_8) as (client, transport):
        transport.prepare("POST", "/api/v1/user_groups/create")
        transport.prepare("GET", "/api/v1/user_groups", json={"user_groups": rows})
        assert await client.user_groups.create(name="pilots", description="", members=[11]) == 4
    async with scripted_client(Gate.GROUP_ID_RETURNED.level) as (client, transport):
        transport.prepare("POST", "/api/v1/user_groups/create")
        with pytest.raises(MalformedResponse):
            await client.user_groups.create(name="pilots", description="", members=[11])


@pytest.mark.parametrize("level", [ZULIP_8, Gate.SOME_SUBSCRIBERS.level])
async def test_some_of_the_subscribers_are_all_of_them_on_older_servers(level: int) -> None:
    async with scripted_client(level) as (client, transport):
        transport.prepare("POST", "/api/v1/register", json={"queue_id": "q", "last_event_id": -1})
        await client.registration.register(include_subscribers="partial")
        sent = transport.last.params["include_subscribers"]
        assert sent == ("true" if level == ZULIP_8 else "partial")


async def test_a_default_channel_is_put_on_the_list_of_older_servers(server: TestServer, ada: Client) -> None:
    server.set_level(Gate.DEFAULT_BY_CHANNEL.level - 1)
    me = server.id("ada")
    made = await ada.channels.create(name="harbour", subscribers=[me], is_default_stream=True)
    assert (await defaults(ada))[made.stream_id]
    await ada.channels.update(channel_id=made.stream_id, is_default_stream=False, description="boats")
    assert not (await defaults(ada))[made.stream_id]
    await ada.channels.update(channel_id=made.stream_id, is_default_stream=True)
    assert (await defaults(ada))[made.stream_id]


async def defaults(client: Client) -> dict[int, bool | None]:
    listed = (await client.channels.list(include_default=True)).streams
    return {channel.channel_id: channel.is_default for channel in listed}


async def test_private_data_are_not_asked_for_where_exports_have_none() -> None:
    async with scripted_client(ZULIP_8) as (client, transport):
        with pytest.raises(Unsupported):
            await client.exports.create(export_type=ExportType.FULL_WITH_CONSENT)
        transport.prepare("POST", "/api/v1/export/realm", json={"id": 1})
        await client.exports.create()
        assert transport.last.params == {}


async def test_a_new_export_is_the_newest_where_the_response_has_no_id() -> None:
    path = "/api/v1/export/realm"
    async with scripted_client(ZULIP_5) as (client, transport):
        transport.prepare("POST", path)
        transport.prepare("GET", path, json={"exports": [{"id": 7}, {"id": 9}, {"id": 8}]})
        assert await client.exports.create() == 9
        transport.prepare("POST", path)
        transport.prepare("GET", path, json={"exports": []})
        with pytest.raises(MalformedResponse):
            await client.exports.create()
    async with scripted_client(Gate.EXPORT_ID.level) as (client, transport):
        transport.prepare("POST", path)
        with pytest.raises(MalformedResponse):
            await client.exports.create()


async def test_an_operation_that_is_not_there_is_explained_by_the_level() -> None:
    async with scripted_client(ZULIP_8) as (client, transport):
        transport.prepare_error("GET", "/api/v1/saved_snippets", code="", status=404)
        with pytest.raises(Unsupported) as caught:
            await client.saved_snippets.list()
        assert (caught.value.needs, caught.value.has) == (Gate.SNIPPETS.level, ZULIP_8)
        transport.prepare_error("POST", "/api/v1/user_groups/7/deactivate", code="", status=404)
        with pytest.raises(Unsupported):
            await client.user_groups.deactivate(user_group_id=7)
        transport.prepare_error("GET", "/api/v1/user_groups/7/members", code="", status=404)
        with pytest.raises(NotFound):
            await client.user_groups.members(user_group_id=7)
    async with scripted_client(Gate.SNIPPETS.level) as (client, transport):
        transport.prepare_error("GET", "/api/v1/saved_snippets", code="", status=404)
        with pytest.raises(BadRequest):
            await client.saved_snippets.list()


def test_operations_are_known_by_the_beginning_of_their_paths() -> None:
    assert operation_gate("/drafts") is operation_gate("/drafts/{}") is Gate.DRAFTS
    assert operation_gate("/messages/summary") is Gate.SUMMARIES
    assert operation_gate("/messages") is None
    assert operation_gate("/user_groups/{}") is None


@pytest.mark.parametrize("level", [ZULIP_8, Gate.DIRECT_MEMBERS_ACTIVE.level])
async def test_groups_are_what_a_new_snapshot_says_once_somebody_was_deactivated(
    server: TestServer, ada: Client, level: int
) -> None:
    server.set_level(level)
    farid = server.id("farid")
    await ada.user_groups.create(name="cooks", description="", members=[farid])
    watching = await Observer.of(ada)
    await ada.users.deactivate(user_id=farid)
    await watching.catch_up()
    fresh = State.from_snapshot(await ada.registration.register())
    ours, theirs = (
        {group.name: group.members for group in one.user_groups} for one in (watching.state, fresh)
    )
    assert ours == theirs
    assert (farid in ours["cooks"]) is (level == ZULIP_8)


async def test_a_queue_narrows_by_pairs() -> None:
    async with scripted_client(ZULIP_8) as (client, transport):
        transport.prepare("POST", "/api/v1/register", json={"queue_id": "q", "last_event_id": -1})
        await client.registration.register(narrow=[{"operator": "stream", "operand": "general"}])
        assert transport.last.json("narrow") == [["stream", "general"]]


@pytest.mark.parametrize(("level", "sent"), [(ZULIP_4, '"Dario Bell"'), (106, "Dario Bell")])
async def test_a_users_new_name_is_encoded_as_the_server_takes_it(level: int, sent: str) -> None:
    async with scripted_client(level) as (client, transport):
        transport.prepare("PATCH", "/api/v1/users/7")
        await client.users.update(user_id=7, full_name="Dario Bell")
        assert transport.last.params["full_name"] == sent


@pytest.mark.parametrize(
    ("name", "level", "sent"),
    [
        ("message_retention_days", 90, '"forever"'),
        ("message_retention_days", 91, '"unlimited"'),
        ("message_content_delete_limit_seconds", 99, "0"),
        ("message_content_delete_limit_seconds", 100, '"unlimited"'),
        ("message_content_edit_limit_seconds", ZULIP_5, "0"),
        ("message_content_edit_limit_seconds", 138, '"unlimited"'),
        ("move_messages_within_stream_limit_seconds", 162, '"unlimited"'),
    ],
)
async def test_no_limit_is_sent_as_the_server_takes_it(name: str, level: int, sent: str) -> None:
    async with scripted_client(level) as (client, transport):
        transport.prepare("PATCH", "/api/v1/realm")
        await client.organization.update(settings={name: "unlimited"})
        assert transport.last.params == {name: sent}


@pytest.mark.parametrize(("level", "sent"), [(90, '"forever"'), (91, '"unlimited"')])
async def test_a_channel_that_keeps_its_messages_is_told_as_the_server_takes_it(
    level: int, sent: str
) -> None:
    async with scripted_client(level) as (client, transport):
        transport.prepare("PATCH", "/api/v1/streams/7")
        await client.channels.update(channel_id=7, message_retention_days="unlimited")
        assert transport.last.params == {"message_retention_days": sent}


def test_who_removes_subscribers_is_read_under_the_older_name() -> None:
    old = "can_remove_subscribers_group_id"
    state = make_state(subscriptions=[subscription(GENERAL, "general", **{old: 5})])
    general = state.channels.get(GENERAL)
    assert general is not None
    assert general.permissions == {ChannelSetting.REMOVE_SUBSCRIBERS: 5}
    change = {"type": "stream", "op": "update", "stream_id": GENERAL, "property": old, "value": 6}
    apply(state, parse_event({"id": 1, **change}))
    general = state.channels.get(GENERAL)
    assert general is not None
    assert general.permissions == {ChannelSetting.REMOVE_SUBSCRIBERS: 6}


def test_groups_of_roles_have_one_name_on_all_servers() -> None:
    row = {"id": 8, "name": "@role:owners", "is_system_group": True}
    assert read_user_group(row).name == "role:owners"
    assert read_user_group({**row, "is_system_group": False}).name == "@role:owners"


@pytest.mark.parametrize(("policy", "role", "said"), [(2, 300, "admins"), (4, 400, "admins and moderators")])
def test_who_posts_in_a_channel_is_known_before_it_was_a_group(policy: int, role: int, said: str) -> None:
    state = make_state()
    general = state.channels.get(GENERAL)
    me = state.users.get(state.me)
    assert general is not None
    assert me is not None
    state.channels.put([general._replace(post_policy=policy, permissions={})])
    state.users.put([replace(me, role=role)])
    refusal = permissions.channel_write_refusal(state, GENERAL)
    assert refusal == f"Only {said} can post in #general."
    state.users.put([replace(me, role=Role.OWNER)])
    assert not permissions.channel_write_refusal(state, GENERAL)


async def test_snippets_and_scheduled_messages_are_there_where_a_snapshot_has_them(
    server: TestServer,
) -> None:
    server.set_level(ZULIP_5)
    async with Client.open(server.account("ada")) as client:
        await client.registration.register()
        known = client.connection.server
        assert known.supports(Gate.SNIPPETS)
        assert known.supports(Gate.SCHEDULED_MESSAGES)
        assert not known.supports(Gate.GROUP_DEACTIVATE)


@pytest.mark.parametrize("level", [ZULIP_5, Gate.DELIVERY_EMAIL.level])
def test_an_address_that_an_older_server_leaves_out_is_still_known(level: int) -> None:
    state = make_state()
    state.server = replace(state.server, level=level)
    bruno = state.users.get(BRUNO)
    assert bruno is not None
    state.users.put([replace(bruno, delivery_email="bruno@demo.example")])
    person = {"user_id": BRUNO, "full_name": "Bruno Castell", "email": bruno.email, "is_active": True}
    apply(state, parse_event({"id": 1, "type": "realm_user", "op": "add", "person": person}))
    back = state.users.get(BRUNO)
    assert back is not None
    assert back.delivery_email == ("bruno@demo.example" if level == ZULIP_5 else None)


@pytest.mark.parametrize(
    ("policy", "least", "said"),
    [
        (1, Role.MEMBER, "members"),
        (2, Role.ADMINISTRATOR, "admins"),
        (3, Role.MEMBER, "members"),
        (4, Role.MODERATOR, "admins and moderators"),
        (7, Role.OWNER, "owners"),
    ],
)
def test_who_makes_channels_is_known_where_it_is_a_policy(policy: int, least: Role, said: str) -> None:
    state, permission = make_state(), "can_create_public_channel_group"
    state.organization.put("create_public_stream_policy", policy)
    assert permission not in state.organization
    me = state.users.get(state.me)
    assert me is not None
    for role in Role:
        state.users.put([replace(me, role=role)])
        refusal = permissions.only_holders(state, permission, "create channels")
        assert refusal == ("" if role <= least else f"Only {said} can create channels.")
    state.organization.put("create_public_stream_policy", 6)
    assert permissions.only_holders(state, permission, "create channels") == "Nobody can create channels."
    for anybody in (5, 99, [1], {"1": 1}, "1", None):
        state.organization.put("create_public_stream_policy", anybody)
        assert state.has_permission(permission), "what is not known is left to the server"


@pytest.mark.parametrize("level", [147, 148])
def test_being_away_is_a_part_of_a_status_on_old_servers_only(level: int) -> None:
    there = {"8": {"away": True}, "9": {"status_text": "out", "away": True}}
    state = make_state(zulip_feature_level=level, user_status=there)
    away = level == 147
    assert (state.statuses.get(8) is not None) is away
    assert (status := state.statuses.get(9)) is not None
    assert (status.text, status.away) == ("out", away)
    event = {"id": 1, "type": "user_status", "user_id": 9}
    apply(state, parse_event({**event, "status_text": ""}))
    assert (state.statuses.get(9) is not None) is away, "the text is cleared, being away is not"
    apply(state, parse_event({**event, "id": 2, "away": False}))
    assert state.statuses.get(9) is None
