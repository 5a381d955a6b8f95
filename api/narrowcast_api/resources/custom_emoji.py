"""The organization's own emoji (outside the contract, CONV-23)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from narrowcast_api.http.operations import Bound, Done, Operations, read, text_segment
from narrowcast_api.model.reading import (
    BadRow,
    RawRecord,
    boolean,
    optional_int,
    optional_text,
    required_text,
    table,
    text,
)
from narrowcast_api.resources.collection import Collection, EventHandlers
from narrowcast_api.wire.event import Event
from narrowcast_api.wire.model import WireModel, read_by

if TYPE_CHECKING:
    from narrowcast_api.http.connection import Connection


class CustomEmoji(NamedTuple):
    """A custom emoji of the organization; reactions refer to it by `code`.

    `source_url` is relative to the organization's address; `still_url` is None unless the emoji is animated.
    """

    code: str
    name: str
    source_url: str
    still_url: str | None
    deactivated: bool
    author_id: int | None


def read_custom_emoji(row: RawRecord) -> CustomEmoji:
    """Reads a value of `realm_emoji`, or the `emoji` of an event; its `id` may be a text or a number."""
    code = row.get("id")
    return CustomEmoji(
        code=str(code) if type(code) is int else required_text(row, "id"),
        name=required_text(row, "name"),
        source_url=text(row, "source_url"),
        still_url=optional_text(row, "still_url"),
        deactivated=boolean(row, "deactivated"),
        author_id=optional_int(row, "author_id"),
    )


def read_custom_emoji_table(value: RawRecord) -> dict[str, CustomEmoji]:
    """Reads the table `realm_emoji`, by code; invalid entries are left out."""
    emoji: dict[str, CustomEmoji] = {}
    for code, row in value.items():
        if isinstance(row, Mapping):
            try:
                emoji[code] = read_custom_emoji({**row, "id": code})
            except BadRow:
                continue
    return emoji


CustomEmojiRow = Annotated[CustomEmoji, read_by(read_custom_emoji)]
CustomEmojiTable = Annotated[dict[str, CustomEmoji], read_by(read_custom_emoji_table)]
"""Custom emoji by their codes."""


class CustomEmojiCollection(Collection[str, CustomEmoji]):
    """The organization's emoji in the state; a snapshot has them as a table by code."""

    def __init__(self) -> None:
        super().__init__("realm_emoji", lambda emoji: emoji.code, read_custom_emoji)

    def load(self, snapshot: RawRecord) -> None:
        self.put(read_custom_emoji_table(table(snapshot.get("realm_emoji"))).values())


# events


class RealmEmojiEvent(Event):
    """All custom emoji, by id; sent by servers without events for individual changes (below level 491)."""

    type: Literal["realm_emoji"] = "realm_emoji"
    op: Literal["update"] = "update"
    realm_emoji: CustomEmojiTable


class RealmEmojiAddEvent(Event):
    """A custom emoji was added."""

    type: Literal["realm_emoji"] = "realm_emoji"
    op: Literal["add"] = "add"
    emoji: CustomEmojiRow


class RealmEmojiUpdateOneEvent(Event):
    """Fields of one custom emoji changed; ``data`` contains the new values by name."""

    type: Literal["realm_emoji"] = "realm_emoji"
    op: Literal["update_one", "edit"] = "update_one"
    emoji_id: str
    data: dict[str, Any]


handlers = EventHandlers[CustomEmojiCollection]()


@handlers.of(RealmEmojiEvent)
def _replace(all_emoji: CustomEmojiCollection, event: RealmEmojiEvent) -> None:
    all_emoji.replace(event.realm_emoji.values())


@handlers.of(RealmEmojiAddEvent)
def _add(all_emoji: CustomEmojiCollection, event: RealmEmojiAddEvent) -> None:
    all_emoji.put([event.emoji])


@handlers.of(RealmEmojiUpdateOneEvent)
def _update(all_emoji: CustomEmojiCollection, event: RealmEmojiUpdateOneEvent) -> None:
    emoji = all_emoji.get(event.emoji_id)
    if emoji is not None:
        all_emoji.put([read_custom_emoji({**emoji._asdict(), **event.data, "id": emoji.code})])


# operations


class CustomEmojiList(WireModel):
    """Response of GET /realm/emoji."""

    emoji: CustomEmojiTable = {}


async def list_custom_emoji(connection: Connection) -> dict[str, CustomEmoji]:
    """GET /realm/emoji: emoji by id, including deactivated ones, because old messages still show them."""
    return dict(read(CustomEmojiList, await connection.request("GET", "/realm/emoji")).emoji)


async def upload_custom_emoji(
    connection: Connection,
    *,
    emoji_name: str,
    image: bytes,
    file_name: str = "emoji.png",
    content_type: str = "image/png",
) -> Done:
    """POST /realm/emoji/{emoji_name}: create an emoji from the bytes of an image.

    Raises BadRequest if the name is taken or invalid, BadImage if it is not an image.
    """
    path = f"/realm/emoji/{text_segment(emoji_name, 'emoji_name')}"
    files = {"filename": (file_name, image, content_type)}
    return read(Done, await connection.request("POST", path, files=files))


async def deactivate_custom_emoji(connection: Connection, *, emoji_name: str) -> Done:
    """DELETE /realm/emoji/{emoji_name}: deactivate an emoji. Raises NotFound if there is none of that name."""
    path = f"/realm/emoji/{text_segment(emoji_name, 'emoji_name')}"
    return read(Done, await connection.request("DELETE", path))


class CustomEmojiOperations(Operations):
    """The organization's own emoji."""

    list = Bound(list_custom_emoji)
    upload = Bound(upload_custom_emoji)
    deactivate = Bound(deactivate_custom_emoji)
