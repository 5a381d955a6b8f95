"""Background tasks that send the stored emails, and email users about missed messages."""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from typing import TYPE_CHECKING, Final

from narrowcast_server.actions.mail import due_emails, record_outcome
from narrowcast_server.actions.missed_mail import email_missed, marks, wants_mail
from narrowcast_server.mail.messages import BadAddress, OutgoingEmail, encoded
from narrowcast_server.mail.settings import MailSettings
from narrowcast_server.mail.smtp import DeliveryStatus, Outcome, deliver, in_daemon_thread

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

_SECONDS: Final = 1.0
"""How late an email may be sent."""
_MISSED_SECONDS: Final = 15.0
_log = logging.getLogger("narrowcast.server")


async def deliver_mail(organization: Organization, settings: MailSettings) -> None:
    """Sends due emails until cancelled. One that was being sent when the server ended is sent again."""
    while True:
        if emails := due_emails(organization):
            await _deliver(organization, settings, emails)
        else:
            await organization.clock.sleep(_SECONDS)


async def _deliver(organization: Organization, settings: MailSettings, emails: list[OutgoingEmail]) -> None:
    name = organization.setting("name", str)
    outcomes: dict[int, Outcome] = {}
    messages = {}
    for email in emails:
        try:
            messages[email.id] = encoded(email, name, settings.sender)
        except BadAddress as error:
            outcomes[email.id] = Outcome(DeliveryStatus.FAILED, str(error))
    delivered = await in_daemon_thread(partial(deliver, settings, list(messages.values())))
    outcomes |= zip(messages, delivered, strict=True)
    with organization.transaction():
        for email in emails:
            record_outcome(organization, email, outcomes[email.id])
    for outcome in {outcome for outcome in outcomes.values() if outcome.status is not DeliveryStatus.SENT}:
        _log.warning("mail could not be sent: %s", outcome.reason)


async def watch_missed(organization: Organization) -> None:
    """Emails users about missed messages until cancelled."""
    while True:
        await organization.clock.sleep(_MISSED_SECONDS)
        marked = marks(organization)
        for user in organization.users.all():
            if user.id in marked or wants_mail(user):
                email_missed(organization, user, marked.get(user.id))
                await asyncio.sleep(0)
