"""What servers above the contract's level send in a different form."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from narrowcast_api.errors import Unsupported
from narrowcast_api.events.parsing import parse_event
from narrowcast_api.events.stream import KEPT_SECONDS
from narrowcast_api.model.channels import read_channel
from narrowcast_api.narrow.narrow import ChannelDestination, Narrow
from narrowcast_api.resources.attachments import read_attachment
from narrowcast_api.server_info import ServerInfo
from narrowcast_api.state.apply import apply
from narrowcast_api.state.holder_rules import HolderRule
from narrowcast_api.state.state import State
from narrowcast_api.wire.levels import Gate
from support.api import scripted_client
from support.captures import captures, needs_recordings
from support.live import BRUNO, make_state

FEATURES = Path(__file__).resolve().parents[2] / "docs" / "zulip-features.md"


@pytest.mark.parametrize("sent", [1_700_000_000, 1_700_000_000_000])
def test_the_time_of_a_file_is_read_in_seconds_and_in_milliseconds(sent: int) -> None:
    row = {"id": 1, "name": "soup.txt", "path_id": "2/ab/soup.txt", "size": 3, "create_time": sent}
    assert read_attachment(row).created == 1_700_000_000_000


@pytest.mark.parametrize(
    "used", [{"messages": [{"id": 7, "date_sent": 1}, {"id": 9}]}, {"message_ids": [7, 9]}]
)
def test_the_messages_with_a_file_are_known_by_either_form_of_their_ids(used: dict[str, object]) -> None:
    row = {"id": 1, "name": "soup.txt", "path_id": "2/ab/soup.txt", "size": 3, "create_time": 5, **used}
    assert read_attachment(row).message_ids == (7, 9)


def test_an_account_has_joined_once_its_user_logs_in() -> None:
    state = make_state()
    person = {"user_id": BRUNO, "date_joined": "2026-05-04T10:00+00:00"}
    apply(state, parse_event({"id": 1, "type": "realm_user", "op": "update", "person": person}))
    bruno = state.users.get(BRUNO)
    assert bruno is not None
    assert bruno.date_joined == "2026-05-04T10:00+00:00"


def test_a_deleted_account_is_known_as_such() -> None:
    row = {"user_id": 31, "full_name": "Deleted user 31", "is_active": False}
    deleted = {**row, "is_deleted": True}
    state = make_state(realm_non_active_users=[deleted, {**row, "user_id": 32}])
    users = [state.users.get(31), state.users.get(32)]
    assert [user is not None and (user.is_active, user.is_deleted) for user in users] == [
        (False, True),
        (False, False),
    ]
    person = {"user_id": 32, "is_deleted": True}
    apply(state, parse_event({"id": 1, "type": "realm_user", "op": "update", "person": person}))
    assert (user := state.users.get(32)) is not None
    assert user.is_deleted


def test_a_channel_gives_new_subscribers_mobile_notifications() -> None:
    state = make_state()
    channel = next(iter(state.channels))
    assert channel.default_push_notifications is False
    event = {"type": "stream", "op": "update", "stream_id": channel.channel_id, "name": channel.name}
    update = {**event, "id": 1, "property": "default_push_notifications", "value": True}
    apply(state, parse_event(update))
    changed = state.channels.get(channel.channel_id)
    assert changed is not None
    assert changed.default_push_notifications is True
    assert (
        read_channel({"stream_id": 1, "default_push_notifications": True}).default_push_notifications is True
    )


@pytest.mark.parametrize("level", [506, 507])
async def test_mobile_notifications_of_a_channel_are_set_where_the_server_has_them(level: int) -> None:
    async with scripted_client(level) as (client, transport):
        transport.prepare("POST", "/api/v1/channels/create", json={"id": 9})
        made = await client.channels.create(name="soup", subscribers=[1], default_push_notifications=True)
        assert ("default_push_notifications" in transport.last.params) is (level == 507)
        assert bool(made.notices) is (level == 506)
        transport.prepare("PATCH", "/api/v1/streams/9")
        changed = await client.channels.update(channel_id=9, new_name="x", default_push_notifications=True)
        assert ("default_push_notifications" in transport.last.params) is (level == 507)
        assert bool(changed.notices) is (level == 506)


async def test_a_sent_message_has_its_address() -> None:
    address = "https://chat.example.org/#narrow/channel/7-soup/topic/x/near/5"
    async with scripted_client(508) as (client, transport):
        there = {"id": 5, "message_url": address, "message_link": f"[#soup > x @ 💬]({address})"}
        transport.prepare("POST", "/api/v1/messages", json=there)
        transport.prepare("POST", "/api/v1/messages", json={"id": 6})
        sent = await client.messages.send(to=ChannelDestination(7, "x"), content="hi")
        assert (sent.message_url, sent.message_link) == (there["message_url"], there["message_link"])
        assert (await client.messages.send(to=ChannelDestination(7, "x"), content="hi")).message_url == ""


async def test_link_previews_are_hidden_where_the_server_has_the_flag() -> None:
    async with scripted_client(510) as (client, transport):
        transport.prepare("POST", "/api/v1/messages/flags", json={"messages": [5]})
        await client.flags.change(message_ids=[5], op="add", flag="hide_link_previews")
        assert transport.last.params["flag"] == "hide_link_previews"
    async with scripted_client(509) as (client, transport):
        with pytest.raises(Unsupported):
            await client.flags.change(message_ids=[5], op="add", flag="hide_link_previews")
        with pytest.raises(Unsupported):
            await client.flags.change_by_narrow(narrow=(), op="add", flag="hide_link_previews", anchor=1)
        assert transport.requests == []


@pytest.mark.parametrize("level", [480, 481])
async def test_the_server_is_asked_to_keep_the_queue_for_the_time_of_a_sleep(level: int) -> None:
    async with scripted_client(level) as (client, transport):
        answer = {"queue_id": "q", "last_event_id": -1, "idle_queue_timeout_secs": 43_200}
        transport.prepare("POST", "/api/v1/register", json=answer)
        await client.registration.register(idle_queue_timeout=KEPT_SECONDS)
        assert transport.last.params.get("idle_queue_timeout") == ("43200" if level == 481 else None)
        assert client.connection.limits.idle_queue_seconds == 43_200


async def test_messages_around_a_date_are_asked_for_where_the_server_finds_it() -> None:
    moment = datetime(2026, 11, 20, 1, tzinfo=timezone(timedelta(hours=3)))
    async with scripted_client(445) as (client, transport):
        transport.prepare("GET", "/api/v1/messages", json={"messages": []})
        await client.messages.list(anchor=moment)
        assert transport.last.params["anchor"] == "date"
        assert transport.last.params["anchor_date"] == "2026-11-19T22:00:00+00:00"
    async with scripted_client(444) as (client, transport):
        with pytest.raises(Unsupported):
            await client.messages.list(anchor=moment)
        assert transport.requests == []


def test_messages_in_archived_channels_are_searched_for_where_the_server_has_them() -> None:
    narrow = Narrow.search("channels:archived soup")
    with pytest.raises(Unsupported):
        narrow.to_wire(ServerInfo(level=488), make_state())
    sent = narrow.to_wire(ServerInfo(level=489), make_state())
    assert {"operator": "channels", "operand": "archived"} in sent
    assert narrow.to_wire(ServerInfo(level=489), make_state())[1]["operator"] == "search"
    Narrow.search("channels:public").to_wire(ServerInfo(level=250), make_state())


async def test_an_export_of_an_earlier_server_is_known_as_such() -> None:
    async with scripted_client(506) as (client, transport):
        listed = [{"id": 1, "export_url": None, "export_from_prior_server": True}, {"id": 2}]
        transport.prepare("GET", "/api/v1/export/realm", json={"exports": listed})
        exports = await client.exports.list()
        assert [export.export_from_prior_server for export in exports] == [True, False]


def test_a_login_at_webex_is_kept_up_to_date() -> None:
    assert make_state().offers.webex_login is None
    state = make_state(has_webex_token=False)
    assert state.offers.webex_login is False
    apply(state, parse_event({"id": 1, "type": "has_webex_token", "value": True}))
    assert state.offers.webex_login is True


def test_the_server_names_the_kinds_of_reports() -> None:
    kinds = [{"key": "spam", "name": "Spam"}, {"key": "rude"}, {"key": 3, "name": "Three"}, {"name": "None"}]
    response = {"user_id": 8, "server_report_message_types": kinds}
    offers = State.from_snapshot(response, now=0.0).offers
    assert offers.report_types == (("spam", "Spam"), ("rude", "rude"))
    assert State.from_snapshot({"user_id": 8}, now=0.0).offers.report_types == ()


def test_whom_a_permission_may_be_given_to_is_read() -> None:
    rule = {
        "allow_nobody_group": False,
        "allowed_system_groups": ["role:owners"],
        "require_system_group": True,
    }
    supported = {"realm": {"can_x": rule}, "stream": 3, "group": {"can_y": []}}
    state = State.from_snapshot({"user_id": 8, "server_supported_permission_settings": supported}, now=0.0)
    found = state.holder_rules.of("realm", "can_x")
    assert (found.nobody, found.system_only, found.roles) == (False, True, ("role:owners",))
    assert found.allows("role:owners")
    assert not found.allows("role:members")
    assert state.holder_rules.of("stream", "can_x").allows("role:everyone")


@pytest.mark.parametrize(
    ("said", "system_only", "refused"),
    [
        ({}, False, set()),
        ({"require_system_group": True}, True, set()),
        ({"allow_nobody_group": False}, False, {"role:nobody"}),
        ({"allow_everyone_group": False}, False, {"role:everyone"}),
        ({"allowed_system_groups": ["role:members"]}, False, {"role:nobody", "role:everyone"}),
    ],
)
def test_a_permission_is_open_to_every_role_that_its_rule_does_not_leave_out(
    said: dict[str, object], system_only: bool, refused: set[str]
) -> None:
    state = make_state(server_supported_permission_settings={"realm": {"can_x": said}})
    rule = state.holder_rules.of("realm", "can_x")
    assert rule.system_only is system_only
    assert {
        role for role in ("role:nobody", "role:everyone", "role:members") if not rule.allows(role)
    } == refused
    assert state.holder_rules.of("realm", "can_y") == HolderRule(), "where nothing is said, all is open"


@needs_recordings
def test_the_snapshot_of_a_real_server_is_read_whole() -> None:
    folder = captures()
    assert folder is not None
    response = json.loads((folder / "register_rich_cordelia.json").read_bytes())["response"]
    state = State.from_snapshot(response, now=0.0)
    assert state.holder_rules.of("realm", "can_manage_all_groups").nobody is False
    assert state.offers.report_types


def test_every_level_that_the_client_asks_for_past_the_contract_is_in_the_table() -> None:
    lines = FEATURES.read_text(encoding="utf-8").splitlines()
    told = {
        int(level) for line in lines if line.startswith("| ") for level in line.split("|")[1].split(",")
        if level.strip().isdecimal()
    }  # fmt: skip
    assert set(range(377, 436)) - told <= {408, *range(421, 426)}, "levels without changes only"
    assert set(range(436, 513)) - told <= {501}, "no other level is without changes"
    assert {gate.level for gate in Gate if gate.level > 372} <= told
