"""Emails to users: stored for the operator, and sent if the operator has configured a mail server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from narrowcast_server.mail.messages import OutgoingEmail
from narrowcast_server.mail.smtp import DeliveryStatus, Outcome
from narrowcast_server.organization.models import User

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

_BATCH: Final = 20
_DAY: Final = 86_400
_PAUSES: Final = (60, 300, 1800, 7200, 21_600)
"""Seconds until each retry; after the last one an email is given up."""


def send_mail(
    organization: Organization, recipient: str, subject: str, body: str, sender: User | None = None
) -> None:
    """Stores an email, due at once if the server sends email. `sender`: the user who caused it, if any."""
    organization.store.insert(
        "INSERT INTO sent_emails (recipient, subject, body, timestamp, sender_id, due) VALUES (?, ?, ?, ?, ?, ?)",
        recipient,
        subject,
        body,
        organization.now(),
        None if sender is None else sender.id,
        None if organization.config.mail is None else organization.now(),
    )
    organization.store.execute(
        "DELETE FROM sent_emails WHERE due IS NULL AND id <= (SELECT max(id) FROM sent_emails) - ?",
        organization.config.quotas.mails_kept,
    )


def may_send(organization: Organization, sender: User, adding: int) -> bool:
    """Whether a user may cause this many more emails today."""
    if organization.config.mail is None:
        return True
    sent = organization.store.integer(
        "SELECT count(*) FROM sent_emails WHERE sender_id = ? AND timestamp > ?",
        sender.id,
        organization.now() - _DAY,
    )
    return (sent or 0) + adding <= organization.config.quotas.mails_a_day


def due_emails(organization: Organization) -> list[OutgoingEmail]:
    """The next batch of emails to be sent."""
    rows = organization.store.all(
        "SELECT id, recipient, subject, body, timestamp FROM sent_emails WHERE due <= ? ORDER BY due, id LIMIT ?",
        organization.now(),
        _BATCH,
    )
    return [OutgoingEmail(*row) for row in rows]


def record_outcome(organization: Organization, email: OutgoingEmail, outcome: Outcome) -> None:
    """Stores the outcome of an email: sent, to be retried, or given up with the reason."""
    if outcome.status is DeliveryStatus.SENT:
        organization.store.execute(
            "UPDATE sent_emails SET due = NULL, sent = ?, error = NULL WHERE id = ?",
            organization.now(),
            email.id,
        )
        return
    tries = organization.store.integer("SELECT tries FROM sent_emails WHERE id = ?", email.id) or 0
    again = outcome.status is DeliveryStatus.RETRY and tries < len(_PAUSES)
    organization.store.execute(
        "UPDATE sent_emails SET due = ?, tries = tries + 1, error = ? WHERE id = ?",
        organization.now() + _PAUSES[tries] if again else None,
        outcome.reason,
        email.id,
    )


def mail_counts(organization: Organization) -> dict[str, int]:
    """How many of the stored emails are waiting, sent, and given up."""
    row = organization.store.one(
        "SELECT count(due) AS waiting, count(sent) AS sent,"
        " count(CASE WHEN due IS NULL AND error IS NOT NULL THEN 1 END) AS failed FROM sent_emails"
    )
    assert row is not None
    return dict(row)


def last_problems(organization: Organization, limit: int) -> list[tuple[int, str, str]]:
    """(time of the email, recipient, reason) of the newest emails that could not be sent, or not yet."""
    rows = organization.store.all(
        "SELECT timestamp, recipient, error FROM sent_emails WHERE error IS NOT NULL ORDER BY id DESC LIMIT ?",
        limit,
    )
    return [tuple(row) for row in rows]
