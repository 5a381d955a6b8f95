"""Personal settings, muted users, alert words."""

from __future__ import annotations

from typing import Final

from narrowcast_server.actions.keys import replace_key
from narrowcast_server.actions.message_moves import mark_read
from narrowcast_server.actions.users import check_full_name, emit_avatar, emit_delivery_email, emit_person
from narrowcast_server.http.call_limits import address_of
from narrowcast_server.http.params import (
    Param,
    boolean,
    integer,
    limited,
    optional,
    required,
    string,
    strings,
)
from narrowcast_server.http.routing import Answer, Call, Routes
from narrowcast_server.organization import personal
from narrowcast_server.organization.errors import ServiceError, no_such_user
from narrowcast_server.organization.models import User
from narrowcast_server.organization.passwords import MAX_PASSWORD, MIN_PASSWORD
from narrowcast_server.queries.users import avatar_url
from narrowcast_server.rules.addresses import api_address
from narrowcast_server.rules.quotas import check_room

routes = Routes()


def _declared() -> dict[str, Param[object]]:
    declared: dict[str, Param[object]] = {}
    for name, default in personal.DEFAULTS.items():
        if isinstance(default, bool):
            declared[name] = optional(name, boolean)
        elif isinstance(default, int):
            declared[name] = optional(name, integer)
        else:
            declared[name] = optional(name, string)
    return declared


SETTINGS = _declared()
FULL_NAME = optional("full_name", string)
TIMEZONE = optional("timezone", string)
OLD_PASSWORD = optional("old_password", string)
NEW_PASSWORD = optional("new_password", limited(MAX_PASSWORD))
WORDS = required("alert_words", strings)


PARAMS: Final = (*SETTINGS.values(), FULL_NAME, TIMEZONE, OLD_PASSWORD, NEW_PASSWORD)


@routes.patch("/settings", *PARAMS)
async def update_settings(call: Call) -> Answer:
    """Changes what the request carries. With a new password comes a new key, `api_key`: who had the old one is out."""
    password_hash = await _new_password_hash(call)
    with call.core.transaction():
        _change(call)
        if password_hash is None:
            return {}
        call.core.users.update(call.user.id, password_hash=password_hash)
        return {"api_key": replace_key(call.core, call.user)}


def _change(call: Call) -> None:
    core = call.core
    values = {
        name: personal.check(name, call[param]) for name, param in SETTINGS.items() if call.given(param)
    }
    _rename(call)
    _move_timezone(call)
    if values:
        before = core.users[call.user.id]
        after = personal.change(core, before, values)
        if "email_address_visibility" in values:
            _tell_of_address(call, before, after)
        if "enable_drafts_synchronization" in values and not values["enable_drafts_synchronization"]:
            core.store.execute("DELETE FROM drafts WHERE user_id = ?", after.id)


def _rename(call: Call) -> None:
    name = call[FULL_NAME]
    if name is None or name.strip() == call.user.full_name:
        return
    name = check_full_name(call.core, name)
    if call.core.setting_bool("name_changes_disabled") and not call.user.is_administrator:
        return
    user = call.core.users.update(call.user.id, full_name=name)
    emit_person(call.core, user, full_name=name)


def _move_timezone(call: Call) -> None:
    timezone = call[TIMEZONE]
    if timezone is None or timezone == call.user.timezone:
        return
    user = call.core.users.update(call.user.id, timezone=personal.check_timezone(timezone))
    event = {"type": "user_settings", "op": "update", "property": "timezone", "value": timezone}
    call.core.emit(event, [user.id])
    emit_person(call.core, user, email=api_address(call.core, user), timezone=timezone)


async def _new_password_hash(call: Call) -> str | None:
    """Of the new password, if there is one; raises BAD_REQUEST without the old one."""
    core, new = call.core, call[NEW_PASSWORD]
    if new is None:
        return None
    if len(new) < MIN_PASSWORD:
        raise ServiceError("New password is too weak!")
    row = core.store.one("SELECT password_hash FROM users WHERE id = ?", call.user.id)
    if row is not None and row["password_hash"] is not None:
        place = address_of(call.request)
        core.sign_ins.hit(call.user.id, "", place)
        if not await core.passwords.fits(row["password_hash"], call[OLD_PASSWORD] or "", place):
            raise ServiceError("Wrong password!")
        core.sign_ins.succeeded(call.user.id, place)
    return await core.passwords.hashed(new)


def _tell_of_address(call: Call, before: User, after: User) -> None:
    """The API address may be another now, and others may see the real one, or not any more."""
    core = call.core
    old, new = api_address(core, before), api_address(core, after)
    if old != new:
        emit_person(core, after, new_email=new)
    if avatar_url(before) != avatar_url(after):
        emit_avatar(core, after)
    viewers = {user_id: core.users[user_id] for user_id in core.listening_ids() if user_id != after.id}
    emit_delivery_email(core, after, viewers)


@routes.post("/users/me/muted_users/{muted_user_id}")
def mute_user(call: Call) -> Answer:
    """Mutes somebody: what they send is read for the caller."""
    core, user = call.core, call.user
    muted_id = call.path_id("muted_user_id")
    if muted_id == user.id:
        raise ServiceError("Cannot mute self")
    if core.users.get(muted_id) is None:
        raise no_such_user()
    if _is_muted(call, muted_id):
        raise ServiceError("User already muted")
    check_room(core, user, "muted_users")
    core.store.execute("INSERT INTO muted_users VALUES (?, ?, ?)", user.id, muted_id, core.now())
    _read_all_of(call, muted_id)
    _tell_muted(call)
    return {}


def _read_all_of(call: Call, muted_id: int) -> None:
    ids = call.core.store.integers(
        "SELECT um.message_id FROM user_messages um JOIN messages m ON m.id = um.message_id"
        " WHERE um.user_id = ? AND um.flags & 1 = 0 AND m.sender_id = ?",
        call.user.id,
        muted_id,
    )
    mark_read(call.core, call.user, ids)


@routes.delete("/users/me/muted_users/{muted_user_id}")
def unmute_user(call: Call) -> Answer:
    """Ends it."""
    muted_id = call.path_id("muted_user_id")
    if not _is_muted(call, muted_id):
        raise ServiceError("User is not muted")
    call.core.store.execute(
        "DELETE FROM muted_users WHERE user_id = ? AND muted_id = ?", call.user.id, muted_id
    )
    _tell_muted(call)
    return {}


def _is_muted(call: Call, muted_id: int) -> bool:
    row = call.core.store.one(
        "SELECT 1 FROM muted_users WHERE user_id = ? AND muted_id = ?", call.user.id, muted_id
    )
    return row is not None


def _tell_muted(call: Call) -> None:
    rows = call.core.store.all(
        "SELECT muted_id, timestamp FROM muted_users WHERE user_id = ? ORDER BY timestamp", call.user.id
    )
    muted = [{"id": row["muted_id"], "timestamp": row["timestamp"]} for row in rows]
    call.core.emit({"type": "muted_users", "muted_users": muted}, [call.user.id])


@routes.get("/users/me/alert_words")
def get_alert_words(call: Call) -> Answer:
    """The caller's alert words."""
    return {"alert_words": _words(call)}


@routes.post("/users/me/alert_words", WORDS)
def add_alert_words(call: Call) -> Answer:
    """Adds words; those that are there already stay."""
    core, user = call.core, call.user
    words = list(dict.fromkeys(word.strip() for word in call[WORDS] if word.strip()))
    if any(len(word) > 100 for word in words):
        raise ServiceError("alert_words is too long (limit: 100 characters)")
    there = {word.casefold() for word in _words(call)}
    check_room(core, user, "alert_words", len({word.casefold() for word in words} - there))
    position = core.store.integer("SELECT max(position) FROM alert_words WHERE user_id = ?", user.id) or 0
    for offset, word in enumerate(words, start=1):
        core.store.execute(
            "INSERT OR IGNORE INTO alert_words (user_id, word, position) VALUES (?, ?, ?)",
            user.id,
            word,
            position + offset,
        )
    return _told_words(call)


@routes.delete("/users/me/alert_words", WORDS)
def remove_alert_words(call: Call) -> Answer:
    """Removes words."""
    call.core.store.execute_many(
        "DELETE FROM alert_words WHERE user_id = ? AND word = ?",
        [(call.user.id, word.strip()) for word in call[WORDS]],
    )
    return _told_words(call)


def _told_words(call: Call) -> Answer:
    words = _words(call)
    call.core.emit({"type": "alert_words", "alert_words": words}, [call.user.id])
    return {"alert_words": words}


def _words(call: Call) -> list[str]:
    return call.core.store.strings(
        "SELECT word FROM alert_words WHERE user_id = ? ORDER BY position", call.user.id
    )
