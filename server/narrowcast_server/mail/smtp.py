"""Delivers mail to an SMTP server: blocking, so in its own thread (`in_daemon_thread`)."""

from __future__ import annotations

import asyncio
import smtplib
import ssl
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from email.message import EmailMessage
from enum import Enum
from typing import Final, TypeVar

from narrowcast_server.mail.settings import MailSettings, Security

T = TypeVar("T")
_MAX_REASON: Final = 200
_PERMANENT: Final = 500


class DeliveryStatus(Enum):
    """The result of a delivery attempt."""

    SENT = "sent"
    RETRY = "retry"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Outcome:
    """A result, and the reason if the email was not sent."""

    status: DeliveryStatus
    reason: str = ""


def deliver(settings: MailSettings, messages: Sequence[EmailMessage]) -> list[Outcome]:
    """Sends messages over one connection; returns an outcome for each. Raises no errors of the mail server or
    the network.
    """
    outcomes: list[Outcome] = []
    try:
        with _connected(settings) as server:
            for message in messages:
                outcomes.append(_sent(server, message, settings.sender))
    except (OSError, smtplib.SMTPException, ValueError) as error:
        left = len(messages) - len(outcomes)
        outcomes += [Outcome(DeliveryStatus.RETRY, _reason(error))] * left
    return outcomes


@contextmanager
def _connected(settings: MailSettings) -> Iterator[smtplib.SMTP]:
    context = ssl.create_default_context(cafile=settings.ca_file)
    server: smtplib.SMTP
    if settings.security is Security.TLS:
        server = smtplib.SMTP_SSL(
            settings.host, settings.port, timeout=settings.timeout_seconds, context=context
        )
    else:
        server = smtplib.SMTP(settings.host, settings.port, timeout=settings.timeout_seconds)
    try:
        if settings.security is Security.STARTTLS:
            server.starttls(context=context)
        if settings.user:
            server.login(settings.user, settings.password)
        yield server
        with suppress(OSError, smtplib.SMTPException):
            server.quit()
    finally:
        server.close()


def _sent(server: smtplib.SMTP, message: EmailMessage, sender: str) -> Outcome:
    """Sends one message; raises errors that make the connection unusable."""
    try:
        server.send_message(message, from_addr=sender)
    except smtplib.SMTPRecipientsRefused as error:
        code, said = next(iter(error.recipients.values()))
        return _refused(server, code, said)
    except (smtplib.SMTPSenderRefused, smtplib.SMTPDataError) as error:
        return _refused(server, error.smtp_code, error.smtp_error)
    except smtplib.SMTPNotSupportedError as error:
        return Outcome(DeliveryStatus.FAILED, _reason(error))
    return Outcome(DeliveryStatus.SENT)


def _refused(server: smtplib.SMTP, code: int, said: bytes | str) -> Outcome:
    server.rset()
    status = DeliveryStatus.FAILED if code >= _PERMANENT else DeliveryStatus.RETRY
    return Outcome(status, _reply(code, said))


def _reason(error: BaseException) -> str:
    if isinstance(error, smtplib.SMTPResponseException):
        return _reply(error.smtp_code, error.smtp_error)
    return (str(error) or type(error).__name__)[:_MAX_REASON]


def _reply(code: int, said: bytes | str) -> str:
    text = said.decode(errors="replace") if isinstance(said, bytes) else said
    return f"{code} {text}"[:_MAX_REASON]


async def in_daemon_thread(work: Callable[[], T]) -> T:
    """Runs blocking work in a daemon thread, so that the server can stop without waiting for the network."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, error: BaseException | None) -> None:
        if done.cancelled():
            return
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(result)  # type: ignore[arg-type]

    def run() -> None:
        result, failure = None, None
        try:
            result = work()
        except Exception as error:
            failure = error
        # The event loop may be closed by now.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(settle, result, failure)

    threading.Thread(target=run, name="mail", daemon=True).start()
    return await done
