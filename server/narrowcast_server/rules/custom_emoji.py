"""Permissions to add and deactivate custom emoji."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_server.organization.errors import ServiceError, insufficient_permission
from narrowcast_server.organization.models import User
from narrowcast_server.rules.permissions import realm_allows

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core


def check_may_add_emoji(core: Core, user: User, *, overrides_default: bool) -> None:
    """Raises BAD_REQUEST without permission; only administrators may override a default emoji."""
    if not realm_allows(core, user, "can_add_custom_emoji_group"):
        raise insufficient_permission()
    if overrides_default and not user.is_administrator:
        raise ServiceError("Only administrators can override default emoji.")


def check_may_retire_emoji(user: User, author_id: int | None) -> None:
    """Raises BAD_REQUEST unless the user is an administrator or the emoji's author."""
    if author_id != user.id and not user.is_administrator:
        raise ServiceError("Must be an organization administrator or emoji author")
