"""The lookups that the renderer needs, and the result of rendering a message.

`MarkdownContext` is implemented by the server for one organization and one acting user; `NoLookups`
finds nothing and is used for descriptions and tests.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from narrowcast_api.wire.levels import SERVED_LEVEL
from narrowcast_server.computing.highlight import highlighted


@dataclass(frozen=True, slots=True)
class MentionedUser:
    """A user or bot as needed for a mention; a deactivated one is named, but not notified."""

    user_id: int
    full_name: str
    is_active: bool = True


@dataclass(frozen=True, slots=True)
class MentionedGroup:
    """A user group; `mentionable` says whether the acting user may mention it (never when deactivated)."""

    group_id: int
    name: str
    mentionable: bool = True
    deactivated: bool = False


@dataclass(frozen=True, slots=True)
class LinkedChannel:
    """A channel that the acting user may see."""

    channel_id: int
    name: str


@dataclass(frozen=True, slots=True)
class EmojiPicture:
    """An organization's own emoji; `source_url` is the image."""

    emoji_id: str
    name: str
    source_url: str


@dataclass(frozen=True, slots=True)
class LinkPattern:
    """`pattern` in RE2 syntax with named groups, `url_template` in RFC 6570 syntax."""

    pattern: str
    url_template: str


@dataclass(frozen=True, slots=True)
class AttachmentInfo:
    """A stored upload: media type and, of images, the size in pixels."""

    path_id: str
    filename: str
    content_type: str
    width: int | None = None
    height: int | None = None

    @property
    def is_picture(self) -> bool:
        """Whether there is a thumbnail of it to show."""
        return self.content_type.startswith("image/") and bool(self.width and self.height)


@dataclass(frozen=True, slots=True)
class LinkPreview:
    """A website's title, description and image; predefined, as the server never fetches pages."""

    title: str
    description: str
    image_url: str | None = None


class MarkdownContext(Protocol):
    """Lookups for one organization, with the permissions of the user who writes."""

    @property
    def realm_url(self) -> str:
        """Origin of the organization, without a trailing slash."""

    @property
    def level(self) -> int:
        """The feature level of the server."""

    @property
    def empty_topic_name(self) -> str:
        """The display name of the empty topic, e.g. `general chat`."""

    @property
    def linkifiers(self) -> Sequence[LinkPattern]:
        """In the organization's order; the first match wins."""

    @property
    def alert_words(self) -> Mapping[int, Sequence[str]]:
        """Alert words by user id."""

    @property
    def highlighted(self) -> Callable[[str, str], str | None]:
        """(language, source) -> the escaped content of a code block; None: leave it plain."""

    def user_by_id(self, user_id: int) -> MentionedUser | None: ...

    def users_by_name(self, full_name: str) -> Sequence[MentionedUser]:
        """Users and bots with this name, ignoring case; active ones first, then by id."""

    def group_by_name(self, name: str) -> MentionedGroup | None: ...

    def channel_by_name(self, name: str) -> LinkedChannel | None:
        """None also if the acting user may not see the channel."""

    def last_message_id(self, channel_id: int, topic: str) -> int | None:
        """The newest message of a topic, None if it has none."""

    def custom_emoji(self, name: str) -> EmojiPicture | None:
        """Only active custom emoji."""

    def attachment(self, path_id: str) -> AttachmentInfo | None:
        """A stored upload, whoever may see it."""

    def link_preview(self, url: str) -> LinkPreview | None: ...


@dataclass(frozen=True)
class NoLookups:
    """A context that finds nothing but what it was given."""

    realm_url: str = "https://chat.example"
    level: int = SERVED_LEVEL
    empty_topic_name: str = "general chat"
    linkifiers: Sequence[LinkPattern] = ()
    alert_words: Mapping[int, Sequence[str]] = field(default_factory=dict)
    highlighted: Callable[[str, str], str | None] = highlighted

    def user_by_id(self, user_id: int) -> MentionedUser | None:
        return None

    def users_by_name(self, full_name: str) -> Sequence[MentionedUser]:
        return ()

    def group_by_name(self, name: str) -> MentionedGroup | None:
        return None

    def channel_by_name(self, name: str) -> LinkedChannel | None:
        return None

    def last_message_id(self, channel_id: int, topic: str) -> int | None:
        return None

    def custom_emoji(self, name: str) -> EmojiPicture | None:
        return None

    def attachment(self, path_id: str) -> AttachmentInfo | None:
        return None

    def link_preview(self, url: str) -> LinkPreview | None:
        return None


@dataclass(frozen=True, slots=True)
class RenderedMarkdown:
    """The HTML of a message and what the server needs to know about it.

    `user_ids` and `group_ids` are mentioned with notification; silent mentions are in `silent_user_ids`.
    Groups that the acting user may not mention are in `refused_groups` (by name) and shown as silent
    mentions.
    """

    html: str
    user_ids: frozenset[int] = frozenset()
    silent_user_ids: frozenset[int] = frozenset()
    group_ids: frozenset[int] = frozenset()
    refused_groups: tuple[str, ...] = ()
    channel_wildcard: bool = False
    topic_wildcard: bool = False
    alert_user_ids: frozenset[int] = frozenset()
    attachments: tuple[str, ...] = ()
    has_link: bool = False
    has_image: bool = False
    is_me_message: bool = False

    @property
    def has_attachment(self) -> bool:
        """Whether the message has a link to an upload."""
        return bool(self.attachments)
