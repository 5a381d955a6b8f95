"""Alert words: words of which a user wants to be notified."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from narrowcast_server.organization.checks import check_length
from narrowcast_server.organization.models import User
from narrowcast_server.queries.alert_words import alert_words
from narrowcast_server.rules.quotas import check_room

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core

_MAX_LENGTH: Final = 100


def add_alert_words(core: Core, user: User, given: Iterable[str]) -> list[str]:
    """Adds words to those that exist; returns all."""
    words = list(dict.fromkeys(word.strip() for word in given if word.strip()))
    for word in words:
        check_length("alert_words", word, _MAX_LENGTH)
    there = {word.casefold() for word in alert_words(core, user)}
    check_room(core, user, "alert_words", len({word.casefold() for word in words} - there))
    position = core.store.integer("SELECT max(position) FROM alert_words WHERE user_id = ?", user.id) or 0
    core.store.execute_many(
        "INSERT OR IGNORE INTO alert_words (user_id, word, position) VALUES (?, ?, ?)",
        [(user.id, word, position + offset) for offset, word in enumerate(words, start=1)],
    )
    return _emit_words(core, user)


def remove_alert_words(core: Core, user: User, given: Iterable[str]) -> list[str]:
    """Removes words; returns those that are left."""
    core.store.execute_many(
        "DELETE FROM alert_words WHERE user_id = ? AND word = ?", [(user.id, word.strip()) for word in given]
    )
    return _emit_words(core, user)


def _emit_words(core: Core, user: User) -> list[str]:
    words = alert_words(core, user)
    core.emit({"type": "alert_words", "alert_words": words}, [user.id])
    return words
