"""User status: text, emoji and availability (rows STAT)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import ReactionType
from narrowcast_server.organization.checks import check_length
from narrowcast_server.organization.dialect import outgoing_reaction_type
from narrowcast_server.organization.emoji import resolve
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import User
from narrowcast_server.resources.presence import change_settings
from narrowcast_server.rules.visibility import watchers

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core

MAX_TEXT: Final = 60
_NO_EMOJI: Final = {"emoji_name": "", "emoji_code": "", "reaction_type": ReactionType.UNICODE.value}


def set_status(
    core: Core,
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
        changed["status_text"] = _checked_text(text)
    if emoji_name is None and (emoji_code is not None or reaction_type is not None):
        raise ServiceError("Client must pass emoji_name if they pass either emoji_code or reaction_type.")
    if emoji_name is not None:
        changed |= _emoji(core, emoji_name, emoji_code, reaction_type)
    if away is not None and core.level >= Gate.AWAY_DEPRECATED.level:
        user = change_settings(core, user, {"presence_enabled": not away})
    _store(core, user, changed)
    event = {"type": "user_status", "user_id": user.id, **changed}
    if "reaction_type" in event:
        event["reaction_type"] = outgoing_reaction_type(core.config, str(event["reaction_type"]))
    if away is not None:
        event["away"] = away
    core.emit(event, watchers(core, user))


def _checked_text(text: str) -> str:
    text = text.strip()
    check_length("status_text", text, MAX_TEXT)
    return text


def _emoji(core: Core, name: str, code: str | None, reaction_type: str | None) -> dict[str, object]:
    if name == "":
        return dict(_NO_EMOJI)
    emoji = resolve(core, name, code, reaction_type)
    return {"emoji_name": emoji.name, "emoji_code": emoji.code, "reaction_type": emoji.type}


def _store(core: Core, user: User, changed: dict[str, object]) -> None:
    core.store.execute("INSERT OR IGNORE INTO statuses (user_id) VALUES (?)", user.id)
    for name, value in changed.items():
        core.store.execute(f"UPDATE statuses SET {name} = ? WHERE user_id = ?", str(value), user.id)
