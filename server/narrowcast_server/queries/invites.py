"""Valid invitations and their links (rows INV)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_server.organization.models import User
from narrowcast_server.storage.store import Row

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core


def link_of(core: Core, token: str) -> str:
    """The URL at which an invitation is accepted."""
    return f"{core.url}/join/{token}/"


def open_invites(core: Core, user: User) -> list[dict[str, object]]:
    """Valid invitations: for administrators all, for others their own (INV-36)."""
    rows = core.store.all(
        "SELECT * FROM invites WHERE revoked = 0 AND accepted = 0 AND (expires IS NULL OR expires > ?) ORDER BY id",
        core.now(),
    )
    return [_object(core, user, row) for row in rows if user.is_administrator or row["inviter_id"] == user.id]


def _object(core: Core, user: User, row: Row) -> dict[str, object]:
    result: dict[str, object] = {
        "invited_by_user_id": row["inviter_id"],
        "invited": row["invited"],
        "expiry_date": row["expires"],
        "id": row["id"],
        "invited_as": row["invite_as"],
        "is_multiuse": row["email"] is None,
    }
    # A link gives its role to anyone, so users do not see links to a role above their own. Invitations by
    # email also show their link if the server sends no email.
    if row["uses_left"] is not None:
        result["uses_left"] = row["uses_left"]
    by_link = row["email"] is None or core.config.mail is None
    if by_link and row["invite_as"] >= user.role:
        result["link_url"] = link_of(core, row["token"])
    if row["email"] is None:
        return result
    return {**result, "email": row["email"], "notify_referrer_on_join": bool(row["notify_referrer"])}
