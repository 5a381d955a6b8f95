"""Fills the client's cache from the server's database, as for a long-time user."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from narrowcast_api.model.messages import Message
from narrowcast_api.storage.cache import Cache


def fill(folder: Path, database: Path, *, limit: int) -> int:
    """Puts the newest ``limit`` channel messages into the only cache below ``folder``; returns their number."""
    (path,) = (folder / "cache").rglob("cache.db")
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as source:
        rows = source.execute(
            "SELECT m.id, m.sender_id, u.full_name, u.delivery_email, m.timestamp, m.rendered, m.channel_id, m.topic"
            " FROM messages m JOIN users u ON u.id = m.sender_id WHERE m.channel_id IS NOT NULL"
            " ORDER BY m.id DESC LIMIT ?",
            (limit,),
        ).fetchall()
    source.close()
    cache = Cache.open(path, limit=1 << 40)
    try:
        for start in range(0, len(rows), 5000):
            cache.save_messages(
                Message(
                    i,
                    sender,
                    name,
                    email,
                    when,
                    html,
                    channel_id=channel,
                    topic=topic,
                    flags=frozenset({"read"}),
                )
                for i, sender, name, email, when, html, channel, topic in rows[start : start + 5000]
            )
    finally:
        cache.close()
    return len(rows)
