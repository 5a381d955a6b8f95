"""What an event or an answer changed in the state: small values that tell the app what to read again.

They carry no data: whoever gets one looks at the state. Plain classes, because two dozen dataclasses would
take as long to make as all other values that an app needs before its first paint.
"""

from __future__ import annotations

from typing import ClassVar

from narrowcast_api.narrow.narrow import Destination, Narrow


class _Change:
    """Equal to a change of the same kind with the same values. Not to be altered."""

    __slots__ = ()
    __match_args__: ClassVar[tuple[str, ...]] = ()

    def _values(self) -> tuple[object, ...]:
        return tuple(getattr(self, name) for name in self.__match_args__)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash((type(self), self._values()))

    def __repr__(self) -> str:
        values = ", ".join(
            f"{name}={value!r}" for name, value in zip(self.__match_args__, self._values(), strict=True)
        )
        return f"{type(self).__name__}({values})"


class MessagesChanged(_Change):
    """Content, place, flags, reactions or parts of these messages are different."""

    __slots__ = ("ids",)
    __match_args__ = ("ids",)

    def __init__(self, ids: tuple[int, ...]) -> None:
        self.ids = ids


class MessagesAdded(_Change):
    """These messages are known now. `live`: they were sent just now, not fetched from history."""

    __slots__ = ("ids", "live")
    __match_args__ = ("ids", "live")

    def __init__(self, ids: tuple[int, ...], live: bool = False) -> None:
        self.ids = ids
        self.live = live


class MessagesRemoved(_Change):
    """These messages are gone for oneself: deleted, or no longer accessible."""

    __slots__ = ("ids",)
    __match_args__ = ("ids",)

    def __init__(self, ids: tuple[int, ...]) -> None:
        self.ids = ids


class UnreadsChanged(_Change):
    """Some unread count is different."""

    __slots__ = ()


class TypingChanged(_Change):
    """Other people began or stopped typing in `destination`."""

    __slots__ = ("destination",)
    __match_args__ = ("destination",)

    def __init__(self, destination: Destination) -> None:
        self.destination = destination


class UsersChanged(_Change):
    """Names, roles, activity, profiles or mutes of these people are different."""

    __slots__ = ("ids",)
    __match_args__ = ("ids",)

    def __init__(self, ids: tuple[int, ...]) -> None:
        self.ids = ids


class ChannelsChanged(_Change):
    """These channels came, went or changed, or one's subscription to them, or their folders (ids empty)."""

    __slots__ = ("ids",)
    __match_args__ = ("ids",)

    def __init__(self, ids: tuple[int, ...]) -> None:
        self.ids = ids


class TopicsChanged(_Change):
    """The list of topics of this channel, or the visibility of one of them, is different."""

    __slots__ = ("channel_id",)
    __match_args__ = ("channel_id",)

    def __init__(self, channel_id: int) -> None:
        self.channel_id = channel_id


class PresenceChanged(_Change):
    """Presence or status of these people is different."""

    __slots__ = ("ids",)
    __match_args__ = ("ids",)

    def __init__(self, ids: tuple[int, ...]) -> None:
        self.ids = ids


class DraftsChanged(_Change):
    """A draft came, went or changed."""

    __slots__ = ()


class ScheduledChanged(_Change):
    """A scheduled message or a reminder came, went or changed."""

    __slots__ = ()


class SnippetsChanged(_Change):
    """A saved snippet came, went or changed."""

    __slots__ = ()


class GroupsChanged(_Change):
    """A user group came, went or changed."""

    __slots__ = ()


class EmojiChanged(_Change):
    """The organization's own emoji are different."""

    __slots__ = ()


class SettingsChanged(_Change):
    """These settings of oneself or of the organization are different (names as in `state.settings`)."""

    __slots__ = ("names",)
    __match_args__ = ("names",)

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names


class LinkifiersChanged(_Change):
    """Linkifiers or code playgrounds are different."""

    __slots__ = ()


class ProfileFieldsChanged(_Change):
    """The organization's definitions of profile fields are different."""

    __slots__ = ()


class StateReplaced(_Change):
    """There is a new state from a new snapshot: read everything again."""

    __slots__ = ()


class ConnectionChanged(_Change):
    """`session.status` is different."""

    __slots__ = ()


class OutboxChanged(_Change):
    """The entries with these local ids are different or gone."""

    __slots__ = ("ids",)
    __match_args__ = ("ids",)

    def __init__(self, ids: tuple[str, ...]) -> None:
        self.ids = ids


class UploadsChanged(_Change):
    """Progress or outcome of these uploads is different."""

    __slots__ = ("ids",)
    __match_args__ = ("ids",)

    def __init__(self, ids: tuple[str, ...]) -> None:
        self.ids = ids


class StorageChanged(_Change):
    """`session.warnings` is different: disk full, another instance, a cache set aside."""

    __slots__ = ()


class ServerNotice(_Change):
    """The server said something about requests that the user should know; `text` is for people."""

    __slots__ = ("text",)
    __match_args__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


class ViewChanged(_Change):
    """The view of this narrow has other ids, gaps or ends."""

    __slots__ = ("narrow",)
    __match_args__ = ("narrow",)

    def __init__(self, narrow: Narrow) -> None:
        self.narrow = narrow


Change = (
    MessagesChanged
    | MessagesAdded
    | MessagesRemoved
    | UnreadsChanged
    | TypingChanged
    | UsersChanged
    | ChannelsChanged
    | TopicsChanged
    | PresenceChanged
    | DraftsChanged
    | ScheduledChanged
    | SnippetsChanged
    | GroupsChanged
    | EmojiChanged
    | SettingsChanged
    | LinkifiersChanged
    | ProfileFieldsChanged
    | StateReplaced
    | ConnectionChanged
    | OutboxChanged
    | UploadsChanged
    | StorageChanged
    | ServerNotice
    | ViewChanged
)
