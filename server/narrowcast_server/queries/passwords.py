"""Whether somebody knows a user's password."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast_server.organization.models import User
from narrowcast_server.queries.users import password_hash_of

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core


async def has_password(core: Core, user: User | None, password: str, address: str) -> bool:
    """Whether this is the user's password, before and after the time that the check takes: a password that
    is replaced meanwhile is wrong. Takes as long without a user.
    """
    checked = password_hash_of(core, user)
    return await core.passwords.fits(checked, password, address) and password_hash_of(core, user) == checked
