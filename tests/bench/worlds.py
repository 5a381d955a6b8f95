"""Organizations for benchmarks, written into a data folder without the server.

PYTHONPATH=tests python -m bench.worlds FOLDER KIND      (in a process of its own, so that its memory is not
measured)
"""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from narrowcast_api.wire.vocabulary import Role
from narrowcast_server.actions import new_organization
from narrowcast_server.demo import populate
from narrowcast_server.organization.config import ServerConfig
from narrowcast_server.organization.organization import Organization
from narrowcast_server.resources.channels.creation import create_channel
from narrowcast_server.resources.users.accounts import create_user

READ = 1
"""The flag of a read message in the store."""
NOW = 1_780_000_000
ALL_IN = 202
"""The users who follow the first channel with `all_in`: Ada, Bruno, and the first of the others."""
DIFFERENT = 5_000
"""Texts of messages."""
RARE = 40
"""The number of messages with the word "needle", however many messages there are."""
WORDS = [
    "release",
    "gateway",
    "build",
    "queue",
    "cache",
    "index",
    "fails",
    "again",
    "since",
    "noon",
    "nobody",
    "knows",
    "why",
    "the",
    "same",
    "test",
    "passes",
    "here",
    "with",
    "another",
    "version",
    "of",
    "what",
    "we",
    "ship",
    "on",
    "Friday",
    "please",
    "look",
    "at",
    "that",
    "page",
    "and",
    "say",
    "whether",
    "it",
    "should",
    "wait",
    "until",
    "somebody",
    "has",
    "read",
    "all",
    "of",
    "it",
    "or",
    "go",
    "out",
    "as",
    "planned",
    "thanks",
    "I",
    "will",
    "try",
    "once",
    "more",
    "tonight",
    "after",
    "dinner",
]


@cache
def words(number: int, most: int = 60) -> str:
    """Returns the text of a message: different words for each number, of typical length."""
    source = random.Random(number)
    count = source.randint(3, 12) if number % 4 else source.randint(12, most)
    return " ".join(source.choices(WORDS, k=count)).capitalize() + "."


def name(number: int) -> str:
    """Returns the name of a user."""
    source = random.Random(number)
    return f"{source.choice(WORDS).capitalize()} {source.choice(WORDS).capitalize()} {number}"


@dataclass(frozen=True, slots=True)
class Size:
    """The size of an organization. Ada follows all channels."""

    users: int
    channels: int
    unread: int
    read_each: int = 20
    """Messages in each channel that Ada has read."""
    topics: int = 10
    """Topics in each channel."""
    all_in: bool = False
    """Whether the first users follow the first channel."""
    searched: bool = False
    """Whether messages are indexed for search."""


KINDS = {
    "people": Size(users=300, channels=20, unread=0, read_each=40),
    "middle": Size(users=20_000, channels=300, unread=5_000),
    "large": Size(users=50_000, channels=5_000, unread=100_000, read_each=0, topics=2),
    "busy": Size(users=200, channels=20, unread=0, read_each=5_000),
    "clients": Size(users=2_000, channels=5, unread=0, all_in=True),
    "10,000 messages": Size(users=100, channels=20, unread=500, read_each=475, topics=4, searched=True),
    "1,000,000 messages": Size(users=100, channels=20, unread=500, read_each=49_975, topics=4, searched=True),
}


def make(folder: Path, kind: str) -> None:
    """Creates the data folder; ``demo`` is the demo data without simulated people. Ada's key is written to
    ``ada.key``.
    """
    folder.mkdir(parents=True, mode=0o700)
    organization = Organization(folder, ServerConfig(durable=False))
    try:
        if kind == "demo":
            populate(organization)
        else:
            with organization.transaction():
                _fill(organization, KINDS[kind])
        for name in ("ada", "bruno"):
            person = next(
                user for user in organization.users.all() if user.delivery_email.startswith(f"{name}")
            )
            (folder / f"{name}.key").write_text(f"{person.delivery_email} {person.api_key}")
    finally:
        organization.close()


def _fill(organization: Organization, size: Size) -> None:
    new_organization.set_up(organization, name="Large", domain="demo.example", description="")
    ada = create_user(organization, email="ada@demo.example", full_name="Ada Moreno", role=Role.OWNER)
    bruno = create_user(organization, email="bruno@demo.example", full_name="Bruno Castell")
    channel = create_channel(organization, None, "channel 0", description="Things.")
    store = organization.store
    store.execute_many(
        "INSERT INTO users (delivery_email, full_name, role, api_key, date_joined, settings)"
        " SELECT ?, ?, role, ?, date_joined, settings FROM users WHERE id = ?",
        ((f"user{i}@demo.example", name(i), f"key{i:029}", bruno.id) for i in range(size.users)),
    )
    store.execute_many(
        "INSERT INTO channels (name, description, rendered_description, date_created, settings)"
        " SELECT ?, description, rendered_description, date_created, settings FROM channels WHERE id = ?",
        ((f"channel {i}", channel.id) for i in range(1, size.channels)),
    )
    for person in (ada, bruno):
        store.execute(
            "INSERT INTO subscriptions (user_id, channel_id, color) SELECT ?, id, '#76ce90' FROM channels",
            person.id,
        )
    messages = size.read_each * size.channels + size.unread
    unread_from = messages - size.unread
    channels = store.integers("SELECT id FROM channels ORDER BY id")
    rare = max(messages // RARE, 1)

    def text(number: int) -> str:
        return f"{words(number % DIFFERENT)}{' Needle.' if number % rare == 0 else ''}"

    store.execute_many(
        "INSERT INTO messages (id, sender_id, channel_id, topic, content, rendered, timestamp, client)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, 'bench')",
        (
            (
                i + 1,
                bruno.id,
                channels[i % len(channels)],
                f"topic {i // len(channels) % size.topics}",
                text(i),
                f"<p>{text(i)}</p>",
                NOW + 60 * i // 20,
            )
            for i in range(messages)
        ),
    )
    store.execute(
        "INSERT INTO user_messages (user_id, message_id, flags) SELECT ?, id, CASE WHEN id <= ? THEN ? ELSE 0 END"
        " FROM messages",
        ada.id,
        unread_from,
        READ,
    )
    store.execute(
        "INSERT INTO user_messages (user_id, message_id, flags) SELECT ?, id, ? FROM messages",
        bruno.id,
        READ,
    )
    if size.all_in:
        store.execute(
            "INSERT OR IGNORE INTO subscriptions (user_id, channel_id, color)"
            " SELECT id, ?, '#76ce90' FROM users WHERE bot_type IS NULL ORDER BY id LIMIT ?",
            channel.id,
            ALL_IN,
        )
    if size.searched:
        store.execute(
            "INSERT INTO message_words (rowid, content, topic) SELECT id, content, topic FROM messages"
        )
    organization.forget()


if __name__ == "__main__":
    make(Path(sys.argv[1]), sys.argv[2])
