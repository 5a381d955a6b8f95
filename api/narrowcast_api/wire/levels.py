"""Every feature level at which the service changes, shared by client and server.

`Gate` contains the levels that the contract cites (VER-01 to VER-03; these have `rows`) and those in the
public documentation of such servers for operations that the contract does not cover (CONV-23). A server
supports a feature if its level is at least the gate's. The client calls `ServerInfo.supports` and adapts, or
`require` to raise `Unsupported`; apps show the needed level beside disabled items; the embedded server
compares its own level.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final, NamedTuple

CONTRACT_LEVEL: Final = 372
"""The newest level of the contract (VER-04)."""
SERVED_LEVEL: Final = 454
"""The level of the embedded server: the newest of which it does everything that the library asks for."""


class LevelRow(NamedTuple):
    """`level` from which the feature exists, `title` as text for users, `below` what the client does on older
    servers, `rows` of the ledger. `also`: lower levels of maintenance releases that have it too. `field`: a field
    that is in the snapshot of each server with the feature, or after a dot in the objects of a list there; a server
    that sends it supports the feature at any level.
    """

    level: int
    title: str
    below: str
    rows: tuple[str, ...] = ()
    field: str = ""
    also: tuple[int, ...] = ()


def _row(
    level: int, title: str, below: str, rows: str = "", *, field: str = "", also: tuple[int, ...] = ()
) -> LevelRow:
    return LevelRow(level, title, below, tuple(rows.split()), field, also)


class Gate(Enum):
    """The gates, in the order of their levels."""

    LEVEL_GIVEN = _row(0, "The server reports its level", "a missing level is read as 0", "SRV-10")
    SECOND_CODE_HOST = _row(
        1, "Login by the second code-hosting platform", "the key is read as absent", "SRV-06"
    )
    ANCHOR_WORDS = _row(1, "Anchors as words", "equivalent numbers and a flag are sent")
    IDS_IN_NARROWS = _row(1, "Ids in searches", "channel names and email addresses are sent")
    REACTION_TYPE_OPTIONAL = _row(
        2, "Removing custom emoji without a type", "the type is always sent", "RXN-06"
    )
    PRINCIPAL_IDS = _row(9, "Users by id in subscriptions", "API email addresses are sent", "USUB-04")
    MUTED_USERS = _row(48, "Muting users", "not available", field="muted_users")
    LINKIFIER_OBJECTS = _row(54, "Linkifiers as objects with ids", "the older event is read")
    LINKIFIER_EDIT = _row(57, "Editing linkifiers", "not available", "LNK-01 LNK-02")
    CHANNEL_TYPING = _row(
        58,
        "Typing notifications in channels, and their client capability",
        "not sent; the capability is not declared",
        "TYP-27 TYP-28",
    )
    SETTINGS_ENDPOINT = _row(80, "One operation for all settings", "not available")
    STATUS_EMOJI = _row(86, "Emoji in a status", "left out, with a notice", "STAT-05 STAT-06 STAT-07 STAT-08")
    DRAFTS = _row(87, "Drafts on the server", "requested anyway; not available if rejected", field="drafts")
    MERGE_BASE = _row(88, "The server's merge base", "absent", "SRV-12")
    RETENTION_UNLIMITED = _row(91, "The word 'unlimited' for retention periods", "'forever' is sent")
    GRAVATAR_DEFAULT = _row(92, "client_gravatar true by default", "always sent explicitly", "USR-03 USR-04")
    INVITE_EXPIRY_DAYS = _row(96, "Invitations that expire", "only the server's default", "INV-07")
    DELETE_UNLIMITED = _row(100, "The word 'unlimited' for deleting messages", "0 is sent")
    WEB_PUBLIC_ACCESS = _row(116, "Whether there are web-public channels", "absent, read as false", "SRV-23")
    INVITE_EXPIRY_NEVER = _row(117, "Invitations that never expire", "not available", "INV-08")
    MESSAGE_OBJECT = _row(120, "Fetching one complete message", "only its source is returned")
    INVITE_EXPIRY_MINUTES = _row(
        126, "Invitations that expire after minutes", "whole days only", "INV-06 INVM-06"
    )
    GROUP_MEMBERS = _row(
        127, "Members and subgroups of groups", "requested anyway; not available if rejected"
    )
    GET_CHANNEL = _row(132, "Fetching one channel", "not available")
    USER_TOPICS = _row(134, "Visibility policies of topics", "muted topics are read")
    DEACTIVATION_COMMENT = _row(
        135, "A note to a deactivated user", "left out, with a notice", "USRD-04 USRD-05 USRD-06"
    )
    READ_RECEIPTS = _row(137, "Read receipts", "not available", field="realm_enable_read_receipts")
    EDIT_UNLIMITED = _row(138, "The word 'unlimited' for editing messages", "0 is sent")
    IS_MUTED = _row(139, "is_muted of subscriptions", "in_home_view, its opposite, is sent")
    AWAY_DEPRECATED = _row(148, "away of a status is deprecated", "no notice when it is used", "STAT-13")
    FLAGS_BY_NARROW = _row(155, "Marking a whole conversation as read", "not available")
    INCLUDE_ANCHOR = _row(155, "Pages without the anchor message", "removed by the client")
    OWN_TOPIC_POLICY = _row(159, "Restrictions on moving one's own messages", "senders may change the topic")
    DELIVERY_EMAIL = _row(163, "delivery_email always there", "may be absent", "ME-12 ME-13 USR-08 USR-09")
    GROUP_PARTIAL_UPDATE = _row(
        165,
        "Changing a group's name or description alone",
        "both are always sent",
        "GRPU-03 GRPU-04 GRPU-05 GRPU-06",
    )
    IGNORED_PARAMETERS = _row(
        167, "The server reports ignored parameters", "not reported", "CONV-09 CONV-10 CONV-20"
    )
    TOPIC_VISIBILITY = _row(170, "Unmuting topics", "only muting, by an older operation")
    TYPE_DIRECT = _row(174, "The message type 'direct'", "'private' is sent", "TYP-06")
    LINKIFIER_TEMPLATE = _row(
        176,
        "URL templates of linkifiers",
        "converted to a format string if possible",
        "LNK-05 LNK-06 LNK-07",
    )
    TERM_DM = _row(177, "The search operators dm and is:dm", "'pm-with' and 'is:private' are sent")
    SCHEDULED_MESSAGES = _row(
        179, "Scheduled messages", "requested anyway; not available if rejected", field="scheduled_messages"
    )
    INVITE_NO_CHANNELS = _row(
        180, "Invitations without channels", "a channel is required", "INV-16", also=(157, 158)
    )
    SUBSCRIPTION_NAMES_AS_STRINGS = _row(
        181, "Channel names as plain strings when unsubscribing", "the same is sent"
    )
    EXPORT_ID = _row(182, "The id of a new export in the response", "the newest export is looked up")
    SCHEDULED_EDIT = _row(184, "Editing scheduled messages", "not available", "SCH-01 SCH-02")
    GROUP_MENTION = _row(191, "Who may mention a group", "not available", "GSV-13 GSV-14")
    REACTION_MISSING_CODE = _row(
        193, "The error for a missing reaction", "reported as BAD_REQUEST", "RXN-10 RXN-11 ERR-06"
    )
    ID_IN_NARROWS = _row(194, "Message ids as numbers in searches", "sent as text")
    PLAYGROUND_TEMPLATE = _row(
        196,
        "URL templates of playgrounds",
        "sent as a plain prefix if possible",
        "PLG-04 PLG-05 PLG-07 PLG-08",
    )
    REMOVERS_NAME = _row(
        197, "The name can_remove_subscribers_group", "can_remove_subscribers_group_id is sent"
    )
    GROUP_MENTION_NAME = _row(198, "The name can_mention_group", "can_mention_group_id is sent", "GSV-15")
    DEFAULT_BY_CHANNEL = _row(
        200, "Default channels as a setting of the channel", "the list of default channels is changed"
    )
    LINKIFIER_ORDER = _row(202, "The order of linkifiers", "not available")
    PRINCIPAL_ERRORS = _row(
        208, "The error for a bad principal", "a 403 is read as this error", "USUB-13 USUB-14 ERR-04"
    )
    INVITE_LINKS_FOR_ALL = _row(
        209, "Invitation links by non-administrators", "administrators only", "INVM-02 INVM-13"
    )
    DELETE_TOPIC_COMPLETE = _row(
        211,
        "Progress of deleting a topic",
        "'partially_completed' is read as incomplete",
        "DTOP-06 DTOP-08 DTOP-10 DTOP-11 DTOP-12",
    )
    TYPING_CHANNEL_ID = _row(
        215, "The channel of typing notifications", "sent in 'to'", "TYP-05 TYP-11 TYP-12 TYP-31"
    )
    FOLLOW_TOPICS = _row(219, "Following topics", "not available")
    DEACTIVATION_EVENTS = _row(
        222, "Deactivated users reported as updates", "read from events of their removal"
    )
    WILDCARD_SPLIT = _row(
        224,
        "Separate flags for channel and topic wildcards",
        "wildcard_mentioned only",
        "FLG-11 FLG-12 FLG-15 FLG-16",
    )
    CHANNEL_EMAIL = _row(226, "Email addresses of channels", "requested anyway; not available if rejected")
    UNREAD_COUNT_FOLLOWED = _row(
        227, "Followed topics in the unread count", "direct messages and mentions only"
    )
    READ_BY_SENDER = _row(
        236, "Marking own messages as read when sending", "marked as read afterwards by the app"
    )
    PROFILE_FIELD_REQUIRED = _row(244, "Required profile fields", "the server ignores it")
    TYPE_CHANNEL = _row(248, "The message type 'channel'", "'stream' is sent", "TYP-04 SCH-25")
    TERM_CHANNEL = _row(250, "The search operators channel and channels", "'stream' and 'streams' are sent")
    PROFILE_FIELD_PARTIAL_UPDATE = _row(
        252, "Changing single properties of a profile field", "the other properties are sent too"
    )
    FIRST_MESSAGE_EVENT = _row(
        256, "Events about a channel's first message", "refreshed after a topic's deletion", "EVT-05"
    )
    REALM_URL = _row(257, "realm_url", "realm_uri is read", "SRV-17 SRV-18 SRV-19")
    GROUP_MENTION_HOLDERS = _row(258, "Users and several groups in can_mention_group", "one group only")
    GROUP_MENTION_OBJECT = _row(
        260, "Old and new value of can_mention_group", "the bare value is sent", "GRPU-08"
    )
    INVITE_DEFAULT_CHANNELS = _row(
        261,
        "Default channels in invitations",
        "left out, with a notice",
        "INV-20 INV-21 INV-22 INVM-08",
    )
    USER_STATUS = _row(262, "Fetching a user's status", "not available")
    PRESENCE_BY_UPDATE = _row(
        263, "Only presences that changed", "all presences each time", field="presence_last_update_id"
    )
    INVITE_NOTIFY_REFERRER = _row(
        267, "Notifying the inviter", "left out, with a notice", "INV-23 INV-24 INV-25"
    )
    TERM_WITH = _row(271, "The search operator with", "'near' is sent")
    UPLOAD_URL = _row(272, "url of an upload", "uri is read", "UPL-03 UPL-04 UPL-05")
    GROUP_MANAGE = _row(283, "Who may manage a group", "not available", "GSV-11 GSV-12")
    NEW_EMAIL = _row(285, "Changing another user's email address", "not available", "USRU-09 USRU-10 USRU-11")
    UPLOAD_FILENAME = _row(285, "The stored name of an upload", "the local name is used", "UPL-06 UPL-07")
    GROUP_DEACTIVATE = _row(290, "Deactivating groups", "requested anyway; not available if rejected")
    EXPORT_CONSENTS = _row(295, "Consent to the export of private data", "not known")
    PROFILE_FIELD_EDITABLE = _row(
        296, "Profile fields that only administrators can edit", "the server ignores it"
    )
    RESUMABLE_UPLOAD = _row(296, "Resumable uploads", "one plain request", "UPL-14 UPL-15 AUTH-02")
    SNIPPETS = _row(
        297, "Saved snippets", "requested anyway; not available if rejected", field="saved_snippets"
    )
    MESSAGE_IDS = _row(300, "Fetching messages by their ids", "not available")
    GROUP_JOIN = _row(301, "Who may join a group", "not available", "GSV-09")
    DIRECT_MEMBERS_ACTIVE = _row(
        303, "direct_members without deactivated users", "may include deactivated users", "GSV-03"
    )
    EXPORT_TYPES = _row(304, "Exports of private data", "not available")
    GROUP_ADD_MEMBERS = _row(305, "Who may add members to a group", "not available", "GSV-08")
    MANAGE_ALL_GROUPS = _row(305, "Who may manage every group", "administrators may")
    GROUP_LEAVE = _row(308, "Who may leave a group", "not available", "GSV-10")
    GROUP_SUBGROUPS = _row(311, "Creating a group with subgroups", "not available", "GRPC-05 GRPC-06 GRPC-07")
    REALM_HOLDERS = _row(
        314, "Old and new value of the organization's permissions", "two of them are sent as bare values"
    )
    EXCLUDE_ARCHIVED = _row(315, "Archived channels in lists", "not included")
    GROUP_ID_RETURNED = _row(317, "The id of a new group in the response", "looked up by name")
    REMOVERS_OBJECT = _row(320, "Old and new value of can_remove_subscribers_group", "the bare value is sent")
    INVITE_GROUPS = _row(322, "Groups in invitations", "not available", "INV-17 INV-18 INV-19 INVM-05")
    GROUP_REMOVE_MEMBERS = _row(324, "Who may remove members from a group", "not available", "GSV-16")
    EMPTY_TOPIC = _row(334, "The empty topic", "a topic is required", "CONV-13 TOP-05")
    GROUP_DEACTIVATED_EDIT = _row(340, "Permissions of deactivated groups", "only the name is sent", "GSV-19")
    SUMMARIES = _row(
        350,
        "Summaries of topics",
        "requested anyway; not available if rejected",
        field="server_can_summarize_topics",
    )
    SKIPPED_CHANNELS = _row(
        355, "Channels skipped when marking unread", "found by comparing ids", "FLG-06 FLG-19"
    )
    ALL_CHANNELS = _row(356, "include_all in channel lists", "include_all_active is sent")
    TYPING_EDIT = _row(361, "Typing while editing", "not sent")
    ARCHIVED_SUBSCRIPTIONS = _row(362, "Leaving archived channels", "rejected by the server", "USUB-09")
    NO_BILLING_ADMIN = _row(363, "is_billing_admin is gone", "the key is ignored", "ME-15 ME-16")
    SNIPPET_EDIT = _row(368, "Editing saved snippets", "not available", "SNP-01 SNP-02 SNP-10")
    PLACEHOLDER_TOPIC = _row(
        372, "'(no topic)' in typing means the empty topic", "the placeholder is never sent", "TYP-17 VER-04"
    )
    EDIT_EXPECTATION = _row(379, "Detecting conflicting edits", "sent without the check")
    REMINDERS = _row(381, "Reminders of messages", "rejected by the server", field="reminders")
    REPORT_MESSAGE = _row(382, "Reporting messages", "not available", field="server_report_message_types")
    GROUP_REACTIVATE = _row(386, "Reactivating groups", "requested anyway; not available if rejected")
    UNARCHIVE = _row(388, "Restoring archived channels", "not available")
    CHANNEL_FOLDERS = _row(389, "Channel folders", "rejected by the server", field="channel_folders")
    NAVIGATION_VIEWS = _row(
        390, "Views in the navigation", "rejected by the server", field="navigation_views"
    )
    TOPICS_POLICY = _row(
        392, "A channel's own topics policy", "left out, with a notice", field="realm_topics_policy"
    )
    SUBSCRIPTION_NOTICES = _row(
        397, "Choosing whether new subscribers are notified", "left out, with a notice"
    )
    REMINDER_LIST = _row(399, "Listing and deleting reminders", "rejected by the server", field="reminders")
    STATUS_OF_OTHERS = _row(407, "Setting another user's status", "not available")
    SOME_SUBSCRIBERS = _row(
        412, "Snapshots with some of the subscribers only", "all subscribers are requested"
    )
    REMINDER_NOTE = _row(
        415, "Notes of reminders", "left out, with a notice", field="max_reminder_note_length"
    )
    WELCOME_TEST = _row(
        416,
        "Testing the welcome message",
        "requested anyway; not available if rejected",
        field="realm_welcome_message_custom_text",
    )
    CREATE_CHANNEL = _row(417, "Creating a channel without joining it", "created by subscribing")
    CHANNELS_OF_USER = _row(440, "The channels of a user", "not available")
    FILE_TIMES_IN_SECONDS = _row(443, "Times of uploads in seconds", "milliseconds are read")
    SETTINGS_OF_OTHERS = _row(444, "Changing the settings of existing users", "not available")
    ANCHOR_DATE = _row(445, "Messages around a date", "dates are found by several requests")
    TERM_MENTIONS = _row(446, "The search operator mentions", "not available")
    BOT_SHORT_NAME = _row(447, "Changing a bot's email address", "not available")
    CHANNEL_EMAIL_OF_POSTERS = _row(
        448, "Email addresses of channels only for users who may post", "for everyone who may read"
    )
    EXPORT_TYPE_WORDS = _row(449, "Types of exports as words", "equivalent numbers are sent")
    INVALID_TIME_AS_TEXT = _row(451, "Invalid times in messages as plain text", "marked as an error")
    GIF_RATING_POLICY = _row(453, "The name gif_rating_policy", "giphy_rating is read and sent")
    RECENT_VIEW_NAME = _row(454, "The home view 'recent'", "'recent_topics' is sent")
    PROFILE_FIELD_MATCHING = _row(455, "Profile fields by which users are found", "the server ignores it")
    DEACTIVATION_ACTIONS = _row(459, "Deleting the messages of a deactivated user", "not available")
    BOT_KEY = _row(463, "Fetching a bot's API key", "read from the list of bots")
    LINKIFIER_REVERSE = _row(
        471,
        "Templates that turn pasted addresses into text",
        "not available",
        field="realm_linkifiers.reverse_template",
    )
    LINKIFIER_ALTERNATIVES = _row(
        478,
        "Several addresses of a linkifier",
        "not available",
        field="realm_linkifiers.alternative_url_templates",
    )
    ARCHIVED_TOPICS = _row(480, "Topics of archived channels", "not requested")
    IDLE_QUEUE_TIMEOUT = _row(481, "Choosing how long an event queue is kept", "the server decides")
    TERM_CHANNELS_ARCHIVED = _row(489, "The search for messages in archived channels", "not available")
    BOT_STORAGE_OF_BOTS = _row(494, "Storage for bots only", "people have storage too")
    PUSH_BY_DEFAULT = _row(
        507,
        "Mobile notifications by default for subscribers of a channel",
        "left out, with a notice",
        field="subscriptions.default_push_notifications",
    )
    HIDE_LINK_PREVIEWS = _row(510, "Hiding the link previews of a message", "not available")

    @property
    def level(self) -> int:
        """The level from which the feature exists."""
        return self.value.level

    def is_at(self, level: int) -> bool:
        """Whether servers of a level have the feature."""
        return level >= self.value.level or level in self.value.also

    @property
    def field(self) -> str:
        """The snapshot field that proves the feature at any level; empty if there is none."""
        return self.value.field

    @property
    def title(self) -> str:
        """The feature's name, as text for users."""
        return self.value.title

    def unsupported(self, level: int) -> str:
        """The text to show beside what does not work on a server of ``level``, which is too old for the feature."""
        return f"not supported by this server (level {level}; needs {self.value.level})"


_OPERATIONS: Final[Mapping[str, Gate]] = {
    "channel_folders": Gate.CHANNEL_FOLDERS,
    "drafts": Gate.DRAFTS,
    "messages/summary": Gate.SUMMARIES,
    "navigation_views": Gate.NAVIGATION_VIEWS,
    "realm/test_welcome_bot_custom_message": Gate.WELCOME_TEST,
    "reminders": Gate.REMINDERS,
    "saved_snippets": Gate.SNIPPETS,
    "scheduled_messages": Gate.SCHEDULED_MESSAGES,
    "streams/{}/email_address": Gate.CHANNEL_EMAIL,
    "user_groups/{}/deactivate": Gate.GROUP_DEACTIVATE,
    "user_groups/{}/members": Gate.GROUP_MEMBERS,
    "user_groups/{}/subgroups": Gate.GROUP_MEMBERS,
}
"""Operations that are requested at every level, as some servers support them earlier, by the start of their paths."""


def operation_gate(path: str) -> Gate | None:
    """The gate of an operation that is requested at every level, to explain why a server does not know it;
    None for other operations. `path` is below /api/v1, with `{}` for each id.
    """
    parts = path.strip("/").split("/")
    beginnings = ("/".join(parts[: count + 1]) for count in range(len(parts)))
    return next((_OPERATIONS[one] for one in beginnings if one in _OPERATIONS), None)
