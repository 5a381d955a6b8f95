"""The bits of `user_messages.flags` and their names."""

from __future__ import annotations

from functools import cache
from typing import Final

from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import MessageFlag
from narrowcast_server.organization.models import FlagBit

CHANGEABLE: Final = {
    MessageFlag.READ: FlagBit.READ,
    MessageFlag.STARRED: FlagBit.STARRED,
    MessageFlag.COLLAPSED: FlagBit.COLLAPSED,
}
MENTIONS: Final = (
    FlagBit.MENTIONED | FlagBit.GROUP_MENTIONED | FlagBit.CHANNEL_WILDCARD | FlagBit.TOPIC_WILDCARD
)
_WILDCARDS: Final = FlagBit.CHANNEL_WILDCARD | FlagBit.TOPIC_WILDCARD


@cache
def fields(bits: int, level: int) -> dict[str, object]:
    """The `flags` field of an event. One shared object per combination: events cache their JSON by its identity."""
    return {"flags": names(bits, level)}


def names(bits: int, level: int) -> list[str]:
    """The flags by name, as in responses and events; wildcards are split from level 224 (FLG-11 to FLG-16)."""
    return list(_names(int(bits), level))


@cache
def _names(bits: int, level: int) -> tuple[str, ...]:
    result: list[str] = []
    if bits & FlagBit.READ:
        result.append(MessageFlag.READ.value)
    if bits & FlagBit.STARRED:
        result.append(MessageFlag.STARRED.value)
    if bits & FlagBit.COLLAPSED:
        result.append(MessageFlag.COLLAPSED.value)
    if bits & (FlagBit.MENTIONED | FlagBit.GROUP_MENTIONED):
        result.append(MessageFlag.MENTIONED.value)
    if level >= Gate.WILDCARD_SPLIT.level:
        if bits & FlagBit.CHANNEL_WILDCARD:
            result.append(MessageFlag.STREAM_WILDCARD_MENTIONED.value)
        if bits & FlagBit.TOPIC_WILDCARD:
            result.append(MessageFlag.TOPIC_WILDCARD_MENTIONED.value)
    if bits & _WILDCARDS:
        result.append(MessageFlag.WILDCARD_MENTIONED.value)
    if bits & FlagBit.ALERT_WORD:
        result.append(MessageFlag.HAS_ALERT_WORD.value)
    if bits & FlagBit.HISTORICAL:
        result.append(MessageFlag.HISTORICAL.value)
    return tuple(result)
