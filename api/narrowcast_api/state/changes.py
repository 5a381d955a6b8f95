"""What an event or a response changed in the state: small values that say what the app must read again.

They carry no data: receivers read the state. Only `MessagesMoved` does, because the state no longer has the old place.
"""

from __future__ import annotations

from msgspec import Struct

from narrowcast_api.narrow.narrow import ChannelDestination, Destination, Narrow


class MessagesChanged(Struct, frozen=True):
    """Content, place, flags, reactions or parts of these messages are different."""

    ids: tuple[int, ...]


class MessagesAdded(Struct, frozen=True):
    """These messages are known now. `live`: they were sent just now, not fetched from history."""

    ids: tuple[int, ...]
    live: bool = False


class MessagesRemoved(Struct, frozen=True):
    """These messages are no longer visible to the user: deleted, or no longer accessible."""

    ids: tuple[int, ...]


class MessagesMoved(Struct, frozen=True):
    """These messages went from the topic `old` to `new`. `is_whole`: all messages of `old` did. `user_id`: who moved
    them, None if the server does not say.
    """

    ids: tuple[int, ...]
    old: ChannelDestination
    new: ChannelDestination
    is_whole: bool
    user_id: int | None


class UnreadsChanged(Struct, frozen=True):
    """Some unread count is different."""


class TypingChanged(Struct, frozen=True):
    """Other people began or stopped typing in `destination`."""

    destination: Destination


class UsersChanged(Struct, frozen=True):
    """Names, roles, activity, profiles or mutes of these people are different."""

    ids: tuple[int, ...]


class ChannelsChanged(Struct, frozen=True):
    """These channels were added, removed or changed, or the user's subscription to them, or the folders (ids empty)."""

    ids: tuple[int, ...]


class TopicsChanged(Struct, frozen=True):
    """The list of topics of this channel, or the visibility of one of them, is different."""

    channel_id: int


class PresenceChanged(Struct, frozen=True):
    """Presence or status of these people is different."""

    ids: tuple[int, ...]


class DraftsChanged(Struct, frozen=True):
    """A draft was added, removed or changed."""


class ScheduledMessagesChanged(Struct, frozen=True):
    """A scheduled message or a reminder was added, removed or changed."""


class SavedSnippetsChanged(Struct, frozen=True):
    """A saved snippet was added, removed or changed."""


class UserGroupsChanged(Struct, frozen=True):
    """A user group was added, removed or changed."""


class CustomEmojiChanged(Struct, frozen=True):
    """The organization's custom emoji are different."""


class SettingsChanged(Struct, frozen=True):
    """These settings of the user or of the organization are different (names as in `state.settings`)."""

    names: tuple[str, ...]


class LinkifiersChanged(Struct, frozen=True):
    """Linkifiers or code playgrounds are different."""


class ProfileFieldsChanged(Struct, frozen=True):
    """The organization's definitions of profile fields are different."""


class StateReplaced(Struct, frozen=True):
    """There is a new state from a new snapshot: read everything again."""


class ConnectionChanged(Struct, frozen=True):
    """`session.status` is different."""


class OutboxChanged(Struct, frozen=True):
    """The entries with these local ids are different or gone."""

    ids: tuple[str, ...]


class UploadsChanged(Struct, frozen=True):
    """Progress or outcome of these uploads is different."""

    ids: tuple[str, ...]


class StorageChanged(Struct, frozen=True):
    """`session.warnings` is different: disk full, another instance, a cache set aside."""


class ActionsChanged(Struct, frozen=True):
    """The flags and reactions that wait to be sent are different."""


class ServerNotice(Struct, frozen=True):
    """The server reported something about requests that the user should know; `text` is a message for the user."""

    text: str


class ViewChanged(Struct, frozen=True):
    """The ids, gaps or ends of this narrow's view are different."""

    narrow: Narrow


Change = (
    MessagesChanged
    | MessagesAdded
    | MessagesRemoved
    | MessagesMoved
    | UnreadsChanged
    | TypingChanged
    | UsersChanged
    | ChannelsChanged
    | TopicsChanged
    | PresenceChanged
    | DraftsChanged
    | ScheduledMessagesChanged
    | SavedSnippetsChanged
    | UserGroupsChanged
    | CustomEmojiChanged
    | SettingsChanged
    | LinkifiersChanged
    | ProfileFieldsChanged
    | StateReplaced
    | ConnectionChanged
    | OutboxChanged
    | UploadsChanged
    | StorageChanged
    | ActionsChanged
    | ServerNotice
    | ViewChanged
)
