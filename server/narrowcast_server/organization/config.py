"""What the operator chooses: one frozen value, handed to everything."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum

from narrowcast_api.wire.levels import CONTRACT_LEVEL
from narrowcast_server.mail.settings import MailSettings


class Dialect(Enum):
    """Which of the two spellings of the service's own names go out; both are always understood."""

    SERVICE = "service"
    """`service_*` names, and beside them the `zulip_*` aliases that existing clients look for."""
    ZULIP = "zulip"
    """`zulip_*` names and no others."""
    SERVICE_ONLY = "service-only"
    """`service_*` names alone."""


@dataclass(frozen=True, slots=True)
class RateLimit:
    """At most `requests` in any `seconds`."""

    seconds: float
    requests: int


@dataclass(frozen=True, slots=True)
class ServiceLimits:
    """Sizes and periods, as registration tells them to clients."""

    max_message_length: int = 10_000
    max_topic_length: int = 60
    max_channel_name_length: int = 60
    max_channel_description_length: int = 1024
    max_file_upload_mib: int = 100
    max_body_bytes: int = 2 * 1024 * 1024
    """Of a request that is not an upload."""
    max_public_body_bytes: int = 64 * 1024
    """The same of a request that needs no credentials."""
    body_seconds: float = 60.0
    """For a body of that size to come; real time."""
    max_messages_fetched: int = 5000
    page_characters: int = 8 * 1024 * 1024
    """Of all messages of one answer; a page ends earlier where they are longer."""
    typing_started_expiry_ms: int = 45_000
    typing_stopped_wait_ms: int = 12_000
    typing_started_wait_ms: int = 30_000
    typing_max_subscribers: int = 100
    presence_ping_seconds: int = 60
    presence_offline_seconds: int = 200
    queue_idle_seconds: float = 600.0
    queue_longest_idle_seconds: float = 86_400.0
    """However long a client asks its queue to be kept."""
    queue_collection_seconds: float = 60.0
    max_queues_a_user: int = 40
    """One more ends the one that has not been read for longest."""
    max_queues: int = 10_000
    """Of everybody; one more ends a queue of whoever has most."""
    heartbeat_seconds: tuple[float, float] = (45.0, 55.0)
    longpoll_seconds: int = 90
    reader_pause_seconds: float = 0.1
    """Between two answers to one reader of events, so that bursts travel together; the first never waits."""
    answers_per_second: int = 1000
    """To all readers of events together: with many of them each waits longer between two answers."""
    stream_pause_seconds: float = 0.02
    frames_per_second: int = 4000
    """The same two over WebSockets, where an answer is a tenth of the work."""
    max_queued_events: int = 20_000
    """A queue whose reader is further behind than this is dropped; its client registers again."""
    max_queued_characters: int = 8 * 1024 * 1024
    """The same, for few events that are long."""
    max_queued_characters_a_user: int = 16 * 1024 * 1024
    """Of all queues of one person together; beyond it the fullest ends."""
    events_an_answer: int = 1000
    characters_an_answer: int = 1024 * 1024
    """What a reader gets at once; it asks again for the rest."""
    unread_cap: int = 50_000
    delete_batch: int = 100
    delete_batches_a_request: int = 20


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """How many connections there may be, and how long a peer may take; seconds are real time."""

    most: int = 4096
    most_an_address: int = 256
    """Of one that is not this machine's."""
    spare_descriptors: int = 200
    """Kept for files, child processes, and connections that are about to be refused."""
    head_seconds: float = 20.0
    """From the first byte of a request, or the beginning of the connection, to the end of its headers."""
    body_grace_seconds: float = 30.0
    slowest_bytes_a_second: float = 1024.0
    """Of a body, once it has taken longer than the grace."""
    write_seconds: float = 30.0
    """For a reader to take 16 KiB of what waits for it."""


@dataclass(frozen=True, slots=True)
class Quotas:
    """How much one person may have, unless it says otherwise."""

    alert_words: int = 100
    attachments: int = 10_000
    bots: int = 20
    channels: int = 500
    custom_emoji: int = 500
    drafts: int = 500
    draft_characters: int = 4 * 1024 * 1024
    """Of all drafts together."""
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
    """Votes in polls and tasks of to-do lists."""
    topic_policies: int = 5000
    channels_a_request: int = 100
    subscriptions_a_request: int = 2000
    """People times channels of one request."""
    requests_at_once: int = 64
    """Being answered at the same time, those for events included."""
    unfinished_uploads: int = 20
    upload_mib_a_person: int = 5 * 1024
    upload_mib: int = 50 * 1024
    """Of everybody together, in MiB."""
    mails_kept: int = 1000
    """Of everybody together, the newest, and all that wait to be sent."""
    mails_a_day: int = 200
    """That one person causes, such as invitations, where mail is sent."""
    spare_disk_mib: int = 64
    """Of the disk, which uploads leave free for messages."""


@dataclass(frozen=True, slots=True)
class ExternalLogin:
    """A way to sign in that something in front of this server offers (SRV-08)."""

    name: str
    display_name: str
    login_url: str
    signup_url: str
    display_icon: str | None = None


@dataclass(frozen=True, slots=True)
class Config:
    """How a server behaves. `level` is the feature level it emulates, 0 to CONTRACT_LEVEL."""

    level: int = CONTRACT_LEVEL
    dialect: Dialect = Dialect.SERVICE
    url: str = ""
    """The address that clients use, without a trailing slash; empty means: as the request says."""
    local_url: str = ""
    """The address for programs of this machine, where it is not `url`."""
    rate_limits: tuple[RateLimit, ...] = ()
    """Per user, over all requests but those for events; none unless asked for (LIM-01)."""
    event_rate_limits: tuple[RateLimit, ...] = ()
    """The same over requests for events: an answer comes ten times a second while there is much to tell."""
    stranger_rate_limits: tuple[RateLimit, ...] = ()
    """Per address, over requests without credentials; this machine's own has none."""
    login_attempts: RateLimit = RateLimit(1800, 5)
    reset_attempts: RateLimit = RateLimit(3600, 3)
    """The same, of asking for a new password by mail."""
    limits: ServiceLimits = field(default_factory=ServiceLimits)
    quotas: Quotas = field(default_factory=Quotas)
    connections: ConnectionLimits = field(default_factory=ConnectionLimits)
    root_domain: bool = False
    """Answers server_settings as the root of a multi-organization server: without `realm_*` (SRV-25)."""
    ldap: bool = False
    """Says that user names need not be addresses (SRV-16)."""
    incompatible_agents: tuple[str, ...] = ()
    """Prefixes of User-Agent that are told that they are incompatible (SRV-14)."""
    external_logins: tuple[ExternalLogin, ...] = ()
    """In the order in which clients show them."""
    mail: MailSettings | None = None
    """None: mail is kept for the operator, and not sent."""
    disposable_domains: frozenset[str] = frozenset()
    """Domains of addresses that are thrown away after use, in lower case: the operator's list."""
    durable: bool = True
    any_name: bool = False
    """Browsers may call the server by any name: where it listens everywhere and nobody said how it is called."""

    def at_level(self, level: int) -> Config:
        """The same server at another level (VER-06)."""
        return replace(self, level=min(max(level, 0), CONTRACT_LEVEL))
