"""The organization as the Markdown renderer sees it, on behalf of one user."""

from __future__ import annotations

import html
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final

from narrowcast_server.markdown import (
    AttachmentInfo,
    EmojiPicture,
    LinkedChannel,
    LinkPattern,
    LinkPreview,
    MentionedGroup,
    MentionedUser,
    NoLookups,
    RenderedMarkdown,
    RenderingFailed,
)
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import User
from narrowcast_server.rules.access import channel_named, newest_in_topic
from narrowcast_server.rules.permissions import group_allows
from narrowcast_server.rules.uploads import may_fetch
from narrowcast_server.rules.visibility import visible_ids

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

_MAX_HTML: Final = 100
"""The length of a message's HTML at most, in lengths of the longest message."""


class RenderingContext:
    """Lookups for `markdown.render`: names resolve only to what the user may know of."""

    def __init__(self, organization: Organization, user: User) -> None:
        self._organization = organization
        self._user = user
        self._attachments: dict[str, AttachmentInfo | None] = {}

    @property
    def realm_url(self) -> str:
        return self._organization.url

    @property
    def level(self) -> int:
        return self._organization.level

    @property
    def empty_topic_name(self) -> str:
        return self._organization.empty_topic_name

    @cached_property
    def linkifiers(self) -> Sequence[LinkPattern]:
        rows = self._organization.store.all(
            "SELECT pattern, url_template FROM linkifiers ORDER BY position, id"
        )
        return [LinkPattern(row["pattern"], row["url_template"]) for row in rows]

    @cached_property
    def alert_words(self) -> Mapping[int, Sequence[str]]:
        words: dict[int, list[str]] = defaultdict(list)
        for row in self._organization.store.all(
            "SELECT user_id, word FROM alert_words ORDER BY user_id, position"
        ):
            words[row["user_id"]].append(row["word"])
        return words

    @property
    def highlighted(self) -> Callable[[str, str], str | None]:
        return self._organization.renderings.highlighted

    def user_by_id(self, user_id: int) -> MentionedUser | None:
        user = self._organization.users.get(user_id)
        if user is None or not self._sees(user):
            return None
        return MentionedUser(user.id, user.full_name, user.is_active)

    def users_by_name(self, full_name: str) -> Sequence[MentionedUser]:
        found = self._users_by_name.get(full_name.casefold(), ())
        return sorted(found, key=lambda user: not user.is_active)

    @cached_property
    def _users_by_name(self) -> Mapping[str, Sequence[MentionedUser]]:
        # A message can have a thousand mentions.
        users: dict[str, list[MentionedUser]] = defaultdict(list)
        for user in filter(self._sees, self._organization.users.all()):
            mentioned = MentionedUser(user.id, user.full_name, user.is_active)
            users[user.full_name.casefold()].append(mentioned)
        return users

    @cached_property
    def _visible_ids(self) -> frozenset[int] | None:
        return visible_ids(self._organization, self._user)

    def _sees(self, user: User) -> bool:
        return self._visible_ids is None or user.id in self._visible_ids

    def group_by_name(self, name: str) -> MentionedGroup | None:
        for group in self._organization.groups.all():
            if group.name == name:
                mentionable = not group.deactivated and group_allows(
                    self._organization, self._user, group, "can_mention_group"
                )
                return MentionedGroup(group.id, group.name, mentionable, group.deactivated)
        return None

    def channel_by_name(self, name: str) -> LinkedChannel | None:
        channel = channel_named(self._organization, self._user, name)
        return None if channel is None else LinkedChannel(channel.id, channel.name)

    def last_message_id(self, channel_id: int, topic: str) -> int | None:
        newest = newest_in_topic(
            self._organization, self._user, self._organization.channels[channel_id], topic, 1
        )
        return newest[0].id if newest else None

    def custom_emoji(self, name: str) -> EmojiPicture | None:
        row = self._organization.store.one(
            "SELECT * FROM custom_emoji WHERE name = ? AND deactivated = 0 ORDER BY id DESC", name
        )
        return None if row is None else EmojiPicture(str(row["id"]), row["name"], row["source_url"])

    def attachment(self, path_id: str) -> AttachmentInfo | None:
        if path_id not in self._attachments:
            self._attachments[path_id] = self._found_attachment(path_id)
        return self._attachments[path_id]

    def _found_attachment(self, path_id: str) -> AttachmentInfo | None:
        row = self._organization.store.one("SELECT * FROM attachments WHERE path_id = ?", path_id)
        if row is None or not may_fetch(self._organization, self._user, row["id"]):
            return None
        return AttachmentInfo(row["path_id"], row["name"], row["content_type"], row["width"], row["height"])

    def link_preview(self, url: str) -> LinkPreview | None:
        return self._organization.link_previews.get(url)


def rendered(organization: Organization, user: User, source: str) -> RenderedMarkdown:
    """A message's source as HTML, with its mentions and other properties; raises BAD_REQUEST if the HTML is
    more than a hundred times as long as the longest message, or if it takes too long.
    """
    try:
        rendering = organization.renderings.render(source, RenderingContext(organization, user), user.id)
    except RenderingFailed as error:
        raise unable_to_render() from error
    if len(rendering.html) > _MAX_HTML * organization.config.limits.max_message_length:
        raise unable_to_render()
    return rendering


async def rendered_anyway(organization: Organization, user: User, source: str) -> RenderedMarkdown:
    """The same for texts from elsewhere: what cannot be rendered is shown as it is."""
    try:
        return await organization.renderings.with_renderings(lambda: rendered(organization, user, source))
    except ServiceError:
        return RenderedMarkdown(f"<p>{html.escape(source, quote=False)}</p>")


def unable_to_render() -> ServiceError:
    return ServiceError("Unable to render message")


def rendered_apart(organization: Organization, source: str) -> str:
    """A text outside messages, such as a description, as HTML; it mentions nobody."""
    context = NoLookups(realm_url=organization.url, highlighted=organization.renderings.highlighted)
    try:
        return organization.renderings.render(source, context).html
    except RenderingFailed as error:
        raise unable_to_render() from error
