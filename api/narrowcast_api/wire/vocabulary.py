"""The vocabulary of the service: roles, flags, codes, types and policies, exactly as on the wire.

Both the client and the embedded server use it; to import quickly, it needs nothing but ``enum``. Ids such as
TYP-02 are rows of the contract's ledger (``tests/contract/ledger.csv``).
"""

from __future__ import annotations

from enum import IntEnum, StrEnum
from typing import Final

API_PREFIX: Final = "/api/v1"
"""The path prefix of all operations (CONV-01)."""

LATEST_LEVEL: Final = 512
"""The newest feature level whose changes are all handled."""

EMPTY_TOPIC_PLACEHOLDER: Final = "(no topic)"
"""The name of the empty topic on old servers (CONV-11). The library never sends it."""

RESOLVED_TOPIC_PREFIX: Final = "✔ "
"""The prefix in the names of resolved topics."""

LARGE_UPLOAD_BYTES: Final = 25_000_000
"""Size in bytes from which a plain upload may time out, so that a resumable one is preferred (UPL-13)."""


class Role(IntEnum):
    """The role of a user in the organization; a lower number has more permissions (CONV-15)."""

    OWNER = 100
    ADMINISTRATOR = 200
    MODERATOR = 300
    MEMBER = 400
    GUEST = 600

    @property
    def is_administrator(self) -> bool:
        """Owners are administrators too."""
        return self <= Role.ADMINISTRATOR

    @property
    def title(self) -> str:
        """The role's name, as text for users."""
        return self.name.lower()


class MessageFlag(StrEnum):
    """A flag of one user's copy of a message (FLG rows)."""

    READ = "read"
    STARRED = "starred"
    COLLAPSED = "collapsed"
    MENTIONED = "mentioned"
    STREAM_WILDCARD_MENTIONED = "stream_wildcard_mentioned"
    TOPIC_WILDCARD_MENTIONED = "topic_wildcard_mentioned"
    WILDCARD_MENTIONED = "wildcard_mentioned"
    HAS_ALERT_WORD = "has_alert_word"
    HISTORICAL = "historical"
    HIDE_LINK_PREVIEWS = "hide_link_previews"


CHANGEABLE_FLAGS: Final = frozenset(
    {MessageFlag.READ, MessageFlag.STARRED, MessageFlag.COLLAPSED, MessageFlag.HIDE_LINK_PREVIEWS}
)
"""The flags that a user can change; the server sets the others."""

WILDCARD_FLAGS: Final = frozenset(
    {
        MessageFlag.WILDCARD_MENTIONED,
        MessageFlag.STREAM_WILDCARD_MENTIONED,
        MessageFlag.TOPIC_WILDCARD_MENTIONED,
    }
)

MENTION_FLAGS: Final = WILDCARD_FLAGS | {MessageFlag.MENTIONED}
"""The flags of messages that mention the user."""


class FlagOperation(StrEnum):
    """How POST /messages/flags changes a flag."""

    ADD = "add"
    REMOVE = "remove"


class ErrorCode(StrEnum):
    """The ``code`` of an error response: those of the contract, then additional ones of existing servers."""

    BAD_REQUEST = "BAD_REQUEST"
    STREAM_DOES_NOT_EXIST = "STREAM_DOES_NOT_EXIST"
    UNAUTHORIZED_PRINCIPAL = "UNAUTHORIZED_PRINCIPAL"
    INVITATION_FAILED = "INVITATION_FAILED"
    REACTION_DOES_NOT_EXIST = "REACTION_DOES_NOT_EXIST"
    REACTION_ALREADY_EXISTS = "REACTION_ALREADY_EXISTS"
    REQUEST_VARIABLE_MISSING = "REQUEST_VARIABLE_MISSING"
    REQUEST_VARIABLE_INVALID = "REQUEST_VARIABLE_INVALID"
    UNAUTHORIZED = "UNAUTHORIZED"
    AUTHENTICATION_FAILED = "AUTHENTICATION_FAILED"
    INVALID_API_KEY = "INVALID_API_KEY"
    USER_DEACTIVATED = "USER_DEACTIVATED"
    REALM_DEACTIVATED = "REALM_DEACTIVATED"
    REALM_UPLOAD_QUOTA = "REALM_UPLOAD_QUOTA"
    BAD_EVENT_QUEUE_ID = "BAD_EVENT_QUEUE_ID"
    BAD_NARROW = "BAD_NARROW"
    EXPECTATION_MISMATCH = "EXPECTATION_MISMATCH"
    RATE_LIMIT_HIT = "RATE_LIMIT_HIT"
    REQUEST_TIMEOUT = "REQUEST_TIMEOUT"
    CANNOT_DEACTIVATE_GROUP_IN_USE = "CANNOT_DEACTIVATE_GROUP_IN_USE"
    MOVE_MESSAGES_TIME_LIMIT_EXCEEDED = "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED"
    TOPIC_WILDCARD_MENTION_NOT_ALLOWED = "TOPIC_WILDCARD_MENTION_NOT_ALLOWED"
    STREAM_WILDCARD_MENTION_NOT_ALLOWED = "STREAM_WILDCARD_MENTION_NOT_ALLOWED"
    NOT_FOUND = "NOT_FOUND"
    INTERNAL_SERVER_ERROR = "INTERNAL_SERVER_ERROR"


class Result(StrEnum):
    """The ``result`` of a response; only delete_topic sends the third one, below level 211 (DTOP-10)."""

    SUCCESS = "success"
    ERROR = "error"
    PARTIALLY_COMPLETED = "partially_completed"


class ReactionType(StrEnum):
    """The type of an emoji code. The two ``*_EXTRA`` values are the same type in the two dialects."""

    UNICODE = "unicode_emoji"
    REALM = "realm_emoji"
    SERVICE_EXTRA = "service_extra_emoji"
    ZULIP_EXTRA = "zulip_extra_emoji"


EXTRA_REACTION_TYPES: Final = frozenset({ReactionType.SERVICE_EXTRA, ReactionType.ZULIP_EXTRA})


class Dialect(StrEnum):
    """The family of names that a server uses for the few things that are named after it."""

    SERVICE = "service"
    ZULIP = "zulip"

    @property
    def extra_emoji(self) -> ReactionType:
        """The reaction type, in this dialect, of the emoji that the server itself adds."""
        return ReactionType.ZULIP_EXTRA if self is Dialect.ZULIP else ReactionType.SERVICE_EXTRA


class TypingOperation(StrEnum):
    """``op`` of POST /typing and of the typing events."""

    START = "start"
    STOP = "stop"


class MessageType(StrEnum):
    """``type`` of sent and scheduled messages (SCH-04); received ones have ``stream`` or ``private``."""

    DIRECT = "direct"
    CHANNEL = "channel"
    STREAM = "stream"
    PRIVATE = "private"

    @property
    def is_direct(self) -> bool:
        """Whether this is one of the two names for direct messages."""
        return self in (MessageType.DIRECT, MessageType.PRIVATE)


class DraftType(StrEnum):
    """``type`` of a draft (DRF-05); the empty one has no address yet."""

    UNADDRESSED = ""
    STREAM = "stream"
    PRIVATE = "private"


class PropagateMode(StrEnum):
    """Which other messages of a topic are moved with an edited one."""

    CHANGE_ONE = "change_one"
    CHANGE_LATER = "change_later"
    CHANGE_ALL = "change_all"


class VisibilityPolicy(IntEnum):
    """A user's visibility policy for one topic."""

    NONE = 0
    MUTED = 1
    UNMUTED = 2
    FOLLOWED = 3


class PostPolicy(IntEnum):
    """Who may post in a channel, on servers without group settings for channels."""

    EVERYONE = 1
    ADMINISTRATORS = 2
    FULL_MEMBERS = 3
    MODERATORS = 4


class PlanType(IntEnum):
    """The plan of an organization whose server is hosted for it (`realm_plan_type`)."""

    SELF_HOSTED = 1
    LIMITED = 2
    STANDARD = 3
    STANDARD_FREE = 4
    PLUS = 10


class TopicsPolicy(StrEnum):
    """Whether a channel (or the organization) allows the empty topic."""

    INHERIT = "inherit"
    ALLOW_EMPTY = "allow_empty_topic"
    DISABLE_EMPTY = "disable_empty_topic"
    EMPTY_ONLY = "empty_topic_only"


class ExportType(StrEnum):
    """The contents of an export of the organization."""

    PUBLIC = "public"
    FULL_WITH_CONSENT = "full_with_consent"
    FULL_WITHOUT_CONSENT = "full_without_consent"


class WebhookInterface(IntEnum):
    """The format in which an outgoing webhook receives messages."""

    GENERIC = 1
    SLACK = 2


class BotType(IntEnum):
    """The type of a bot (USR rows)."""

    GENERIC = 1
    INCOMING_WEBHOOK = 2
    OUTGOING_WEBHOOK = 3
    EMBEDDED = 4


class BotPolicy(IntEnum):
    """Who may create bots, on servers below level 344; generic bots may be reserved for administrators."""

    MEMBERS = 1
    NO_GENERIC_BOTS = 2
    ADMINISTRATORS = 3


class DeactivationAction(StrEnum):
    """What can be deleted with an account that is deactivated."""

    PROFILE = "profile"
    PUBLIC_CHANNEL_MESSAGES = "public_channel_messages"
    PRIVATE_CHANNEL_MESSAGES = "private_channel_messages"
    DIRECT_MESSAGES = "direct_messages"


class ProfileFieldType(IntEnum):
    """The type of a custom profile field."""

    SHORT_TEXT = 1
    LONG_TEXT = 2
    SELECT = 3
    DATE = 4
    LINK = 5
    USERS = 6
    EXTERNAL_ACCOUNT = 7
    PRONOUNS = 8


class PresenceStatus(StrEnum):
    """The presence that a client reports for its user."""

    ACTIVE = "active"
    IDLE = "idle"


class EmailVisibility(IntEnum):
    """Who may see a user's real email address."""

    EVERYONE = 1
    MEMBERS = 2
    ADMINISTRATORS = 3
    NOBODY = 4
    MODERATORS = 5


class SystemGroup(StrEnum):
    """The system groups, which every organization has."""

    INTERNET = "role:internet"
    EVERYONE = "role:everyone"
    MEMBERS = "role:members"
    FULL_MEMBERS = "role:fullmembers"
    MODERATORS = "role:moderators"
    ADMINISTRATORS = "role:administrators"
    OWNERS = "role:owners"
    NOBODY = "role:nobody"


class GroupSetting(StrEnum):
    """The permissions of a user group; each value is a group-setting value (GSV rows)."""

    ADD_MEMBERS = "can_add_members_group"
    JOIN = "can_join_group"
    LEAVE = "can_leave_group"
    MANAGE = "can_manage_group"
    MENTION = "can_mention_group"
    REMOVE_MEMBERS = "can_remove_members_group"


class ChannelSetting(StrEnum):
    """The permissions of a channel; each value is a group-setting value."""

    ADD_SUBSCRIBERS = "can_add_subscribers_group"
    ADMINISTER = "can_administer_channel_group"
    CREATE_TOPIC = "can_create_topic_group"
    DELETE_ANY_MESSAGE = "can_delete_any_message_group"
    DELETE_OWN_MESSAGE = "can_delete_own_message_group"
    MOVE_OUT = "can_move_messages_out_of_channel_group"
    MOVE_WITHIN = "can_move_messages_within_channel_group"
    SEND_MESSAGE = "can_send_message_group"
    REMOVE_SUBSCRIBERS = "can_remove_subscribers_group"
    RESOLVE_TOPICS = "can_resolve_topics_group"
    SUBSCRIBE = "can_subscribe_group"


OWNER_SETTINGS: Final = frozenset(
    {
        "can_create_groups",
        "can_invite_users_group",
        "can_manage_all_groups",
        "can_manage_billing_group",
        "create_multiuse_invite_group",
        "disallow_disposable_email_addresses",
        "emails_restricted_to_domains",
        "invite_required",
        "message_retention_days",
        "waiting_period_threshold",
    }
)
"""Settings of the organization that only owners can change."""

NOT_FOR_NEWCOMERS: Final = frozenset(
    {"allow_private_data_export", "default_language", "enable_login_emails", "enable_marketing_emails"}
)
"""Settings that servers send among the initial settings of new users, but that only the users themselves can change."""

NOT_FOR_OTHERS: Final = NOT_FOR_NEWCOMERS - {"default_language"} | {
    "email_address_visibility",
    "enable_digest_emails",
    "presence_enabled",
    "send_private_typing_notifications",
    "send_read_receipts",
    "send_stream_typing_notifications",
}
"""Settings of existing users that administrators cannot change."""


class Capability(StrEnum):
    """A capability that a client may declare at registration."""

    NOTIFICATION_SETTINGS_NULL = "notification_settings_null"
    BULK_MESSAGE_DELETION = "bulk_message_deletion"
    USER_AVATAR_URL_FIELD_OPTIONAL = "user_avatar_url_field_optional"
    STREAM_TYPING_NOTIFICATIONS = "stream_typing_notifications"
    USER_SETTINGS_OBJECT = "user_settings_object"
    LINKIFIER_URL_TEMPLATE = "linkifier_url_template"
    USER_LIST_INCOMPLETE = "user_list_incomplete"
    INCLUDE_DEACTIVATED_GROUPS = "include_deactivated_groups"
    ARCHIVED_CHANNELS = "archived_channels"
    EMPTY_TOPIC_NAME = "empty_topic_name"
    SIMPLIFIED_PRESENCE_EVENTS = "simplified_presence_events"
    INDIVIDUAL_EMOJI_CHANGES = "individual_emoji_changes"


class Anchor(StrEnum):
    """Named positions from which to read messages, besides message ids."""

    NEWEST = "newest"
    OLDEST = "oldest"
    FIRST_UNREAD = "first_unread"


MAX_STATUS_TEXT: Final = 60
"""The longest status text, in characters (STAT-03); the only limit that the contract gives as a number."""

MAX_WELCOME_TEXT: Final = 8000
"""The longest `welcome_message_custom_text` (the welcome message of new users), in characters."""

PASSWORD_CHARACTERS: Final = (8, 100)
"""The shortest and the longest password on an embedded server, in characters."""
