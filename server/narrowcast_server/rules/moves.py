"""Moves of messages between topics and channels, and the permissions for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from narrowcast_api.wire.vocabulary import RESOLVED_TOPIC_PREFIX, Role
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import Channel, Message, User
from narrowcast_server.rules import topics
from narrowcast_server.rules.messages import check_may_begin_topic, check_may_post, oldest_in_time
from narrowcast_server.rules.permissions import allows_in

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization


@dataclass(frozen=True, slots=True)
class MessageMove:
    """A move of messages from one topic to another, which may be in another channel."""

    messages: list[Message]
    """In ascending order; all from one topic, and all visible to the user who moves them."""
    source: Channel
    target: Channel
    old_topic: str
    new_topic: str

    @property
    def changes_channel(self) -> bool:
        return self.source.id != self.target.id

    @property
    def changes_topic(self) -> bool:
        return self.old_topic != self.new_topic

    @property
    def resolves(self) -> bool | None:
        """True if the topic is marked as resolved, False if as unresolved, None for other moves."""
        if self.changes_channel:
            return None
        if self.new_topic == RESOLVED_TOPIC_PREFIX + self.old_topic:
            return True
        return False if self.old_topic == RESOLVED_TOPIC_PREFIX + self.new_topic else None


def check_move(organization: Organization, user: User, move: MessageMove) -> None:
    """Raises BAD_REQUEST if the user may not move these messages."""
    if user.is_administrator and not move.changes_channel:
        _check_new_place(organization, user, move)
        return
    if move.resolves is not None:
        allowed = allows_in(
            organization, user, move.source, "can_resolve_topics_group", "can_resolve_topics_group"
        )
        if not allowed:
            raise ServiceError("You don't have permission to resolve topics.")
        return
    if move.changes_topic:
        _check_topic_move(organization, user, move)
    if move.changes_channel:
        _check_channel_move(organization, user, move)
    _check_new_place(organization, user, move)


def _check_new_place(organization: Organization, user: User, move: MessageMove) -> None:
    topics.check_policy(organization, move.target, move.new_topic)
    if move.resolves is None:
        check_may_begin_topic(organization, user, move.target, move.new_topic)


def _check_topic_move(organization: Organization, user: User, move: MessageMove) -> None:
    of_realm, of_channel = "can_move_messages_between_topics_group", "can_move_messages_within_channel_group"
    if not allows_in(organization, user, move.source, of_realm, of_channel):
        raise ServiceError("You don't have permission to edit this message")
    _check_age(organization, user, move, "move_messages_within_stream_limit_seconds")


def _check_channel_move(organization: Organization, user: User, move: MessageMove) -> None:
    of_realm, of_channel = (
        "can_move_messages_between_channels_group",
        "can_move_messages_out_of_channel_group",
    )
    if not allows_in(organization, user, move.source, of_realm, of_channel):
        raise ServiceError("You don't have permission to move this message")
    _check_age(organization, user, move, "move_messages_between_streams_limit_seconds")
    check_may_post(organization, user, move.target, move.new_topic)


def _check_age(organization: Organization, user: User, move: MessageMove, setting: str) -> None:
    oldest = oldest_in_time(organization, setting)
    if user.role <= Role.MODERATOR or oldest is None:
        return
    late = sum(message.timestamp < oldest for message in move.messages)
    if late:
        raise ServiceError(
            "You only have permission to move some of the messages.",
            "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED",
            first_message_id_allowed_to_move=next(
                (message.id for message in move.messages if message.timestamp >= oldest), None
            ),
            total_messages_in_topic=len(move.messages),
            total_messages_allowed_to_move=len(move.messages) - late,
        )
