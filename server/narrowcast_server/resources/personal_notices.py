"""Notices of the notification bot to users whom someone else subscribed to channels or added to a group."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from narrowcast_server.actions.new_organization import notification_bot
from narrowcast_server.actions.quoting import silent_mention
from narrowcast_server.organization.models import Channel, Group, User
from narrowcast_server.resources.messages.sending import Origin, send_direct

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization


def subscribed(
    organization: Organization, acting: User, added: Mapping[int, Sequence[Channel]], made: set[int]
) -> None:
    """Notifies users of their new subscriptions (`added`, by user id), except to new channels (`made`, their ids)."""
    for user_id, channels in added.items():
        links = sorted(f"#**{channel.name}**" for channel in channels if channel.id not in made)
        if len(links) == 1:
            _notify(
                organization,
                acting,
                organization.users[user_id],
                f"{silent_mention(acting)} subscribed you to {links[0]}.",
            )
        elif links:
            listed = "\n".join(f"* {link}" for link in links)
            text = f"{silent_mention(acting)} subscribed you to the following channels:\n\n{listed}"
            _notify(organization, acting, organization.users[user_id], text)


def grouped(
    organization: Organization, acting: User, group: Group, joined: Iterable[User], left: Iterable[User]
) -> None:
    """Notifies users that they were added to or removed from a group."""
    for people, what in ((joined, "added you to"), (left, "removed you from")):
        for user in people:
            _notify(
                organization, acting, user, f"{silent_mention(acting)} {what} the group @_*{group.name}*."
            )


def _notify(organization: Organization, acting: User, user: User, text: str) -> None:
    if user.id == acting.id or user.is_bot or not user.is_active:
        return
    origin = Origin(client="Internal", read_by_sender=False)
    send_direct(organization, notification_bot(organization), [user], text, origin)
