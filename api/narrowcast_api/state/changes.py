"""What an event or an answer changed in the state: small values that tell the app what to read again.

They carry no data: whoever gets one looks at the state. Cheap to import.
"""

from __future__ import annotations

from dataclasses import dataclass

from narrowcast_api.narrow import Destination, Narrow


@dataclass(frozen=True, slots=True)
class MessagesChanged:
    """Content, place, flags, reactions or parts of these messages are different."""

    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MessagesAdded:
    """These messages are known now. `live`: they were sent just now, not fetched from history."""

    ids: tuple[int, ...]
    live: bool = False


@dataclass(frozen=True, slots=True)
class MessagesRemoved:
    """These messages are gone for oneself: deleted, or no longer accessible."""

    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class UnreadsChanged:
    """Some unread count is different."""


@dataclass(frozen=True, slots=True)
class TypingChanged:
    """Other people began or stopped typing in `destination`."""

    destination: Destination


@dataclass(frozen=True, slots=True)
class UsersChanged:
    """Names, roles, activity, profiles or mutes of these people are different."""

    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ChannelsChanged:
    """These channels came, went or changed, or one's subscription to them, or their folders (ids empty)."""

    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TopicsChanged:
    """The list of topics of this channel, or the visibility of one of them, is different."""

    channel_id: int


@dataclass(frozen=True, slots=True)
class PresenceChanged:
    """Presence or status of these people is different."""

    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DraftsChanged:
    """A draft came, went or changed."""


@dataclass(frozen=True, slots=True)
class ScheduledChanged:
    """A scheduled message or a reminder came, went or changed."""


@dataclass(frozen=True, slots=True)
class SnippetsChanged:
    """A saved snippet came, went or changed."""


@dataclass(frozen=True, slots=True)
class GroupsChanged:
    """A user group came, went or changed."""


@dataclass(frozen=True, slots=True)
class EmojiChanged:
    """The organization's own emoji are different."""


@dataclass(frozen=True, slots=True)
class SettingsChanged:
    """These settings of oneself or of the organization are different (names as in `state.settings`)."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LinkifiersChanged:
    """Linkifiers or code playgrounds are different."""


@dataclass(frozen=True, slots=True)
class ProfileFieldsChanged:
    """The organization's definitions of profile fields are different."""


@dataclass(frozen=True, slots=True)
class StateReplaced:
    """There is a new state from a new snapshot: read everything again."""


@dataclass(frozen=True, slots=True)
class ConnectionChanged:
    """`session.status` is different."""


@dataclass(frozen=True, slots=True)
class OutboxChanged:
    """The entries with these local ids are different or gone."""

    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UploadsChanged:
    """Progress or outcome of these uploads is different."""

    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StorageChanged:
    """`session.warnings` is different: disk full, another instance, a cache set aside."""


@dataclass(frozen=True, slots=True)
class ViewChanged:
    """The view of this narrow has other ids, gaps or ends."""

    narrow: Narrow


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
    | ViewChanged
)
