"""Topic names: the empty topic and its placeholders (CONV-11 to CONV-13), lengths and characters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import (
    EMPTY_TOPIC_PLACEHOLDER,
    RESOLVED_TOPIC_PREFIX,
    TopicsPolicy,
)
from narrowcast_server.organization import checks
from narrowcast_server.organization.config import ServedDialect
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import Channel

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization


def mapped(organization: Organization, topic: str, *, placeholder: bool = True) -> str:
    """The topic, with names of the empty topic mapped to the empty string; with `placeholder` also '(no topic)'."""
    topic = topic.strip()
    if topic == organization.empty_topic_name or (placeholder and topic == EMPTY_TOPIC_PLACEHOLDER):
        return ""
    return topic


def truncated(organization: Organization, topic: str) -> str:
    """The topic of a message or of a move; in Zulip's dialect cut at the limit, as its servers do."""
    limit = organization.config.limits.max_topic_length
    topic = topic.strip()
    if organization.config.dialect is not ServedDialect.ZULIP or len(topic) <= limit:
        return topic
    return topic[: limit - 3] + "..."


def check_length(organization: Organization, topic: str) -> None:
    """Raises BAD_REQUEST if the topic is too long."""
    checks.check_length("topic", topic, organization.config.limits.max_topic_length)


def checked(organization: Organization, topic: str) -> str:
    """A mapped topic that messages may have; raises BAD_REQUEST for unprintable characters and too many of them."""
    topic = mapped(organization, topic) if organization.level >= Gate.EMPTY_TOPIC.level else topic.strip()
    check_length(organization, topic)
    if (position := checks.unfit_position(topic)) is not None:
        raise ServiceError(f"Invalid character in topic, at position {position}!")
    if topic == "" and organization.level < Gate.EMPTY_TOPIC.level:
        raise ServiceError("Topic can't be empty!")
    return topic


def check_policy(organization: Organization, channel: Channel, topic: str) -> None:
    """Raises BAD_REQUEST if the channel's policy forbids the empty topic, or allows no other."""
    policy = channel.topics_policy
    if policy == TopicsPolicy.INHERIT:
        policy = organization.setting("topics_policy", str)
    if topic == "" and policy == TopicsPolicy.DISABLE_EMPTY:
        raise _refused(
            organization,
            f"Sending messages to the {organization.empty_topic_name} is not allowed in this channel.",
        )
    if topic != "" and policy == TopicsPolicy.EMPTY_ONLY:
        raise _refused(
            organization, f"Only the {organization.empty_topic_name} topic is allowed in this channel."
        )


def _refused(organization: Organization, message: str) -> ServiceError:
    return ServiceError(message, empty_topic_display_name=organization.empty_topic_name)


def exists(organization: Organization, channel_id: int, topic: str) -> bool:
    """Whether the topic has messages."""
    return (
        organization.store.one("SELECT 1 FROM messages WHERE channel_id = ? AND topic = ?", channel_id, topic)
        is not None
    )


def is_resolved(topic: str) -> bool:
    """Whether the topic is marked as resolved."""
    return topic.startswith(RESOLVED_TOPIC_PREFIX)
