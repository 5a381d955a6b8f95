"""cache.db: messages and views seen before, so that the first paint needs no network and old messages can be
searched.

Disposable: a damaged file is set aside and replaced by a new one; a file above its size limit loses what was
seen longest ago; if writing fails, the cache stops storing and sets a warning. Reads are quick and may be
made in any thread (on a separate connection, so they never wait for a write); writes belong in the cache's
own thread, see `post` and `run`.
"""

from __future__ import annotations

import asyncio
import json
import math
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import ParamSpec, TypeVar

from msgspec import Struct

from narrowcast_api.characters import encodable
from narrowcast_api.model.messages import Message
from narrowcast_api.narrow.destinations import ChannelDestination, Destination
from narrowcast_api.storage.cache_file import CacheFile
from narrowcast_api.storage.codec import message_from_text, message_to_text, plain_text
from narrowcast_api.storage.executors import MakeExecutor, own_thread
from narrowcast_api.storage.search import SearchHit, match_expression

MIGRATIONS = (
    (
        """CREATE TABLE messages (
            id INTEGER PRIMARY KEY, channel_id INTEGER, topic TEXT, people TEXT, sender_id INTEGER NOT NULL,
            seen INTEGER NOT NULL, body TEXT NOT NULL) STRICT""",
        "CREATE INDEX messages_by_topic ON messages (channel_id, topic, id) WHERE channel_id IS NOT NULL",
        "CREATE INDEX messages_by_channel ON messages (channel_id, id) WHERE channel_id IS NOT NULL",
        "CREATE INDEX messages_by_people ON messages (people, id) WHERE people IS NOT NULL",
        "CREATE INDEX messages_by_seen ON messages (seen, id)",
        """CREATE VIRTUAL TABLE words USING fts5(
            content, topic, sender, tokenize='unicode61 remove_diacritics 2')""",
        """CREATE TABLE views (
            key TEXT PRIMARY KEY, ids TEXT NOT NULL, anchor INTEGER, opened INTEGER NOT NULL) STRICT""",
        "CREATE TABLE parts (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT",
    ),
)

DEFAULT_LIMIT = 256 * 2**20
"""The size in bytes above which what was seen longest ago is deleted."""

_TARGET_FILL = 0.9
_MAX_VIEWS = 50
_MAX_ID = 2**63 - 1

P = ParamSpec("P")
T = TypeVar("T")


class CachedView(Struct, frozen=True):
    """The ids of the messages that a view had when it was last shown, ascending, and the selected one."""

    key: str
    ids: tuple[int, ...]
    anchor: int | None


class Cache:
    """Messages, views and the last snapshot of one account. Create one with `open`."""

    def __init__(
        self,
        path: Path | None,
        *,
        limit: int = DEFAULT_LIMIT,
        read_only: bool = False,
        executor: MakeExecutor = own_thread,
    ) -> None:
        self.file = CacheFile(path, MIGRATIONS, read_only=read_only)
        self._limit = limit
        self._marked = self._newest_use()
        self._executor = executor("narrowcast-cache")

    @classmethod
    def open(
        cls,
        path: Path | None,
        *,
        limit: int = DEFAULT_LIMIT,
        read_only: bool = False,
        executor: MakeExecutor = own_thread,
    ) -> Cache:
        """Opens or creates the file; `None` keeps everything in memory. Never raises for a bad disk or file.

        `read_only`: another instance writes to it; this one only reads.
        """
        return cls(path, limit=limit, read_only=read_only, executor=executor)

    @property
    def warning(self) -> str | None:
        """What the user must be told, or None."""
        return self.file.warning

    # reading

    def load_messages(self, ids: Sequence[int]) -> list[Message]:
        """The cached ones of these messages, ascending."""
        json_ids = json.dumps([number for number in ids if abs(number) <= _MAX_ID])
        return self._messages("id IN (SELECT value FROM json_each(?)) ORDER BY id", json_ids)

    def load_conversation(
        self, destination: Destination, me: int, limit: int, before: int | None = None
    ) -> list[Message]:
        """The newest messages of a conversation, ascending; only those before the id `before` if it is given."""
        return self._page(*_in_conversation(destination, me), limit, before)

    def load_conversation_after(
        self, destination: Destination, me: int, limit: int, after: int
    ) -> list[Message]:
        """The oldest messages of a conversation with ids above `after`, ascending."""
        where, parameters = _in_conversation(destination, me)
        return self._messages(f"{where} AND id > ? ORDER BY id LIMIT ?", *parameters, after, limit)

    def load_channel(self, channel_id: int, limit: int, before: int | None = None) -> list[Message]:
        """The newest messages of a channel, ascending."""
        return self._page("channel_id = ?", (channel_id,), limit, before)

    def load_newest(self, limit: int, before: int | None = None) -> list[Message]:
        """The newest messages of all conversations, ascending."""
        return self._page("TRUE", (), limit, before)

    def last_view(self) -> CachedView | None:
        """The view that was saved last."""
        for key, ids, anchor in self.file.read(
            "SELECT key, ids, anchor FROM views ORDER BY opened DESC LIMIT 1"
        ):
            with suppress(ValueError, TypeError):
                numbers = tuple(int(number) for number in json.loads(str(ids)))
                return CachedView(str(key), numbers, anchor if isinstance(anchor, int) else None)
        return None

    def load_after(self, message_id: int) -> list[Message]:
        """All messages with greater ids, ascending."""
        return self._messages("id > ? ORDER BY id", message_id)

    def load_snapshot(self) -> bytes | None:
        """The last response of registration, as passed to `save_snapshot`."""
        return self.load_part("snapshot")

    def load_part(self, name: str) -> bytes | None:
        """What was last passed to `save_part` under this name."""
        rows = self.file.read("SELECT value FROM parts WHERE name = ?", name)
        with suppress(IndexError, TypeError, zlib.error):
            return zlib.decompress(rows[0][0])  # type: ignore[arg-type]  # a blob, or TypeError
        return None

    def newest_marked(self) -> int | None:
        """The greatest id of the messages that were stored before the last `mark`; None if there are none."""
        rows = self.file.read(
            "SELECT id FROM messages WHERE +seen <= ? ORDER BY id DESC LIMIT 1", self._marked
        )
        return _number(rows[0][0]) if rows else None

    def search(self, text: str, limit: int = 100) -> list[SearchHit]:
        """Messages that have all these words, newest first; ignores accents and case, and the last word may
        be a prefix.
        """
        expression = match_expression(text)
        if expression is None:
            return []
        rows = self.file.read(
            """SELECT messages.id, snippet(words, 0, char(2), char(3), '…', 12) FROM words
               JOIN messages ON messages.id = words.rowid
               WHERE words MATCH ? ORDER BY words.rowid DESC LIMIT ?""",
            expression,
            limit,
            has_words=True,
        )
        return [SearchHit.parse(_number(row[0]), str(row[1])) for row in rows]

    # writing

    def save_messages(self, messages: Iterable[Message]) -> None:
        """Stores or replaces these messages. Drops all others if one is replaced by another message: see
        `forget_replaced`.
        """

        stored = list(messages)

        def write(connection: sqlite3.Connection) -> None:
            _forget_replaced(connection, stored)
            seen = _next(connection, "seen", "messages")
            for message in stored:
                if abs(message.id) <= _MAX_ID and abs(message.sender_id) <= _MAX_ID:
                    _store_message(connection, message, seen)

        self.file.write(write)
        self._shrink()

    def mark(self) -> None:
        """Records what is stored, for `newest_marked`. At first that is what earlier sessions have stored."""
        self._marked = self._newest_use()

    def forget_replaced(self, messages: Sequence[Message]) -> bool:
        """Deletes all messages if one of them is another than the one with its id in ``messages``, which are from the
        server: it was restored to an older state since. Returns whether that was so.
        """
        replaced: list[bool] = []
        self.file.write(lambda connection: replaced.append(_forget_replaced(connection, messages)))
        return any(replaced)

    def _newest_use(self) -> int:
        rows = self.file.read("SELECT max(seen) FROM messages")
        return _number(rows[0][0]) if rows else 0

    def delete_messages(self, ids: Sequence[int]) -> None:
        """Deletes these messages, because the server deleted them or they are no longer visible to the user."""
        self.file.write(lambda connection: _forget(connection, ids))

    def save_view(self, key: str, ids: Sequence[int], anchor: int | None) -> None:
        """Stores the messages of a view, as the last view."""

        def write(connection: sqlite3.Connection) -> None:
            opened = _next(connection, "opened", "views")
            connection.execute(
                "INSERT OR REPLACE INTO views VALUES (?, ?, ?, ?)",
                (encodable(key), json.dumps(list(ids)), anchor, opened),
            )
            connection.execute(
                "DELETE FROM views WHERE key NOT IN (SELECT key FROM views ORDER BY opened DESC LIMIT ?)",
                (_MAX_VIEWS,),
            )

        self.file.write(write)

    def save_snapshot(self, raw: bytes) -> None:
        """Stores a response of registration."""
        self.save_part("snapshot", raw)

    def save_part(self, name: str, value: bytes) -> None:
        """Stores a value under a name, in place of the one before."""
        packed = zlib.compress(value, 1)
        self.file.write(
            lambda connection: connection.execute(
                "INSERT OR REPLACE INTO parts VALUES (?, ?)", (name, packed)
            )
        )

    # threads

    def post(self, write: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Runs this in the cache's thread, after what was posted before."""
        try:
            return self._executor.submit(write, *args, **kwargs)
        except RuntimeError:  # closing
            cancelled: Future[T] = Future()
            cancelled.cancel()
            return cancelled

    async def run(self, read: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Runs this in the cache's thread and waits without blocking."""
        return await asyncio.wrap_future(self.post(read, *args, **kwargs))

    def verify_after_crash(self) -> None:
        """Checks the file if it was not closed by its last user."""
        if self.file.read("SELECT 1 FROM parts WHERE name = 'in use'"):
            self.file.verify()
        self.file.write(
            lambda connection: connection.execute("INSERT OR REPLACE INTO parts VALUES ('in use', x'')")
        )

    def close(self, timeout: float = 2.0, *, in_use: bool = False) -> None:
        """Lets the thread finish, for at most `timeout` seconds, and closes the file. `in_use`: other windows
        continue to use it.
        """
        with suppress(RuntimeError, TimeoutError):
            self._executor.submit((lambda: None) if in_use else self._closing).result(timeout)
        self._executor.shutdown(wait=False, cancel_futures=True)
        self.file.close()

    def _closing(self) -> None:
        self.file.write(lambda connection: connection.execute("DELETE FROM parts WHERE name = 'in use'"))

    @property
    def size(self) -> int:
        """The used size of the file in bytes."""
        pages, free, page = map(self._counted, ("page_count", "freelist_count", "page_size"))
        if not 0 <= free <= pages:
            self.file.rebuild()  # else a damaged number would make everything look too large, and be deleted
            return 0
        return (pages - free) * page

    def _counted(self, what: str) -> int:
        # One statement for all three numbers takes twenty times as long, and this runs for every message.
        rows = self.file.read(f"PRAGMA {what}")
        return _number(rows[0][0]) if rows else 0

    def _messages(self, where: str, *parameters: object) -> list[Message]:
        return list(_read_messages(self.file.read(f"SELECT body FROM messages WHERE {where}", *parameters)))

    def _page(
        self, where: str, parameters: tuple[object, ...], limit: int, before: int | None
    ) -> list[Message]:
        bound = _MAX_ID if before is None else before
        condition = f"{where} AND id < ? ORDER BY id DESC LIMIT ?"
        return self._messages(condition, *parameters, bound, limit)[::-1]

    def _shrink(self) -> None:
        """Deletes what was seen longest ago until the file is below its limit, with some room to spare."""
        size = self.size
        while size > self._limit:
            rows = self.file.read("SELECT count(*) FROM messages")
            excess = (size - _TARGET_FILL * self._limit) / size
            many = math.ceil(_number(rows[0][0]) * excess) if rows else 0
            oldest = self.file.read("SELECT id FROM messages ORDER BY seen, id LIMIT ?", many)
            self.delete_messages([_number(row[0]) for row in oldest])
            before, size = size, self.size
            if not oldest or size >= before:
                return  # nothing is left, or deleting fails: avoid an endless loop
        if self._counted("freelist_count"):
            self.file.vacuum()


def _in_conversation(destination: Destination, me: int) -> tuple[str, tuple[object, ...]]:
    """The condition for the messages of a conversation, and its parameters."""
    if isinstance(destination, ChannelDestination):
        return "channel_id = ? AND topic = ?", (destination.channel_id, encodable(destination.topic.lower()))
    return "people = ?", (_people(destination.user_ids | {me}),)


def _read_messages(rows: Iterable[Sequence[object]]) -> Iterator[Message]:
    """The messages of rows with their bodies, without those that cannot be read."""
    for (body,) in rows:
        with suppress(ValueError, TypeError, IndexError):
            yield message_from_text(str(body))


def _next(connection: sqlite3.Connection, column: str, table: str) -> int:
    """The next number in the order of use; not a time, because clocks may jump and other windows count too."""
    (greatest,) = connection.execute(f"SELECT max({column}) FROM {table}").fetchone()
    return _number(greatest) + 1


def _store_message(connection: sqlite3.Connection, message: Message, seen: int) -> None:
    people = None if message.direct_user_ids is None else _people(message.direct_user_ids)
    topic = None if message.topic is None else encodable(message.topic.lower())
    body = message_to_text(message)
    if connection.execute(
        "UPDATE messages SET seen = ? WHERE id = ? AND body = ?", (seen, message.id, body)
    ).rowcount:
        return  # indexed already; indexing takes longest, and refetched pages have many such messages
    connection.execute(
        "INSERT OR REPLACE INTO messages VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            message.id,
            message.channel_id,
            topic,
            people,
            message.sender_id,
            seen,
            body,
        ),
    )
    connection.execute(
        "INSERT OR REPLACE INTO words (rowid, content, topic, sender) VALUES (?, ?, ?, ?)",
        (
            message.id,
            encodable(plain_text(message.content)),
            encodable(message.topic or ""),
            encodable(message.sender_name),
        ),
    )


def _forget_replaced(connection: sqlite3.Connection, messages: Sequence[Message]) -> bool:
    by_id = {message.id: message for message in messages if abs(message.id) <= _MAX_ID}
    rows = connection.execute(
        "SELECT body FROM messages WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(list(by_id)),)
    )
    is_replaced = any(by_id[old.id].is_other(old) for old in _read_messages(rows))
    if is_replaced:
        connection.execute("DELETE FROM words")
        connection.execute("DELETE FROM messages")
    return is_replaced


def _forget(connection: sqlite3.Connection, ids: Sequence[int]) -> None:
    json_ids = json.dumps([number for number in ids if abs(number) <= _MAX_ID])
    connection.execute("DELETE FROM words WHERE rowid IN (SELECT value FROM json_each(?))", (json_ids,))
    connection.execute("DELETE FROM messages WHERE id IN (SELECT value FROM json_each(?))", (json_ids,))


def _people(user_ids: Iterable[int]) -> str:
    return ",".join(str(user_id) for user_id in sorted(user_ids))


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0
