"""The smaller tables of an account and an organization: drafts, scheduled messages, snippets, emoji and so
on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Generic, NamedTuple, TypeVar

from narrowcast_api.narrow.destinations import ChannelDestination, Destination, DirectDestination
from narrowcast_api.state.rows import (
    Row,
    boolean,
    ids,
    integer,
    optional_int,
    optional_text,
    required_int,
    required_text,
    rows,
    table,
    text,
)

Key = TypeVar("Key")
Record = TypeVar("Record")


class Table(Generic[Key, Record]):
    """Records by key, in the order in which they came."""

    def __init__(self, key: Callable[[Record], Key]) -> None:
        self._key = key
        self._records: dict[Key, Record] = {}

    def __len__(self) -> int:
        return len(self._records)

    def __iter__(self) -> Iterator[Record]:
        return iter(self._records.values())

    def get(self, key: Key) -> Record | None:
        """The record with this key."""
        return self._records.get(key)

    def all(self) -> list[Record]:
        """Every record."""
        return list(self._records.values())

    def put(self, records: Iterable[Record]) -> None:
        """Adds records, in place of older ones with their keys."""
        self._records.update((self._key(record), record) for record in records)

    def replace(self, records: Iterable[Record]) -> None:
        """Takes the whole table anew."""
        self._records.clear()
        self.put(records)

    def remove(self, key: Key) -> None:
        """Forgets a record, if it is there."""
        self._records.pop(key, None)


def read_destination(row: Row, me: int) -> Destination | None:
    """Where a draft or scheduled message goes; None for a draft without an address."""
    to = row.get("to")
    people = ids([to] if type(to) is int else to)
    if row.get("type") in ("stream", "channel"):
        return ChannelDestination(people[0], text(row, "topic")) if people else None
    if row.get("type") in ("private", "direct"):
        return DirectDestination(frozenset(people) - {me}) if people else None
    return None


class ServerDraft(NamedTuple):
    """A draft as the server keeps it; `timestamp` is the last edit in UTC seconds."""

    id: int
    destination: Destination | None
    content: str
    timestamp: float


def read_draft(row: Row, me: int) -> ServerDraft:
    """A row of `drafts` (EVT-04)."""
    return ServerDraft(
        required_int(row, "id"), read_destination(row, me), text(row, "content"), integer(row, "timestamp")
    )


class ScheduledMessage(NamedTuple):
    """A message that the server sends later; `failed` says that it tried and could not."""

    id: int
    destination: Destination | None
    content: str
    rendered_content: str
    deliver_at: int
    failed: bool


def read_scheduled(row: Row, me: int) -> ScheduledMessage:
    """A row of `scheduled_messages`."""
    return ScheduledMessage(
        id=required_int(row, "scheduled_message_id"),
        destination=read_destination(row, me),
        content=text(row, "content"),
        rendered_content=text(row, "rendered_content"),
        deliver_at=integer(row, "scheduled_delivery_timestamp"),
        failed=boolean(row, "failed"),
    )


class Reminder(NamedTuple):
    """A note to oneself about a message, delivered later."""

    id: int
    message_id: int | None
    content: str
    rendered_content: str
    deliver_at: int
    failed: bool


def read_reminder(row: Row) -> Reminder:
    """A row of `reminders`."""
    return Reminder(
        id=required_int(row, "reminder_id"),
        message_id=optional_int(row, "reminder_target_message_id"),
        content=text(row, "content"),
        rendered_content=text(row, "rendered_content"),
        deliver_at=integer(row, "scheduled_delivery_timestamp"),
        failed=boolean(row, "failed"),
    )


class Snippet(NamedTuple):
    """A text of one's own to insert into messages (SNP rows)."""

    id: int
    title: str
    content: str
    created: int


def read_snippet(row: Row) -> Snippet:
    """A row of `saved_snippets`."""
    return Snippet(
        required_int(row, "id"), text(row, "title"), text(row, "content"), integer(row, "date_created")
    )


class Linkifier(NamedTuple):
    """A pattern that the server turns into links; never run here (LNK rows)."""

    id: int
    pattern: str
    url_template: str


def read_linkifier(row: Row) -> Linkifier:
    """A row of `realm_linkifiers`."""
    return Linkifier(
        required_int(row, "id"),
        text(row, "pattern"),
        text(row, "url_template", text(row, "url_format_string", text(row, "url_format"))),
    )


class Playground(NamedTuple):
    """A site that code of one language can be opened in (PLG rows)."""

    id: int
    name: str
    language: str
    url_template: str


def read_playground(row: Row) -> Playground:
    """A row of `realm_playgrounds`; public servers say `pygments_language`."""
    return Playground(
        required_int(row, "id"),
        text(row, "name"),
        text(row, "highlighter_language", text(row, "pygments_language")),
        text(row, "url_template", text(row, "url_prefix")),
    )


class CustomEmoji(NamedTuple):
    """An emoji of the organization; `code` is what reactions carry."""

    code: str
    name: str
    source_url: str
    still_url: str | None
    deactivated: bool
    author_id: int | None


def read_emoji(value: object) -> Iterator[CustomEmoji]:
    """The table `realm_emoji`, by code."""
    for code, entry in table(value).items():
        row = table(entry)
        if type(row.get("name")) is str:
            yield CustomEmoji(
                code=code,
                name=required_text(row, "name"),
                source_url=text(row, "source_url"),
                still_url=optional_text(row, "still_url"),
                deactivated=boolean(row, "deactivated"),
                author_id=optional_int(row, "author_id"),
            )


class ProfileField(NamedTuple):
    """A custom profile field: 1 short text, 2 long text, 3 list, 4 date, 5 link, 6 people, 7 account, 8
    pronouns.
    """

    id: int
    name: str
    type: int
    hint: str
    field_data: str
    order: int
    required: bool
    editable_by_user: bool
    display_in_profile_summary: bool


def read_profile_field(row: Row) -> ProfileField:
    """A row of `custom_profile_fields`."""
    return ProfileField(
        id=required_int(row, "id"),
        name=text(row, "name"),
        type=integer(row, "type", 1),
        hint=text(row, "hint"),
        field_data=text(row, "field_data"),
        order=integer(row, "order"),
        required=boolean(row, "required"),
        editable_by_user=boolean(row, "editable_by_user", True),
        display_in_profile_summary=boolean(row, "display_in_profile_summary"),
    )


class NavigationView(NamedTuple):
    """A view that one has pinned or hidden in navigation."""

    fragment: str
    is_pinned: bool
    name: str | None


def read_navigation_view(row: Row) -> NavigationView:
    """A row of `navigation_views`."""
    return NavigationView(
        required_text(row, "fragment"), boolean(row, "is_pinned"), optional_text(row, "name")
    )


class OwnBot(NamedTuple):
    """A bot of one's own. Its key is not kept: ask for it when it is wanted."""

    user_id: int
    full_name: str
    is_active: bool
    owner_id: int | None


def read_own_bot(row: Row) -> OwnBot:
    """A row of `realm_bots`."""
    return OwnBot(
        required_int(row, "user_id"),
        text(row, "full_name"),
        boolean(row, "is_active", True),
        optional_int(row, "owner_id"),
    )


class Attachment(NamedTuple):
    """A file that oneself uploaded, with the messages that link to it; `created` in UTC milliseconds."""

    id: int
    name: str
    path_id: str
    size: int
    created: int
    message_ids: tuple[int, ...]


def read_attachment(row: Row) -> Attachment:
    """The `attachment` of an event."""
    return Attachment(
        id=required_int(row, "id"),
        name=text(row, "name"),
        path_id=text(row, "path_id"),
        size=integer(row, "size"),
        created=integer(row, "create_time"),
        message_ids=tuple(integer(message, "id") for message in rows(row.get("messages"))),
    )
