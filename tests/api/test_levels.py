"""The table of feature levels."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

import narrowcast
import narrowcast_api
from narrowcast_api.errors import Unsupported
from narrowcast_api.http.connection import Connection
from narrowcast_api.routes.register import register
from narrowcast_api.server_info import RequestLimits, ServerInfo
from narrowcast_api.wire.levels import Gate
from support.api import ACCOUNT, make_connection, scripted_client
from support.ledger import ledger, proves
from support.scripted import ScriptedTransport

CITED = [
    *(0, 1, 2, 9, 57, 58, 86, 88, 92, 96, 116, 117, 126, 135, 148, 163, 165, 167, 174, 176, 180, 184, 191),
    *(193, 196, 198, 208, 209, 211, 215, 224, 248, 256, 257, 260, 261, 267, 272, 283, 285, 296, 301, 303),
    *(305, 308, 311, 322, 324, 334, 340, 355, 362, 363, 368, 372),
]


@proves("VER-01", "VER-04")
@pytest.mark.parametrize("gate", Gate, ids=lambda gate: gate.name)
def test_a_feature_is_there_from_its_level_on(gate: Gate) -> None:
    for level, there in ((gate.level - 1, False), (gate.level, True), (gate.level + 1, True), (10**6, True)):
        if level < 0:
            continue
        server = ServerInfo(level=level, known=True)
        assert server.supports(gate) is there
        if there:
            server.require(gate)
        else:
            with pytest.raises(Unsupported) as caught:
                server.require(gate)
            assert (caught.value.needs, caught.value.has) == (gate.level, level)
            assert f"needs level {gate.level}" in str(caught.value)
            assert gate.unsupported(level) in caught.value.user_message


@pytest.mark.parametrize("gate", [gate for gate in Gate if gate.field], ids=lambda gate: gate.name)
def test_what_a_snapshot_shows_is_there_whatever_the_level(gate: Gate) -> None:
    level = {"zulip_feature_level": 1}
    name, _, of_object = gate.field.partition(".")
    shown = [{of_object: None}] if of_object else []
    assert ServerInfo.from_response({**level, name: shown}).supports(gate)
    assert not ServerInfo.from_response(level).supports(gate)
    without: tuple[object, ...] = ([], [{}], [3], "text") if of_object else ()
    for value in without:
        assert not ServerInfo.from_response({**level, name: value}).supports(gate)


@proves("VER-02", "VER-07")
def test_the_table_holds_every_level_that_is_cited_and_no_other() -> None:
    assert sorted({gate.level for gate in Gate if gate.value.rows}) == CITED
    in_ledger = {int(row.level) for row in ledger().values() if row.level.isdigit()}
    assert in_ledger <= set(CITED)


def test_every_gate_says_what_it_is_and_which_rows_it_serves() -> None:
    for gate in Gate:
        assert gate.title
        assert gate.value.below
        for row in gate.value.rows:
            assert row in ledger(), row
    assert [gate.level for gate in Gate] == sorted(gate.level for gate in Gate)
    assert Gate.SCHEDULED_EDIT.unsupported(183) == "not supported by this server (level 183; needs 184)"


def test_no_title_or_note_is_longer_than_a_line() -> None:
    for gate in Gate:
        for text in (gate.title, gate.value.below):
            assert re.fullmatch(r"[^\n]{3,70}", text)


@proves("CONV-10", "VER-05")
async def test_below_167_silence_proves_nothing_and_above_the_server_names_what_it_ignored() -> None:
    async with scripted_client(167) as (client, transport):
        transport.prepare("POST", "/api/v1/messages", json={"id": 5, "ignored_parameters_unsupported": ["x"]})
        from narrowcast_api.narrow.destinations import ChannelDestination

        sent = await client.messages.send(to=ChannelDestination(7, "a"), content="hi", local_id="1.01")
        assert sent.ignored_parameters_unsupported == ("x",)
        assert not ServerInfo(level=166, known=True).supports(Gate.IGNORED_PARAMETERS)
        transport.prepare("POST", "/api/v1/messages", json={"id": 6})
        assert (
            await client.messages.send(to=ChannelDestination(7, "a"), content="hi")
        ).ignored_parameters_unsupported == ()


@proves("VER-06", "LIM-02", "LIM-03", "TYP-32")
async def test_registration_teaches_level_and_limits_anew() -> None:
    with ScriptedTransport() as transport:
        transport.prepare(
            "POST",
            "/api/v1/register",
            json={
                "queue_id": "q",
                "last_event_id": -1,
                "user_id": 9,
                "service_feature_level": 400,
                "max_message_length": 20,
                "max_topic_length": 5,
                "max_file_upload_size_mib": 3,
                "event_queue_longpoll_timeout_seconds": 70,
                "realm_empty_topic_display_name": "general chat",
            },
        )
        transport.prepare("POST", "/api/v1/register", json={"queue_id": "q", "last_event_id": -1})
        async with make_connection(transport, level=300) as connection:
            await register(connection)
            assert connection.server.level == 400
            assert connection.own_user_id == 9
            assert connection.limits == RequestLimits(20, 5, 3, 70.0, "general chat")
            await register(connection)
            assert connection.server.level == 0
            assert connection.limits == RequestLimits(), "what the server does not say is not checked"


@pytest.mark.parametrize(("sent", "known"), [(1, 1), (0, None), (-1, None), (True, None), ("20", None)])
def test_an_invalid_length_in_a_response_is_not_a_limit(sent: object, known: int | None) -> None:
    limits = RequestLimits.from_response({"max_message_length": sent, "max_topic_length": sent})
    assert (limits.max_message_length, limits.max_topic_length) == (known, known)


@proves("VER-08")
async def test_levels_are_not_guessed_from_versions() -> None:
    with ScriptedTransport() as transport:
        transport.prepare(
            "GET", "/api/v1/server_settings", json={"service_version": "abc", "service_feature_level": 300}
        )
        async with Connection(ACCOUNT, transport=transport) as connection:
            assert not connection.server.known
            info = await connection.identified()
            assert (info.level, info.version) == (300, "abc")
            assert await connection.identified() is info, "asked once"


@proves("VER-03")
async def test_deprecated_fields_are_accepted_and_not_needed() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("GET", "/api/v1/server_settings", json={"realm_uri": "https://a.example"})
        assert (await client.server.settings()).realm_url == "https://a.example"
        base = {"user_id": 1, "full_name": "A"}
        for extra in ({}, {"max_message_id": 5}):
            transport.prepare("GET", "/api/v1/users/me", json={**base, **extra})
            assert (await client.users.me()).max_message_id == extra.get("max_message_id")
        transport.prepare("GET", "/api/v1/server_settings", json={"authentication_methods": {"email": True}})
        assert (await client.server.settings()).authentication_methods == {"email": True}


@proves("VER-02")
@pytest.mark.parametrize("package", [narrowcast_api, narrowcast], ids=lambda package: package.__name__)
def test_no_level_is_written_outside_the_table(package: ModuleType) -> None:
    root = Path(str(package.__file__)).parent
    pattern = re.compile(r"\blevel\s*(<|>=|>|<=|==)\s*[1-9]|_LEVEL(: Final)? = \d+$")
    written = [
        f"{path.relative_to(root)}: {line.strip()}"
        for path in root.rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if pattern.search(line)
    ]
    assert [line for line in written if not re.search("(CONTRACT|SERVED|LATEST)_LEVEL", line)] == []
