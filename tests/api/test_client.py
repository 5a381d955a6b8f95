"""The library's entry point: client, accounts and registration."""

from __future__ import annotations

import inspect
import pydoc
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx2
import pytest

from narrowcast_api.account import Account, AccountError, normal_site
from narrowcast_api.client import Client
from narrowcast_api.errors import (
    BadEventQueueId,
    BadRequest,
    InvalidInput,
    MalformedResponse,
    NotSent,
    OutcomeUnknown,
)
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.exchange import PreparedRequest, RawResponse
from narrowcast_api.http.operations import Operations
from narrowcast_api.http.secret import Secret
from narrowcast_api.narrow.destinations import ChannelDestination, DirectDestination
from narrowcast_api.resources.drafts import DraftVersion
from support.api import ACCOUNT, KEY, make_connection, operations, scripted_client
from support.ledger import proves
from support.scripted import ScriptedTransport

RC = f"[api]\nemail=ada@example.org\nkey={KEY}\nsite=https://chat.example.org\n"


@proves("AUTH-04")
async def test_the_account_of_a_file_sends_a_message(tmp_path: Path) -> None:
    rc = tmp_path / "zuliprc"
    rc.write_text(RC, encoding="utf-8")
    rc.chmod(0o600)
    async with Client.from_zuliprc(rc) as client:
        assert client.connection.account == ACCOUNT
        asked: list[str] = []

        async def exchange(request: PreparedRequest) -> RawResponse:
            asked.append(request.path)
            return RawResponse(
                200, {}, b'{"result": "success", "msg": "", "service_feature_level": 400, "id": 5}'
            )

        client.connection.exchange = exchange
        sent = await client.messages.send(to=ChannelDestination(7, "lunch"), content="Soup today")
        assert sent.id == 5
        await client.messages.send(to=ChannelDestination(7, "lunch"), content="again")
    assert asked == ["/server_settings", "/messages", "/messages"]


def test_an_account_is_written_for_its_owner_only_and_read_again(tmp_path: Path) -> None:
    file = tmp_path / "rc"
    file.write_text("old")
    file.chmod(0o644)
    account = Account("chat.example.org:8443/", "a%b@example.org", Secret("k%y=#;x"), tmp_path / "ca.pem")
    account.write_zuliprc(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert Account.from_zuliprc(file) == account
    assert [path.name for path in tmp_path.iterdir()] == ["rc"]
    with pytest.raises(AccountError):
        Account("chat.example.org", "a", Secret("x\n[api]")).write_zuliprc(file)
    with pytest.raises(AccountError, match="cannot be written"):
        account.write_zuliprc(tmp_path / "nosuch" / "rc")


def test_an_account_has_the_normal_form_of_its_address() -> None:
    account = Account("Chat.example.org/api/v1/", "ada@example.org", Secret("k"))
    assert account.site == "https://chat.example.org"
    assert account == Account("https://chat.example.org", "ada@example.org", Secret("k"))
    with pytest.raises(AccountError, match="is not an http or https address"):
        Account("ftp://chat.example.org", "ada@example.org", Secret("k"))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "no such file"),
        ("", "no section"),
        ("[other]\nkey=x\n", "no section"),
        ("[api]\nkey=x\n", "lacks email and site"),
        ("[api]\nemail=a\nkey=\nsite=b\n", "lacks key"),
        ("key=x\n", "not a zuliprc"),
        ("[api]\nemail=a\nkey=x\nsite=ftp://b\n", "http"),
    ],
)
def test_a_file_that_is_not_an_account_is_explained(tmp_path: Path, content: str | None, says: str) -> None:
    file = tmp_path / "rc"
    if content is not None:
        file.write_text(content, encoding="utf-8")
    with pytest.raises(AccountError, match=says):
        Account.from_zuliprc(file)


def test_a_file_in_the_home_of_somebody_unknown_is_not_there() -> None:
    with pytest.raises(AccountError, match="no such file"):
        Account.from_zuliprc("~nobody-of-this-name/zuliprc")


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o644])
async def test_a_file_that_others_may_read_or_change_is_refused_with_what_to_do(
    tmp_path: Path, mode: int
) -> None:
    file = tmp_path / "my zuliprc"
    file.write_text(RC, encoding="utf-8")
    file.chmod(mode)
    for read in (Account.from_zuliprc, Client.from_zuliprc):
        with pytest.raises(AccountError) as caught:
            read(file)
        assert f"chmod 600 '{file}'" in str(caught.value)
        assert KEY not in str(caught.value)
    assert Account.from_zuliprc(file, allow_shared=True) == ACCOUNT
    async with Client.from_zuliprc(file, allow_shared=True) as client:
        assert client.connection.account == ACCOUNT
    file.chmod(0o400)
    assert Account.from_zuliprc(file) == ACCOUNT


@pytest.mark.parametrize(
    ("typed", "site"),
    [
        ("chat.example.org", "https://chat.example.org"),
        (" HTTPS://Chat.Example.org/ ", "https://chat.example.org"),
        ("localhost:9911", "http://localhost:9911"),
        ("127.0.0.1:9911/", "http://127.0.0.1:9911"),
        ("[::1]:9911", "http://[::1]:9911"),
        ("https://example.org/chat/api/v1/", "https://example.org/chat"),
    ],
)
def test_addresses_are_taken_as_people_type_them(typed: str, site: str) -> None:
    assert normal_site(typed) == site


@pytest.mark.parametrize(
    "typed",
    ["", "ftp://x", "https://", "https://u:p@x", "https://x?y", "https://x#y", "a b", "https://x:99999"],
)
def test_an_invalid_address_is_rejected(typed: str) -> None:
    with pytest.raises(AccountError):
        normal_site(typed)


@pytest.mark.parametrize("host", ["a..example.org", ".", f"{'a' * 64}.org"])
def test_a_host_name_that_no_resolver_takes_is_rejected(host: str) -> None:
    with pytest.raises(AccountError, match="is not an address"):
        Connection(f"https://{host}")


@proves("CONV-22", "CONV-23")
async def test_the_operations_that_the_document_leaves_open_are_modules_of_their_own() -> None:
    def home(group: Operations, name: str) -> str:
        return str(getattr(type(group), name).function.__module__).rsplit(".", 1)[-1]

    async with scripted_client() as (client, _):
        assert home(client.registration, "register") == "register"
        assert home(client.events, "get") == "events"
        assert home(client.messages, "list") == "messages"
        assert home(client.scheduled_messages, "list") == "scheduled_messages"
    script = "import sys; import narrowcast_api.http.connection as c; print([m for m in sys.modules if '.routes' in m])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]", "the core works without any of them"


def test_importing_the_package_loads_nothing_heavy() -> None:
    script = (
        "import sys, narrowcast_api, narrowcast_api.account, narrowcast_api.errors, narrowcast_api.wire.levels,"
        " narrowcast_api.server_info, narrowcast_api.clock, narrowcast_api.http.secret, narrowcast_api.http.safe_json;"
        "print([m for m in ('httpx2', 'pydantic', 'websockets') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_package_offers_its_main_names_when_they_are_used() -> None:
    import narrowcast_api

    for name in narrowcast_api.__all__:
        assert getattr(narrowcast_api, name) is not None
    with pytest.raises(AttributeError):
        narrowcast_api.nosuch  # noqa: B018


async def test_bound_functions_keep_their_name_and_text() -> None:
    async with scripted_client() as (client, _):
        assert client.messages.send.__name__ == "send_message"
        assert (client.messages.send.__doc__ or "").startswith("POST /messages")
        assert "level 512" in repr(client)


class _Plain(pydoc.TextDoc):
    """Renders help without overstrike bold."""

    def bold(self, text: str) -> str:
        return text


async def test_a_group_is_made_once_when_it_is_used_and_nothing_else_is_one() -> None:
    async with scripted_client() as (client, _):
        assert client.messages is client.messages
        assert {"messages", "registration"} <= set(dir(client))
        assert not hasattr(client, "nothing")


async def test_help_shows_what_a_caller_passes() -> None:
    async with scripted_client() as (client, _):
        for group, name in operations(client):
            call = getattr(getattr(client, group), name)
            assert "connection" not in inspect.signature(call).parameters, name
            assert inspect.iscoroutinefunction(call)
        text = pydoc.render_doc(client.messages.send, renderer=_Plain())
        assert "send_message(*,to:'Addressee'," in "".join(text.split())
        assert KEY not in text
        helped = pydoc.render_doc(client.messages, renderer=_Plain())
        assert "send=send_message(*,to:'Addressee'" in "".join(helped.split())


async def test_one_name_where_a_list_belongs_is_refused_and_not_taken_apart() -> None:
    async with scripted_client() as (client, _):
        for call in (
            client.subscriptions.remove(channels="general"),
            client.subscriptions.add(channels="general"),
            client.settings.add_alert_words(words="lunch"),
            client.settings.remove_alert_words(words="lunch"),
        ):
            with pytest.raises(InvalidInput, match="must be a list"):
                await call


async def test_what_no_type_allows_is_refused_as_input_and_never_crashes() -> None:
    mixed: Any = frozenset({9, "ada@example.org"})
    pairs: Any = [["channel", "general"]]
    shapeless: Any = "channel:general"
    text: Any = "soon"
    async with scripted_client() as (client, transport):
        for call in (
            client.messages.send(to=DirectDestination(mixed), content="hello"),
            client.drafts.create(drafts=[DraftVersion(DirectDestination(mixed), "hello")]),
            client.drafts.create(drafts=[DraftVersion(None, "hello")], timestamp=text),
            client.messages.list(narrow=pairs),
            client.messages.list(narrow=shapeless),
            client.narrows.matches(message_ids=[1], narrow=pairs),
            client.invites.send(
                invitee_emails=["a@example.org"], stream_ids=[1], invite_expires_in_minutes=text
            ),
        ):
            with pytest.raises(InvalidInput):
                await call
        assert [sent.path for sent in transport.requests if sent.method != "GET"] == []


async def test_an_address_without_an_account_can_have_authorities_of_its_own(tmp_path: Path) -> None:
    async with Client.open("https://chat.example.org", ca_bundle=tmp_path / "ca.pem") as client:
        assert client.connection.ca_bundle == tmp_path / "ca.pem"


async def test_signing_in_is_offered_with_the_server() -> None:
    transport = ScriptedTransport()
    transport.prepare("POST", "/api/v1/fetch_api_key", json={"api_key": KEY, "email": "ada@example.org"})
    async with Client.open("https://chat.example.org", transport=transport) as client:
        account = await client.server.fetch_api_key(username="ada@example.org", password=Secret("tea"))
    assert account == ACCOUNT
    assert transport.last.authorization is None


@proves("EVT-01", "EVT-08")
async def test_events_arrive_in_order_and_invalid_ones_are_left_out() -> None:
    path = "/api/v1/events"
    async with scripted_client() as (client, transport):
        transport.prepare(
            "GET", path, json={"events": [{"id": 1, "type": "x"}, 7, None, {"id": 3}], "queue_id": "q"}
        )
        batch = await client.events.get(queue_id="q", last_event_id=0)
        assert [event.get("id") for event in batch.events] == [1, 3]
        assert transport.last.params == {"queue_id": "q", "last_event_id": "0"}
        assert transport.last.timeout["read"] == 90.0
        transport.prepare("GET", path, json={"events": []})
        await client.events.get(queue_id="q", last_event_id=3, dont_block=True, longpoll_seconds=50)
        assert transport.last.params["dont_block"] == "true"
        transport.prepare("GET", path)
        with pytest.raises(MalformedResponse):
            await client.events.get(queue_id="q", last_event_id=3)
        transport.prepare_error("GET", path, code="BAD_EVENT_QUEUE_ID", queue_id="q")
        with pytest.raises(BadEventQueueId) as caught:
            await client.events.get(queue_id="q", last_event_id=3)
        assert caught.value.queue_id == "q"
        transport.prepare_error("GET", path, code="BAD_REQUEST", msg="An event newer than 3 has been pruned!")
        with pytest.raises(BadRequest):
            await client.events.get(queue_id="q", last_event_id=3)
        transport.prepare("DELETE", path, params={"queue_id": "q"})
        await client.events.delete_queue(queue_id="q")


async def test_the_time_of_a_poll_is_the_servers_own() -> None:
    import asyncio

    async with scripted_client() as (client, transport):
        client.connection.record_server({"queue_id": "q", "event_queue_longpoll_timeout_seconds": 0.02})
        transport.prepare("GET", "/api/v1/events", gate=asyncio.Event())
        with pytest.raises(OutcomeUnknown, match=r"0\.02 s"):
            await client.events.get(queue_id="q", last_event_id=3)


async def test_registration_without_a_queue_is_malformed() -> None:
    with ScriptedTransport() as transport:
        async with make_connection(transport) as connection:
            client = Client(connection)
            for response in ({"queue_id": 7, "last_event_id": 1}, {"queue_id": "q"}):
                transport.prepare("POST", "/api/v1/register", json=response)
                with pytest.raises(MalformedResponse):
                    await client.registration.register()


async def test_registration_asks_for_what_it_is_told() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("POST", "/api/v1/register", json={"queue_id": "q", "last_event_id": -1})
        await client.registration.register(
            event_types=["message"], fetch_event_types=["realm"], include_subscribers="partial"
        )
        sent = dict(transport.last.params)
        assert sent.pop("client_capabilities")
        assert sent == {
            "apply_markdown": "true",
            "client_gravatar": "true",
            "slim_presence": "true",
            "include_subscribers": "partial",
            "event_types": '["message"]',
            "fetch_event_types": '["realm"]',
        }


async def test_the_server_is_asked_once_even_by_many_at_a_time() -> None:
    import asyncio

    with ScriptedTransport() as transport:
        transport.prepare("GET", "/api/v1/server_settings", json={"service_feature_level": 9})
        async with Connection(ACCOUNT, transport=transport) as connection:
            infos = await asyncio.gather(*(connection.identified() for _ in range(5)))
    assert {info.level for info in infos} == {9}


@pytest.mark.parametrize("failing", ["server_settings", "users/me"])
async def test_a_failed_version_request_before_a_write_means_that_the_write_was_not_sent(
    failing: str,
) -> None:
    ways: dict[str, dict[str, Any]] = {
        "Connection lost before a response arrived (ReadTimeout: slow). Try again.": {
            "error": httpx2.ReadTimeout("slow")
        },
        "Server error (HTTP 502). Try again in a moment.": {"status": 502, "content": b"<html>"},
    }
    for told, broken in ways.items():
        with ScriptedTransport() as transport:
            if failing == "users/me":
                transport.prepare("GET", "/api/v1/server_settings", json={"service_feature_level": 9})
            transport.prepare("GET", f"/api/v1/{failing}", **broken)
            async with Client.open(ACCOUNT, transport=transport) as client:
                with pytest.raises(NotSent) as caught:
                    await client.messages.send(to=DirectDestination(frozenset()), content="hi")
                assert caught.value.user_message == told
