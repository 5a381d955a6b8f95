"""Commands that open a form about the selected message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast.commands import targets
from narrowcast.screens.dialogs.asking import ask
from narrowcast.screens.dialogs.form_fields import OneOf, Text, UnusableValue, Values
from narrowcast_api.http.encoding import OMIT

if TYPE_CHECKING:
    from narrowcast.screens.workspace import Workspace

_USUAL: tuple[tuple[object, str], ...] = (
    ("spam", "Spam"),
    ("harassment", "Harassment"),
    ("inappropriate", "Inappropriate content"),
    ("norms", "Violates community norms"),
    ("other", "Other reason (explain below)"),
)


def report(screen: Workspace) -> None:
    """Reports a message to the moderators."""
    message = targets.message_or_notify(screen)
    if message is None:
        return
    if screen.session.state.organization.number("moderation_request_channel_id", -1) < 0:
        screen.refuse("Message reporting is not enabled in this organization.")
        return

    # TODO(server-435): older servers do not list their report types
    reasons = screen.session.state.offers.report_types or _USUAL

    async def submit(values: Values) -> None:
        said = values.text("description")
        if values["reason"] == "other" and not said:
            raise UnusableValue("description", "An explanation is required.")
        await screen.session.client.messages.report(
            message_id=message.id, report_type=str(values["reason"]), description=said or OMIT
        )

    fields = [
        OneOf("reason", "Reason", options=reasons, value=reasons[0][0]),
        Text("description", "Details", limit=1000),
    ]
    title = f"Report message from {message.sender_name}"
    ask(screen, title, fields, submit, verb="submits", done="Report submitted.")
