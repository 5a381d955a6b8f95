"""Why a message is unsent, in words."""

from __future__ import annotations

from narrowcast_api.protocols.outbox_item import OutboxEntry, OutboxState


def reason(entry: OutboxEntry, live: bool) -> tuple[str, bool]:
    """Why a message is unsent, and whether that needs the user's attention."""
    if entry.state is OutboxState.FAILED:
        return f"Failed to send: {entry.error or 'the server refused it'}", True
    if entry.state is OutboxState.UNCONFIRMED:
        return entry.error or "May have been sent. Checking…", True
    if entry.waits_for is not None:
        return "Waiting for the previous message", False
    if entry.state is OutboxState.WAITING and not live:
        return "Waiting for the connection", False
    return "Sending…", False


def resend_refusal(entry: OutboxEntry) -> str:
    """Why a message cannot be resent; empty if it can."""
    if entry.state is OutboxState.FAILED:
        return ""
    if entry.state is OutboxState.UNCONFIRMED:
        return "This message may have arrived. Narrowcast checks that first."
    return "This message has not failed; it will be sent automatically."
