"""Builds email messages. User-supplied text (names, topics, messages) cannot break out: a header stays one line."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from email.errors import MessageError
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from typing import Final

_MAX_LINE: Final = 150


class BadAddress(Exception):
    """An address to which no email can be sent."""


@dataclass(frozen=True, slots=True)
class OutgoingEmail:
    """An email to send; `id` determines the Message-ID, so that one sent twice is recognized as a duplicate."""

    id: int
    recipient: str
    subject: str
    body: str
    timestamp: int


def encoded(email: OutgoingEmail, organization: str, sender: str) -> EmailMessage:
    """The message with its headers; raises BadAddress."""
    message = EmailMessage(policy=SMTP)
    message["From"] = Address(one_line(organization), addr_spec=sender)
    message["To"] = _address(email.recipient)
    message["Subject"] = one_line(email.subject)
    message["Date"] = datetime.fromtimestamp(email.timestamp, UTC)
    message["Message-ID"] = f"<narrowcast.{email.id}.{email.timestamp}@{sender.rpartition('@')[2]}>"
    # No automatic replies (RFC 3834).
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(_text(email.body))
    return message


def _address(text: str) -> Address:
    try:
        address = Address(addr_spec=text)
    except (MessageError, ValueError, IndexError) as error:
        raise BadAddress(f"{text!r} is not an address") from error
    if not text.isprintable() or not address.domain:
        raise BadAddress(f"{text!r} is not an address")
    return address


def is_address(text: str) -> bool:
    """Whether email can be sent to this address."""
    try:
        _address(text)
    except BadAddress:
        return False
    return True


def one_line(text: str) -> str:
    """Text for a header: printable and limited in length."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= _MAX_LINE else f"{line[: _MAX_LINE - 1]}…"


def _text(body: str) -> str:
    return "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in body)
