"""Mail that a full deployment would send: this server records it for its operator."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core


def record_mail(core: Core, recipient: str, subject: str, body: str) -> None:
    """Stores a mail in `sent_emails`, where the newest are kept."""
    core.store.insert(
        "INSERT INTO sent_emails (recipient, subject, body, timestamp) VALUES (?, ?, ?, ?)",
        recipient,
        subject,
        body,
        core.now(),
    )
    core.store.execute(
        "DELETE FROM sent_emails WHERE id <= (SELECT max(id) FROM sent_emails) - ?",
        core.config.quotas.mails_kept,
    )
