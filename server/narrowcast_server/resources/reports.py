"""Reports of messages to the moderators (outside the contract)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from narrowcast_server.actions.quoting import place_of, quoted, silent_mention
from narrowcast_server.http.params import choice, defaulted, required, text_without_null
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.checks import check_length
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import Message, User
from narrowcast_server.organization.realm_settings import REPORT_TYPES
from narrowcast_server.resources.messages.sending import Origin, post_notice
from narrowcast_server.rules import access

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

MAX_DESCRIPTION: Final = 1000


def report_message(
    organization: Organization, user: User, message: Message, report_type: str, description: str
) -> None:
    """Posts a report with the message in the moderators' channel; raises BAD_REQUEST if there is no such channel."""
    channel = organization.channels.get(organization.setting("moderation_request_channel_id", int))
    if channel is None or channel.is_archived:
        raise ServiceError("Message reporting is not enabled in this organization.")
    if report_type == "other" and not description:
        raise ServiceError("An explanation is required.")
    check_length("description", description, MAX_DESCRIPTION)
    author = organization.users[message.sender_id]
    lines = [
        f"{silent_mention(user)} reported {place_of(organization, message)} by {silent_mention(author)}.",
        f"- Reason: **{REPORT_TYPES[report_type]}**",
    ]
    if description:
        lines.append(f"- Notes:\n{quoted(description)}")
    text = "\n".join([*lines, "", quoted(message.content)])
    topic = f"{author.full_name}'s moderation requests"[: organization.config.limits.max_topic_length]
    post_notice(organization, channel, topic, text, Origin(client="Internal"))


routes = Routes()

TYPE = required("report_type", choice(*REPORT_TYPES, listed=True))
DESCRIPTION = defaulted("description", text_without_null, "")


@routes.post("/messages/{message_id}/report", TYPE, DESCRIPTION)
def post_report(call: Call) -> ResponseBody:
    """Reports a message that the caller may see."""
    message = access.visible_message(call.organization, call.user, call.path_id("message_id"))
    report_message(call.organization, call.user, message, call[TYPE], call[DESCRIPTION].strip())
    return {}
