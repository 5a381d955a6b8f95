"""The server's configuration: one frozen value, passed to everything."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum

from narrowcast_api.wire.levels import SERVED_LEVEL
from narrowcast_server.mail.settings import MailSettings


class ServedDialect(Enum):
    """Which spelling of the service's own names the server sends; it accepts both."""

    SERVICE = "service"
    """`service_*` names, together with the `zulip_*` aliases that existing clients look for."""
    ZULIP = "zulip"
    """Only `zulip_*` names, and no event stream over WebSockets."""
    SERVICE_ONLY = "service-only"
    """Only `service_*` names."""


@dataclass(frozen=True, slots=True)
class RateLimit:
    """At most `requests` within any period of `seconds`."""

    seconds: float
    requests: int


@dataclass(frozen=True, slots=True)
class ServiceLimits:
    """Limits on sizes and durations; clients receive most of them at registration."""

    max_message_length: int = 10_000
    max_topic_length: int = 60
    max_channel_name_length: int = 60
    max_channel_description_length: int = 1024
    max_file_upload_mib: int = 100
    max_body_bytes: int = 2 * 1024 * 1024
    """Of a request that is not an upload."""
    max_public_body_bytes: int = 64 * 1024
    """Of a request that needs no credentials."""
    body_seconds: float = 60.0
    """How long receiving such a body may take; real time."""
    max_messages_fetched: int = 5000
    page_characters: int = 8 * 1024 * 1024
    """Total length of the messages in one response; a page ends early when they are longer."""
    typing_started_expiry_ms: int = 45_000
    typing_stopped_wait_ms: int = 12_000
    typing_started_wait_ms: int = 30_000
    typing_max_subscribers: int = 100
    presence_ping_seconds: int = 60
    presence_offline_seconds: int = 200
    queue_idle_seconds: float = 600.0
    queue_longest_idle_seconds: float = 86_400.0
    """Upper bound for the queue lifespan that a client may ask for."""
    queue_collection_seconds: float = 60.0
    max_queues_a_user: int = 40
    """Registering one more ends the user's least recently read queue."""
    max_queues: int = 10_000
    """In the whole organization; registering one more ends a queue of the user who has the most."""
    heartbeat_seconds: tuple[float, float] = (45.0, 55.0)
    longpoll_seconds: int = 90
    reader_pause_seconds: float = 0.1
    """Minimum time between two responses to one reader of events, so that bursts are batched; the first one
    is not delayed.
    """
    responses_per_second: int = 1000
    """To all readers of events together: when there are many, the minimum time between two responses is longer."""
    stream_pause_seconds: float = 0.02
    frames_per_second: int = 4000
    """The same two limits for WebSockets, where a response takes a tenth of the work."""
    max_queued_events: int = 20_000
    """A queue with more unread events than this is dropped; its client registers again."""
    max_queued_characters: int = 8 * 1024 * 1024
    """The same limit as a total length, for queues of few but long events."""
    max_queued_characters_a_user: int = 16 * 1024 * 1024
    """In all queues of one user together; beyond it the largest queue is ended."""
    events_a_response: int = 1000
    characters_a_response: int = 1024 * 1024
    """How much one response returns; the reader requests the rest."""
    unread_cap: int = 50_000
    delete_batch: int = 100
    delete_batches_a_request: int = 20


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """Limits on the number of connections and on how long a peer may take; seconds are real time."""

    most: int = 4096
    most_an_address: int = 256
    """Per remote address; connections from this machine are not limited."""
    spare_descriptors: int = 200
    """Reserved for files, child processes, and connections that are about to be rejected."""
    head_seconds: float = 20.0
    """From the first byte of a request, or the start of the connection, to the end of its headers."""
    body_grace_seconds: float = 30.0
    slowest_bytes_a_second: float = 1024.0
    """Minimum rate for a request body, enforced after the grace period."""
    write_seconds: float = 30.0
    """How long a peer may take to read 16 KiB of a pending response."""
    most_unread_bytes: int = 128 * 1024 * 1024
    """Of responses that peers have not read yet, together; beyond it, connections are cut off."""


@dataclass(frozen=True, slots=True)
class Quotas:
    """Per-user limits, except where noted."""

    alert_words: int = 100
    attachments: int = 10_000
    bots: int = 20
    channels: int = 500
    custom_emoji: int = 500
    drafts: int = 500
    draft_characters: int = 4 * 1024 * 1024
    """Total length of a user's drafts."""
    extra_keys: int = 20
    groups: int = 300
    invitations: int = 500
    muted_users: int = 1000
    navigation_views: int = 100
    reminders: int = 500
    saved_snippets: int = 500
    scheduled_messages: int = 500
    reactions_a_message: int = 50
    submessages_a_message: int = 200
    """Votes in polls and tasks in to-do lists."""
    topic_policies: int = 5000
    channels_a_request: int = 100
    subscriptions_a_request: int = 2000
    """Number of users times number of channels in one request."""
    requests_at_once: int = 64
    """Concurrent requests, including those for events."""
    unfinished_uploads: int = 20
    upload_mib_a_person: int = 5 * 1024
    upload_mib: int = 50 * 1024
    """Of all users together, in MiB."""
    mails_kept: int = 1000
    """Organization-wide: the newest ones; unsent emails are kept in addition."""
    mails_a_day: int = 200
    """Caused by one user, such as invitations; only counted if the server sends email."""
    spare_disk_mib: int = 64
    """Disk space that uploads must leave free for messages."""


@dataclass(frozen=True, slots=True)
class ExternalLogin:
    """A login method provided by something in front of this server (SRV-08)."""

    name: str
    display_name: str
    login_url: str
    signup_url: str
    display_icon: str | None = None


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """How a server behaves. `level` is the feature level it emulates, 0 to SERVED_LEVEL."""

    level: int = SERVED_LEVEL
    dialect: ServedDialect = ServedDialect.SERVICE
    url: str = ""
    """The address that clients use, without a trailing slash; if empty, the address is taken from the request."""
    local_url: str = ""
    """The address for programs on this machine, if it differs from `url`."""
    rate_limits: tuple[RateLimit, ...] = ()
    """Per user, over all requests except those for events; empty by default (LIM-01)."""
    event_rate_limits: tuple[RateLimit, ...] = ()
    """The same over requests for events: under load a client gets about ten responses a second."""
    anonymous_rate_limits: tuple[RateLimit, ...] = ()
    """Per address, over requests without credentials; requests from this machine are not limited."""
    login_attempts: RateLimit = RateLimit(1800, 5)
    reset_attempts: RateLimit = RateLimit(3600, 3)
    """The same for requests for a password reset email."""
    limits: ServiceLimits = field(default_factory=ServiceLimits)
    quotas: Quotas = field(default_factory=Quotas)
    connections: ConnectionLimits = field(default_factory=ConnectionLimits)
    root_domain: bool = False
    """Whether server_settings responds as the root of a multi-organization server: without `realm_*` (SRV-25)."""
    ldap: bool = False
    """Whether server_settings says that user names need not be email addresses (SRV-16)."""
    incompatible_agents: tuple[str, ...] = ()
    """User-Agent prefixes that are reported as incompatible (SRV-14)."""
    external_logins: tuple[ExternalLogin, ...] = ()
    """In the order in which clients show them."""
    mail: MailSettings | None = None
    """None: emails are stored for the operator, but not sent."""
    disposable_domains: frozenset[str] = frozenset()
    """Disposable email domains, in lower case, from the operator's list."""
    install: str = ""
    """The operator's command that installs Narrowcast, for the pages of the server; by default one for a checkout."""
    durable: bool = True
    any_name: bool = False
    """Accept any Host name from browsers: for a server that listens on all addresses without a configured name."""

    def at_level(self, level: int) -> ServerConfig:
        """The same configuration at another level, clamped to 0 to SERVED_LEVEL (VER-06)."""
        return replace(self, level=min(max(level, 0), SERVED_LEVEL))
