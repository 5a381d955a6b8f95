"""Alert words: words of which a user wants to be notified."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from narrowcast_server.http.params import required, strings
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.checks import check_length
from narrowcast_server.organization.models import User
from narrowcast_server.queries.snapshot.parts import Snapshot, part
from narrowcast_server.rules.quotas import check_room

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

_MAX_LENGTH: Final = 100


def alert_words_of(organization: Organization, user: User) -> list[str]:
    """A user's alert words, in their order."""
    return organization.store.strings(
        "SELECT word FROM alert_words WHERE user_id = ? ORDER BY position", user.id
    )


def add_alert_words(organization: Organization, user: User, given: Iterable[str]) -> list[str]:
    """Adds words to those that exist; returns all."""
    words = list(dict.fromkeys(word.strip() for word in given if word.strip()))
    for word in words:
        check_length("alert_words", word, _MAX_LENGTH)
    there = {word.casefold() for word in alert_words_of(organization, user)}
    check_room(organization, user, "alert_words", len({word.casefold() for word in words} - there))
    position = (
        organization.store.integer("SELECT max(position) FROM alert_words WHERE user_id = ?", user.id) or 0
    )
    organization.store.execute_many(
        "INSERT OR IGNORE INTO alert_words (user_id, word, position) VALUES (?, ?, ?)",
        [(user.id, word, position + offset) for offset, word in enumerate(words, start=1)],
    )
    return _emit_words(organization, user)


def remove_alert_words(organization: Organization, user: User, given: Iterable[str]) -> list[str]:
    """Removes words; returns those that are left."""
    organization.store.execute_many(
        "DELETE FROM alert_words WHERE user_id = ? AND word = ?", [(user.id, word.strip()) for word in given]
    )
    return _emit_words(organization, user)


def _emit_words(organization: Organization, user: User) -> list[str]:
    words = alert_words_of(organization, user)
    organization.emit({"type": "alert_words", "alert_words": words}, [user.id])
    return words


@part("alert_words")
def alert_words(request: Snapshot) -> dict[str, object]:
    """The caller's alert words, in their order."""
    return {"alert_words": alert_words_of(request.organization, request.user)}


routes = Routes()

WORDS = required("alert_words", strings)


@routes.get("/users/me/alert_words")
def get_alert_words(call: Call) -> ResponseBody:
    """The caller's alert words."""
    return {"alert_words": alert_words_of(call.organization, call.user)}


@routes.post("/users/me/alert_words", WORDS)
def post_alert_words(call: Call) -> ResponseBody:
    """Adds alert words to those that exist."""
    return {"alert_words": add_alert_words(call.organization, call.user, call[WORDS])}


@routes.delete("/users/me/alert_words", WORDS)
def delete_alert_words(call: Call) -> ResponseBody:
    return {"alert_words": remove_alert_words(call.organization, call.user, call[WORDS])}
