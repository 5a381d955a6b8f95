"""Maps operations to the models of their responses, for tests that parse whole recordings."""

from __future__ import annotations

import re
from typing import Final

from narrowcast_api.resources import (
    attachments,
    bots,
    channel_folders,
    custom_emoji,
    drafts,
    invites,
    linkifiers,
    navigation_views,
    presence,
    profile_fields,
    reminders,
    saved_snippets,
    scheduled_messages,
    status,
)
from narrowcast_api.wire import channels, groups, messages, model, organization, server, users
from narrowcast_api.wire.model import WireModel

_TABLE: Final[dict[str, type[WireModel]]] = {
    "GET attachments": attachments.AttachmentList,
    "GET bots": bots.BotList,
    "POST bots": bots.Bot,
    "GET calls/bigbluebutton/create": organization.CallResponse,
    "PATCH bots/N": bots.Bot,
    "GET channel_folders": channel_folders.ChannelFolderList,
    "POST channel_folders/create": channel_folders.CreatedChannelFolder,
    "POST channels/create": channels.ChannelId,
    "GET drafts": drafts.DraftList,
    "POST drafts": drafts.CreatedDrafts,
    "POST fetch_api_key": users.ApiKey,
    "GET get_stream_id": channels.ChannelId,
    "GET invites": invites.InvitationList,
    "POST invites/multiuse": invites.InviteLink,
    "POST mark_all_as_read": messages.MarkAllRead,
    "GET messages": messages.MessagePage,
    "POST messages": messages.SentMessage,
    "GET messages/N": messages.MessageResponse,
    "PATCH messages/N": messages.EditResult,
    "GET messages/N/history": messages.MessageHistory,
    "GET messages/N/read_receipts": messages.ReadReceipts,
    "POST messages/flags": messages.FlagsChanged,
    "POST messages/flags/narrow": messages.NarrowFlagsChanged,
    "GET messages/matches_narrow": messages.NarrowMatches,
    "POST messages/render": messages.RenderedMessage,
    "GET navigation_views": navigation_views.NavigationViewList,
    "GET realm/domains": organization.DomainList,
    "GET realm/emoji": custom_emoji.CustomEmojiList,
    "POST realm/filters": model.CreatedId,
    "GET realm/linkifiers": linkifiers.LinkifierList,
    "POST realm/playgrounds": model.CreatedId,
    "GET realm/presence": presence.RealmPresences,
    "GET realm/profile_fields": profile_fields.ProfileFieldList,
    "POST realm/profile_fields": model.CreatedId,
    "GET reminders": reminders.ReminderList,
    "POST reminders": reminders.CreatedReminder,
    "GET saved_snippets": saved_snippets.SavedSnippetList,
    "POST saved_snippets": saved_snippets.CreatedSavedSnippet,
    "GET scheduled_messages": scheduled_messages.ScheduledMessageList,
    "POST scheduled_messages": scheduled_messages.CreatedScheduledMessage,
    "GET server_settings": server.ServerSettings,
    "GET streams": channels.ChannelList,
    "GET streams/N": channels.ChannelResponse,
    "POST streams/N/delete_topic": channels.DeleteTopicResult,
    "GET streams/N/email_address": channels.ChannelEmail,
    "GET streams/N/members": channels.Subscribers,
    "GET user_groups": groups.GroupList,
    "POST user_groups/create": groups.CreatedGroup,
    "GET user_groups/N/members": groups.GroupMembersResponse,
    "GET user_groups/N/members/N": groups.GroupMembership,
    "GET user_groups/N/subgroups": groups.GroupSubgroups,
    "POST user_uploads": messages.UploadResult,
    "GET user_uploads/FILE": messages.TemporaryUrl,
    "GET users": users.UserList,
    "POST users": users.CreatedUser,
    "GET users/N": users.UserResponse,
    "GET users/N/channels": users.ChannelsOfUser,
    "GET users/N/presence": presence.UserPresence,
    "GET users/N/status": status.UserStatusResponse,
    "GET users/N/subscriptions/N": channels.SubscriptionStatus,
    "GET users/me": users.OwnUserResponse,
    "GET users/me/N/topics": channels.TopicList,
    "GET users/me/alert_words": users.AlertWords,
    "POST users/me/alert_words": users.AlertWords,
    "DELETE users/me/alert_words": users.AlertWords,
    "POST users/me/avatar": users.AvatarResponse,
    "DELETE users/me/avatar": users.AvatarResponse,
    "POST users/me/presence": presence.PresenceResponse,
    "GET users/me/subscriptions": channels.SubscriptionList,
    "POST users/me/subscriptions": channels.SubscribeResult,
    "PATCH users/me/subscriptions": channels.SubscribeResult,
    "DELETE users/me/subscriptions": channels.UnsubscribeResult,
}

_PLAIN: Final = frozenset(
    """
    DELETE attachments/N|DELETE bots/N|DELETE default_streams|DELETE drafts/N|DELETE events|DELETE invites/N
    DELETE invites/multiuse/N|DELETE messages/N|DELETE messages/N/reactions|DELETE navigation_views/VIEW
    DELETE realm/domains/DOMAIN|DELETE realm/emoji/NAME|DELETE realm/filters/N|DELETE realm/playgrounds/N
    DELETE realm/profile_fields/N|DELETE reminders/N|DELETE saved_snippets/N|DELETE scheduled_messages/N
    DELETE streams/N|DELETE users/N|DELETE users/me|DELETE users/me/muted_users/N|DELETE users/me/profile_data
    PATCH channel_folders|PATCH channel_folders/N|PATCH drafts/N
    PATCH navigation_views/VIEW|PATCH realm|PATCH realm/filters/N|PATCH realm/linkifiers
    PATCH realm/user_settings_defaults|PATCH saved_snippets/N|PATCH scheduled_messages/N|PATCH settings
    PATCH streams/N|PATCH user_groups/N|PATCH users/N|PATCH users/me/profile_data
    PATCH users/me/subscriptions/muted_topics|POST bots/N/api_key/regenerate|POST default_streams|POST invites
    POST invites/N/resend|POST mark_stream_as_read|POST mark_topic_as_read|POST messages/N/reactions
    POST messages/N/typing|POST navigation_views|POST realm/domains|POST realm/emoji/NAME|POST submessage
    POST typing|POST user_groups/N/deactivate|POST user_groups/N/members|POST user_groups/N/subgroups
    POST user_topics|POST users/N/reactivate|POST users/N/status|POST users/me/muted_users/N
    POST users/me/onboarding_steps|POST users/me/status|POST users/me/subscriptions/properties|POST zcommand
    """.replace("\n", "|").split("|")
)
"""Operations whose response contains no data."""

_SHAPES: Final = (
    (r"^/?(api/v1/)?", ""),
    (r"^user_uploads/.*", "user_uploads/FILE"),
    (r"^navigation_views/.+", "navigation_views/VIEW"),
    (r"^realm/domains/.+", "realm/domains/DOMAIN"),
    (r"^realm/emoji/.+", "realm/emoji/NAME"),
    (r"/\d+(?=/|$)", "/N"),
    (r"/[^/]+@[^/]+", "/N"),
)


def operation(method: str, path: str) -> str:
    """Returns for example ``GET messages/N`` for ``GET /api/v1/messages/5``."""
    for pattern, name in _SHAPES:
        path = re.sub(pattern, name, path)
    return f"{method} {path}"


def model_for(method: str, path: str) -> type[WireModel] | None:
    """Returns the model of an operation's response, or None if there is none."""
    name = operation(method, path)
    if name in _TABLE:
        return _TABLE[name]
    return WireModel if name in {plain.strip() for plain in _PLAIN} else None


def operations_with_responses() -> frozenset[str]:
    """Returns every operation whose response has a model of its own."""
    return frozenset(_TABLE)
