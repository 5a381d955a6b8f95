"""What is unread at registration."""

from __future__ import annotations

from pydantic import Field

from .base import GoodList, Id, Int, WireModel, either


class UnreadTopic(WireModel):
    """Unread messages of one topic."""

    stream_id: Id
    topic: str
    unread_message_ids: list[Id]


class UnreadDirect(WireModel):
    """Unread messages of one person; with oneself, the caller's own id."""

    other_user_id: Id = Field(validation_alias=either("other_user_id", "sender_id"))
    unread_message_ids: list[Id]


class UnreadGroup(WireModel):
    """Unread messages of a conversation of three or more.

    ``user_ids_string`` lists them all, comma-separated.
    """

    user_ids_string: str
    unread_message_ids: list[Id]


class UnreadMessages(WireModel):
    """All that is unread; the oldest are left out when ``old_unreads_missing``."""

    streams: GoodList[UnreadTopic] = []
    pms: GoodList[UnreadDirect] = []
    huddles: GoodList[UnreadGroup] = []
    mentions: GoodList[Id] = []
    count: Int = 0
    old_unreads_missing: bool = False
