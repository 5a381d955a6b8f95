"""Resetting a password with a link sent by email or made by the operator."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from narrowcast_server.operator.arguments import Fault
from narrowcast_server.operator.control import ask
from narrowcast_server.organization.config import ServerConfig
from support.clock import VirtualClock
from support.mailbox import Mailbox
from support.server import TestServer, running_server


async def test_a_password_reset_sends_a_link_that_works_once(mailing: TestServer, box: Mailbox) -> None:
    old_key = mailing.user("ada").api_key
    await mailing.call(None, "POST", "/reset", {"email": "ada@demo.example"})
    recipients, message = await box.next()
    assert recipients == ["ada@demo.example"]
    (token,) = re.findall(rf"narrowcast login {mailing.url}/reset/([^/\s]+)/", message.get_content())
    page = await mailing.client.get(f"{mailing.url}/reset/{token}/")
    assert page.status_code == 200
    assert "ada" not in page.text.lower().replace(token.lower(), "")
    response = await mailing.call(None, "POST", f"/reset/{token}", {"password": "another good one"})
    assert response["email"] == "ada@demo.example"
    assert response["api_key"] == mailing.user("ada").api_key != old_key
    await mailing.refusal(None, "POST", f"/reset/{token}", {"password": "yet another one"})
    signed_in = {"username": "ada@demo.example", "password": "another good one"}
    assert (await mailing.call(None, "POST", "/fetch_api_key", signed_in))["api_key"] == response["api_key"]


async def test_a_password_reset_does_not_reveal_who_has_an_account(mailing: TestServer, box: Mailbox) -> None:
    responses = [
        (await mailing.raw(None, "POST", "/reset", {"email": email})).text
        for email in ("ada@demo.example", "nobody@demo.example", "iris-bot@demo.example")
    ]
    assert len(set(responses)) == 1
    await mailing.call(None, "POST", "/reset", {"email": "dario@demo.example"})
    assert [(await box.next())[0][0] for _ in range(2)] == ["ada@demo.example", "dario@demo.example"]
    assert box.received.empty()


async def test_the_response_to_a_password_reset_waits_for_the_disk_whoever_has_an_account(
    mailing: TestServer,
) -> None:
    for email in ("ada@demo.example", "ada@demo.example", "nobody@demo.example"):
        before = mailing.organization.store.changes
        await mailing.call(None, "POST", "/reset", {"email": email})
        assert mailing.organization.store.changes > before


async def test_the_number_of_password_resets_is_limited(mailing: TestServer) -> None:
    for email in ("ada@demo.example", "nobody@demo.example"):
        for _ in range(3):
            await mailing.call(None, "POST", "/reset", {"email": email})
        await mailing.refusal(None, "POST", "/reset", {"email": email}, 429)
    assert mailing.organization.store.integer("SELECT count(*) FROM sent_emails") == 1


async def test_a_password_link_expires_and_ends_with_a_new_password_or_the_account(
    tmp_path: Path, box: Mailbox
) -> None:
    clock = VirtualClock()
    async with running_server(tmp_path, config=ServerConfig(mail=box.settings()), clock=clock) as server:

        async def link(name: str) -> str:
            (_, line) = await ask(tmp_path, "link", {"who": f"{name}@demo.example"})
            return "/reset/" + line.rstrip("/").rpartition("/")[2]

        late, changed, closed = await link("dario"), await link("elif"), await link("farid")
        fields = {"password": "a good password"}
        await ask(tmp_path, "password", {"who": "elif@demo.example"})
        await ask(tmp_path, "deactivate", {"who": "farid@demo.example"})
        clock.jump(86_401)
        for path in (late, changed, closed, "/reset/made-up"):
            refusal = await server.refusal(None, "POST", path, fields)
            assert "Ask for a new one." in refusal["msg"]
        assert (await server.refusal(None, "POST", await link("dario"), {"password": "x"}))["code"]


async def test_a_password_link_ends_with_the_address_it_was_sent_to_and_with_the_account(
    server: TestServer,
) -> None:
    async def link(name: str) -> str:
        (_, line) = await ask(server.organization.folder, "link", {"who": f"{name}@demo.example"})
        return "/reset/" + line.rstrip("/").rpartition("/")[2]

    server.organization.users.update(server.id("ada"), can_change_user_emails=1)
    moved, closed, kept = await link("dario"), await link("farid"), await link("greta")
    await server.call("ada", "PATCH", f"/users/{server.id('dario')}", {"new_email": "new@demo.example"})
    await server.call("ada", "DELETE", f"/users/{server.id('farid')}")
    await server.call("ada", "POST", f"/users/{server.id('farid')}/reactivate")
    fields = {"password": "a good password"}
    for path in (moved, closed):
        assert "Ask for a new one." in (await server.refusal(None, "POST", path, fields))["msg"]
    await server.call(None, "POST", kept, fields)


async def test_without_email_the_error_refers_to_the_administrator(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        refusal = await server.refusal(None, "POST", "/reset", {"email": "ada@demo.example"})
        assert "This server sends no email." in refusal["msg"]
        with pytest.raises(Fault, match=r"no mail is sent: server.toml"):
            await ask(tmp_path, "mail", {})
