"""Delivery of one email to a real SMTP server."""

from __future__ import annotations

import socket
import ssl
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from narrowcast_server.mail.messages import BadAddress, OutgoingEmail, encoded, is_address
from narrowcast_server.mail.settings import MailSettings, Security
from narrowcast_server.mail.smtp import DeliveryStatus, Outcome, deliver, in_daemon_thread
from support.mailbox import Mailbox, mailbox
from support.sockets import make_certificates

HOSTILE = "Team\r\nBcc: victim@example.com\r\n\r\n<b>\u202ehi"
EMAIL = OutgoingEmail(7, "dario@demo.example", "Hello", "A line\n\nAnother", 1_800_000_000)


async def sent(settings: MailSettings, *emails: OutgoingEmail) -> list[Outcome]:
    messages = [encoded(email, "Demo", settings.sender) for email in emails]
    return await in_daemon_thread(partial(deliver, settings, messages))


async def test_an_email_is_delivered_unchanged(box: Mailbox) -> None:
    assert await sent(box.settings(), EMAIL) == [Outcome(DeliveryStatus.SENT)]
    recipients, message = await box.next()
    assert recipients == ["dario@demo.example"]
    assert message["From"] == "Demo <chat@team.example>"
    assert message["To"] == "dario@demo.example"
    assert message["Subject"] == "Hello"
    assert message["Auto-Submitted"] == "auto-generated"
    assert message["Message-ID"] == "<narrowcast.7.1800000000@team.example>"
    assert message.get_content().rstrip().splitlines() == ["A line", "", "Another"]


@pytest.mark.parametrize("from_the_start", [True, False])
async def test_the_connection_is_encrypted_before_the_password_is_sent(
    tmp_path: Path, from_the_start: bool
) -> None:
    made = make_certificates(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(made.certificate, made.key)
    people = {"chat": "secret"}
    async with mailbox(context=context, from_the_start=from_the_start, people=people) as box:
        security = Security.TLS if from_the_start else Security.STARTTLS
        settings = box.settings(security=security, user="chat", password="secret", ca_file=made.authority)
        assert await sent(settings, EMAIL) == [Outcome(DeliveryStatus.SENT)]
        assert (box.encrypted, box.signed_in) == ([True], ["chat"])
        (wrong,) = await sent(replace(settings, password="guess"), EMAIL)
        assert (wrong.status, wrong.reason[:3]) == (DeliveryStatus.RETRY, "535")
        (unknown,) = await sent(replace(settings, ca_file=None), EMAIL)
        assert unknown.status is DeliveryStatus.RETRY
        assert "certificate" in unknown.reason.lower()


async def test_nothing_is_sent_to_a_mail_server_without_encryption(box: Mailbox) -> None:
    (outcome,) = await sent(box.settings(security=Security.STARTTLS, user="chat", password="secret"), EMAIL)
    assert outcome.status is DeliveryStatus.RETRY
    assert "STARTTLS" in outcome.reason
    assert box.received.empty()


async def test_a_rejected_email_does_not_delay_the_others(box: Mailbox) -> None:
    box.refusals = {"no@x.example": ["550 Nobody of that name"], "full@x.example": ["452 Too busy"]}
    emails = [replace(EMAIL, recipient=f"{name}@x.example") for name in ("a", "no", "b", "full", "c")]
    outcomes = await sent(box.settings(), *emails)
    assert [outcome.status for outcome in outcomes] == [
        DeliveryStatus.SENT,
        DeliveryStatus.FAILED,
        DeliveryStatus.SENT,
        DeliveryStatus.RETRY,
        DeliveryStatus.SENT,
    ]
    assert outcomes[1].reason == "550 Nobody of that name"
    assert [(await box.next())[0] for _ in range(3)] == [["a@x.example"], ["b@x.example"], ["c@x.example"]]


async def test_an_unreachable_or_silent_mail_server_is_tried_again_later() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        port = silent.getsockname()[1]
        settings = MailSettings("127.0.0.1", port, "chat@x.example", Security.NONE, timeout_seconds=0.2)
        assert [outcome.status for outcome in await sent(settings, EMAIL, EMAIL)] == [
            DeliveryStatus.RETRY
        ] * 2
        silent.listen()
        (outcome,) = await sent(settings, EMAIL)
        assert outcome.status is DeliveryStatus.RETRY
        assert "timed out" in outcome.reason


@pytest.mark.parametrize(
    ("subject", "organization"), [(HOSTILE, "Demo"), ("Hello", HOSTILE), ("x" * 5000, "\n" * 300)]
)
async def test_names_and_topics_cannot_inject_headers(box: Mailbox, subject: str, organization: str) -> None:
    message = encoded(replace(EMAIL, subject=subject), organization, "chat@team.example")
    assert await in_daemon_thread(partial(deliver, box.settings(), [message])) == [
        Outcome(DeliveryStatus.SENT)
    ]
    recipients, arrived = await box.next()
    assert recipients == ["dario@demo.example"]
    assert arrived["Bcc"] is None
    assert arrived["To"] == "dario@demo.example"
    assert len(arrived["Subject"]) < 200
    assert "\u202e" not in arrived["Subject"] + arrived["From"]
    assert arrived.get_content().startswith("A line")


@pytest.mark.parametrize(
    "address",
    ["", "a", "a@", "@b", "a@b\r\nBcc: c@d", "a@b, c@d", "<a@b>", "a b@c", "a@b c", "x\n@y", "a@b\0", "a@b>"],
)
def test_an_invalid_or_multiple_address_gets_no_email(address: str) -> None:
    assert not is_address(address)
    with pytest.raises(BadAddress):
        encoded(replace(EMAIL, recipient=address), "Demo", "chat@team.example")


def test_control_characters_in_an_email_are_replaced() -> None:
    message = encoded(replace(EMAIL, body="a\x1b[2Jb\n.\nc\x00"), "Demo", "chat@team.example")
    assert message.get_content() == "a\ufffd[2Jb\n.\nc\ufffd\n"
