"""A real SMTP server on a local socket, for tests; it rejects what it is told to."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from typing import Any

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, Session

from narrowcast_server.mail.settings import MailSettings, Security


@dataclass
class Mailbox:
    """`refusals` by recipient: the response to each, used once."""

    host: str = "127.0.0.1"
    port: int = 0
    refusals: dict[str, list[str]] = field(default_factory=dict)
    received: asyncio.Queue[tuple[list[str], EmailMessage]] = field(default_factory=asyncio.Queue)
    encrypted: list[bool] = field(default_factory=list)
    signed_in: list[str] = field(default_factory=list)

    def settings(self, **changes: Any) -> MailSettings:
        """The settings with which a server sends to this mailbox."""
        given: dict[str, Any] = {"security": Security.NONE, "timeout_seconds": 10.0, **changes}
        return MailSettings(host=self.host, port=self.port, sender="chat@team.example", **given)

    async def next(self) -> tuple[list[str], EmailMessage]:
        """Returns the next mail: the recipients of its envelope, and the message."""
        async with asyncio.timeout(30):
            return await self.received.get()

    # The handler interface of the SMTP server.

    async def handle_RCPT(  # noqa: N802  # the name that it calls
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if waiting := self.refusals.get(address):
            return waiting.pop(0)
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        assert isinstance(envelope.content, bytes)
        message = message_from_bytes(envelope.content, policy=default)
        assert isinstance(message, EmailMessage)
        assert server.transport is not None
        self.encrypted.append(server.transport.get_extra_info("sslcontext") is not None)
        self.received.put_nowait((list(envelope.rcpt_tos), message))
        return "250 OK"


@asynccontextmanager
async def mailbox(
    *,
    context: ssl.SSLContext | None = None,
    from_the_start: bool = False,
    people: Mapping[str, str] | None = None,
) -> AsyncIterator[Mailbox]:
    """Starts a mailbox. `context`: with STARTTLS, or TLS `from_the_start`; `people`: passwords of the users
    who may send.
    """
    box = Mailbox()

    def sign_in(server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: Any) -> AuthResult:
        user = data.login.decode()
        fits = people is not None and people.get(user) == data.password.decode()
        if fits:
            box.signed_in.append(user)
        return AuthResult(success=fits, handled=False)

    def protocol() -> SMTP:
        return SMTP(
            box,
            hostname="mail.example",
            tls_context=None if from_the_start else context,
            require_starttls=context is not None and not from_the_start,
            auth_required=people is not None and not from_the_start,
            auth_require_tls=not from_the_start,
            authenticator=sign_in if people is not None else None,
            loop=asyncio.get_running_loop(),
        )

    loop = asyncio.get_running_loop()
    server = await loop.create_server(protocol, box.host, 0, ssl=context if from_the_start else None)
    box.port = server.sockets[0].getsockname()[1]
    try:
        yield box
    finally:
        server.close()
        await server.wait_closed()
