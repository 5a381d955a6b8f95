"""Emails that wait in the store, are sent, and are retried."""

from __future__ import annotations

import asyncio
import logging
import re
from dataclasses import replace
from pathlib import Path

from narrowcast_server.actions.mail import due_emails, record_outcome, send_mail
from narrowcast_server.mail.settings import MailSettings, Security
from narrowcast_server.mail.smtp import DeliveryStatus, Outcome
from narrowcast_server.operator.control import ask
from narrowcast_server.organization.config import Quotas, ServerConfig
from narrowcast_server.serve import Options, open_organization
from support.clock import VirtualClock
from support.mailbox import Mailbox
from support.server import TestServer, running_server
from support.sessions import until


async def test_an_email_invitation_contains_the_link_to_create_an_account(
    mailing: TestServer, box: Mailbox
) -> None:
    fields = {"invitee_emails": "new@demo.example", "stream_ids": []}
    await mailing.call("ada", "POST", "/invites", fields)
    recipients, message = await box.next()
    assert recipients == ["new@demo.example"]
    text = message.get_content()
    assert "Ada Moreno invites you to Demo" in text
    (token,) = set(re.findall(rf"{mailing.url}/join/([^/\s]+)/", text))
    joined = {"email": "new@demo.example", "full_name": "New Person", "password": "a good password"}
    await mailing.call(None, "POST", f"/join/{token}", joined)
    await until(lambda: mailing.organization.store.all("SELECT due FROM sent_emails")[0]["due"] is None)
    (row,) = mailing.organization.store.all("SELECT due, sent, error FROM sent_emails")
    assert (row["due"], row["error"]) == (None, None)


async def test_with_email_delivery_the_list_of_invitations_shows_no_links_of_other_users(
    mailing: TestServer,
) -> None:
    fields = {"invitee_emails": "new@demo.example", "stream_ids": []}
    await mailing.call("ada", "POST", "/invites", fields)
    (row,) = (await mailing.call("ada", "GET", "/invites"))["invites"]
    assert "link_url" not in row


async def test_a_failed_email_is_retried_and_finally_dropped(tmp_path: Path) -> None:
    clock = VirtualClock()
    organization = open_organization(
        Options(data=tmp_path), "http://x", config=ServerConfig(durable=False), clock=clock
    )
    organization.config = replace(organization.config, mail=MailSettings("127.0.0.1", 1, "chat@x.example"))
    with organization.transaction():
        send_mail(organization, "a@x.example", "s", "b")
        send_mail(organization, "b@x.example", "s", "b")
    waits = []
    for _ in range(6):
        email = due_emails(organization)[-1]
        with organization.transaction():
            record_outcome(organization, email, Outcome(DeliveryStatus.RETRY, "busy"))
        due = organization.store.integer("SELECT due FROM sent_emails WHERE id = ?", email.id)
        if due is None:
            break
        waits.append(due - organization.now())
        clock.jump(waits[-1])
    assert waits == [60, 300, 1800, 7200, 21_600]
    first = due_emails(organization)[0]
    with organization.transaction():
        record_outcome(organization, first, Outcome(DeliveryStatus.FAILED, "550 no"))
    assert due_emails(organization) == []
    organization.close()


async def test_pending_emails_are_sent_after_a_restart(tmp_path: Path, box: Mailbox) -> None:
    away = replace(box.settings(), port=1)
    async with running_server(tmp_path / "data", config=ServerConfig(mail=away)) as server:
        await server.call("ada", "POST", "/invites", {"invitee_emails": "new@x.example", "stream_ids": []})
    clock = VirtualClock(4_000_000_000)
    async with running_server(tmp_path / "data", config=ServerConfig(mail=box.settings()), clock=clock):
        assert (await box.next())[0] == ["new@x.example"]


async def test_an_unreachable_mail_server_is_logged_and_the_email_waits(tmp_path: Path) -> None:
    settings = MailSettings("127.0.0.1", 1, "chat@x.example", Security.NONE, timeout_seconds=1)
    logged = asyncio.Event()
    loop = asyncio.get_running_loop()

    class Watch(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if "mail could not be sent" in record.getMessage():
                loop.call_soon_threadsafe(logged.set)

    handler = Watch()
    logging.getLogger("narrowcast.server").addHandler(handler)
    try:
        async with running_server(tmp_path / "data", config=ServerConfig(mail=settings)) as server:
            fields = {"invitee_emails": "new@x.example", "stream_ids": []}
            await server.call("ada", "POST", "/invites", fields)
            async with asyncio.timeout(30):
                await logged.wait()
            lines = await ask(server.organization.folder, "mail", {})
            assert "127.0.0.1 port 1" in lines[0]
            assert lines[1].startswith("1 wait")
            assert "new@x.example" in lines[2]
    finally:
        logging.getLogger("narrowcast.server").removeHandler(handler)


async def test_the_number_of_invitation_emails_a_day_is_limited(tmp_path: Path, box: Mailbox) -> None:
    config = ServerConfig(mail=box.settings(), quotas=replace(Quotas(), mails_a_day=2))
    async with running_server(tmp_path / "data", config=config) as server:
        for name in ("a", "b"):
            fields = {"invitee_emails": f"{name}@x.example", "stream_ids": []}
            await server.call("ada", "POST", "/invites", fields)
        (first, _) = (await server.call("ada", "GET", "/invites"))["invites"]
        await server.refusal("ada", "POST", f"/invites/{first['id']}/resend")
        await server.call("ada", "DELETE", f"/invites/{first['id']}")
        fields = {"invitee_emails": "c@x.example", "stream_ids": []}
        refusal = await server.refusal("ada", "POST", "/invites", fields)
        assert (refusal["code"], refusal["daily_limit_reached"]) == ("INVITATION_FAILED", True)
        await server.call("bruno", "POST", "/invites", fields)
