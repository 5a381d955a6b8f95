"""Renders all texts of a data folder again, since a database from elsewhere can hold any HTML.

HTML that is stored stays if it says the same as the new one. The new one may have less: mentions of people, and
links to channels, that had other names when the text was written.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from narrowcast_api.wire.vocabulary import ProfileFieldType
from narrowcast_server.markdown.sanitize import sanitized
from narrowcast_server.organization.config import ServerConfig
from narrowcast_server.organization.organization import Organization
from narrowcast_server.queries.rendering import rendered_anyway, rendered_apart
from narrowcast_server.storage.store import Row, Value

_ROWS: Final = 200
"""In one transaction."""
_TAG: Final = re.compile(r"<[^>]*>")
_ADDRESS: Final = re.compile(r'\s(?:href|src|data-original-src|style)="([^"]*)"')
_OWN_ADDRESS: Final = re.compile(r"/?#narrow/|/?user_uploads/")
_USER_ID: Final = re.compile(r"\|\d+(?=\*\*)")
_NOT_WORDS: Final = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class _EarlierTexts:
    """A table with texts of one writer each, or of nobody."""

    table: str
    source: str
    html: str
    writer: str = ""
    key: str = "id"


_TABLES: Final = (
    _EarlierTexts("scheduled_messages", "content", "rendered", "user_id"),
    _EarlierTexts("reminders", "content", "rendered", "user_id"),
    _EarlierTexts("channels", "description", "rendered_description"),
    _EarlierTexts("channel_folders", "description", "rendered_description"),
)


async def rerender(data: Path) -> int:
    """Replaces the HTML that is not that of its text; returns of how many texts."""
    organization = Organization(data, ServerConfig(durable=False), keys_stay_sealed=True)
    try:
        work = _Work(organization)
        for texts in _TABLES:
            await work.table(texts)
        await work.messages()
        await work.profiles()
        return work.replaced
    finally:
        await organization.workers.stop()
        await organization.renderings.stop()
        organization.close()


class _Work:
    def __init__(self, organization: Organization) -> None:
        self._organization = organization
        self.replaced = 0

    async def table(self, texts: _EarlierTexts) -> None:
        """Renders the texts of a table."""
        writer = texts.writer or "NULL"
        columns = f"id, {texts.source} AS source, {texts.html} AS html, {writer} AS writer"
        await self._each(
            f"SELECT {columns} FROM {texts.table}",
            f"UPDATE {texts.table} SET {texts.html} = ? WHERE id = ?",
            self._one,
        )

    async def messages(self) -> None:
        """Renders the messages and their earlier texts."""
        await self._each(
            "SELECT id, content AS source, rendered AS html, sender_id AS writer, history FROM messages",
            "UPDATE messages SET rendered = ?, history = ? WHERE id = ?",
            self._message,
        )

    async def profiles(self) -> None:
        """Renders the values of profile fields."""
        store = self._organization.store
        for row in store.all(
            "SELECT v.user_id, v.field_id, v.value, v.rendered_value, f.type FROM profile_values v"
            " JOIN profile_fields f ON f.id = v.field_id WHERE v.rendered_value IS NOT NULL"
        ):
            is_text = row["type"] in (ProfileFieldType.SHORT_TEXT, ProfileFieldType.LONG_TEXT)
            fresh = await self._fresh(row["value"], row["rendered_value"], None) if is_text else None
            if fresh != row["rendered_value"]:
                with self._organization.transaction():
                    store.execute(
                        "UPDATE profile_values SET rendered_value = ? WHERE user_id = ? AND field_id = ?",
                        fresh,
                        row["user_id"],
                        row["field_id"],
                    )
                self.replaced += 1

    async def _each(
        self, select: str, update: str, work: Callable[[Row], Awaitable[Sequence[Value] | None]]
    ) -> None:
        for rows in self._pages(select):
            changes = [(await work(row), row["id"]) for row in rows]
            with self._organization.transaction():
                for values, identity in changes:
                    if values is not None:
                        self._organization.store.execute(update, *values, identity)
                        self.replaced += 1

    def _pages(self, select: str) -> Iterator[list[Row]]:
        last = -(2**63)
        while rows := self._organization.store.all(f"{select} WHERE id > ? ORDER BY id LIMIT ?", last, _ROWS):
            yield rows
            last = rows[-1]["id"]

    async def _one(self, row: Row) -> Sequence[Value] | None:
        fresh = await self._fresh(row["source"], row["html"], row["writer"])
        return None if fresh == row["html"] else (fresh,)

    async def _message(self, row: Row) -> Sequence[Value] | None:
        fresh = await self._fresh(row["source"], row["html"], row["writer"])
        history: list[dict[str, Any]] = json.loads(row["history"])
        for entry in history:
            if "prev_content" in entry:
                before = str(entry.get("prev_rendered_content", ""))
                entry["prev_rendered_content"] = await self._fresh(
                    str(entry["prev_content"]), before, row["writer"]
                )
        if fresh == row["html"] and history == json.loads(row["history"]):
            return None
        return fresh, json.dumps(history)

    async def _fresh(self, source: str, stored: str, writer: int | None) -> str:
        organization = self._organization
        if not source:
            fresh = ""
        elif writer is None:
            fresh = await organization.renderings.with_renderings(
                lambda: rendered_apart(organization, source)
            )
        else:
            fresh = (await rendered_anyway(organization, organization.users[writer], source)).html
        return stored if says_the_same(stored, fresh) else fresh


def says_the_same(stored: str, fresh: str) -> bool:
    """Whether stored HTML has the words of new HTML, no other addresses except views and uploads of the
    organization, and nothing that is not allowed.
    """
    if stored == fresh:
        return True
    addresses = set(_ADDRESS.findall(stored)) - set(_ADDRESS.findall(fresh))
    return (
        sanitized(stored) == stored
        and all(_OWN_ADDRESS.match(address) for address in addresses)
        and _words(stored) == _words(fresh)
    )


def _words(text: str) -> str:
    return _NOT_WORDS.sub("", html.unescape(_USER_ID.sub("", _TAG.sub("", text))))
