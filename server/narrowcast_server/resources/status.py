"""User status: text, emoji and availability (rows STAT; reading it is outside the contract, STAT-23)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import ReactionType
from narrowcast_server.http.params import boolean, optional, takes_text, text_without_null
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.checks import check_length
from narrowcast_server.organization.dialect import outgoing_reaction_type
from narrowcast_server.organization.emoji import resolve
from narrowcast_server.organization.errors import ServiceError, insufficient_permission, no_such_user
from narrowcast_server.organization.models import User
from narrowcast_server.organization.people import check_active, person
from narrowcast_server.organization.personal import switched_on
from narrowcast_server.queries.snapshot.parts import Snapshot, part
from narrowcast_server.resources.presence import change_settings
from narrowcast_server.rules.permissions import Callers
from narrowcast_server.rules.visibility import check_sees, visible_ids, watchers
from narrowcast_server.storage.store import Row

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

MAX_TEXT: Final = 60
_NO_EMOJI: Final = {"emoji_name": "", "emoji_code": "", "reaction_type": ReactionType.UNICODE.value}


def status_of(organization: Organization, user: User) -> dict[str, object]:
    """The parts of a status that are set; `away`, from level 148 on, if the user hides their presence (STAT-13)."""
    return _status(
        organization, user, organization.store.one("SELECT * FROM statuses WHERE user_id = ?", user.id)
    )


def _status(organization: Organization, user: User, row: Row | None) -> dict[str, object]:
    result: dict[str, object] = {}
    if row is not None and row["status_text"]:
        result["status_text"] = row["status_text"]
    # Levels without status emoji show none, even if one is stored.
    if row is not None and row["emoji_name"] and organization.level >= Gate.STATUS_EMOJI.level:
        result |= {name: row[name] for name in ("emoji_name", "emoji_code")}
        result["reaction_type"] = outgoing_reaction_type(organization.config, row["reaction_type"])
    if organization.level < Gate.AWAY_DEPRECATED.level:
        is_away = row is not None and bool(row["away"])
    else:
        is_away = not switched_on(user, "presence_enabled")
    if is_away:
        result["away"] = True
    return result


def all_statuses(organization: Organization, viewer: User) -> dict[str, dict[str, object]]:
    """The non-empty statuses of active users, by user id as decimal text, as in the response of POST /register."""
    seen = visible_ids(organization, viewer)
    people = [
        user for user in organization.users.all() if user.is_active and (seen is None or user.id in seen)
    ]
    rows = {row["user_id"]: row for row in organization.store.all("SELECT * FROM statuses")}
    statuses = {str(user.id): _status(organization, user, rows.get(user.id)) for user in people}
    return {user_id: status for user_id, status in statuses.items() if status}


def set_status(
    organization: Organization,
    user: User,
    *,
    text: str | None,
    emoji_name: str | None,
    emoji_code: str | None,
    reaction_type: str | None,
    away: bool | None,
) -> None:
    """Changes the given parts of a status (STAT-01); raises BAD_REQUEST as in STAT-14 to STAT-19."""
    if text is None and emoji_name is None and away is None:
        raise ServiceError("Client did not pass any new values.")
    changed: dict[str, object] = {}
    if text is not None:
        changed["status_text"] = text
    if emoji_name is None and (emoji_code is not None or reaction_type is not None):
        raise ServiceError("Client must pass emoji_name if they pass either emoji_code or reaction_type.")
    if emoji_name is not None:
        changed |= _checked_emoji(organization, emoji_name, emoji_code, reaction_type)
    if away is None:
        _store(organization, user, changed)
    elif organization.level < Gate.AWAY_DEPRECATED.level:
        _store(organization, user, {**changed, "away": int(away)})
    else:
        user = change_settings(organization, user, {"presence_enabled": not away})
        _store(organization, user, changed)
    event = {"type": "user_status", "user_id": user.id, **changed}
    if "reaction_type" in event:
        event["reaction_type"] = outgoing_reaction_type(organization.config, str(event["reaction_type"]))
    if away is not None:
        event["away"] = away
    organization.emit(event, watchers(organization, user))


def _checked_emoji(
    organization: Organization, name: str, code: str | None, reaction_type: str | None
) -> dict[str, object]:
    if name == "":
        return dict(_NO_EMOJI)
    emoji = resolve(organization, name, code, reaction_type)
    return {"emoji_name": emoji.name, "emoji_code": emoji.code, "reaction_type": emoji.type}


def _store(organization: Organization, user: User, changed: dict[str, object]) -> None:
    organization.store.execute("INSERT OR IGNORE INTO statuses (user_id) VALUES (?)", user.id)
    for name, value in changed.items():
        organization.store.execute(f"UPDATE statuses SET {name} = ? WHERE user_id = ?", str(value), user.id)


@part("user_status")
def statuses(request: Snapshot) -> dict[str, object]:
    """`user_status` by user id; only statuses that are set."""
    return {"user_status": all_statuses(request.organization, request.user)}


routes = Routes()


@takes_text
def _text(name: str, text: str) -> str:
    stripped = text_without_null(name, text).strip()
    check_length(name, stripped, MAX_TEXT)
    return stripped


TEXT = optional("status_text", _text)
EMOJI_NAME = optional("emoji_name", text_without_null, since=Gate.STATUS_EMOJI.level)
EMOJI_CODE = optional("emoji_code", text_without_null, since=Gate.STATUS_EMOJI.level)
REACTION_TYPE = optional("reaction_type", text_without_null, since=Gate.STATUS_EMOJI.level)
AWAY = optional("away", boolean)


def _set(call: Call, user: User, away: bool | None) -> ResponseBody:
    if user.is_bot:
        raise no_such_user()
    set_status(
        call.organization,
        user,
        text=call[TEXT],
        emoji_name=call[EMOJI_NAME],
        emoji_code=call[EMOJI_CODE],
        reaction_type=call[REACTION_TYPE],
        away=away,
    )
    return {}


@routes.post("/users/me/status", AWAY, TEXT, EMOJI_NAME, EMOJI_CODE, REACTION_TYPE, callers=Callers.PEOPLE)
def post_own_status(call: Call) -> ResponseBody:
    """Changes the parts of the caller's status that the request carries (STAT-01)."""
    return _set(call, call.user, call[AWAY])


@routes.post("/users/{user_id}/status", TEXT, EMOJI_NAME, EMOJI_CODE, REACTION_TYPE, callers=Callers.PEOPLE)
def post_status_of(call: Call) -> ResponseBody:
    """Changes the status of a user; only administrators may change that of others."""
    user = person(call.organization, call.path_id("user_id"))
    if user.id != call.user.id and not call.user.is_administrator:
        raise insufficient_permission()
    return _set(call, user, None)


@routes.get("/users/{user_id}/status")
def get_status(call: Call) -> ResponseBody:
    user = person(call.organization, call.path_id("user_id"))
    check_sees(call.organization, call.user, user)
    check_active(user)
    return {"status": status_of(call.organization, user)}
